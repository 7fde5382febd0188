/*
 * Figures that several lines of a snapshot come to. Pure.
 */
#include "field.h"

static const struct value unsupported = {.state = STATE_UNSUPPORTED};

/* Of two readings of which the higher stands for both: a number beats any excuse, and the excuse
 * that may pass beats those that stay. */
static struct value larger(struct value a, struct value b) {
    static const uint8_t weight[STATE_COUNT] = {
        [STATE_VALUE] = 4, [STATE_UNKNOWN] = 3, [STATE_DENIED] = 2, [STATE_MALFORMED] = 1};
    unsigned x = a.state < STATE_COUNT ? weight[a.state] : 0;
    unsigned y = b.state < STATE_COUNT ? weight[b.state] : 0;
    if (x == y && a.state == STATE_VALUE) {
        return a.v >= b.v ? a : b;
    }
    return x >= y ? a : b;
}

struct value value_sum(struct value a, struct value b) {
    if (a.state != STATE_VALUE || b.state != STATE_VALUE) {
        return larger(a, b);
    }
    a.v = b.v > 0 && a.v > INT64_MAX - b.v ? INT64_MAX : a.v + b.v;
    a.doubt |= b.doubt;
    return a;
}

struct value table_engines(const struct snapshot *s, struct run engines, enum engine_class class) {
    struct value top = unsupported;
    for (uint32_t i = 0; i < engines.count; i++) {
        const struct snap_engine *e = &s->engines[engines.first + i];
        if (class == CLASS_NONE || e->class == class) {
            top = larger(e->busy_ppm, top);
        }
    }
    return top;
}

struct snap_shown table_region(const struct snap_memory *m) {
    struct snap_shown shown = {.bytes = m->resident};
    if (m->resident.state != STATE_VALUE && m->legacy.state == STATE_VALUE) {
        shown.bytes = m->legacy;
    } else if (m->resident.state != STATE_VALUE && m->total.state == STATE_VALUE) {
        shown.bytes = m->total;
        shown.mark = 1;
    }
    return shown;
}

struct snap_shown table_memory(const struct snapshot *s, struct run memory,
                               enum region_class class) {
    struct snap_shown all = {.bytes = unsupported};
    for (uint32_t i = 0; i < memory.count; i++) {
        const struct snap_memory *m = &s->memory[memory.first + i];
        if (m->class == class) {
            struct snap_shown part = table_region(m);
            all.bytes = value_sum(all.bytes, part.bytes);
            all.mark |= part.mark;
        }
    }
    return all;
}

struct real table_real(struct real r) {
    if (r.state == STATE_VALUE && !(r.v >= 0 && r.v - r.v == 0)) {
        r.state = STATE_MALFORMED;
    }
    return r;
}
