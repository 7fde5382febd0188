/*
 * The lines of the table, and the selection among them. The selection stays on its process (pid,
 * start, device) wherever the order moves it; when the process is gone for good, on whoever took
 * its line. Pure; grows only at new highs.
 */
#include "ui.h"

#include <string.h>

/* In an identity: its client is the number of the name of an engine, a region; of a sum of rows nothing. */
#define SPACE_OF_ENGINE UINT8_MAX
#define SPACE_OF_REGION (UINT8_MAX - 1)
#define SPACE_OF_SUM    (UINT8_MAX - 2)
#define PID_OF_SUM      (-1)

uint32_t device_subject(const struct snapshot *s, uint32_t device) {
    return device < s->device_count ? s->devices[device].subject : UINT32_MAX;
}

static struct identity of_process(const struct snapshot *s, const struct snap_process *p) {
    return (struct identity){
        .start = p->start, .device = device_subject(s, p->device), .pid = p->pid};
}

const struct snapshot *list_source(const struct ui *ui, const struct snapshot *s, struct row r) {
    return r.total ? &ui->totals.s : s;
}

/* Sums of one group on several devices are told apart by these; a sum has a name of its own, which is that of its
 * group. */
static struct identity of_sum(const struct ui *ui, const struct snapshot *s, uint32_t index) {
    const struct snapshot *sums = &ui->totals.s;
    const struct snap_process *p = &sums->processes[index];
    return (struct identity){.start = span_hash(snapshot_text(sums, p->name)),
                             .device = device_subject(s, p->device),
                             .pid = PID_OF_SUM,
                             .space = SPACE_OF_SUM};
}

static struct identity of_loose(const struct snapshot *s, const struct snap_unattributed *u) {
    return (struct identity){.start = span_hash(snapshot_text(s, u->name)),
                             .device = device_subject(s, u->device),
                             .unattributed = true};
}

static struct identity of_client(const struct snapshot *s, const struct snap_client *c) {
    if (c->process >= s->process_count) {
        return (struct identity){0};
    }
    struct identity id = of_process(s, &s->processes[c->process]);
    id.client = c->id;
    id.space = c->space;
    return id;
}

static struct identity identity_of(const struct ui *ui, const struct snapshot *s, struct row r) {
    if (r.client) {
        return of_client(s, &s->clients[r.index]);
    }
    bool is_part = r.engine || r.region;
    uint32_t index = is_part ? r.owner : r.index;
    struct identity id = r.total          ? of_sum(ui, s, index)
                         : r.unattributed ? of_loose(s, &s->unattributed[index])
                                          : of_process(s, &s->processes[index]);
    if (is_part) {
        const struct snapshot *from = list_source(ui, s, r);
        struct text_ref name =
            r.engine ? from->engines[r.index].name : from->memory[r.index].region;
        id.client = span_hash(snapshot_text(from, name));
        id.space = r.engine ? SPACE_OF_ENGINE : SPACE_OF_REGION;
    }
    return id;
}

static bool same_process(const struct identity *a, const struct identity *b) {
    return a->start == b->start && a->device == b->device && a->pid == b->pid &&
           a->unattributed == b->unattributed;
}

static bool same(const struct identity *a, const struct identity *b) {
    return same_process(a, b) && a->client == b->client && a->space == b->space;
}

