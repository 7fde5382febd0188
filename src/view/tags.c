/*
 * Tags of processes. A tag goes with its process; one that is only hidden by a filter keeps its tag. Pure.
 */
#include "actions.h"

static const struct ui_command nothing = {UI_NONE, 0};

uint32_t row_process(const struct snapshot *s, struct row r) {
    if (r.total || r.unattributed) {
        return s->process_count;
    }
    uint32_t index = r.engine || r.region ? r.owner : r.index;
    if (r.client) {
        index = index < s->client_count ? s->clients[index].process : s->process_count;
    }
    return index < s->process_count ? index : s->process_count;
}

/* Its place; count for none. */
static uint32_t find(const struct tags *t, int32_t pid, uint64_t start) {
    uint32_t i = 0;
    while (i < t->count && (t->list[i].pid != pid || t->list[i].start != start)) {
        i++;
    }
    return i;
}

bool tags_has(const struct ui *ui, int32_t pid, uint64_t start) {
    return start != 0 && find(&ui->tags, pid, start) < ui->tags.count;
}

static void take_out(struct tags *t, uint32_t at) {
    t->count--;
    for (; at < t->count; at++) {
        t->list[at] = t->list[at + 1];
    }
}

/* Processes stand in order of pid, then start. */
uint32_t target_row(const struct snapshot *s, const struct ui_target *who) {
    uint32_t low = 0, high = s->process_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct snap_process *p = &s->processes[middle];
        if (p->pid < who->pid || (p->pid == who->pid && p->start < who->start)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_there = low < s->process_count && s->processes[low].pid == who->pid &&
                    s->processes[low].start == who->start;
    return is_there ? low : s->process_count;
}

void tags_note(struct ui *ui, const struct snapshot *s) {
    struct tags *t = &ui->tags;
    for (uint32_t i = t->count; s && i > 0; i--) {
        if (target_row(s, &t->list[i - 1]) >= s->process_count) {
            take_out(t, i - 1);
        }
    }
}

static void tag(struct ui *ui, const struct snap_process *p) {
    struct tags *t = &ui->tags;
    uint32_t at = find(t, p->pid, p->start);
    if (at < t->count) {
        take_out(t, at);
    } else if (t->count < TARGETS_MOST) {
        t->list[t->count++] = (struct ui_target){.pid = p->pid, .start = p->start};
    } else {
        ui_say(ui, true, "no more processes can be tagged; U untags all");
    }
}

struct ui_command act_TAG(struct ui *ui, const struct snapshot *s, int amount) {
    list_refresh(ui, s);
    if (!s || ui->at >= ui->line_count) {
        ui_say(ui, true, "nothing is selected to be tagged");
        return nothing;
    }
    uint32_t index = row_process(s, ui->lines[ui->at]);
    if (index >= s->process_count || s->processes[index].pid <= 0) {
        ui_say(ui, true, "this line is not one process: only processes can be tagged");
    } else if (s->processes[index].start == 0) {
        ui_say(ui, true, "cannot be tagged: its start is not known");
    } else {
        tag(ui, &s->processes[index]);
    }
    list_select(ui, s, (int64_t)ui->at + amount);
    return nothing;
}

struct ui_command act_UNTAG(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    ui->tags.count = 0;
    return nothing;
}
