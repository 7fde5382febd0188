/*
 * Events to jobs. Pure; the state is flat. Times in ns, by whatever clock the driver stamps with.
 *
 * Frames may be cut anywhere: what is left of a line waits for the next one. Lines stand in the
 * order in which they were written, and so stamps of neighbours may be swapped by some
 * microseconds; what lies further back or far ahead is another time, in which nothing of what ran
 * before goes on. Where something runs one line alone is no proof that the clock went back: the
 * next one must stand there, too.
 */
#include "mali.h"

#define GAP_NS      INT64_C(10000000000)
#define DISORDER_NS INT64_C(1000000)

/* Lines that a full buffer has: where it stops, and where it goes round. */
#define FULL_LINES  UINT64_C(1048576)
#define FULL_CIRCLE UINT64_C(1048575)

#define PID_MAX 4194304u

struct recording {
    struct mali_run run;
    uint64_t lines;
    uint32_t waiting; /* bytes of `line` */
    uint32_t full_told;
    bool too_long; /* the line that waits is no line, up to its end */
    char line[MALI_LINE_MAX];
};

static void on_job(void *ctx, const struct job *j) {
    struct mali_flow *f = ctx;
    bool priced = j->off || (j->clock_hz > 0 && j->voltage_uv > 0);
    f->counts->reasons[REASON_UNPRICED] += !priced;
    if (f->sink->job && (priced || !f->state->drop_unpriced))
        f->sink->job(f->sink->ctx, j);
}

