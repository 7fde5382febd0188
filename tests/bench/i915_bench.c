/*
 * A minute of hardware counters from the emulated i915, with reports and buffers lost on the way:
 * how much of what was delivered is not in what was shown, and what a second of it costs.
 * I915_BENCH_SECONDS: another length.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "i915rig.h"
#include "measure.h"
#include "ndjson.h"

static double cost_of(json_t *ticks) {
    double cpu_s = 0;
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        double one = number_at(json_object_get(tick, "cost"), "cpu_s");
        cpu_s += isnan(one) ? 0 : one;
    }
    return cpu_s;
}

/* The largest difference of a context between what it had and what is shown, ns. */
static double contexts_off(json_t *last, const struct i915rig *r) {
    double most = 0;
    for (unsigned id = 0x20; id <= 0x40; id += 0x20) {
        char key[16];
        snprintf(key, sizeof key, "ctx%#x", id);
        double shown = number_at(i915rig_context(last, id), "busy_s") * 1e9;
        double off = fabs(shown - i915rig_number(r, "SUM", key));
        most = off > most || isnan(off) ? off : most;
    }
    return most;
}

static void tell(const struct i915rig *r, json_t *ticks, double seconds) {
    struct i915rig_sums s = i915rig_sum(ticks, r);
    json_t *last = json_array_get(ticks, json_array_size(ticks) - 1);
    printf(
        "  %.0f reports in %.1f s of GPU time; told as lost: %.0f times a report, %.0f times the "
        "buffer\n",
        i915rig_number(r, "SUM", "reports"), s.time_s, i915rig_number(r, "SUM", "lost"),
        i915rig_number(r, "SUM", "overflow"));
    measure_verdict("GPU time that is not accounted for",
                    fabs(s.time_s * 1e9 - i915rig_number(r, "SUM", "span")) / 1e3, "us", 20, false);
    measure_verdict("busy time that is not accounted for",
                    fabs(s.busy_s * 1e9 - i915rig_number(r, "SUM", "busy")) / 1e3, "us", 500,
                    false);
    measure_verdict("time of a context that is off", contexts_off(last, r) / 1e3, "us", 1000,
                    false);
    measure_verdict("misuses, and things left behind",
                    i915rig_count(r, "MISUSE") + i915rig_count(r, "LEFT"), "", 0, false);
    measure_verdict("CPU time of a second", cost_of(ticks) / seconds * 1e3, "ms", 10, false);
}

int main(void) {
    const char *asked = getenv("I915_BENCH_SECONDS");
    double seconds = asked ? strtod(asked, NULL) : 60;
    char count[16];
    struct i915rig r = i915rig_make("skl", SETS_BASIC);
    i915rig_script(&r, "lost_each=997;overflow=5000;eagain=31;false_poll=50;cycle_ms=37;busy=60");
    snprintf(count, sizeof count, "%.0f", seconds + 1);
    printf("i915_bench: hardware counters live\n");
    json_t *ticks =
        i915rig_ticks(&r, PROGRAM_ARGS("--counters", "--json", "-d", "1s", "-n", count));
    tell(&r, ticks, seconds);
    json_decref(ticks);
    i915rig_finish(&r);
    return 0;
}
