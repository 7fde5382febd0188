/* Who is who: clients held by several descriptors, their owner, processes and rows that come and
 * go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "acct_feed.h"

enum { DEV = 1, P1 = 10, P2 = 20, P3 = 30, P4 = 40 };

static struct acct_feed *machine(const struct acct_options *o) {
    struct acct_feed *f = feed_create(o);
    feed_machine(f);
    feed_device(f, DEV, "0000:03:00.0", "driver=i915\nslot=0000:03:00.0\nname=Card\n");
    return f;
}

static void tick(struct acct_feed *f, int64_t t) {
    feed_begin(f, t);
    feed_end(f, t, "");
}

static const struct snap_process *process(const struct acct_feed *f, int32_t pid) {
    return find_process(feed_snapshot(f), pid);
}

/* ---- one client, many descriptors ------------------------------------------------------------ */

/* Three descriptors of one process and one of its child, all of one client, with counters that
 * differ a little: counted once, whichever was read first. */
static void read_in_order(const int order[4], struct acct_feed **out) {
    const uint32_t ids[4] = {P1 + 1, P1 + 2, P1 + 3, P2 + 1};
    struct acct_feed *f = machine(NULL);
    feed_process(f, P1, 100, 1000);
    feed_process(f, P2, 200, 2000);
    for (int i = 0; i < 4; i++)
        feed_holder(f, ids[i], i < 3 ? P1 : P2, DEV);
    for (int t = 1; t < 4; t++) {
        feed_begin(f, t * SEC);
        for (int i = 0; i < 4; i++) {
            int k = order[i];
            feed_read(f, ids[k], t * SEC + i * 1000, 7,
                      SAYS(ENGINE("render", t * SEC / 4 + k * 100), RESIDENT("system0", MIB + k)));
        }
        feed_end(f, t * SEC, "");
    }
    *out = f;
}

static void test_client_held_four_times(void **state) {
    static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}, {2, 0, 3, 1}};
    struct acct_feed *first, *f;
    (void)state;
    read_in_order(orders[0], &first);
    const struct snapshot *s = feed_snapshot(first);
    assert_int_equal(s->client_count, 1);
    assert_int_equal(s->clients[0].holders, 4);
    assert_int_equal(s->devices[0].clients, 1);
    assert_int_equal(s->process_count, 1);
    check_value(process(first, 100)->busy_ppm, 250000);
    check_value(process(first, 100)->busy_ns, SEC / 2);
    check_value(process(first, 100)->gtt.bytes, MIB + 3);
    for (size_t i = 1; i < sizeof(orders) / sizeof(orders[0]); i++) {
        read_in_order(orders[i], &f);
        check_same(feed_snapshot(first), feed_snapshot(f));
        feed_destroy(f);
    }
    feed_destroy(first);
}

/* The same id on two devices is two clients. */
static void test_same_id_on_two_devices(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_device(f, 2, "0000:04:00.0", "driver=i915\n");
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    feed_holder(f, P1 + 2, P1, 2);
    feed_begin(f, SEC);
    feed_read(f, P1 + 1, SEC, 7, SAYS(ENGINE("render", 0)));
    feed_read(f, P1 + 2, SEC, 7, SAYS(ENGINE("render", 0)));
    feed_end(f, SEC, "");
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->client_count, 2);
    assert_int_equal(s->process_count, 2);
    assert_int_equal(s->processes[0].device, 0);
    assert_int_equal(s->processes[1].device, 1);
    feed_destroy(f);
}

/* Ids use all 64 bits. */
static void test_ids_of_64_bits(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    feed_holder(f, P1 + 2, P1, DEV);
    feed_begin(f, SEC);
    feed_read(f, P1 + 1, SEC, UINT64_C(0x100000007), SAYS(ENGINE("render", 0)));
    feed_read(f, P1 + 2, SEC, 7, SAYS(ENGINE("render", 0)));
    feed_end(f, SEC, "");
    assert_int_equal(feed_snapshot(f)->client_count, 2);
    assert_true(feed_snapshot(f)->clients[0].id == 7);
    assert_true(feed_snapshot(f)->clients[1].id == UINT64_C(0x100000007));
    feed_destroy(f);
}

