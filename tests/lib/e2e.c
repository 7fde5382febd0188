/* Driving the real program for tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "e2e.h"
#include "ndjson.h"
#include "scratch.h"

struct e2e e2e_machine(const struct synth_options *o) {
    struct e2e e = {.root = scratch_make()};
    e.machine = synth_create(e.root, o);
    assert_non_null(e.machine);
    return e;
}

void e2e_finish(struct e2e *e) {
    synth_close(e->machine);
    scratch_remove(e->root);
    *e = (struct e2e){0};
}

int e2e_begin(void **state, const struct synth_options *o) {
    struct e2e *e = calloc(1, sizeof *e);
    assert_non_null(e);
    *e = e2e_machine(o);
    *state = e;
    return 0;
}

int e2e_end(void **state) {
    e2e_finish(*state);
    free(*state);
    return 0;
}

char *e2e_path(const struct e2e *e, const char *format, ...) {
    char rest[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(rest, sizeof rest, format, args);
    va_end(args);
    return path_join(e->root, "%s", rest);
}

char *e2e_call(const struct program *p, int want_status) {
    struct program_result r;
    program_run(p, &r);
    if (r.timed_out || r.status != want_status)
        fail_msg("status %d%s: %s", r.status, r.timed_out ? " (did not end)" : "", r.err);
    char *out = r.out;
    r.out = NULL;
    program_finish(&r);
    return out;
}

char *e2e_run(const struct e2e *e, const char *const *args, int want_status) {
    const char *all[48] = {"--root", e->root};
    for (int i = 0; i < 44 && args[i]; i++)
        all[i + 2] = args[i];
    return e2e_call(&(struct program){.args = all, .bare_root = true}, want_status);
}

/* ---- ticks ---------------------------------------------------------------------------------------------- */

struct ticker {
    pid_t pid;
    int fd;
    char *line;
    size_t n;
    size_t cap;
    size_t taken; /* bytes of the line given out last */
    json_t *tick;
    unsigned torn;
    double fresh_s; /* a tick that began before this time is not what the test waits for */
};

struct ticker *ticker_start(const struct e2e *e, const char *delay) {
    struct ticker *t = calloc(1, sizeof *t);
    int out[2];
    struct program p = {.args = PROGRAM_ARGS("--root", e->root, "--json", "-d", delay),
                        .bare_root = true};
    assert_non_null(t);
    t->cap = 1 << 18;
    t->line = malloc(t->cap);
    assert_non_null(t->line);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    t->pid = program_start(&p, out[1], STDERR_FILENO);
    assert_true(t->pid > 0);
    close(out[1]);
    t->fd = out[0];
    return t;
}

static void read_more(struct ticker *t) {
    struct pollfd f = {t->fd, POLLIN, 0};
    if (t->cap - t->n < 65536) {
        t->cap *= 2;
        t->line = realloc(t->line, t->cap);
        assert_non_null(t->line);
    }
    if (poll(&f, 1, (int)(PROGRAM_PATIENCE_S * 1000)) <= 0)
        fail_msg("no tick comes");
    ssize_t k = read(t->fd, t->line + t->n, t->cap - t->n);
    if (k <= 0)
        fail_msg("it ended with %d", program_wait(t->pid, 20, NULL));
    t->n += (size_t)k;
}

static json_t *next_line(struct ticker *t) {
    char *end;
    json_error_t error;
    memmove(t->line, t->line + t->taken, t->n - t->taken);
    t->n -= t->taken;
    t->taken = 0;
    while (!(end = memchr(t->line, '\n', t->n)))
        read_more(t);
    t->taken = (size_t)(end - t->line) + 1;
    json_decref(t->tick);
    t->tick = json_loadb(t->line, t->taken, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(t->tick))
        fail_msg("not an object: %s", error.text);
    e2e_assert_lawful(t->tick);
    return t->tick;
}

json_t *ticker_next(struct ticker *t) {
    json_t *tick = next_line(t);
    for (; number_at(tick, "t_s") < t->fresh_s; t->torn++)
        tick = next_line(t);
    return tick;
}

