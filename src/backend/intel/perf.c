/*
 * Records of an i915 perf stream, as the driver gives them and as the recorder of IGT keeps them. Pure.
 *
 * A file tells of itself what its reports look like; live that is in the facts, and so it is with a file that was
 * looked through as a whole before. What facts say goes before what a record says.
 *
 * Sources: include/uapi/drm/i915_drm.h (records 1 to 3), lib/i915/perf_data.h of IGT (those of the recorder).
 */
#include "intel.h"
#include "perf_file.h"

struct perf {
    struct run run;
    struct perf_file file;
    bool live; /* no file: reports are as old as the frame that they are in */
    struct records records;
};

struct flow {
    struct run_flow run;
    struct perf *perf;
};

/* ---- records ----------------------------------------------------------------------------------- */

static void sample(const struct flow *f, struct span record) {
    const struct oa_device *d = &f->perf->run.device;
    const struct oa_layout *layout = oa_layout_of(d->format);
    struct run_owner owner = {0};
    struct oa_report r;
    if (layout->size == 0) {
        counts_ignored(f->run.counts, REASON_NO_FORMAT);
        return;
    }
    if (record.n != RECORD_HEAD + (size_t)layout->size ||
        !oa_report_read(d, span_skip(record, RECORD_HEAD), &r)) {
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
        return;
    }
    const struct oa_report *last = &f->perf->run.last;
    if (last->context != OA_NO_CONTEXT && f->perf->run.has_last)
        owner = (struct run_owner){.client = last->context, .space = SPACE_CONTEXT};
    f->run.counts->accepted++;
    run_report(&f->run, &r, &owner);
}

static void lost(const struct flow *f, enum reason why) {
    f->run.counts->accepted++;
    f->run.counts->reasons[why]++;
    run_lost(&f->run);
}

/* Times from here on have nothing to do with those before: the first pair of a recording that nobody looked through
 * (time so far was GPU time alone), or another anchor. What is open goes on in the new time. */
static void begin_anew(const struct flow *f) {
    struct run *s = &f->perf->run;
    run_close(&f->run, false);
    if (s->has_last)
        s->last_ns = perf_clock_ns(&s->clock, &s->device, s->clock.line.newest);
}

static void of_recorder(const struct flow *f, const struct perf_record *r) {
    struct run *s = &f->perf->run;
    f->run.counts->accepted++;
    if (r->kind == PERF_RECORD_INFO && !oa_timestamp_can_be(r->info.timestamp_hz))
        f->run.counts->reasons[REASON_OUT_OF_RANGE]++;
    if (r->kind == PERF_RECORD_INFO && s->has_last)
        run_lost(&f->run); /* another recording */
    if (r->kind == PERF_RECORD_PAIR &&
        perf_clock_pair(&s->clock, &s->device, r->cpu_ns, r->gpu, false))
        begin_anew(f);
    if (r->kind == PERF_RECORD_INFO || r->kind == PERF_RECORD_TOPOLOGY)
        perf_file_describe(r, f->run.subject->facts, &s->device);
}

static void take(void *ctx, struct span record) {
    const struct flow *f = ctx;
    struct perf_record r;
    perf_file_read(&f->perf->file, record, &r);
    switch (r.kind) {
    case PERF_RECORD_SAMPLE:
        sample(f, record);
        break;
    case PERF_RECORD_REPORT_LOST:
        lost(f, REASON_REPORT_LOST);
        break;
    case PERF_RECORD_BUFFER_LOST:
        lost(f, REASON_BUFFER_OVERRUN);
        break;
    case PERF_RECORD_UNKNOWN:
        counts_ignored(f->run.counts, REASON_UNKNOWN_EVENT);
        break;
    case PERF_RECORD_OTHER_VERSION:
        counts_malformed(f->run.counts, REASON_TABLE_VERSION);
        break;
    case PERF_RECORD_BAD:
        counts_malformed(f->run.counts, REASON_RECORD_SIZE);
        break;
    default:
        of_recorder(f, &r);
        break;
    }
}

/* ---- fold -------------------------------------------------------------------------------------- */

/* The timestamp of a report, also of one whose format is not known; 0: there is none. */
static uint64_t stamp_of(const struct oa_layout *layout, struct span record) {
    size_t least = RECORD_HEAD + (layout->size ? (size_t)layout->size : 16);
    if (record.n < least || (layout->size && record.n != least))
        return 0;
    return layout->wide ? record_le64(record.p + RECORD_HEAD + 8)
                        : record_le32(record.p + RECORD_HEAD + 4);
}

