/*
 * Pages of scheduler events to jobs. Pure; the state is flat. Times in ns, by the clock that the trace stamps with.
 *
 * A job runs from its run event to its done event; its owner is the thread that queued it. What is read together is put
 * in order of time. Where stamps are of the clock that frames have too, records that are younger than the first page
 * of a tick wait for the next one: processors are read one after the other, and what came first may be read last.
 */
#include "sched.h"

/* Queued and not run yet: more than any program has in flight. The oldest gives way. */
#define WAITING 256

struct waiting {
    uint64_t fence[2];
    int32_t pid;
    bool used;
};
struct running {
    uint64_t fence[2];
    bool used;
};
struct entry {
    struct sched_event event; /* its stamp first */
    uint64_t lost;            /* not an event, but so many that are missing */
};
_Static_assert(offsetof(struct entry, event.t_ns) == 0,
               "entries are sorted by what they begin with");

struct sched {
    struct sched_layout layout;
    struct track track;
    char dev[64];
    bool known;
    bool cycles;
    bool same_clock;  /* stamps are of the clock of frames */
    int64_t first_ns; /* when the first page of this tick was there; 0: there was none */
    int64_t newest_ns;
    uint32_t open_told;
    uint32_t oldest; /* of those that wait: the one that gives way */
    struct waiting waiting[WAITING];
    struct running running[SCHED_RINGS];
    uint32_t count;
    struct entry entries[TRACE_SORTED];
    uint16_t order[2][TRACE_SORTED];
};

struct flow {
    struct sched *s;
    struct counts *counts;
    struct track_out out;
};

static bool is_fence(const uint64_t a[2], const uint64_t b[2]) {
    return a[0] == b[0] && a[1] == b[1];
}

/* ---- who waits ------------------------------------------------------------------------------- */

static struct waiting *find_waiting(struct sched *s, const uint64_t fence[2]) {
    for (uint32_t i = 0; i < WAITING; i++)
        if (s->waiting[i].used && is_fence(s->waiting[i].fence, fence))
            return &s->waiting[i];
    return NULL;
}

static void wait_for_ring(struct sched *s, const struct sched_event *e) {
    struct waiting *w = find_waiting(s, e->fence); /* an address that is used anew */
    if (!w) {
        w = &s->waiting[s->oldest];
        s->oldest = (s->oldest + 1) % WAITING;
    }
    *w = (struct waiting){{e->fence[0], e->fence[1]}, e->pid, true};
}

static int32_t take_waiting(struct sched *s, const uint64_t fence[2]) {
    struct waiting *w = find_waiting(s, fence);
    if (!w)
        return 0;
    w->used = false;
    return w->pid;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void run(struct flow *f, const struct sched_event *e) {
    struct sched *s = f->s;
    int32_t pid = take_waiting(s, e->fence);
    const struct track_owner owner = {.client = (uint64_t)pid, .pid = pid};
    if (track_start(&s->track, &f->out, e->ring, e->t_ns, &owner))
        f->counts->reasons[REASON_START_ON_BUSY]++;
    s->running[e->ring] = (struct running){{e->fence[0], e->fence[1]}, true};
}

/* False: the end of no job that runs here; it may be of another GPU. */
static bool end(struct flow *f, const struct sched_event *e) {
    struct sched *s = f->s;
    for (unsigned i = 0; i < SCHED_RINGS; i++) {
        if (!s->running[i].used || !is_fence(s->running[i].fence, e->fence))
            continue;
        s->running[i].used = false;
        track_stop(&s->track, &f->out, i, e->t_ns);
        return true;
    }
    return false;
}

/* What runs ends at the last stamp before. Who waits is forgotten: his fence may be another's by now. */
static void lose(struct flow *f, uint64_t records) {
    struct sched *s = f->s;
    f->counts->reasons[REASON_LOST_RECORDS] += records;
    track_end(&s->track, &f->out, s->newest_ns);
    memset(s->waiting, 0, sizeof(s->waiting));
    memset(s->running, 0, sizeof(s->running));
}

static void apply(struct flow *f, const struct entry *x) {
    struct sched *s = f->s;
    const struct sched_event *e = &x->event;
    if (x->lost) {
        lose(f, x->lost);
        return;
    }
    if (s->cycles) {
        counts_ignored(f->counts, REASON_CLOCK_CYCLES);
        return;
    }
    f->counts->reasons[REASON_BACKWARD_TIMESTAMPS] += e->t_ns < s->newest_ns;
    s->newest_ns = e->t_ns > s->newest_ns ? e->t_ns : s->newest_ns;
    if (e->what == SCHED_QUEUE)
        wait_for_ring(s, e);
    else if (e->what == SCHED_RUN)
        run(f, e);
    else if (!end(f, e)) {
        counts_ignored(f->counts, REASON_OTHER_EVENT);
        return;
    }
    f->counts->accepted++;
}

/* Those up to `most_ns`; the rest stays, in the order in which it came. */
static void apply_until(struct flow *f, int64_t most_ns) {
    struct sched *s = f->s;
    const uint16_t *order = trace_sort(s->entries, sizeof(s->entries[0]), s->count, s->order);
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->count && s->entries[order[i]].event.t_ns <= most_ns; i++)
        apply(f, &s->entries[order[i]]);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->entries[i].event.t_ns > most_ns)
            s->entries[left++] = s->entries[i];
    s->count = left;
}