/* A descriptor number that was used again names another client: the holder moves. */
static void test_holder_moves(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    for (int t = 1; t < 3; t++) {
        feed_begin(f, t * SEC);
        feed_read(f, P1 + 1, t * SEC, 7, SAYS(ENGINE("render", t * SEC / 2)));
        feed_end(f, t * SEC, "");
    }
    feed_begin(f, 3 * SEC);
    feed_read(f, P1 + 1, 3 * SEC, 8, SAYS(ENGINE("render", 50 * SEC)));
    feed_end(f, 3 * SEC, "");
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->client_count, 1);
    assert_true(s->clients[0].id == 8);
    check_state(process(f, 100)->busy_ppm, STATE_UNKNOWN);
    check_value(process(f, 100)->busy_ns, SEC / 2);
    feed_destroy(f);
}

/* Two descriptors that change places within a tick lose nothing. */
static void test_holders_change_places(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    feed_holder(f, P1 + 2, P1, DEV);
    for (int t = 1; t < 3; t++) {
        feed_begin(f, t * SEC);
        feed_read(f, P1 + 1, t * SEC, t == 1 ? 7 : 8, SAYS(ENGINE("render", t * SEC / 4)));
        feed_read(f, P1 + 2, t * SEC, t == 1 ? 8 : 7, SAYS(ENGINE("render", t * SEC / 4)));
        feed_end(f, t * SEC, "");
    }
    assert_int_equal(feed_snapshot(f)->client_count, 2);
    check_value(process(f, 100)->busy_ppm, 500000);
    feed_destroy(f);
}

static void test_who_frees_a_client(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    feed_begin(f, SEC);
    feed_read(f, P1 + 1, SEC, 7, SAYS(ENGINE("render", 0)));
    feed_end(f, SEC, "");
    const enum outcome keeps[] = {OUTCOME_DENIED, OUTCOME_FAILED, OUTCOME_ASLEEP};
    for (int i = 0; i < 3; i++) {
        feed_begin(f, (2 + i) * SEC);
        feed_failed(f, P1 + 1, (2 + i) * SEC, keeps[i]);
        feed_end(f, (2 + i) * SEC, "");
        assert_int_equal(feed_snapshot(f)->client_count, 1);
    }
    for (int i = 0; i < 2; i++) {
        feed_begin(f, (5 + i) * SEC);
        if (i == 0)
            feed_not_drm(f, P1 + 1, 5 * SEC);
        else
            feed_failed(f, P1 + 1, 6 * SEC, OUTCOME_GONE);
        feed_end(f, (5 + i) * SEC, "");
        assert_int_equal(feed_snapshot(f)->client_count, 0);
        assert_int_equal(feed_snapshot(f)->devices[0].clients, 0);
        feed_begin(f, 5 * SEC + SEC / 2);
        feed_read(f, P1 + 1, 5 * SEC, 7, SAYS(ENGINE("render", 0)));
        feed_end(f, 5 * SEC + SEC / 2, "");
        assert_int_equal(feed_snapshot(f)->client_count, 1);
    }
    feed_destroy(f);
}

/* A text without client id: each descriptor is a client of its own. */
static void test_holder_space(void **state) {
    struct acct_feed *f = machine(NULL);
    const struct counts counts = {.accepted = 1};
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_begin(f, SEC);
    for (uint32_t id = P1 + 1; id < P1 + 4; id++) {
        feed_holder(f, id, P1, DEV);
        feed_read_as(f, id, SEC, SPACE_HOLDER, id, "amdgpu", SAYS(PERCENT("gfx", 1000)), &counts);
    }
    feed_end(f, SEC, "");
    assert_int_equal(feed_snapshot(f)->client_count, 3);
    assert_int_equal(feed_snapshot(f)->clients[0].space, SPACE_HOLDER);
    feed_destroy(f);
}

/* ---- owner ----------------------------------------------------------------------------------- */

/* pids, starts and names of those that hold one client; who owns it. */
struct holding {
    int32_t pid;
    uint64_t start;
    const char *name;
};

static int32_t owner_of(const struct holding *who, int n, bool backwards) {
    struct acct_feed *f = machine(NULL);
    feed_begin(f, SEC);
    for (int k = 0; k < n; k++) {
        int i = backwards ? n - 1 - k : k;
        uint32_t id = 100 + 10 * (uint32_t)i;
        feed_process(f, id, who[i].pid, who[i].start);
        feed_holder(f, id + 1, id, DEV);
        feed_read(f, id + 1, SEC, 7, SAYS(ENGINE("render", 0)));
        feed_label(f, id, LABEL_COMM, who[i].name);
    }
    feed_end(f, SEC, "");
    assert_int_equal(feed_snapshot(f)->process_count, 1);
    int32_t pid = feed_snapshot(f)->processes[0].pid;
    feed_destroy(f);
    return pid;
}

