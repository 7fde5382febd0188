/*
 * Records of the perf ring as the proposal of 2015 sent them: reports of Haswell, and behind those that the command
 * stream captured around a batch a footer with the context and, where they were asked for, thread and tag. Pure.
 *
 * Nothing in a footer tells which fields it has: facts must (oa_flags=pid,tag), or there is the context alone. Nothing
 * tells a beginning from an end either: two captures with equal number, context, thread and tag are one batch.
 *
 * Source: the patch series "Introduce framework to forward multi context OA snapshots", and the driver that it is for.
 */
#include "intel.h"
#include "run.h"

enum { RING_LOST = 2, RING_SAMPLE = 9, RING_DEVICE = 14 };
enum { DEVICE_OVERRUN = 1, DEVICE_REPORT_LOST };

#define BLOCK 8 /* bytes of a field of the footer, of which the first half counts */
#define JUNK  4 /* at the end, so that the whole is a multiple of 8 */
#define STAMP_ONLY                                                                                 \
    (8 + BLOCK + JUNK) /* of the engines without counters: a timestamp and the context */

struct rfc {
    struct run run;
    bool pid; /* what the footer has beside the context */
    bool tag;
    struct records records;
};

struct flow {
    struct run_flow run;
    struct rfc *rfc;
};

/* ---- samples ----------------------------------------------------------------------------------- */

static struct run_batch read_footer(const struct rfc *s, const char *p) {
    struct run_batch b = {.context = record_le32(p)};
    p += BLOCK;
    if (s->pid) {
        b.pid = record_le32(p);
        p += BLOCK;
    }
    if (s->tag)
        b.tag = record_le32(p);
    return b;
}

static void report(const struct flow *f, struct span raw, bool captured) {
    const struct rfc *s = f->rfc;
    const struct oa_layout *layout = oa_layout_of(s->run.device.format);
    struct oa_report r;
    if (!oa_report_read(&s->run.device, raw, &r)) {
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
        return;
    }
    f->run.counts->accepted++;
    if (!run_report(&f->run, &r, NULL) || !captured)
        return;
    struct run_batch b = read_footer(s, raw.p + layout->size);
    b.seqno = r.id;
    run_capture(&f->run, &b, s->tag, s->run.last_ns);
}

static void stamp_only(const struct flow *f, struct span raw) {
    struct run *s = &f->rfc->run;
    const struct run_batch b = {.context = record_le32(raw.p + 8)};
    f->run.counts->accepted++;
    run_stamp(&f->run, record_le64(raw.p));
    run_capture(&f->run, &b, false, s->last_ns);
}

static void sample(const struct flow *f, struct span record) {
    const struct rfc *s = f->rfc;
    const struct oa_layout *layout = oa_layout_of(s->run.device.format);
    size_t size = layout->size;
    size_t footer = BLOCK * (1 + (size_t)s->pid + (size_t)s->tag);
    struct span raw = span_skip(record, RECORD_HEAD + 4);
    if (record.n < RECORD_HEAD + 4 || record_le32(record.p + RECORD_HEAD) != raw.n)
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
    else if (size == 0)
        counts_ignored(f->run.counts, REASON_NO_FORMAT);
    else if (raw.n == size + JUNK || raw.n == size + footer + JUNK)
        report(f, raw, raw.n != size + JUNK);
    else if (raw.n == STAMP_ONLY)
        stamp_only(f, raw);
    else
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
}

/* ---- what is lost ------------------------------------------------------------------------------ */

static void lost(const struct flow *f, enum reason why, uint64_t count) {
    f->run.counts->accepted++;
    f->run.counts->reasons[why] += count;
    run_lost(&f->run);
}

/* How many may not be said, but some are. */
static void ring_lost(const struct flow *f, struct span record) {
    if (record.n < RECORD_HEAD + 16) {
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
        run_lost(&f->run);
        return;
    }
    uint64_t count = record_le64(record.p + RECORD_HEAD + 8);
    lost(f, REASON_LOST_RECORDS, count < 1 ? 1 : count < UINT32_MAX ? count : UINT32_MAX);
}

