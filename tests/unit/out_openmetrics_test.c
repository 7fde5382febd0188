/*
 * OpenMetrics: read back by a strict reader of the format. Every machine that is written by hand is exposed
 * without a fault, sums hold, series are bounded and totals never go back; and the reader refuses each fault.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "gwtop/out.h"
#include "openmetrics.h"
#include "out/openmetrics.h"
#include "outsnap.h"
#include "snap_cases.h"

/* ---- the reader itself ------------------------------------------------------------------------ */

#define HEAD "# TYPE a_bytes gauge\n# UNIT a_bytes bytes\n# HELP a_bytes some\n"

static void good_is_taken(void **state) {
    static const char text[] =
        HEAD "a_bytes{x=\"1\\\\\\\"\\n\",y=\"\303\244\"} 1.5e3\na_bytes -2\n"
             "# TYPE b counter\n# HELP b more\nb_total 3\n"
             "# TYPE c info\n# HELP c what\nc_info{v=\"1\"} 1\n"
             "# TYPE d stateset\n# HELP d how\nd{d=\"on\"} 1\nd{d=\"off\"} 0\n"
             "# EOF\n";
    struct expo e;
    (void)state;
    bool ok = expo_read(text, sizeof text - 1, &e);
    assert_string_equal(e.error, "");
    assert_true(ok);
    assert_int_equal(e.sample_count, 6);
    assert_string_equal(e.samples[0].labels[0].value, "1\\\"\n");
    assert_true(expo_sum(&e, NULL, "a_bytes", NULL) == 1498);
    expo_finish(&e);
}

