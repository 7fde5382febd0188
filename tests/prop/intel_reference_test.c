/*
 * The folds of Intel's observation unit against a slow model of the same rules (oamodel.h), on 10,000 random streams:
 * batches that lack an end, nest, repeat or differ in one label, counters and stamps that wrap, loss in the midst of a
 * batch, records of no known kind or size, files that are cut. Interval by interval, and as sums of a tick: whose it
 * is, how far each counter grew, what is derived, busy time, and what became of each record. However the bytes are cut
 * into frames, and wherever ticks end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acct_feed.h"
#include "backend/intel/intel.h"
#include "e2e.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "ndjson.h"
#include "oastream.h"
#include "program.h"
#include "scratch.h"

#define RFC_STREAMS    4000
#define PERF_STREAMS   3000
#define STREAM_STREAMS 3000

/* ---- what is heard --------------------------------------------------------------------------- */

struct heard_sum {
    struct oam_sum sum;
    int64_t time_ns;    /* GpuTime */
    struct sample busy; /* GpuBusy, the last one */
    unsigned parts;
};
struct heard_interval {
    struct heard_sum is;
    int64_t t_ns;
    int64_t reasons; /* -1: not said */
    uint64_t said;   /* bit per counter */
};
struct heard {
    bool each;
    unsigned sum_count;
    struct heard_sum sums[OAM_OWNERS + 1]; /* the first is nobody; as sums: the whole */
    unsigned interval_count;
    struct heard_interval intervals[OAM_RECORDS];
    struct counts counts;
};

static struct oam_owner owner_said(unsigned space, uint64_t client, int32_t pid) {
    struct oam_owner o = {.is = space != SPACE_NONE};
    if (o.is) {
        assert_true(space == SPACE_CONTEXT || space == SPACE_TAGGED);
        o.tagged = space == SPACE_TAGGED;
        o.context = client_context(client);
        o.tag = o.tagged ? client_tag(client) : 0;
        o.pid = pid;
    }
    return o;
}

static struct heard_sum *heard_of(struct heard *h, struct oam_owner owner) {
    for (unsigned i = 0; i < h->sum_count; i++)
        if (oam_same_owner(h->sums[i].sum.owner, owner))
            return &h->sums[i];
    assert_true(h->sum_count <= OAM_OWNERS);
    h->sums[h->sum_count] = (struct heard_sum){.sum = {.owner = owner}};
    return &h->sums[h->sum_count++];
}

/* A metric that it has already begins the next one. */
static struct heard_interval *interval_of(struct heard *h, const struct sample *s,
                                          struct oam_owner owner, unsigned bit) {
    struct heard_interval *it = h->interval_count ? &h->intervals[h->interval_count - 1] : NULL;
    if (!it || it->t_ns != s->t_ns || it->said >> bit & 1 ||
        !oam_same_owner(it->is.sum.owner, owner)) {
        assert_true(h->interval_count < OAM_RECORDS);
        it = &h->intervals[h->interval_count++];
        *it = (struct heard_interval){.is.sum.owner = owner, .t_ns = s->t_ns, .reasons = -1};
    }
    it->said |= (uint64_t)1 << bit;
    return it;
}

enum { BIT_TIME = OAM_COUNTERS, BIT_BUSY, BIT_REASON };

static void hear(struct heard_sum *to, const struct sample *s, unsigned bit) {
    if (bit == BIT_BUSY) {
        to->busy = *s;
        to->parts++;
    }
    if (s->state != STATE_VALUE)
        return;
    assert_true(s->value >= 0);
    if (bit < OAM_COUNTERS)
        to->sum.v[bit] += (uint64_t)s->value;
    else if (bit == BIT_TIME)
        to->time_ns += s->value;
}

