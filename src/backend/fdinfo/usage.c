/* Rows of engines and regions, and the samples that they make. Values: ns, cycles, bytes, Hz, and
 * 10^-4 %. */
#include "usage.h"

#include <string.h>

#define FULL_PERCENT 1000000 /* 100 % in 10^-4 % */

_Static_assert(METRIC_ENGINE_BUSY - METRIC_ENGINE_TIME + 1 == USAGE_METRICS,
               "engine metrics stand together");
_Static_assert(METRIC_MEMORY_LEGACY - METRIC_MEMORY_TOTAL + 1 <= USAGE_METRICS,
               "memory metrics stand together");

static const enum metric first_metric[] = {
    [USAGE_ENGINE] = METRIC_ENGINE_TIME,
    [USAGE_REGION] = METRIC_MEMORY_TOTAL,
};

static unsigned bit_of(enum usage_rows rows, enum metric metric) {
    return 1u << (metric - first_metric[rows]);
}

/* The rows are left as they are: a row is set up when its first line comes. */
void usage_init(struct usage *u) {
    memset(u, 0, offsetof(struct usage, engines));
    u->tables[USAGE_ENGINE] = (struct usage_table){.rows = u->engines, .max = FDINFO_ENGINES};
    u->tables[USAGE_REGION] = (struct usage_table){.rows = u->regions, .max = FDINFO_REGIONS};
}

static inline enum usage_rows rows_of(enum metric metric) {
    return metric >= METRIC_MEMORY_TOTAL ? USAGE_REGION : USAGE_ENGINE;
}

static inline bool is_row(const struct usage_row *r, const struct usage_line *l) {
    return r->name_len == l->name.n && r->index == l->index &&
           keyvalue_same(r->name, l->name.p, l->name.n);
}

/* Names hold no blank, nor anything that a terminal acts on: no driver writes such a name. */
static bool is_name(struct span name) {
    size_t plain = 0;
    while (plain < name.n && name.p[plain] > ' ' && name.p[plain] <= '~')
        plain++;
    return name.n > 0 && name.n <= USAGE_NAME_MAX &&
           (plain == name.n || (!memchr(name.p, ' ', name.n) && text_is_clean(name)));
}

/* Finds the row or sets it up; it is then t->last. */
static enum reason find_row(struct usage_table *t, const struct usage_line *l) {
    uint16_t at = 0;
    while (at < t->count && !is_row(&t->rows[at], l))
        at++;
    if (at == t->count) {
        if (!is_name(l->name))
            return REASON_BAD_NAME;
        if (at == t->max)
            return REASON_TOO_MANY;
        struct usage_row *r = &t->rows[t->count++];
        r->name = l->name.p;
        r->name_len = (uint8_t)l->name.n;
        r->class =
            (uint8_t)(rows_of(l->metric) == USAGE_REGION ? (unsigned)region_class_of(l->name)
                                                         : (unsigned)engine_class_of(l->name));
        r->seen = r->bad = 0;
        r->index = l->index;
    }
    t->last = at;
    return REASON_COUNT;
}

static bool adds_up(enum metric metric) {
    return metric == METRIC_ENGINE_TIME || metric == METRIC_ENGINE_CYCLES ||
           metric == METRIC_ENGINE_BUSY;
}

/* ERR_RANGE where the sum does not fit. */
static enum err merge(struct usage_row *r, unsigned column, const struct usage_line *l) {
    if (!adds_up(l->metric)) {
        if (l->value > r->value[column]) {
            r->value[column] = l->value;
            r->raw[column] = l->raw;
        }
        return ERR_OK;
    }
    if (l->value > INT64_MAX - r->value[column])
        return ERR_RANGE;
    r->value[column] += l->value;
    r->raw[column] += l->raw;
    return ERR_OK;
}

/* A number that cannot simply be put down: one that could not be read, or not the first. */
static enum reason put_other(struct usage_row *r, unsigned column, const struct usage_line *l) {
    uint8_t bit = (uint8_t)(1u << column);
    enum err e = l->err;
    if (e == ERR_OK && !(r->bad & bit))
        e = merge(r, column, l);
    r->seen |= bit;
    if (e == ERR_OK)
        return REASON_COUNT;
    /* Part of a sum that is not known makes the sum unknown, for good. */
    r->bad |= bit;
    return keyvalue_reason(e);
}

enum reason usage_put(struct usage *u, const struct usage_line *l) {
    enum usage_rows rows = rows_of(l->metric);
    struct usage_table *t = &u->tables[rows];
    unsigned column = (unsigned)l->metric - (unsigned)first_metric[rows];
    /* Lines of one engine or region stand together, so the last row is tried first. */
    if (t->count == 0 || !is_row(&t->rows[t->last], l)) {
        enum reason why = find_row(t, l);
        if (why != REASON_COUNT)
            return why;
    }
    struct usage_row *r = &t->rows[t->last];
    if (l->err != ERR_OK || r->seen >> column & 1)
        return put_other(r, column, l);
    r->value[column] = l->value;
    r->raw[column] = l->raw;
    r->seen |= (uint8_t)(1u << column);
    return REASON_COUNT;
}

void usage_cut(struct usage *u, struct counts *counts) {
    u->cut = true;
    counts_truncated(counts, REASON_CUT);
}

/* ---- telling ----------------------------------------------------------------------------------- */

struct teller {
    const struct usage *usage;
    const struct sink *sink;
    struct sample sample; /* what all samples of the text share */
};

