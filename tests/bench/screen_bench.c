/*
 * What the screen costs: a whole redraw, choosing rows, the time from a key to bytes, the bytes of a tick, and
 * whether memory grows over many ticks (GWTOP_SOAK_TICKS, 50,000 unless given: 1,000,000 are eleven days).
 */
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include "chronicle.h"
#include "gwtop/term.h"
#include "gwtop/view.h"
#include "measure.h"
#include "scratch.h"
#include "snap_cases.h"
#include "terminal.h"

#define SECOND INT64_C(1000000000)

static const struct ui_play play = {
    .busy_ppm = -1, .speed_milli = 1000, .delay_ns = SECOND, .now_real_ns = SECOND};

/* ---- a whole redraw -------------------------------------------------------------------------- */

/* On a terminal of its own, whose other end is read; gives microseconds. */
static double redraw_us(void) {
    const struct ui_options o = {.unicode = true};
    const struct term_options how = {0};
    struct measure m = {0};
    struct grid g = {0};
    struct err_info info = {0};
    struct term *term;
    struct ui *ui;
    struct snap b;
    setenv("TERM", "xterm-256color", 1);
    setlocale(LC_CTYPE, "C.UTF-8");
    snap_many(&b, 2, 60, 1);
    if (term_open(&how, &term, &info) != ERR_OK || ui_create(&o, &ui) != ERR_OK ||
        grid_resize(&g, 60, 200) != ERR_OK)
        return 0;
    for (int i = 0; i < 200; i++) {
        b.s.tick++;
        measure_begin(&m);
        ui_render(ui, snap_get(&b), &play, &g);
        term_redraw(term);
        term_draw(term, &g);
        measure_end(&m);
        measure_sleep_ms(2);
    }
    term_close(term);
    ui_destroy(ui);
    grid_finish(&g);
    snap_finish(&b);
    return measure_cpu_us(&m);
}

static void drain(int fd) {
    char bytes[65536];
    while (read(fd, bytes, sizeof bytes) > 0)
        continue;
}

static void bench_redraw(void) {
    struct winsize size = {.ws_row = 60, .ws_col = 200};
    int master, slave, result[2];
    double us = 0;
    if (openpty(&master, &slave, NULL, NULL, &size) != 0 || pipe(result) != 0)
        return;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        close(master);
        login_tty(slave);
        us = redraw_us();
        _exit(write(result[1], &us, sizeof us) != sizeof us);
    }
    close(slave);
    close(result[1]);
    drain(master);
    if (read(result[0], &us, sizeof us) == sizeof us)
        measure_verdict("a full redraw of 200x60", us / 1e3, "ms", 2, false);
    waitpid(pid, NULL, 0);
    close(master);
    close(result[0]);
}

/* ---- choosing rows --------------------------------------------------------------------------- */

static void bench_select(void) {
    struct table_query q = {0};
    struct row_list list = {0};
    struct measure m = {0};
    struct err_info info = {0};
    struct snap b;
    snap_many(&b, 4, 10000, 3);
    const struct snapshot *s = snap_get(&b);
    if (filter_parse(span_of("gpu>=0 and not user=nobody"), &q.filter, &info) != ERR_OK ||
        table_sort_parse(span_of("vram,gpu,command"), &q, &info) != ERR_OK)
        return;
    for (int i = 0; i < 100; i++) {
        measure_begin(&m);
        (void)table_select(s, &q, &list);
        measure_end(&m);
    }
    measure_verdict("filter and sort of 10,000 rows", measure_cpu_us(&m) / 1e3, "ms", 5, false);
    row_list_finish(&list);
    snap_finish(&b);
}

/* ---- the real program ------------------------------------------------------------------------- */