static void test_owner(void **state) {
    static const struct {
        struct holding who[3];
        int n;
        int32_t owner;
    } cases[] = {
        {{{300, 1000, "game"}, {200, 2000, "child"}}, 2, 300}, /* the earliest start */
        {{{300, 1000, "game"}, {200, 1000, "child"}}, 2, 200}, /* then the lowest pid */
        {{{300, 0, "game"}, {200, 2000, "child"}}, 2, 200},    /* an unknown start comes last */
        {{{50, 10, "systemd-logind"}, {300, 1000, "Xwayland"}}, 2, 300},
        {{{1, 1, "init"}, {50, 10, "gdm-session-wor"}, {300, 1000, "gnome-shell"}}, 3, 300},
        {{{1, 1, "systemd"}, {50, 10, "seatd-launch"}}, 2, 1}, /* nobody else holds it */
        {{{60, 20, "elogind-daemon"}, {61, 30, "sddm-helper"}, {62, 40, "login"}}, 3, 60},
        {{{60, 20, "loginx"}, {61, 10, "lightdm"}}, 2, 60},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(owner_of(cases[i].who, cases[i].n, false), cases[i].owner);
        assert_int_equal(owner_of(cases[i].who, cases[i].n, true), cases[i].owner);
    }
}

static void read_both(struct acct_feed *f, int t, int64_t busy, bool first, bool second) {
    feed_begin(f, t * SEC);
    if (first)
        feed_read(f, P1 + 1, t * SEC, 7, SAYS(ENGINE("render", busy)));
    if (second)
        feed_read(f, P2 + 1, t * SEC, 7, SAYS(ENGINE("render", busy)));
    feed_end(f, t * SEC, "");
}

/* The owner stays owner while it holds, also beside one that started before it. When it goes, the
 * client moves on, and what the owner used stays with it. */
static void test_owner_stays_then_moves(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 3000);
    feed_process(f, P2, 200, 2000);
    feed_holder(f, P1 + 1, P1, DEV);
    read_both(f, 1, 0, true, false);
    read_both(f, 2, SEC / 2, true, false);
    feed_holder(f, P2 + 1, P2, DEV);
    read_both(f, 3, SEC, true, true);
    assert_null(process(f, 200));
    check_value(process(f, 100)->busy_ns, SEC);

    feed_begin(f, 4 * SEC);
    feed_close(f, P1 + 1, 4 * SEC, "exited");
    feed_close(f, P1, 4 * SEC, "exited");
    feed_read(f, P2 + 1, 4 * SEC, 7, SAYS(ENGINE("render", SEC + SEC / 4)));
    feed_end(f, 4 * SEC, "");
    check_value(process(f, 100)->busy_ns, SEC);
    check_state(process(f, 100)->busy_ppm, STATE_UNKNOWN);
    assert_true(process(f, 100)->exited);
    assert_int_equal(process(f, 100)->exited_ns, 4 * SEC);
    assert_int_equal(process(f, 100)->clients, 0);
    check_value(process(f, 200)->busy_ns, SEC / 4);
    check_value(process(f, 200)->busy_ppm, 250000);
    feed_destroy(f);
}

/* logind opened the node, the compositor got it: the name was learned later. */
static void test_manager_gives_way(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_process(f, P2, 200, 2000);
    feed_holder(f, P1 + 1, P1, DEV);
    read_both(f, 1, 0, true, false);
    feed_holder(f, P2 + 1, P2, DEV);
    read_both(f, 2, 0, true, true);
    assert_int_equal(process(f, 100)->clients, 1);
    feed_label(f, P1, LABEL_COMM, "systemd-logind");
    read_both(f, 3, SEC / 2, true, true);
    assert_int_equal(process(f, 200)->clients, 1);
    assert_null(process(f, 100)); /* it lives, and did nothing here */
    check_value(process(f, 200)->busy_ns, SEC / 2);
    feed_destroy(f);
}

/* ---- processes ------------------------------------------------------------------------------- */

