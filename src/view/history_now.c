/*
 * What plots show of a device: what its gauges and its line say. Pure.
 */
#include "history.h"
#include "strip.h"

#define MICRO 1e6

struct history_source {
    uint16_t metric;
    uint16_t limit; /* METRIC_COUNT: none */
};

static const struct history_source powers[] = {{METRIC_POWER_SOCKET, METRIC_POWER_CAP},
                                               {METRIC_POWER_GPU, METRIC_COUNT},
                                               {METRIC_POWER_GFX, METRIC_COUNT}};
static const struct history_source temperatures[] = {
    {METRIC_TEMPERATURE_EDGE, METRIC_TEMPERATURE_EDGE_CRIT},
    {METRIC_TEMPERATURE_HOTSPOT, METRIC_TEMPERATURE_HOTSPOT_CRIT},
    {METRIC_TEMPERATURE_GFX, METRIC_COUNT},
    {METRIC_TEMPERATURE_SOC, METRIC_COUNT}};
static const struct history_source clocks[] = {{METRIC_CLOCK_GFX, METRIC_CLOCK_GFX_MAX},
                                               {METRIC_CLOCK_GT, METRIC_CLOCK_GT_MAX}};
#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

/* The first that has a value; else why none has. */
static struct value first_of(const struct snapshot *s, const struct snap_device *d,
                             const struct history_source *list, size_t count, struct value *whole) {
    struct value why = {.state = STATE_UNSUPPORTED};
    for (size_t i = 0; i < count; i++) {
        struct value v = table_metric(s, d->metrics, list[i].metric);
        if (v.state == STATE_VALUE) {
            *whole = table_metric(s, d->metrics, list[i].limit);
            return v;
        }
        why = why.state == STATE_UNSUPPORTED ? v : why;
    }
    return why;
}

static struct value micro(struct real r) {
    r = table_real(r);
    double v = r.v * MICRO;
    return (struct value){.v = r.state != STATE_VALUE ? 0
                               : v < 9e18             ? (int64_t)v
                                                      : INT64_MAX,
                          .state = r.state,
                          .doubt = r.doubt};
}

/* Bytes of memory and shares of engines, as gauges_collect() chooses them. */
static void take_gauges(const struct snapshot *s, const struct snap_device *d, struct value *now,
                        struct value *whole) {
    struct gauges gauges;
    gauges_collect(s, d, &gauges);
    for (int i = 0; i < gauges.count; i++) {
        const struct gauge *e = &gauges.list[i];
        unsigned at = (unsigned)(e->is_memory ? SERIES_REGION : SERIES_CLASS) + e->class;
        now[at] = e->value;
        whole[at] = e->is_memory ? e->whole : (struct value){.v = 1000000, .state = STATE_VALUE};
    }
}

void history_values(const struct snapshot *s, const struct snap_device *d,
                    struct value now[SERIES_COUNT], struct value whole[SERIES_COUNT]) {
    for (unsigned i = 0; i < SERIES_COUNT; i++) {
        now[i] = whole[i] = (struct value){.state = STATE_UNSUPPORTED};
    }
    take_gauges(s, d, now, whole);
    now[SERIES_BUSY] = d->busy_ppm;
    whole[SERIES_BUSY] = (struct value){.v = 1000000, .state = STATE_VALUE};
    now[SERIES_POWER] = first_of(s, d, powers, COUNT_OF(powers), &whole[SERIES_POWER]);
    if (now[SERIES_POWER].state != STATE_VALUE) {
        struct value watts = micro(d->power.watts);
        now[SERIES_POWER] = watts.state == STATE_VALUE ? watts : now[SERIES_POWER];
    }
    now[SERIES_PW] = micro(d->power.pw);
    now[SERIES_TEMPERATURE] =
        first_of(s, d, temperatures, COUNT_OF(temperatures), &whole[SERIES_TEMPERATURE]);
    now[SERIES_CLOCK] = first_of(s, d, clocks, COUNT_OF(clocks), &whole[SERIES_CLOCK]);
}

struct value history_now(const struct snapshot *s, const struct snap_device *d, enum series which,
                         struct value *whole) {
    struct value now[SERIES_COUNT];
    struct value wholes[SERIES_COUNT];
    unsigned at = (unsigned)which < SERIES_COUNT ? which : SERIES_CPU;
    history_values(s, d, now, wholes);
    *whole = wholes[at];
    return now[at];
}
