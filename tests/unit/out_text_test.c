/* Text report: fits its width, says every kind of nothing, stays ASCII where it must. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/out.h"
#include "outsnap.h"

static char text[65536];

static const char *report(const struct snapshot *s, const struct out_options *o, int ticks) {
    const struct output *out = output_find(span_of("text"));
    struct out_state *st = NULL;
    struct buf b;
    buf_init(&b);
    assert_int_equal(out->open(o, &st), ERR_OK);
    out->begin(st, &b);
    for (int i = 0; i < ticks; i++) {
        out->tick(st, s, &b);
    }
    out->end(st, &b);
    out->close(st);
    assert_true(b.n < sizeof text);
    memcpy(text, b.p, b.n);
    text[b.n] = 0;
    buf_finish(&b);
    return text;
}

static void has(const char *in, const char *want) {
    if (!strstr(in, want)) {
        print_error("no \"%s\" in:\n%s", want, in);
        fail();
    }
}

static void hasnt(const char *in, const char *want) {
    if (strstr(in, want)) {
        print_error("\"%s\" in:\n%s", want, in);
        fail();
    }
}

/* No line takes more columns than that, none ends in a blank, all is ASCII if asked. */
static void check_lines(const char *in, size_t width, bool ascii) {
    struct cursor c = cursor_over(span_of(in));
    struct span line;
    while (cursor_line(&c, &line)) {
        if (width > 0 && text_columns(line) > width) {
            print_error("%zu columns: %.*s\n", text_columns(line), (int)line.n, line.p);
        }
        assert_true(width == 0 || text_columns(line) <= width);
        assert_true(line.n == 0 || line.p[line.n - 1] != ' ');
        for (size_t i = 0; i < line.n; i++) {
            assert_true((unsigned char)line.p[i] >= 0x20);
            assert_true(!ascii || (unsigned char)line.p[i] < 0x7f);
        }
    }
}

static void once(void **state) {
    struct outsnap o;
    const struct out_options q = {.width = 80};
    (void)state;
    outsnap_typical(&o);
    const char *t = report(&o.s, &q, 1);
    check_lines(t, 80, true);
    has(t, "0 Radeon RX 7800 XT  amdgpu  active  busy 55.2%  gfx 55.1%  dec 0.0%");
    has(t, "vram 5.1G");
    has(t, "1 Radeon RX 7600S  amdgpu  asleep, not touched\n");
    has(t, "  48213 anna ");
    has(t, " 41.2 ");
    has(t, " /usr/bin/blender");
    has(t, "(not attributed)");
    has(t, "3 processes not readable (denied 2, hidepid 1): needs root or CAP_SYS_PTRACE\n");
    hasnt(t, "2026");
    hasnt(t, "\x1b");
    outsnap_finish(&o);
}

/* Who has a right is not told to get it. */
static void remedy_is_for_who_asks(void **state) {
    static const char *const said[] = {[INSIGHT_OWN] = ": needs root or CAP_SYS_PTRACE\n",
                                       [INSIGHT_ROOT] = ": needs CAP_SYS_PTRACE\n",
                                       [INSIGHT_ALL] = ": withheld even from root\n"};
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    for (unsigned i = INSIGHT_OWN; i <= INSIGHT_ALL; i++) {
        const struct out_options q = {.width = 80, .insight = (enum insight)i};
        has(report(&o.s, &q, 1), said[i]);
    }
    memset(o.s.unreadable_reasons, 0, sizeof o.s.unreadable_reasons);
    o.s.unreadable_reasons[REASON_FAILED_READ] = 3; /* no right helps */
    has(report(&o.s, &(struct out_options){.width = 80}, 1), " not readable (failed_read 3)\n");
    outsnap_finish(&o);
}

/* Titles stand above their columns: right-aligned numbers end where their title ends. */
static void columns_are_aligned(void **state) {
    struct outsnap o;
    struct out_options q = {.width = 80};
    (void)state;
    outsnap_typical(&o);
    assert_int_equal(column_set_parse(span_of("pid,user,gpu,vram,command"), &q.columns, NULL),
                     ERR_OK);
    const char *t = report(&o.s, &q, 1);
    const char *head = strstr(t, "    PID USER ");
    const char *row = strstr(t, "  48213 anna ");
    assert_non_null(head);
    assert_non_null(row);
    assert_ptr_equal(strstr(head, "GPU%") - head + 4, strstr(row, "41.2") - row + 4);
    assert_ptr_equal(strstr(head, "VRAM") - head + 4, strstr(row, "3.0G") - row + 4);
    assert_ptr_equal(strstr(head, "COMMAND") - head, strstr(row, "/usr/bin/blender") - row);
    outsnap_finish(&o);
}

