/* Frames to records: whole ones out of pieces that may be cut anywhere. */
#include "run.h"

static size_t size_of(const char *head) {
    const unsigned char *b = (const unsigned char *)head;
    return (size_t)b[6] | (size_t)b[7] << 8;
}

size_t record_size(struct span rest) {
    size_t n = rest.n < RECORD_HEAD ? 0 : size_of(rest.p);
    return n >= RECORD_HEAD && n <= rest.n ? n : 0;
}

size_t records_cut(struct span rest) {
    size_t at = 0, n;
    while ((n = record_size(span_skip(rest, at))) > 0)
        at += n;
    return at;
}

static void lose_step(struct records *r, struct counts *counts) {
    counts_malformed(counts, REASON_RECORD_SIZE);
    r->lost_step = true;
    r->waiting = 0;
}

/* Fills up what waits to `want` bytes. False: there were not so many. */
static bool fill_up(struct records *r, struct span *bytes, size_t want) {
    size_t n = want > r->waiting ? want - r->waiting : 0;
    n = n < bytes->n ? n : bytes->n;
    if (n > 0)
        memcpy(r->rest + r->waiting, bytes->p, n);
    r->waiting += (uint32_t)n;
    *bytes = span_skip(*bytes, n);
    return r->waiting >= want;
}

/* The record that waits, as far as its rest is here. */
static void finish_waiting(struct records *r, struct span *bytes, const struct record_sink *to,
                           struct counts *counts) {
    if (!fill_up(r, bytes, RECORD_HEAD))
        return;
    size_t n = size_of(r->rest);
    if (n < RECORD_HEAD) {
        lose_step(r, counts);
    } else if (fill_up(r, bytes, n)) {
        r->waiting = 0;
        to->take(to->ctx, (struct span){r->rest, n});
    }
}

static void untell(struct records *r, struct counts *counts) {
    counts->truncated -= r->told;
    counts->reasons[REASON_CUT] -= r->told;
    r->told = false;
}

void records_feed(struct records *r, struct span bytes, const struct record_sink *to,
                  struct counts *counts) {
    if (bytes.n == 0)
        return;
    if (r->lost_step && r->step_anew)
        r->lost_step = false;
    untell(r, counts);
    if (r->waiting > 0)
        finish_waiting(r, &bytes, to, counts);
    while (bytes.n > 0 && !r->lost_step) {
        size_t n = record_size(bytes);
        if (n > 0) {
            to->take(to->ctx, (struct span){bytes.p, n});
            bytes = span_skip(bytes, n);
        } else if (bytes.n >= RECORD_HEAD && size_of(bytes.p) < RECORD_HEAD) {
            lose_step(r, counts);
        } else {
            fill_up(r, &bytes, bytes.n);
        }
    }
}

void records_tick(struct records *r, struct counts *counts) {
    bool cut = r->waiting > 0;
    counts->truncated += (uint64_t)cut - r->told;
    counts->reasons[REASON_CUT] += (uint64_t)cut - r->told;
    r->told = cut;
}
