/*
 * Which metrics belong together on the device screen, and in which order. Pure.
 */
#include "detail.h"

#include <string.h>

static const struct metric_group groups[GROUP_COUNT] = {
    [GROUP_ACTIVITY] = {"Activity", "activity.", {NULL}, ROLE_BAR_GRAPHICS, false},
    [GROUP_CLOCKS] = {"Clocks", "clock.", {NULL}, ROLE_BAR_GRAPHICS, false},
    [GROUP_TEMPERATURES] = {"Temperatures", "temperature.", {NULL}, ROLE_BAR_MEDIA, false},
    [GROUP_POWER] = {"Power", "power.", {"energy."}, ROLE_BAR_COMPUTE, false},
    [GROUP_VOLTAGES] = {"Voltages", "voltage.", {"current."}, ROLE_BAR_GRAPHICS, false},
    [GROUP_FAN] = {"Fan", "fan.", {NULL}, ROLE_BAR_GRAPHICS, false},
    [GROUP_LINK] = {"Link", "link.", {"bandwidth."}, ROLE_BAR_COPY, false},
    [GROUP_MEMORY] = {"Memory", "memory.", {NULL}, ROLE_BAR_MEMORY, false},
    [GROUP_LIMITS] = {"Limits at work", "throttle.", {NULL}, ROLE_WARN, false},
    [GROUP_RESIDENCIES] =
        {"Limits, share of the interval", "throttle.residency.", {NULL}, ROLE_WARN, false},
    [GROUP_COUNTERS] = {"Counters", "counter.", {NULL}, ROLE_BAR_GRAPHICS, true},
    [GROUP_VENDOR] = {"Fields of the driver", "vendor.", {NULL}, ROLE_BAR_GRAPHICS, true},
    [GROUP_OTHER] = {"Other", "", {NULL}, ROLE_BAR_GRAPHICS, false},
};

const struct metric_group *group_at(unsigned group) {
    return &groups[group < GROUP_COUNT ? group : (unsigned)GROUP_OTHER];
}

static size_t prefix_length(const char *name, const char *prefix) {
    return prefix && span_starts(span_of(name), prefix) ? strlen(prefix) : 0;
}

const char *group_metric_name(unsigned group, unsigned metric) {
    const char *name = metric_info(metric)->name;
    return name + prefix_length(name, group_at(group)->prefix);
}

/* By the longest start of the name. */
static uint8_t group_of(const char *name) {
    uint8_t best = GROUP_OTHER;
    size_t longest = 0;
    for (unsigned g = 0; g < GROUP_COUNT; g++) {
        const char *const starts[] = {groups[g].prefix, groups[g].also[0], groups[g].also[1]};
        for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
            size_t n = prefix_length(name, starts[i]);
            best = n > longest ? (uint8_t)g : best;
            longest = n > longest ? n : longest;
        }
    }
    return best;
}

const char *group_behind(const char *longer, const char *name) {
    size_t n = strlen(name);
    return strncmp(longer, name, n) == 0 && longer[n] == '.' ? longer + n + 1 : NULL;
}

/* The first metric whose name the metric's own begins with: clock.gfx of clock.gfx.max. */
static unsigned base_of(unsigned metric) {
    const char *name = metric_info(metric)->name;
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        if (i == metric || group_behind(name, metric_info(i)->name)) {
            return i;
        }
    }
    return metric;
}

/* Groups in their order, in each the metrics in that of metrics.def, and what belongs to one right
 * behind it. */
void groups_order(struct metric_place out[METRIC_COUNT]) {
    uint32_t keys[METRIC_COUNT];
    for (unsigned m = 0; m < METRIC_COUNT; m++) {
        uint8_t group = group_of(metric_info(m)->name);
        uint32_t key = (uint32_t)group << 24 | base_of(m) << 12 | m;
        unsigned at = m;
        for (; at > 0 && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
            out[at] = out[at - 1];
        }
        keys[at] = key;
        out[at] = (struct metric_place){.metric = (uint16_t)m, .group = group};
    }
}

_Static_assert(METRIC_COUNT < 4096, "a metric takes 12 bits of a key");
