/* See oamodel.h. */
#include "oamodel.h"

#include <string.h>

/* ---- reports --------------------------------------------------------------------------------- */

#define A OAM_A
#define B OAM_B
#define C OAM_C
#define GEN8_COUNTERS                                                                              \
    {                                                                                              \
        {A, 32, 40, 16, 160}, {A + 32, 4, 32, 144, 0}, {B, 8, 32, 192, 0}, {                       \
            C, 8, 32, 224, 0                                                                       \
        }                                                                                          \
    }
#define HASWELL(layout, bytes, ...)                                                                \
    { .name = layout, .size = bytes, .haswell = true, .busy = A + 41, .stretches = __VA_ARGS__ }

const struct oam_format oam_formats[] = {
    [OAM_HSW_A45] =
        HASWELL("A45_B8_C8", 256, {{A, 45, 32, 12, 0}, {B, 8, 32, 192, 0}, {C, 8, 32, 224, 0}}),
    [OAM_HSW_A13] = HASWELL("A13", 64, {{A, 13, 32, 12, 0}}),
    [OAM_HSW_A29] = HASWELL("A29", 128, {{A, 29, 32, 12, 0}}),
    [OAM_HSW_A13_BC] =
        HASWELL("A13_B8_C8", 128, {{A, 13, 32, 12, 0}, {B, 8, 32, 64, 0}, {C, 8, 32, 96, 0}}),
    [OAM_HSW_B4_C8] = HASWELL("B4_C8", 64, {{B, 4, 32, 16, 0}, {C, 8, 32, 32, 0}}),
    [OAM_BDW] = {.name = "A32u40_A4u32_B8_C8",
                 .pci = "8086:1616",
                 .size = 256,
                 .valid = 25,
                 .reasons = 6,
                 .mask = 0x1fffff,
                 .stretches = GEN8_COUNTERS},
    [OAM_SKL] = {.name = "A32u40_A4u32_B8_C8",
                 .pci = "8086:1912",
                 .size = 256,
                 .valid = 16,
                 .reasons = 6,
                 .mask = 0x1fffff,
                 .stretches = GEN8_COUNTERS},
    [OAM_TGL] = {.name = "A32u40_A4u32_B8_C8",
                 .pci = "8086:9a49",
                 .size = 256,
                 .valid = 16,
                 .reasons = 7,
                 .mask = 0xffe0,
                 .idle = 0xffe0,
                 .stretches = GEN8_COUNTERS},
    [OAM_DG2] = {.name = "A24u40_A14u32_B8_C8",
                 .pci = "8086:56a5",
                 .size = 256,
                 .always = true,
                 .reasons = 7,
                 .mask = 0x7fff80,
                 .idle = 0x7fff80,
                 .stretches = {{A, 4, 32, 16, 0},
                               {A + 4, 20, 40, 32, 164},
                               {A + 24, 4, 32, 112, 0},
                               {A + 28, 4, 40, 128, 188},
                               {A + 32, 4, 32, 144, 0},
                               {A + 36, 1, 32, 160, 0},
                               {A + 37, 1, 32, 184, 0},
                               {B, 8, 32, 192, 0},
                               {C, 8, 32, 224, 0}}},
    [OAM_STAMPS] = {.haswell = true},
};
#undef A
#undef B
#undef C

static const struct oam_stretch *stretch_of(const struct oam_format *f, unsigned counter) {
    for (unsigned i = 0; i < 9 && f->stretches[i].count > 0; i++) {
        const struct oam_stretch *s = &f->stretches[i];
        if (counter >= s->first && counter < s->first + (unsigned)s->count)
            return s;
    }
    return NULL;
}

unsigned oam_bits(const struct oam_format *f, unsigned counter) {
    const struct oam_stretch *s = stretch_of(f, counter);
    return s ? s->bits : 0;
}

bool oam_has_clock(const struct oam_format *f) {
    return !f->haswell || oam_bits(f, OAM_C + 2) > 0;
}

static void put_at(unsigned char *to, uint64_t v, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(v >> (8 * i));
}

void oam_put(struct buf *b, uint64_t v, unsigned bytes) {
    unsigned char to[8];
    put_at(to, v, bytes);
    buf_put(b, (const char *)to, bytes);
}