static void faults_are_refused(void **state) {
    static const char *const faults[] = {
        "",
        "\n",
        HEAD "a_bytes 1\n",                    /* no end */
        HEAD "a_bytes 1\n# EOF",               /* no line end */
        HEAD "a_bytes 1\n# EOF\n# EOF\n",      /* behind it */
        HEAD "a_bytes 1\n# EOF\n\n",           /* likewise */
        HEAD "a_bytes 1\n\n# EOF\n",           /* empty line */
        HEAD "a_bytes 1\r\n# EOF\n",           /* line end of elsewhere */
        HEAD "a_bytes{x=\"\377\"} 1\n# EOF\n", /* no UTF-8 */
        "a_bytes 1\n# EOF\n",                  /* no head */
        HEAD "# EOF\n",                        /* no sample */
        HEAD "a_bytes 1\na_bytes 2\n# EOF\n",  /* twice */
        HEAD
        "a_bytes{x=\"1\",y=\"2\"} 1\na_bytes{y=\"2\",x=\"1\"} 2\n# EOF\n", /* in another order */
        HEAD "a_bytes{x=\"1\",x=\"2\"} 1\n# EOF\n",                        /* label twice */
        HEAD "a_bytes{x=\"\"} 1\n# EOF\n",                                 /* empty label */
        HEAD "a_bytes{} 1\n# EOF\n",                                       /* no label */
        HEAD "a_bytes{x=\"1\",} 1\n# EOF\n",                               /* comma at the end */
        HEAD "a_bytes{x=\"1\", y=\"2\"} 1\n# EOF\n",                       /* blank */
        HEAD "a_bytes{x=1} 1\n# EOF\n",                                    /* no quotes */
        HEAD "a_bytes{x=\"a\"b\"} 1\n# EOF\n",                             /* bare quote */
        HEAD "a_bytes{x=\"\\t\"} 1\n# EOF\n",                              /* wrong escape */
        HEAD "a_bytes{x=\"1} 1\n# EOF\n",                                  /* no end of it */
        HEAD "a_bytes{1x=\"1\"} 1\n# EOF\n",                               /* label name */
        HEAD "a_bytes{__x=\"1\"} 1\n# EOF\n",                              /* reserved */
        HEAD "a_bytes{x=\"1\" 1\n# EOF\n",                                 /* no brace */
        HEAD "a_bytes  1\n# EOF\n",                                        /* two blanks */
        HEAD "a_bytes 1 \n# EOF\n",                                        /* one behind */
        HEAD " a_bytes 1\n# EOF\n",                                        /* one before */
        HEAD "a_bytes\n# EOF\n",                                           /* no number */
        HEAD "a_bytes NaN\n# EOF\n",
        HEAD "a_bytes +Inf\n# EOF\n",
        HEAD "a_bytes 1e999\n# EOF\n",
        HEAD "a_bytes 0x10\n# EOF\n",
        HEAD "a_bytes .5\n# EOF\n",
        HEAD "a_bytes 5.\n# EOF\n",
        HEAD "a_bytes 1,5\n# EOF\n",
        HEAD "a_bytes null\n# EOF\n",
        HEAD "a_bytes 1 1700000000\n# EOF\n",       /* time */
        HEAD "a_bytes 1 # {x=\"1\"} 1\n# EOF\n",    /* exemplar */
        HEAD "a_bytes_total 1\n# EOF\n",            /* suffix of another type */
        HEAD "b_bytes 1\n# EOF\n",                  /* another family */
        "# some words\n" HEAD "a_bytes 1\n# EOF\n", /* comment */
        "# TYPE a_bytes gauge\n# UNIT a_bytes seconds\n# HELP a_bytes some\na_bytes 1\n# EOF\n",
        "# TYPE a_bytes gauge\n# UNIT a_bytes \n# HELP a_bytes some\na_bytes 1\n# EOF\n",
        "# TYPE a_bytes gauge\n# HELP a_bytes some\n# UNIT a_bytes bytes\na_bytes 1\n# EOF\n",
        "# TYPE a_bytes gauge\n# TYPE a_bytes gauge\n# HELP a_bytes some\na_bytes 1\n# EOF\n",
        "# TYPE a gauge\n# HELP a some\n# HELP a some\na 1\n# EOF\n",
        "# TYPE a gauge\n# HELP a some \"quote\"\na 1\n# EOF\n",
        "# TYPE a gauge\na 1\n# EOF\n", /* no help */
        "# TYPE a gauges\n# HELP a some\na 1\n# EOF\n",
        "# TYPE a gauge \n# HELP a some\na 1\n# EOF\n",
        "# TYPE 1a gauge\n# HELP 1a some\n1a 1\n# EOF\n",
        "# HELP a some\na 1\n# EOF\n",
        "# TYPE a gauge\n# HELP b some\na 1\n# EOF\n",
        "# TYPE a_total counter\n# HELP a_total some\na_total_total 1\n# EOF\n",
        "# TYPE a counter\n# HELP a some\na 1\n# EOF\n",
        "# TYPE a counter\n# HELP a some\na_total -1\n# EOF\n",
        "# TYPE a info\n# HELP a some\na{x=\"1\"} 1\n# EOF\n",
        "# TYPE a info\n# HELP a some\na_info{x=\"1\"} 2\n# EOF\n",
        "# TYPE a_s info\n# UNIT a_s s\n# HELP a_s some\na_s_info{x=\"1\"} 1\n# EOF\n",
        "# TYPE a stateset\n# HELP a some\na{a=\"x\"} 2\n# EOF\n",
        "# TYPE a stateset\n# HELP a some\na{x=\"y\"} 1\n# EOF\n",
        ("# TYPE a gauge\n# HELP a some\na 1\n# TYPE b gauge\n# HELP b some\nb 1\na{x=\"1\"} 1\n"
         "# EOF\n"),
        "# TYPE a gauge\n# HELP a some\na 1\n# TYPE a gauge\n# HELP a some\na{x=\"1\"} 1\n# EOF\n",
        "# TYPE a gauge\n# HELP a some\na 1\n# HELP a some\na{x=\"1\"} 1\n# EOF\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct expo e;
        if (expo_read(faults[i], strlen(faults[i]), &e)) {
            print_error("taken: %s\n", faults[i]);
            fail();
        }
        assert_true(e.error[0] != 0);
        expo_finish(&e);
    }
}

