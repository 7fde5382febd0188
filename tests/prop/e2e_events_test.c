/*
 * The scripted events of tests/lib/synth_events.c, through the real program: each tick is one second of the
 * machine later. Totals of busy time are known to the nanosecond; rates are of the real interval, so only their
 * bounds are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "e2e.h"
#include "ndjson.h"

#define SECONDS 10

static json_t *ticks[SECONDS]; /* at t = 0 .. 9 s */

/* Each look saw the machine as it was at one second. */
static bool play_whole(const char *delay) {
    struct synth_options o = {
        .gpus = "amdgpu", .processes = 20, .fds = 10, .clients = 3, .seed = 9, .events = true};
    struct e2e e = e2e_machine(&o);
    struct ticker *t = ticker_start(&e, delay);
    for (int i = 0; i < SECONDS; i++)
        ticks[i] = json_incref(i == 0 ? ticker_next(t) : ticker_step(t, &e, 1.0));
    bool whole = ticker_torn(t) == 0;
    ticker_finish(t);
    e2e_finish(&e);
    return whole;
}

static int drop(void **state) {
    (void)state;
    for (int i = 0; i < SECONDS; i++)
        json_decref(ticks[i]);
    return 0;
}

/* The more time between ticks, the less likely is the machine moved within one. */
static int play(void **state) {
    static const char *const delays[] = {"500ms", "500ms", "1s", "1s", "2s", "2s", "4s", "4s"};
    for (size_t i = 0; i < sizeof delays / sizeof delays[0]; i++) {
        if (play_whole(delays[i]))
            return 0;
        (void)drop(state);
    }
    print_error("no ticks that were not torn\n");
    return -1;
}

static json_t *process(int t, int pid) {
    json_t *p = tick_process(ticks[t], pid, NULL);
    if (!p)
        fail_msg("no process %d at %d s", pid, t);
    return p;
}

static bool has_exited(json_t *p) {
    return json_is_true(json_object_get(p, "exited"));
}

static json_t *by_name(int t, const char *name) {
    size_t i;
    json_t *p;
    json_array_foreach(json_object_get(ticks[t], "processes"), i, p) {
        if (strcmp(text_at(p, "name"), name) == 0)
            return p;
    }
    fail_msg("no process %s at %d s", name, t);
    return NULL;
}

/* ---- what is expected ------------------------------------------------------------------------------------ */

static void first_look_has_no_rates(void **state) {
    size_t i;
    json_t *p;
    (void)state;
    assert_true(json_is_null(json_object_get(ticks[0], "interval_s")));
    json_array_foreach(json_object_get(ticks[0], "processes"), i, p) {
        assert_true(json_is_null(json_object_get(p, "busy_pct")));
        assert_true(json_is_null(json_object_get(p, "cpu_pct")));
    }
}

static void totals_never_fall(void **state) {
    (void)state;
    for (int t = 1; t < SECONDS; t++) {
        size_t i;
        json_t *now;
        json_array_foreach(json_object_get(ticks[t], "processes"), i, now) {
            json_t *before = by_name(t, text_at(now, "name"));
            for (int k = t - 1; k >= 0 && before; k--) {
                before = tick_process(ticks[k], (int)number_at(now, "pid"), NULL);
                if (!before || strcmp(text_at(before, "name"), text_at(now, "name")) != 0)
                    break;
                if (number_at(before, "busy_s") > number_at(now, "busy_s") + 1e-9)
                    fail_msg("busy_s of %s fell at %d s", text_at(now, "name"), t);
                break;
            }
        }
    }
}

static void who_exits_stays_with_its_totals(void **state) {
    (void)state;
    assert_false(has_exited(process(1, 61001)));
    for (int t = 2; t < SECONDS; t++) {
        json_t *p = process(t, 61001);
        assert_true(has_exited(p));
        assert_string_equal(text_at(p, "name"), "departing");
        assert_near(p, "busy_s", 0.03, 1e-9);
    }
}

static void who_arrives_counts_from_its_start(void **state) {
    (void)state;
    assert_null(tick_process(ticks[2], 61002, NULL));
    assert_true(json_is_null(json_object_get(process(3, 61002), "busy_pct")));
    for (int t = 4; t < SECONDS; t++)
        assert_near(process(t, 61002), "busy_s", 0.05 * (t - 3), 1e-9);
}

static void a_reused_pid_is_another_process(void **state) {
    (void)state;
    assert_int_equal(tick_process_count(ticks[3], 61003), 1);
    for (int t = 5; t < SECONDS; t++) {
        json_t *before = by_name(t, "reused"), *after = by_name(t, "successor");
        assert_int_equal(tick_process_count(ticks[t], 61003), 2);
        assert_true(has_exited(before));
        assert_false(has_exited(after));
        assert_true(number_at(after, "start_s") > number_at(before, "start_s") + 1);
        assert_near(before, "busy_s", 0.02 * 3, 1e-9);
        assert_near(after, "busy_s", 0.07 * (t - 4), 1e-9);
    }
}