static void test_process_facts(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 250);
    feed_holder(f, P1 + 1, P1, DEV);
    feed_label(f, P1, LABEL_COMM, "game");
    feed_label(f, P1, LABEL_COMMAND, "game --level 1");
    feed_label(f, P1, LABEL_USER, "user");
    feed_label(f, P1, LABEL_CONTAINER, "box");
    feed_label(f, P1, LABEL_NSPID, "7");
    for (int t = 1; t < 3; t++) {
        feed_begin(f, t * SEC);
        feed_read(f, P1 + 1, t * SEC, 7, SAYS(ENGINE("render", 0)));
        feed_sample(f, P1, t * SEC + SEC / 10 * t, METRIC_PROCESS_CPU_TIME, t * 22 * SEC / 10);
        feed_sample(f, P1, t * SEC, METRIC_PROCESS_RSS, 5 * MIB);
        feed_sample(f, P1, t * SEC, METRIC_PROCESS_PPID, 42);
        feed_end(f, t * SEC, "");
        if (t == 1)
            check_state(process(f, 100)->cpu_ppm, STATE_UNKNOWN);
    }
    const struct snap_process *p = process(f, 100);
    check_value(p->start_ns, 1000 * SEC + 250 * SEC / 100);
    check_value(p->cpu_ppm, 2000000);
    check_value(p->rss, 5 * MIB);
    assert_int_equal(p->ppid, 42);
    feed_label(f, P1, LABEL_COMM, "");
    feed_label(f, P1, LABEL_COMMAND, "");
    feed_close(f, P1 + 1, 2 * SEC, "exited");
    feed_close(f, P1, 2 * SEC, "exited");
    tick(f, 3 * SEC);
    const struct snapshot *s = feed_snapshot(f);
    p = process(f, 100);
    assert_true(span_equals(snapshot_text(s, p->name), "game"));
    assert_true(span_equals(snapshot_text(s, p->command), "game --level 1"));
    assert_true(span_equals(snapshot_text(s, p->user), "user"));
    assert_true(span_equals(snapshot_text(s, p->container), "box"));
    assert_true(span_equals(snapshot_text(s, p->nspid), "7"));
    check_state(p->cpu_ppm, STATE_UNKNOWN);
    check_state(p->rss, STATE_UNKNOWN);
    check_state(p->vram.bytes, STATE_UNKNOWN);
    feed_destroy(f);
}

/* A row stays for as long as the options say, and what it held is free then. */
static void test_exited_rows_age(void **state) {
    const struct acct_options o = {.exited_keep_ns = 5 * SEC};
    struct acct_feed *f = machine(&o);
    (void)state;
    for (int t = 0; t < 200; t++) {
        feed_begin(f, t * SEC);
        feed_process(f, P1, 1000 + t, 5000 + (uint64_t)t);
        feed_holder(f, P1 + 1, P1, DEV);
        feed_label(f, P1, LABEL_COMMAND, "one of many that come and go");
        feed_read(f, P1 + 1, t * SEC, 100 + (uint64_t)t, SAYS(ENGINE("render", 0)));
        feed_end(f, t * SEC, "");
        feed_close(f, P1 + 1, t * SEC + 1, "exited");
        feed_close(f, P1, t * SEC + 1, "exited");
    }
    assert_int_equal(feed_snapshot(f)->process_count, 6); /* the last and those of 5 s */
    assert_true(feed_snapshot(f)->text.n < 8192);
    tick(f, 300 * SEC);
    assert_int_equal(feed_snapshot(f)->process_count, 0);
    feed_destroy(f);
}

/* Over the whole span rows stay to the end: who exited long ago is part of what a recording says.
 */
static void test_rows_of_the_whole_span_stay(void **state) {
    const struct acct_options o = {.exited_keep_ns = 5 * SEC, .whole_span = true};
    struct acct_feed *f = machine(&o);
    (void)state;
    for (int t = 0; t < 50; t++) {
        feed_begin(f, t * SEC);
        feed_process(f, P1, 1000 + t, 5000 + (uint64_t)t);
        feed_holder(f, P1 + 1, P1, DEV);
        feed_read(f, P1 + 1, t * SEC, 100 + (uint64_t)t, SAYS(ENGINE("render", 0)));
        feed_end(f, t * SEC, "");
        feed_close(f, P1 + 1, t * SEC + 1, "exited");
        feed_close(f, P1, t * SEC + 1, "exited");
    }
    tick(f, 1000 * SEC);
    assert_int_equal(feed_snapshot(f)->process_count, 50);
    assert_true(process(f, 1000)->exited);
    feed_destroy(f);
}

