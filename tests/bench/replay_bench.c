/*
 * How fast a recording plays: 200 clients at 1 Hz for ten minutes, plain and compressed, through the real
 * program with --speed max --json. Times real time, and the memory it takes. Then a full buffer of Mali events
 * as people read them, within this process and through the program.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chronicle.h"
#include "gwtop/acct.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "measure.h"
#include "program.h"
#include "scratch.h"

#define TICKS  600
#define EVENTS 1048576u /* lines of a full buffer */

static bool record(const char *dir, const char *path, bool compress) {
    struct err_info info = {0};
    struct synth_options o = {
        .gpus = "amdgpu", .processes = 210, .fds = 5, .clients = 200, .seed = 2};
    char *root = path_join(dir, "root");
    struct synth *machine = synth_create(root, &o);
    struct chronicle c = {.root = root,
                          .machine = machine,
                          .ticks = TICKS + 1,
                          .delay_ns = 1000000000,
                          .compress = compress};
    enum err e = machine
                     ? chronicle_write(&c, open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), &info)
                     : ERR_IO;
    if (e != ERR_OK)
        fprintf(stderr, "replay_bench: %s %s\n", err_text(e), info.text);
    synth_close(machine);
    scratch_remove(root);
    return e == ERR_OK;
}

/* CPU time of the children that ended, us. */
static double children_us(void) {
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Five runs; gives the peak of their memory, KiB. */
static unsigned long run_program(const char *const *args, struct measure *m) {
    unsigned long peak_kib = 0;
    for (int i = 0; i < 5; i++) {
        struct program p = {.args = args};
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC), status = 0;
        double cpu_us = children_us();
        measure_begin(m);
        pid_t pid = program_start(&p, null, STDERR_FILENO);
        while (waitpid(pid, &status, WNOHANG) == 0) {
            unsigned long now = measure_peak_kib(pid);
            peak_kib = now > peak_kib ? now : peak_kib;
            measure_sleep_ms(5);
        }
        measure_end(m);
        m->cpu_us[m->count - 1] = children_us() - cpu_us;
        close(null);
        if (status != 0)
            fprintf(stderr, "replay_bench: replay ended with %d\n", status);
    }
    return peak_kib;
}

static void play(const char *path, const char *what) {
    struct measure m = {0};
    struct stat st = {0};
    stat(path, &st);
    unsigned long peak_kib =
        run_program(PROGRAM_ARGS("replay", path, "--speed", "max", "--json"), &m);
    printf("  %s: %.1f MB, %.0f ms, %.0f ms of CPU, peak %.1f MiB\n", what,
           (double)st.st_size / 1e6, measure_wall_us(&m) / 1e3, measure_cpu_us(&m) / 1e3,
           (double)peak_kib / 1024);
    measure_verdict("replay --speed max --json / real time, wall",
                    TICKS * 1e6 / measure_wall_us(&m), "x", 1000, true);
    measure_verdict("replay --speed max --json / real time, CPU", TICKS * 1e6 / measure_cpu_us(&m),
                    "x", 1000, true);
}

/* ---- events ----------------------------------------------------------------------------------- */

/* Jobs of 20 us on five units in turn, 16 s of them; each 1000th line tells a rate. */
static bool write_events(const char *path) {
    static const unsigned unit[] = {1, 5, 6, 7, 8};
    FILE *f = fopen(path, "w");
    for (unsigned i = 0; f && i < EVENTS; i++) {
        unsigned k = i / 2 % 5, stop = i % 2;
        unsigned id = i % 1000 == 0 ? 1376257 : (stop ? 2u << 24 : 1u << 24) | unit[k] << 16;
        unsigned long long t = 1000000000ull + i * 15000ull;
        fprintf(f, "%llu %u %u %u %u 0 0 # [%06u] %s | HW | CHANNEL %u | T0 + 0x%016llX | %-30s\n", t,
                id, i % 1000 == 0 ? 440u : stop ? 0u : 1000 + k, i % 1000 == 0 ? 1025u : 0u,
                stop ? 0xffffffffu : 0, i, stop ? "STOP" : "START", unit[k], t, "PID and TID");
    }
    return f && fclose(f) == 0;
}

/* File source, bus, fold and accounting, in ticks of a second. */
static bool take_events(const char *path) {
    unsigned backend = backend_find(&backend_table, span_of("mali"));
    struct source *s = NULL;
    struct acct *acct = NULL;
    struct bus *bus = NULL;
    bool all = false;
    if (backend > 0 && acct_create(NULL, &acct) == ERR_OK &&
        bus_create(&backend_table, &bus) == ERR_OK &&
        file_open(path, &backend_table, backend, 0, NULL, 1000000000, &s, NULL) == ERR_OK) {
        struct subscriber to = acct_subscriber(acct);
        bus_subscribe(bus, &to);
        struct frame_sink sink = bus_sink(bus);
        while (s->ops->read(s, 0, &sink) == ERR_OK)
            acct_finish(acct);
        all = bus_counts(bus)->accepted == EVENTS;
        s->ops->close(s);
    }
    bus_destroy(bus);
    acct_destroy(acct);
    return all;
}

static void bench_events(const char *path) {
    struct measure within = {0}, program = {0};
    struct stat st = {0};
    bool all = write_events(path) && stat(path, &st) == 0;
    for (int i = 0; all && i < 5; i++) {
        measure_begin(&within);
        all = take_events(path);
        measure_end(&within);
    }
    if (!all) {
        fprintf(stderr, "replay_bench: not all events were taken\n");
        return;
    }
    unsigned long peak_kib = run_program(PROGRAM_ARGS("replay", path, "--once", "--json"), &program);
    printf("\nMali events, %u lines for people, %.0f MB (median of 5)\n", EVENTS,
           (double)st.st_size / 1e6);
    printf("  file, bus, fold and accounting: %.0f ms; replay --once --json: %.0f ms, peak %.1f MiB\n",
           measure_wall_us(&within) / 1e3, measure_wall_us(&program) / 1e3, (double)peak_kib / 1024);
    measure_verdict("Mali events through file source and accounting",
                    EVENTS / measure_wall_us(&within), "M lines/s", 5, true);
    measure_verdict("replay --once --json of a full buffer, wall", measure_wall_us(&program) / 1e6,
                    "s", 0.3, false);
}

int main(void) {
    char *dir = scratch_make();
    char *plain = path_join(dir, "plain.gwt"), *packed = path_join(dir, "packed.gwt.zst");
    char *events = path_join(dir, "events_human_readable");
    printf("\nReplay of 200 clients, %d s at 1 Hz (median of 5)\n", TICKS);
    if (record(dir, plain, false))
        play(plain, "plain");
    if (record(dir, packed, true))
        play(packed, "compressed");
    bench_events(events);
    free(events);
    free(plain);
    free(packed);
    scratch_remove(dir);
    return 0;
}
