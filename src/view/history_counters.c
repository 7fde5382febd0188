/*
 * What the counters of all devices were in the last ticks. Pure.
 */
#include "counters.h"

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
static struct history_slot *find(struct history_counters *h, const struct counter_key *key) {
    for (uint32_t n = 0; n < h->count; n++) {
        uint32_t i = (h->last + n) % h->count;
        if (counter_key_is(&h->slots[i].key, key)) {
            h->last = i + 1;
            return &h->slots[i];
        }
    }
    return NULL;
}

static struct history_slot *find_or_add(struct history_counters *h, const struct counter_key *key) {
    struct history_slot *slot = find(h, key);
    if (slot || h->count == HISTORY_SLOTS) {
        return slot;
    }
    slot = &h->slots[h->count++];
    slot->key = *key;
    for (int i = 0; i < HISTORY_TICKS; i++) {
        slot->v[i] = PLOT_GAP;
    }
    return slot;
}

/* ---- a tick ---------------------------------------------------------------------------------- */

static void note_device(struct history_counters *h, const struct snapshot *s,
                        const struct snap_device *d) {
    for (uint32_t i = counter_next(s, d, 0); i < d->metrics.count; i = counter_next(s, d, i + 1)) {
        struct value v = s->metrics[d->metrics.first + i].value;
        struct counter_key key = counter_key_of(s, d, i);
        struct history_slot *slot = find_or_add(h, &key);
        if (slot && v.state == STATE_VALUE && v.v >= 0) {
            slot->v[s->tick % HISTORY_TICKS] = v.v;
        }
    }
}

void history_note_counters(struct history_counters *h, const struct snapshot *s) {
    uint32_t at = (uint32_t)(s->tick % HISTORY_TICKS);
    for (uint32_t i = 0; h->tick[at] != s->tick && i < h->count; i++) {
        h->slots[i].v[at] = PLOT_GAP;
    }
    h->tick[at] = s->tick;
    for (uint32_t i = 0; i < s->device_count; i++) {
        note_device(h, s, &s->devices[i]);
    }
}

/* The last `count` ticks up to this one, the oldest first. */
static void run_of(const struct history_counters *h, const struct history_slot *slot, uint64_t tick,
                   int64_t *v, uint32_t count) {
    for (uint32_t back = 0; back < count; back++) {
        uint64_t t = tick - back;
        bool is_kept = back < tick && h->tick[t % HISTORY_TICKS] == t;
        v[count - 1 - back] = is_kept ? slot->v[t % HISTORY_TICKS] : PLOT_GAP;
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

bool history_is_zero(struct ui *ui, const struct snapshot *s, const struct snap_device *d,
                     uint32_t i) {
    struct counter_key key = counter_key_of(s, d, i);
    struct value now = s->metrics[d->metrics.first + i].value;
    const struct history_slot *slot = find(&ui->history.counters, &key);
    int64_t v[HISTORY_TICKS];
    if (now.state != STATE_VALUE || now.v != 0 || !slot) {
        return now.state == STATE_VALUE && now.v == 0;
    }
    run_of(&ui->history.counters, slot, s->tick, v, HISTORY_TICKS);
    return plot_highest(v, HISTORY_TICKS) == 0;
}

/* A share is measured against all of it, anything else against the most of it that is in sight. */
void history_draw(struct ui *ui, const struct snapshot *s, const struct snap_device *d, uint32_t i,
                  struct grid *g, int row, int column, int width) {
    struct counter_key key = counter_key_of(s, d, i);
    const struct history_slot *slot = find(&ui->history.counters, &key);
    int64_t v[HISTORY_TICKS];
    struct plot p = {.v = v, .role = ROLE_BAR_GRAPHICS};
    int columns = width < HISTORY_TICKS ? width : HISTORY_TICKS;
    if (!slot || columns < 1) {
        return;
    }
    p.count = (uint32_t)columns;
    run_of(&ui->history.counters, slot, s->tick, v, p.count);
    bool is_share = metric_info(key.metric)->unit == UNIT_PERCENT;
    p.full = is_share ? FULL_SHARE : plot_highest(v, p.count);
    plot_draw(g, row, column, 1, columns, ui->o.unicode ? PLOT_BLOCK : PLOT_ASCII, &p);
}