void oam_put_head(struct buf *b, uint32_t type, size_t size) {
    oam_put(b, type, 4);
    oam_put(b, 0, 2);
    oam_put(b, size, 2);
}

void oam_put_report(struct buf *b, const struct oam_format *f, const struct oam_record *r) {
    unsigned char to[256] = {0};
    put_at(to, r->id, 4);
    put_at(to + 4, r->timestamp, 4);
    put_at(to + 8, r->context, 4);
    put_at(to + 12, r->clock, 4);
    for (unsigned c = 0; c < OAM_COUNTERS; c++) {
        const struct oam_stretch *s = stretch_of(f, c);
        uint64_t v = f->haswell && c == OAM_C + 2 ? r->clock : r->v[c];
        if (!s)
            continue;
        put_at(to + s->at + 4 * (c - s->first), v, 4);
        if (s->bits == 40)
            put_at(to + s->high + (c - s->first), v >> 32, 1);
    }
    buf_put(b, (const char *)to, f->size);
}

struct oam_owner oam_named(const struct oam_format *f, const struct oam_record *r) {
    struct oam_owner none = {0};
    if (f->haswell || r->context == UINT32_MAX || (!f->always && !(r->id >> f->valid & 1)))
        return none;
    if (f->always && r->id >> 25 & 1)
        return none; /* asked for by a write: a mark of who asked stands in its place */
    uint32_t context = r->context & f->mask;
    if (f->idle != 0 && context == f->idle)
        return none;
    return (struct oam_owner){.is = true, .context = context};
}

/* ---- the model ------------------------------------------------------------------------------- */

int64_t oam_ns(uint64_t hz, uint64_t ticks) {
    uint64_t whole = ticks / hz, rest = ticks % hz;
    return (int64_t)(whole * 1000000000 + (rest * 1000000000 + hz / 2) / hz);
}

bool oam_same_owner(struct oam_owner a, struct oam_owner b) {
    return a.is == b.is && a.tagged == b.tagged && a.context == b.context && a.tag == b.tag &&
           a.pid == b.pid;
}

static struct oam_sum *sum_of(struct oam *m, struct oam_owner owner) {
    for (unsigned i = 0; i < m->owner_count; i++)
        if (oam_same_owner(m->owners[i].owner, owner))
            return &m->owners[i];
    m->owners[m->owner_count] = (struct oam_sum){.owner = owner};
    return &m->owners[m->owner_count++];
}

static void add(struct oam_sum *to, const struct oam_sum *more) {
    to->ticks += more->ticks;
    to->clock += more->clock;
    for (unsigned c = 0; c < OAM_COUNTERS; c++)
        to->v[c] += more->v[c];
}

static uint64_t grown(uint64_t from, uint64_t to, unsigned bits) {
    return (to - from) & (((uint64_t)1 << bits) - 1);
}

/* The mean clock is 10 MHz at least. */
static bool is_no_creep(uint64_t hz, const struct oam_sum *sum) {
    return sum->clock * 2 * hz + sum->ticks >= UINT64_C(20000000) * sum->ticks;
}

/* Time that a step of the stamp takes: none where it went back. */
static uint64_t step_of(const struct oam_record *from, const struct oam_record *to) {
    uint64_t step = grown(from->timestamp, to->timestamp, 32);
    return step <= INT32_MAX ? step : 0;
}

/* What lies between two reports; false: no such thing can be. */
static bool between(const struct oam *m, const struct oam_record *from, const struct oam_record *to,
                    struct oam_sum *out) {
    const struct oam_format *f = m->format;
    bool moved = false;
    *out = (struct oam_sum){.ticks = grown(from->timestamp, to->timestamp, 32)};
    if (oam_has_clock(f))
        out->clock = grown(from->clock, to->clock, 32);
    for (unsigned c = 0; c < OAM_COUNTERS; c++) {
        unsigned bits = oam_bits(f, c);
        out->v[c] = bits ? grown(from->v[c], to->v[c], bits) : 0;
        if (f->haswell && c == OAM_C + 2 && bits)
            out->v[c] = out->clock;
        moved |= c < OAM_B && out->v[c] > 0;
    }
    if (out->ticks == 0 || out->ticks > INT32_MAX)
        return false;
    return !oam_has_clock(f) || !moved || is_no_creep(m->hz, out);
}

static bool same_labels(const struct oam_record *a, const struct oam_record *b) {
    return a->id == b->id && memcmp(a->label, b->label, sizeof a->label) == 0;
}

