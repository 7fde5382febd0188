/*
 * Reports in; intervals, sums and jobs out. Pure; the state is flat. Times in ns.
 *
 * What lies between two successive reports of a stream is one interval, and belongs to one owner or to nobody.
 * Neighbours of one owner are a stretch, and a stretch is a job. There are two kinds of owners: whoever the earlier
 * report names, and the batch between two captures of the command stream. The second kind is known only once the batch
 * has ended: until then its intervals are held back, and without an end they are nobody's.
 */
#include "run.h"

#define PID_MAX 4194304u

static const struct run_owner nobody = {0};

const char *run_engine_name(unsigned number) {
    static const char *const names[] = {"render", "copy", "video", "video-enhance", "compute"};
    return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

void run_init(struct run *it, const struct subject *s) {
    struct span engine = facts_get(s->facts, "oa_engine");
    memset(it, 0, sizeof *it);
    it->class = CLASS_GRAPHICS;
    oa_device_from_facts(&it->device, s->facts);
    perf_clock_init(&it->clock, s->facts);
    it->each = facts_u64(s->facts, "each", 0) != 0;
    if (engine.n == 0 || engine.n >= sizeof it->engine || span_equals(engine, "render"))
        engine = span_of("render");
    else
        it->class = (uint8_t)engine_class_of(engine);
    it->engine[text_clean(it->engine, sizeof it->engine - 1, engine)] = '\0';
}

/* ---- telling ----------------------------------------------------------------------------------- */

/* Live, work is of what outlasts the stream; what is true of the device now ends with it. */
static uint32_t subject_of(const struct run_flow *f, unsigned space) {
    bool lasts = space != SPACE_NONE && f->subject->parent;
    return lasts ? f->subject->parent : f->subject->id;
}

static struct sample sample_of(const struct run_flow *f, const struct run_owner *owner,
                               int64_t t_ns, uint8_t doubt) {
    return (struct sample){.t_ns = t_ns,
                           .client = owner->client,
                           .name = "",
                           .subject = subject_of(f, owner->space),
                           .device = f->subject->device,
                           .pid = owner->pid,
                           .index = INDEX_NONE,
                           .space = owner->space,
                           .state = STATE_VALUE,
                           .doubt = doubt,
                           .rank = 1};
}

static void tell_counters(const struct run_flow *f, struct sample *s, const struct oa_delta *d) {
    const struct oa_layout *layout = oa_layout_of(f->state->device.format);
    for (unsigned i = 0; i < OA_RUNS && layout->runs[i].count > 0; i++)
        for (unsigned k = 0; k < layout->runs[i].count; k++) {
            unsigned counter = layout->runs[i].first + k;
            if (!oa_counter_is_defined(layout, counter))
                continue;
            s->metric = (uint16_t)(METRIC_COUNTER_A0 + counter);
            s->raw = d->v[counter];
            s->value = s->raw <= INT64_MAX ? (int64_t)s->raw : INT64_MAX;
            f->sink->sample(f->sink->ctx, s);
        }
}

/* More than sysfs knows: a rank above all of its. */
#define RANK_ACTIVITY 4

static void tell_derived(const struct run_flow *f, struct sample *s, const struct oa_delta *d,
                         bool activity) {
    struct oa_value values[OA_DERIVED];
    size_t count = oa_derive(&f->state->device, d, values);
    struct sample one = *s;
    for (size_t i = 0; i < count; i++) {
        bool known = values[i].state == STATE_VALUE;
        one.metric = values[i].metric;
        one.state = values[i].state;
        one.doubt = known ? s->doubt | values[i].doubt : 0;
        one.value = known ? values[i].value : 0;
        one.raw = (uint64_t)one.value;
        f->sink->sample(f->sink->ctx, &one);
        if (activity && known && one.metric == METRIC_COUNTER_GPU_BUSY) {
            one.metric = METRIC_ACTIVITY_GFX;
            one.rank = RANK_ACTIVITY;
            f->sink->sample(f->sink->ctx, &one);
            one.rank = s->rank;
        }
    }
}

static void tell_interval(const struct run_flow *f, const struct run_interval *v,
                          const struct run_owner *owner, uint8_t doubt) {
    struct sample s = sample_of(f, owner, v->end_ns, doubt);
    char words[128];
    if (!f->sink->sample)
        return;
    tell_derived(f, &s, &v->delta, false);
    tell_counters(f, &s, &v->delta);
    if (oa_layout_of(f->state->device.format)->haswell)
        return;
    s.metric = METRIC_COUNTER_REPORT_REASON;
    s.value = v->reasons;
    s.raw = v->reasons;
    s.name = words;
    s.name_len = (uint8_t)oa_reason_words(v->reasons, words, sizeof words);
    f->sink->sample(f->sink->ctx, &s);
}

static void tell_held(const struct run_flow *f, const struct run_owner *owner, uint8_t doubt) {
    struct run *s = f->state;
    for (uint32_t i = 0; i < s->open.held && i < RUN_HELD; i++)
        tell_interval(f, &s->held[i], owner, doubt);
    s->open.held = 0;
}

static void tell_sum(const struct run_flow *f, const struct oa_delta *sum,
                     const struct run_owner *owner) {
    struct sample s = sample_of(f, owner, f->state->last_ns, 0);
    if (!f->sink->sample)
        return;
    tell_derived(f, &s, sum, owner->space == SPACE_NONE);
    tell_counters(f, &s, sum);
}

static void tell_job(const struct run_flow *f, bool open) {
    const struct run *s = f->state;
    if (!f->sink->job || s->open.end_ns <= s->open.start_ns)
        return;
    const struct job j = {.start_ns = s->open.start_ns,
                          .end_ns = s->open.end_ns,
                          .client = s->open.owner.client,
                          .name = s->engine,
                          .clock_hz = oa_mean_hz(&s->device, &s->open.sum),
                          .subject = subject_of(f, s->open.owner.space),
                          .device = f->subject->device,
                          .pid = s->open.owner.pid,
                          .tag = s->open.batch.tag,
                          .name_len = (uint8_t)strlen(s->engine),
                          .class = s->class,
                          .space = s->open.owner.space,
                          .open = open};
    f->sink->job(f->sink->ctx, &j);
}

/* ---- stretches --------------------------------------------------------------------------------- */

static bool same_owner(const struct run_owner *a, const struct run_owner *b) {
    return a->client == b->client && a->pid == b->pid && a->space == b->space;
}

/* The sum of a tick of this owner; NULL: there are more owners than are told apart. */
static struct oa_delta *sum_of(struct run *s, const struct run_owner *owner) {
    for (uint32_t i = 0; i < s->owner_count; i++)
        if (same_owner(&s->owners[i], owner))
            return &s->sums[i];
    if (s->owner_count == RUN_OWNERS)
        return NULL;
    s->owners[s->owner_count] = *owner;
    s->sums[s->owner_count] = (struct oa_delta){0};
    return &s->sums[s->owner_count++];
}

static void keep_sum(const struct run_flow *f) {
    struct run *s = f->state;
    if (s->each || s->open.sum.ticks == 0)
        return;
    struct oa_delta *sum = sum_of(s, &s->open.owner);
    if (sum)
        oa_delta_add(&s->device, sum, &s->open.sum);
    else
        f->counts->reasons[REASON_CONTEXTS_FULL]++;
}

void run_close(const struct run_flow *f, bool goes_on) {
    struct run_stretch *open = &f->state->open;
    if (!open->is)
        return;
    tell_held(f, &open->owner, 0);
    tell_job(f, goes_on);
    keep_sum(f);
    open->sum = (struct oa_delta){0};
    open->start_ns = open->end_ns;
    open->is = goes_on;
}

/* The batch that is open has no end. */
static void drop(const struct run_flow *f) {
    f->counts->reasons[REASON_BAD_PAIR]++;
    tell_held(f, &nobody, 0);
    f->state->open.is = false;
}

static void open_stretch(struct run *s, const struct run_owner *owner, int64_t at_ns) {
    s->open = (struct run_stretch){.owner = *owner, .start_ns = at_ns, .end_ns = at_ns, .is = true};
}

static void follow(const struct run_flow *f, const struct run_owner *owner) {
    struct run *s = f->state;
    if (s->open.is && same_owner(&s->open.owner, owner))
        return;
    run_close(f, false);
    if (owner->space != SPACE_NONE)
        open_stretch(s, owner, s->last_ns);
}

void run_lost(const struct run_flow *f) {
    struct run *s = f->state;
    if (s->open.is && s->open.unsure)
        drop(f);
    else
        run_close(f, false);
    s->has_last = false;
}

/* ---- reports ----------------------------------------------------------------------------------- */

static void hold(const struct run_flow *f, const struct run_interval *v) {
    struct run *s = f->state;
    if (s->open.held == RUN_HELD)
        tell_held(f, &s->open.owner, DOUBT_ESTIMATED);
    s->held[s->open.held++] = *v;
}

static void take_interval(const struct run_flow *f, const struct run_interval *v) {
    struct run *s = f->state;
    if (s->open.is) {
        oa_delta_add(&s->device, &s->open.sum, &v->delta);
        s->open.end_ns = v->end_ns;
    }
    if (!s->each) {
        oa_delta_add(&s->device, &s->whole, &v->delta);
        s->any = true;
    } else if (s->open.is && s->open.unsure) {
        hold(f, v);
    } else {
        tell_interval(f, v, s->open.is ? &s->open.owner : &nobody, 0);
    }
}

/* Where time went on and what is in it is not known, a stretch has a hole; a batch goes on all the same. */
static void bad_delta(const struct run_flow *f, const struct oa_report *r, bool stretch) {
    f->counts->reasons[REASON_BAD_DELTA]++;
    if (stretch && r->timestamp != f->state->last.timestamp)
        run_close(f, false);
}

bool run_report(const struct run_flow *f, const struct oa_report *r,
                const struct run_owner *whose) {
    struct run *s = f->state;
    struct run_interval v;
    if (r->timestamp == 0) {
        f->counts->reasons[REASON_BAD_DELTA]++;
        return false;
    }
    v.end_ns = perf_clock_ns(&s->clock, &s->device, perf_clock_report(&s->clock, r->timestamp));
    v.reasons = r->reasons;
    if (s->has_last && oa_delta_between(&s->device, &s->last, r, &v.delta)) {
        if (whose)
            follow(f, whose);
        take_interval(f, &v);
    } else if (s->has_last) {
        bad_delta(f, r, whose != NULL);
    }
    s->last = *r;
    s->last_ns = v.end_ns;
    s->has_last = true;
    return true;
}

void run_stamp(const struct run_flow *f, uint64_t timestamp) {
    struct run *s = f->state;
    s->last_ns = perf_clock_ns(&s->clock, &s->device, perf_clock_report(&s->clock, timestamp));
}

int32_t run_pid(uint32_t field) {
    return field <= PID_MAX ? (int32_t)field : 0;
}

static bool same_batch(const struct run_batch *a, const struct run_batch *b) {
    return a->seqno == b->seqno && a->context == b->context && a->pid == b->pid && a->tag == b->tag;
}

void run_capture(const struct run_flow *f, const struct run_batch *b, bool tagged, int64_t at_ns) {
    struct run *s = f->state;
    const struct run_owner owner = {.client =
                                        tagged ? client_tagged(b->context, b->tag) : b->context,
                                    .pid = run_pid(b->pid),
                                    .space = tagged ? SPACE_TAGGED : SPACE_CONTEXT};
    if (s->open.is && same_batch(&s->open.batch, b)) {
        s->open.end_ns = at_ns;
        run_close(f, false);
        return;
    }
    if (s->open.is)
        drop(f);
    open_stretch(s, &owner, at_ns);
    s->open.batch = *b;
    s->open.unsure = true;
}

/* A tick in which no interval ended, after one that had some: nobody measured anything. */
static void tell_nothing(const struct run_flow *f) {
    const struct oa_layout *layout = oa_layout_of(f->state->device.format);
    struct sample s = sample_of(f, &nobody, f->state->last_ns, 0);
    struct oa_value values[OA_DERIVED];
    size_t count = oa_derive(&f->state->device, &(struct oa_delta){0}, values);
    if (!f->sink->sample)
        return;
    s.state = STATE_UNKNOWN;
    for (size_t i = 0; i < count; i++) {
        s.metric = values[i].metric;
        if (values[i].state != STATE_UNSUPPORTED)
            f->sink->sample(f->sink->ctx, &s);
    }
    for (unsigned i = 0; i < OA_RUNS && layout->runs[i].count > 0; i++)
        for (unsigned k = 0; k < layout->runs[i].count; k++) {
            unsigned counter = layout->runs[i].first + k;
            s.metric = (uint16_t)(METRIC_COUNTER_A0 + counter);
            if (oa_counter_is_defined(layout, counter))
                f->sink->sample(f->sink->ctx, &s);
        }
    s.metric = METRIC_ACTIVITY_GFX;
    s.rank = RANK_ACTIVITY;
    f->sink->sample(f->sink->ctx, &s);
}

/* ---- the end of a tick --------------------------------------------------------------------------- */

void run_tick(const struct run_flow *f) {
    struct run *s = f->state;
    bool unsure = s->open.is && s->open.unsure;
    f->counts->reasons[REASON_OPEN_AT_END] += (uint64_t)unsure - s->open_told;
    s->open_told = unsure;
    if (s->open.is && !unsure)
        run_close(f, true);
    else
        tell_held(f, &nobody, 0);
    if (s->any)
        tell_sum(f, &s->whole, &nobody);
    else if (s->said)
        tell_nothing(f);
    s->said = s->any;
    for (uint32_t i = 0; i < s->owner_count; i++)
        tell_sum(f, &s->sums[i], &s->owners[i]);
    s->whole = (struct oa_delta){0};
    s->owner_count = 0;
    s->any = false;
}