/* Three descriptors and a child's, read 40 to 150 us apart: one client, owned by one of the two. */
static void a_shared_client_counts_once(void **state) {
    (void)state;
    for (int t = 1; t < SECONDS; t++) {
        json_t *parent = process(t, 61004), *child = tick_process(ticks[t], 61005, NULL);
        double clients = number_at(parent, "clients");
        if (child && !isnan(number_at(child, "clients")))
            clients += number_at(child, "clients");
        assert_true(clients > 0.5 && clients < 1.5);
        assert_near(parent, "busy_s", 0.04 * t, 0.0002);
    }
}

static void a_session_manager_owns_nothing(void **state) {
    (void)state;
    json_t *login = tick_process(ticks[5], 61012, NULL), *shell = by_name(5, "gnome-shell");
    assert_near(shell, "clients", 2, 0);
    assert_near(shell, "busy_s", 0.14 * 5, 1e-8);
    if (login)
        assert_near(login, "clients", 0, 0);
}

static void no_engine_lines_are_no_zero(void **state) {
    (void)state;
    json_t *p = process(5, 61006);
    assert_int_equal(json_array_size(json_object_get(p, "engines")), 0);
    assert_true(json_is_null(json_object_get(p, "busy_pct")));
    assert_string_equal(text_at(json_object_get(p, "why"), "busy_pct"), "unsupported");
    assert_near(process_memory(p, "vram"), "resident_B", 65536.0 * 1024, 0);
}

static void who_cannot_be_read_is_counted(void **state) {
    (void)state;
    json_t *unreadable = json_object_get(ticks[5], "unreadable");
    assert_near(unreadable, "count", 2, 0);
    assert_near(json_object_get(unreadable, "reasons"), "denied", 2, 0); /* a tree knows no more */
    assert_null(tick_process(ticks[5], 61007, NULL));
    assert_null(tick_process(ticks[5], 61013, NULL));
}

/* At 5 s its counters stand 1 s lower than they did, at 6 s they have caught up. */
static void a_counter_that_goes_back_makes_no_spike(void **state) {
    (void)state;
    assert_near(process(4, 61008), "busy_s", 0.32, 1e-9);
    assert_near(process(5, 61008), "busy_s", 0.32, 1e-9);
    assert_near(process(6, 61008), "busy_s", 0.48, 1e-9);
    assert_near(process(9, 61008), "busy_s", 0.72, 1e-9);
}

static void an_engine_first_used_counts_from_zero(void **state) {
    (void)state;
    assert_null(process_engine(process(2, 61009), "compute"));
    json_t *engine = process_engine(process(4, 61009), "compute");
    assert_near(engine, "busy_s", 0.09, 1e-9);
    assert_true(number_at(engine, "busy_pct") > 5);
    assert_near(process_engine(process(9, 61009), "compute"), "busy_s", 0.54, 1e-9);
}

static void a_closed_client_is_no_exit(void **state) {
    (void)state;
    assert_near(process(5, 61010), "busy_s", 0.125, 1e-9);
    for (int t = 6; t < SECONDS; t++) {
        json_t *p = tick_process(ticks[t], 61010, NULL);
        assert_false(p && has_exited(p));
    }
}

static void a_reused_descriptor_is_another_client(void **state) {
    (void)state;
    assert_near(process(6, 61011), "busy_s", 0.21, 1e-9);
    json_t *later = process(9, 61011);
    assert_near(later, "clients", 1, 0);
    assert_near(later, "busy_s", 0.21 + 0.045 * 2, 0.036);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_look_has_no_rates),
        cmocka_unit_test(totals_never_fall),
        cmocka_unit_test(who_exits_stays_with_its_totals),
        cmocka_unit_test(who_arrives_counts_from_its_start),
        cmocka_unit_test(a_reused_pid_is_another_process),
        cmocka_unit_test(a_shared_client_counts_once),
        cmocka_unit_test(a_session_manager_owns_nothing),
        cmocka_unit_test(no_engine_lines_are_no_zero),
        cmocka_unit_test(who_cannot_be_read_is_counted),
        cmocka_unit_test(a_counter_that_goes_back_makes_no_spike),
        cmocka_unit_test(an_engine_first_used_counts_from_zero),
        cmocka_unit_test(a_closed_client_is_no_exit),
        cmocka_unit_test(a_reused_descriptor_is_another_client),
    };
    return cmocka_run_group_tests(tests, play, drop);
}
