/*
 * Times as people write them. Pure.
 */
#include "gwtop/base.h"

#include <string.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)
#define DAY_S     INT64_C(86400)

enum err span_to_billionths(struct span s, int64_t *out) {
    struct cursor c = cursor_over(s);
    uint64_t whole = 0;
    uint64_t part = 0;
    uint64_t scale = NS_PER_S;
    if (cursor_u64(&c, &whole) != ERR_OK || whole > INT64_MAX / NS_PER_S - 1) {
        return ERR_USAGE;
    }
    if (!cursor_at_end(&c) && *c.p == '.') {
        c.p++;
        for (; !cursor_at_end(&c) && *c.p >= '0' && *c.p <= '9' && scale > 1; c.p++) {
            scale /= 10;
            part += (uint64_t)(*c.p - '0') * scale;
        }
    }
    if (!cursor_at_end(&c)) {
        return ERR_USAGE;
    }
    *out = (int64_t)(whole * NS_PER_S + part);
    return ERR_OK;
}

/* Without its unit, as billionths of that. */
static enum err amount_of(struct span s, const char *unit, int64_t *out) {
    return span_to_billionths((struct span){s.p, s.n - strlen(unit)}, out);
}

enum err span_to_delay(struct span s, int64_t least_ns, int64_t *out_ns) {
    static const struct {
        const char *unit;
        int64_t parts; /* of a second */
    } units[] = {{"us", 1000000}, {"ms", 1000}, {"s", 1}};
    uint64_t tenths;
    int64_t v = 0;
    size_t i = 0;
    while (i < sizeof units / sizeof units[0] && !span_ends(s, units[i].unit)) {
        i++;
    }
    if (i < sizeof units / sizeof units[0]) {
        if (amount_of(s, units[i].unit, &v) != ERR_OK) {
            return ERR_USAGE;
        }
        v /= units[i].parts;
    } else {
        if (span_to_u64(s, &tenths) != ERR_OK || tenths > (uint64_t)DAY_S * 10) {
            return ERR_USAGE;
        }
        v = (int64_t)tenths * 100 * NS_PER_MS;
    }
    if (v < least_ns || v > DAY_S * NS_PER_S) {
        return ERR_RANGE;
    }
    *out_ns = v;
    return ERR_OK;
}
