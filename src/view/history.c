/*
 * What the counters of all devices were in the last ticks that were drawn. Pure.
 */
#include "counters.h"

#define MISSING    INT64_MIN
#define FULL_SHARE INT64_C(1000000)

bool counter_is(unsigned metric) {
    return span_starts(span_of(metric_info(metric)->name), group_at(GROUP_COUNTERS)->prefix);
}

uint32_t counter_next(const struct snapshot *s, const struct snap_device *d, uint32_t i) {
    while (i < d->metrics.count && !counter_is(s->metrics[d->metrics.first + i].metric)) {
        i++;
    }
    return i;
}

enum role counter_text(struct ui *ui, const struct snap_metric *m, int width) {
    struct buf *b = &ui->text;
    buf_clear(b);
    enum role role = table_metric_text(m->metric, m->value, ui->o.unicode, b);
    if (width > 1 && text_columns(buf_span_of(b)) > (size_t)width - 1 &&
        m->value.state == STATE_VALUE && m->value.v >= 0) {
        double v = (double)m->value.v;
        for (unsigned p = metric_info(m->metric)->power; p > 0; p--) {
            v /= 10;
        }
        buf_clear(b);
        table_amount(v, width - 1 < 5 ? 5 : (size_t)width - 1, b);
        buf_text(b, m->value.doubt ? "~" : "");
    }
    return role;
}

/* ---- which ----------------------------------------------------------------------------------- */

/* Entries of one metric and part that differ in their names only are told apart by their order. */
static struct history_slot key_of(const struct snapshot *s, const struct snap_device *d,
                                  uint32_t i) {
    const struct snap_metric *m = &s->metrics[d->metrics.first + i];
    struct history_slot key = {.device = d->subject, .metric = m->metric, .index = m->index};
    for (uint32_t k = i; k > 0; k--) {
        const struct snap_metric *before = &s->metrics[d->metrics.first + k - 1];
        if (before->metric != m->metric || before->index != m->index) {
            break;
        }
        key.nth++;
    }
    return key;
}

static bool is_slot(const struct history_slot *a, const struct history_slot *b) {
    return a->device == b->device && a->metric == b->metric && a->index == b->index &&
           a->nth == b->nth;
}

/* NULL where there is none. Mostly it is the one behind the last. */
static struct history_slot *find(struct history *h, const struct history_slot *key) {
    for (uint32_t n = 0; n < h->count; n++) {
        uint32_t i = (h->last + n) % h->count;
        if (is_slot(&h->slots[i], key)) {
            h->last = i + 1;
            return &h->slots[i];
        }
    }
    return NULL;
}

static struct history_slot *find_or_add(struct history *h, const struct history_slot *key) {
    struct history_slot *slot = find(h, key);
    if (slot || h->count == HISTORY_SLOTS) {
        return slot;
    }
    slot = &h->slots[h->count++];
    *slot = *key;
    for (int i = 0; i < HISTORY_TICKS; i++) {
        slot->v[i] = MISSING;
    }
    return slot;
}

/* ---- a tick ---------------------------------------------------------------------------------- */

static void note_device(struct history *h, const struct snapshot *s, const struct snap_device *d) {
    for (uint32_t i = counter_next(s, d, 0); i < d->metrics.count; i = counter_next(s, d, i + 1)) {
        struct value v = s->metrics[d->metrics.first + i].value;
        struct history_slot key = key_of(s, d, i);
        struct history_slot *slot = find_or_add(h, &key);
        if (slot && v.state == STATE_VALUE && v.v >= 0) {
            slot->v[h->at] = v.v;
        }
    }
}

void history_note(struct ui *ui, const struct snapshot *s) {
    struct history *h = &ui->history;
    if (!s || s->tick == h->tick) {
        return;
    }
    if (s->tick < h->tick) {
        h->count = 0; /* a recording went back */
    }
    h->tick = s->tick;
    h->at = (h->at + 1) % HISTORY_TICKS;
    for (uint32_t i = 0; i < h->count; i++) {
        h->slots[i].v[h->at] = MISSING;
    }
    for (uint32_t i = 0; i < s->device_count; i++) {
        note_device(h, s, &s->devices[i]);
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* A share is measured against all of it, anything else against the most of it that is in sight. */
static int64_t most_of(const struct history *h, const struct history_slot *slot, int width) {
    int64_t most = 1;
    if (metric_info(slot->metric)->unit == UNIT_PERCENT) {
        return FULL_SHARE;
    }
    for (int back = 0; back < width; back++) {
        int64_t v = slot->v[(h->at + HISTORY_TICKS - (unsigned)back) % HISTORY_TICKS];
        most = v > most ? v : most;
    }
    return most;
}

void history_draw(struct ui *ui, const struct snapshot *s, const struct snap_device *d, uint32_t i,
                  struct grid *g, int row, int column, int width) {
    struct history_slot key = key_of(s, d, i);
    const struct history *h = &ui->history;
    const struct history_slot *slot = find(&ui->history, &key);
    int count = width < HISTORY_TICKS ? width : HISTORY_TICKS;
    if (!slot) {
        return;
    }
    int64_t most = most_of(h, slot, count);
    for (int back = 0; back < count; back++) {
        int64_t v = slot->v[(h->at + HISTORY_TICKS - (unsigned)back) % HISTORY_TICKS];
        struct value value = {v, v == MISSING ? STATE_UNKNOWN : STATE_VALUE, 0};
        if (v != MISSING) {
            draw_small_bar(g, row, column + count - 1 - back, value, most, ROLE_BAR_GRAPHICS,
                           ui->o.unicode);
        }
    }
}