static void on_sample(void *ctx, const struct sample *s) {
    struct heard *h = ctx;
    struct oam_owner owner = owner_said(s->space, s->client, s->pid);
    unsigned bit = s->metric == METRIC_COUNTER_GPU_TIME        ? BIT_TIME
                   : s->metric == METRIC_COUNTER_GPU_BUSY      ? BIT_BUSY
                   : s->metric == METRIC_COUNTER_REPORT_REASON ? BIT_REASON
                                                               : s->metric - METRIC_COUNTER_A0;
    if (bit > BIT_REASON)
        return;
    hear(heard_of(h, owner), s, bit);
    if (!h->each)
        return;
    struct heard_interval *it = interval_of(h, s, owner, bit);
    hear(&it->is, s, bit);
    if (bit == BIT_REASON)
        it->reasons = s->value;
}

static void on_job(void *ctx, const struct job *j) {
    struct heard *h = ctx;
    assert_true(j->end_ns > j->start_ns);
    heard_of(h, owner_said(j->space, j->client, j->pid))->sum.busy_ns += j->end_ns - j->start_ns;
}

/* All bytes in frames of random sizes, `cut`, or in one; ticks in between, or only at the end. */
static void say(const struct oas *s, struct heard *h, bool each, bool cut, bool ticks, size_t n) {
    static void *state;
    static size_t state_size;
    const struct sink sink = {h, on_sample, on_job, NULL};
    struct buf facts;
    memset(h, 0, sizeof *h);
    h->each = each;
    h->sum_count = 1;
    buf_init(&facts);
    buf_text(&facts, s->facts.p);
    buf_text(&facts, each ? "each=1\n" : "");
    if (s->file) {
        void *seen = calloc(1, s->file->scan_size);
        assert_non_null(seen);
        s->file->scan(seen, (struct span){s->bytes.p, n});
        s->file->say_facts(seen, &facts);
        free(seen);
    }
    buf_char(&facts, '\0');
    if (s->fold->size > state_size) { /* whatever stood there before */
        free(state);
        state_size = s->fold->size;
        state = malloc(state_size);
        assert_non_null(state);
        memset(state, 0xa5, state_size);
    }
    const struct subject subject = {.id = 2, .device = 1, .name = "", .facts = facts.p};
    s->fold->init(state, &subject);
    for (struct span rest = {s->bytes.p, n}; rest.n > 0;) {
        size_t step = cut ? 1 + oas_chance(oas_chance(4) ? 700 : 40) : rest.n;
        step = step < rest.n ? step : rest.n;
        const struct frame f = {.bytes = rest.p, .size = step, .subject = 2};
        s->fold->feed(state, &subject, &f, &sink, &h->counts);
        if (ticks && oas_chance(8) == 0)
            s->fold->tick(state, &subject, 0, &sink, &h->counts);
        rest = span_skip(rest, step);
    }
    s->fold->tick(state, &subject, 0, &sink, &h->counts);
    buf_finish(&facts);
}

/* ---- against each other ---------------------------------------------------------------------- */

/* For people: what was compared, and of whom. */
static const char *stage;
static struct oam_owner about;

#define SAME(what, got, want)                                                                      \
    do {                                                                                           \
        int64_t g_ = (int64_t)(got), w_ = (int64_t)(want);                                         \
        if (g_ != w_)                                                                              \
            differs(s, what, g_, w_);                                                              \
    } while (0)

static void dump(const struct oas *s) {
    for (unsigned i = 0; i < s->m.count; i++) {
        const struct oam_record *r = &s->m.records[i];
        print_error("%2u %s%s %c ts %u clock %u id %x context %x labels %u %u %u ends %zu\n", i,
                    r->what == OAM_REPORT ? "report"
                    : r->what == OAM_LOSS ? "loss"
                                          : "other",
                    r->capture ? " capture" : "", r->fate, r->timestamp, r->clock, r->id,
                    r->context, r->label[0], r->label[1], r->label[2], s->ends[i]);
    }
}

