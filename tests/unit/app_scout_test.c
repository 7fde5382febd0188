/* Marks of events along a recording, from ticks written by hand; then the scout, which makes them of the demonstration in
 * a thread of its own, and says the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/player.h"
#include "app/scout.h"
#include "app/setup.h"
#include "gwtop/backend.h"
#include "snap.h"

#define S INT64_C(1000000000)

static const struct counts no_counts;

/* A tick at this second; then parts are added. */
static void begin(struct snap *b, uint64_t tick, int64_t at_s) {
    snap_init(b);
    b->s.tick = tick;
    b->s.t_ns = 1000 * S + at_s * S;
}

static void process(struct snap *b, int32_t pid, uint64_t start, uint32_t device, bool exited) {
    struct snap_process *p = snap_process(b, pid, device, "x", "");
    p->start = start;
    p->exited = exited;
}

static void take(struct marker *m, struct snap *b, const struct counts *c) {
    marker_take(m, snap_get(b), c ? c : &no_counts);
    snap_finish(b);
}

/* Of a recording of 512 s: stretch i is second i. */
static void assert_only(const struct marker *m, unsigned from, unsigned to, unsigned bits) {
    for (unsigned i = 0; i < UI_MARKS; i++)
        assert_int_equal(m->marks.bits[i], i >= from && i <= to ? bits : 0);
}

static void processes_come_and_go(void **state) {
    struct marker m;
    struct snap b;
    (void)state;
    marker_init(&m, 512 * S);
    begin(&b, 1, 0); /* who is there at first did not come */
    process(&b, 5, 50, 0, false);
    process(&b, 5, 50, 1, false);
    process(&b, 7, 0, 0, false);
    take(&m, &b, NULL);
    assert_only(&m, 1, 0, 0);
    begin(&b, 2, 1); /* gone from one device alone; one without a start is not told apart */
    process(&b, 5, 50, 0, false);
    process(&b, 5, 50, 1, true);
    take(&m, &b, NULL);
    assert_only(&m, 1, 0, 0);
    begin(&b, 3, 2); /* the same number again, and another */
    process(&b, 5, 60, 0, false);
    process(&b, 6, 61, 0, false);
    take(&m, &b, NULL);
    assert_only(&m, 2, 2, UI_MARK_START | UI_MARK_EXIT);
    begin(&b, 4, 3);
    process(&b, 5, 60, 0, true);
    process(&b, 6, 61, 0, false);
    take(&m, &b, NULL);
    assert_int_equal(m.marks.bits[3], UI_MARK_EXIT);
    begin(&b, 5, 4); /* one that had exited leaves the list */
    process(&b, 6, 61, 0, false);
    take(&m, &b, NULL);
    assert_int_equal(m.marks.bits[4], 0);
    begin(&b, 6, 5);
    take(&m, &b, NULL);
    assert_int_equal(m.marks.bits[5], UI_MARK_EXIT);
    marker_finish(&m);
}

static void limits_are_those_at_work(void **state) {
    struct marker m;
    (void)state;
    static const struct {
        unsigned metric;
        int64_t v;
        bool marked;
    } all[] = {{METRIC_THROTTLE_PPT0, 0, false},
               {METRIC_THROTTLE_PPT0, 1, true},
               {METRIC_THROTTLE_PL2, 1, true},
               {METRIC_THROTTLE_RESIDENCY_SPL, 300000, true},
               {METRIC_POWER_CRIT, 5, false}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct snap b;
        marker_init(&m, 512 * S);
        begin(&b, 1, 0);
        struct snap_device *d = snap_device(&b, "0000:03:00.0", "x", "y");
        snap_metric(&b, &d->metrics, all[i].metric, INDEX_NONE, snap_value(all[i].v), "f");
        take(&m, &b, NULL);
        assert_int_equal(m.marks.bits[0], all[i].marked ? UI_MARK_LIMIT : 0);
        marker_finish(&m);
    }
}

static void gaps_are_missing_data(void **state) {
    struct marker m;
    struct snap b;
    (void)state;
    marker_init(&m, 512 * S);
    for (int64_t i = 0; i < 10; i++) {
        begin(&b, (uint64_t)i + 1, i * 2);
        take(&m, &b, NULL);
    }
    begin(&b, 11, 22); /* twice as long is no gap */
    take(&m, &b, NULL);
    assert_only(&m, 1, 0, 0);
    begin(&b, 12, 40);
    take(&m, &b, NULL);
    assert_only(&m, 22, 40, UI_MARK_MISSING);
    assert_int_equal(m.gaps, 1);
    assert_int_equal(m.gap_ns, 18 * S);
    for (int64_t i = 0; i < 20; i++) { /* a slower pace is none for long */
        begin(&b, (uint64_t)i + 13, 60 + i * 20);
        take(&m, &b, NULL);
    }
    assert_int_equal(m.marks.bits[300], 0);
    assert_int_equal(m.marks.bits[430], 0);
    marker_finish(&m);
}

static void damage_is_marked_where_it_begins(void **state) {
    struct marker m;
    struct snap b;
    (void)state;
    struct counts c = {.accepted = 5};
    marker_init(&m, 512 * S);
    for (int64_t i = 0; i < 20; i++) {
        begin(&b, (uint64_t)i + 1, i);
        c.malformed += i >= 5 ? 2 : 0;
        c.truncated += i == 9 ? 1 : 0;
        take(&m, &b, &c);
    }
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(m.marks.bits[i], i == 5 || i == 9 ? UI_MARK_MISSING : 0);
    assert_in_range(m.marks.known_ppm, 37000, 37200);
    marker_end(&m, true);
    assert_int_equal(m.marks.known_ppm, 1000000);
    assert_int_equal(m.marks.bits[UI_MARKS - 1], UI_MARK_MISSING);
    marker_finish(&m);
}

