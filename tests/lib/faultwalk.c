/*
 * A backend's collectors on machines whose calls fail: the Nth call, once or from then on, for all N of a few
 * ticks. Each tick begins and ends and nothing stays open; a number that is told is one that is true; what is lost is
 * named by a state, a failed frame or a line in the log; once the calls work again all is back, within the longest
 * pause that a collector makes; and what was turned stands as it was found.
 */
#include "faultwalk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "faultrows.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "iospy.h"
#include "scratch.h"
#include "seen.h"
#include "told.h"
#include "tree.h"

#define SECOND   INT64_C(1000000000)
#define PAUSE_NS (61 * SECOND) /* the longest pause of a collector, and a bit */
#define WAIT_NS  (60 * SECOND) /* for a thread to answer: a bound against hanging alone */

enum { FAULTY_TICKS = 2, KNOWN_TICKS = 4, SAID_MAX = 64 };

/* One thing that is told where nothing fails, and whether it was in this life. */
struct known {
    struct told_sample said;
    bool seen;
};

/* A frame that tells a failure although no call was made to fail: its device is a plain file. */
struct failing {
    uint8_t type;
    uint16_t kind;
    uint8_t outcome;
};

struct walk {
    const struct fault_row *row;
    const struct backend *list[2];
    struct backend_table table;
    char *root;
    struct known *known;
    uint32_t known_count;
    uint32_t known_cap;
    struct failing failing[SAID_MAX];
    unsigned failing_count;
    int64_t job_ns; /* of each job; 0: there are none */
    unsigned long logged;

    struct iospy spy;
    struct host *host;
    struct source *live;
    struct bus *bus;
    struct seen seen;
    struct told told;
    int64_t now_ns;
    unsigned jobs;   /* in this life */
    bool named;      /* something was said to be lost */
    uint64_t unread; /* parts of frames that fail in a tick although no call was made to */
    bool learning;
    char what[120]; /* the fault, for a message */
    unsigned wrongs;
};