/* ---- fold ------------------------------------------------------------------------------------ */

/* A full buffer is applied, and what comes then is not in order with it. */
static void put(struct flow *f, const struct entry *x) {
    struct sched *s = f->s;
    if (s->count == TRACE_SORTED) {
        f->counts->reasons[REASON_UNSORTED]++;
        apply_until(f, INT64_MAX);
    }
    s->entries[s->count++] = *x;
}

static void take_page(struct flow *f, struct trace_page *p) {
    struct sched *s = f->s;
    struct span dev = span_of(s->dev);
    struct span payload;
    enum trace_step step;
    int64_t t_ns;
    if (p->missed && p->t_ns <= INT64_MAX)
        put(f, &(struct entry){.event.t_ns = (int64_t)p->t_ns, .lost = p->missed});
    while ((step = trace_page_next(p, &t_ns, &payload)) == TRACE_RECORD) {
        struct entry x = {.event.t_ns = t_ns};
        if (sched_record_event(&s->layout, dev, payload, &x.event))
            put(f, &x);
        else
            counts_ignored(f->counts, REASON_OTHER_EVENT);
    }
    if (step == TRACE_BROKEN)
        counts_truncated(f->counts, REASON_CUT);
}

/* Jobs are of the parent, where there is one: it outlasts the stream. */
static struct flow begin(struct sched *s, const struct subject *subject, const struct sink *sink,
                         struct counts *counts) {
    return (struct flow){.s = s,
                         .counts = counts,
                         .out = {.sink = sink,
                                 .names = sched_rings,
                                 .subject = subject->parent ? subject->parent : subject->id,
                                 .device = subject->device,
                                 .class = (uint8_t)engine_class_of(span_of(sched_rings[SCHED_PP])),
                                 .space = SPACE_PID}};
}

/* A frame is one page. */
static void feed(void *state, const struct subject *subject, const struct frame *frame,
                 const struct sink *sink, struct counts *counts) {
    struct sched *s = state;
    struct flow f = begin(s, subject, sink, counts);
    struct trace_page page;
    if (s->first_ns == 0)
        s->first_ns = frame->t_ns;
    if (s->known && trace_page_open(&page, &s->layout.pages, frame_span(frame)))
        take_page(&f, &page);
    else
        counts_malformed(counts, s->known ? REASON_TABLE_CUT : REASON_TABLE_VERSION);
}

/* Only the last of many ends is one: each takes back what the one before said of open jobs. */
static void tick(void *state, const struct subject *subject, int64_t t_ns, const struct sink *sink,
                 struct counts *counts) {
    struct sched *s = state;
    struct flow f = begin(s, subject, sink, counts);
    uint32_t open = 0;
    (void)t_ns; /* of the reading; the jobs have a clock of their own */
    apply_until(&f, s->same_clock && s->first_ns > 0 ? s->first_ns : INT64_MAX);
    s->first_ns = 0;
    track_cut(&s->track, &f.out, s->newest_ns);
    for (unsigned i = 0; i < SCHED_RINGS; i++)
        open += track_owner_of(&s->track, i) != NULL;
    counts->reasons[REASON_OPEN_AT_END] += (uint64_t)open - s->open_told;
    s->open_told = open;
}

static void init(void *state, const struct subject *subject) {
    struct sched *s = state;
    struct span dev = facts_get(subject->facts, "dev");
    struct span clock = facts_get(subject->facts, "clock");
    memset(s, 0, sizeof(*s));
    s->known = sched_layout_read(&s->layout, subject->facts);
    s->same_clock = span_equals(clock, "mono");
    s->cycles = span_equals(clock, "cycles");
    if (dev.n < sizeof(s->dev) && dev.n > 0)
        memcpy(s->dev, dev.p, dev.n);
}

const struct fold panthor_sched_fold = {
    .size = sizeof(struct sched), .init = init, .feed = feed, .tick = tick};
