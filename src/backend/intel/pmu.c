/*
 * Counters of the driver's perf events. One line, and one unit, for each; the first is the time that they counted:
 *
 *   time=12345678901          ns
 *   rcs0-busy=123456789       ns in which the engine was busy; -wait, -sema: in which it waited
 *   actual-frequency=1234     i915: sum of MHz x s; requested-frequency
 *   rc6-residency=123456      i915: ns of sleep
 *   interrupts=1234
 *   gt-c6-residency=1234      xe: ms of sleep
 *   gt-actual-frequency=1234  xe: each reading adds the MHz of the moment; gt-requested-frequency
 *
 * "-gt1" behind a name is another GT than 0. What an interval holds takes two frames.
 */
#include "sensors.h"

enum { NAMES_MAX = 96, NAME_MAX_BYTES = 47, GTS = 16 };

#define SECOND_NS INT64_C(1000000000)
#define HZ_MOST   UINT64_C(100000000000)

struct seen {
    char name[NAME_MAX_BYTES + 1];
    uint8_t n;
    uint64_t count;
};
struct memory {
    struct interval interval;
    struct seen seen[NAMES_MAX];
    uint32_t count;
};

/* ---- what counts what ------------------------------------------------------------------------------------------- */

enum sort {
    SORT_SHARE,     /* ns of an engine */
    SORT_SLEEP,     /* time of a GT; `unit_ns` each */
    SORT_MEAN_MHZ,  /* MHz x s */
    SORT_ADDED_MHZ, /* MHz of the moment of each reading */
    SORT_TOTAL
};
struct event {
    const char *name;
    uint8_t sort;
    uint8_t rank;
    uint16_t metric;
    uint32_t unit_ns;
};
/* Behind "-" and the engine's name. */
static const struct event of_engine[] = {
    {"busy", SORT_SHARE, INTEL_RANK_PMU, METRIC_ENGINE_BUSY, 1},
    {"wait", SORT_SHARE, INTEL_RANK_PMU, METRIC_ENGINE_WAIT, 1},
    {"sema", SORT_SHARE, INTEL_RANK_PMU, METRIC_ENGINE_SEMA, 1},
};
static const struct event of_gt[] = {
    {"actual-frequency", SORT_MEAN_MHZ, INTEL_RANK_MEAN, METRIC_CLOCK_GT, 0},
    {"requested-frequency", SORT_MEAN_MHZ, INTEL_RANK_MEAN, METRIC_CLOCK_GT_REQUESTED, 0},
    {"rc6-residency", SORT_SLEEP, INTEL_RANK_PMU, METRIC_IDLE_RESIDENCY, 1},
    {"interrupts", SORT_TOTAL, INTEL_RANK_PMU, METRIC_INTERRUPTS, 0},
    {"gt-c6-residency", SORT_SLEEP, INTEL_RANK_PMU, METRIC_IDLE_RESIDENCY, 1000000},
    {"gt-actual-frequency", SORT_ADDED_MHZ, INTEL_RANK_MEAN, METRIC_CLOCK_GT, 0},
    {"gt-requested-frequency", SORT_ADDED_MHZ, INTEL_RANK_MEAN, METRIC_CLOCK_GT_REQUESTED, 0},
};

/* The engines' names, and those under which clients name them. */
static const struct {
    const char *prefix;
    const char *name;
} engines[] = {
    {"rcs", "render"},         {"bcs", "copy"},    {"vcs", "video"},
    {"vecs", "video-enhance"}, {"ccs", "compute"},
};

static enum engine_class class_of(struct span engine) {
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        struct span rest = engine;
        unsigned number;
        if (number_after(&rest, engines[i].prefix, 255, &number) && rest.n == 0)
            return engine_class_of(span_of(engines[i].name));
    }
    return CLASS_OTHER;
}

/* The last "-" of the text; its length where there is none. */
static size_t last_dash(struct span text) {
    size_t at = text.n;
    while (at > 0 && text.p[at - 1] != '-')
        at--;
    return at > 0 ? at - 1 : text.n;
}

/* "-gt1" at the end is cut off. */
static unsigned take_gt(struct span *name) {
    size_t dash = last_dash(*name);
    struct span tail = span_skip(*name, dash + 1);
    unsigned gt = 0;
    if (dash < name->n && number_after(&tail, "gt", GTS - 1, &gt) && tail.n == 0) {
        name->n = dash;
        return gt;
    }
    return 0;
}

static const struct event *find_event(struct span name, struct span *engine) {
    size_t dash = last_dash(name);
    struct span tail = span_skip(name, dash + 1);
    *engine = (struct span){name.p, 0};
    for (size_t i = 0; i < sizeof(of_gt) / sizeof(of_gt[0]); i++)
        if (span_equals(name, of_gt[i].name))
            return &of_gt[i];
    for (size_t i = 0; i < sizeof(of_engine) / sizeof(of_engine[0]); i++)
        if (dash < name.n && dash > 0 && span_equals(tail, of_engine[i].name)) {
            engine->n = dash;
            return &of_engine[i];
        }
    return NULL;
}

