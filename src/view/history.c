/*
 * What the counters of all devices were in the last ticks that were drawn. Pure.
 */
#include "counters.h"

#define MISSING    INT64_MIN
#define FULL_SHARE INT64_C(1000000)

/* ---- which ----------------------------------------------------------------------------------- */

/* Entries of one metric and part that differ in their names only are told apart by their order. */
struct counter_key counter_key_of(const struct snapshot *s, const struct snap_device *d,
                                  uint32_t i) {
    const struct snap_metric *m = &s->metrics[d->metrics.first + i];
    struct counter_key key = {.device = d->subject, .metric = m->metric, .index = m->index};
    for (uint32_t k = i; k > 0; k--) {
        const struct snap_metric *before = &s->metrics[d->metrics.first + k - 1];
        if (before->metric != m->metric || before->index != m->index) {
            break;
        }
        key.nth++;
    }
    return key;
}

bool counter_key_is(const struct counter_key *a, const struct counter_key *b) {
    return a->device == b->device && a->metric == b->metric && a->index == b->index &&
           a->nth == b->nth;
}

/* NULL where there is none. Mostly it is the one behind the last. */
static struct history_slot *find(struct history *h, const struct counter_key *key) {
    for (uint32_t n = 0; n < h->count; n++) {
        uint32_t i = (h->last + n) % h->count;
        if (counter_key_is(&h->slots[i].key, key)) {
            h->last = i + 1;
            return &h->slots[i];
        }
    }
    return NULL;
}

static struct history_slot *find_or_add(struct history *h, const struct counter_key *key) {
    struct history_slot *slot = find(h, key);
    if (slot || h->count == HISTORY_SLOTS) {
        return slot;
    }
    slot = &h->slots[h->count++];
    slot->key = *key;
    for (int i = 0; i < HISTORY_TICKS; i++) {
        slot->v[i] = MISSING;
    }
    return slot;
}

/* ---- a tick ---------------------------------------------------------------------------------- */

static void note_device(struct history *h, const struct snapshot *s, const struct snap_device *d) {
    for (uint32_t i = counter_next(s, d, 0); i < d->metrics.count; i = counter_next(s, d, i + 1)) {
        struct value v = s->metrics[d->metrics.first + i].value;
        struct counter_key key = counter_key_of(s, d, i);
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
    if (metric_info(slot->key.metric)->unit == UNIT_PERCENT) {
        return FULL_SHARE;
    }
    for (int back = 0; back < width; back++) {
        int64_t v = slot->v[(h->at + HISTORY_TICKS - (unsigned)back) % HISTORY_TICKS];
        most = v > most ? v : most;
    }
    return most;
}

bool history_is_zero(struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                     uint32_t i) {
    struct counter_key key = counter_key_of(s, d, i);
    struct value now = s->metrics[d->metrics.first + i].value;
    const struct history_slot *slot = find(&ui->history, &key);
    bool is_zero = now.state == STATE_VALUE && now.v == 0;
    for (int at = 0; slot && is_zero && at < HISTORY_TICKS; at++) {
        is_zero = slot->v[at] <= 0;
    }
    return is_zero;
}

/* By eighths of the most there is, the least of them for anything above 0. */
static const char *ascii_bar(int64_t v, int64_t most) {
    static const char *const levels[] = {"_", ".", ":", "-", "=", "+", "*", "#", "@"};
    uint64_t part = v >= most ? 8 : mul_div_u64((uint64_t)v, 8, (uint64_t)most);
    return levels[v == 0 ? 0 : part < 1 ? 1 : part];
}

static void draw_tick(const struct ui *ui, struct grid *g, int row, int column, int64_t v,
                      int64_t most) {
    if (ui->o.unicode) {
        const struct value value = {v, STATE_VALUE, 0};
        draw_small_bar(g, row, column, value, most, ROLE_BAR_GRAPHICS, true);
    } else {
        draw_text(g, row, column, 1, v > 0 ? ROLE_BAR_GRAPHICS : ROLE_DIM, ascii_bar(v, most));
    }
}

void history_draw(struct ui *ui, const struct snapshot *s, const struct snap_device *d, uint32_t i,
                  struct grid *g, int row, int column, int width) {
    struct counter_key key = counter_key_of(s, d, i);
    const struct history *h = &ui->history;
    const struct history_slot *slot = find(&ui->history, &key);
    int count = width < HISTORY_TICKS ? width : HISTORY_TICKS;
    if (!slot) {
        return;
    }
    int64_t most = most_of(h, slot, count);
    for (int back = 0; back < count; back++) {
        int64_t v = slot->v[(h->at + HISTORY_TICKS - (unsigned)back) % HISTORY_TICKS];
        if (v != MISSING) {
            draw_tick(ui, g, row, column + count - 1 - back, v, most);
        }
    }
}
