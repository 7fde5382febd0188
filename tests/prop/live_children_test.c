/*
 * The real program in the real /proc: children that hold descriptors of DRM nodes (O_PATH: there is no driver),
 * with a synthetic machine's fdinfo over their own. It finds them all, by number of the node and not by name,
 * sees who exits, and counts clients as the machine has them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ndjson.h"
#include "program.h"
#include "stage.h"

enum { STEP_MS = 300, STEPS = 200, VICTIM_AT = 3 };

struct watch {
    struct stage *s;
    pid_t victim;
    double moved_s[STEPS]; /* when the machine had moved on */
    unsigned moves;
    double killed_s; /* when the victim was gone */
    json_t *ticks;
};

static double wall_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* How often the machine surely had moved before this tick began. */
static unsigned moves_before(const struct watch *w, json_t *tick) {
    unsigned n = 0;
    while (n < w->moves && w->moved_s[n] < number_at(tick, "t_s"))
        n++;
    return n;
}

/* After each tick the machine moves on; true once one has seen all of it: moves, and that the victim is gone. */
static bool take_line(struct watch *w, const char *line, size_t n) {
    json_t *tick = json_loadb(line, n, 0, NULL);
    if (!tick || w->moves == STEPS)
        return true;
    json_array_append_new(w->ticks, tick);
    bool all = w->killed_s > 0 && w->killed_s < number_at(tick, "t_s");
    if (all && moves_before(w, tick) >= VICTIM_AT)
        return true;
    synth_step(w->s->machine, STEP_MS * INT64_C(1000000));
    w->moved_s[w->moves++] = wall_s();
    if (w->moves == VICTIM_AT) {
        kill(w->victim, SIGKILL);
        waitpid(w->victim, NULL, 0);
        w->killed_s = wall_s();
    }
    return false;
}

/* The ticks of a run beside which the machine moves; false: it did not go well. */
static bool watch(struct watch *w) {
    struct program p = {.args = PROGRAM_ARGS("--json", "-d", "300ms")};
    char *line = NULL;
    size_t cap = 0;
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    w->ticks = json_array();
    pid_t pid = program_start(&p, out[1], STDERR_FILENO);
    close(out[1]);
    FILE *f = fdopen(out[0], "r");
    ssize_t n = f ? getline(&line, &cap, f) : -1;
    while (n > 0 && !take_line(w, line, (size_t)n))
        n = getline(&line, &cap, f);
    kill(pid, SIGTERM);
    while (f && getline(&line, &cap, f) > 0)
        continue;
    if (f)
        fclose(f);
    free(line);
    return program_wait(pid, PROGRAM_PATIENCE_S, NULL) == 0 && n > 0;
}

static unsigned faults;

static void expect(bool claim, const char *what) {
    if (claim)
        return;
    fprintf(stderr, "live_children: %s\n", what);
    faults++;
}

static unsigned all_clients(json_t *tick) {
    size_t i;
    double n = 0;
    json_t *p;
    json_array_foreach(json_object_get(tick, "processes"), i, p) {
        n += number_at(p, "clients");
    }
    return (unsigned)n;
}

/* Per second of the machine; between what it had for sure done before the last tick and what it has done by now. */
static void expect_busy(const struct watch *w, json_t *last, pid_t shell) {
    const double part = 0.14 * STEP_MS / 1e3;
    double busy =
        number_at(process_engine(tick_process(last, shell, "0000:03:00.0"), "gfx"), "busy_s");
    expect(busy > part * (moves_before(w, last) - 0.1) && busy < part * (w->moves + 0.1),
           "its busy time");
}

static int body(struct stage *s, void *ctx) {
    (void)ctx;
    pid_t shell = stage_pid(s, 2201), player = stage_pid(s, 9034), game = stage_pid(s, 51702);
    struct watch w = {.s = s, .victim = game};
    expect(watch(&w), "ticks to the end");
    size_t count = json_array_size(w.ticks);
    if (count < 2)
        return 1;
    json_t *second = json_array_get(w.ticks, 1), *last = json_array_get(w.ticks, count - 1);
    expect(json_array_size(json_object_get(second, "devices")) == 2, "two devices");
    expect(all_clients(second) == s->o.clients, "all clients, each once");
    json_t *p = tick_process(second, shell, "0000:03:00.0");
    expect(p && strcmp(text_at(p, "name"), "gnome-shell") == 0, "the compositor by its name");
    expect(p && number_at(p, "clients") == 2, "with its two clients");
    expect(tick_process(second, player, "0000:07:00.0") != NULL, "mpv on the second card");
    expect_busy(&w, last, shell);
    p = tick_process(last, game, NULL);
    expect(p && json_is_true(json_object_get(p, "exited")), "who was killed has exited");
    expect(all_clients(last) == s->o.clients - 2, "and its clients are gone");
    expect(number_at(json_object_get(last, "unreadable"), "count") == 0, "nobody is unreadable");
    json_decref(w.ticks);
    return faults ? 1 : 0;
}

static void real_processes_are_found(void **state) {
    struct stage_options o = {.gpus = "amdgpu,i915", .processes = 60, .fds = 40, .clients = 24};
    (void)state;
    int status = stage_run(&o, body, NULL);
    if (status == STAGE_UNABLE)
        skip();
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_processes_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
