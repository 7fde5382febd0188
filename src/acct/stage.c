/*
 * What is noted down of engines and regions of a client while its texts come in. Pure.
 *
 * Within one text a key that stands twice counts as the sum (by the fold of its metric). Of several
 * readings of one client in one tick each field keeps its largest value and the client the latest
 * time: so the order in which the descriptors of one client were read changes nothing.
 *
 * This runs for every number of every text. Texts keep their order, so mostly the name is that of
 * the sample before, or the one that came after it last time.
 */
#include <string.h>

#include "work.h"

static const bool sums[METRIC_COUNT] = {
#define METRIC(id, name, unit, power, kind, fold, doc) FOLD_##fold == FOLD_SUM,
#include "gwtop/metrics.def"
#undef METRIC
};

/* ---- by name --------------------------------------------------------------------------------- */

#define SAME(type)                                                                                 \
    static inline bool same_##type(const char *a, const char *b, uint32_t last) {                  \
        type x[2], y[2];                                                                           \
        memcpy(&x[0], a, sizeof(type));                                                            \
        memcpy(&y[0], b, sizeof(type));                                                            \
        memcpy(&x[1], a + last, sizeof(type));                                                     \
        memcpy(&y[1], b + last, sizeof(type));                                                     \
        return x[0] == y[0] && x[1] == y[1];                                                       \
    }
SAME(uint16_t)
SAME(uint32_t)
SAME(uint64_t)
#undef SAME

/* Names are short: a call, or a loop over bytes, is most of the cost of a sample. So the first
 * bytes and the last are compared at once; they may overlap. Names of one byte and longer ones are
 * told to differ. */