/* A pid that is used again is another process. */
static void test_pid_used_again(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    read_both(f, 1, 0, true, false);
    read_both(f, 2, SEC / 2, true, false);
    feed_close(f, P1 + 1, 2 * SEC, "exited");
    feed_close(f, P1, 2 * SEC, "reused");
    feed_process(f, P2, 100, 9000);
    feed_holder(f, P2 + 1, P2, DEV);
    read_both(f, 3, SEC, false, true);
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->process_count, 2);
    assert_true(s->processes[0].start == 1000 && s->processes[0].exited);
    check_value(s->processes[0].busy_ns, SEC / 2);
    assert_true(s->processes[1].start == 9000 && !s->processes[1].exited);
    feed_destroy(f);
}

/* What was read before the end came in the same tick is still counted. */
static void test_last_reading_counts(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    read_both(f, 1, 0, true, false);
    feed_begin(f, 2 * SEC);
    feed_read(f, P1 + 1, 2 * SEC, 7, SAYS(ENGINE("render", SEC / 2)));
    feed_close(f, P1 + 1, 2 * SEC, "exited");
    feed_end(f, 2 * SEC, "");
    check_value(process(f, 100)->busy_ns, SEC / 2);
    check_value(process(f, 100)->busy_ppm, 500000);
    tick(f, 3 * SEC);
    check_state(process(f, 100)->busy_ppm, STATE_UNKNOWN);
    check_value(process(f, 100)->busy_ns, SEC / 2);
    feed_destroy(f);
}

/* ---- devices --------------------------------------------------------------------------------- */

static void test_device_facts(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_device(f, 2, "0000:04:00.0", "pci=1002:744c\ndriver=amdgpu\n");
    feed_device(f, 3, "fb000000.gpu", "driver=panthor\n");
    feed_device(f, 4, "card9", "");
    tick(f, SEC);
    const struct snapshot *s = feed_snapshot(f);
    const char *names[] = {"Card", "1002:744c", "panthor", "card9"};
    assert_int_equal(s->device_count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(span_equals(snapshot_text(s, s->devices[i].name), names[i]));
    assert_true(span_equals(snapshot_text(s, s->devices[0].slot), "0000:03:00.0"));
    assert_int_equal(s->unattributed_count, 4);
    feed_destroy(f);
}

/* A device that goes and comes back is the same line, and its counters start afresh: no spike. */
static void test_device_comes_back(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    read_both(f, 1, 40 * SEC, true, false);
    read_both(f, 2, 40 * SEC + SEC / 2, true, false);
    feed_close(f, P1 + 1, 2 * SEC, "removed");
    feed_close(f, DEV, 2 * SEC, "removed");
    tick(f, 3 * SEC);
    assert_int_equal(feed_snapshot(f)->devices[0].state, DEVICE_REMOVED);
    assert_int_equal(feed_snapshot(f)->client_count, 0);
    feed_device(f, 5, "0000:03:00.0", "driver=i915\n");
    feed_holder(f, P1 + 1, P1, 5);
    read_both(f, 4, 41 * SEC, true, false);
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->device_count, 1);
    assert_int_equal(s->devices[0].subject, 5);
    assert_int_equal(s->devices[0].state, DEVICE_ACTIVE);
    check_state(process(f, 100)->busy_ppm, STATE_UNKNOWN);
    check_value(process(f, 100)->busy_ns, SEC / 2);
    read_both(f, 5, 41 * SEC + SEC / 4, true, false);
    check_value(process(f, 100)->busy_ppm, 250000);
    feed_destroy(f);
}

/* The device goes while its clients are still held: they end with it. */
static void test_device_goes_first(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    read_both(f, 1, 0, true, false);
    feed_begin(f, 2 * SEC);
    feed_read(f, P1 + 1, 2 * SEC, 7, SAYS(ENGINE("render", SEC / 2)));
    feed_close(f, DEV, 2 * SEC, "removed");
    feed_end(f, 2 * SEC, "");
    assert_int_equal(feed_snapshot(f)->client_count, 0);
    check_value(process(f, 100)->busy_ns, SEC / 2);
    feed_close(f, P1 + 1, 2 * SEC, "removed");
    tick(f, 3 * SEC);
    feed_destroy(f);
}