static void differs(const struct oas *s, const char *what, int64_t got, int64_t want) {
    dump(s);
    fail_msg("%s, context %u tag %u pid %d: %s: got %lld, expected %lld, of\n%s", stage,
             about.context, about.tag, about.pid, what, (long long)got, (long long)want,
             s->facts.p);
}

/* Undefined counters of Haswell may be left out. */
static bool told_for_sure(const struct oam_format *f, unsigned c) {
    static const uint64_t undefined = UINT64_C(1) << 4 | 1 << 6 | 1 << 9 | 1 << 11 | 1 << 14 |
                                      1 << 16 | 1 << 19 | 1 << 21 | 1 << 24 | 1 << 26 | 1 << 29 |
                                      UINT64_C(1) << 31 | UINT64_C(1) << 34 | UINT64_C(1) << 43 |
                                      UINT64_C(1) << 44;
    return oam_bits(f, c) > 0 && !(f->haswell && c < OAM_B && undefined >> c & 1);
}

/* Share of clocks that were busy, in ppm, up to all of them. */
static void compare_busy(const struct oas *s, const struct heard_sum *h,
                         const struct oam_sum *want) {
    const struct oam_format *f = s->m.format;
    bool known = oam_has_clock(f) && oam_bits(f, f->busy) > 0 && want->clock > 0;
    if (!known) {
        SAME("no GpuBusy", h->busy.state == STATE_VALUE && h->parts > 0, false);
        return;
    }
    long double ppm = (long double)want->v[f->busy] * 1e6L / (long double)want->clock;
    bool clamped = ppm > 1e6L + 1;
    SAME("GpuBusy is there", h->busy.state, STATE_VALUE);
    int64_t off = h->busy.value - (int64_t)(ppm > 1e6L ? 1e6L : ppm);
    SAME("GpuBusy", off < -1 || off > 1 ? h->busy.value : 0, 0);
    if (clamped)
        SAME("clamped", h->busy.doubt & DOUBT_CLAMPED, DOUBT_CLAMPED);
}

static void compare_sum(const struct oas *s, const struct heard_sum *h, const struct oam_sum *want,
                        int64_t slack) {
    for (unsigned c = 0; c < OAM_COUNTERS; c++)
        if (told_for_sure(s->m.format, c) || h->sum.v[c] > 0)
            SAME("counter", h->sum.v[c], want->v[c]);
    int64_t off = h->time_ns - oam_ns(s->m.hz, want->ticks);
    SAME("GpuTime", off > slack || off < -slack ? h->time_ns : 0, 0);
}

static void compare_counts(const struct oas *s, const struct heard *h, unsigned whole, bool torn) {
    const uint64_t *reasons = h->counts.reasons;
    const struct oam *m = &s->m;
    SAME("accepted", h->counts.accepted, m->accepted);
    SAME("ignored", h->counts.ignored, m->ignored);
    SAME("malformed", h->counts.malformed, m->malformed);
    SAME("truncated", h->counts.truncated, torn);
    SAME("cut", reasons[REASON_CUT], torn);
    SAME("record_size", reasons[REASON_RECORD_SIZE], m->malformed);
    SAME("other records", reasons[REASON_UNKNOWN_EVENT] + reasons[REASON_OTHER_EVENT], m->ignored);
    SAME("bad_delta", reasons[REASON_BAD_DELTA], m->bad_delta);
    if (m->captures && m->context) {
        SAME("bad_pair", reasons[REASON_BAD_PAIR], m->bad_pair);
        SAME("open_at_end", reasons[REASON_OPEN_AT_END], m->open_at_end);
    }
    if (m->count == whole && !torn) {
        SAME("lost records", reasons[REASON_LOST_RECORDS], s->lost);
        SAME("overrun", reasons[REASON_BUFFER_OVERRUN], s->overrun);
        SAME("report lost", reasons[REASON_REPORT_LOST], s->missed);
    }
    SAME("contexts_full", reasons[REASON_CONTEXTS_FULL], 0);
}