unsigned ticker_torn(const struct ticker *t) {
    return t->torn;
}

/* Each of its threads ends the call that it is in first. */
void ticker_hold(struct ticker *t) {
    siginfo_t info;
    kill(t->pid, SIGSTOP);
    (void)waitid(P_PID, (id_t)t->pid, &info, WSTOPPED | WEXITED | WNOWAIT);
}

/* A tick may have been under way when it was held. */
void ticker_release(struct ticker *t) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    t->fresh_s = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    kill(t->pid, SIGCONT);
}

json_t *ticker_step(struct ticker *t, struct e2e *e, double seconds) {
    ticker_hold(t);
    bool moved = synth_step(e->machine, (int64_t)(seconds * 1e9 + 0.5));
    ticker_release(t);
    assert_true(moved);
    return ticker_next(t);
}

void ticker_finish(struct ticker *t) {
    kill(t->pid, SIGTERM);
    close(t->fd); /* nobody reads what it still had to say */
    bool late;
    int status = program_wait(t->pid, PROGRAM_PATIENCE_S, &late);
    assert_false(late);
    assert_int_equal(status, 0);
    json_decref(t->tick);
    free(t->line);
    free(t);
}

/* ---- laws ---------------------------------------------------------------------------------------------------- */

void e2e_assert_near(json_t *object, const char *key, double want, double slack, const char *file,
                     int line) {
    double have = number_at(object, key);
    if (fabs(have - want) <= slack)
        return;
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    print_error("%s is %.9g, not %.9g (+-%g), in %.1500s\n", key, have, want, slack,
                text ? text : "nothing");
    free(text);
    _fail(file, line);
}

static void assert_figure(json_t *object, const char *key, double most) {
    json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    if (json_is_number(value) && (number < 0 || number > most))
        fail_msg("%s is %g", key, number);
}

/* A null among these has its word in `why`, and only a null. */
static void assert_reasons(json_t *object, const char *const *keys) {
    json_t *why = json_object_get(object, "why");
    for (; *keys; keys++) {
        json_t *value = json_object_get(object, *keys);
        bool said = json_is_string(why) || json_is_string(json_object_get(why, *keys));
        if (value && json_is_null(value) && !said)
            fail_msg("%s is null without a why", *keys);
        if (json_is_number(value) && json_is_object(why) && json_object_get(why, *keys))
            fail_msg("%s has a number and a why", *keys);
    }
}

static void assert_process(json_t *process) {
    static const char *const figures[] = {"busy_pct", "busy_s", "cpu_pct", "rss_B", NULL};
    static const char *const of_engine[] = {"busy_pct", "busy_s", NULL};
    size_t i;
    json_t *engine;
    assert_figure(process, "busy_pct", 100);
    assert_figure(process, "busy_s", 1e9);
    assert_figure(process, "cpu_pct", 1e6);
    assert_reasons(process, figures);
    json_array_foreach(json_object_get(process, "engines"), i, engine) {
        assert_figure(engine, "busy_pct", 100);
        assert_figure(engine, "busy_s", 1e9);
        assert_reasons(engine, of_engine);
    }
}

void e2e_assert_lawful(json_t *tick) {
    size_t i, k;
    json_t *one, *metric;
    assert_string_equal(text_at(tick, "schema"), "gwtop/1");
    json_array_foreach(json_object_get(tick, "processes"), i, one) {
        assert_process(one);
        if (!tick_device(tick, text_at(one, "device")))
            fail_msg("no device %s", text_at(one, "device"));
    }
    json_array_foreach(json_object_get(tick, "devices"), i, one) {
        json_array_foreach(json_object_get(one, "metrics"), k, metric) {
            if (strcmp(text_at(metric, "unit"), "%") == 0)
                assert_figure(metric, "value", 100);
        }
        if (strcmp(text_at(one, "state"), "asleep") == 0)
            assert_int_equal(json_array_size(json_object_get(one, "metrics")), 0);
    }
}
