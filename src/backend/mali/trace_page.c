/*
 * Pages of the kernel's trace ring buffer, and the facts that say where in them things stand.
 * Pure; every length is checked before it is used.
 *
 * A page: time, commit (bits below 30: bytes of records; 30: the number of missed ones stands
 * behind them; 31: some were missed before), records. A record: 5 bits type_len, 27 bits time
 * since the one before, on big endian with type_len on top; words behind it by type_len.
 */

#include "trace.h"

#define PADDING    29
#define EXTEND     30
#define ABSOLUTE   31
#define DELTA_BITS 27

static uint64_t load(const char *p, unsigned size, bool big) {
    uint64_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)(unsigned char)p[i] << 8 * (big ? size - 1 - i : i);
    return v;
}

static bool read_field(struct span from, const struct trace_field *f, bool big, uint64_t *out) {
    if (f->size == 0 || f->offset > from.n || f->size > from.n - f->offset)
        return false;
    *out = load(from.p + f->offset, f->size, big);
    return true;
}

/* ---- layout ---------------------------------------------------------------------------------- */

static bool take_u32(struct cursor *c, uint32_t *out) {
    uint64_t v;
    if (cursor_u64(c, &v) != ERR_OK || v > 65536)
        return false;
    *out = (uint32_t)v;
    return true;
}

static bool take_char(struct cursor *c, char what) {
    bool is = c->p != c->end && *c->p == what;
    c->p += is;
    return is;
}

#define KEY_MAX 64

/* Names of facts are those of the tables below: two of them fit. */
static void join(char key[KEY_MAX], const char *prefix, const char *name) {
    size_t p = strlen(prefix);
    size_t n = strlen(name);
    memcpy(key, prefix, p);
    memcpy(key + p, name, n + 1);
}

static bool read_fact(const char *facts, const char *prefix, const char *name,
                      struct trace_field *out) {
    char key[KEY_MAX];
    uint32_t size;
    uint32_t is_signed;
    join(key, prefix, name);
    struct cursor c = cursor_over(facts_get(facts, key));
    if (!take_u32(&c, &out->offset) || !take_char(&c, ',') || !take_u32(&c, &size) ||
        !take_char(&c, ',') || !take_u32(&c, &is_signed) || c.p != c.end)
        return false;
    out->size = (uint8_t)size;
    out->is_signed = is_signed != 0;
    return size == 1 || size == 2 || size == 4 || size == 8;
}

static const char *const prefixes[TRACE_EVENTS] = {"active.", "timeline."};
static const char *const names[TRACE_EVENTS][TRACE_FIELDS] = {
    {"pid", "active", "core_type", "core_id", NULL, NULL},
    {"event_id", "d0", "d1", "d2", "d3", "d4"},
};

static bool read_event(struct trace_layout *l, unsigned event, const char *facts) {
    char key[KEY_MAX];
    join(key, prefixes[event], "id");
    uint64_t id = facts_u64(facts, key, 0);
    if (id == 0)
        return true;
    for (unsigned i = 0; i < TRACE_FIELDS && names[event][i]; i++)
        if (!read_fact(facts, prefixes[event], names[event][i], &l->fields[event][i]))
            return false;
    l->id[event] = (uint32_t)id;
    return id <= UINT16_MAX;
}

bool trace_layout_read(struct trace_layout *l, const char *facts) {
    struct span endian = facts_get(facts, "endian");
    uint64_t data = facts_u64(facts, "page_data", 0);
    *l = (struct trace_layout){.big = span_equals(endian, "big"), .data = (uint32_t)data};
    if (data == 0 || data > 65536 || (!l->big && !span_equals(endian, "little")))
        return false;
    for (unsigned event = 0; event < TRACE_EVENTS; event++)
        if (!read_event(l, event, facts))
            return false;
    return read_fact(facts, "page.", "timestamp", &l->time) &&
           read_fact(facts, "page.", "commit", &l->commit) &&
           read_fact(facts, "", "common_type", &l->type) &&
           (l->id[TRACE_ACTIVE] || l->id[TRACE_TIMELINE]);
}

static void say_field(struct buf *facts, const char *prefix, const char *name, struct span format) {
    char key[KEY_MAX];
    struct trace_field f;
    if (!trace_format_field(format, name, &f) || f.size == 0)
        return;
    join(key, prefix, name);
    buf_text(facts, key);
    buf_char(facts, '=');
    buf_u64(facts, f.offset);
    buf_char(facts, ',');
    buf_u64(facts, f.size);
    buf_text(facts, f.is_signed ? ",1\n" : ",0\n");
}

void trace_layout_say(struct buf *facts, struct span header_page, unsigned event,
                      struct span format) {
    struct trace_field data;
    char key[KEY_MAX];
    uint32_t id;
    if (trace_format_field(header_page, "data", &data))
        facts_put_u64(facts, "page_data", data.offset);
    say_field(facts, "page.", "timestamp", header_page);
    say_field(facts, "page.", "commit", header_page);
    say_field(facts, "", "common_type", format);
    if (!trace_format_id(format, &id))
        return;
    join(key, prefixes[event], "id");
    facts_put_u64(facts, key, id);
    for (unsigned i = 0; i < TRACE_FIELDS && names[event][i]; i++)
        say_field(facts, prefixes[event], names[event][i], format);
}