/* The number is another record's in released kernels, one of 8 bytes. */
static void device(const struct flow *f, struct span record) {
    uint32_t what = record.n < RECORD_HEAD + 8 ? 0 : record_le32(record.p + RECORD_HEAD);
    if (what == DEVICE_OVERRUN)
        lost(f, REASON_BUFFER_OVERRUN, 1);
    else if (what == DEVICE_REPORT_LOST)
        lost(f, REASON_REPORT_LOST, 1);
    else
        counts_ignored(f->run.counts, REASON_UNKNOWN_EVENT);
}

static void take(void *ctx, struct span record) {
    const struct flow *f = ctx;
    switch (record_type(record)) {
    case RING_SAMPLE:
        sample(f, record);
        break;
    case RING_LOST:
        ring_lost(f, record);
        break;
    case RING_DEVICE:
        device(f, record);
        break;
    default:
        counts_ignored(f->run.counts, REASON_UNKNOWN_EVENT);
        break;
    }
}

/* ---- fold -------------------------------------------------------------------------------------- */

/* The proposal is about Haswell, and its tools asked for the largest format and for set 1, which is RenderBasic. */
static void assume(struct oa_device *d) {
    if (d->format == OA_FORMAT_NONE)
        d->format = OA_FORMAT_A45_B8_C8;
    if (d->platform == OA_UNKNOWN)
        d->platform = OA_HSW;
    if (d->platform == OA_HSW && d->set == OA_SET_UNKNOWN)
        d->set = OA_SET_RENDER_BASIC;
    oa_device_settle(d);
}

static void init(void *state, const struct subject *s) {
    struct rfc *it = state;
    struct cursor flags = cursor_over(facts_get(s->facts, "oa_flags"));
    struct span flag;
    memset(it, 0, sizeof *it);
    run_init(&it->run, s);
    assume(&it->run.device);
    while (cursor_field(&flags, ',', &flag)) {
        it->pid = it->pid || span_equals(flag, "pid");
        it->tag = it->tag || span_equals(flag, "tag");
    }
}

static void feed(void *state, const struct subject *subject, const struct frame *frame,
                 const struct sink *sink, struct counts *counts) {
    struct rfc *s = state;
    struct flow f = {{&s->run, subject, sink, counts}, s};
    const struct record_sink to = {&f, take};
    records_feed(&s->records, frame_span(frame), &to, counts);
}

static void tick(void *state, const struct subject *subject, int64_t t_ns, const struct sink *sink,
                 struct counts *counts) {
    struct rfc *s = state;
    const struct run_flow f = {&s->run, subject, sink, counts};
    (void)t_ns; /* reports have a clock of their own */
    records_tick(&s->records, counts);
    run_tick(&f);
}

const struct fold intel_rfc_fold = {
    .size = sizeof(struct rfc), .init = init, .feed = feed, .tick = tick};

/* ---- file -------------------------------------------------------------------------------------- */

#define TICK_NS 80 /* of Haswell's timestamp */

/* By the timestamp alone, which wraps after some minutes: from there on all is one tick. */
static size_t next(struct span rest, int64_t *t_ns) {
    size_t n = record_size(rest);
    *t_ns = INT64_MIN;
    if (n >= RECORD_HEAD + 4 + 8 + JUNK && record_type(rest) == RING_SAMPLE)
        *t_ns = (int64_t)record_le32(rest.p + RECORD_HEAD + 4 + (n > 64 ? 4 : 0)) * TICK_NS;
    return n;
}

/* Nothing in such a file says that it is one. */
const struct vendor_file intel_rfc_file = {
    .cut = records_cut,
    .next = next,
    .device = "i915",
    .device_facts = "driver=i915\nname=Intel GPU\n",
};