/* ---- what is exposed ---------------------------------------------------------------------------- */

struct exposer {
    struct out_state *st;
    struct buf b;
};

static void start(struct exposer *x, const struct out_options *o) {
    *x = (struct exposer){0};
    assert_int_equal(output_find(span_of("openmetrics"))->open(o, &x->st), ERR_OK);
}

static void stop(struct exposer *x) {
    output_find(span_of("openmetrics"))->close(x->st);
    buf_finish(&x->b);
}

/* What is written is read; a fault fails the test. */
static void expose(struct exposer *x, const struct snapshot *s, struct expo *out) {
    buf_clear(&x->b);
    output_find(span_of("openmetrics"))->tick(x->st, s, &x->b);
    assert_false(x->b.failed);
    if (!expo_read(x->b.p, x->b.n, out)) {
        print_error("line %u: %s\n", out->line, out->error);
        fail();
    }
}

static void cases(struct snap *b, unsigned which) {
    static void (*const make[])(struct snap *) = {
        snap_typical, snap_first, snap_card,  snap_limits,  snap_doubts,   snap_apu,
        snap_awake,   snap_mali,  snap_power, snap_hostile, snap_counters, snap_cores};
    if (which < 12) {
        make[which](b);
    } else if (which == 12) {
        snap_many(b, 16, 300, 3);
    } else if (which < 16) {
        snap_all_metrics(b, which);
    } else {
        snap_cards(b, 8, which);
    }
}
#define CASES 17

static void each_machine_is_exposed(void **state) {
    (void)state;
    for (unsigned i = 0; i < CASES; i++) {
        for (unsigned brief = 0; brief < 2; brief++) {
            struct snap b;
            struct exposer x;
            struct expo e;
            start(&x, &(struct out_options){.brief = brief, .query.top = i % 3});
            cases(&b, i);
            for (int tick = 0; tick < 2; tick++) {
                expose(&x, snap_get(&b), &e);
                for (unsigned k = 0; k < e.family_count; k++) {
                    assert_true(strncmp(e.families[k].name, "gwtop_", 6) == 0);
                }
                expo_finish(&e);
            }
            stop(&x);
            snap_finish(&b);
        }
    }
}

/* An empty machine is a whole exposition too. */
static void nothing_is_exposed(void **state) {
    struct snap b;
    struct exposer x;
    struct expo e;
    (void)state;
    snap_init(&b);
    start(&x, &(struct out_options){0});
    expose(&x, snap_get(&b), &e);
    assert_null(expo_family_of(&e, "gwtop_device"));
    assert_non_null(expo_find(&e, "gwtop_unreadable_processes", NULL));
    expo_finish(&e);
    stop(&x);
    snap_finish(&b);
}

static void names_and_numbers(void **state) {
    struct outsnap o;
    struct exposer x;
    struct expo e;
    const char *id = "0000:03:00.0";
    (void)state;
    outsnap_init(&o);
    struct snap_device *d = outsnap_device(&o, id, "A \"card\" \\ here", "amdgpu");
    d->busy_ppm = outsnap_value(123456);
    outsnap_metric(&o, &d->metrics, METRIC_TEMPERATURE_EDGE, 61500);
    outsnap_metric(&o, &d->metrics, METRIC_FAN_PWM, 255000);
    outsnap_metric(&o, &d->metrics, METRIC_ENERGY_SOCKET, 7250000);
    outsnap_metric(&o, &d->metrics, METRIC_CLOCK_GFX, 2165000000)->value =
        outsnap_none(STATE_DENIED);
    outsnap_metric(&o, &d->metrics, METRIC_THROTTLE_PPT0, 1);
    start(&x, &(struct out_options){0});
    expose(&x, &o.s, &e);
    const struct expo_sample *info = expo_find(&e, "gwtop_device_info", NULL);
    assert_string_equal(expo_label_of(info, "name"), "A \"card\" \\ here");
    assert_true(expo_find(&e, "gwtop_device_busy_ratio", "device", id, NULL)->value == 0.123456);
    assert_true(expo_find(&e, "gwtop_temperature_edge_celsius", NULL)->value == 61.5);
    assert_true(expo_find(&e, "gwtop_fan_pwm_ratio", NULL)->value == 0.255);
    assert_true(expo_find(&e, "gwtop_energy_socket_joules_total", NULL)->value == 7.25);
    assert_true(expo_find(&e, "gwtop_throttle_ppt0", NULL)->value == 1);
    assert_null(expo_family_of(&e, "gwtop_clock_gfx_hertz"));
    assert_true(expo_find(&e, "gwtop_device_state", "gwtop_device_state", "active", NULL)->value ==
                1);
    assert_true(expo_find(&e, "gwtop_device_state", "gwtop_device_state", "asleep", NULL)->value ==
                0);
    expo_finish(&e);
    stop(&x);
    outsnap_finish(&o);
}