static void compare_owner(const struct oas *s, const struct heard *h, struct oam_owner owner,
                          int64_t slack, bool one) {
    struct oam_sum want = {0};
    struct heard_sum got = {0};
    for (unsigned i = 0; i < s->m.owner_count; i++)
        if (oam_same_owner(s->m.owners[i].owner, owner))
            want = s->m.owners[i];
    for (unsigned i = 0; i < h->sum_count; i++)
        if (oam_same_owner(h->sums[i].sum.owner, owner))
            got = h->sums[i];
    about = owner;
    SAME("busy ns", got.sum.busy_ns, want.busy_ns);
    if (!h->each && !owner.is) /* what is told of nobody is the whole where sums are told */
        want = s->m.whole;
    compare_sum(s, &got, &want, slack);
    if (one && want.ticks > 0)
        compare_busy(s, &got, &want);
    about = (struct oam_owner){0};
}

/* slack: of times in ns that were rounded one by one. one: all came in one tick. */
static void compare_sums(const struct oas *s, const struct heard *h, int64_t slack, bool one) {
    for (unsigned i = 0; i < s->m.owner_count; i++)
        compare_owner(s, h, s->m.owners[i].owner, slack, one);
    for (unsigned i = 0; i < h->sum_count; i++)
        compare_owner(s, h, h->sums[i].sum.owner, slack, one);
}

static void compare_intervals(const struct oas *s, const struct heard *h) {
    int64_t base = s->head ? OAS_CPU_NS + oam_ns(s->m.hz, s->ahead) : 0;
    SAME("intervals", h->interval_count, s->m.interval_count);
    for (unsigned i = 0; i < h->interval_count; i++) {
        const struct heard_interval *got = &h->intervals[i];
        const struct oam_interval *want = &s->m.intervals[i];
        SAME("end", got->t_ns, base + want->end_ns);
        SAME("owner", oam_same_owner(got->is.sum.owner, want->sum.owner), true);
        compare_sum(s, &got->is, &want->sum, 0);
        compare_busy(s, &got->is, &want->sum);
        SAME("reasons", got->reasons, s->m.format->haswell ? -1 : (int64_t)want->reasons);
    }
}

static void compare(struct oas *s) {
    static struct heard h;
    bool torn = oas_chance(3) == 0;
    size_t n = torn ? 1 + oas_chance((uint32_t)s->bytes.n) : s->bytes.n;
    unsigned whole = 0;
    while (whole < s->m.count && s->ends[whole] <= n)
        whole++;
    torn = n > (whole > 0 ? s->ends[whole - 1] : 0) && !(s->broken && whole == s->m.count);
    oam_work_out(&s->m, whole);
    stage = "each, at once";
    say(s, &h, true, false, false, n);
    compare_intervals(s, &h);
    compare_sums(s, &h, OAM_RECORDS, false);
    compare_counts(s, &h, whole, torn);
    stage = "each, in pieces";
    say(s, &h, true, true, false, n);
    compare_intervals(s, &h);
    compare_sums(s, &h, OAM_RECORDS, false);
    compare_counts(s, &h, whole, torn);
    stage = "sums, in pieces";
    say(s, &h, false, true, false, n);
    compare_sums(s, &h, 0, true);
    compare_counts(s, &h, whole, torn);
    stage = "sums, many ticks";
    say(s, &h, false, true, true, n);
    compare_sums(s, &h, OAM_RECORDS, false);
    compare_counts(s, &h, whole, torn);
}

/* ---- through bus and accounting -------------------------------------------------------------- */

enum { DEVICE = 4, STREAM = 9 };

static void bus_say(struct bus *b, const struct subject *subject, unsigned kind, int64_t t_ns,
                    struct span body) {
    const struct frame f = {.t_ns = t_ns,
                            .bytes = body.p,
                            .size = body.n,
                            .subject = subject->id,
                            .kind = (uint16_t)kind};
    bus_frame(b, subject, &f);
}