static void batch_is_headed_by_time(void **state) {
    struct outsnap o;
    const struct out_options q = {.width = 80, .batch = true};
    (void)state;
    outsnap_typical(&o);
    const char *t = report(&o.s, &q, 2);
    check_lines(t, 80, true);
    assert_ptr_equal(strstr(t, "2026-03-01T14:22:05Z  interval 1.000 s\n"), t);
    has(t, "\n\n2026-03-01T14:22:05Z  interval 1.000 s\n");
    o.s.interval_ns = outsnap_none(STATE_UNKNOWN);
    t = report(&o.s, &q, 1);
    has(t, "2026-03-01T14:22:05Z  first look, no rates yet\n");
    outsnap_finish(&o);
}

static void times(void **state) {
    static const struct {
        int64_t s;
        const char *text;
    } cases[] = {
        {1, "1970-01-01T00:00:01Z"},          {951782399, "2000-02-28T23:59:59Z"},
        {951782400, "2000-02-29T00:00:00Z"},  {951868800, "2000-03-01T00:00:00Z"},
        {4107542400, "2100-03-01T00:00:00Z"}, {4107542399, "2100-02-28T23:59:59Z"},
        {1735689599, "2024-12-31T23:59:59Z"}, {-1, "1969-12-31T23:59:59Z"},
        {-86400, "1969-12-31T00:00:00Z"},
    };
    const struct out_options q = {.batch = true};
    struct outsnap o;
    (void)state;
    outsnap_init(&o);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        o.s.real_ns = cases[i].s * INT64_C(1000000000);
        has(report(&o.s, &q, 1), cases[i].text);
    }
    o.s.real_ns = -1;
    has(report(&o.s, &q, 1), "1969-12-31T23:59:59Z");
    o.s.real_ns = INT64_MIN;
    has(report(&o.s, &q, 1), "1677-09-21T00:12:43Z");
    o.s.real_ns = 0;
    has(report(&o.s, &q, 1), "time unknown");
    outsnap_finish(&o);
}

static void ascii_only(void **state) {
    struct outsnap o;
    struct out_options q = {.width = 80};
    (void)state;
    outsnap_typical(&o);
    o.devices[0].name = outsnap_text(&o, "Rad\xc3\xa9on \xe6\xbc\xa2");
    o.processes[0].command = outsnap_text(&o, "\xe6\xbc\xa2\xe5\xad\x97 x");
    const char *t = report(&o.s, &q, 1);
    check_lines(t, 80, true);
    has(t, "0 Rad?on ??");
    has(t, "???? x");
    q.unicode = true;
    t = report(&o.s, &q, 1);
    check_lines(t, 80, false);
    has(t, "Rad\xc3\xa9on \xe6\xbc\xa2");
    outsnap_finish(&o);
}

/* Colours add sequences and take nothing away. */
static void colour_changes_no_text(void **state) {
    struct outsnap o;
    struct out_options q = {.width = 80};
    char bare[8192];
    size_t n = 0;
    (void)state;
    outsnap_typical(&o);
    q.color = true;
    const char *t = report(&o.s, &q, 1);
    has(t, "\x1b[");
    for (const char *p = t; *p; p++) {
        if (*p == 0x1b) {
            p += strcspn(p, "m");
        } else {
            bare[n++] = *p;
        }
    }
    bare[n] = 0;
    q.color = false;
    assert_string_equal(report(&o.s, &q, 1), bare);
    outsnap_finish(&o);
}

static void power_is_shown_where_it_is_known(void **state) {
    struct outsnap o;
    struct out_options q = {.width = 100, .unicode = true};
    (void)state;
    outsnap_typical(&o);
    has(report(&o.s, &q, 1), "   W   PW·s COMMAND");
    has(report(&o.s, &q, 1), " 44.1 0.0073 /usr/bin/blender");
    o.devices[0].power.pw = outsnap_real(7.404);
    has(report(&o.s, &q, 1), "  7.40 PW");
    o.devices[0].power.watts = outsnap_real(112.42);
    has(report(&o.s, &q, 1), "  112.4 W");
    q.unicode = false;
    has(report(&o.s, &q, 1), "   W   PW*s COMMAND");
    for (unsigned i = 0; i < 2; i++) {
        o.processes[i].power = (struct snap_power){0};
    }
    hasnt(report(&o.s, &q, 1), "PW*s");
    outsnap_finish(&o);
}

/* Why there are none; a session that is held needs no words here. */
static void counters_that_are_not_there(void **state) {
    struct outsnap o;
    const struct out_options q = {.width = 0};
    (void)state;
    outsnap_typical(&o);
    o.devices[0].counters = COUNTERS_HELD;
    hasnt(report(&o.s, &q, 1), "counters");
    o.devices[0].counters = COUNTERS_BUSY;
    has(report(&o.s, &q, 1), "\n  counters: another program holds them\n1 Radeon");
    o.devices[0].counters = COUNTERS_DENIED;
    has(report(&o.s, &q, 1), "\n  counters: not allowed (root, CAP_PERFMON, ");
    const struct out_options narrow = {.width = 72};
    check_lines(report(&o.s, &narrow, 1), 72, true);
    outsnap_finish(&o);
}

