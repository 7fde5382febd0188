/*
 * The law of recordings: what the live program says and what its own recording says are one and the same text,
 * byte for byte, but for the cost of saying it. Live frames go to accounting and to the recording at once; then
 * the recording is played into accounting of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "e2e.h"
#include "gwtop/acct.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "gwtop/out.h"
#include "gwtop/source.h"
#include "scratch.h"

#define TICKS 14

/* Frames in, JSON out. */
struct teller {
    struct acct *acct;
    struct bus *bus;
    const struct output *output;
    struct out_state *state;
    struct out_options options;
    struct buf text;
};

static void teller_init(struct teller *t, bool replayed) {
    *t = (struct teller){.output = output_find(span_of("json")), .options = {.replayed = replayed}};
    assert_int_equal(acct_create(NULL, &t->acct), ERR_OK);
    assert_int_equal(bus_create(&backend_table, &t->bus), ERR_OK);
    struct subscriber s = acct_subscriber(t->acct);
    assert_int_equal(bus_subscribe(t->bus, &s), ERR_OK);
    assert_int_equal(t->output->open(&t->options, &t->state), ERR_OK);
}

static void teller_tick(struct teller *t) {
    assert_non_null(acct_snapshot(t->acct));
    t->output->tick(t->state, acct_snapshot(t->acct), &t->text);
}

static void teller_finish(struct teller *t) {
    t->output->close(t->state);
    bus_destroy(t->bus);
    acct_destroy(t->acct);
    buf_finish(&t->text);
}

struct both {
    struct frame_sink to[2];
};

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct both *b = ctx;
    for (int i = 0; i < 2; i++)
        b->to[i].frame(b->to[i].ctx, s, f);
}

static void live(struct e2e *e, struct teller *t, struct trace_writer *w) {
    struct host_options o = {.root = e->root, .delay_ns = 60000000};
    struct both both = {{bus_sink(t->bus), trace_writer_sink(w)}};
    struct frame_sink sink = {&both, on_frame};
    struct host *host;
    struct source *source;
    assert_int_equal(host_create(&o, &host, NULL), ERR_OK);
    assert_int_equal(live_create(host, &backend_table, &source, NULL), ERR_OK);
    for (int i = 0; i < TICKS; i++) {
        if (i > 0) {
            nanosleep(&(struct timespec){0, 60000000}, NULL);
            assert_true(synth_step(e->machine, i % 3 ? 60000000 : 1900000000));
        }
        assert_int_equal(source->ops->read(source, clock_mono_ns(), &sink), ERR_OK);
        teller_tick(t);
    }
    source->ops->close(source);
    host_destroy(host);
}

static void replay(const char *path, struct teller *t) {
    struct frame_sink sink = bus_sink(t->bus);
    struct source *source;
    assert_int_equal(trace_open(path, &backend_table, &source, NULL), ERR_OK);
    while (source->ops->read(source, 0, &sink) == ERR_OK)
        teller_tick(t);
    assert_null(trace_note(source));
    source->ops->close(source);
}

/* The text with the last key of each line, the cost, cut off. */
static char *without_cost(const struct buf *text, unsigned *lines) {
    char *out = malloc(text->n + 1), *to = out;
    const char *p = text->p, *end = text->p + text->n;
    assert_non_null(out);
    *lines = 0;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const char *cost = memmem(p, (size_t)(stop - p), ",\"cost\":", 8);
        assert_non_null(cost);
        assert_null(memchr(cost + 1, '[', (size_t)(stop - cost - 1)));
        to = (char *)mempcpy(to, p, (size_t)(cost - p));
        *to++ = '\n';
        p = stop + 1;
        ++*lines;
    }
    *to = '\0';
    return out;
}

static void assert_law(const struct synth_options *o, bool compress) {
    struct trace_write_options how = {.compress = compress};
    struct trace_writer *writer;
    struct teller said, played;
    unsigned a_lines, b_lines;
    struct e2e e = e2e_machine(o);
    char *path = e2e_path(&e, "law.gwt");
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    teller_init(&said, false);
    teller_init(&played, true);
    assert_int_equal(trace_writer_create(fd, &backend_table, &how, &writer), ERR_OK);
    live(&e, &said, writer);
    assert_int_equal(trace_writer_close(writer, NULL), ERR_OK);
    replay(path, &played);
    char *a = without_cost(&said.text, &a_lines), *b = without_cost(&played.text, &b_lines);
    assert_int_equal(a_lines, TICKS);
    assert_int_equal(b_lines, TICKS);
    if (strcmp(a, b) != 0) {
        size_t at = 0;
        while (a[at] == b[at])
            at++;
        size_t from = at > 200 ? at - 200 : 0;
        fail_msg("live:   %.400s\nreplay: %.400s", a + from, b + from);
    }
    free(a);
    free(b);
    free(path);
    teller_finish(&said);
    teller_finish(&played);
    e2e_finish(&e);
}

static void all_drivers_with_events(void **state) {
    struct synth_options o = {
        .gpus = "amdgpu,i915,xe,panthor,panfrost,msm,v3d,amdxdna,amdgpu-old,amdgpu-mobile:asleep",
        .processes = 60,
        .fds = 10,
        .clients = 40,
        .seed = 21,
        .events = true,
        .hostile = true};
    (void)state;
    assert_law(&o, false);
    assert_law(&o, true);
}

static void the_demonstration(void **state) {
    struct synth_options o = {.gpus = "amdgpu,amdgpu-mobile:asleep", .fds = 9, .demo = true};
    (void)state;
    assert_law(&o, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_drivers_with_events),
                                       cmocka_unit_test(the_demonstration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