static const char *const env[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8", NULL};

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bench_key(const char *dir) {
    enum { PRESSES = 300 };
    static const struct synth_options machine = {
        .gpus = "amdgpu,i915", .processes = 2100, .fds = 5, .clients = 2000, .seed = 4};
    double took[PRESSES] = {0};
    unsigned n = 0;
    char *root = path_join(dir, "machine");
    struct synth *synth = synth_create(root, &machine);
    const char *const args[] = {"--root", root, "-d", "250ms", NULL};
    const struct program p = {.args = args, .env = env};
    struct terminal *t = synth ? terminal_start(&p, 60, 200) : NULL;
    if (t)
        terminal_pump(t, 5, 3);
    for (int i = 0; t && i < PRESSES; i++) {
        double s = terminal_answer(t, i % 40 < 20 ? "\033OB" : "\033OA", 1);
        took[n] = s;
        n += s >= 0;
        measure_sleep_ms(13); /* keys fall on all parts of a tick */
    }
    qsort(took, n, sizeof *took, compare);
    if (n > 0)
        measure_verdict("a key to bytes, 2,000 processes, 99th percentile",
                        took[(n * 99) / 100] * 1e3, "ms", 10, false);
    if (t)
        terminal_finish(t);
    synth_close(synth);
    scratch_remove(root);
}

static void bench_bytes(const char *dir) {
    enum { TICKS = 120 };
    static const struct synth_options machine = {
        .gpus = "amdgpu", .processes = 35, .fds = 4, .clients = 30, .seed = 5};
    struct err_info info = {0};
    char *root = path_join(dir, "moving");
    char *path = path_join(dir, "moving.gwt");
    struct chronicle c = {
        .root = root, .machine = synth_create(root, &machine), .ticks = TICKS, .delay_ns = SECOND};
    const char *const args[] = {"replay", path, "--speed", "20", NULL};
    const struct program p = {.args = args, .env = env};
    size_t first = 0, all = 0;
    if (c.machine &&
        chronicle_write(&c, open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), &info) == ERR_OK) {
        struct terminal *t = terminal_start(&p, 60, 200);
        terminal_pump(t, 0.04, 0.3);
        terminal_output(t, &first);
        terminal_pump(t, 1, 20);
        terminal_output(t, &all);
        terminal_finish(t);
        measure_verdict("bytes a tick, 200x60, 30 moving rows", (double)(all - first) / (TICKS - 2),
                        "B", 4096, false);
    }
    synth_close(c.machine);
    scratch_remove(root);
    free(path);
}

/* ---- many ticks ------------------------------------------------------------------------------- */

static unsigned long resident_kib(void) {
    size_t n;
    char *text = file_read("/proc/self/statm", &n);
    unsigned long pages = text && strchr(text, ' ') ? strtoul(strchr(text, ' '), NULL, 10) : 0;
    free(text);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

/* Processes come and go all the time. */
static void bench_soak(void) {
    const char *given = getenv("GWTOP_SOAK_TICKS");
    unsigned long ticks = given ? strtoul(given, NULL, 10) : 50000, before = 0;
    const struct ui_options o = {.unicode = true};
    struct grid g = {0};
    struct ui *ui;
    struct snap b;
    char name[64];
    snap_many(&b, 2, 40, 7);
    if (ui_create(&o, &ui) != ERR_OK || grid_resize(&g, 24, 80) != ERR_OK)
        return;
    for (unsigned long i = 0; i < ticks; i++) {
        b.s.tick++;
        b.s.t_ns += SECOND;
        struct snap_process *p = &b.processes[i % b.s.process_count];
        p->pid = (int32_t)(p->pid % 4000000 + 40);
        p->start++;
        p->busy_ppm.v = (int64_t)(i * 7919 % 1000000);
        ui_render(ui, snap_get(&b), &play, &g);
        if (i == ticks / 10)
            before = resident_kib();
    }
    unsigned long after = resident_kib();
    snprintf(name, sizeof name, "growth over %lu ticks", ticks);
    measure_verdict(name, after > before ? (double)(after - before) : 0, "KiB", 64, false);
    ui_destroy(ui);
    grid_finish(&g);
    snap_finish(&b);
}

int main(void) {
    char *dir = scratch_make();
    printf("screen\n");
    bench_redraw();
    bench_select();
    bench_key(dir);
    bench_bytes(dir);
    bench_soak();
    scratch_remove(dir);
    return 0;
}