uint32_t list_device(const struct ui *ui, const struct snapshot *s) {
    if (!s || ui->at >= ui->line_count) {
        return UINT32_MAX;
    }
    struct row r = ui->lines[ui->at];
    uint32_t index = r.engine || r.region ? r.owner : r.index;
    if (r.unattributed) {
        return s->unattributed[index].device;
    }
    const struct snapshot *from = list_source(ui, s, r);
    uint32_t process = r.client ? s->clients[r.index].process : index;
    return process < from->process_count ? from->processes[process].device : UINT32_MAX;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool add_line(struct ui *ui, struct row r) {
    void *lines = ui->lines;
    bool enough = vec_reserve(&lines, &ui->line_cap, ui->line_count + 1, sizeof r) == ERR_OK;
    ui->lines = lines;
    if (enough) {
        ui->lines[ui->line_count++] = r;
    }
    return enough;
}

static struct run clients_of(const struct ui *ui, const struct snapshot *s, struct row r) {
    bool has_some = ui_is(ui, SETTING_CLIENTS) && !r.unattributed && !r.total;
    return has_some ? s->processes[r.index].client_run : (struct run){0, 0};
}

static struct run engines_of(const struct ui *ui, const struct snapshot *s, struct row r) {
    if (ui->settings.number[SETTING_ENGINES] != ENGINES_EACH) {
        return (struct run){0, 0};
    }
    return r.unattributed ? s->unattributed[r.index].engines
                          : list_source(ui, s, r)->processes[r.index].engines;
}

static struct run regions_of(const struct ui *ui, const struct snapshot *s, struct row r) {
    bool has_some = ui_is(ui, SETTING_REGIONS) && !r.unattributed;
    return has_some ? list_source(ui, s, r)->processes[r.index].memory : (struct run){0, 0};
}

/* A region of which nothing is there would only take room. */
static bool is_empty(const struct snap_memory *m) {
    const struct value parts[] = {m->total, m->resident, m->shared, m->purgeable, m->legacy};
    bool is_told = false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool is_nothing = parts[i].state == STATE_VALUE && parts[i].v == 0;
        if (!is_nothing && parts[i].state != STATE_UNSUPPORTED) {
            return false;
        }
        is_told = is_told || is_nothing;
    }
    return is_told;
}

/* Of a sum above the rows that it is of the parts would be there twice. */
static bool has_parts(const struct ui *ui, struct row r) {
    bool is_above =
        ui->settings.number[SETTING_GROUP] == TABLE_GROUP_NONE || !ui_is(ui, SETTING_TOTALS);
    return !(r.total && is_above);
}

/* Lines of a run below a row; `like` says of what kind. */
static bool add_parts(struct ui *ui, const struct snapshot *from, struct row row, struct run run,
                      struct row like) {
    like.unattributed = row.unattributed;
    like.total = row.total;
    like.owner = row.index;
    like.depth = row.depth;
    like.last = row.last;
    like.trunk = row.trunk;
    for (uint32_t i = 0; i < run.count; i++) {
        like.index = run.first + i;
        bool is_left_out = like.region && is_empty(&from->memory[like.index]);
        if (!is_left_out && !add_line(ui, like)) {
            return false;
        }
    }
    return true;
}

static bool add_lines(struct ui *ui, const struct snapshot *s, struct row r) {
    if (!add_line(ui, r)) {
        return false;
    }
    const struct snapshot *from = list_source(ui, s, r);
    return !has_parts(ui, r) ||
           (add_parts(ui, from, r, engines_of(ui, s, r), (struct row){.engine = true}) &&
            add_parts(ui, from, r, regions_of(ui, s, r), (struct row){.region = true}) &&
            add_parts(ui, from, r, clients_of(ui, s, r), (struct row){.client = true}));
}

static void choose_lines(struct ui *ui, const struct snapshot *s) {
    struct table_shape shape = {.tree = ui_is(ui, SETTING_TREE),
                                .totals = ui_is(ui, SETTING_TOTALS),
                                .group = (uint8_t)ui->settings.number[SETTING_GROUP]};
    ui->line_count = 0;
    if (!s || table_select(s, &ui->query, &ui->list) != ERR_OK) {
        return;
    }
    /* Without memory rows stand as they were chosen. */
    (void)table_arrange(s, &ui->query, &shape, &ui->list, &ui->totals);
    for (uint32_t i = 0; i < ui->list.count; i++) {
        if (!add_lines(ui, s, ui->list.rows[i])) {
            return;
        }
    }
}

/* ---- selection ------------------------------------------------------------------------------- */

static bool is_part(struct row r) {
    return r.client || r.engine || r.region;
}

/* Most lines are of other processes: that is told at once. */
static bool is_of_other(const struct ui *ui, const struct snapshot *s, struct row r) {
    bool is_process = !r.client && !r.unattributed && !r.total;
    return is_process && s->processes[is_part(r) ? r.owner : r.index].pid != ui->chosen.pid;
}

/* The line of whom is selected; that of its process where a part of it is gone; line_count for none. */
static uint32_t find_line(const struct ui *ui, const struct snapshot *s) {
    uint32_t process = ui->line_count;
    for (uint32_t i = 0; i < ui->line_count; i++) {
        if (is_of_other(ui, s, ui->lines[i])) {
            continue;
        }
        struct identity id = identity_of(ui, s, ui->lines[i]);
        if (same(&id, &ui->chosen)) {
            return i;
        }
        if (!is_part(ui->lines[i]) && same_process(&id, &ui->chosen)) {
            process = i;
        }
    }
    return process;
}

