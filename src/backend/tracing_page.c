/*
 * Pages of the kernel's trace ring buffer. Pure; every length is checked before it is used.
 *
 * A page: time, commit (bits below 30: bytes of records; 30: the number of missed ones stands
 * behind them; 31: some were missed before), records. A record: 5 bits type_len, 27 bits time
 * since the one before, on big endian with type_len on top; words behind it by type_len.
 */

#include "tracing.h"

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

bool trace_value_read(struct span from, const struct trace_field *f, bool big, uint64_t *out) {
    if (f->size == 0 || f->offset > from.n || f->size > from.n - f->offset)
        return false;
    *out = load(from.p + f->offset, f->size, big);
    return true;
}

/* 16 bits say where it begins, the 16 above them how long it is. */
bool trace_text_read(struct span payload, const struct trace_field *f, bool big, struct span *out) {
    uint64_t where;
    if (f->size != 4 || !trace_value_read(payload, f, big, &where))
        return false;
    size_t at = where & 0xffff;
    size_t n = where >> 16 & 0xffff;
    if (at > payload.n || n > payload.n - at)
        return false;
    const char *end = n > 0 ? memchr(payload.p + at, '\0', n) : NULL;
    *out = (struct span){payload.p + at, end ? (size_t)(end - payload.p) - at : n};
    return true;
}

unsigned trace_record_is(const struct trace_pages *l, struct span payload,
                         const struct trace_event_layout *events, unsigned count) {
    uint64_t type;
    unsigned i = 0;
    if (!trace_value_read(payload, &l->type, l->big, &type) || type == 0)
        return count;
    while (i < count && events[i].id != type)
        i++;
    return i;
}

bool trace_page_open(struct trace_page *p, const struct trace_pages *l, struct span page) {
    uint64_t commit;
    *p = (struct trace_page){.layout = l};
    if (!trace_value_read(page, &l->time, l->big, &p->t_ns) ||
        !trace_value_read(page, &l->commit, l->big, &commit) || l->data > page.n)
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

size_t trace_page_used(const struct trace_pages *l, struct span page) {
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

/* ---- order ----------------------------------------------------------------------------------- */

static int64_t stamp_of(const void *entries, size_t size, uint16_t at) {
    int64_t t_ns;
    memcpy(&t_ns, (const char *)entries + size * at, sizeof(t_ns));
    return t_ns;
}

const uint16_t *trace_sort(const void *entries, size_t size, uint32_t count,
                           uint16_t order[2][TRACE_SORTED]) {
    uint16_t *from = order[0];
    uint16_t *to = order[1];
    for (uint32_t i = 0; i < count; i++)
        from[i] = (uint16_t)i;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t at = 0, k = 0; at < count; at += 2 * width) {
            uint32_t mid = at + width < count ? at + width : count;
            uint32_t end = mid + width < count ? mid + width : count;
            for (uint32_t a = at, b = mid; a < mid || b < end; k++) {
                bool left = b == end || (a < mid && stamp_of(entries, size, from[a]) <=
                                                        stamp_of(entries, size, from[b]));
                to[k] = from[left ? a++ : b++];
            }
        }
        uint16_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}
