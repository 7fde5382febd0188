/*
 * What is noted down of engines and regions of a client while its texts come in. Pure.
 *
 * Within one text a key that stands twice counts as the sum (by the fold of its metric). Of several
 * readings of one client in one tick each field keeps its largest value and the client the latest
 * time: so the order in which the descriptors of one client were read changes nothing.
 */
#include <string.h>

#include "work.h"

static const bool sums[METRIC_COUNT] = {
#define METRIC(id, name, unit, power, kind, fold, doc) FOLD_##fold == FOLD_SUM,
#include "gwtop/metrics.def"
#undef METRIC
};

/* The value of a field within its text so far. */
static int64_t sum_repeats(const struct reading *now, struct repeat *r, unsigned field, bool sum,
                           int64_t v) {
    unsigned bit = 1u << field;
    if (r->reading != now->number || r->client != now->client) {
        r->reading = now->number;
        r->client = now->client;
        r->seen = 0;
    }
    if (sum && (r->seen & bit))
        v = add_sat(v, r->sum[field]);
    r->seen |= (uint8_t)bit;
    r->sum[field] = v;
    return v;
}

static uint8_t state_of_sample(const struct sample *s) {
    return s->state == STATE_VALUE && s->value < 0 ? STATE_MALFORMED : s->state;
}

static void put_engine(struct acct *a, struct engine *e, unsigned field, const struct sample *s) {
    struct stage *st = &e->stage;
    uint8_t bit = (uint8_t)(1u << field);
    uint8_t state = state_of_sample(s);
    if (st->seq != a->now.seq)
        st->have = st->bad = st->doubt = 0;
    st->seq = a->now.seq;
    if (state != STATE_VALUE) {
        if (st->bad == 0 || state > st->bad_state)
            st->bad_state = state;
        st->bad |= bit;
        return;
    }
    int64_t v = sum_repeats(&a->now.reading, &a->engine_repeats[a->now.reading.last_engine.slot],
                            field, sums[s->metric], s->value);
    if (!(st->have & bit) || v > st->v[field])
        st->v[field] = v;
    st->have |= bit;
    st->doubt |= s->doubt;
}

static void put_region(struct acct *a, struct region *r, unsigned field, const struct sample *s) {
    uint8_t bit = (uint8_t)(1u << field);
    uint8_t state = state_of_sample(s);
    if (r->seq != a->now.seq)
        r->have = r->bad = 0;
    r->seq = a->now.seq;
    if (state != STATE_VALUE) {
        if (!(r->have & bit) && (!(r->bad & bit) || state > r->state[field]))
            r->state[field] = state;
        r->bad |= bit;
        return;
    }
    int64_t v = sum_repeats(&a->now.reading, &a->region_repeats[a->now.reading.last_region.slot],
                            field, sums[s->metric], s->value);
    if (!(r->have & bit) || v > r->v[field])
        r->v[field] = v;
    r->have |= bit;
    r->state[field] = STATE_VALUE;
}

/* ---- by name --------------------------------------------------------------------------------- */

static bool same_4(const char *a, const char *b) {
    uint32_t x, y;
    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    return x == y;
}

/* Names are short: a call, or a loop over bytes, is most of the cost of a sample. */
static bool is_name(const struct acct *a, struct text_ref ref, const struct sample *s) {
    const char *p = a->names.pool.p + ref.at;
    uint32_t n = ref.len;
    if (n != s->name_len)
        return false;
    if (n > 8)
        return memcmp(p, s->name, n) == 0;
    if (n >= 4)
        return same_4(p, s->name) && same_4(p + n - 4, s->name + n - 4);
    for (uint32_t i = 0; i < n; i++)
        if (p[i] != s->name[i])
            return false;
    return true;
}

static bool is_last(const struct acct *a, const struct last_name *last, const struct sample *s) {
    return last->item != NONE && last->class == s->class && is_name(a, last->name, s);
}

static bool engine_is(const struct acct *a, uint32_t engine, const struct sample *s) {
    if (engine == NONE)
        return false;
    const struct engine_name *n = engine_name_at(a, engine_at(a, engine)->name);
    return n->class == s->class && is_name(a, n->name, s);
}