/* All of the stream in one tick, in two pieces. */
static void account(struct bus *b, const struct oas *s) {
    const struct subject machine = {.type = SUBJECT_MACHINE, .name = "", .facts = ""};
    const struct subject device = {
        .id = DEVICE, .type = SUBJECT_DEVICE, .name = "gpu", .facts = "driver=i915\n"};
    const struct subject stream = {.id = STREAM,
                                   .device = DEVICE,
                                   .type = SUBJECT_STREAM,
                                   .backend =
                                       (uint16_t)backend_find(&backend_table, span_of("intel")),
                                   .name = "",
                                   .facts = s->facts.p};
    const struct span none = {"", 0}, all = {s->bytes.p, s->bytes.n};
    size_t part = oas_chance((uint32_t)all.n);
    unsigned kind = s->fold == &intel_rfc_fold      ? INTEL_OA_RFC
                    : s->fold == &intel_stream_fold ? INTEL_OA_STREAM
                                                    : INTEL_PERF;
    bus_say(b, &device, FRAME_OPEN, 0, none);
    bus_say(b, &stream, FRAME_OPEN, 0, none);
    bus_say(b, &machine, FRAME_BEGIN, SEC, none);
    bus_say(b, &machine, FRAME_END, SEC, none);
    bus_say(b, &machine, FRAME_BEGIN, 2 * SEC, none);
    bus_say(b, &stream, kind, 2 * SEC, (struct span){all.p, part});
    bus_say(b, &stream, kind, 2 * SEC, span_skip(all, part));
    bus_say(b, &machine, FRAME_END, 2 * SEC, none);
}

static const struct snap_context *context_of(const struct snapshot *s, struct oam_owner owner) {
    for (uint32_t i = 0; i < s->context_count; i++) {
        const struct snap_context *c = &s->contexts[i];
        int32_t pid = c->process == UINT32_MAX ? 0 : s->processes[c->process].pid;
        if (c->context == owner.context && c->tagged == owner.tagged && c->tag == owner.tag &&
            pid == owner.pid)
            return c;
    }
    return NULL;
}

static int64_t counter_of(const struct snapshot *s, const struct snap_context *c, unsigned metric) {
    const struct snap_metric *m = find_metric(s, c->counters, metric);
    return m && m->value.state == STATE_VALUE ? m->value.v : -1;
}

static void compare_context(const struct oas *s, const struct snapshot *snap,
                            const struct oam_sum *want) {
    const struct snap_context *c = context_of(snap, want->owner);
    if (!c) {
        SAME("no such context", want->busy_ns + (int64_t)want->ticks, 0);
        return;
    }
    SAME("busy ns", c->busy_ns.state == STATE_VALUE ? c->busy_ns.v : 0, want->busy_ns);
    if (want->ticks == 0)
        return;
    SAME("GpuTime", counter_of(snap, c, METRIC_COUNTER_GPU_TIME), oam_ns(s->m.hz, want->ticks));
    for (unsigned i = 0; i < OAM_COUNTERS; i++)
        if (told_for_sure(s->m.format, i))
            SAME("counter", counter_of(snap, c, METRIC_COUNTER_A0 + i), want->v[i]);
}

/* Contexts of each process, and of nobody that is known; processes hold what their contexts worked. */
static void compare_rows(const struct oas *s, const struct snapshot *snap) {
    stage = "rows";
    for (unsigned i = 1; i < s->m.owner_count; i++)
        compare_context(s, snap, &s->m.owners[i]);
    for (uint32_t p = 0; p < snap->process_count; p++) {
        int64_t busy = 0;
        for (unsigned i = 1; i < s->m.owner_count; i++)
            if (s->m.owners[i].owner.pid == snap->processes[p].pid)
                busy += s->m.owners[i].busy_ns;
        SAME("a process", snap->processes[p].busy_ns.v, busy);
    }
}