/* Its index; process_count for none. */
static uint32_t find_process(const struct snapshot *s, const struct identity *wanted) {
    for (uint32_t i = 0; i < s->process_count; i++) {
        struct identity id = of_process(s, &s->processes[i]);
        if (same_process(&id, wanted)) {
            return i;
        }
    }
    return s->process_count;
}

/* The line of the sum that the process is in; line_count for none. */
static uint32_t find_sum(const struct ui *ui, uint32_t process) {
    uint32_t line = 0;
    uint32_t sum = ui->totals.s.process_count > 0 ? ui->totals.of[process] : UINT32_MAX;
    while (line < ui->line_count &&
           (!ui->lines[line].total || is_part(ui->lines[line]) || ui->lines[line].index != sum)) {
        line++;
    }
    return line;
}

/* Not among the lines: it is gone, or in a sum, or only filtered out; then it is waited for. */
static void settle_selection(struct ui *ui, const struct snapshot *s) {
    uint32_t process = find_process(s, &ui->chosen);
    uint32_t line = process < s->process_count ? find_sum(ui, process) : ui->line_count;
    ui->at = line < ui->line_count ? line : ui->at < ui->line_count ? ui->at : ui->line_count - 1;
    if (process == s->process_count) {
        ui->chosen = identity_of(ui, s, ui->lines[ui->at]);
    }
}

void list_refresh(struct ui *ui, const struct snapshot *s) {
    alone_settle(ui, s);
    choose_lines(ui, s);
    if (ui->line_count == 0) {
        ui->at = 0;
        return;
    }
    if (!ui->is_pinned) {
        ui->at = 0;
        return;
    }
    uint32_t line = find_line(ui, s);
    if (line < ui->line_count) {
        ui->at = line;
        return;
    }
    settle_selection(ui, s);
}

void list_select(struct ui *ui, const struct snapshot *s, int64_t line) {
    if (ui->line_count == 0) {
        return;
    }
    line = line < 0 ? 0 : line >= ui->line_count ? (int64_t)ui->line_count - 1 : line;
    ui->at = (uint32_t)line;
    ui->chosen = identity_of(ui, s, ui->lines[ui->at]);
    ui->is_pinned = true;
    ui->reveal = true;
}

void list_return(struct ui *ui) {
    ui->chosen = ui->before;
    ui->is_pinned = ui->was_pinned;
    ui->reveal = true;
}

void list_scroll(struct ui *ui, uint32_t body) {
    uint32_t most = ui->line_count > body ? ui->line_count - body : 0;
    ui->body = body;
    if (body > 0 && (ui->reveal || ui->follow)) {
        ui->top = ui->top > ui->at ? ui->at : ui->top;
        ui->top = ui->at - ui->top >= body ? ui->at - body + 1 : ui->top;
        ui->reveal = false;
    }
    ui->top = ui->top > most ? most : ui->top;
}

static bool is_meant(const struct ui *ui, const struct snapshot *s, struct row r) {
    struct span wanted = {ui->search.text, ui->search.n};
    const struct snapshot *from = list_source(ui, s, r);
    if (r.engine) {
        return text_contains(snapshot_text(from, from->engines[r.index].name), wanted);
    }
    if (r.region) {
        return text_contains(snapshot_text(from, from->memory[r.index].region), wanted);
    }
    if (r.client) {
        return text_contains(snapshot_text(from, from->clients[r.index].name), wanted);
    }
    if (r.unattributed) {
        return text_contains(snapshot_text(from, from->unattributed[r.index].name), wanted);
    }
    const struct snap_process *p = &from->processes[r.index];
    return text_contains(snapshot_text(from, p->name), wanted) ||
           text_contains(snapshot_text(from, p->command), wanted);
}

bool list_search(struct ui *ui, const struct snapshot *s, uint32_t from) {
    for (uint32_t i = 0; i < ui->line_count; i++) {
        uint32_t line = (uint32_t)(((uint64_t)from + i) % ui->line_count);
        if (is_meant(ui, s, ui->lines[line])) {
            list_select(ui, s, line);
            return true;
        }
    }
    return false;
}