static struct oam_owner owner_of(const struct oam *m, const struct oam_record *r) {
    uint32_t pid = m->pid ? r->label[1] : 0;
    if (!m->context)
        return (struct oam_owner){0};
    return (struct oam_owner){.is = true,
                              .tagged = m->tag,
                              .context = r->label[0],
                              .tag = m->tag ? r->label[2] : 0,
                              .pid = pid <= 4194304 ? (int32_t)pid : 0};
}

/* begins[i] is the end of the batch that begins with record i, or 0. */
static void pair_up(struct oam *m, unsigned n, unsigned begins[OAM_RECORDS]) {
    int open = -1;
    memset(begins, 0, OAM_RECORDS * sizeof begins[0]);
    for (unsigned i = 0; i < n; i++) {
        const struct oam_record *r = &m->records[i];
        if (r->what == OAM_LOSS) {
            m->bad_pair += open >= 0;
            open = -1;
        } else if (r->what != OAM_REPORT || !r->capture) {
            continue;
        } else if (open >= 0 && same_labels(&m->records[open], r)) {
            begins[open] = i;
            open = -1;
        } else {
            m->bad_pair += open >= 0;
            open = (int)i;
        }
    }
    m->open_at_end = open >= 0;
}

/* Whose the interval is that ends with record `to`. */
static struct oam_owner whose(const struct oam *m, const unsigned begins[OAM_RECORDS],
                              unsigned from, unsigned to) {
    if (!m->captures)
        return m->records[from].named;
    for (unsigned i = 0; i <= from; i++)
        if (begins[i] >= to)
            return owner_of(m, &m->records[i]);
    return (struct oam_owner){0};
}

static void begin(struct oam *m, unsigned n) {
    m->interval_count = 0;
    m->accepted = m->ignored = m->malformed = 0;
    m->bad_pair = m->bad_delta = m->open_at_end = 0;
    m->whole = (struct oam_sum){0};
    m->owner_count = 0;
    sum_of(m, (struct oam_owner){0});
    for (unsigned i = 0; i < n; i++) {
        m->accepted += m->records[i].fate == 'a';
        m->ignored += m->records[i].fate == 'i';
        m->malformed += m->records[i].fate == 'm';
    }
}

static void take_interval(struct oam *m, const struct oam_sum *sum, struct oam_owner owner,
                          const struct oam_record *end, uint64_t from, uint64_t to) {
    unsigned all = (1u << m->format->reasons) - 1;
    struct oam_interval *it = &m->intervals[m->interval_count++];
    *it = (struct oam_interval){
        .sum = *sum, .end_ns = oam_ns(m->hz, to), .reasons = end->id >> 19 & all};
    it->sum.owner = owner;
    struct oam_sum *own = sum_of(m, owner);
    add(own, sum);
    add(&m->whole, sum);
    if (!m->captures && owner.is)
        own->busy_ns += oam_ns(m->hz, to) - oam_ns(m->hz, from);
}

void oam_work_out(struct oam *m, unsigned n) {
    unsigned begins[OAM_RECORDS];
    uint64_t at[OAM_RECORDS] = {0};
    int last = -1; /* a report; behind a loss there is none before it */
    int any = -1;
    begin(m, n);
    pair_up(m, n, begins);
    for (unsigned i = 0; i < n; i++) {
        const struct oam_record *r = &m->records[i];
        struct oam_sum sum;
        if (r->what == OAM_LOSS)
            last = -1;
        m->bad_delta += r->what == OAM_SPURIOUS;
        if (r->what != OAM_REPORT)
            continue;
        at[i] = any < 0 ? 0 : at[any] + step_of(&m->records[any], r);
        if (m->format->size == 0) /* time alone */
            last = -1;
        if (last >= 0 && between(m, &m->records[last], r, &sum))
            take_interval(m, &sum, whose(m, begins, (unsigned)last, i), r, at[last], at[i]);
        else
            m->bad_delta += last >= 0;
        last = any = (int)i;
    }
    for (unsigned i = 0; i < n && m->captures; i++)
        if (begins[i] > 0 && m->context)
            sum_of(m, owner_of(m, &m->records[i]))->busy_ns +=
                oam_ns(m->hz, at[begins[i]]) - oam_ns(m->hz, at[i]);
}
