/*
 * For fuzz targets of decoders: feeds bytes to every kind of one backend as the bus does, and
 * holds what comes out against what sinks rely on. A broken promise aborts.
 */
#ifndef GWTOP_FUZZ_DECODE_CHECK_H
#define GWTOP_FUZZ_DECODE_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/backend.h"

static inline void check(bool holds, const char *promise) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", promise);
        abort();
    }
}

struct checked {
    const struct subject *subject;
    const struct frame *frame;
    unsigned labels[LABEL_KIND_COUNT];
};

static inline void check_sample(void *ctx, const struct sample *s) {
    const struct checked *c = ctx;
    struct span name = {s->name, s->name_len};
    check(s->metric < METRIC_COUNT, "metrics exist");
    check(s->state < STATE_COUNT, "states exist");
    check(s->state == STATE_VALUE || s->value == 0, "what is no value holds none");
    check(s->state != STATE_VALUE || s->value >= 0, "no value is negative");
    check(s->t_ns == c->frame->t_ns, "a sample has the time of its frame");
    check(s->subject == c->subject->id && s->pid == c->subject->pid, "a sample has an owner");
    check(s->name && text_is_clean(name), "names are clean");
}

static inline void check_label(void *ctx, const struct label *l) {
    struct checked *c = ctx;
    struct span text = {l->text, l->len};
    check(l->kind < LABEL_KIND_COUNT, "kinds of labels exist");
    check(l->len <= LABEL_MAX, "labels are bounded");
    check(l->text && text_is_clean(text), "texts are clean");
    c->labels[l->kind]++;
}

static inline uint64_t units_of(const struct kind *k, struct span body) {
    uint64_t lines = 0;
    if (strcmp(k->unit, "lines") != 0)
        return 1;
    for (size_t i = 0; i < body.n; i++)
        lines += body.p[i] == '\n' || i + 1 == body.n;
    return lines;
}

static inline struct checked decode_checked(const struct subject *s, unsigned kind,
                                            struct span body) {
    const struct kind *k = backend_kind(&backend_table, s, kind);
    struct frame f = {
        .t_ns = 11, .bytes = body.p, .size = body.n, .subject = s->id, .kind = (uint16_t)kind};
    struct checked c = {.subject = s, .frame = &f};
    struct sink sink = {&c, check_sample, NULL, check_label};
    struct counts counts = {0};
    uint64_t reasons = 0;
    k->decode(s, &f, &sink, &counts);
    for (unsigned i = 0; i < REASON_COUNT; i++)
        reasons += counts.reasons[i];
    uint64_t refused = counts.ignored + counts.malformed + counts.truncated;
    check(counts.accepted + refused == units_of(k, body), "every unit is counted once");
    check(reasons == refused, "what is not accepted has a reason");
    c.frame = NULL;
    return c;
}

/* The scrubbed body of each kind decodes as well; scrubbing it again changes nothing. */
static inline void decode_all_kinds(const char *backend, const uint8_t *data, size_t size,
                                    void (*scrubbed)(unsigned kind, const struct checked *c)) {
    struct subject s = {.id = 3,
                        .backend = (uint16_t)backend_find(&backend_table, span_of(backend)),
                        .pid = 42,
                        .name = "",
                        .facts = "clk_tck=100\npage=4096\n"};
    struct span body = {(const char *)data, size};
    for (unsigned kind = FRAME_BACKEND; backend_kind(&backend_table, &s, kind); kind++) {
        const struct kind *k = backend_kind(&backend_table, &s, kind);
        struct buf once;
        struct buf twice;
        decode_checked(&s, kind, body);
        if (!k->scrub)
            continue;
        buf_init(&once);
        buf_init(&twice);
        k->scrub(body, &once);
        k->scrub(buf_span_of(&once), &twice);
        check(once.n == twice.n && (once.n == 0 || memcmp(once.p, twice.p, once.n) == 0),
              "scrubbing twice is scrubbing once");
        struct checked c = decode_checked(&s, kind, buf_span_of(&once));
        scrubbed(kind, &c);
        buf_finish(&once);
        buf_finish(&twice);
    }
}

#endif
