/*
 * Whether memory stays flat over many ticks of a machine whose processes come and go: a recording of the scripted
 * events, played again and again through decoders, bus and accounting, each round with processes that were not there
 * before. GWTOP_SOAK_TICKS, 20,000 unless given: 1,000,000 are eleven days.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chronicle.h"
#include "gwtop/acct.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "measure.h"
#include "scratch.h"

enum { TICKS = 60 };
#define SECOND INT64_C(1000000000)

struct soak {
    struct bus *bus;
    struct acct *acct;
    uint64_t round;
};

static bool record(const char *dir, const char *path) {
    struct err_info info = {0};
    struct synth_options o = {
        .gpus = "amdgpu,xe", .processes = 60, .fds = 5, .clients = 30, .seed = 9, .events = true};
    char *root = path_join(dir, "root");
    struct chronicle c = {
        .root = root, .machine = synth_create(root, &o), .ticks = TICKS, .delay_ns = SECOND};
    enum err e = c.machine
                     ? chronicle_write(&c, open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), &info)
                     : ERR_IO;
    if (e != ERR_OK)
        fprintf(stderr, "soak_bench: %s %s\n", err_text(e), info.text);
    synth_close(c.machine);
    scratch_remove(root);
    return e == ERR_OK;
}

/* Later than the round before, and of others. */
static void take(void *ctx, const struct subject *s, const struct frame *f) {
    const struct soak *k = ctx;
    struct subject later = *s;
    struct frame moved = *f;
    if (f->kind == FRAME_MACHINE && k->round > 0)
        return;
    moved.t_ns += (int64_t)k->round * TICKS * SECOND;
    if (later.start > 0)
        later.start += k->round * 7;
    bus_frame(k->bus, &later, &moved);
}

static unsigned long resident_kib(void) {
    size_t n;
    char *text = file_read("/proc/self/statm", &n);
    const char *second = text ? strchr(text, ' ') : NULL;
    unsigned long pages = second ? strtoul(second, NULL, 10) : 0;
    free(text);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

/* One round; how many ticks it had. */
static unsigned play(struct soak *k, const char *path) {
    struct frame_sink sink = {k, take};
    struct source *trace;
    unsigned ticks = 0;
    if (trace_open(path, &backend_table, &trace, NULL) != ERR_OK)
        return 0;
    while (trace->ops->read(trace, 0, &sink) == ERR_OK) {
        acct_finish(k->acct);
        ticks++;
    }
    trace->ops->close(trace);
    k->round++;
    return ticks;
}

static void soak(const char *path) {
    const char *given = getenv("GWTOP_SOAK_TICKS");
    unsigned long ticks = given ? strtoul(given, NULL, 10) : 20000, done = 0, before = 0;
    const struct acct_options how = {.backends = &backend_table};
    struct soak k = {0};
    char name[64];
    if (acct_create(&how, &k.acct) != ERR_OK || bus_create(&backend_table, &k.bus) != ERR_OK)
        return;
    struct subscriber to = acct_subscriber(k.acct);
    bus_subscribe(k.bus, &to);
    while (done < ticks) {
        unsigned more = play(&k, path);
        if (more == 0)
            break;
        if (before == 0 && done + more >= ticks / 10)
            before = resident_kib();
        done += more;
    }
    unsigned long after = resident_kib();
    const struct snapshot *s = acct_snapshot(k.acct);
    printf("  %lu ticks, %u rows, %u clients at the end, %lu KiB resident\n", done,
           s ? s->process_count : 0, s ? s->client_count : 0, after);
    snprintf(name, sizeof name, "growth over %lu ticks, from a tenth of them on", done);
    measure_verdict(name, after > before ? (double)(after - before) : 0, "KiB", 64, false);
    bus_destroy(k.bus);
    acct_destroy(k.acct);
}

int main(void) {
    char *dir = scratch_make(), *path = path_join(dir, "soak.gwt");
    printf("soak\n");
    if (record(dir, path))
        soak(path);
    free(path);
    scratch_remove(dir);
    return 0;
}
