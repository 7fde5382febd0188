/*
 * A replayed recording of Intel's observation unit ticks each second of its own time, and the last tick is at the last
 * report: whether both clocks were read often, once or never, and in the formats that only stamps of reports time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "e2e.h"
#include "ndjson.h"
#include "oabytes.h"
#include "program.h"
#include "scratch.h"

#define REPORTS 290
#define STEP_NS INT64_C(10000000)

/* Busy are two of five intervals, a context's. */
static struct oab_report report(unsigned i, uint32_t ticks) {
    bool busy = i % 5 < 2;
    struct oab_report r = {.id = OAB_TIMER | (busy ? OAB_VALID : 0),
                           .timestamp = 0xfff00000 + i * ticks,
                           .context = busy ? 32 : UINT32_MAX,
                           .clock = i * 10000000};
    r.a[0] = r.a[41] = i * UINT64_C(4000000);
    return r;
}

static void put_recording(struct buf *b, unsigned pairs) {
    const struct oab_device skylake = {.timestamp_hz = 12000000,
                                       .pci_device = 0x1912,
                                       .most_hz = 1150000000,
                                       .format = 10,
                                       .uuid = "07b25942-d9fd-4fce-bd58-e29abd66b7de"};
    oab_version(b);
    oab_info(b, &skylake, true);
    oab_topology(b, true);
    for (unsigned i = 0; i < REPORTS; i++) {
        struct oab_report r = report(i, 120000);
        if (i % 100 == 0 && i / 100 < pairs)
            oab_pair(b, (uint64_t)(1000000000 + i * STEP_NS), r.timestamp, true);
        oab_sample(b, &r);
    }
}

static void put_ring(struct buf *b, uint32_t ticks) {
    for (unsigned i = 0; i < REPORTS; i++) {
        struct oab_report r = report(i, ticks);
        const struct oab_footer none = {.ctx = false};
        oab_ring_sample(b, &r, &none);
    }
}

static void put_stream(struct buf *b) {
    for (unsigned i = 0; i < REPORTS; i++) {
        struct oab_report r = report(i, 125000);
        oab_head(b, 1, 0, 8 + 4 + OAB_REPORT);
        oab_le(b, 7, 4);
        oab_haswell(b, &r);
    }
}

static double number(json_t *o, const char *key) {
    return json_number_value(json_object_get(o, key));
}

static void near(double is, double should) {
    if (is < should - 0.02 || is > should + 0.02)
        fail_msg("%f, not %f", is, should);
}

/* The counters' share of one tick, and the tick's length. */
static void check_tick(json_t *tick, double interval) {
    json_t *metrics =
        json_object_get(json_array_get(json_object_get(tick, "devices"), 0), "metrics");
    json_t *m;
    size_t i;
    unsigned found = 0;
    near(number(tick, "interval_s"), interval);
    json_array_foreach(metrics, i, m) {
        const char *name = json_string_value(json_object_get(m, "metric"));
        if (strcmp(name, "counter.GpuTime") == 0)
            near(number(m, "value"), interval);
        else if (strcmp(name, "activity.gfx") == 0)
            near(number(m, "value"), 40);
        else
            continue;
        found++;
    }
    assert_int_equal(found, 2);
}

static void check(const struct buf *b, const char *const *args) {
    const struct program p = {.args = args};
    file_write(args[3], b->p, b->n);
    char *out = e2e_call(&p, 0);
    json_t *lines = ndjson_parse(out);
    assert_non_null(lines);
    assert_int_equal(json_array_size(lines), 4); /* the first has nothing before it */
    check_tick(json_array_get(lines, 1), 1);
    check_tick(json_array_get(lines, 2), 1);
    check_tick(json_array_get(lines, 3), 0.89);
    json_decref(lines);
    free(out);
}

static void each_second(void **state) {
    char *dir = scratch_make(), *path = path_join(dir, "recording");
    struct buf b;
    (void)state;
    buf_init(&b);
    for (unsigned pairs = 0; pairs < 4; pairs++) {
        buf_clear(&b);
        put_recording(&b, pairs);
        check(&b, PROGRAM_ARGS("replay", "--as", "i915-perf", path, "--json", "-d", "1s"));
    }
    buf_clear(&b);
    put_ring(&b, 125000);
    check(&b, PROGRAM_ARGS("replay", "--as", "i915-oa-rfc", path, "--json", "-d", "1s"));
    buf_clear(&b);
    put_ring(&b, 192000);
    check(&b, PROGRAM_ARGS("replay", "--as", "i915-oa-rfc", path, "--json", "-d", "1s",
                           "--oa-timestamp-hz", "19200000"));
    buf_clear(&b);
    put_stream(&b);
    check(&b, PROGRAM_ARGS("replay", "--as", "i915-oa-stream", path, "--json", "-d", "1s",
                           "--oa-format", "A45_B8_C8", "--oa-sample", "ctx"));
    buf_finish(&b);
    free(path);
    scratch_remove(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_second)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
