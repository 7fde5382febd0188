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
#include <unistd.h>

#include "ndjson.h"
#include "program.h"
#include "stage.h"

/* The ticks of a run beside which the machine moves 300 ms at a time. */
static json_t *watch(struct stage *s, pid_t victim) {
    struct program p = {.args = PROGRAM_ARGS("--json", "-d", "300ms", "-n", "6")};
    char *text = NULL;
    size_t n = 0, cap = 0;
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return NULL;
    pid_t pid = program_start(&p, out[1], STDERR_FILENO);
    close(out[1]);
    for (unsigned lines = 0;;) {
        if (cap - n < 65536)
            text = realloc(text, cap = cap ? 2 * cap : 1 << 20);
        ssize_t k = text ? read(out[0], text + n, cap - n - 1) : -1;
        if (k <= 0)
            break;
        for (ssize_t i = 0; i < k; i++)
            if (text[n + (size_t)i] == '\n') {
                synth_step(s->machine, 300000000);
                if (++lines == 3) {
                    kill(victim, SIGKILL);
                    waitpid(victim, NULL, 0);
                }
            }
        n += (size_t)k;
    }
    close(out[0]);
    int status = program_wait(pid, 10, NULL);
    if (text)
        text[n] = '\0';
    json_t *ticks = text && status == 0 ? ndjson_parse(text) : NULL;
    free(text);
    return ticks;
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

static int body(struct stage *s, void *ctx) {
    (void)ctx;
    pid_t shell = stage_pid(s, 2201), player = stage_pid(s, 9034), game = stage_pid(s, 51702);
    json_t *ticks = watch(s, game);
    expect(ticks && json_array_size(ticks) == 6, "six ticks");
    if (!ticks)
        return 1;
    json_t *second = json_array_get(ticks, 1), *last = json_array_get(ticks, 5);
    expect(json_array_size(json_object_get(second, "devices")) == 2, "two devices");
    expect(all_clients(second) == s->o.clients, "all clients, each once");
    json_t *p = tick_process(second, shell, "0000:03:00.0");
    expect(p && strcmp(text_at(p, "name"), "gnome-shell") == 0, "the compositor by its name");
    expect(p && number_at(p, "clients") == 2, "with its two clients");
    expect(tick_process(second, player, "0000:07:00.0") != NULL, "mpv on the second card");
    p = tick_process(last, shell, "0000:03:00.0");
    double busy = number_at(process_engine(p, "gfx"), "busy_s");
    expect(busy > 0.14 * 0.9 && busy < 0.14 * 1.6, "its busy time");
    p = tick_process(last, game, NULL);
    expect(p && json_is_true(json_object_get(p, "exited")), "who was killed has exited");
    expect(all_clients(last) == s->o.clients - 2, "and its clients are gone");
    expect(number_at(json_object_get(last, "unreadable"), "count") == 0, "nobody is unreadable");
    json_decref(ticks);
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
