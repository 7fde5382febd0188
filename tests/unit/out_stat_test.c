/* What `stat` gathers and prints, from looks written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "gwtop/out.h"
#include "outsnap.h"

#define S INT64_C(1000000000)

static bool is_ten(void *ctx, const struct snap_process *p) {
    (void)ctx;
    return p->pid == 10;
}

static void look(struct out_stat *st, int64_t t_ns, int64_t busy_ns, int64_t held) {
    struct outsnap o;
    outsnap_init(&o);
    struct snap_device *d = outsnap_device(&o, "0000:03:00.0", "A card", "amdgpu");
    (void)d;
    for (int32_t pid = 10; pid <= 11; pid++) {
        struct snap_process *p = outsnap_process(&o, pid, 0, "one");
        outsnap_engine(&o, &p->engines, "gfx", 0, pid == 10 ? busy_ns : 77 * S);
        outsnap_memory(&o, &p->memory, "vram", held, held);
        p->busy_ns = outsnap_value(busy_ns);
    }
    o.s.t_ns = t_ns;
    out_stat_tick(st, &o.s, is_ten, NULL);
    outsnap_finish(&o);
}

static json_t *print(const struct out_stat *st) {
    char *const command[] = {(char *)"a \"command\"", NULL};
    struct out_stat_about a = {.form = STAT_JSON, .command = command, .status = 4};
    struct buf b;
    json_error_t error;
    buf_init(&b);
    out_stat_print(st, &a, &b);
    json_t *o = json_loadb(b.p, b.n, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(o);
    buf_finish(&b);
    return o;
}

static double at(json_t *o, const char *key) {
    json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

/* Two runs of 4 s, busy 1 s and 3 s: mean 2 s, spread 100 x sqrt(2) / 2. 100 B held for 2 s, then 300 B. */
static void figures_are_means_of_runs(void **state) {
    struct out_stat *st;
    (void)state;
    assert_int_equal(out_stat_create(&st), ERR_OK);
    for (int run = 0; run < 2; run++) {
        look(st, 10 * S, 0, 100);
        look(st, 12 * S, S, 300);
        look(st, 14 * S, run ? 3 * S : S, 300);
        out_stat_run_end(st, 4 * S);
    }
    json_t *o = print(st);
    json_t *device = json_array_get(json_object_get(o, "devices"), 0);
    json_t *engine = json_array_get(json_object_get(device, "engines"), 0);
    json_t *memory = json_array_get(json_object_get(device, "memory"), 0);
    assert_true(fabs(at(engine, "busy_s") - 2) < 1e-9);
    assert_true(fabs(at(engine, "busy_pct") - 50) < 1e-9);
    assert_true(fabs(at(json_object_get(engine, "spread_pct"), "busy_s") - 70.7106781) < 1e-6);
    assert_true(fabs(at(memory, "peak_B") - 300) < 1e-9);
    assert_true(fabs(at(memory, "mean_B") - 200) < 1e-9);
    assert_int_equal(json_array_size(json_object_get(o, "processes")), 2);
    assert_true(json_is_null(json_object_get(json_object_get(device, "power"), "J")));
    json_decref(o);
    out_stat_destroy(st);
}

/* A word is said of a price and of joules that are not exact. */
static void doubts_of_a_process(void **state) {
    struct out_stat *st;
    struct outsnap o;
    (void)state;
    assert_int_equal(out_stat_create(&st), ERR_OK);
    outsnap_init(&o);
    (void)outsnap_device(&o, "mali", "A card", "mali");
    struct snap_process *p = outsnap_process(&o, 10, 0, "one");
    p->power.pws = (struct real){.v = 2, .state = STATE_VALUE, .doubt = DOUBT_ASSUMED_VOLTAGE};
    p->power.joules = (struct real){.v = 3, .state = STATE_VALUE, .doubt = DOUBT_ESTIMATED};
    p->power.method = METHOD_PSEUDO;
    out_stat_tick(st, &o.s, is_ten, NULL);
    out_stat_run_end(st, S);
    json_t *all = print(st);
    json_t *doubt = json_object_get(json_array_get(json_object_get(all, "processes"), 0), "doubt");
    assert_non_null(json_object_get(doubt, "PWs"));
    assert_non_null(json_object_get(doubt, "J"));
    json_decref(all);
    out_stat_destroy(st);
    outsnap_finish(&o);
}

/* A run that is dropped leaves no trace in the figures of the others. */
static void a_dropped_run_is_not_counted(void **state) {
    struct out_stat *st;
    (void)state;
    assert_int_equal(out_stat_create(&st), ERR_OK);
    look(st, 10 * S, 0, 100);
    look(st, 14 * S, S, 100);
    out_stat_run_end(st, 4 * S);
    look(st, 20 * S, 0, 900);
    look(st, 21 * S, 3 * S, 900);
    out_stat_run_drop(st);
    json_t *o = print(st);
    json_t *device = json_array_get(json_object_get(o, "devices"), 0);
    assert_int_equal(json_integer_value(json_object_get(o, "runs")), 1);
    assert_int_equal(json_array_size(json_object_get(o, "processes")), 1);
    assert_true(fabs(at(json_array_get(json_object_get(device, "engines"), 0), "busy_s") - 1) <
                1e-9);
    json_t *memory = json_array_get(json_object_get(device, "memory"), 0);
    assert_true(fabs(at(memory, "peak_B") - 100) < 1e-9);
    json_decref(o);
    out_stat_destroy(st);
}

static void nothing_seen_is_no_zero(void **state) {
    struct out_stat *st;
    (void)state;
    assert_int_equal(out_stat_create(&st), ERR_OK);
    out_stat_run_end(st, S);
    json_t *o = print(st);
    assert_int_equal(json_array_size(json_object_get(o, "devices")), 0);
    assert_true(fabs(at(o, "wall_s") - 1) < 1e-9);
    assert_null(json_object_get(o, "spread_pct"));
    json_decref(o);
    out_stat_destroy(st);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_means_of_runs),
        cmocka_unit_test(doubts_of_a_process),
        cmocka_unit_test(a_dropped_run_is_not_counted),
        cmocka_unit_test(nothing_seen_is_no_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
