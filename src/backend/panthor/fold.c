/*
 * Frames to samples of the ring, and these to metrics: of each sample, or of all of a tick as one. Pure; the state is
 * flat. Times in ns.
 *
 * What a sample covers goes back to the end of the one before it, since its counters go on from there; its own start says
 * only when it was asked for. The first one of a stream has no interval, and so no rates.
 */
#include "panthor.h"
#include "ring.h"

#define NS            1000000000
#define RANK_ACTIVITY 4 /* more than sysfs knows: above all of its */
#define LINE_MAX      128
#define PACE_MAX_NS   (UINT64_C(3600) * NS)
#define MARK          "clock cy" /* a sample would have begun in the year 2247 */
#define MARK_START    "clock st"
#define MARK_BYTES    8
#define LINE_START    "clock start\n"

enum { FLAG_OVERFLOW = 1, FLAG_ERROR = 2 };

/* What has a value. */
struct ring_said {
    uint16_t metric;
    uint16_t index;
};
enum { SAID_MAX = PANTHOR_VALUES + 1 };

/* What the driver said beside a sample; 0: not told. */
struct ring_clock {
    uint64_t cycles;
    uint64_t timestamp;
    uint64_t freq_hz;
};

/* The samples of a tick as one. */
struct ring_sum {
    struct panthor_sample all;
    int64_t interval_ns;
    uint64_t cycles; /* clocks in it */
    bool any;
    bool clocked; /* `cycles` has those of all samples */
    uint8_t doubt;
};

struct ring {
    struct panthor_layout layout;
    struct panthor_gpu gpu;
    bool live;
    bool ready; /* the layout is known */
    bool lost;  /* where the next unit begins is not known */
    bool each;
    bool told; /* a unit that is not whole was counted */
    bool ever; /* a tick told values */
    bool has_last;
    bool restarted; /* since the last sample: what it ended with is not where the next begins */
    int64_t t_ns;   /* where the newest sample stands */
    struct ring_clock clock, last_clock;
    struct panthor_sample last; /* its times alone */
    struct panthor_sample now;
    struct ring_sum sum;
    int64_t told_ns;  /* the tick that told the last values */
    uint64_t pace_ns; /* from one such tick to the next; 0 unknown */
    uint32_t said_count;
    struct ring_said said[SAID_MAX]; /* in it */
    uint32_t waiting;
    char rest[PANTHOR_SAMPLE_MAX];
};

/* What all of one call shares. */
struct flow {
    struct ring *ring;
    const struct subject *subject;
    const struct sink *sink;
    struct counts *counts;
    int64_t t_ns;
};

/* ---- telling --------------------------------------------------------------------------------- */

/* What samples of one interval share beside their counters. */
struct span_of_time {
    int64_t interval_ns; /* 0 unknown */
    uint64_t clock_hz;   /* 0 unknown */
    uint8_t doubt;       /* of the clock */
};

static void tell_activity(const struct flow *f, const struct sample *busy) {
    struct sample s = *busy;
    s.metric = METRIC_ACTIVITY_GFX;
    s.rank = RANK_ACTIVITY;
    f->sink->sample(f->sink->ctx, &s);
}

static struct sample sample_of(const struct flow *f) {
    return (struct sample){.t_ns = f->ring->t_ns,
                           .name = "",
                           .subject = f->subject->id,
                           .device = f->subject->device,
                           .rank = 1};
}

static void note_said(struct ring *r, const struct sample *s) {
    if (s->state == STATE_VALUE && r->said_count < SAID_MAX)
        r->said[r->said_count++] = (struct ring_said){s->metric, s->index};
}

static void tell(const struct flow *f, const struct panthor_sample *s,
                 const struct span_of_time *time) {
    struct panthor_value values[PANTHOR_VALUES];
    uint8_t doubt = s->flags & FLAG_OVERFLOW ? DOUBT_ESTIMATED : DOUBT_NONE;
    struct sample out = sample_of(f);
    if (!f->sink->sample)
        return;
    f->ring->said_count = 0;
    size_t n = panthor_derive(&f->ring->gpu, s, time->interval_ns, time->clock_hz, values);
    for (size_t i = 0; i < n; i++) {
        bool known = values[i].state == STATE_VALUE;
        bool busy = values[i].metric == METRIC_COUNTER_MALI_GPU_BUSY;
        out.metric = values[i].metric;
        out.index = values[i].index;
        out.state = values[i].state;
        out.value = known ? values[i].value : 0;
        out.raw = (uint64_t)out.value;
        out.doubt = known ? values[i].doubt | doubt | (busy ? time->doubt : 0) : DOUBT_NONE;
        f->sink->sample(f->sink->ctx, &out);
        note_said(f->ring, &out);
        if (busy && known && !f->ring->each)
            tell_activity(f, &out);
    }
}