/* ---- pages ----------------------------------------------------------------------------------- */

bool trace_page_open(struct trace_page *p, const struct trace_layout *l, struct span page) {
    uint64_t commit;
    *p = (struct trace_page){.layout = l};
    if (!read_field(page, &l->time, l->big, &p->t_ns) ||
        !read_field(page, &l->commit, l->big, &commit) || l->data > page.n)
        return false;
    struct span data = span_skip(page, l->data);
    uint64_t bytes = commit & 0x3fffffff;
    if (bytes > data.n)
        return false;
    p->rest = (struct span){data.p, (size_t)bytes};
    p->missed = commit >> 31 & 1;
    if (p->missed && commit >> 30 & 1 && l->commit.size <= data.n - bytes) {
        uint64_t missed = load(data.p + bytes, l->commit.size, l->big);
        p->missed = missed > 0 && missed <= UINT32_MAX ? missed : 1;
    }
    return true;
}

size_t trace_page_used(const struct trace_layout *l, struct span page) {
    struct trace_page p;
    if (!trace_page_open(&p, l, page))
        return page.n;
    size_t used = (size_t)(p.rest.p - page.p) + p.rest.n;
    size_t number = p.missed ? l->commit.size : 0; /* how many */
    return number < page.n - used ? used + number : page.n;
}

enum trace_step trace_page_next(struct trace_page *p, int64_t *t_ns, struct span *payload) {
    const bool big = p->layout->big;
    while (p->rest.n >= 4) {
        uint32_t head = (uint32_t)load(p->rest.p, 4, big);
        uint32_t type = big ? head >> DELTA_BITS : head & 31;
        uint64_t delta = big ? head & 0x7ffffff : head >> 5;
        bool has_word = type == 0 || type >= PADDING;
        if (type == PADDING && delta == 0)
            return TRACE_END;
        if (has_word && p->rest.n < 8)
            return TRACE_BROKEN;
        uint64_t word = has_word ? load(p->rest.p + 4, 4, big) : 0;
        uint64_t size = has_word ? (type >= EXTEND ? 8 : 4 + word) : 4 + 4 * (uint64_t)type;
        if (size > p->rest.n || size % 4 != 0 || size < 8)
            return TRACE_BROKEN;
        if (type == ABSOLUTE) /* 59 bits; those above are as before */
            p->t_ns = (p->t_ns & UINT64_C(0xf8) << 56) | word << DELTA_BITS | delta;
        else
            p->t_ns += type == EXTEND ? delta + (word << DELTA_BITS) : delta;
        struct span record = {p->rest.p, (size_t)size};
        p->rest = span_skip(p->rest, record.n);
        if (type >= PADDING)
            continue;
        if (p->t_ns > INT64_MAX)
            return TRACE_BROKEN;
        *t_ns = (int64_t)p->t_ns;
        *payload = span_skip(record, has_word ? 8 : 4);
        return TRACE_RECORD;
    }
    return p->rest.n == 0 ? TRACE_END : TRACE_BROKEN;
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

bool trace_record_event(const struct trace_layout *l, struct span payload, struct mali_event *out) {
    uint64_t type;
    uint64_t v[TRACE_FIELDS] = {0};
    unsigned event = 0;
    if (!read_field(payload, &l->type, l->big, &type) || type == 0)
        return false;
    while (event < TRACE_EVENTS && l->id[event] != type)
        event++;
    if (event == TRACE_EVENTS)
        return false;
    for (unsigned i = 0; i < TRACE_FIELDS && names[event][i]; i++)
        if (!read_field(payload, &l->fields[event][i], l->big, &v[i]))
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

/* Entries of one stamp stay as they came. */
static const uint16_t *sorted(struct page_state *s) {
    uint16_t *from = s->order[0];
    uint16_t *to = s->order[1];
    for (uint32_t i = 0; i < s->count; i++)
        from[i] = (uint16_t)i;
    for (uint32_t width = 1; width < s->count; width *= 2) {
        for (uint32_t at = 0, k = 0; at < s->count; at += 2 * width) {
            uint32_t mid = at + width < s->count ? at + width : s->count;
            uint32_t end = mid + width < s->count ? mid + width : s->count;
            for (uint32_t a = at, b = mid; a < mid || b < end; k++) {
                bool left = b == end || (a < mid && s->entries[from[a]].event.t_ns <=
                                                        s->entries[from[b]].event.t_ns);
                to[k] = from[left ? a++ : b++];
            }
        }
        uint16_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static void apply_all(struct page_state *s, struct mali_flow *f) {
    const uint16_t *order = sorted(s);
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
    if (s->known && trace_page_open(&page, &s->layout, frame_span(frame)))
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
