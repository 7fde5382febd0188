/*
 * Pages of the kernel's trace ring buffer (tracing.h) with events of the driver, and the facts that say where in them
 * things stand. Pure.
 */

#include "trace.h"

static const struct trace_event events[TRACE_EVENTS] = {
    [TRACE_ACTIVE] = {"active.", {"pid", "active", "core_type", "core_id"}, 0},
    [TRACE_TIMELINE] = {"timeline.", {"event_id", "d0", "d1", "d2", "d3", "d4"}, 0},
};

bool trace_layout_read(struct trace_layout *l, const char *facts) {
    if (!trace_pages_read(&l->pages, facts))
        return false;
    for (unsigned i = 0; i < TRACE_EVENTS; i++)
        if (!trace_event_read(&events[i], &l->events[i], facts))
            return false;
    return l->events[TRACE_ACTIVE].id || l->events[TRACE_TIMELINE].id;
}

void trace_layout_say(struct buf *facts, struct span header_page, unsigned event,
                      struct span format) {
    trace_pages_say(facts, header_page, format);
    trace_event_say(&events[event], facts, format);
}

static bool event_of_active(const uint64_t *v, struct mali_event *out) {
    bool gp = v[2] == 1;
    if (v[1] > 1 || v[2] > 1 || v[3] >= (gp ? 4u : 8u))
        return false;
    out->id = (v[1] ? 1u : 2u) << 24 | (uint32_t)(v[3] + (gp ? 1 : 5)) << 16;
    out->d[0] = (uint32_t)v[0];
    out->d[2] = v[1] ? 0 : UINT32_MAX; /* no counters */
    return true;
}

/* False: of another event, or too short for its fields. */
static bool trace_record_event(const struct trace_layout *l, struct span payload,
                               struct mali_event *out) {
    uint64_t v[TRACE_FIELDS] = {0};
    unsigned event = trace_record_is(&l->pages, payload, l->events, TRACE_EVENTS);
    if (event == TRACE_EVENTS)
        return false;
    for (unsigned i = 0; i < TRACE_FIELDS && events[event].names[i]; i++)
        if (!trace_value_read(payload, &l->events[event].fields[i], l->pages.big, &v[i]))
            return false;
    if (event == TRACE_ACTIVE)
        return event_of_active(v, out);
    out->id = (uint32_t)v[0];
    for (unsigned i = 0; i < 5; i++)
        out->d[i] = (uint32_t)v[i + 1];
    return true;
}

/* ---- fold ------------------------------------------------------------------------------------ */

struct page_entry {
    struct mali_event event;
    uint64_t lost; /* not an event, but so many that are missing */
};
struct page_state {
    struct mali_run run;
    struct trace_layout layout;
    bool known;
    uint32_t count;
    struct page_entry entries[TRACE_SORTED];
    uint16_t order[2][TRACE_SORTED];
};

static void apply_all(struct page_state *s, struct mali_flow *f) {
    const uint16_t *order = trace_sort(s->entries, sizeof(s->entries[0]), s->count, s->order);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct page_entry *e = &s->entries[order[i]];
        if (e->lost)
            mali_flow_lost(f, e->lost);
        else
            mali_flow_event(f, &e->event);
    }
    s->count = 0;
}

/* A full buffer is applied, and what comes then is not in order with it. */
static void put(struct page_state *s, struct mali_flow *f, const struct page_entry *e) {
    if (s->count == TRACE_SORTED) {
        f->counts->reasons[REASON_UNSORTED]++;
        apply_all(s, f);
    }
    s->entries[s->count++] = *e;
}

static void take_page(struct page_state *s, struct mali_flow *f, struct trace_page *p) {
    enum trace_step step;
    struct span payload;
    int64_t t_ns;
    if (p->missed && p->t_ns <= INT64_MAX)
        put(s, f, &(struct page_entry){.event.t_ns = (int64_t)p->t_ns, .lost = p->missed});
    while ((step = trace_page_next(p, &t_ns, &payload)) == TRACE_RECORD) {
        struct page_entry e = {.event.t_ns = t_ns};
        if (trace_record_event(&s->layout, payload, &e.event))
            put(s, f, &e);
        else
            counts_ignored(f->counts, REASON_OTHER_EVENT);
    }
    if (step == TRACE_BROKEN)
        counts_truncated(f->counts, REASON_CUT);
}

/* A frame is one page. */
static void feed(void *state, const struct subject *subject, const struct frame *frame,
                 const struct sink *sink, struct counts *counts) {
    struct page_state *s = state;
    struct trace_page page;
    struct mali_flow f;
    mali_flow_init(&f, &s->run, subject, sink, counts);
    if (s->known && trace_page_open(&page, &s->layout.pages, frame_span(frame)))
        take_page(s, &f, &page);
    else
        counts_malformed(counts, s->known ? REASON_TABLE_CUT : REASON_TABLE_VERSION);
}

static void tick(void *state, const struct subject *subject, int64_t t_ns, const struct sink *sink,
                 struct counts *counts) {
    struct page_state *s = state;
    struct mali_flow f;
    (void)t_ns; /* of the reading; the jobs have a clock of their own */
    mali_flow_init(&f, &s->run, subject, sink, counts);
    apply_all(s, &f);
    mali_flow_cut(&f);
}

static void init(void *state, const struct subject *s) {
    struct page_state *it = state;
    memset(it, 0, sizeof *it);
    mali_run_init(&it->run, s);
    it->known = trace_layout_read(&it->layout, s->facts);
}

const struct fold mali_trace_page_fold = {
    .size = sizeof(struct page_state), .init = init, .feed = feed, .tick = tick};
