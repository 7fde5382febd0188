/* What a report gathers and writes, from looks written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/out.h"
#include "outsnap.h"
#include "snap.h"

#define S INT64_C(1000000000)

struct page {
    const struct output *output;
    struct out_state *state;
    struct buf buf;
};

static void page_open(struct page *p, const char *output, const struct out_options *o) {
    p->output = output_find(span_of(output));
    assert_non_null(p->output);
    buf_init(&p->buf);
    assert_int_equal(p->output->open(o, &p->state), ERR_OK);
}

static void page_tick(struct page *p, const struct snapshot *s) {
    p->output->tick(p->state, s, &p->buf);
}

/* The text, owned by the page. */
static const char *page_end(struct page *p) {
    p->output->end(p->state, &p->buf);
    buf_char(&p->buf, '\0');
    assert_false(p->buf.failed);
    return p->buf.p;
}

static void page_close(struct page *p) {
    p->output->close(p->state);
    buf_finish(&p->buf);
}

#define has(text, what)   assert_non_null(strstr(text, what))
#define lacks(text, what) assert_null(strstr(text, what))

/* ---- sums ----------------------------------------------------------------------------------- */

/* Two processes on one card; at second t they cost t and 3t PW s, 2t and 6t J. */
static void look(struct page *p, int64_t t, bool gone, double loose_pws) {
    struct snap b;
    snap_init(&b);
    struct snap_device *d = snap_device(&b, "0000:03:00.0", "A card", "amdgpu");
    d->power.pws = snap_real(4.0 * (double)t);
    d->power.joules = snap_real(8.0 * (double)t);
    d->busy_ppm = snap_value(500000);
    for (int i = 0; i < 2; i++) {
        double part = i ? 3 : 1;
        if (gone && i)
            continue;
        struct snap_process *q = snap_process(&b, 10 + i, 0, i ? "dear" : "cheap", "");
        q->start = 7;
        q->busy_ns = snap_value(t * S / 4);
        q->busy_ppm = snap_value(250000);
        q->power.pws = snap_real(part * (double)t);
        q->power.joules = snap_real(2 * part * (double)t);
    }
    struct snap_unattributed *u = snap_loose(&b, 0, "(not attributed)");
    u->power.pws = snap_real(loose_pws);
    struct snapshot s = *snap_get(&b);
    s.t_ns = 100 * S + t * S;
    page_tick(p, &s);
    snap_finish(&b);
}

static void shares_and_sums(void **state) {
    struct page p;
    (void)state;
    page_open(&p, "report", &(struct out_options){0});
    look(&p, 5, false, 0);
    look(&p, 10, false, 0);
    look(&p, 15, false, 0);
    const char *t = page_end(&p);
    static const char *const ids[] = {"id=\"overview\"", "id=\"devices\"",
                                      "id=\"timeline\"", "id=\"rest\"",
                                      "id=\"how\"",      "Content-Security-Policy"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        has(t, ids[i]);
    /* Within ten seconds: 30 of 40 PW s, 60 J, 6 W. */
    has(t, "30.00</td><td class=\"n\">75.0\xC2\xA0%");
    has(t, "60.00</td><td class=\"n\">6.00</td>");
    has(t, "10.00</td><td class=\"n\">25.0\xC2\xA0%");
    assert_true(strstr(t, ">dear<") < strstr(t, ">cheap<"));
    lacks(t, "<script");
    lacks(t, "http:");
    page_close(&p);
}

/* The row of one that left keeps what it cost. */
static void exited_rows_keep_totals(void **state) {
    struct page p;
    (void)state;
    page_open(&p, "report", &(struct out_options){0});
    look(&p, 0, false, 0);
    look(&p, 10, false, 0);
    look(&p, 20, true, 0);
    const char *t = page_end(&p);
    has(t, ">dear<");
    has(t, "30.00</td>");
    page_close(&p);
}

/* What remains of others' totals may fall; that is no new beginning. */
static void a_fall_of_the_rest_is_no_restart(void **state) {
    struct page p;
    (void)state;
    page_open(&p, "report-csv", &(struct out_options){0});
    look(&p, 0, false, 0);
    look(&p, 1, false, 9);
    look(&p, 2, false, 8);
    const char *t = strstr(page_end(&p), "\r\nunattributed,");
    assert_non_null(t);
    has(t, ",8,");
    lacks(t, ",17,");
    page_close(&p);
}

/* ---- bounds --------------------------------------------------------------------------------- */

static void series_are_merged(void **state) {
    struct page p;
    (void)state;
    page_open(&p, "report", &(struct out_options){0});
    for (int64_t t = 0; t <= 1500; t++)
        look(&p, t, false, 0);
    const char *t = page_end(&p);
    /* 1500 steps do not fit: 375 of four seconds; half in use throughout. */
    has(t, "viewBox=\"0 0 375.00 100\"");
    has(t, "mean 50.0\xC2\xA0%");
    has(t, "<dt>Span</dt><dd>25:00");
    page_close(&p);
}

/* So many processes, each a tick only. */
static void crowd(struct page *p, int64_t t, unsigned from, unsigned count) {
    struct snap b;
    snap_init(&b);
    snap_device(&b, "0000:03:00.0", "A card", "amdgpu");
    for (unsigned i = from; i < from + count; i++) {
        struct snap_process *q = snap_process(&b, (int32_t)(i + 1), 0, "one", "");
        q->start = i;
        q->busy_ns = snap_value(S);
        q->busy_ppm = snap_value(10000);
    }
    struct snapshot s = *snap_get(&b);
    s.t_ns = 100 * S + t * S;
    page_tick(p, &s);
    snap_finish(&b);
}

static void what_has_no_place_is_summed(void **state) {
    struct page p;
    (void)state;
    page_open(&p, "report", &(struct out_options){0});
    crowd(&p, 0, 0, 0);
    for (int64_t t = 1; t <= 5; t++)
        crowd(&p, t, (unsigned)(t - 1) * 1000, 1000);
    const char *t = page_end(&p);
    has(t, "<dt>Processes</dt><dd>5000");
    has(t, "all other processes");
    has(t, "(4750 other processes)");
    has(t, ">4750.00<"); /* busy seconds: nothing was lost */
    page_close(&p);
}

/* ---- words from outside --------------------------------------------------------------------- */

static void hostile(struct page *p, int64_t t, const char *name) {
    struct snap b;
    snap_init(&b);
    snap_device(&b, "0000:03:00.0", name, name);
    struct snap_process *q = snap_process(&b, 10, 0, name, name);
    q->user = snap_text(&b, name);
    q->container = snap_text(&b, name);
    q->busy_ppm = snap_value(10000);
    q->busy_ns = snap_value(t * S);
    snap_loose(&b, 0, name);
    struct snapshot s = *snap_get(&b);
    s.t_ns = 100 * S + t * S;
    page_tick(p, &s);
    snap_finish(&b);
}

static void hostile_names_stay_text(void **state) {
    static char long_name[4097];
    static const char *const names[] = {"<script>alert(1)</script>",
                                        "\"' onload='x\" &lt; &",
                                        "]]></style></title><img src=x>",
                                        "\xE2\x80\xAE\xE2\x81\xA6gnp.exe",
                                        "\x1b[31m\xff\xfe",
                                        long_name};
    (void)state;
    memset(long_name, '<', sizeof long_name - 1);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct page p;
        page_open(&p, "report", &(struct out_options){0});
        hostile(&p, 0, names[i]);
        hostile(&p, 1, names[i]);
        const char *t = page_end(&p);
        lacks(t, "<script");
        lacks(t, "<img");
        lacks(t, "]]>");
        lacks(t, "onload='");
        lacks(t, "<<");
        lacks(t, "\x1b");
        lacks(t, "\xff");
        lacks(t, "\xE2\x80\xAE");
        assert_true(strlen(t) < 100000);
        page_close(&p);
    }
}

