/*
 * From the start to the first picture, on a machine with 1,000 real processes of 50 descriptors. Whoever has rights to
 * drop does so first: root is measured as well as a user who has none, where we are root.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"
#include "sleepers.h"
#include "terminal.h"

enum { STARTS = 15, PROCESSES = 1000 };

static const char *const env[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8", "HOME=/nonexistent",
                                  NULL};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians; the picture is there when its last line is. */
static void bench_start(const char *who, bool bare_root) {
    const struct program p = {.args = PROGRAM_ARGS("-d", "10"), .env = env, .bare_root = bare_root};
    double byte_ms[STARTS], picture_ms[STARTS];
    unsigned n = 0;
    char name[80];
    for (int i = 0; i < STARTS; i++) {
        double begin = now_ms();
        struct terminal *t = terminal_start(&p, 50, 160);
        if (!t || !terminal_expect(t, "\033", 10))
            break;
        byte_ms[n] = now_ms() - begin;
        if (terminal_expect(t, "Quit", 10))
            picture_ms[n++] = now_ms() - begin;
        terminal_finish(t);
    }
    if (n == 0)
        return;
    qsort(byte_ms, n, sizeof *byte_ms, compare);
    qsort(picture_ms, n, sizeof *picture_ms, compare);
    snprintf(name, sizeof name, "start to first byte, %s, 1,000 x 50", who);
    measure_verdict(name, byte_ms[n / 2], "ms", 50, false);
    snprintf(name, sizeof name, "start to first picture, %s, 1,000 x 50", who);
    measure_verdict(name, picture_ms[n / 2], "ms", 50, false);
}

int main(void) {
    static const struct sleepers crowd = {.count = PROCESSES, .descriptors = 50};
    static pid_t pids[PROCESSES];
    printf("start\n");
    bool up = sleepers_start(&crowd, pids);
    if (!up)
        printf("  not run: the processes did not start\n");
    if (up && geteuid() == 0)
        bench_start("as root", false);
    if (up)
        bench_start("without rights", geteuid() == 0);
    sleepers_end(&crowd, pids);
    return 0;
}