/* Each fault that is not borne is worth a word, up to a page of them. */
static void complain(struct walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(struct walk *w, const char *format, ...) {
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (w->wrongs++ < 20)
        print_message("# %s: %s\n", w->what, text);
}

static void rest(void) {
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
}

/* ---- what is told ------------------------------------------------------------------------------ */

static bool is_same_thing(const struct told_sample *a, const struct told_sample *b) {
    return a->sample.metric == b->sample.metric && a->sample.index == b->sample.index &&
           a->sample.pid == b->sample.pid && a->sample.client == b->sample.client &&
           a->sample.rank == b->sample.rank && strcmp(a->name, b->name) == 0;
}

/* How much of the time was recorded is no two times the same; a knob that could not be turned tells what it is. */
static bool is_steady(const struct told_sample *s) {
    return s->sample.metric != METRIC_COVERAGE_RECORDED && s->sample.metric != METRIC_PROFILING;
}

static void learn(struct walk *w, const struct told_sample *s) {
    assert_int_equal(
        vec_reserve((void **)&w->known, &w->known_cap, w->known_count + 1, sizeof(*w->known)), 0);
    w->known[w->known_count++] = (struct known){*s, true};
}

static void take_value(struct walk *w, const struct told_sample *s) {
    bool known = false, fine = false;
    for (uint32_t i = 0; i < w->known_count; i++) {
        struct known *k = &w->known[i];
        if (!is_same_thing(&k->said, s))
            continue;
        known = true;
        k->seen = true;
        fine |= !is_steady(s) || k->said.sample.value == s->sample.value;
    }
    if (!known && w->learning)
        learn(w, s);
    else if (!fine)
        complain(w, "%s [%s] of %d is told to be %lld", metric_info(s->sample.metric)->name,
                 s->name, s->sample.pid, (long long)s->sample.value);
}

static void take_samples(struct walk *w) {
    for (uint32_t i = 0; i < w->told.count; i++)
        if (w->told.items[i].sample.state == STATE_VALUE)
            take_value(w, &w->told.items[i]);
}

static void on_job(void *ctx, const struct job *j) {
    struct walk *w = ctx;
    if (w->learning)
        w->job_ns = j->end_ns - j->start_ns;
    /* One whose end could not be read ends with the start of the next. */
    if (j->end_ns - j->start_ns != w->job_ns &&
        !(w->named && j->end_ns - j->start_ns <= FAULT_PAGE_NS))
        complain(w, "a job of %lld ns", (long long)(j->end_ns - j->start_ns));
    w->jobs++;
}

/* ---- what is said to be lost ------------------------------------------------------------------- */

static bool is_known_failure(struct walk *w, const struct seen_frame *f) {
    const struct failing one = {f->subject.type, f->frame.kind, f->frame.outcome};
    for (unsigned i = 0; i < w->failing_count; i++)
        if (w->failing[i].type == one.type && w->failing[i].kind == one.kind &&
            w->failing[i].outcome == one.outcome)
            return true;
    if (w->learning && w->failing_count < SAID_MAX)
        w->failing[w->failing_count++] = one;
    return w->learning;
}

static void take_failures(struct walk *w) {
    const struct seen_frame *f;
    for (uint32_t at = 0; (f = seen_next(&w->seen, &at, (struct seen_want){-1, -1, -1, -1}));) {
        const char *body = f->frame.kind == FRAME_END ? seen_body(f) : "";
        bool fails = f->frame.outcome != OUTCOME_OK && f->frame.outcome != OUTCOME_ASLEEP;
        if ((fails && !is_known_failure(w, f)) || strstr(body, "unreadable.") ||
            strstr(body, "devices."))
            w->named = true;
    }
    uint64_t unread = w->told.counts.reasons[REASON_FAILED_READ];
    if (w->learning && unread > w->unread)
        w->unread = unread;
    w->named |= unread > w->unread;
}

/* That it is not there as a value is told in its place. */
static bool is_told_away(const struct walk *w, const struct known *k) {
    for (uint32_t i = 0; i < w->told.count; i++)
        if (w->told.items[i].sample.metric == k->said.sample.metric &&
            w->told.items[i].sample.state != STATE_VALUE)
            return true;
    return false;
}

static const struct known *missing(const struct walk *w) {
    for (uint32_t i = 0; i < w->known_count; i++)
        if (!w->known[i].seen)
            return &w->known[i];
    return NULL;
}

static bool is_all_there(const struct walk *w) {
    return !missing(w) && (w->job_ns == 0 || w->jobs > 0);
}

static void forget_seen(struct walk *w) {
    for (uint32_t i = 0; i < w->known_count; i++)
        w->known[i].seen = false;
    w->jobs = 0;
}

/* What is not there is nothing, and need not be told; what could not be looked at must be. */
static void hold_against_silence(struct walk *w, int sys) {
    if (outcome_from_sys(sys) == OUTCOME_GONE || w->named || log_count() > w->logged)
        return;
    for (uint32_t i = 0; i < w->known_count; i++)
        if (!w->known[i].seen && !is_told_away(w, &w->known[i]))
            complain(w, "nothing is said of %s [%s]",
                     metric_info(w->known[i].said.sample.metric)->name, w->known[i].said.name);
    if (w->job_ns > 0 && w->jobs == 0)
        complain(w, "nothing is said of jobs");
}

/* ---- a life ------------------------------------------------------------------------------------ */

static bool start(struct walk *w) {
    const struct host_options o = {
        .root = w->root, .io = &w->spy.io, .delay_ns = SECOND, .machine_facts = w->row->facts};
    const struct subscriber told = told_subscriber(&w->told);
    const struct subscriber jobs = {.sink = {.ctx = w, .job = on_job}};
    w->now_ns = SECOND;
    w->named = false;
    w->logged = log_count();
    forget_seen(w);
    if (host_create(&o, &w->host, NULL) != ERR_OK)
        return false;
    assert_int_equal(live_create(w->host, &w->table, &w->live, NULL), ERR_OK);
    assert_int_equal(bus_create(&w->table, &w->bus), ERR_OK);
    assert_int_equal(bus_subscribe(w->bus, &told), ERR_OK);
    assert_int_equal(bus_subscribe(w->bus, &jobs), ERR_OK);
    return true;
}

static void take(void *ctx, const struct subject *s, const struct frame *f) {
    struct walk *w = ctx;
    struct frame_sink seen = seen_sink(&w->seen);
    seen.frame(seen.ctx, s, f);
    bus_frame(w->bus, s, f);
}

static void tick(struct walk *w) {
    struct frame_sink sink = {w, take};
    unsigned before = w->seen.ticks;
    if (w->row->more)
        w->row->more(w->root);
    seen_clear(&w->seen);
    told_clear(&w->told);
    w->now_ns += SECOND;
    skipped_ns += SECOND;
    assert_int_equal(w->live->ops->read(w->live, w->now_ns, &sink), ERR_OK);
    assert_int_equal(w->seen.ticks, before + 1);
    take_samples(w);
    take_failures(w);
}

static bool has_answer(const struct walk *w) {
    uint32_t at = 0;
    const struct seen_frame *f;
    while ((f = seen_next(&w->seen, &at, (struct seen_want){-1, -1, -1, -1})))
        if (f->frame.kind >= FRAME_BACKEND)
            return true;
    return false;
}

static unsigned long calls_of(struct walk *w) {
    pthread_mutex_lock(&w->spy.lock);
    unsigned long calls = w->spy.calls;
    pthread_mutex_unlock(&w->spy.lock);
    return calls;
}

/* One that a thread answered; where a call fails, there may be none to wait for. */
static void tick_answered(struct walk *w, unsigned long fail_at) {
    int64_t end_ns = clock_mono_ns() + WAIT_NS;
    int patience = 8;
    for (tick(w); !has_answer(w) && clock_mono_ns() < end_ns; tick(w)) {
        if (fail_at != 0 && calls_of(w) >= fail_at && patience-- == 0)
            return;
        rest();
    }
}

static void stop(struct walk *w) {
    w->live->ops->close(w->live);
    bus_destroy(w->bus);
    host_destroy(w->host);
    assert_int_equal(w->spy.open_now, 0);
    assert_int_equal(w->spy.mapped_now, 0);
    seen_finish(&w->seen);
}

static void recover(struct walk *w) {
    int64_t left_ns = w->wrongs > 0 ? SECOND : WAIT_NS;
    forget_seen(w);
    do {
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        skipped_ns += PAUSE_NS;
        w->now_ns += PAUSE_NS;
        tick(w);
        if (!is_all_there(w))
            rest();
        clock_gettime(CLOCK_MONOTONIC, &after);
        left_ns -= (after.tv_sec - before.tv_sec) * SECOND + after.tv_nsec - before.tv_nsec;
    } while (!is_all_there(w) && left_ns > 0);
    if (is_all_there(w))
        return;
    const struct known *k = missing(w);
    complain(w, "%s [%s] never came back", k ? metric_info(k->said.sample.metric)->name : "jobs",
             k ? k->said.name : "");
}

static void nothing_below(void *ctx, struct span name) {
    complain(ctx, "%.*s was left behind", (int)name.n, name.p);
}

/* What was turned is as it was, and what was made is gone. */
static void hold_as_found(struct walk *w) {
    if (w->row->knob) {
        char *path = path_join(w->root, "%s", w->row->knob);
        size_t n;
        char *text = file_read(path, &n);
        if (!text || strcmp(text, "0\n") != 0)
            complain(w, "%s holds %s", w->row->knob, text ? text : "nothing");
        free(text);
        free(path);
    }
    if (w->row->instances) {
        struct host *h;
        char space[4096];
        assert_int_equal(host_create(&(struct host_options){.root = w->root}, &h, NULL), ERR_OK);
        int fd = host_open(h, h->root_fd, w->row->instances, 0);
        assert_true(fd >= 0);
        assert_int_equal(host_list(h, fd, space, sizeof space, nothing_below, w), 0);
        host_close(h, fd);
        host_destroy(h);
    }
}

/* One life with this fault; false where the fault lies behind all calls. */
static bool live_with(struct walk *w, unsigned long fail_at, bool fail_on, int sys) {
    bool reached;
    iospy_init(&w->spy);
    w->spy.under = w->row->play ? w->row->play(w->root) : NULL;
    w->spy.fail_at = fail_at;
    w->spy.fail_on = fail_on;
    w->spy.fail_sys = sys;
    snprintf(w->what, sizeof w->what, "%s of %s, call %lu, %s, %s", w->row->name, w->row->backend,
             fail_at, fail_on ? "on" : "once", strerrorname_np(sys));
    if (start(w)) {
        for (int i = 0; i < FAULTY_TICKS; i++)
            tick_answered(w, fail_at);
        hold_against_silence(w, sys);
        pthread_mutex_lock(&w->spy.lock);
        reached = w->spy.calls >= fail_at;
        w->spy.fail_at = 0;
        pthread_mutex_unlock(&w->spy.lock);
        if (fail_on && outcome_from_sys(sys) == OUTCOME_GONE && w->row->knob)
            w->row->put(w->root); /* the device went, and comes back as a new one */
        recover(w);
        stop(w);
        hold_as_found(w);
    } else {
        reached = w->spy.calls >= fail_at;
        assert_int_equal(w->spy.open_now, 0);
    }
    iospy_finish(&w->spy);
    return reached;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static const struct backend *find(const char *name) {
    unsigned at = backend_find(&backend_table, span_of(name));
    assert_true(at > 0);
    return backend_table.list[at - 1];
}

/* What is told where nothing fails. */
static void learn_all(struct walk *w) {
    iospy_init(&w->spy);
    w->spy.under = w->row->play ? w->row->play(w->root) : NULL;
    snprintf(w->what, sizeof w->what, "%s of %s", w->row->name, w->row->backend);
    w->learning = true;
    assert_true(start(w));
    for (int i = 0; i < KNOWN_TICKS; i++) {
        skipped_ns += PAUSE_NS;
        w->now_ns += PAUSE_NS;
        tick_answered(w, 0);
    }
    stop(w);
    hold_as_found(w);
    iospy_finish(&w->spy);
    w->learning = false;
    assert_true(w->known_count > 0 || w->job_ns > 0);
}

static void walk_through(void **state) {
    static const int errors[] = {EIO, EACCES, EMFILE, ENODEV, EINTR, ENOENT};
    struct walk w = {.row = *state, .root = scratch_make()};
    w.list[0] = find(w.row->backend);
    if (w.row->with)
        w.list[1] = find(w.row->with);
    w.table = (struct backend_table){w.list, w.row->with ? 2 : 1};
    tree_folder(w.root, "proc");
    w.row->put(w.root);
    learn_all(&w);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        for (int on = 0; on < 2; on++) {
            unsigned long n = 1;
            while (live_with(&w, n, on, errors[i]))
                n++;
            assert_true(n > w.row->least);
        }
    assert_int_equal(w.wrongs, 0);
    free(w.known);
    told_finish(&w.told);
    scratch_remove(w.root);
}

/* A new backend is a row of machines and a program here. */
static void every_backend_is_walked(void **state) {
    (void)state;
    for (size_t i = 0; i < backend_table.count; i++) {
        const char *name = backend_table.list[i]->name;
        char path[64];
        bool found = false;
        for (size_t k = 0; k < fault_row_count; k++)
            found |= strcmp(fault_rows[k].backend, name) == 0;
        snprintf(path, sizeof path, "tests/fault/%s_fault_test.c", name);
        if (!found || access(path, F_OK) != 0)
            fail_msg("%s has no machine in faultrows.c, or no %s", name, path);
    }
}

int fault_walk(const char *backend) {
    enum { MOST = 8 };
    struct CMUnitTest tests[MOST + 1] = {cmocka_unit_test(every_backend_is_walked)};
    size_t n = 1;
    for (size_t i = 0; i < fault_row_count; i++) {
        if (strcmp(fault_rows[i].backend, backend) != 0 || n > MOST)
            continue;
        tests[n++] = (struct CMUnitTest){fault_rows[i].name, walk_through, NULL, NULL,
                                         (void *)(uintptr_t)&fault_rows[i]};
    }
    return _cmocka_run_group_tests(backend, tests, n, NULL, NULL);
}
