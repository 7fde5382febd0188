/*
 * The counter ring of Mali GPUs from any bytes: as a file; live, with the first 44 bytes as its layout and what follows
 * as frames; and all of it as facts. What comes out keeps what sinks rely on, and is the same however the bytes come.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/panthor/panthor.h"
#include "backend/panthor/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *promise) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", promise);
        abort();
    }
}

struct said {
    uint64_t hash;
    struct counts counts;
};

static void mix(struct said *s, uint64_t v) {
    s->hash = (s->hash ^ v) * 1099511628211u;
}

static void on_sample(void *ctx, const struct sample *p) {
    struct said *s = ctx;
    check(p->metric < METRIC_COUNT && p->state < STATE_COUNT, "metrics and states exist");
    check(p->state == STATE_VALUE || (p->value == 0 && p->doubt == 0), "no value holds none");
    check(p->value >= 0, "no value is negative");
    check(p->name && p->name_len == 0, "nothing is named");
    check(metric_info(p->metric)->unit != UNIT_PERCENT || p->value <= 1000000, "a share is one");
    check(p->subject == 5 && p->device == 4, "a sample fits");
    check(p->index == INDEX_NONE || p->index < PANTHOR_CORES, "a core is one");
    mix(s, (uint64_t)p->t_ns);
    mix(s, (uint64_t)p->metric << 32 ^ (uint64_t)p->state << 8 ^ p->doubt);
    mix(s, (uint64_t)p->value << 16 ^ p->index);
}

static struct said run(const char *facts, struct span bytes, size_t step) {
    struct said said = {0};
    struct sink sink = {.ctx = &said, .sample = on_sample};
    struct subject s = {.id = 5, .device = 4, .name = "", .facts = facts};
    void *state = calloc(1, panthor_ring_fold.size);
    check(state != NULL, "there is memory");
    panthor_ring_fold.init(state, &s);
    while (bytes.n > 0) {
        size_t n = step < bytes.n ? step : bytes.n;
        struct frame f = {.t_ns = 9, .bytes = bytes.p, .size = n, .kind = PANTHOR_RING};
        panthor_ring_fold.feed(state, &s, &f, &sink, &said.counts);
        bytes = span_skip(bytes, n);
    }
    panthor_ring_fold.tick(state, &s, 10, &sink, &said.counts);
    struct said once = said;
    panthor_ring_fold.tick(state, &s, 11, &sink, &said.counts);
    check(memcmp(&once, &said, sizeof said) == 0, "an end is one end");
    free(state);
    return said;
}

static void any_way(const char *facts, struct span bytes) {
    static const size_t steps[] = {1, 13, 500, 4000};
    struct said whole = run(facts, bytes, bytes.n ? bytes.n : 1);
    const struct counts *c = &whole.counts;
    check(c->truncated <= 1 && c->truncated == c->reasons[REASON_CUT], "one may be cut");
    check(c->ignored == c->reasons[REASON_SAMPLE_EMPTY] + c->reasons[REASON_SAMPLE_STALE] +
                            c->reasons[REASON_SAMPLE_ERROR],
          "what is ignored has a reason");
    check(c->malformed <= c->reasons[REASON_OUT_OF_RANGE] + c->reasons[REASON_NO_FORMAT] +
                              c->reasons[REASON_BAD_TEXT],
          "what is malformed has a reason");
    for (size_t i = bytes.n < 20000 ? 0 : 1; i < sizeof steps / sizeof steps[0]; i++) {
        struct said pieces = run(facts, bytes, steps[i]);
        check(memcmp(&pieces, &whole, sizeof whole) == 0, "pieces say what the whole says");
    }
}

/* Units of a file follow each other, within it, up to what is not whole. */
static void walk(struct span file) {
    const struct vendor_file *v = &panthor_ring_file;
    struct span rest = file, head = {file.p, 0};
    int64_t t_ns;
    size_t n;
    while (rest.n > 0 && (n = v->next_after(head, rest, &t_ns)) > 0) {
        check(n <= rest.n, "a unit is within");
        check(t_ns == INT64_MIN || (t_ns > 0 && head.n > 0), "a time is one");
        head.n = v->head_size;
        rest = span_skip(rest, n);
    }
    check(v->recognise(file, false) == (head.n > 0), "a head is one");
    check(v->cut(file) <= file.n, "a cut is within");
}

static void live(const char *options, struct span bytes) {
    struct span info = {bytes.p, bytes.n < PANTHOR_INFO_BYTES ? bytes.n : PANTHOR_INFO_BYTES};
    struct panthor_layout l, back;
    struct buf facts;
    buf_init(&facts);
    buf_text(&facts, options);
    panthor_layout_say(info, &facts);
    buf_char(&facts, '\0');
    check(!facts.failed, "there is memory");
    bool is = panthor_layout_read(info, &l);
    check(panthor_layout_from_facts(facts.p, &back) == is, "facts say what bytes say");
    check(!is || memcmp(&l, &back, sizeof l) == 0, "and the same");
    check(!is || l.sample_size <= PANTHOR_SAMPLE_MAX, "a sample has a size");
    any_way(facts.p, span_skip(bytes, info.n));
    buf_finish(&facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct span bytes = {(const char *)data, size};
    struct panthor_gpu g;
    char *facts = malloc(size + 1);
    if (!facts)
        return 0;
    if (size > 0)
        memcpy(facts, data, size);
    facts[size] = '\0';
    panthor_gpu_from_facts(&g, facts);
    check(g.table <= PANTHOR_E && g.beat_bytes <= 512, "a GPU is one");
    check(g.table == PANTHOR_UNKNOWN || panthor_gpu_name(g.gpu_id), "one that is known has a name");
    any_way(facts, bytes);
    free(facts);
    any_way("clock_hz=500000000\nl2_features=0x07000000\neach=1\n", bytes);
    any_way("gpu_id=0xb8020000\ntimestamp_hz=1\nshader_present=0x1110055\n", bytes);
    live("gpu_id=0xd8000000\ntimestamp_hz=24000000\nl2_features=0x0c000000\n", bytes);
    live("shader_present=0xffffffffffffffff\neach=1\n", bytes);
    walk(bytes);
    return 0;
}