static void many_accounted(unsigned count, void (*draw)(struct oas *s)) {
    static struct oas s;
    for (unsigned i = 0; i < count; i++) {
        struct acct *acct;
        struct bus *bus;
        oas_seed(i);
        draw(&s);
        oam_work_out(&s.m, s.m.count);
        assert_int_equal(acct_create(NULL, &acct), ERR_OK);
        assert_int_equal(bus_create(&backend_table, &bus), ERR_OK);
        const struct subscriber hears = acct_subscriber(acct);
        assert_int_equal(bus_subscribe(bus, &hears), ERR_OK);
        account(bus, &s);
        compare_rows(&s, acct_snapshot(acct));
        bus_destroy(bus);
        acct_destroy(acct);
    }
    oas_finish(&s);
}

static void accounted(void **state) {
    (void)state;
    many_accounted(500, oas_rfc);
    many_accounted(300, oas_perf);
    many_accounted(300, oas_stream);
}

/* ---- the program itself ---------------------------------------------------------------------- */

static bool has_pid(const struct oas *s, int32_t pid) {
    for (unsigned i = 1; i < s->m.owner_count; i++)
        if (s->m.owners[i].owner.pid == pid && s->m.owners[i].busy_ns > 0)
            return true;
    return false;
}

/* A capture of three processes, with contexts and tags of each. */
static void build_capture(struct oas *s) {
    unsigned number = 0;
    do {
        oas_seed(number++);
        oas_capture(s);
        oam_work_out(&s->m, s->m.count);
    } while (s->m.owner_count < 9 || !has_pid(s, 4242) || !has_pid(s, 4243) || !has_pid(s, 4244) ||
             has_pid(s, 0));
}

static json_t *called(const char *const *args) {
    const struct program p = {.args = args};
    char *out = e2e_call(&p, 0);
    json_t *lines = ndjson_parse(out);
    assert_non_null(lines);
    free(out);
    return lines;
}

static int64_t whole_at(json_t *o, const char *key) {
    json_t *v = json_object_get(o, key);
    return json_is_integer(v) ? json_integer_value(v) : 0;
}

static struct oam_owner owner_at(json_t *o) {
    return (struct oam_owner){.is = json_object_get(o, "context") != NULL,
                              .tagged = json_object_get(o, "tag") != NULL,
                              .context = (uint32_t)whole_at(o, "context"),
                              .tag = (uint32_t)whole_at(o, "tag"),
                              .pid = (int32_t)whole_at(o, "tid")};
}

/* Adds up what `decode` prints. */
static void add_line(struct heard *h, json_t *o) {
    const char *metric = text_at(o, "metric");
    struct heard_sum *to = heard_of(h, owner_at(o));
    unsigned id = metric_from_name(span_of(metric));
    if (strcmp(metric, "job.busy") == 0)
        to->sum.busy_ns += whole_at(o, "end_ns") - whole_at(o, "start_ns");
    else if (id == METRIC_COUNTER_GPU_TIME)
        to->time_ns += (int64_t)(number_at(o, "value") * 1e9 + 0.5);
    else if (id - METRIC_COUNTER_A0 < OAM_COUNTERS)
        to->sum.v[id - METRIC_COUNTER_A0] += (uint64_t)whole_at(o, "value");
}

/* As `replay --json` says it. counted: all was one tick; else those of a context are of the tick that told them last. */
static void compare_printed(const struct oas *s, json_t *tick, bool counted) {
    for (unsigned k = 1; k < s->m.owner_count; k++) {
        const struct oam_sum *want = &s->m.owners[k];
        json_t *process = tick_process(tick, want->owner.pid, NULL), *c, *found = NULL;
        size_t i;
        if (want->busy_ns == 0 && want->ticks == 0)
            continue;
        json_array_foreach(json_object_get(process, "contexts"), i, c) {
            if ((uint32_t)whole_at(c, "context") == want->owner.context &&
                (uint32_t)whole_at(c, "tag") == want->owner.tag)
                found = c;
        }
        SAME("a context", found != NULL, true);
        assert_near(found, "busy_s", (double)want->busy_ns * 1e-9, 1e-9);
        json_t *counters = json_object_get(found, "counters");
        if (want->ticks == 0 || !counted)
            continue;
        assert_near(counters, "GpuTime", (double)oam_ns(s->m.hz, want->ticks) * 1e-9, 1e-9);
        SAME("A5", whole_at(counters, "A5"), want->v[OAM_A + 5]);
        SAME("C7", whole_at(counters, "C7"), want->v[OAM_C + 7]);
    }
}