static uint32_t engine_add(struct acct *a, uint32_t client, struct span name, uint8_t class) {
    uint32_t id = device_engine(a, client_at(a, client)->device, name, class);
    uint32_t added = id == NONE ? NONE : acct_take(a, T_ENGINE);
    if (added == NONE)
        return NONE;
    uint32_t before = NONE;
    uint32_t at = client_at(a, client)->engines;
    for (; at != NONE; before = at, at = engine_at(a, at)->link) {
        const struct engine_name *n = engine_name_at(a, engine_at(a, at)->name);
        if (name_order(n->class, name_get(a, n->name), class, name) > 0)
            break;
    }
    *engine_at(a, added) =
        (struct engine){.link = at, .follow = NONE, .name = id, .row_engine = NONE, .capacity = 1};
    *(before == NONE ? &client_at(a, client)->engines : &engine_at(a, before)->link) = added;
    return added;
}

/* Texts keep their order: after the last name comes the one that followed it before. */
static uint32_t engine_of(struct acct *a, const struct sample *s) {
    struct last_name *last = &a->now.reading.last_engine;
    if (is_last(a, last, s))
        return last->item;
    uint32_t client = a->now.reading.client;
    uint32_t before = client_at(a, client)->last_engine;
    uint32_t at = before == NONE ? NONE : engine_at(a, before)->follow;
    if (!engine_is(a, at, s))
        for (at = client_at(a, client)->engines; at != NONE && !engine_is(a, at, s);)
            at = engine_at(a, at)->link;
    if (at == NONE)
        at = engine_add(a, client, (struct span){s->name, s->name_len}, s->class);
    if (at == NONE)
        return NONE;
    const struct engine_name *n = engine_name_at(a, engine_at(a, at)->name);
    *last = (struct last_name){.item = at, .name = n->name, .class = n->class, .slot = n->slot};
    if (before != NONE)
        engine_at(a, before)->follow = at;
    client_at(a, client)->last_engine = at;
    return at;
}

void stage_engine(struct acct *a, unsigned field, const struct sample *s) {
    uint32_t engine = engine_of(a, s);
    if (engine != NONE)
        put_engine(a, engine_at(a, engine), field, s);
}

static bool region_is(const struct acct *a, uint32_t region, const struct sample *s) {
    if (region == NONE)
        return false;
    const struct region_name *n = region_name_at(a, region_at(a, region)->name);
    return n->class == s->class && is_name(a, n->name, s);
}

static uint32_t region_add(struct acct *a, uint32_t client, struct span name, uint8_t class) {
    uint32_t id = device_region(a, client_at(a, client)->device, name, class);
    uint32_t added = id == NONE ? NONE : acct_take(a, T_REGION);
    if (added == NONE)
        return NONE;
    uint32_t before = NONE;
    uint32_t at = client_at(a, client)->regions;
    for (; at != NONE; before = at, at = region_at(a, at)->link) {
        const struct region_name *n = region_name_at(a, region_at(a, at)->name);
        if (name_order(n->class, name_get(a, n->name), class, name) > 0)
            break;
    }
    *region_at(a, added) = (struct region){.link = at, .follow = NONE, .name = id};
    *(before == NONE ? &client_at(a, client)->regions : &region_at(a, before)->link) = added;
    return added;
}

static uint32_t region_of(struct acct *a, const struct sample *s) {
    struct last_name *last = &a->now.reading.last_region;
    if (is_last(a, last, s))
        return last->item;
    uint32_t client = a->now.reading.client;
    uint32_t before = client_at(a, client)->last_region;
    uint32_t at = before == NONE ? NONE : region_at(a, before)->follow;
    if (!region_is(a, at, s))
        for (at = client_at(a, client)->regions; at != NONE && !region_is(a, at, s);)
            at = region_at(a, at)->link;
    if (at == NONE)
        at = region_add(a, client, (struct span){s->name, s->name_len}, s->class);
    if (at == NONE)
        return NONE;
    const struct region_name *n = region_name_at(a, region_at(a, at)->name);
    *last = (struct last_name){.item = at, .name = n->name, .class = n->class, .slot = n->slot};
    if (before != NONE)
        region_at(a, before)->follow = at;
    client_at(a, client)->last_region = at;
    return at;
}

void stage_region(struct acct *a, unsigned field, const struct sample *s) {
    uint32_t region = region_of(a, s);
    if (region != NONE)
        put_region(a, region_at(a, region), field, s);
}
