/*
 * What a steady tick costs, over real processes in one run and at one pace: the least that any program has to
 * do, a walk over every descriptor, gwtop's collecting, gwtop's whole tick with decoding, accounting and JSON.
 * Then how each of them grows with processes, descriptors and clients; the memory and the start of the real
 * program.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocations.h"
#include "gwtop/acct.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "gwtop/out.h"
#include "gwtop/source.h"
#include "measure.h"
#include "program.h"
#include "scan.h"
#include "stage.h"

/* ---- gwtop's tick, in this process ------------------------------------------------------------------------ */

struct gwtop {
    struct host *host;
    struct source *live;
    struct acct *acct;
    struct bus *bus;
    const struct output *output;
    struct out_state *state;
    struct buf text;
    struct out_options options;
};

static bool gwtop_init(struct gwtop *g) {
    struct host_options o = {.delay_ns = 250000000};
    struct err_info info = {0};
    *g = (struct gwtop){.output = output_find(span_of("json"))};
    enum err e = host_create(&o, &g->host, &info);
    if (e == ERR_OK)
        e = live_create(g->host, &backend_table, &g->live, &info);
    if (e == ERR_OK)
        e = acct_create(NULL, &g->acct);
    if (e == ERR_OK)
        e = bus_create(&backend_table, &g->bus);
    if (e == ERR_OK) {
        struct subscriber s = acct_subscriber(g->acct);
        e = bus_subscribe(g->bus, &s);
    }
    if (e == ERR_OK)
        e = g->output->open(&g->options, &g->state);
    if (e != ERR_OK)
        fprintf(stderr, "tick_bench: %s %s\n", err_text(e), info.text);
    return e == ERR_OK;
}

static void gwtop_finish(struct gwtop *g) {
    if (g->state)
        g->output->close(g->state);
    if (g->live)
        g->live->ops->close(g->live);
    host_destroy(g->host);
    bus_destroy(g->bus);
    acct_destroy(g->acct);
    buf_finish(&g->text);
}

static void drop_frame(void *ctx, const struct subject *s, const struct frame *f) {
    (void)s;
    *(uint64_t *)ctx += f->size;
}

static void gwtop_collect(struct gwtop *g) {
    uint64_t bytes = 0;
    struct frame_sink nowhere = {&bytes, drop_frame};
    g->live->ops->read(g->live, clock_mono_ns(), &nowhere);
}

static void gwtop_tick(struct gwtop *g) {
    struct frame_sink sink = bus_sink(g->bus);
    g->live->ops->read(g->live, clock_mono_ns(), &sink);
    buf_clear(&g->text);
    if (acct_snapshot(g->acct))
        g->output->tick(g->state, acct_snapshot(g->acct), &g->text);
}

/* ---- one measured set ----------------------------------------------------------------------------------------- */

enum way { FLOOR, BY_LINK, BY_NUMBER, COLLECT, TICK, WAY_COUNT };
static const char *const way_name[WAY_COUNT] = {
    "floor: list, sizes, kept files", "every descriptor by readlinkat",
    "every descriptor by fstatat", "gwtop: collecting", "gwtop: whole tick with JSON"};

struct set {
    struct stage *on;
    struct stage_options stage;
    unsigned passes;
    unsigned pause_ms;
    struct measure m[WAY_COUNT];
    unsigned long descriptors;
    unsigned clients;
    unsigned clients_seen;
    unsigned long allocations; /* of all measured whole ticks */
    size_t json_bytes;
};

static void pass(struct set *set, struct scan *scan, struct gwtop *g, enum way way) {
    synth_step(set->on->machine, set->pause_ms * INT64_C(1000000)); /* no text stays as it was */
    measure_sleep_ms(set->pause_ms);
    measure_begin(&set->m[way]);
    if (way == FLOOR)
        scan_floor(scan);
    else if (way == BY_LINK || way == BY_NUMBER)
        scan_all(scan, way == BY_LINK ? SCAN_BY_LINK : SCAN_BY_NUMBER);
    else if (way == COLLECT)
        gwtop_collect(&g[0]);
    else
        gwtop_tick(&g[1]);
    measure_end(&set->m[way]);
}

