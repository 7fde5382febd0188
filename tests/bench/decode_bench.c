/*
 * Decoding of fdinfo alone: texts of 200 clients of one driver, over and over, with nothing behind the decoder
 * but a counter; then with the bus and accounting behind it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/acct.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "measure.h"
#include "scratch.h"
#include "synth.h"

#define CLIENTS 200
#define PASSES  25

struct corpus {
    struct subject subject[CLIENTS];
    struct frame frame[CLIENTS];
    unsigned count;
    size_t bytes;
};

static bool corpus_load(struct corpus *c, const char *gpu, unsigned backend) {
    static struct synth_holder holder[CLIENTS];
    char *dir = scratch_make();
    struct synth_options o = {.gpus = gpu, .fds = 1, .clients = CLIENTS, .seed = 5};
    struct synth *machine = synth_create(dir, &o);
    unsigned n = machine ? synth_holders(machine, holder, CLIENTS) : 0;
    for (unsigned i = 0; i < n && i < CLIENTS; i++) {
        size_t size = 0;
        char *path = path_join(dir, "proc/%d/fdinfo/%u", holder[i].pid, holder[i].number);
        c->subject[i] = (struct subject){.id = 1 + i,
                                         .device = 1000,
                                         .backend = (uint16_t)backend,
                                         .type = SUBJECT_HOLDER,
                                         .pid = holder[i].pid,
                                         .start = 1,
                                         .number = holder[i].number,
                                         .name = "",
                                         .facts = ""};
        c->frame[i] = (struct frame){
            .t_ns = 1, .bytes = file_read(path, &size), .subject = 1 + i, .kind = FRAME_BACKEND};
        c->frame[i].size = size;
        c->bytes += size;
        c->count++;
        free(path);
    }
    synth_close(machine);
    scratch_remove(dir);
    return c->count > 0;
}

static void count_sample(void *ctx, const struct sample *s) {
    (void)s;
    ++*(uint64_t *)ctx;
}

static uint64_t decode_all(struct corpus *c, const struct kind *kind) {
    uint64_t samples = 0;
    struct sink sink = {.ctx = &samples, .sample = count_sample};
    struct counts counts = {0};
    for (unsigned i = 0; i < c->count; i++)
        kind->decode(&c->subject[i], &c->frame[i], &sink, &counts);
    return samples;
}

static void bench_decode(struct corpus *c, const struct kind *kind, const char *gpu) {
    struct measure m = {0};
    uint64_t samples = 0;
    for (unsigned i = 0; i < PASSES; i++) {
        measure_begin(&m);
        for (unsigned k = 0; k < 20; k++)
            samples = decode_all(c, kind);
        measure_end(&m);
    }
    double us = measure_wall_us(&m) / 20;
    printf("  %-14s %6zu bytes %3u samples a text   %8.1f MB/s %8.1f ns a sample %8.2f us a text\n",
           gpu, c->bytes / c->count, (unsigned)(samples / c->count), (double)c->bytes / us,
           us * 1e3 / (double)samples, us / c->count);
}

/* Machine, device and holders open, then ticks with all texts. */
static void bench_tick(struct corpus *c) {
    struct acct *acct = NULL;
    struct bus *bus = NULL;
    struct measure m = {0};
    if (acct_create(NULL, &acct) != ERR_OK || bus_create(&backend_table, &bus) != ERR_OK)
        return;
    struct subscriber s = acct_subscriber(acct);
    bus_subscribe(bus, &s);
    struct subject machine = {.type = SUBJECT_MACHINE, .name = "", .facts = ""};
    struct subject device = {
        .id = 1000, .type = SUBJECT_DEVICE, .name = "0000:03:00.0", .facts = "driver=amdgpu\n"};
    struct frame f = {.t_ns = 1, .kind = FRAME_OPEN, .subject = 1000};
    bus_frame(bus, &device, &f);
    for (unsigned i = 0; i < c->count; i++) {
        f.subject = c->subject[i].id;
        bus_frame(bus, &c->subject[i], &f);
    }
    for (int64_t tick = 1; tick <= PASSES; tick++) {
        struct frame edge = {
            .t_ns = tick * 1000000000, .kind = FRAME_BEGIN, .bytes = "real_ns=1\n", .size = 10};
        measure_begin(&m);
        bus_frame(bus, &machine, &edge);
        for (unsigned i = 0; i < c->count; i++) {
            c->frame[i].t_ns = edge.t_ns + i;
            bus_frame(bus, &c->subject[i], &c->frame[i]);
        }
        edge = (struct frame){.t_ns = edge.t_ns + 1000000, .kind = FRAME_END};
        bus_frame(bus, &machine, &edge);
        measure_end(&m);
    }
    printf("  decoding, bus and accounting of a tick with %u amdgpu texts: %.0f us\n", c->count,
           measure_wall_us(&m));
    bus_destroy(bus);
    acct_destroy(acct);
}

int main(void) {
    static const char *const gpus[] = {"amdgpu", "amdgpu-old", "i915", "xe", "panthor", "v3d"};
    unsigned backend = backend_find(&backend_table, span_of("fdinfo"));
    printf("\nDecoding fdinfo (median of %d)\n", PASSES);
    if (backend == 0)
        return 1;
    const struct kind *kind = &backend_table.list[backend - 1]->kinds[0];
    for (size_t g = 0; g < sizeof gpus / sizeof gpus[0]; g++) {
        static struct corpus corpus;
        corpus = (struct corpus){0};
        if (!corpus_load(&corpus, gpus[g], backend))
            return 1;
        bench_decode(&corpus, kind, gpus[g]);
        if (g == 0)
            bench_tick(&corpus);
        for (unsigned i = 0; i < corpus.count; i++)
            free((char *)(size_t)corpus.frame[i].bytes);
    }
    return 0;
}