bool intel_pmu_wanted(struct span name) {
    struct span engine;
    (void)take_gt(&name);
    return name.n <= NAME_MAX_BYTES - strlen("-gt15") && find_event(name, &engine) != NULL;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The growth since the frame before; false: not known. */
static bool growth(struct memory *m, struct span name, uint64_t count, uint64_t *more) {
    struct seen *s = NULL;
    bool told;
    for (uint32_t i = 0; i < m->count && !s; i++)
        if (m->seen[i].n == name.n && memcmp(m->seen[i].name, name.p, name.n) == 0)
            s = &m->seen[i];
    told = s && count >= s->count;
    *more = told ? count - s->count : 0;
    if (!s && m->count < NAMES_MAX) {
        s = &m->seen[m->count++];
        s->n = (uint8_t)name.n;
        memcpy(s->name, name.p, name.n);
    }
    if (s)
        s->count = count;
    return told;
}

/* ---- samples ------------------------------------------------------------------------------------------------------ */

static void tell_clock(struct teller *t, const struct event *e, uint64_t hz, uint64_t raw) {
    if (hz <= HZ_MOST)
        tell_value(t, e->metric, (int64_t)hz, raw, 0, e->rank);
    else
        tell_state(t, e->metric, STATE_MALFORMED, e->rank);
}

static void tell_growth(struct teller *t, const struct event *e, uint64_t more, uint64_t raw,
                        int64_t ns) {
    unsigned doubt;
    int64_t share;
    switch ((enum sort)e->sort) {
    case SORT_SHARE:
    case SORT_SLEEP:
        if (more > UINT64_MAX / e->unit_ns)
            more = UINT64_MAX / e->unit_ns;
        share = share_of_time(more * e->unit_ns, ns, &doubt);
        tell_value(t, e->metric, share, raw, doubt, e->rank);
        break;
    case SORT_MEAN_MHZ:
        tell_clock(t, e, mul_div_u64(more, UINT64_C(1000000) * SECOND_NS, (uint64_t)ns), raw);
        break;
    case SORT_ADDED_MHZ:
        tell_clock(t, e, more > HZ_MOST ? UINT64_MAX : more * 1000000, raw);
        break;
    case SORT_TOTAL:
        break;
    }
}

static void take_event(struct teller *t, struct memory *m, const struct counter_line *l,
                       int64_t ns) {
    struct span name = l->name;
    uint64_t more;
    unsigned gt = take_gt(&name);
    struct span engine;
    const struct event *e = l->name.n <= NAME_MAX_BYTES ? find_event(name, &engine) : NULL;
    if (!e || !text_is_clean(l->name)) {
        counts_ignored(t->counts, REASON_OTHER_KEY);
        return;
    }
    t->counts->accepted++;
    tell_name(t, e->sort == SORT_SHARE ? engine : l->name);
    t->sample.class = (uint8_t)(e->sort == SORT_SHARE ? class_of(engine) : CLASS_NONE);
    t->sample.index = e->sort == SORT_SHARE || e->sort == SORT_TOTAL ? INDEX_NONE : (uint16_t)gt;
    if (e->sort == SORT_TOTAL && l->count <= INT64_MAX)
        tell_value(t, e->metric, (int64_t)l->count, l->count, 0, e->rank);
    else if (growth(m, l->name, l->count, &more) && ns > 0)
        tell_growth(t, e, more, l->count, ns);
    else
        tell_state(t, e->metric, STATE_UNKNOWN, e->rank);
}

/* The time that the counters counted, which the first line tells. */
static int64_t take_time(struct span line, struct counts *counts) {
    struct counter_line l;
    if (!counter_line_of(line, &l) || !span_equals(l.name, "time") || l.more.n > 0 ||
        l.count > INT64_MAX || l.count == 0) {
        counts_malformed(counts, REASON_BAD_TEXT);
        return 0;
    }
    counts->accepted++;
    return (int64_t)l.count;
}

static void pmu_feed(void *state, const struct subject *s, const struct frame *f,
                     const struct sink *sink, struct counts *counts) {
    struct memory *m = state;
    struct teller t = teller_of(s, f, sink, counts);
    struct cursor c = cursor_over(frame_span(f));
    struct counter_line l;
    struct span line;
    int64_t ns = 0;
    if (cursor_line(&c, &line)) {
        int64_t time_ns = take_time(line, counts);
        ns = time_ns > 0 ? interval_next(&m->interval, time_ns) : 0;
    }
    while (cursor_line(&c, &line)) {
        if (counter_line_of(line, &l) && l.more.n == 0)
            take_event(&t, m, &l, ns);
        else
            counts_malformed(counts, REASON_BAD_TEXT);
    }
}

static void pmu_init(void *state, const struct subject *s) {
    (void)s;
    memset(state, 0, sizeof(struct memory));
}

const struct fold intel_pmu_fold = {
    .size = sizeof(struct memory), .init = pmu_init, .feed = pmu_feed};
