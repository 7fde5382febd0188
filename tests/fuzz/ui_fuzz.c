/*
 * The screen under keys, sizes and snapshots made of bytes. The first byte gives the options; then
 * each step is an operation and what it needs: a key, a size, other numbers, a text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/view.h"
#include "snap_cases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walk {
    struct cursor c;
    struct ui *ui;
    struct grid g;
    struct snap b;
    struct ui_play play;
};

static void make_snapshot(struct walk *w) {
    uint8_t kind = cursor_le8(&w->c), devices = cursor_le8(&w->c), processes = cursor_le8(&w->c);
    snap_finish(&w->b);
    switch (kind % 8) {
    case 0:
        snap_hostile(&w->b);
        break;
    case 1:
        snap_typical(&w->b);
        break;
    case 2:
        snap_all_metrics(&w->b, processes);
        break;
    case 3:
        snap_cards(&w->b, devices % 20, processes);
        break;
    case 4:
        snap_cores(&w->b);
        break;
    default:
        snap_many(&w->b, devices % 40, processes, kind);
    }
}

/* Bytes over one of the device's metrics. */
static void spoil_metric(struct walk *w, uint8_t which, struct value v) {
    if (w->b.s.metric_count > 0) {
        struct snap_metric *m = &w->b.metrics[which % w->b.s.metric_count];
        m->value = v;
        m->metric = (uint16_t)(v.v >> 8 & 511);
        m->index = which & 4 ? INDEX_NONE : (uint16_t)v.v;
    }
}

/* Bytes over one of the snapshot's processes: as accounting could never make it, but for its runs
 * and texts, which are offsets that it guarantees. */
static void spoil(struct walk *w) {
    uint8_t which = cursor_le8(&w->c);
    uint64_t number = cursor_le64(&w->c);
    struct value v = {(int64_t)number, cursor_le8(&w->c), cursor_le8(&w->c)};
    char text[32];
    struct span bytes = cursor_bytes(&w->c, which % sizeof text);
    spoil_metric(w, which, v);
    if (w->b.s.process_count == 0) {
        return;
    }
    struct snap_process *p = &w->b.processes[which % w->b.s.process_count];
    if (bytes.n > 0) {
        (void)pool_add(&w->b.s.text, bytes, &p->command);
        p->user = p->command;
    }
    p->pid = (int32_t)number;
    p->start = number;
    p->device = which;
    p->busy_ppm = p->rss = p->busy_ns = v;
    p->vram.bytes = v;
    p->exited = which & 1;
    w->b.s.unreadable = which;
    w->b.s.real_ns = v.v;
    w->play.at_ns = v.v;
    w->play.length_ns = (int64_t)(number >> 3);
    w->play.utc_offset_s = (int64_t)number;
    w->play.now_real_ns = which & 2 ? v.v : 0;
    w->play.delay_ns = v.v;
    w->play.busy_ppm = (int)which - 10;
    w->play.speed_milli = (int)(uint16_t)number;
}

static void draw(struct walk *w, bool measured) {
    struct buf out = {0};
    ui_render(w->ui, measured ? snap_get(&w->b) : NULL, &w->play, &w->g);
    grid_dump(&w->g, &out);
    buf_finish(&out);
}

static void step(struct walk *w) {
    uint8_t operation = cursor_le8(&w->c);
    const struct snapshot *s = operation & 128 ? NULL : snap_get(&w->b);
    switch (operation % 8) {
    case 0:
        make_snapshot(w);
        break;
    case 1:
        spoil(w);
        break;
    case 2:
        (void)grid_resize(&w->g, cursor_le8(&w->c) % 80, cursor_le8(&w->c));
        break;
    case 3:
        (void)ui_key(w->ui, UI_KEY_UP + cursor_le8(&w->c) % 32u, s);
        break;
    case 4:
        (void)ui_key(w->ui, cursor_le32(&w->c), s);
        break;
    default:
        (void)ui_key(w->ui, cursor_le8(&w->c) & 127u, s);
    }
    draw(w, s != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct walk w = {.c = cursor_over((struct span){(const char *)data, size})};
    uint8_t options = cursor_le8(&w.c);
    struct ui_options o = {.unicode = options & 1, .replay = options & 2, .demo = options & 4};
    if (options & 8) {
        (void)column_set_parse(cursor_bytes(&w.c, 12), &o.columns, NULL);
    }
    if (options & 16) {
        (void)table_sort_parse(cursor_bytes(&w.c, 8), &o.query, NULL);
        o.query.search = cursor_bytes(&w.c, 1);
        o.query.device = cursor_bytes(&w.c, 1);
        o.query.top = options;
    }
    if (ui_create(&o, &w.ui) != ERR_OK || grid_resize(&w.g, 24, 80) != ERR_OK) {
        abort();
    }
    snap_typical(&w.b);
    for (int i = 0; i < 200 && !w.c.bad && !cursor_at_end(&w.c); i++) {
        step(&w);
    }
    ui_destroy(w.ui);
    grid_finish(&w.g);
    snap_finish(&w.b);
    return 0;
}