/* ---- bounds and sums ------------------------------------------------------------------------------ */

/* Of one device with one engine and one region: process i was busy i ms so far and i ppm now, and has 100 + i bytes,
 * 7 of them shared. */
static void make_crowd(struct snap *b, uint32_t n) {
    snap_init(b);
    struct snap_device *d = snap_device(b, "0000:03:00.0", "Card", "amdgpu");
    struct snap_engine *all = snap_engine(b, &d->engines, CLASS_GRAPHICS, snap_value(0));
    all->name = snap_text(b, "gfx");
    int64_t ppm = 0, ns = 0;
    for (uint32_t i = 1; i <= n; i++) {
        ppm += i;
        ns += (int64_t)i * 1000000;
    }
    all->busy_ppm = snap_value(ppm);
    all->busy_ns = snap_value(ns);
    struct text_ref gfx = all->name;
    snap_memory(b, &d->memory, "vram", snap_value(n));
    for (uint32_t i = 1; i <= n; i++) {
        struct snap_process *p = snap_process(b, (int32_t)(1000 + i), 0, "same", "secret --key 1");
        p->busy_ppm = snap_value(i);
        p->busy_ns = snap_value((int64_t)i * 1000000);
        struct snap_engine *e = snap_engine(b, &p->engines, CLASS_GRAPHICS, snap_value(i));
        e->name = gfx;
        e->busy_ns = snap_value((int64_t)i * 1000000);
        struct snap_memory *m = snap_memory(b, &p->memory, "vram", snap_value(100 + i));
        m->shared = snap_value(7);
    }
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static void series_are_bounded(void **state) {
    static const uint32_t tops[] = {0, 1, 50, 999, 1000, 5000};
    (void)state;
    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++) {
        struct snap b;
        struct exposer x;
        struct expo e;
        unsigned own, others;
        uint32_t want = tops[i] ? tops[i] : 50;
        want = want < 1000 ? want : 1000;
        make_crowd(&b, 1000);
        start(&x, &(struct out_options){.query.top = tops[i]});
        expose(&x, snap_get(&b), &e);
        (void)expo_sum(&e, &others, "gwtop_process_busy_ratio", "pid", "other", NULL);
        double sum = expo_sum(&e, &own, "gwtop_process_busy_ratio", NULL);
        assert_int_equal(own, want + (want < 1000));
        assert_int_equal(others, want < 1000);
        assert_true(near(sum, 0.5005));
        double busy = expo_sum(&e, NULL, "gwtop_process_engine_busy_ratio", NULL);
        assert_true(near(busy, expo_sum(&e, NULL, "gwtop_device_engine_busy_ratio", NULL)));
        double time = expo_sum(&e, NULL, "gwtop_process_engine_busy_seconds_total", NULL);
        assert_true(near(time, expo_sum(&e, NULL, "gwtop_device_engine_busy_seconds_total", NULL)));
        assert_true(near(time, expo_sum(&e, NULL, "gwtop_process_busy_seconds_total", NULL)));
        assert_non_null(expo_find(&e, "gwtop_process_busy_ratio", "pid", "2000", NULL));
        buf_char(&x.b, '\0');
        assert_null(strstr(x.b.p, "secret"));
        expo_finish(&e);
        stop(&x);
        snap_finish(&b);
    }
}