static void test_device_states(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_begin(f, SEC);
    feed_state(f, DEV, SEC, "suspended\n");
    feed_sample(f, DEV, SEC, METRIC_ACTIVITY_GFX, 5000);
    feed_end(f, SEC, "");
    assert_int_equal(feed_snapshot(f)->devices[0].state, DEVICE_ASLEEP);
    assert_int_equal(feed_snapshot(f)->devices[0].metrics.count, 0);
    feed_begin(f, 2 * SEC);
    feed_state(f, DEV, SEC, "active\n");
    feed_end(f, 2 * SEC, "");
    assert_int_equal(feed_snapshot(f)->devices[0].state, DEVICE_ACTIVE);
    feed_destroy(f);
}

/* ---- sources that name many ------------------------------------------------------------------ */

static void stream_sample(struct acct_feed *f, int64_t t_ns, int32_t pid, int64_t busy) {
    struct sample s = {.t_ns = t_ns,
                       .value = busy,
                       .client = (uint64_t)pid,
                       .name = "gp",
                       .subject = 50,
                       .device = DEV,
                       .pid = pid,
                       .metric = METRIC_ENGINE_TIME,
                       .index = INDEX_NONE,
                       .name_len = 2,
                       .class = CLASS_GRAPHICS,
                       .space = SPACE_PID,
                       .state = STATE_VALUE};
    f->out.sink.sample(f->out.sink.ctx, &s);
}

/* A source that names pids only: the pid is the client, and joins the process of that pid. It says
 * nothing when one is gone, so that what it no longer names is let go after a while. */
static void test_clients_by_pid(void **state) {
    const struct acct_options o = {.exited_keep_ns = 5 * SEC};
    struct acct_feed *f = machine(&o);
    const struct subject stream = {
        .id = 50, .type = SUBJECT_STREAM, .device = DEV, .name = "", .facts = ""};
    const struct frame open = {.kind = FRAME_OPEN, .subject = 50};
    const struct counts none = {0};
    (void)state;
    feed_process(f, P1, 300, 1000);
    f->out.frame(f->out.sink.ctx, &stream, &open);
    f->out.done(f->out.sink.ctx, &stream, &open, &none);
    for (int t = 1; t < 4; t++) {
        feed_begin(f, t * SEC);
        for (int32_t pid = 300; pid < 302; pid++)
            stream_sample(f, t * SEC, pid, t * SEC / 4 * (pid - 299));
        feed_end(f, t * SEC, "");
    }
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->process_count, 2);
    assert_true(process(f, 300)->start == 1000);
    assert_true(process(f, 301)->start == 0);
    check_state(process(f, 301)->start_ns, STATE_UNKNOWN);
    check_value(process(f, 300)->busy_ppm, 250000);
    check_value(process(f, 301)->busy_ppm, 500000);
    feed_process(f, P2, 301, 2000); /* its start time is learned */
    tick(f, 4 * SEC);
    assert_int_equal(feed_snapshot(f)->process_count, 2);
    assert_true(process(f, 301)->start == 2000);
    tick(f, 20 * SEC);
    assert_int_equal(feed_snapshot(f)->client_count, 0);
    assert_int_equal(feed_snapshot(f)->process_count, 2);
    tick(f, 40 * SEC);
    assert_int_equal(feed_snapshot(f)->process_count, 0);
    feed_destroy(f);
}

/* ---- nodes that are not known ---------------------------------------------------------------- */

static const struct snap_device *device(const struct acct_feed *f, const char *id) {
    const struct snapshot *s = feed_snapshot(f);
    const struct snap_device *found = NULL;
    for (uint32_t i = 0; i < s->device_count; i++)
        if (span_equals(snapshot_text(s, s->devices[i].id), id)) {
            assert_null(found);
            found = &s->devices[i];
        }
    assert_non_null(found);
    return found;
}

static void expect_text(const struct acct_feed *f, struct text_ref text, const char *want) {
    assert_true(span_equals(snapshot_text(feed_snapshot(f), text), want));
}