static void warm_up(struct scan *scan, struct gwtop *g) {
    scan_all(scan, SCAN_BY_LINK);
    scan_keep(scan);
    scan_floor(scan);
    for (int i = 0; i < 12; i++) {
        gwtop_collect(&g[0]);
        gwtop_tick(&g[1]);
        measure_sleep_ms(100);
    }
}

static int measure_set(struct set *set) {
    struct gwtop g[2];
    struct scan *scan = scan_create();
    bool fine = scan && gwtop_init(&g[0]) && gwtop_init(&g[1]);
    if (!fine)
        return 1;
    warm_up(scan, g);
    for (unsigned i = 0; i < set->passes; i++)
        for (enum way way = 0; way < WAY_COUNT; way++) {
            unsigned long before = allocations_so_far();
            pass(set, scan, g, way);
            if (way == TICK)
                set->allocations += allocations_so_far() - before;
        }
    set->descriptors = scan_descriptors(scan);
    set->clients = scan_clients(scan);
    set->json_bytes = g[1].text.n;
    const struct snapshot *s = acct_snapshot(g[1].acct);
    set->clients_seen = s ? s->client_count : 0;
    gwtop_finish(&g[0]);
    gwtop_finish(&g[1]);
    scan_destroy(scan);
    return 0;
}

static double walk_us(const struct set *set) {
    double link = measure_wall_us(&set->m[BY_LINK]), number = measure_wall_us(&set->m[BY_NUMBER]);
    return link < number ? link : number;
}

/* ---- the real program ---------------------------------------------------------------------------------------------- */