static void memory_of_others_counts_once(void **state) {
    struct snap b;
    struct exposer x;
    struct expo e;
    (void)state;
    make_crowd(&b, 10);
    start(&x, &(struct out_options){.query.top = 7});
    expose(&x, snap_get(&b), &e);
    /* 1, 2 and 3 are the others: 94, 95 and 96 of their own, and 7. */
    assert_true(expo_find(&e, "gwtop_process_memory_bytes", "pid", "other", NULL)->value == 292);
    assert_true(expo_find(&e, "gwtop_process_memory_shared_bytes", "pid", "other", NULL)->value ==
                7);
    assert_true(expo_find(&e, "gwtop_process_memory_bytes", "pid", "1010", NULL)->value == 110);
    expo_finish(&e);
    stop(&x);
    snap_finish(&b);
}

/* One process more or less in sight makes no spike: what the others did only grows, and by what they did. */
static void totals_never_go_back(void **state) {
    struct exposer x;
    double before = -1;
    (void)state;
    start(&x, &(struct out_options){.query.top = 1});
    for (int tick = 0; tick < 8; tick++) {
        struct snap b;
        struct expo e;
        make_crowd(&b, 3);
        /* Each tick another one is the busiest; each works 1 s a tick. */
        snap_get(&b);
        b.engines[0].busy_ns = snap_value((int64_t)(tick + 1) * 3000000000);
        for (int i = 0; i < 3; i++) {
            struct snap_engine *engine = &b.engines[b.processes[i].engines.first];
            b.processes[i].busy_ppm = snap_value(i == tick % 3 ? 9 : 1);
            engine->busy_ns = snap_value((int64_t)(tick + 1) * 1000000000);
            b.processes[i].exited = tick > 5 && i == 0;
        }
        expose(&x, snap_get(&b), &e);
        double now =
            expo_find(&e, "gwtop_process_engine_busy_seconds_total", "pid", "other", NULL)->value;
        assert_true(before < 0 ? near(now, 2) : now >= before && now - before <= 3 + 1e-9);
        before = now;
        expo_finish(&e);
        snap_finish(&b);
    }
    stop(&x);
}

/* A number that was used by an earlier process, too, is a label once. */
static void pids_may_be_used_again(void **state) {
    struct snap b;
    struct exposer x;
    struct expo e;
    unsigned n;
    (void)state;
    make_crowd(&b, 3);
    for (int i = 0; i < 3; i++) {
        b.processes[i].pid = 77;
        b.processes[i].start = (uint64_t)i + 1;
    }
    b.processes[0].exited = true;
    start(&x, &(struct out_options){0});
    expose(&x, snap_get(&b), &e);
    (void)expo_sum(&e, &n, "gwtop_process_busy_ratio", "pid", "77", NULL);
    assert_int_equal(n, 1);
    assert_true(near(expo_sum(&e, NULL, "gwtop_process_engine_busy_seconds_total", NULL), 0.006));
    expo_finish(&e);
    stop(&x);
    snap_finish(&b);
}

/* What counts from the start of one run would be another counter in each. */
static void brief_has_no_totals_of_its_own(void **state) {
    struct snap b;
    struct exposer x;
    struct expo e;
    (void)state;
    make_crowd(&b, 3);
    start(&x, &(struct out_options){.brief = true});
    expose(&x, snap_get(&b), &e);
    for (unsigned i = 0; i < e.family_count; i++) {
        assert_true(strcmp(e.families[i].type, "counter") != 0);
    }
    assert_non_null(expo_find(&e, "gwtop_process_busy_ratio", "pid", "1001", NULL));
    expo_finish(&e);
    stop(&x);
    snap_finish(&b);
}

/* ---- families, manual, dashboard -------------------------------------------------------------------- */