static void printed(void **state) {
    static struct oas capture;
    struct oas *s = &capture;
    static struct heard h;
    char *dir = scratch_make(), *path = path_join(dir, "capture");
    size_t i;
    json_t *o;
    (void)state;
    build_capture(s);
    file_write(path, s->bytes.p, s->bytes.n);
    json_t *lines = called(PROGRAM_ARGS("decode", "i915-oa-rfc", path, "--oa-flags", "pid,tag"));
    memset(&h, 0, sizeof h);
    h.each = true;
    h.sum_count = 1;
    json_array_foreach(lines, i, o) {
        if (json_object_get(o, "metric"))
            add_line(&h, o);
    }
    stage = "decode";
    compare_sums(s, &h, OAM_RECORDS, false);
    json_t *summary = json_object_get(json_array_get(lines, json_array_size(lines) - 1), "summary");
    SAME("records", whole_at(summary, "records"), s->m.count);
    SAME("accepted", whole_at(summary, "accepted"), s->m.accepted);
    SAME("ignored", whole_at(summary, "ignored"), s->m.ignored);
    SAME("malformed", whole_at(summary, "malformed"), s->m.malformed);
    json_decref(lines);
    lines = called(PROGRAM_ARGS("replay", "--as", "i915-oa-rfc", path, "--once", "--json",
                                "--oa-flags", "pid,tag"));
    stage = "replay";
    compare_printed(s, json_array_get(lines, 0), false);
    json_decref(lines);
    lines = called(PROGRAM_ARGS("replay", "--as", "i915-oa-rfc", path, "--once", "--json", "-d",
                                "10000s", "--oa-flags", "pid,tag"));
    compare_printed(s, json_array_get(lines, 0), true);
    json_decref(lines);
    oas_finish(s);
    free(path);
    scratch_remove(dir);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Of each thing there were many. */
static void check_stock(const struct oam *stock, unsigned count) {
    assert_true(stock->interval_count > 15 * count);
    assert_true(stock->owner_count > 3 * count);
    assert_true(stock->bad_delta > count);
    assert_true(stock->malformed > count / 2);
    assert_true(stock->ignored > count / 2);
    assert_true(stock->bad_pair > count || !stock->captures);
}

static void many(unsigned count, void (*draw)(struct oas *s)) {
    static struct oas s;
    static struct oam stock;
    memset(&stock, 0, sizeof stock);
    for (unsigned i = 0; i < count; i++) {
        oas_seed(i);
        draw(&s);
        compare(&s);
        stock.interval_count += s.m.interval_count;
        stock.owner_count += s.m.owner_count;
        stock.bad_delta += s.m.bad_delta;
        stock.bad_pair += s.m.bad_pair;
        stock.malformed += s.m.malformed;
        stock.ignored += s.m.ignored;
        stock.captures |= s.m.captures;
    }
    check_stock(&stock, count);
    oas_finish(&s);
}

static void rfc_agrees(void **state) {
    (void)state;
    many(RFC_STREAMS, oas_rfc);
}

static void perf_agrees(void **state) {
    (void)state;
    many(PERF_STREAMS, oas_perf);
}

static void stream_agrees(void **state) {
    (void)state;
    many(STREAM_STREAMS, oas_stream);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc_agrees),    cmocka_unit_test(perf_agrees),
        cmocka_unit_test(stream_agrees), cmocka_unit_test(accounted),
        cmocka_unit_test(printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
