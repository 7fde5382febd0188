/*
 * synth: writes a synthetic machine for `gwtop --root`.
 *
 *   synth -o DIR -g GPU[,GPU...] [-n CLIENTS] [-p PROCESSES] [-f DESCRIPTORS] [-s SEED] [-e] [-H] [-D]
 *         [-t MS]
 *   synth step DIR SECONDS
 *
 * GPU is a name of tests/lib/synth_gpu.c, with `:asleep` for one that is suspended. -e adds the scripted
 * events (tests/lib/synth_events.c), -H hostile names, -D plays the demonstration scene instead. With -t the
 * machine lives on, moved every MS milliseconds of real time, until the program is ended; without it (or with
 * -t 0) it is written once, and `step` moves it on by a given time. Prints "ready" once the tree is whole.
 */
#include "synth.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void on_end(int signal_number) {
    (void)signal_number;
    ended = 1;
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int usage(void) {
    fprintf(stderr, "usage: synth -o DIR -g GPU[,GPU...] [-n CLIENTS] [-p PROCESSES] [-f FDS]"
                    " [-s SEED] [-e] [-H] [-D] [-t MS]\n"
                    "       synth step DIR SECONDS\n");
    return 2;
}

static int live(struct synth *s, long tick_ms) {
    struct sigaction end = {.sa_handler = on_end};
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGINT, &end, NULL);
    int64_t start = now_ns();
    while (!ended) {
        struct timespec nap = {tick_ms / 1000, tick_ms % 1000 * 1000000};
        nanosleep(&nap, NULL);
        if (!ended && !synth_step(s, now_ns() - start - synth_time_ns(s)))
            return 1;
    }
    return 0;
}

static int step(const char *dir, const char *seconds) {
    struct synth *s = synth_open(dir);
    bool fine = s && synth_step(s, (int64_t)(strtod(seconds, NULL) * 1e9 + 0.5));
    synth_close(s);
    return fine ? 0 : 1;
}

int main(int argc, char **argv) {
    struct synth_options o = {.processes = 40, .fds = 8, .clients = 12, .seed = 1};
    const char *dir = NULL;
    long tick_ms = 0;
    if (argc == 4 && strcmp(argv[1], "step") == 0)
        return step(argv[2], argv[3]);
    for (int c; (c = getopt(argc, argv, "o:t:" SYNTH_LETTERS)) != -1;)
        switch (c) {
        case 'o':
            dir = optarg;
            break;
        case 't':
            tick_ms = strtol(optarg, NULL, 10);
            break;
        default:
            if (!synth_option(&o, c, optarg))
                return usage();
        }
    if (!dir || !o.gpus || optind != argc || tick_ms < 0)
        return usage();
    struct synth *s = synth_create(dir, &o);
    if (!s)
        return 1;
    puts("ready");
    fflush(stdout);
    int status = tick_ms ? live(s, tick_ms) : 0;
    synth_close(s);
    return status;
}