static bool is_family(const char *name, size_t n) {
    struct om_family f;
    struct buf b = {0};
    bool found = false;
    for (unsigned i = 0; !found && om_family_at(i, &f); i++) {
        static const char *const suffixes[] = {"", "_total", "_info", ""};
        buf_clear(&b);
        om_put_family_name(&b, &f);
        buf_text(&b, suffixes[f.type]);
        found = b.n == n && memcmp(b.p, name, n) == 0;
    }
    buf_finish(&b);
    return found;
}

/* Families of one machine that says everything there is: the reader takes all names together. */
static void families_are_apart(void **state) {
    struct om_family f;
    struct buf b = {0};
    struct expo e;
    (void)state;
    for (unsigned i = 0; om_family_at(i, &f); i++) {
        static const char *const suffixes[] = {"", "_total", "_info", ""};
        struct buf name = {0};
        om_put_family_name(&name, &f);
        buf_char(&name, 0);
        assert_true(strncmp(name.p, "gwtop_", 6) == 0);
        buf_text(&b, "# TYPE ");
        buf_text(&b, name.p);
        buf_char(&b, ' ');
        buf_text(&b, om_type_name(f.type));
        if (f.unit[0]) {
            buf_text(&b, "\n# UNIT ");
            buf_text(&b, name.p);
            buf_char(&b, ' ');
            buf_text(&b, f.unit);
        }
        buf_text(&b, "\n# HELP ");
        buf_text(&b, name.p);
        buf_text(&b, " x\n");
        buf_text(&b, name.p);
        buf_text(&b, suffixes[f.type]);
        if (f.type == OM_STATESET) {
            buf_char(&b, '{');
            buf_text(&b, name.p);
            buf_text(&b, "=\"on\"}");
        }
        buf_text(&b, " 1\n");
        buf_finish(&name);
    }
    buf_text(&b, "# EOF\n");
    if (!expo_read(b.p, b.n, &e)) {
        print_error("line %u: %s\n", e.line, e.error);
        fail();
    }
    expo_finish(&e);
    buf_finish(&b);
}

static unsigned check_expression(const char *text) {
    unsigned n = 0;
    for (const char *p = text; (p = strstr(p, "gwtop_")) != NULL; n++) {
        size_t length =
            strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        bool is_label = strncmp(p + length, "=\"", 2) == 0; /* the label of a stateset */
        if (!is_family(p, length) && !is_label) {
            print_error("no such family: %.*s\n", (int)length, p);
            fail();
        }
        p += length;
    }
    return n;
}

static unsigned check_dashboard(json_t *v) {
    unsigned n = 0;
    size_t i;
    const char *key;
    json_t *part;
    json_object_foreach(v, key, part) {
        bool is_query =
            strcmp(key, "expr") == 0 || strcmp(key, "query") == 0 || strcmp(key, "definition") == 0;
        n += is_query && json_is_string(part) ? check_expression(json_string_value(part))
                                              : check_dashboard(part);
    }
    json_array_foreach(v, i, part) n += check_dashboard(part);
    return n;
}

static void dashboard_asks_for_what_there_is(void **state) {
    json_error_t error;
    (void)state;
    json_t *v = json_load_file("src/dist/grafana-dashboard.json", 0, &error);
    if (!v) {
        print_error("%s:%d: %s\n", error.source, error.line, error.text);
    }
    assert_non_null(v);
    assert_true(check_dashboard(v) >= 10);
    json_decref(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_is_taken),
        cmocka_unit_test(faults_are_refused),
        cmocka_unit_test(each_machine_is_exposed),
        cmocka_unit_test(nothing_is_exposed),
        cmocka_unit_test(names_and_numbers),
        cmocka_unit_test(series_are_bounded),
        cmocka_unit_test(memory_of_others_counts_once),
        cmocka_unit_test(totals_never_go_back),
        cmocka_unit_test(pids_may_be_used_again),
        cmocka_unit_test(brief_has_no_totals_of_its_own),
        cmocka_unit_test(families_are_apart),
        cmocka_unit_test(dashboard_asks_for_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
