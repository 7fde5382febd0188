/* An option that is for devices of some drivers says so where there is none of them, else its user waits for
 * what never comes. */
#include "inapt.h"

#include <stdio.h>
#include <string.h>

static const struct {
    enum option_id option;
    const char *drivers; /* with commas between */
    const char *words;
} rows[] = {
    {OPT_MALI_PROFILING, "mali", "no Mali-400 or 450 here, or none that shows without root"},
    {OPT_TRACEFS, "mali,lima", "no Mali-400 or 450 here, or none that shows without root"},
    {OPT_COUNTERS, "i915,panthor", "no device here whose counters gwtop reads (i915, panthor)"},
    {OPT_SET_PROFILING, "panthor,panfrost", "no device of panthor or panfrost here"},
};

static bool is_same(struct span a, struct span b) {
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static bool is_here(const struct snapshot *s, const char *drivers) {
    struct cursor c = cursor_over(span_of(drivers));
    struct span driver;
    while (cursor_field(&c, ',', &driver))
        for (uint32_t i = 0; i < s->device_count; i++)
            if (is_same(snapshot_text(s, s->devices[i].driver), driver))
                return true;
    return false;
}

void inapt_say(const struct options *o, const struct snapshot *s) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (o->given[rows[i].option] && !is_here(s, rows[i].drivers))
            fprintf(stderr, "gwtop: --%s: %s\n", option_list[rows[i].option].name, rows[i].words);
}