/* Nobody measured what was said before any more. */
static void tell_nothing(const struct flow *f) {
    struct ring *r = f->ring;
    struct sample out = sample_of(f);
    out.state = STATE_UNKNOWN;
    for (uint32_t i = 0; i < r->said_count && f->sink->sample; i++) {
        out.metric = r->said[i].metric;
        out.index = r->said[i].index;
        f->sink->sample(f->sink->ctx, &out);
        if (out.metric == METRIC_COUNTER_MALI_GPU_BUSY)
            tell_activity(f, &out);
    }
    r->said_count = 0;
}

/* ---- the clock ------------------------------------------------------------------------------- */

static uint64_t counted_hz(const struct ring *r, int64_t interval_ns) {
    const struct ring_clock *a = &r->last_clock, *b = &r->clock;
    if (a->cycles == 0 || b->cycles <= a->cycles)
        return 0;
    uint64_t cycles = b->cycles - a->cycles;
    if (r->gpu.timestamp_hz > 0 && a->timestamp > 0 && b->timestamp > a->timestamp)
        return mul_div_u64(cycles, r->gpu.timestamp_hz, b->timestamp - a->timestamp);
    return interval_ns > 0 ? mul_div_u64(cycles, NS, (uint64_t)interval_ns) : 0;
}

/* The mean over an interval, by the best that is there: clocks that were counted, the frequency at both ends (which
 * may have been another one between them), the one that the user said. */
static void find_clock(const struct ring *r, struct span_of_time *time) {
    uint64_t a = r->last_clock.freq_hz, b = r->clock.freq_hz;
    time->clock_hz = counted_hz(r, time->interval_ns);
    if (time->clock_hz == 0 && b > 0) {
        a = a > 0 ? a : b;
        time->clock_hz = a / 2 + b / 2 + (a & b & 1);
        time->doubt = a != b ? DOUBT_ESTIMATED : DOUBT_NONE;
    } else if (time->clock_hz == 0) {
        time->clock_hz = r->gpu.clock_hz;
    }
}

