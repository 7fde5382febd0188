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

/* What the footer has beside the context. */
struct flags {
    bool pid;
    bool tag;
};

struct rfc {
    struct run run;
    struct flags flags;
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
    if (s->flags.pid) {
        b.pid = record_le32(p);
        p += BLOCK;
    }
    if (s->flags.tag)
        b.tag = record_le32(p);
    return b;
}

/* What a sample of this size is, of a format's reports of `size` bytes. */
enum shape { SHAPE_BAD, SHAPE_NO_FORMAT, SHAPE_PERIODIC, SHAPE_CAPTURE, SHAPE_STAMP };

static enum shape shape_of(struct span record, size_t size, size_t footer) {
    size_t n = record.n < RECORD_HEAD + 4 ? 0 : record.n - RECORD_HEAD - 4;
    if (record.n < RECORD_HEAD + 4 || record_le32(record.p + RECORD_HEAD) != n)
        return SHAPE_BAD;
    if (size == 0)
        return SHAPE_NO_FORMAT;
    return n == size + JUNK            ? SHAPE_PERIODIC
           : n == size + footer + JUNK ? SHAPE_CAPTURE
           : n == STAMP_ONLY           ? SHAPE_STAMP
                                       : SHAPE_BAD;
}

static size_t footer_of(struct flags flags) {
    return BLOCK * (1 + (size_t)flags.pid + (size_t)flags.tag);
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
    run_capture(&f->run, &b, s->flags.tag, s->run.last_ns);
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
    enum shape shape = shape_of(record, layout->size, footer_of(s->flags));
    struct span raw = span_skip(record, RECORD_HEAD + 4);
    if (shape == SHAPE_BAD)
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
    else if (shape == SHAPE_NO_FORMAT)
        counts_ignored(f->run.counts, REASON_NO_FORMAT);
    else if (shape == SHAPE_STAMP)
        stamp_only(f, raw);
    else
        report(f, raw, shape == SHAPE_CAPTURE);
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

static struct flags flags_of(const char *facts) {
    struct cursor list = cursor_over(facts_get(facts, "oa_flags"));
    struct flags flags = {false, false};
    struct span flag;
    while (cursor_field(&list, ',', &flag)) {
        flags.pid = flags.pid || span_equals(flag, "pid");
        flags.tag = flags.tag || span_equals(flag, "tag");
    }
    return flags;
}

static void init(void *state, const struct subject *s) {
    struct rfc *it = state;
    memset(it, 0, sizeof *it);
    run_init(&it->run, s);
    assume(&it->run.device);
    it->flags = flags_of(s->facts);
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

struct plan {
    struct run_plan run;
    struct flags flags;
};

static void plan(void *to, const char *facts) {
    struct plan *p = to;
    run_plan_init(&p->run, facts);
    assume(&p->run.device);
    p->flags = flags_of(facts);
}

/* By its own timestamp, as the fold has it. */
static size_t next_by(const void *from, struct file_trail *trail, struct span rest, int64_t *t_ns) {
    const struct plan *p = from;
    const struct oa_layout *layout = oa_layout_of(p->run.device.format);
    size_t n = record_size(rest);
    const char *raw = rest.p + RECORD_HEAD + 4;
    uint64_t stamp = 0;
    *t_ns = INT64_MIN;
    if (n == 0 || record_type(rest) != RING_SAMPLE)
        return n;
    enum shape shape = shape_of((struct span){rest.p, n}, layout->size, footer_of(p->flags));
    if (shape == SHAPE_STAMP)
        stamp = record_le64(raw);
    else if (shape == SHAPE_PERIODIC || shape == SHAPE_CAPTURE)
        stamp = record_le32(raw + 4);
    *t_ns = run_plan_ns(&p->run, trail, stamp);
    return n;
}

/* Nothing in such a file says that it is one. */
const struct vendor_file intel_rfc_file = {
    .cut = records_cut,
    .plan_size = sizeof(struct plan),
    .plan = plan,
    .next_by = next_by,
    .device = "i915",
    .device_facts = "driver=i915\nname=Intel GPU\n",
};