static inline bool is_surely(const struct acct *a, struct text_ref name, uint8_t class,
                             const struct sample *s) {
    const char *p = a->names.pool.p + name.at;
    uint32_t n = name.len;
    if (n != s->name_len || class != s->class)
        return false;
    if (n >= 2 && n < 4)
        return same_uint16_t(p, s->name, n - 2);
    if (n >= 4 && n <= 8)
        return same_uint32_t(p, s->name, n - 4);
    return n > 8 && n <= 16 && same_uint64_t(p, s->name, n - 8);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static inline bool is_good(const struct sample *s) {
    return s->state == STATE_VALUE && s->value >= 0;
}

/* A number below 0 is none. */
static uint8_t bad_state(const struct sample *s) {
    return s->state == STATE_VALUE ? STATE_MALFORMED : s->state;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* What a field comes to that has a value in this tick (`known`: v), or may have had one in an
 * earlier text of it. */
static int64_t combine(const struct acct *a, struct repeat *r, bool again, unsigned field,
                       bool known, int64_t v, const struct sample *s) {
    const struct reading *now = &a->now.reading;
    unsigned bit = 1u << field;
    bool adds = sums[s->metric];
    int64_t own = s->value;
    if (!again) /* twice in one text */
        return adds ? add_sat(v, own) : larger(v, own);
    if (r->reading != now->number || r->client != now->client)
        *r = (struct repeat){.reading = now->number, .client = now->client};
    if (adds && (r->seen & bit))
        own = add_sat(own, r->sum[field]);
    r->seen |= (uint8_t)bit;
    r->sum[field] = own;
    return known ? larger(v, own) : own;
}

/* ---- engines --------------------------------------------------------------------------------- */

static bool engine_is(const struct acct *a, uint32_t engine, const struct sample *s) {
    const struct engine_name *n = engine_name_at(a, engine_at(a, engine)->name);
    return n->class == s->class && n->name.len == s->name_len &&
           memcmp(a->names.pool.p + n->name.at, s->name, s->name_len) == 0;
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
    *engine_at(a, added) = (struct engine){.link = at, .follow = NONE, .name = id, .capacity = 1};
    *(before == NONE ? &client_at(a, client)->engines : &engine_at(a, before)->link) = added;
    return added;
}

uint32_t engine_get(struct acct *a, uint32_t client, struct span name, uint8_t class) {
    uint32_t at = client_at(a, client)->engines;
    for (; at != NONE; at = engine_at(a, at)->link) {
        const struct engine_name *n = engine_name_at(a, engine_at(a, at)->name);
        if (n->class == class && n->name.len == name.n &&
            memcmp(a->names.pool.p + n->name.at, name.p, name.n) == 0)
            return at;
    }
    return engine_add(a, client, name, class);
}

/* The one that did not come where it was looked for; from now on it will be. NONE where there is no
 * room for it. */
OFTEN static uint32_t search_engine(struct acct *a, const struct sample *s) {
    uint32_t client = a->now.reading.client;
    uint32_t before = a->now.reading.last_engine.item;
    uint32_t at = client_at(a, client)->engines;
    if (s->name_len == 0)
        return NONE;
    while (at != NONE && !engine_is(a, at, s))
        at = engine_at(a, at)->link;
    if (at == NONE)
        at = engine_add(a, client, (struct span){s->name, s->name_len}, s->class);
    if (at != NONE && before == NONE)
        client_at(a, client)->lead_engine = at;
    else if (at != NONE && at != before)
        engine_at(a, before)->follow = at;
    return at;
}

static inline void turn_to_engine(struct acct *a, uint32_t at, const struct engine_name *n) {
    struct reading *now = &a->now.reading;
    struct stage *st = &engine_at(a, at)->stage;
    uint32_t text = (uint32_t)now->number;
    if (st->seq != a->now.seq) {
        st->seq = a->now.seq;
        st->text = text;
        st->have = st->bad = st->doubt = 0;
    }
    now->last_engine = (struct last_name){at, n->name, n->class, n->slot, st->text != text};
}

/* No number, or not the first of the tick. */
OFTEN static void put_engine_slowly(struct acct *a, unsigned field, const struct sample *s) {
    const struct last_name *last = &a->now.reading.last_engine;
    struct stage *st = &engine_at(a, last->item)->stage;
    unsigned bit = 1u << field;
    if (is_good(s)) {
        st->v[field] = combine(a, &a->engine_repeats[last->slot], last->again, field,
                               st->have & bit, st->v[field], s);
        st->have |= (uint8_t)bit;
        st->doubt |= s->doubt;
        return;
    }
    if (st->bad == 0 || bad_state(s) > st->bad_state)
        st->bad_state = bad_state(s);
    st->bad |= (uint8_t)bit;
}

static inline void put_engine(struct acct *a, unsigned field, const struct sample *s) {
    const struct last_name *last = &a->now.reading.last_engine;
    struct stage *st = &engine_at(a, last->item)->stage;
    unsigned bit = 1u << field;
    if (!is_good(s) || last->again || (st->have & bit)) {
        put_engine_slowly(a, field, s);
        return;
    }
    st->v[field] = s->value;
    st->have |= (uint8_t)bit;
    st->doubt |= s->doubt;
}

/* Mostly the one that came next the last time, or first. */
OFTEN static void other_engine(struct acct *a, unsigned field, const struct sample *s) {
    uint32_t before = a->now.reading.last_engine.item;
    uint32_t at = before != NONE ? engine_at(a, before)->follow
                                 : client_at(a, a->now.reading.client)->lead_engine;
    const struct engine_name *n = at == NONE ? NULL : engine_name_at(a, engine_at(a, at)->name);
    if (!n || !is_surely(a, n->name, n->class, s)) {
        at = search_engine(a, s);
        if (at == NONE)
            return;
        n = engine_name_at(a, engine_at(a, at)->name);
    }
    turn_to_engine(a, at, n);
    put_engine(a, field, s);
}

void stage_engine(struct acct *a, unsigned field, const struct sample *s) {
    const struct last_name *last = &a->now.reading.last_engine;
    if (is_surely(a, last->name, last->class, s))
        put_engine(a, field, s);
    else
        other_engine(a, field, s);
}

/* ---- regions --------------------------------------------------------------------------------- */

static bool region_is(const struct acct *a, uint32_t region, const struct sample *s) {
    const struct region_name *n = region_name_at(a, region_at(a, region)->name);
    return n->class == s->class && n->name.len == s->name_len &&
           memcmp(a->names.pool.p + n->name.at, s->name, s->name_len) == 0;
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

/* The one that did not come where it was looked for; from now on it will be. NONE where there is no
 * room for it. */
OFTEN static uint32_t search_region(struct acct *a, const struct sample *s) {
    uint32_t client = a->now.reading.client;
    uint32_t before = a->now.reading.last_region.item;
    uint32_t at = client_at(a, client)->regions;
    if (s->name_len == 0)
        return NONE;
    while (at != NONE && !region_is(a, at, s))
        at = region_at(a, at)->link;
    if (at == NONE)
        at = region_add(a, client, (struct span){s->name, s->name_len}, s->class);
    if (at != NONE && before == NONE)
        client_at(a, client)->lead_region = at;
    else if (at != NONE && at != before)
        region_at(a, before)->follow = at;
    return at;
}

static inline void turn_to_region(struct acct *a, uint32_t at, const struct region_name *n) {
    struct reading *now = &a->now.reading;
    struct region *r = region_at(a, at);
    uint32_t text = (uint32_t)now->number;
    if (r->seq != a->now.seq) {
        r->seq = a->now.seq;
        r->text = text;
        r->have = r->bad = 0;
    }
    now->last_region = (struct last_name){at, n->name, n->class, n->slot, r->text != text};
}

/* No number, or not the first of the tick. */
OFTEN static void put_region_slowly(struct acct *a, unsigned field, const struct sample *s) {
    const struct last_name *last = &a->now.reading.last_region;
    struct region *r = region_at(a, last->item);
    unsigned bit = 1u << field;
    if (is_good(s)) {
        r->v[field] = combine(a, &a->region_repeats[last->slot], last->again, field, r->have & bit,
                              r->v[field], s);
        r->have |= (uint8_t)bit;
        r->state[field] = STATE_VALUE;
        return;
    }
    if (!(r->have & bit) && (!(r->bad & bit) || bad_state(s) > r->state[field]))
        r->state[field] = bad_state(s);
    r->bad |= (uint8_t)bit;
}

static inline void put_region(struct acct *a, unsigned field, const struct sample *s) {
    const struct last_name *last = &a->now.reading.last_region;
    struct region *r = region_at(a, last->item);
    unsigned bit = 1u << field;
    if (!is_good(s) || last->again || (r->have & bit)) {
        put_region_slowly(a, field, s);
        return;
    }
    r->v[field] = s->value;
    r->have |= (uint8_t)bit;
    r->state[field] = STATE_VALUE;
}

/* Mostly the one that came next the last time, or first. */
OFTEN static void other_region(struct acct *a, unsigned field, const struct sample *s) {
    uint32_t before = a->now.reading.last_region.item;
    uint32_t at = before != NONE ? region_at(a, before)->follow
                                 : client_at(a, a->now.reading.client)->lead_region;
    const struct region_name *n = at == NONE ? NULL : region_name_at(a, region_at(a, at)->name);
    if (!n || !is_surely(a, n->name, n->class, s)) {
        at = search_region(a, s);
        if (at == NONE)
            return;
        n = region_name_at(a, region_at(a, at)->name);
    }
    turn_to_region(a, at, n);
    put_region(a, field, s);
}

void stage_region(struct acct *a, unsigned field, const struct sample *s) {
    const struct last_name *last = &a->now.reading.last_region;
    if (is_surely(a, last->name, last->class, s))
        put_region(a, field, s);
    else
        other_region(a, field, s);
}
