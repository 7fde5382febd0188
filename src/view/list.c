/*
 * The lines of the table, and the selection among them. The selection stays on its process (pid,
 * start, device) wherever the order moves it; when the process is gone for good, on whoever took
 * its line. Pure; grows only at new highs.
 */
#include "ui.h"

#include <string.h>

/* In an identity: its client is the number of an engine's name. */
#define SPACE_OF_ENGINE UINT8_MAX

/* FNV-1a: rows without a process are told apart by their name. */
static uint64_t number_of_text(struct span s) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < s.n; i++) {
        h = (h ^ (unsigned char)s.p[i]) * UINT64_C(1099511628211);
    }
    return h;
}

static uint32_t device_subject(const struct snapshot *s, uint32_t device) {
    return device < s->device_count ? s->devices[device].subject : UINT32_MAX;
}

static struct identity of_process(const struct snapshot *s, const struct snap_process *p) {
    return (struct identity){
        .start = p->start, .device = device_subject(s, p->device), .pid = p->pid};
}

static struct identity identity_of(const struct snapshot *s, struct row r);

static struct identity of_engine(const struct snapshot *s, struct row r) {
    struct row owner = {.index = r.owner, .unattributed = r.unattributed};
    struct identity id = identity_of(s, owner);
    id.client = number_of_text(snapshot_text(s, s->engines[r.index].name));
    id.space = SPACE_OF_ENGINE;
    return id;
}

static struct identity identity_of(const struct snapshot *s, struct row r) {
    struct identity id;
    if (r.engine) {
        return of_engine(s, r);
    }
    if (r.unattributed) {
        const struct snap_unattributed *u = &s->unattributed[r.index];
        return (struct identity){.start = number_of_text(snapshot_text(s, u->name)),
                                 .device = device_subject(s, u->device),
                                 .unattributed = true};
    }
    if (!r.client) {
        return of_process(s, &s->processes[r.index]);
    }
    const struct snap_client *c = &s->clients[r.index];
    if (c->process >= s->process_count) {
        return (struct identity){0};
    }
    id = of_process(s, &s->processes[c->process]);
    id.client = c->id;
    id.space = c->space;
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
    uint32_t index = r.engine ? r.owner : r.index;
    if (r.unattributed) {
        return s->unattributed[index].device;
    }
    uint32_t process = r.client ? s->clients[r.index].process : index;
    return process < s->process_count ? s->processes[process].device : UINT32_MAX;
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
    return ui_is(ui, SETTING_CLIENTS) && !r.unattributed ? s->processes[r.index].client_run
                                                         : (struct run){0, 0};
}

static bool add_engines(struct ui *ui, const struct snapshot *s, struct row r) {
    struct run engines = {0, 0};
    if (ui->settings.number[SETTING_ENGINES] == ENGINES_EACH) {
        engines = r.unattributed ? s->unattributed[r.index].engines : s->processes[r.index].engines;
    }
    for (uint32_t i = 0; i < engines.count; i++) {
        struct row line = {.index = engines.first + i,
                           .engine = true,
                           .unattributed = r.unattributed,
                           .owner = r.index};
        if (!add_line(ui, line)) {
            return false;
        }
    }
    return true;
}

static void choose_lines(struct ui *ui, const struct snapshot *s) {
    ui->line_count = 0;
    if (!s || table_select(s, &ui->query, &ui->list) != ERR_OK) {
        return;
    }
    for (uint32_t i = 0; i < ui->list.count; i++) {
        struct run clients = clients_of(ui, s, ui->list.rows[i]);
        if (!add_line(ui, ui->list.rows[i]) || !add_engines(ui, s, ui->list.rows[i])) {
            return;
        }
        for (uint32_t c = 0; c < clients.count; c++) {
            if (!add_line(ui, (struct row){.index = clients.first + c, .client = true})) {
                return;
            }
        }
    }
}

/* ---- selection ------------------------------------------------------------------------------- */

/* The line of whom is selected; that of its process where a client is gone; line_count for none. */
static uint32_t find_line(const struct ui *ui, const struct snapshot *s) {
    uint32_t process = ui->line_count;
    for (uint32_t i = 0; i < ui->line_count; i++) {
        struct identity id = identity_of(s, ui->lines[i]);
        if (same(&id, &ui->chosen)) {
            return i;
        }
        if (!ui->lines[i].client && !ui->lines[i].engine && same_process(&id, &ui->chosen)) {
            process = i;
        }
    }
    return process;
}

static bool is_there(const struct snapshot *s, const struct identity *wanted) {
    for (uint32_t i = 0; i < s->process_count; i++) {
        struct identity id = of_process(s, &s->processes[i]);
        if (same_process(&id, wanted)) {
            return true;
        }
    }
    return false;
}

void list_refresh(struct ui *ui, const struct snapshot *s) {
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
    /* Gone, or only filtered out: then it is waited for. */
    ui->at = ui->at < ui->line_count ? ui->at : ui->line_count - 1;
    if (!is_there(s, &ui->chosen)) {
        ui->chosen = identity_of(s, ui->lines[ui->at]);
    }
}

void list_select(struct ui *ui, const struct snapshot *s, int64_t line) {
    if (ui->line_count == 0) {
        return;
    }
    line = line < 0 ? 0 : line >= ui->line_count ? (int64_t)ui->line_count - 1 : line;
    ui->at = (uint32_t)line;
    ui->chosen = identity_of(s, ui->lines[ui->at]);
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
    if (r.engine) {
        return text_contains(snapshot_text(s, s->engines[r.index].name), wanted);
    }
    if (r.client) {
        return text_contains(snapshot_text(s, s->clients[r.index].name), wanted);
    }
    if (r.unattributed) {
        return text_contains(snapshot_text(s, s->unattributed[r.index].name), wanted);
    }
    const struct snap_process *p = &s->processes[r.index];
    return text_contains(snapshot_text(s, p->name), wanted) ||
           text_contains(snapshot_text(s, p->command), wanted);
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
