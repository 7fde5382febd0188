/* The roster: what an id means, and for how long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "gwtop/source.h"
#include "seen.h"
#include "source/roster.h"

struct rig {
    struct host *host;
    struct seen seen;
    struct frame_sink sink;
};

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    struct host_options o = {0};
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    r->sink = seen_sink(&r->seen);
    r->seen.in_tick = true;
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    host_destroy(r->host);
    seen_finish(&r->seen);
    free(r);
    return 0;
}

static const struct subject *open_one(struct rig *r, unsigned type, uint32_t device,
                                      unsigned backend) {
    struct subject like = {.type = (uint8_t)type,
                           .device = device,
                           .backend = (uint16_t)backend,
                           .parent = type == SUBJECT_HOLDER ? device : 0,
                           .name = "name",
                           .facts = "key=value\n"};
    return roster_open(r->host, &like, &r->sink, clock_mono_ns());
}

static void close_one(struct rig *r, const struct subject *s) {
    roster_close(r->host, s, "closed", &r->sink, clock_mono_ns());
}

static void test_open_and_close_are_frames(void **state) {
    struct rig *r = *state;
    const struct subject *s = open_one(r, SUBJECT_DEVICE, 0, 3);
    const struct seen_frame *f = seen_only(&r->seen, (struct seen_want){FRAME_OPEN, -1, -1, -1});
    assert_non_null(s);
    assert_non_null(f);
    assert_string_equal(f->subject.name, "name");
    assert_string_equal(seen_body(f), "key=value\n");
    assert_int_equal(f->subject.backend, 3);
    assert_true(s->id > 0);
    close_one(r, s);
    f = seen_only(&r->seen, (struct seen_want){FRAME_CLOSE, -1, -1, -1});
    assert_string_equal(seen_body(f), "reason=closed\n");
    assert_int_equal(f->subject.id, s->id);
    close_one(r, s); /* closed already: nothing */
    close_one(r, NULL);
    assert_int_equal(r->seen.count, 2);
}

/* Who holds on to an id within a tick means one thing by it. */
static void test_id_is_not_reused_within_its_tick(void **state) {
    struct rig *r = *state;
    const struct subject *a = open_one(r, SUBJECT_DEVICE, 0, 0);
    const struct subject *keep = open_one(r, SUBJECT_DEVICE, 0, 0);
    uint32_t id = a->id;
    close_one(r, a);
    const struct subject *b = open_one(r, SUBJECT_DEVICE, 0, 0);
    assert_int_not_equal(b->id, id);
    roster_begin_tick(r->host->roster);
    const struct subject *c = open_one(r, SUBJECT_DEVICE, 0, 0);
    assert_int_equal(c->id, id);
    assert_ptr_equal(c, a);
    assert_string_equal(keep->name, "name");
}

static void test_ids_stay_small(void **state) {
    struct rig *r = *state;
    const struct subject *s[50];
    uint32_t highest = 0;
    for (int round = 0; round < 40; round++) {
        roster_begin_tick(r->host->roster);
        for (int i = 0; i < 50; i++) {
            s[i] = open_one(r, SUBJECT_DEVICE, 0, 0);
            highest = s[i]->id > highest ? s[i]->id : highest;
            if (i % 7 == 3) {
                close_one(r, s[i]);
                s[i] = open_one(r, SUBJECT_DEVICE, 0, 0);
                highest = s[i]->id > highest ? s[i]->id : highest;
            }
        }
        for (int i = 0; i < 50; i++)
            close_one(r, s[i * 13 % 50]);
    }
    assert_true(highest <= 120);
}

static void test_addresses_stay(void **state) {
    struct rig *r = *state;
    const struct subject *first = open_one(r, SUBJECT_DEVICE, 0, 0);
    const char *name = first->name;
    for (int i = 0; i < 5000; i++)
        open_one(r, SUBJECT_DEVICE, 0, 0);
    assert_ptr_equal(first->name, name);
    assert_string_equal(first->facts, "key=value\n");
}

/* One process, however many sources name it. */
static void test_process_is_shared(void **state) {
    struct rig *r = *state;
    struct host *h = r->host;
    const struct want_process *list;
    const struct subject *a = roster_process_get(h, 42, 7, &r->sink, clock_mono_ns());
    const struct subject *b = roster_process_get(h, 42, 7, &r->sink, clock_mono_ns());
    const struct subject *later = roster_process_get(h, 42, 8, &r->sink, clock_mono_ns());
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, later);
    assert_int_equal(a->pid, 42);
    assert_int_equal(a->start, 7);
    assert_int_equal(facts_u64(a->facts, "clk_tck", 0), (uint64_t)h->clk_tck);
    assert_int_equal(facts_u64(a->facts, "page", 0), (uint64_t)h->page_size);
    assert_int_equal(roster_processes(h->roster, &list), 2);
    roster_process_put(h, a, "exited", &r->sink, clock_mono_ns());
    assert_int_equal(seen_count(&r->seen, (struct seen_want){FRAME_CLOSE, -1, -1, -1}), 0);
    roster_process_put(h, a, "exited", &r->sink, clock_mono_ns());
    const struct seen_frame *f = seen_only(&r->seen, (struct seen_want){FRAME_CLOSE, -1, -1, -1});
    assert_string_equal(seen_body(f), "reason=exited\n");
    assert_int_equal(roster_processes(h->roster, &list), 1);
    assert_int_equal(list[0].start, 8);
    assert_int_equal(list[0].subject, later->id);
    roster_process_put(h, later, "closed", &r->sink, clock_mono_ns());
    assert_int_equal(roster_processes(h->roster, &list), 0);
    roster_process_put(h, NULL, "closed", &r->sink, clock_mono_ns());
}

