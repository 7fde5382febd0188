/*
 * Which series of a device are worth a plot, what they are called, and what they are measured against. Pure.
 */
#include "plots.h"
#include "strip.h"

#define MICRO 1000000

static bool is_class(unsigned which) {
    return which < SERIES_CLASS + CLASS_COUNT;
}

static bool is_region(unsigned which) {
    return which >= SERIES_REGION && which < SERIES_REGION + REGION_COUNT;
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *plots_label(enum series which, char out[8]) {
    static const char *const words[SERIES_COUNT] = {[SERIES_BUSY] = "busy",
                                                    [SERIES_MEMORY] = "mem",
                                                    [SERIES_REGION + REGION_VRAM] = "vram",
                                                    [SERIES_REGION + REGION_GTT] = "gtt",
                                                    [SERIES_REGION + REGION_SYSTEM] = "sys",
                                                    [SERIES_REGION + REGION_OTHER] = "other",
                                                    [SERIES_POWER] = "power",
                                                    [SERIES_PW] = "PW",
                                                    [SERIES_TEMPERATURE] = "temp",
                                                    [SERIES_CLOCK] = "clock",
                                                    [SERIES_CPU] = "cpu"};
    if ((unsigned)which >= SERIES_COUNT || words[which]) {
        return (unsigned)which < SERIES_COUNT ? words[which] : "";
    }
    const char *brief = engine_class_brief((enum engine_class)(which - SERIES_CLASS));
    size_t n = 0;
    for (; n < 7 && brief[n]; n++) {
        out[n] = char_lower(brief[n]);
    }
    out[n] = '\0';
    return out;
}

void plots_put(const struct ui *ui, enum series which, struct value v, struct buf *out) {
    if (is_class(which) || which == SERIES_CPU) {
        put_share(out, v);
    } else if (is_region(which)) {
        put_size(out, v);
    } else if (which == SERIES_PW || (which == SERIES_POWER && v.v < INT64_C(10) * MICRO)) {
        struct real r = {(double)v.v / MICRO, v.state, v.doubt};
        (void)table_power_text(r, which == SERIES_PW ? "PW" : "W", out);
    } else {
        unsigned metric = which == SERIES_POWER         ? METRIC_POWER_SOCKET
                          : which == SERIES_TEMPERATURE ? METRIC_TEMPERATURE_EDGE
                                                        : METRIC_CLOCK_GFX;
        (void)table_metric_text(metric, v, ui->o.unicode, out);
    }
}

enum role plots_role(enum series which) {
    return is_class(which)    ? gauge_role((enum engine_class)(which - SERIES_CLASS))
           : is_region(which) ? ROLE_BAR_MEMORY
                              : ROLE_PROGRESS;
}

/* ---- scale ----------------------------------------------------------------------------------- */

int64_t plots_full(struct history_device *d, enum series which, const int64_t *v, uint32_t count,
                   uint64_t tick) {
    if (d->whole[which] > 0) {
        return d->whole[which];
    }
    return plot_scale_step(&d->scale[which], plot_highest(v, count), tick, is_region(which));
}

/* ---- which ----------------------------------------------------------------------------------- */

struct choice {
    uint8_t list[SERIES_COUNT];
    int count;
};

static void choose(struct choice *c, unsigned which) {
    for (int i = 0; i < c->count; i++) {
        if (c->list[i] == which) {
            return;
        }
    }
    c->list[c->count++] = (uint8_t)which;
}

static bool was_used(const struct history_device *d, unsigned which) {
    return d->sum[which] > 0;
}

/* The class that was used most of those not chosen; 0 (SERIES_BUSY) for none. */
static unsigned busiest(const struct history_device *d, const struct choice *c) {
    unsigned best = SERIES_BUSY;
    for (unsigned i = SERIES_CLASS + 1; i < SERIES_CLASS + CLASS_COUNT; i++) {
        bool is_better = was_used(d, i) && (best == SERIES_BUSY || d->sum[i] > d->sum[best]);
        if (is_better && !memchr(c->list, (int)i, (size_t)c->count)) {
            best = i;
        }
    }
    return best;
}

/* The first class that there is a gauge of, else all engines together. */
static unsigned first_class(const struct history_device *d) {
    for (unsigned i = SERIES_CLASS + 1; i < SERIES_CLASS + CLASS_COUNT; i++) {
        if (d->whole[i] > 0) {
            return i;
        }
    }
    return SERIES_BUSY;
}

static void add_used(const struct history_device *d, struct choice *c, unsigned which) {
    if (was_used(d, which)) {
        choose(c, which);
    }
}

int plots_choose(const struct history_device *d, int most, uint8_t out[SERIES_COUNT]) {
    struct choice c = {.count = 0};
    unsigned first = busiest(d, &c);
    choose(&c, first == SERIES_BUSY ? first_class(d) : first);
    add_used(d, &c, was_used(d, SERIES_POWER) ? SERIES_POWER : SERIES_PW);
    for (unsigned i = SERIES_REGION + REGION_SYSTEM; i > SERIES_REGION; i--) {
        first = was_used(d, i) ? i : first;
    }
    if (is_region(first)) {
        choose(&c, first);
    }
    for (unsigned i = busiest(d, &c); i != SERIES_BUSY; i = busiest(d, &c)) {
        choose(&c, i);
    }
    for (unsigned i = SERIES_REGION + 1; i < SERIES_REGION + REGION_COUNT; i++) {
        add_used(d, &c, i);
    }
    add_used(d, &c, SERIES_TEMPERATURE);
    add_used(d, &c, SERIES_CLOCK);
    add_used(d, &c, SERIES_PW);
    int count = 0;
    most = most < c.count ? most : c.count;
    for (unsigned i = 0; i < SERIES_COUNT; i++) {
        if (most > 0 && memchr(c.list, (int)i, (size_t)most)) {
            out[count++] = (uint8_t)i;
        }
    }
    return count;
}