static void every_width(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    for (size_t width = 1; width <= 200; width++) {
        struct out_options q = {.width = width};
        const char *t = report(&o.s, &q, 1);
        check_lines(t, width >= 80 ? width : 0, true);
    }
    struct out_options q = {.width = 0};
    has(report(&o.s, &q, 1), "/usr/bin/blender --background scene.blend\n");
    outsnap_finish(&o);
}

static void nothing_there(void **state) {
    struct outsnap o;
    const struct out_options q = {.width = 80};
    (void)state;
    outsnap_init(&o);
    assert_string_equal(report(&o.s, &q, 1), "no GPU found\n\nno process uses a GPU\n");
    outsnap_finish(&o);
}

static void kinds_of_nothing_differ(void **state) {
    struct outsnap o;
    const struct out_options q = {.width = 80};
    (void)state;
    outsnap_typical(&o);
    o.devices[0].busy_ppm = outsnap_none(STATE_UNKNOWN);
    o.engines[0].busy_ppm = outsnap_none(STATE_DENIED);
    o.engines[1].busy_ppm = outsnap_none(STATE_MALFORMED);
    o.memory[0].resident = outsnap_none(STATE_UNSUPPORTED);
    o.memory[0].total = outsnap_none(STATE_UNSUPPORTED);
    has(report(&o.s, &q, 1), "busy ?  gfx deny  dec bad  vram -\n");
    outsnap_finish(&o);
}

static void tree_stands_below_parents(void **state) {
    struct outsnap o;
    struct out_options q = {.width = 60};
    (void)state;
    outsnap_typical(&o);
    assert_int_equal(column_set_parse(span_of("pid,command"), &q.columns, NULL), ERR_OK);
    outsnap_process(&o, 60000, 0, "other")->ppid = 1;
    outsnap_process(&o, 60001, 0, "child")->ppid = 48213;
    hasnt(report(&o.s, &q, 1), "`-");
    q.shape.tree = true;
    const char *t = report(&o.s, &q, 1);
    check_lines(t, 60, true);
    has(t, " scene.blend\n  60001 `- [child]\n");
    q.unicode = true;
    has(report(&o.s, &q, 1), " scene.blend\n  60001 \xe2\x94\x94\xe2\x94\x80 [child]\n");
    outsnap_finish(&o);
}

static void sums_stand_above_their_rows(void **state) {
    struct outsnap o;
    struct out_options q = {.width = 80};
    (void)state;
    outsnap_typical(&o);
    q.shape.group = TABLE_GROUP_USER;
    const char *t = report(&o.s, &q, 1);
    check_lines(t, 80, true);
    const char *sum = strstr(t, "anna: 1 process");
    assert_non_null(sum);
    assert_non_null(strstr(sum, "/usr/bin/blender"));
    outsnap_finish(&o);
}

static void demonstration_says_so(void **state) {
    struct outsnap o;
    const struct out_options q = {.width = 80, .demo = true};
    (void)state;
    outsnap_typical(&o);
    assert_ptr_equal(strstr(report(&o.s, &q, 1), "demonstration"), text);
    outsnap_finish(&o);
}

static void list_of_devices(void **state) {
    struct outsnap o;
    struct out_options q = {0};
    struct buf b;
    (void)state;
    outsnap_typical(&o);
    outsnap_device(&o, "gpu", "Mali", "");
    buf_init(&b);
    out_devices(&o.s, &q, false, &b);
    buf_char(&b, 0);
    assert_string_equal(b.p, "0  0000:03:00.0  amdgpu  active  Radeon RX 7800 XT\n"
                             "1  0000:07:00.0  amdgpu  asleep  Radeon RX 7600S\n"
                             "2  gpu           -       active  Mali\n");
    buf_clear(&b);
    q.query.device = span_of("1");
    out_devices(&o.s, &q, false, &b);
    buf_char(&b, 0);
    assert_string_equal(b.p, "1  0000:07:00.0  amdgpu  asleep  Radeon RX 7600S\n");
    buf_finish(&b);
    outsnap_finish(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once),
        cmocka_unit_test(remedy_is_for_who_asks),
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(batch_is_headed_by_time),
        cmocka_unit_test(times),
        cmocka_unit_test(ascii_only),
        cmocka_unit_test(colour_changes_no_text),
        cmocka_unit_test(power_is_shown_where_it_is_known),
        cmocka_unit_test(counters_that_are_not_there),
        cmocka_unit_test(every_width),
        cmocka_unit_test(nothing_there),
        cmocka_unit_test(kinds_of_nothing_differ),
        cmocka_unit_test(tree_stands_below_parents),
        cmocka_unit_test(sums_stand_above_their_rows),
        cmocka_unit_test(demonstration_says_so),
        cmocka_unit_test(list_of_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
