/*
 * How fast a recording plays: 200 clients at 1 Hz for ten minutes, plain and compressed, through the real
 * program with --speed max --json. Times real time, and the memory it takes.
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
#include "measure.h"
#include "program.h"
#include "scratch.h"

#define TICKS 600

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

static void play(const char *path, const char *what) {
    struct measure m = {0};
    struct stat st = {0};
    unsigned long peak_kib = 0;
    stat(path, &st);
    for (int i = 0; i < 5; i++) {
        struct program p = {.args = PROGRAM_ARGS("replay", path, "--speed", "max", "--json")};
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC), status = 0;
        double cpu_us = children_us();
        measure_begin(&m);
        pid_t pid = program_start(&p, null, STDERR_FILENO);
        while (waitpid(pid, &status, WNOHANG) == 0) {
            unsigned long now = measure_peak_kib(pid);
            peak_kib = now > peak_kib ? now : peak_kib;
            measure_sleep_ms(5);
        }
        measure_end(&m);
        m.cpu_us[m.count - 1] = children_us() - cpu_us;
        close(null);
        if (status != 0)
            fprintf(stderr, "replay_bench: replay ended with %d\n", status);
    }
    printf("  %s: %.1f MB, %.0f ms, %.0f ms of CPU, peak %.1f MiB\n", what,
           (double)st.st_size / 1e6, measure_wall_us(&m) / 1e3, measure_cpu_us(&m) / 1e3,
           (double)peak_kib / 1024);
    measure_verdict("replay --speed max --json / real time, wall",
                    TICKS * 1e6 / measure_wall_us(&m), "x", 1000, true);
    measure_verdict("replay --speed max --json / real time, CPU", TICKS * 1e6 / measure_cpu_us(&m),
                    "x", 1000, true);
}

int main(void) {
    char *dir = scratch_make();
    char *plain = path_join(dir, "plain.gwt"), *packed = path_join(dir, "packed.gwt.zst");
    printf("\nReplay of 200 clients, %d s at 1 Hz (median of 5)\n", TICKS);
    if (record(dir, plain, false))
        play(plain, "plain");
    if (record(dir, packed, true))
        play(packed, "compressed");
    free(plain);
    free(packed);
    scratch_remove(dir);
    return 0;
}