static void the_sheet_is_safe(void **state) {
    struct page p;
    (void)state;
    page_open(&p, "report-csv", &(struct out_options){0});
    hostile(&p, 0, "=1+1,\"x\"\n");
    hostile(&p, 1, "=1+1,\"x\"\n");
    const char *t = page_end(&p);
    lacks(t, ",=");
    lacks(t, ",\"=");
    has(t, "\"\"x\"\"");
    for (const char *c = t; *c; c++)
        assert_true(*c != '\n' || (c > t && c[-1] == '\r'));
    size_t commas = 0, want = 0;
    bool quoted = false;
    for (const char *c = t; *c; c++) {
        quoted ^= *c == '"';
        commas += *c == ',' && !quoted;
        if (*c == '\n' && !quoted) {
            want = want ? want : commas;
            assert_int_equal(commas, want);
            commas = 0;
        }
    }
    assert_false(quoted);
    page_close(&p);
}

static void scrub_leaves_no_name(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct page p;
        page_open(&p, i ? "report" : "report-csv", &(struct out_options){.scrub = true});
        for (int64_t t = 0; t < 2; t++) {
            struct snap b;
            snap_init(&b);
            snap_device(&b, "0000:03:00.0", "A card", "amdgpu");
            struct snap_process *q = snap_process(&b, 4711, 0, "zebra", "zebra --tail");
            q->user = snap_text(&b, "quagga");
            q->container = snap_text(&b, "okapi");
            q->busy_ppm = snap_value(10000);
            struct snapshot s = *snap_get(&b);
            s.t_ns = t * S;
            page_tick(&p, &s);
            snap_finish(&b);
        }
        const char *text = page_end(&p);
        lacks(text, "zebra");
        lacks(text, "quagga");
        lacks(text, "okapi");
        has(text, "4711");
        page_close(&p);
    }
}

static void nothing_is_said_to_be_nothing(void **state) {
    struct page p;
    struct outsnap o;
    (void)state;
    page_open(&p, "report", &(struct out_options){0});
    const char *t = page_end(&p);
    has(t, "No GPU was found.");
    has(t, "nothing measured");
    page_close(&p);
    outsnap_init(&o);
    page_open(&p, "report", &(struct out_options){0});
    page_tick(&p, &o.s);
    t = page_end(&p);
    has(t, "No process used a GPU in this time.");
    has(t, "No process exited in this time.");
    lacks(t, "nan");
    page_close(&p);
    outsnap_finish(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_and_sums),
        cmocka_unit_test(exited_rows_keep_totals),
        cmocka_unit_test(a_fall_of_the_rest_is_no_restart),
        cmocka_unit_test(series_are_merged),
        cmocka_unit_test(what_has_no_place_is_summed),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(the_sheet_is_safe),
        cmocka_unit_test(scrub_leaves_no_name),
        cmocka_unit_test(nothing_is_said_to_be_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