/* Microseconds from fork to its first byte, then the highest memory once `ticks` lines came. */
static double run_program(unsigned ticks, const char *const *args, unsigned long *peak_kib) {
    int out[2];
    struct measure m = {0};
    static char some[1 << 16];
    if (pipe2(out, O_CLOEXEC) != 0)
        return 0;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    measure_begin(&m);
    pid_t pid = program_start(&(struct program){.args = args}, out[1], null);
    close(out[1]);
    ssize_t n = read(out[0], some, sizeof some);
    measure_end(&m);
    for (unsigned lines = 0; n > 0;) {
        for (ssize_t i = 0; i < n; i++)
            lines += some[i] == '\n';
        if (lines >= ticks)
            break;
        n = read(out[0], some, sizeof some);
    }
    if (peak_kib)
        *peak_kib = measure_peak_kib(pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(out[0]);
    close(null);
    return m.wall_us[0];
}

struct measured {
    struct measure walk; /* between the starts, so that both see the same machine */
    struct measure start;
    unsigned long peak_kib;
};

static void measure_program(struct measured *r) {
    struct scan *scan = scan_create();
    for (int i = 0; i < 15 && scan; i++) {
        measure_sleep_ms(250);
        measure_begin(&r->walk);
        scan_all(scan, SCAN_BY_LINK);
        measure_end(&r->walk);
        measure_sleep_ms(250);
        r->start.wall_us[r->start.count++] =
            run_program(1, PROGRAM_ARGS("--json", "-n", "1"), NULL);
    }
    scan_destroy(scan);
    run_program(8, PROGRAM_ARGS("--json", "-d", "250ms", "-n", "40"), &r->peak_kib);
}

/* ---- what is asked ------------------------------------------------------------------------------------------------------ */

static void print_set(const struct set *set) {
    printf(
        "  %u processes, %lu descriptors, %u clients (gwtop counts %u), %u passes, %u ms apart\n",
        set->stage.processes, set->descriptors, set->clients, set->clients_seen, set->passes,
        set->pause_ms);
    printf("  %-36s %12s %12s %10s\n", "median", "wall us", "CPU us", "of floor");
    for (enum way way = 0; way < WAY_COUNT; way++)
        printf("  %-36s %12.0f %12.0f %9.2fx\n", way_name[way], measure_wall_us(&set->m[way]),
               measure_cpu_us(&set->m[way]),
               measure_wall_us(&set->m[way]) / measure_wall_us(&set->m[FLOOR]));
}

static int main_set(struct stage *stage, void *ctx) {
    static struct set set;
    static struct measured real;
    (void)ctx;
    set = (struct set){.on = stage, .stage = stage->o, .passes = 15, .pause_ms = 250};
    if (measure_set(&set) != 0)
        return 1;
    measure_program(&real);
    double tick = measure_wall_us(&set.m[TICK]), least = measure_wall_us(&set.m[FLOOR]);
    print_set(&set);
    measure_verdict("whole tick / floor, wall", tick / least, "x", 1.5, false);
    measure_verdict("whole tick / floor, CPU",
                    measure_cpu_us(&set.m[TICK]) / measure_cpu_us(&set.m[FLOOR]), "x", 1.5, false);
    measure_verdict("collecting / floor, wall", measure_wall_us(&set.m[COLLECT]) / least, "x", 1.5,
                    false);
    measure_verdict("cheapest walk / whole tick, wall", walk_us(&set) / tick, "x", 12, true);
    if (allocations_counted())
        measure_verdict("allocations in a steady tick with JSON",
                        (double)set.allocations / set.passes, "", 0, false);
    measure_verdict("memory of `gwtop --json` (VmHWM)", (double)real.peak_kib / 1024, "MiB", 12,
                    false);
    measure_verdict("start to first byte / walk by readlinkat",
                    measure_wall_us(&real.start) / measure_wall_us(&real.walk), "x", 1.2, false);
    printf("  start to first byte %.1f ms, walk %.1f ms; JSON of a tick %zu bytes\n",
           measure_wall_us(&real.start) / 1e3, measure_wall_us(&real.walk) / 1e3, set.json_bytes);
    return 0;
}

static int line_set(struct stage *stage, void *ctx) {
    static struct set set;
    const char *label = ctx;
    set = (struct set){.on = stage, .stage = stage->o, .passes = 9, .pause_ms = 100};
    if (measure_set(&set) != 0)
        return 1;
    double least = measure_wall_us(&set.m[FLOOR]), tick = measure_wall_us(&set.m[TICK]);
    printf("  %-16s %6u %8lu %5u %10.0f %10.0f %10.0f %10.0f %7.2f %7.1f\n", label,
           stage->o.processes, set.descriptors, set.clients, least, walk_us(&set),
           measure_wall_us(&set.m[COLLECT]), tick, tick / least, walk_us(&set) / tick);
    return 0;
}

static void print_lines(void) {
    static const struct {
        const char *label;
        unsigned processes, fds, clients;
    } line[] = {{"base", 500, 25, 50},
                {"processes x2", 1000, 25, 50},
                {"processes x4", 2000, 25, 50},
                {"descriptors x2", 500, 50, 50},
                {"descriptors x4", 500, 100, 50},
                {"clients x2", 500, 25, 100},
                {"clients x4", 500, 25, 200}};
    printf("\nHow it grows (medians, wall us)\n  %-16s %6s %8s %5s %10s %10s %10s %10s %7s %7s\n",
           "", "procs", "fds", "cli", "floor", "walk", "collect", "tick", "/floor", "walk/");
    for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
        struct stage_options o = {.gpus = "amdgpu",
                                  .processes = line[i].processes,
                                  .fds = line[i].fds,
                                  .clients = line[i].clients};
        stage_run(&o, line_set, (char *)(size_t)line[i].label);
    }
}

int main(void) {
    struct stage_options o = {.gpus = "amdgpu", .processes = 2000, .fds = 100, .clients = 200};
    printf("A steady tick\n");
    int status = stage_run(&o, main_set, NULL);
    if (status == STAGE_UNABLE) {
        printf("  needs root: skipped\n");
        return 0;
    }
    print_lines();
    return 0;
}