/* "clock cycles=N timestamp=N freq_hz=N" */
static void take_clock(const struct flow *f, struct span line) {
    struct ring_clock c = {0};
    const struct {
        const char *key;
        uint64_t *to;
    } keys[] = {{"cycles=", &c.cycles}, {"timestamp=", &c.timestamp}, {"freq_hz=", &c.freq_hz}};
    struct cursor words = cursor_over((struct span){line.p, line.n - 1});
    struct span word;
    cursor_word(&words, &word);
    for (unsigned i = 0; i < 3; i++)
        if (!cursor_word(&words, &word) || !span_starts(word, keys[i].key) ||
            span_to_u64(span_skip(word, strlen(keys[i].key)), keys[i].to) != ERR_OK) {
            f->counts->reasons[REASON_BAD_TEXT]++;
            return;
        }
    f->ring->clock = c;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Whether its counters count; why not is counted. */
static bool is_good(const struct flow *f, const struct panthor_sample *s) {
    if (s->end_ns == 0 || s->end_ns > INT64_MAX)
        counts_malformed(f->counts, REASON_OUT_OF_RANGE);
    else if (s->empty)
        counts_ignored(f->counts, REASON_SAMPLE_EMPTY);
    else if (f->ring->has_last && s->end_ns <= f->ring->last.end_ns)
        counts_ignored(f->counts, REASON_SAMPLE_STALE);
    else
        return true;
    return false;
}

static void pass(struct ring *r, const struct panthor_sample *s) {
    r->last.end_ns = s->end_ns;
    r->last.gpu_timestamp = s->gpu_timestamp;
    r->has_last = true;
    r->restarted = false;
    r->last_clock = r->clock;
    r->clock = (struct ring_clock){0};
}

/* What has no interval counts only where nothing that has one is there: else rates would be too high. */
static void add(struct ring_sum *sum, const struct panthor_sample *s,
                const struct span_of_time *time) {
    if (sum->any && sum->interval_ns > 0 && time->interval_ns == 0)
        return;
    if (!sum->any || sum->interval_ns == 0)
        *sum = (struct ring_sum){.any = true, .clocked = true};
    panthor_sample_add(&sum->all, s);
    sum->interval_ns = time->interval_ns <= INT64_MAX - sum->interval_ns
                           ? sum->interval_ns + time->interval_ns
                           : INT64_MAX;
    uint64_t cycles = mul_div_u64(time->clock_hz, (uint64_t)time->interval_ns, NS);
    sum->cycles = cycles <= UINT64_MAX - sum->cycles ? sum->cycles + cycles : UINT64_MAX;
    sum->clocked = sum->clocked && time->clock_hz > 0;
    sum->doubt |= time->doubt;
}

/* Of a start only the GPU's own time is told. */
static int64_t interval_of(const struct ring *r, const struct panthor_sample *s) {
    bool stamps = r->gpu.timestamp_hz > 0 && r->last.gpu_timestamp > 0 &&
                  s->gpu_timestamp > r->last.gpu_timestamp;
    if (!r->has_last || (r->restarted && !stamps))
        return 0;
    return panthor_interval_ns(&r->gpu, &r->last, s);
}

/* Counters began anew, at what the line before says. */
static void take_start(struct ring *r) {
    r->last.gpu_timestamp = r->clock.timestamp;
    r->last_clock = r->clock;
    r->clock = (struct ring_clock){0};
    r->restarted = true;
}

static void take_sample(const struct flow *f, struct span bytes) {
    struct ring *r = f->ring;
    struct panthor_sample *s = &r->now;
    struct span_of_time time = {0};
    if (!panthor_sample_read(&r->layout, bytes, s, f->counts) || !is_good(f, s)) {
        r->clock = (struct ring_clock){0}; /* that in front of it is of nothing else */
        return;
    }
    r->t_ns = r->live ? f->t_ns : (int64_t)s->end_ns;
    time.interval_ns = interval_of(r, s);
    find_clock(r, &time);
    pass(r, s);
    if (s->flags & FLAG_ERROR) {
        counts_ignored(f->counts, REASON_SAMPLE_ERROR);
        return;
    }
    f->counts->accepted++;
    if (r->each)
        tell(f, s, &time);
    else
        add(&r->sum, s, &time);
}

/* ---- units ----------------------------------------------------------------------------------- */

/* Kernels that count 64 to a block run on the first generation alone. */
static void settle(struct ring *r) {
    if (r->gpu.gpu_id == 0 && r->layout.counters == 64)
        r->gpu.table = PANTHOR_A;
}

static void lose(const struct flow *f, enum reason why) {
    counts_malformed(f->counts, why);
    f->ring->lost = true;
    f->ring->waiting = 0;
}

static bool is_line(const struct ring *r, struct span have) {
    return r->live && (span_starts(have, MARK) || span_starts(have, MARK_START));
}

/* Bytes of the unit that `have` begins with; 0: there are not enough of them to tell, or for it. */
static size_t unit_of(const struct ring *r, struct span have) {
    size_t n = r->ready ? r->layout.sample_size : PANTHOR_INFO_BYTES;
    if (r->ready && is_line(r, have)) {
        size_t most = have.n < LINE_MAX ? have.n : LINE_MAX;
        const char *end = memchr(have.p, '\n', most);
        return end ? (size_t)(end - have.p) + 1 : most == LINE_MAX ? LINE_MAX : 0;
    }
    return have.n >= n ? n : 0;
}

/* Up to where to gather before asking again: never past the end of the unit. */
static size_t goal_of(const struct ring *r) {
    struct span have = {r->rest, r->waiting};
    if (!r->ready)
        return PANTHOR_INFO_BYTES;
    if (r->live && r->waiting < MARK_BYTES)
        return MARK_BYTES;
    return is_line(r, have) ? r->waiting + 1 : r->layout.sample_size;
}

static void take(const struct flow *f, struct span unit) {
    struct ring *r = f->ring;
    if (!r->ready) {
        r->ready = panthor_layout_read(unit, &r->layout);
        if (r->ready)
            settle(r);
        else
            lose(f, REASON_NO_FORMAT);
    } else if (!is_line(r, unit)) {
        take_sample(f, unit);
    } else if (span_equals(unit, LINE_START)) {
        take_start(r);
    } else if (unit.p[unit.n - 1] == '\n') {
        take_clock(f, unit);
    } else {
        lose(f, REASON_BAD_TEXT);
    }
}

static void gather(const struct flow *f, struct span *bytes) {
    struct ring *r = f->ring;
    size_t want = goal_of(r) - r->waiting, n = want < bytes->n ? want : bytes->n;
    memcpy(r->rest + r->waiting, bytes->p, n);
    r->waiting += (uint32_t)n;
    *bytes = span_skip(*bytes, n);
    struct span have = {r->rest, r->waiting};
    if (unit_of(r, have) > 0) {
        r->waiting = 0;
        take(f, have);
    }
}

static void untell(struct ring *r, struct counts *counts) {
    counts->truncated -= r->told;
    counts->reasons[REASON_CUT] -= r->told;
    r->told = false;
}

/* ---- fold ------------------------------------------------------------------------------------ */

static void init(void *state, const struct subject *s) {
    struct ring *r = state;
    *r = (struct ring){.live = facts_get(s->facts, "info").n > 0,
                       .each = facts_u64(s->facts, "each", 0) != 0};
    panthor_gpu_from_facts(&r->gpu, s->facts);
    r->ready = panthor_layout_from_facts(s->facts, &r->layout);
    if (r->ready)
        settle(r);
}

static void feed(void *state, const struct subject *subject, const struct frame *frame,
                 const struct sink *sink, struct counts *counts) {
    struct ring *r = state;
    struct span bytes = frame_span(frame);
    const struct flow f = {r, subject, sink, counts, frame->t_ns};
    if (bytes.n == 0 || r->lost)
        return;
    untell(r, counts);
    if (r->live && !r->ready)
        lose(&f, REASON_NO_FORMAT);
    while (bytes.n > 0 && !r->lost) {
        size_t n = r->waiting == 0 ? unit_of(r, bytes) : 0;
        if (n > 0) {
            take(&f, (struct span){bytes.p, n});
            bytes = span_skip(bytes, n);
        } else {
            gather(&f, &bytes);
        }
    }
}

static void tell_tick(const struct flow *f) {
    struct ring_sum *sum = &f->ring->sum;
    struct span_of_time time = {.interval_ns = sum->interval_ns, .doubt = sum->doubt};
    if (sum->clocked && sum->interval_ns > 0)
        time.clock_hz = mul_div_u64(sum->cycles, NS, (uint64_t)sum->interval_ns);
    tell(f, &sum->all, &time);
    *sum = (struct ring_sum){0};
}

/* A sample may come a tick late; none for twice as long as usual is none. An eighth is allowed to the ticks. */
static bool is_over(const struct ring *r, int64_t t_ns) {
    uint64_t pace_ns = r->pace_ns;
    return r->said_count > 0 && pace_ns > 0 && t_ns > r->told_ns &&
           (uint64_t)t_ns - (uint64_t)r->told_ns >= 2 * pace_ns - pace_ns / 8;
}

static void keep_pace(struct ring *r, int64_t t_ns) {
    uint64_t ns = t_ns > r->told_ns ? (uint64_t)t_ns - (uint64_t)r->told_ns : 0;
    if (r->ever)
        r->pace_ns = ns < PACE_MAX_NS ? ns : PACE_MAX_NS;
}

static void tick(void *state, const struct subject *subject, int64_t t_ns, const struct sink *sink,
                 struct counts *counts) {
    struct ring *r = state;
    const struct flow f = {r, subject, sink, counts, t_ns};
    bool cut = r->waiting > 0;
    counts->truncated += (uint64_t)cut - r->told;
    counts->reasons[REASON_CUT] += (uint64_t)cut - r->told;
    r->told = cut;
    if (r->sum.any) {
        tell_tick(&f);
        keep_pace(r, t_ns);
        r->told_ns = t_ns;
        r->ever = true;
    } else if (is_over(r, t_ns)) {
        tell_nothing(&f);
    }
    if (r->pace_ns == 0)
        keep_pace(r, t_ns);
}

const struct fold panthor_ring_fold = {
    .size = sizeof(struct ring), .init = init, .feed = feed, .tick = tick};
