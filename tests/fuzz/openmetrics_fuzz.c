/*
 * OpenMetrics of machines made of bytes: whatever texts and numbers a snapshot holds, the exposition is without a
 * fault, and totals of the others never go back. And any bytes for the reader that says so.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/out.h"
#include "openmetrics.h"
#include "snap_cases.h"

static void check(bool holds, const char *promise, const char *detail) {
    if (!holds) {
        fprintf(stderr, "broken: %s: %s\n", promise, detail);
        abort();
    }
}

static void make(struct snap *b, uint8_t kind, uint8_t devices, uint8_t processes) {
    static void (*const cases[])(struct snap *) = {snap_hostile, snap_typical, snap_power,
                                                   snap_doubts,  snap_mali,    snap_counters};
    if (kind % 8 < 6) {
        cases[kind % 8](b);
    } else if (kind % 8 == 6) {
        snap_all_metrics(b, processes);
    } else {
        snap_many(b, 1 + devices % 8u, processes, kind);
    }
}

/* Texts are clean, as decoders make them: what else they hold is free. */
static struct text_ref text_of(struct snap *b, struct cursor *c) {
    char clean[64];
    struct text_ref r = {0};
    struct span bytes = cursor_bytes(c, cursor_le8(c) % sizeof clean);
    size_t n = text_clean(clean, sizeof clean, bytes);
    (void)pool_add(&b->s.text, (struct span){clean, n}, &r);
    return r;
}

static struct value value_of(struct cursor *c) {
    return (struct value){(int64_t)cursor_le64(c), cursor_le8(c) % STATE_COUNT, cursor_le8(c)};
}

static struct real real_of(struct cursor *c) {
    uint64_t bits = cursor_le64(c);
    struct real r = {.state = STATE_VALUE};
    memcpy(&r.v, &bits, sizeof r.v);
    return r;
}

static void spoil_process(struct snap *b, struct cursor *c) {
    if (b->s.process_count == 0) {
        return;
    }
    struct snap_process *p = &b->processes[cursor_le8(c) % b->s.process_count];
    p->name = text_of(b, c);
    p->user = text_of(b, c);
    p->busy_ppm = value_of(c);
    p->busy_ns = value_of(c);
    p->power.joules = real_of(c);
    p->power.watts = real_of(c);
    p->exited = cursor_le8(c) & 1;
    if (p->engines.count > 0) {
        struct snap_engine *e = &b->engines[p->engines.first];
        e->busy_ppm = value_of(c);
        e->busy_ns = value_of(c);
    }
    if (p->memory.count > 0) {
        b->memory[p->memory.first].resident = value_of(c);
        b->memory[p->memory.first].shared = value_of(c);
    }
}

static void spoil_device(struct snap *b, struct cursor *c) {
    if (b->s.device_count == 0) {
        return;
    }
    struct snap_device *d = &b->devices[cursor_le8(c) % b->s.device_count];
    d->name = text_of(b, c);
    d->driver = text_of(b, c);
    d->state = cursor_le8(c) % 4;
    d->busy_ppm = value_of(c);
    d->power.joules = real_of(c);
    d->power.pws = real_of(c);
    if (d->engines.count > 0) {
        b->engines[d->engines.first].busy_ns = value_of(c);
    }
    if (d->metrics.count > 0) {
        b->metrics[d->metrics.first].value = value_of(c);
    }
}

static void check_exposition(const struct buf *b, struct expo *before, struct expo *now) {
    bool ok = expo_read(b->p, b->n, now);
    check(ok, "an exposition is without a fault", now->error);
    for (unsigned i = 0; i < now->sample_count && before->sample_count > 0; i++) {
        const struct expo_sample *s = &now->samples[i];
        const struct expo_family *f = expo_family_of(now, s->family);
        if (strcmp(expo_label_of(s, "pid"), "other") != 0 || strcmp(f->type, "counter") != 0) {
            continue;
        }
        for (unsigned k = 0; k < before->sample_count; k++) {
            bool same = strcmp(before->samples[k].key, s->key) == 0;
            check(!same || s->value >= before->samples[k].value, "totals never go back", s->key);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cursor c = cursor_over((struct span){(const char *)data, size});
    const struct output *output = output_find(span_of("openmetrics"));
    struct out_options o = {.brief = cursor_le8(&c) & 1, .query.top = cursor_le8(&c) % 12u};
    uint8_t kind = cursor_le8(&c), devices = cursor_le8(&c), processes = cursor_le8(&c);
    struct expo e[2] = {{0}};
    struct out_state *st = NULL;
    struct buf b = {0};
    check(output->open(&o, &st) == ERR_OK, "there is memory", "");
    for (int tick = 0; tick < 4; tick++) {
        struct snap machine;
        make(&machine, kind, devices, processes % 40);
        for (int i = cursor_le8(&c) % 8; i > 0; i--) {
            spoil_process(&machine, &c);
            spoil_device(&machine, &c);
        }
        buf_clear(&b);
        output->tick(st, snap_get(&machine), &b);
        expo_finish(&e[tick % 2]);
        check_exposition(&b, &e[(tick + 1) % 2], &e[tick % 2]);
        snap_finish(&machine);
    }
    expo_finish(&e[0]);
    expo_finish(&e[1]);
    output->close(st);
    buf_finish(&b);
    (void)expo_read((const char *)data, size, &e[0]);
    expo_finish(&e[0]);
    return 0;
}