static void ticks_count_once(void **state) {
    struct marker m;
    struct snap b;
    (void)state;
    marker_init(&m, 0); /* a length that is not known: all in the first stretch */
    begin(&b, 1, 0);
    take(&m, &b, NULL);
    begin(&b, 2, 1);
    process(&b, 5, 50, 0, false);
    take(&m, &b, NULL);
    begin(&b, 1, 0); /* wound back */
    take(&m, &b, NULL);
    begin(&b, 2, 1);
    process(&b, 5, 50, 0, false);
    take(&m, &b, NULL);
    assert_only(&m, 0, 0, UI_MARK_START);
    marker_finish(&m);
}

/* ---- the scout ------------------------------------------------------------------------------- */

#define DEMO    "fixtures/demo/demo.gwt.zst"
#define LONG_NS (60 * S)

/* Once it is through. */
static void wait_for_marks(struct scout *s, struct ui_marks *found) {
    int64_t end_ns = clock_mono_ns() + LONG_NS;
    while (!scout_marks(s, found)) {
        assert_true(clock_mono_ns() < end_ns);
        usleep(10000);
    }
}

struct played {
    struct player *player;
    struct marker marker;
};

static void on_tick(void *ctx, const struct snapshot *s) {
    struct played *p = ctx;
    marker_take(&p->marker, s, player_counts(p->player));
}

static void play_demo(struct played *p, int64_t *length_ns) {
    struct err_info info;
    struct source *trace;
    struct trace_extent x;
    assert_int_equal(trace_open(DEMO, &backend_table, &trace, &info), ERR_OK);
    assert_int_equal(trace_scan(trace, &x, NULL, NULL), ERR_OK);
    *length_ns = x.last_ns - x.first_ns;
    marker_init(&p->marker, *length_ns);
    assert_int_equal(player_create(trace, false, 0, false, &p->player), ERR_OK);
    player_on_tick(p->player, on_tick, p);
    while (player_next(p->player) == ERR_OK)
        ;
    marker_end(&p->marker, false);
}

static void finds_what_playing_finds(void **state) {
    struct options o = {.operands = {DEMO}, .operand_count = 1};
    struct played p;
    struct scout *s;
    struct ui_marks found;
    struct trace_extent x;
    char note[SCOUT_NOTE_BYTES];
    int64_t length_ns;
    unsigned bits = 0;
    (void)state;
    if (access(DEMO, R_OK) != 0)
        skip();
    play_demo(&p, &length_ns);
    assert_true(scout_can(&o));
    assert_int_equal(scout_start(&o, &s), ERR_OK);
    assert_true(scout_extent(s, LONG_NS, &x, note));
    assert_int_equal(x.last_ns - x.first_ns, length_ns);
    assert_int_equal(x.ticks, player_tick(p.player));
    assert_string_equal(note, "");
    wait_for_marks(s, &found);
    for (unsigned i = 0; i < UI_MARKS; i++)
        bits |= found.bits[i];
    assert_true(bits & UI_MARK_START);
    assert_true(bits & UI_MARK_EXIT);
    assert_memory_equal(found.bits, p.marker.marks.bits, sizeof found.bits);
    assert_int_equal(found.known_ppm, 1000000);
    scout_stop(s);
    for (int i = 0; i < 20; i++) { /* wherever it is, it ends at once */
        assert_int_equal(scout_start(&o, &s), ERR_OK);
        usleep((useconds_t)(i * 300));
        scout_stop(s);
    }
    scout_stop(NULL);
    player_destroy(p.player);
    marker_finish(&p.marker);
}

static void knows_what_can_be_read_twice(void **state) {
    (void)state;
    struct options o = {.operands = {"-"}, .operand_count = 1};
    assert_false(scout_can(&o));
    o.operands[0] = "/nowhere";
    assert_false(scout_can(&o));
    o.operands[0] = "/dev/null";
    assert_false(scout_can(&o));
    o = (struct options){.given = {[OPT_DEMO] = true}};
    assert_true(scout_can(&o));
}

/* A recording that went away in between leaves the bar without marks. */
static void gives_up_quietly(void **state) {
    struct options o = {.operands = {"/nowhere"}, .operand_count = 1};
    struct scout *s;
    struct ui_marks found;
    struct trace_extent x;
    char note[SCOUT_NOTE_BYTES];
    (void)state;
    assert_int_equal(scout_start(&o, &s), ERR_OK);
    assert_false(scout_extent(s, LONG_NS, &x, note));
    wait_for_marks(s, &found);
    assert_int_equal(found.known_ppm, 0);
    scout_stop(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_come_and_go),
        cmocka_unit_test(limits_are_those_at_work),
        cmocka_unit_test(gaps_are_missing_data),
        cmocka_unit_test(damage_is_marked_where_it_begins),
        cmocka_unit_test(ticks_count_once),
        cmocka_unit_test(finds_what_playing_finds),
        cmocka_unit_test(knows_what_can_be_read_twice),
        cmocka_unit_test(gives_up_quietly),
    };
    return cmocka_run_group_tests_name("marks and scout", tests, NULL, NULL);
}
