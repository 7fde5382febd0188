/*
 * Records of the streams of 2016 and 2017, which carried fields before each report. Pure.
 *
 * Which fields is not told: facts must (oa_sample=source,ctx,pid,tag,ts; their order is fixed). Where the source is among
 * them, captures of the command stream make batches; where it is not, what lies between two reports is whoever's
 * the earlier one names. A stream without reports has a timestamp for each capture instead.
 *
 * Source: the patches that took the proposal of 2015 to the stream interface; none was merged.
 */
#include "intel.h"
#include "run.h"

enum { STREAM_SAMPLE = 1, STREAM_REPORT_LOST, STREAM_BUFFER_LOST };
#define SOURCE_COMMAND_STREAM 3
#define CONTEXT_NONE_MASK     0x1fffff /* how the widest field says that nobody runs */

enum field { FIELD_SOURCE, FIELD_CTX, FIELD_PID, FIELD_TAG, FIELD_TS, FIELDS };
static const char *const field_names[FIELDS] = {"source", "ctx", "pid", "tag", "ts"};

/* Which of them a sample has. */
struct has {
    bool is[FIELDS];
    size_t bytes; /* of all */
};

struct stream {
    struct run run;
    struct has has;
    struct run_owner last_owner;
    struct records records;
};

struct flow {
    struct run_flow run;
    struct stream *stream;
};

struct fields {
    uint32_t v[FIELD_TS];
    uint64_t ts;
};

/* ---- samples ----------------------------------------------------------------------------------- */

static struct fields read_fields(const struct has *has, const char *p) {
    struct fields f = {0};
    for (unsigned i = 0; i < FIELD_TS; i++)
        if (has->is[i]) {
            f.v[i] = record_le32(p);
            p += 4;
        }
    if (has->is[FIELD_TS])
        f.ts = record_le64(p);
    return f;
}

/* Of a batch whose context is not told nobody is the owner. */
static void capture(const struct flow *f, const struct fields *v, uint32_t seqno) {
    const struct stream *s = f->stream;
    if (!s->has.is[FIELD_CTX])
        return;
    const struct run_batch b = {
        .seqno = seqno, .context = v->v[FIELD_CTX], .pid = v->v[FIELD_PID], .tag = v->v[FIELD_TAG]};
    run_capture(&f->run, &b, s->has.is[FIELD_TAG], s->run.last_ns);
}

/* Whom the fields name, of a stream that does not tell captures from other reports. A report that has a place for the
 * context knows best whether anybody ran. */
static struct run_owner owner_of(const struct stream *s, const struct fields *v,
                                 const struct oa_report *r) {
    bool own = !oa_layout_of(s->run.device.format)->haswell;
    uint32_t context = s->has.is[FIELD_CTX] ? v->v[FIELD_CTX] : r->context;
    bool nobody = own ? r->context == OA_NO_CONTEXT
                      : !s->has.is[FIELD_CTX] || context == OA_NO_CONTEXT ||
                            (context & CONTEXT_NONE_MASK) == CONTEXT_NONE_MASK;
    if (nobody)
        return (struct run_owner){0};
    return (struct run_owner){
        .client = s->has.is[FIELD_TAG] ? client_tagged(context, v->v[FIELD_TAG]) : context,
        .pid = run_pid(v->v[FIELD_PID]),
        .space = s->has.is[FIELD_TAG] ? SPACE_TAGGED : SPACE_CONTEXT};
}

static void report(const struct flow *f, struct span bytes, const struct fields *v) {
    struct stream *s = f->stream;
    struct oa_report r;
    if (!oa_report_read(&s->run.device, bytes, &r)) {
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
        return;
    }
    f->run.counts->accepted++;
    if (s->has.is[FIELD_SOURCE]) {
        if (run_report(&f->run, &r, NULL) && v->v[FIELD_SOURCE] == SOURCE_COMMAND_STREAM)
            capture(f, v, r.id);
    } else if (run_report(&f->run, &r, &s->last_owner)) {
        s->last_owner = owner_of(s, v, &r);
    }
}

/* A capture of an engine without counters: its timestamp is all that there is. */
static void stamp_only(const struct flow *f, const struct fields *v) {
    const struct stream *s = f->stream;
    if (s->run.device.timestamp_hz == 0) {
        counts_ignored(f->run.counts, REASON_CLOCK_CYCLES);
        return;
    }
    f->run.counts->accepted++;
    run_stamp(&f->run, v->ts);
    if (!s->has.is[FIELD_SOURCE] || v->v[FIELD_SOURCE] == SOURCE_COMMAND_STREAM)
        capture(f, v, 0);
}

/* Of an engine without counters. */
static bool is_stamp_only(const struct has *has, struct span body) {
    return has->is[FIELD_TS] && body.n == has->bytes;
}