void mali_flow_init(struct mali_flow *f, struct mali_run *state, const struct subject *s,
                    const struct sink *sink, struct counts *counts) {
    *f = (struct mali_flow){.state = state, .subject = s, .sink = sink, .counts = counts};
    f->jobs = (struct sink){.ctx = f, .job = on_job};
    f->out = (struct track_out){.sink = &f->jobs,
                                .names = mali_unit_names,
                                .subject = s->parent ? s->parent : s->id,
                                .device = s->device,
                                .class = CLASS_GRAPHICS,
                                .space = SPACE_PID};
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool is_far_back(const struct mali_run *s, int64_t t_ns) {
    return s->newest_ns - t_ns >= DISORDER_NS;
}

/* Past all the time that there is to tell of, or where that is not known, too far ahead. */
static bool is_gap(const struct mali_run *s, int64_t t_ns) {
    if (s->newest_ns < 0)
        return false;
    if (s->wall_ns > 0)
        return t_ns > s->newest_ns && t_ns - s->base_ns > s->wall_ns - s->spent_ns;
    return t_ns - s->greatest_ns > GAP_NS;
}

static void begin_time(struct mali_flow *f, int64_t t_ns) {
    struct mali_run *s = f->state;
    if (s->newest_ns >= 0) {
        track_end(&s->track, &f->out, s->newest_ns);
        int64_t left_ns = INT64_MAX - s->spent_ns, time_ns = s->newest_ns - s->base_ns;
        s->spent_ns += time_ns < left_ns ? time_ns : left_ns;
    }
    s->base_ns = s->newest_ns = t_ns;
}

/* Which time it is by this stamp. */
static void move_clock(struct mali_flow *f, int64_t t_ns) {
    struct mali_run *s = f->state;
    bool gap = is_gap(s, t_ns);
    f->counts->reasons[REASON_BACKWARD_TIMESTAMPS] += t_ns < s->newest_ns;
    f->counts->reasons[REASON_GAP] += gap;
    if (gap || s->newest_ns < 0 || is_far_back(s, t_ns))
        begin_time(f, t_ns);
    else if (t_ns > s->newest_ns)
        s->newest_ns = t_ns;
    if (t_ns > s->greatest_ns)
        s->greatest_ns = t_ns;
}

static void change_rate(struct mali_flow *f, int64_t t_ns) {
    const struct track_rate now = mali_rate_now(&f->state->rate);
    track_change(&f->state->track, &f->out, t_ns, &now);
}

static void start(struct mali_flow *f, const struct mali_event *e) {
    struct mali_run *s = f->state;
    int32_t pid = e->d[0] <= PID_MAX ? (int32_t)e->d[0] : 0;
    const struct track_owner owner = {.client = (uint64_t)pid, .pid = pid};
    if (mali_rate_wake(&s->rate))
        change_rate(f, e->t_ns);
    if (track_start(&s->track, &f->out, mali_event_unit(e), e->t_ns, &owner))
        f->counts->reasons[REASON_START_ON_BUSY]++;
}

/* Sources are 8 bits each; one that is switched off has all bits set, and takes those above it
 * along. */
static void tell_counters(const struct mali_flow *f, const struct mali_event *e, int32_t pid) {
    static const uint16_t metrics[] = {METRIC_COUNTER_HW0, METRIC_COUNTER_HW1};
    const char *name = mali_unit_names[mali_event_unit(e)];
    for (unsigned i = 0; i < 2 && f->sink->sample; i++) {
        uint32_t source = e->d[2] >> (8 * i) & 0xff;
        if (source == 0xff || (i == 1 && e->d[2] >> 16 != 0))
            continue;
        struct sample sample = {.t_ns = e->t_ns,
                                .value = e->d[i],
                                .raw = e->d[i],
                                .client = (uint64_t)pid,
                                .name = name,
                                .subject = f->subject->id,
                                .device = f->subject->device,
                                .pid = pid,
                                .metric = metrics[i],
                                .index = (uint16_t)source,
                                .name_len = (uint8_t)strlen(name),
                                .class = CLASS_GRAPHICS,
                                .space = SPACE_PID,
                                .state = STATE_VALUE};
        f->sink->sample(f->sink->ctx, &sample);
    }
}

static void stop(struct mali_flow *f, const struct mali_event *e) {
    struct track *t = &f->state->track;
    unsigned unit = mali_event_unit(e);
    const struct track_owner *owner = track_owner_of(t, unit);
    if (!owner) {
        f->counts->reasons[REASON_STOP_ON_IDLE]++;
        return;
    }
    int32_t pid = owner->pid;
    track_stop(t, &f->out, unit, e->t_ns);
    tell_counters(f, e, pid);
}

static void act(struct mali_flow *f, const struct mali_event *e, enum mali_act what) {
    struct mali_run *s = f->state;
    switch (what) {
    case MALI_START:
        start(f, e);
        break;
    case MALI_STOP:
        stop(f, e);
        break;
    case MALI_SUSPEND:
        track_suspend(&s->track, &f->out, mali_event_unit(e), e->t_ns);
        break;
    case MALI_RESUME:
        track_resume(&s->track, mali_event_unit(e), e->t_ns);
        break;
    case MALI_INTERRUPT:
        if (s->end_at_interrupt)
            track_mark(&s->track, &f->out, mali_event_unit(e), e->t_ns);
        break;
    case MALI_CLOCK:
        mali_rate_clock(&s->rate, e->d[0]);
        change_rate(f, e->t_ns);
        break;
    case MALI_VOLTAGE:
        mali_rate_voltage(&s->rate, e->d[0]);
        change_rate(f, e->t_ns);
        break;
    case MALI_RATE:
        mali_rate_pair(&s->rate, e->d[0], e->d[1]);
        change_rate(f, e->t_ns);
        break;
    default:
        break;
    }
}

static void act_on(struct mali_flow *f, const struct mali_event *e) {
    act(f, e, mali_event_act(e, (enum mali_dialect)f->state->dialect));
}

/* The next stamp says what one far back meant: that the clock went back, or that it is itself wrong.
 * A wrong one within this time may be a line that was written late; any other says nothing. */
static void settle(struct mali_flow *f, int64_t next_ns) {
    struct mali_run *s = f->state;
    const struct mali_event far = s->far;
    if (!s->has_far)
        return;
    s->has_far = false;
    int64_t from_far_ns = next_ns > far.t_ns ? next_ns - far.t_ns : far.t_ns - next_ns;
    bool back = s->newest_ns - next_ns > from_far_ns;
    if (back)
        begin_time(f, far.t_ns);
    if (back || far.t_ns >= s->base_ns)
        act_on(f, &far);
}

static uint32_t open_jobs(const struct mali_run *s) {
    uint32_t open = 0;
    for (unsigned i = 0; i < MALI_UNITS; i++)
        open += track_owner_of(&s->track, i) != NULL;
    return open;
}

void mali_flow_event(struct mali_flow *f, const struct mali_event *e) {
    struct mali_run *s = f->state;
    enum mali_act what = mali_event_act(e, (enum mali_dialect)s->dialect);
    if (what == MALI_UNKNOWN) {
        counts_ignored(f->counts, REASON_UNKNOWN_EVENT);
        return;
    }
    if (f->state->cycles) {
        counts_ignored(f->counts, REASON_CLOCK_CYCLES);
        return;
    }
    f->counts->accepted++;
    settle(f, e->t_ns);
    if (is_far_back(s, e->t_ns) && open_jobs(s) > 0) {
        f->counts->reasons[REASON_BACKWARD_TIMESTAMPS]++;
        s->far = *e;
        s->has_far = true;
        return;
    }
    move_clock(f, e->t_ns);
    act_on(f, e);
}

void mali_flow_rate_unknown(struct mali_flow *f, int64_t t_ns) {
    struct mali_rate *r = &f->state->rate;
    settle(f, t_ns);
    move_clock(f, t_ns);
    r->clock_hz = 0;
    r->voltage_uv = 0;
    r->off = false;
    change_rate(f, t_ns);
}

void mali_flow_lost(struct mali_flow *f, uint64_t records) {
    struct mali_run *s = f->state;
    s->has_far = false;
    f->counts->reasons[REASON_LOST_RECORDS] += records;
    track_end(&s->track, &f->out, s->newest_ns);
}

/* Only the last of many ends is one: each takes back what the one before said, so that a sum over
 * all is what the last one says. */
void mali_flow_cut(struct mali_flow *f) {
    struct mali_run *s = f->state;
    uint32_t open = open_jobs(s);
    track_cut(&s->track, &f->out, s->newest_ns);
    f->counts->reasons[REASON_OPEN_AT_END] += (uint64_t)open - s->open_told;
    s->open_told = open;
}

void mali_run_init(struct mali_run *it, const struct subject *s) {
    *it = (struct mali_run){.newest_ns = -1,
                            .greatest_ns = -1,
                            .wall_ns = (int64_t)(facts_u64(s->facts, "wall_ns", 0) & INT64_MAX),
                            .dialect = (uint8_t)mali_dialect_of(s->facts)};
    it->end_at_interrupt = span_equals(facts_get(s->facts, "end"), "interrupt");
    it->cycles = span_equals(facts_get(s->facts, "clock"), "cycles");
    it->drop_unpriced = facts_u64(s->facts, "drop_unpriced", 0) != 0;
    mali_rate_init(&it->rate, s->facts);
    uint64_t before = facts_u64(s->facts, "clock_before", 0);
    if (facts_u64(s->facts, "backfill", 0) != 0 && it->dialect == MALI_DIALECT_SAMSUNG &&
        before > 0)
        mali_rate_clock(&it->rate, before);
    it->track.rate = mali_rate_now(&it->rate);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void take_line(struct recording *s, struct mali_flow *f, struct span line, bool whole) {
    struct mali_event e;
    s->lines++;
    switch (mali_line_parse(line, whole, &e)) {
    case MALI_LINE_EVENT:
        mali_flow_event(f, &e);
        break;
    case MALI_LINE_BAD_TEXT:
        counts_malformed(f->counts, REASON_BAD_TEXT);
        break;
    case MALI_LINE_OUT_OF_RANGE:
        counts_malformed(f->counts, REASON_OUT_OF_RANGE);
        break;
    case MALI_LINE_CUT:
        counts_truncated(f->counts, REASON_CUT);
        break;
    }
}

static void keep(struct recording *s, struct span part) {
    s->too_long = s->too_long || part.n > sizeof s->line - s->waiting;
    if (s->too_long)
        return;
    memcpy(s->line + s->waiting, part.p, part.n);
    s->waiting += (uint32_t)part.n;
}

/* The line that waited has come to its end, or (not whole) never will. */
static void take_kept(struct recording *s, struct mali_flow *f, bool whole) {
    struct span line = {s->line, s->waiting};
    if (s->too_long) {
        s->lines++;
        counts_malformed(f->counts, REASON_BAD_TEXT);
    } else if (whole || line.n > 0) {
        take_line(s, f, line, whole);
    }
    s->waiting = 0;
    s->too_long = false;
}

static void feed(void *state, const struct subject *subject, const struct frame *frame,
                 const struct sink *sink, struct counts *counts) {
    struct recording *s = state;
    struct span rest = frame_span(frame);
    struct mali_flow f;
    mali_flow_init(&f, &s->run, subject, sink, counts);
    while (rest.n > 0) {
        const char *end = memchr(rest.p, '\n', rest.n);
        struct span line = {rest.p, end ? (size_t)(end - rest.p) : rest.n};
        if (!end) {
            keep(s, line);
            return;
        }
        if (s->waiting > 0 || s->too_long) {
            keep(s, line);
            take_kept(s, &f, true);
        } else {
            take_line(s, &f, line, true);
        }
        rest = span_skip(rest, line.n + 1);
    }
}

/* As mali_flow_cut() tells what is open. */
static void tell_full(struct recording *s, struct counts *counts) {
    uint32_t full = s->lines == FULL_LINES || s->lines == FULL_CIRCLE;
    counts->reasons[REASON_BUFFER_FULL] += (uint64_t)full - s->full_told;
    s->full_told = full;
}

static void tick(void *state, const struct subject *subject, int64_t t_ns, const struct sink *sink,
                 struct counts *counts) {
    struct recording *s = state;
    struct mali_flow f;
    (void)t_ns; /* of the reading; the jobs have a clock of their own */
    mali_flow_init(&f, &s->run, subject, sink, counts);
    take_kept(s, &f, false);
    mali_flow_cut(&f);
    tell_full(s, counts);
}

static void init(void *state, const struct subject *s) {
    struct recording *it = state;
    *it = (struct recording){0};
    mali_run_init(&it->run, s);
}

const struct fold mali_events_fold = {
    .size = sizeof(struct recording), .init = init, .feed = feed, .tick = tick};