static void test_device_knows_nodes_holders_and_sleep(void **state) {
    struct rig *r = *state;
    struct host *h = r->host;
    const struct subject *d = open_one(r, SUBJECT_DEVICE, 0, 0);
    const struct subject *e = open_one(r, SUBJECT_DEVICE, 0, 0);
    assert_int_equal(roster_add_node(h->roster, d, 226, 0), ERR_OK);
    assert_int_equal(roster_add_node(h->roster, d, 226, 128), ERR_OK);
    assert_int_equal(roster_add_node(h->roster, e, 261, 0), ERR_OK);
    assert_ptr_equal(roster_device(h, 226, 128), d);
    assert_ptr_equal(roster_device(h, 261, 0), e);
    assert_null(roster_device(h, 261, 128));
    const struct subject *holder = open_one(r, SUBJECT_HOLDER, d->id, 1);
    open_one(r, SUBJECT_HOLDER, d->id, 1);
    open_one(r, SUBJECT_STREAM, d->id, 1);
    assert_int_equal(roster_holders(h->roster, d), 2);
    assert_int_equal(roster_holders(h->roster, e), 0);
    close_one(r, holder);
    assert_int_equal(roster_holders(h->roster, d), 1);
    assert_false(roster_asleep(h, d));
    assert_false(roster_asleep(h, NULL));
    roster_set_asleep(h->roster, d, true);
    assert_true(roster_asleep(h, d));
    assert_false(roster_asleep(h, e));
    close_one(r, d);
    assert_null(roster_device(h, 226, 0));
    assert_ptr_equal(roster_device(h, 261, 0), e);
}

/* A source that went cannot end its own subjects. */
static void test_close_left(void **state) {
    struct rig *r = *state;
    const struct subject *d = open_one(r, SUBJECT_DEVICE, 0, 0);
    const struct subject *e = open_one(r, SUBJECT_DEVICE, 0, 0);
    open_one(r, SUBJECT_STREAM, d->id, 2);
    open_one(r, SUBJECT_STREAM, e->id, 2);
    open_one(r, SUBJECT_STREAM, d->id, 1);
    roster_close_left(r->host, 2, d->id, "removed", &r->sink, clock_mono_ns());
    const struct seen_frame *f = seen_only(&r->seen, (struct seen_want){FRAME_CLOSE, -1, -1, -1});
    assert_non_null(f);
    assert_int_equal(f->subject.device, d->id);
    assert_int_equal(f->subject.backend, 2);
    roster_close_left(r->host, 1, 0, "closed", &r->sink, clock_mono_ns());
    assert_int_equal(seen_count(&r->seen, (struct seen_want){FRAME_CLOSE, -1, -1, -1}), 2);
}

static void test_rescan_is_asked_for_once(void **state) {
    struct rig *r = *state;
    assert_false(roster_take_rescan(r->host->roster));
    roster_want_rescan(r->host);
    roster_want_rescan(r->host);
    assert_true(roster_take_rescan(r->host->roster));
    assert_false(roster_take_rescan(r->host->roster));
}

static void test_backend_index(void **state) {
    struct rig *r = *state;
    static const struct backend a = {.name = "a"};
    static const struct backend b = {.name = "b"};
    static const struct backend other = {.name = "a"};
    static const struct backend *const list[] = {&a, &b};
    static const struct backend_table table = {list, 2};
    assert_int_equal(roster_backend(r->host, &a), 0);
    roster_set_table(r->host->roster, &table);
    assert_int_equal(roster_backend(r->host, &a), 1);
    assert_int_equal(roster_backend(r->host, &b), 2);
    assert_int_equal(roster_backend(r->host, &other), 0);
}

int main(void) {
#define ROSTER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        ROSTER_TEST(test_open_and_close_are_frames),
        ROSTER_TEST(test_id_is_not_reused_within_its_tick),
        ROSTER_TEST(test_ids_stay_small),
        ROSTER_TEST(test_addresses_stay),
        ROSTER_TEST(test_process_is_shared),
        ROSTER_TEST(test_device_knows_nodes_holders_and_sleep),
        ROSTER_TEST(test_close_left),
        ROSTER_TEST(test_rescan_is_asked_for_once),
        ROSTER_TEST(test_backend_index),
    };
#undef ROSTER_TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