static void sample(const struct flow *f, struct span record) {
    const struct stream *s = f->stream;
    size_t size = oa_layout_of(s->run.device.format)->size;
    struct span body = span_skip(record, RECORD_HEAD);
    bool only = is_stamp_only(&s->has, body);
    if (!only && size == 0 && body.n >= s->has.bytes) {
        counts_ignored(f->run.counts, REASON_NO_FORMAT);
        return;
    }
    if (!only && body.n != s->has.bytes + size) {
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
        return;
    }
    struct fields v = read_fields(&s->has, body.p);
    if (only)
        stamp_only(f, &v);
    else
        report(f, span_skip(body, s->has.bytes), &v);
}

static void lost(const struct flow *f, struct span record, enum reason why) {
    if (record.n != RECORD_HEAD) {
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
    } else {
        f->run.counts->accepted++;
        f->run.counts->reasons[why]++;
    }
    run_lost(&f->run);
}

static void take(void *ctx, struct span record) {
    const struct flow *f = ctx;
    switch (record_type(record)) {
    case STREAM_SAMPLE:
        sample(f, record);
        break;
    case STREAM_REPORT_LOST:
        lost(f, record, REASON_REPORT_LOST);
        break;
    case STREAM_BUFFER_LOST:
        lost(f, record, REASON_BUFFER_OVERRUN);
        break;
    default:
        counts_ignored(f->run.counts, REASON_UNKNOWN_EVENT);
        break;
    }
}

/* ---- fold -------------------------------------------------------------------------------------- */

static struct has has_of(const char *facts) {
    struct cursor list = cursor_over(facts_get(facts, "oa_sample"));
    struct has has = {.bytes = 0};
    struct span name;
    while (cursor_field(&list, ',', &name))
        for (unsigned i = 0; i < FIELDS; i++)
            has.is[i] = has.is[i] || span_equals(name, field_names[i]);
    for (unsigned i = 0; i < FIELDS; i++)
        has.bytes += has.is[i] ? (i == FIELD_TS ? 8u : 4u) : 0u;
    return has;
}

static void init(void *state, const struct subject *s) {
    struct stream *it = state;
    memset(it, 0, sizeof *it);
    run_init(&it->run, s);
    it->has = has_of(s->facts);
    /* As of the proposal: nothing else tells the clock of Haswell. */
    if (it->run.device.platform == OA_HSW && it->run.device.set == OA_SET_UNKNOWN)
        it->run.device.set = OA_SET_RENDER_BASIC;
}

static void feed(void *state, const struct subject *subject, const struct frame *frame,
                 const struct sink *sink, struct counts *counts) {
    struct stream *s = state;
    struct flow f = {{&s->run, subject, sink, counts}, s};
    const struct record_sink to = {&f, take};
    records_feed(&s->records, frame_span(frame), &to, counts);
}

static void tick(void *state, const struct subject *subject, int64_t t_ns, const struct sink *sink,
                 struct counts *counts) {
    struct stream *s = state;
    const struct run_flow f = {&s->run, subject, sink, counts};
    (void)t_ns; /* reports have a clock of their own */
    records_tick(&s->records, counts);
    run_tick(&f);
}

const struct fold intel_stream_fold = {
    .size = sizeof(struct stream), .init = init, .feed = feed, .tick = tick};

/* ---- file -------------------------------------------------------------------------------------- */

struct plan {
    struct run_plan run;
    struct has has;
};

static void plan(void *to, const char *facts) {
    struct plan *p = to;
    run_plan_init(&p->run, facts);
    p->has = has_of(facts);
}

/* Of a report its own; 0: there is none. */
static uint64_t stamp_of(const struct plan *p, struct span body) {
    const struct oa_layout *layout = oa_layout_of(p->run.device.format);
    if (is_stamp_only(&p->has, body))
        return read_fields(&p->has, body.p).ts;
    if (layout->size == 0 || body.n != p->has.bytes + layout->size)
        return 0;
    const char *report = body.p + p->has.bytes;
    return layout->wide ? record_le64(report + 8) : record_le32(report + 4);
}

static size_t next_by(const void *from, struct file_trail *trail, struct span rest, int64_t *t_ns) {
    const struct plan *p = from;
    size_t n = record_size(rest);
    *t_ns = INT64_MIN;
    if (n > 0 && record_type(rest) == STREAM_SAMPLE)
        *t_ns = run_plan_ns(&p->run, trail,
                            stamp_of(p, span_skip((struct span){rest.p, n}, RECORD_HEAD)));
    return n;
}

/* Nothing says that a file is one. */
const struct vendor_file intel_stream_file = {
    .cut = records_cut,
    .plan_size = sizeof(struct plan),
    .plan = plan,
    .next_by = next_by,
    .device = "i915",
    .device_facts = "driver=i915\nname=Intel GPU\n",
};