static void tell_label(const struct teller *t, enum label_kind kind, struct span text) {
    char cleaned[LABEL_MAX];
    struct span clean = keyvalue_clean(text, cleaned, sizeof(cleaned));
    struct label l = {
        .t_ns = t->sample.t_ns,
        .client = t->sample.client,
        .text = clean.p,
        .len = (uint32_t)clean.n,
        .subject = t->sample.subject,
        .device = t->sample.device,
        .pid = t->sample.pid,
        .kind = (uint8_t)kind,
        .space = t->sample.space,
    };
    t->sink->label(t->sink->ctx, &l);
}

static void tell_labels(const struct teller *t) {
    const struct usage *u = t->usage;
    tell_label(t, LABEL_DRIVER, u->driver);
    if (u->has_pdev)
        tell_label(t, LABEL_PCI, u->pdev);
    if (u->has_name)
        tell_label(t, LABEL_CLIENT_NAME, u->name);
}

static void tell_number(const struct teller *t, struct sample *s, const struct usage_row *r,
                        unsigned column) {
    bool bad = (r->bad >> column & 1) != 0;
    s->state = bad ? STATE_MALFORMED : STATE_VALUE;
    s->value = bad ? 0 : r->value[column];
    s->raw = bad ? 0 : r->raw[column];
    s->doubt = DOUBT_NONE;
    if (s->metric == METRIC_ENGINE_BUSY && s->value > FULL_PERCENT) {
        s->value = FULL_PERCENT;
        s->doubt = DOUBT_CLAMPED;
    }
    t->sink->sample(t->sink->ctx, s);
}

static void tell_state(struct teller *t, enum metric metric, enum state state) {
    t->sample.metric = (uint16_t)metric;
    t->sample.state = (uint8_t)state;
    t->sample.value = 0;
    t->sample.raw = 0;
    t->sample.doubt = DOUBT_NONE;
    t->sink->sample(t->sink->ctx, &t->sample);
}

static void tell_row(struct teller *t, enum usage_rows rows, const struct usage_row *r) {
    t->sample.name = r->name;
    t->sample.name_len = r->name_len;
    t->sample.class = r->class;
    t->sample.index = r->index;
    for (unsigned column = 0; r->seen >> column; column++)
        if (r->seen >> column & 1) {
            t->sample.metric = (uint16_t)(first_metric[rows] + column);
            tell_number(t, &t->sample, r, column);
        }
}

/* Buffers are there, and the driver does not say how much of them is backed by memory: not 0.
 * Where all of it is 0, the kernel leaves the line out because there is nothing to say. */
static bool lacks_resident(const struct usage *u, const struct usage_row *r) {
    unsigned total = bit_of(USAGE_REGION, METRIC_MEMORY_TOTAL);
    unsigned said =
        bit_of(USAGE_REGION, METRIC_MEMORY_RESIDENT) | bit_of(USAGE_REGION, METRIC_MEMORY_LEGACY);
    return !u->cut && !(r->seen & said) && r->seen & ~r->bad & total && r->value[0] > 0;
}

/* Whether any line speaks of how busy an engine was. */
static bool has_busy(const struct usage *u) {
    unsigned busy =
        bit_of(USAGE_ENGINE, METRIC_ENGINE_TIME) | bit_of(USAGE_ENGINE, METRIC_ENGINE_CYCLES) |
        bit_of(USAGE_ENGINE, METRIC_ENGINE_CYCLES_TOTAL) | bit_of(USAGE_ENGINE, METRIC_ENGINE_BUSY);
    for (uint16_t i = 0; i < u->tables[USAGE_ENGINE].count; i++)
        if (u->engines[i].seen & busy)
            return true;
    return false;
}

/* amdgpu always prints memory. A read that a signal interrupted ends after the lines that say who
 * the client is: then nothing is known, where else the driver does not say. */
static void tell_no_engine(struct teller *t) {
    bool interrupted =
        span_equals(t->usage->driver, "amdgpu") && t->usage->tables[USAGE_REGION].count == 0;
    t->sample.name = "";
    t->sample.name_len = 0;
    t->sample.class = CLASS_NONE;
    t->sample.index = INDEX_NONE;
    tell_state(t, METRIC_ENGINE_TIME, interrupted ? STATE_UNKNOWN : STATE_UNSUPPORTED);
}

static void tell_samples(struct teller *t) {
    const struct usage *u = t->usage;
    for (uint16_t i = 0; i < u->tables[USAGE_ENGINE].count; i++)
        tell_row(t, USAGE_ENGINE, &u->engines[i]);
    if (!u->cut && !has_busy(u))
        tell_no_engine(t);
    for (uint16_t i = 0; i < u->tables[USAGE_REGION].count; i++) {
        tell_row(t, USAGE_REGION, &u->regions[i]);
        if (lacks_resident(u, &u->regions[i]))
            tell_state(t, METRIC_MEMORY_RESIDENT, STATE_UNSUPPORTED);
    }
}

void usage_emit(const struct usage *u, const struct subject *s, const struct frame *f,
                const struct sink *sink) {
    struct teller t = {
        .usage = u,
        .sink = sink,
        .sample =
            {
                .t_ns = f->t_ns,
                .client = u->has_client ? u->client : s->id,
                .space = u->has_client ? SPACE_DRM : SPACE_HOLDER,
                .subject = s->id,
                .device = s->device,
                .pid = s->pid,
            },
    };
    if (sink->label)
        tell_labels(&t);
    if (sink->sample)
        tell_samples(&t);
}
