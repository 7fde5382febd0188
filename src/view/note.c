/*
 * What is to be said of a device in words: which limits hold it back, that its driver counts no engine
 * time, or who keeps it awake though nobody uses it. Pure.
 */
#include "strip.h"

/* ---- limits ---------------------------------------------------------------------------------- */

static const char limit_prefix[] = "throttle.";

/* What a limit is about, by the start of its name behind "throttle.". */
static const struct {
    const char *start;
    const char *word;
} topics[] = {
    {"ppt", "power"},    {"spl", "power"},   {"fppt", "power"},   {"sppt", "power"},
    {"ppm", "power"},    {"tdc", "current"}, {"edc", "current"},  {"apcc", "current"},
    {"temp", "heat"},    {"liquid", "heat"}, {"prochot", "heat"}, {"vr", "regulators"},
    {"fit", "lifetime"}, {"dvo", "voltage"},
};
enum { TOPICS = sizeof topics / sizeof topics[0] };

/* A limit at work: a flag of the metrics throttle.*. */
static bool is_limit(const struct snap_metric *m) {
    const struct metric_info *info = metric_info(m->metric);
    return info->unit == UNIT_FLAG && span_starts(span_of(info->name), limit_prefix) &&
           m->value.state == STATE_VALUE && m->value.v != 0;
}

/* The first one of its word; TOPICS where there is none. */
static unsigned topic_of(const struct snap_metric *m) {
    struct span name = span_skip(span_of(metric_info(m->metric)->name), sizeof limit_prefix - 1);
    unsigned i = 0, first = 0;
    while (i < TOPICS && !span_starts(name, topics[i].start)) {
        i++;
    }
    while (i < TOPICS && !span_equals(span_of(topics[first].word), topics[i].word)) {
        first++;
    }
    return i < TOPICS ? first : i;
}

/* The topics of all limits at work; `is_sure` where one of them is not doubted. */
struct limits {
    uint32_t count;
    uint32_t topics; /* the first of each word, by bit */
    uint32_t sure;
    bool is_sure;
};

static struct limits limits_of(const struct snapshot *s, const struct snap_device *d) {
    struct limits l = {0};
    for (uint32_t i = 0; i < d->metrics.count; i++) {
        const struct snap_metric *m = &s->metrics[d->metrics.first + i];
        if (!is_limit(m)) {
            continue;
        }
        unsigned topic = topic_of(m);
        l.count++;
        l.topics |= UINT32_C(1) << topic;
        l.sure |= m->value.doubt ? 0 : UINT32_C(1) << topic;
        l.is_sure = l.is_sure || !m->value.doubt;
    }
    return l;
}

_Static_assert(TOPICS < 32, "a bit for each topic, and one for the rest");

static void put_start(struct buf *b, const struct limits *l) {
    buf_text(b, l->is_sure ? "! throttled: " : "throttled? ");
}

static void put_topic(struct buf *b, const struct limits *l, unsigned i) {
    buf_text(b, i < TOPICS ? topics[i].word : "other");
    buf_text(b, l->sure >> i & 1 ? "" : "~");
}

/* In full words. */
static void put_limits(struct buf *b, const struct snapshot *s, const struct snap_device *d,
                       const struct limits *l) {
    const char *before = "";
    put_start(b, l);
    for (uint32_t i = 0; i < d->metrics.count; i++) {
        const struct snap_metric *m = &s->metrics[d->metrics.first + i];
        if (is_limit(m)) {
            buf_text(b, before);
            buf_text(b, metric_info(m->metric)->doc);
            buf_text(b, m->value.doubt ? "~" : "");
            before = ", ";
        }
    }
}

static bool fits(const struct buf *b, size_t start, int width) {
    struct span text = span_skip(buf_span_of(b), start);
    return width >= 0 && text_columns(text) <= (size_t)width;
}

/* The `n`th topic, those without doubt first; TOPICS + 1 past the last. */
static unsigned topic_at(const struct limits *l, unsigned n) {
    for (unsigned pass = 0; pass < 2; pass++) {
        uint32_t bits = pass == 0 ? l->sure : l->topics & ~l->sure;
        for (unsigned i = 0; i <= TOPICS; i++) {
            if ((bits >> i & 1) && n-- == 0) {
                return i;
            }
        }
    }
    return TOPICS + 1;
}

/* A word for each topic, and how many are left where not all fit. */
static void put_topics(struct buf *b, size_t start, const struct limits *l, int width) {
    unsigned count = 0;
    unsigned written = 0;
    while (topic_at(l, count) <= TOPICS) {
        count++;
    }
    put_start(b, l);
    for (; written < count; written++) {
        size_t before = b->n;
        buf_text(b, written ? ", " : "");
        put_topic(b, l, topic_at(l, written));
        if (!fits(b, start, written + 1 < count ? width - 4 : width)) {
            b->n = before;
            break;
        }
    }
    if (written > 0 && written < count) {
        buf_text(b, ", +");
        buf_u64(b, count - written);
    }
    b->n = written == 0 ? start : b->n;
}