/* The text names the slot of a device that is known: its descriptors are of the same client. */
static void test_stray_holder_of_known_slot(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    feed_holder(f, P1 + 1, P1, DEV);
    for (uint32_t i = 2; i < 4; i++)
        feed_stray_holder(f, P1 + i, P1, "node=226:200\n");
    for (int t = 1; t < 3; t++) {
        feed_begin(f, t * SEC);
        for (uint32_t i = 1; i < 4; i++)
            feed_read_named(f, P1 + i, t * SEC, 7, "i915", "0000:03:00.0",
                            SAYS(ENGINE("render", t * SEC / 2)));
        feed_end(f, t * SEC, "");
    }
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->device_count, 1);
    assert_int_equal(s->client_count, 1);
    assert_int_equal(s->clients[0].holders, 3);
    check_value(process(f, 100)->busy_ns, SEC / 2);
    feed_destroy(f);
}

/* Of no device that is known: one of its own for each address, and the subject it gets later is the
 * same. A text that also lacks the address is of the node. */
static void test_stray_holder_of_other_slot(void **state) {
    struct acct_feed *f = machine(NULL);
    (void)state;
    feed_process(f, P1, 100, 1000);
    for (uint32_t i = 1; i < 5; i++)
        feed_stray_holder(f, P1 + i, P1, i < 4 ? "node=226:200\n" : "node=226:201\n");
    for (int t = 1; t < 3; t++) {
        feed_begin(f, t * SEC);
        feed_read_named(f, P1 + 1, t * SEC, 7, "amdgpu", "0000:41:00.0",
                        SAYS(ENGINE("gfx", t * SEC / 4)));
        feed_read_named(f, P1 + 2, t * SEC, 7, "amdgpu", "0000:41:00.0", SAYS({0, NULL, 0, 0}));
        feed_read_named(f, P1 + 3, t * SEC, 7, "xe", "0000:42:00.0", SAYS({0, NULL, 0, 0}));
        feed_read_named(f, P1 + 4, t * SEC, 7, "msm", NULL, SAYS(ENGINE("gpu", t * SEC / 8)));
        feed_end(f, t * SEC, "");
    }
    const struct snapshot *s = feed_snapshot(f);
    assert_int_equal(s->device_count, 4);
    assert_int_equal(s->client_count, 3);
    const struct snap_device *d = device(f, "0000:41:00.0");
    expect_text(f, d->slot, "0000:41:00.0");
    expect_text(f, d->name, "amdgpu");
    expect_text(f, d->driver, "amdgpu");
    assert_int_equal(d->state, DEVICE_ACTIVE);
    assert_int_equal(d->clients, 1);
    check_value(find_engine(s, d->engines, "gfx")->busy_ppm, 250000);
    expect_text(f, device(f, "0000:42:00.0")->name, "xe");
    assert_int_equal(device(f, "0000:42:00.0")->clients, 1);
    expect_text(f, device(f, "226:201")->name, "msm");
    expect_text(f, device(f, "226:201")->slot, "");
    check_value(device(f, "226:201")->busy_ppm, 125000);
    feed_device(f, DEV + 1, "0000:41:00.0", "driver=amdgpu\nslot=0000:41:00.0\nname=Other\n");
    tick(f, 3 * SEC);
    assert_int_equal(feed_snapshot(f)->device_count, 4);
    expect_text(f, device(f, "0000:41:00.0")->name, "Other");
    assert_int_equal(device(f, "0000:41:00.0")->clients, 1);
    feed_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client_held_four_times),
        cmocka_unit_test(test_same_id_on_two_devices),
        cmocka_unit_test(test_ids_of_64_bits),
        cmocka_unit_test(test_holder_moves),
        cmocka_unit_test(test_holders_change_places),
        cmocka_unit_test(test_who_frees_a_client),
        cmocka_unit_test(test_holder_space),
        cmocka_unit_test(test_owner),
        cmocka_unit_test(test_owner_stays_then_moves),
        cmocka_unit_test(test_manager_gives_way),
        cmocka_unit_test(test_process_facts),
        cmocka_unit_test(test_exited_rows_age),
        cmocka_unit_test(test_rows_of_the_whole_span_stay),
        cmocka_unit_test(test_pid_used_again),
        cmocka_unit_test(test_last_reading_counts),
        cmocka_unit_test(test_device_facts),
        cmocka_unit_test(test_device_comes_back),
        cmocka_unit_test(test_device_goes_first),
        cmocka_unit_test(test_device_states),
        cmocka_unit_test(test_clients_by_pid),
        cmocka_unit_test(test_stray_holder_of_known_slot),
        cmocka_unit_test(test_stray_holder_of_other_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