/* The newest whole report of a frame tells how old the others are. */
static void find_anchor(const struct flow *f, struct span bytes, int64_t t_ns) {
    struct perf *s = f->perf;
    const struct oa_layout *layout = oa_layout_of(s->run.device.format);
    uint64_t stamp = 0;
    size_t n;
    if (!s->live || s->records.waiting > 0 || layout->size == 0 || t_ns <= 0)
        return;
    for (; (n = record_size(bytes)) > 0; bytes = span_skip(bytes, n))
        if (record_type(bytes) == 1)
            stamp = stamp_of(layout, (struct span){bytes.p, n});
    if (stamp != 0 && perf_clock_anchor(&s->run.clock, &s->run.device, stamp, t_ns))
        begin_anew(f);
}

static void init(void *state, const struct subject *s) {
    struct perf *it = state;
    memset(it, 0, sizeof *it);
    it->live = facts_u64(s->facts, "oa_file", 0) == 0;
    run_init(&it->run, s);
    it->records.step_anew = it->live;
}

static struct flow flow_of(struct perf *s, const struct subject *subject, const struct sink *sink,
                           struct counts *counts) {
    return (struct flow){{&s->run, subject, sink, counts}, s};
}

static void feed(void *state, const struct subject *subject, const struct frame *frame,
                 const struct sink *sink, struct counts *counts) {
    struct perf *s = state;
    struct flow f = flow_of(s, subject, sink, counts);
    const struct record_sink to = {&f, take};
    find_anchor(&f, frame_span(frame), frame->t_ns);
    records_feed(&s->records, frame_span(frame), &to, counts);
}

static void tick(void *state, const struct subject *subject, int64_t t_ns, const struct sink *sink,
                 struct counts *counts) {
    struct perf *s = state;
    struct flow f = flow_of(s, subject, sink, counts);
    (void)t_ns; /* reports have a clock of their own */
    records_tick(&s->records, counts);
    run_tick(&f.run);
}

const struct fold intel_perf_fold = {
    .size = sizeof(struct perf), .init = init, .feed = feed, .tick = tick};

/* ---- file -------------------------------------------------------------------------------------- */

struct scan {
    struct perf_file file;
    struct perf_about about;
    struct perf_clock clock;
    struct records records;
};

static void scan_record(void *ctx, struct span record) {
    struct scan *s = ctx;
    struct perf_record r;
    perf_file_read(&s->file, record, &r);
    if (r.kind == PERF_RECORD_PAIR) {
        perf_clock_pair(&s->clock, &s->about.device, r.cpu_ns, r.gpu, true);
    } else if (r.kind == PERF_RECORD_INFO || r.kind == PERF_RECORD_TOPOLOGY) {
        perf_about_take(&s->about, &r);
    } else if (r.kind == PERF_RECORD_SAMPLE) {
        uint64_t stamp = stamp_of(oa_layout_of(s->about.device.format), record);
        if (stamp != 0)
            perf_clock_report(&s->clock, stamp);
    }
}

static void scan(void *state, struct span piece) {
    struct scan *s = state;
    const struct record_sink to = {s, scan_record};
    struct counts uncounted = {0};
    records_feed(&s->records, piece, &to, &uncounted);
}

static void say_facts(const void *state, struct buf *facts) {
    const struct scan *s = state;
    facts_put_u64(facts, "oa_file", 1);
    perf_about_say(&s->about, facts);
    perf_clock_say(&s->clock, facts);
}

/* Begins as the recorder begins, in either version. */
static bool recognise(struct span head, bool more) {
    struct perf_file file = {0};
    struct perf_record r;
    size_t n = record_size(head);
    (void)more;
    if (n == 0)
        return false;
    perf_file_read(&file, (struct span){head.p, n}, &r);
    return r.kind == PERF_RECORD_VERSION || r.kind == PERF_RECORD_OTHER_VERSION ||
           r.kind == PERF_RECORD_INFO;
}

static void plan(void *to, const char *facts) {
    run_plan_init(to, facts);
}

/* A report by its own stamp, as the fold has it; what has none stands where the one before it does. */
static size_t next_by(const void *from, struct file_trail *trail, struct span rest, int64_t *t_ns) {
    const struct run_plan *p = from;
    struct perf_record pair;
    size_t n = record_size(rest);
    struct span record = {rest.p, n};
    *t_ns = INT64_MIN;
    if (n == 0)
        return 0;
    if (record_type(record) == 1) {
        *t_ns = run_plan_ns(p, trail, stamp_of(oa_layout_of(p->device.format), record));
    } else if (perf_file_pair(record, &pair)) {
        struct perf_line line = perf_line_of(trail);
        perf_line_pair(&line, &p->device, pair.gpu);
        perf_line_keep(&line, trail);
    }
    return n;
}

const struct vendor_file intel_perf_file = {
    .scan_size = sizeof(struct scan),
    .scan = scan,
    .say_facts = say_facts,
    .recognise = recognise,
    .cut = records_cut,
    .plan_size = sizeof(struct run_plan),
    .plan = plan,
    .next_by = next_by,
    .device = "i915",
    .device_facts = "driver=i915\nname=Intel GPU\n",
};