static enum role put_throttle(const struct snapshot *s, const struct snap_device *d,
                              const struct limits *l, int width, struct buf *b) {
    size_t start = b->n;
    put_limits(b, s, d, l);
    if (!fits(b, start, width)) {
        b->n = start;
        put_topics(b, start, l, width);
    }
    if (b->n == start) {
        buf_text(b, l->is_sure ? "! throttled" : "throttled?");
    }
    if (!fits(b, start, width)) {
        b->n = start;
        buf_text(b, l->is_sure && width > 0 ? "!" : "");
    }
    return l->is_sure ? ROLE_WARN : ROLE_DIM;
}

/* ---- no engine time -------------------------------------------------------------------------- */

static const char time_off[] = "engine time off";

static bool is_time_off(const struct snapshot *s, const struct snap_device *d) {
    struct value v = table_metric(s, d->metrics, METRIC_PROFILING);
    return v.state == STATE_VALUE && v.v == 0;
}

/* With what would switch it on, where that fits. */
static void put_time_off(int width, struct buf *b) {
    size_t start = b->n;
    buf_text(b, time_off);
    buf_text(b, ": see --set-profiling");
    if (!fits(b, start, width)) {
        b->n = start;
        buf_text(b, time_off);
    }
    b->n = fits(b, start, width) ? b->n : start;
}

/* ---- no counters ----------------------------------------------------------------------------- */

static const char no_counters[] = "counters: ";

/* Up to what stands in brackets; the words are ASCII. */
static size_t plain_columns(struct span text) {
    size_t n = 0;
    while (n < text.n && text.p[n] != '(') {
        n++;
    }
    return n < text.n && n > 0 ? n - 1 : n;
}

static bool is_without(const struct snap_device *d) {
    return d->counters > COUNTERS_HELD;
}

/* Why there are none: with what would help in its brackets, without, in one word. */
static void put_without(const struct snap_device *d, int width, struct buf *b) {
    size_t start = b->n;
    struct span text = span_of(counters_state_text(d->counters));
    buf_text(b, no_counters);
    buf_span(b, text);
    if (!fits(b, start, width)) {
        b->n = start + sizeof no_counters - 1 + plain_columns(text);
    }
    if (!fits(b, start, width)) {
        b->n = start;
        buf_text(b, "counters ");
        buf_text(b, counters_state_name(d->counters));
    }
    b->n = fits(b, start, width) ? b->n : start;
}

/* ---- who keeps it awake ---------------------------------------------------------------------- */

bool note_is_holder(const struct snap_process *p, uint32_t d) {
    return p->device == d && p->idle_holder && !p->exited;
}

static const char awake[] = "kept awake by ";

static void put_holder(struct buf *b, const struct snapshot *s, const struct snap_process *p) {
    struct span name = snapshot_text(s, p->name);
    buf_i64(b, p->pid);
    buf_char(b, ' ');
    if (name.n > 0) {
        buf_span(b, text_cut(name, 15));
    } else {
        buf_char(b, '?');
    }
}

static void put_count_of(struct buf *b, uint32_t count) {
    buf_text(b, awake);
    put_count(b, count, "process", "processes");
}

/* As many as fit beside the number of those that are left; only their number where not even one
 * does. */
static void put_awake(const struct snapshot *s, uint32_t d, uint32_t count, int width,
                      struct buf *b) {
    size_t start = b->n;
    uint32_t named = 0;
    int rest = count > 100 ? 6 : count > 10 ? 5 : 4; /* ", +9" */
    buf_text(b, awake);
    for (uint32_t i = 0; i < s->process_count; i++) {
        size_t before = b->n;
        if (!note_is_holder(&s->processes[i], d)) {
            continue;
        }
        buf_text(b, named ? ", " : "");
        put_holder(b, s, &s->processes[i]);
        if (!fits(b, start, named + 1 == count ? width : width - rest)) {
            b->n = before;
            break;
        }
        named++;
    }
    if (named == 0) {
        b->n = start;
        put_count_of(b, count);
    } else if (named < count) {
        buf_text(b, ", +");
        buf_u64(b, count - named);
    }
    b->n = fits(b, start, width) ? b->n : start;
}

/* ---------------------------------------------------------------------------------------------- */

enum role note_put(const struct snapshot *s, uint32_t d, int width, struct buf *b) {
    struct limits limits = limits_of(s, &s->devices[d]);
    if (limits.count > 0) {
        return put_throttle(s, &s->devices[d], &limits, width, b);
    }
    if (is_time_off(s, &s->devices[d])) {
        put_time_off(width, b);
        return ROLE_WARN;
    }
    if (is_without(&s->devices[d])) {
        put_without(&s->devices[d], width, b);
        return ROLE_WARN;
    }
    if (s->devices[d].kept_awake > 0) {
        put_awake(s, d, s->devices[d].kept_awake, width, b);
    }
    return ROLE_NORMAL;
}

int note_least(const struct snapshot *s, uint32_t d) {
    struct limits limits = limits_of(s, &s->devices[d]);
    if (limits.count > 0) {
        return sizeof "! throttled: power, heat" - 1;
    }
    if (is_time_off(s, &s->devices[d])) {
        return sizeof time_off - 1;
    }
    if (is_without(&s->devices[d])) {
        return (int)sizeof no_counters - 1 +
               (int)plain_columns(span_of(counters_state_text(s->devices[d].counters)));
    }
    return s->devices[d].kept_awake > 0 ? (int)sizeof "kept awake by 10000 gnome-shell, +9" - 1 : 0;
}
