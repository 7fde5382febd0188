/*
 * gpu_metrics: which table the bytes are, and its fields as samples. A table is read by format,
 * content and size together, or not at all: of one that is not known no field may be taken for
 * another.
 */
#include "gpu_metrics.h"

#include "amdgpu.h"
#include "throttle.h"

/* ---- one field ------------------------------------------------------------------------------- */

static void apply(struct gm_unit *u, const struct quirk *q) {
    switch ((enum quirk_effect)q->effect) {
    case QUIRK_QUANTITY: {
        struct gm_unit changed = gm_unit_of((enum quantity)q->argument);
        u->quantity = changed.quantity;
        u->zero_absent = u->zero_absent || changed.zero_absent;
        break;
    }
    case QUIRK_ZERO_ABSENT:
        u->zero_absent = true;
        break;
    case QUIRK_ZERO_AVERAGE_ABSENT:
        u->zero_average_absent = true;
        break;
    case QUIRK_VALUE_ABSENT:
        u->absent = q->argument;
        break;
    case QUIRK_DOUBT:
        u->doubt |= (uint8_t)q->argument;
        break;
    case QUIRK_RANK:
        u->rank = (uint8_t)q->argument;
        break;
    case QUIRK_ALSO:
        u->also = (uint16_t)q->argument;
        break;
    }
}

static struct gm_unit unit_of(const struct gm_teller *t, const struct gm_field *f) {
    struct gm_unit u = gm_unit_of((enum quantity)f->quantity);
    for (size_t i = 0; i < t->quirks.count; i++) {
        const struct quirk *q = t->quirks.list[i];
        if (q->metric <= f->metric && f->metric <= q->metric_last)
            apply(&u, q);
    }
    bool is_activity = u.quantity == QUANTITY_ACTIVITY || u.quantity == QUANTITY_ACTIVITY_WHOLE;
    if (is_activity && t->centi_activity)
        u.quantity = QUANTITY_CENTI_PERCENT;
    if (t->unit_doubted)
        u.doubt |= DOUBT_UNIT;
    return u;
}

void gm_tell(struct gm_teller *t, unsigned metric, unsigned index, uint64_t raw,
             struct gm_reading r, unsigned rank) {
    struct sample *s = &t->sample;
    s->metric = (uint16_t)metric;
    s->index = (uint16_t)index;
    s->raw = raw;
    s->value = r.value;
    s->state = r.state;
    s->doubt = r.doubt;
    s->rank = (uint8_t)rank;
    t->sink->sample(t->sink->ctx, s);
}

/* The metric without suffix is the current value's, where there is one. */
static bool speaks_for_both(const struct gm_field *f, bool other_absent, bool absent) {
    if (f->form == GM_PLAIN || f->other == 0)
        return true;
    return f->form == GM_AVERAGE ? other_absent : !absent;
}

static void tell_element(struct gm_teller *t, const struct gm_field *f, const struct gm_unit *u,
                         const char *table, unsigned i) {
    uint64_t raw = gm_load(table + f->offset + (size_t)i * f->width, f->width);
    unsigned index = f->first == INDEX_NONE ? INDEX_NONE : f->first + i;
    struct gm_reading r = gm_read(u, raw, f->width, f->is_signed);
    uint64_t other = f->other ? gm_load(table + f->other, f->width) : 0;
    bool other_absent = gm_is_absent(other, f->width);
    if (u->zero_average_absent && f->form == GM_AVERAGE && raw == 0 && other != 0 && !other_absent)
        r = (struct gm_reading){.state = STATE_UNSUPPORTED};
    if (f->own != METRIC_COUNT)
        gm_tell(t, f->own, index, raw, r, u->rank);
    if (speaks_for_both(f, other_absent, gm_is_absent(raw, f->width)))
        gm_tell(t, f->metric, index, raw, r, u->rank);
    if (u->also != METRIC_COUNT)
        gm_tell(t, u->also, index, raw, r, u->rank);
}

void gm_tell_field(struct gm_teller *t, const struct gm_field *f, const char *table) {
    struct gm_unit u = unit_of(t, f);
    if (f->quantity == QUANTITY_PADDING)
        return;
    t->sample.name = f->name;
    t->sample.name_len = f->name_len;
    for (unsigned i = 0; i < f->count; i++)
        tell_element(t, f, &u, table, i);
}

/* ---- a fixed table --------------------------------------------------------------------------- */

/* All activity fields count in one unit: one value that can only be in 0.01 % decides for all. */
static bool shows_centi_activity(const struct gm_table *table, const char *bytes) {
    for (size_t i = 0; i < table->field_count; i++) {
        const struct gm_field *f = &table->fields[i];
        uint64_t raw = f->quantity == QUANTITY_ACTIVITY ? gm_load(bytes + f->offset, f->width) : 0;
        if (raw > 100 && !gm_is_absent(raw, f->width))
            return true;
    }
    return false;
}

static void tell_table(struct gm_teller *t, const struct gm_table *table, const char *bytes) {
    struct throttle_words words = {0};
    t->centi_activity = shows_centi_activity(table, bytes);
    for (size_t i = 0; i < table->field_count; i++) {
        const struct gm_field *f = &table->fields[i];
        gm_tell_field(t, f, bytes);
        if (f->quantity == QUANTITY_ASIC_BITS)
            words.asic = (struct throttle_word){f, gm_load(bytes + f->offset, f->width)};
        else if (f->quantity == QUANTITY_COMMON_BITS)
            words.common = (struct throttle_word){f, gm_load(bytes + f->offset, f->width)};
    }
    throttle_tell(t, &words);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

struct header {
    uint16_t size;
    uint8_t format;
    uint8_t content;
};

static struct header header_of(const char *bytes) {
    return (struct header){
        .size = (uint16_t)gm_load(bytes, 2),
        .format = (uint8_t)gm_load(bytes + 2, 1),
        .content = (uint8_t)gm_load(bytes + 3, 1),
    };
}

static bool is_stream(const struct header *h) {
    return h->format == GM_STREAM_FORMAT && h->content == GM_STREAM_CONTENT;
}

/* REASON_COUNT where the table is known: `*out` is NULL for the one that describes itself. */
static enum reason find_table(const struct header *h, const struct gm_table **out) {
    enum reason why = REASON_TABLE_VERSION;
    *out = NULL;
    if (is_stream(h))
        return h->size > GM_HEADER ? REASON_COUNT : REASON_TABLE_SIZE;
    for (size_t i = 0; gm_table_at(i); i++) {
        const struct gm_table *table = gm_table_at(i);
        if (table->format != h->format || table->content != h->content)
            continue;
        *out = table;
        if (table->size == h->size)
            return REASON_COUNT;
        why = REASON_TABLE_SIZE;
    }
    return why;
}

static void refuse(struct counts *counts, size_t bytes, enum reason why) {
    if (why == REASON_TABLE_CUT)
        counts->truncated += bytes;
    else
        counts->malformed += bytes;
    counts->reasons[why] += bytes;
}

static struct gm_teller teller_of(const struct subject *s, const struct frame *f,
                                  const struct sink *sink, const struct header *h) {
    struct amd_device device = amd_device_of(s->facts);
    struct gm_teller t = {
        .sink = sink,
        .sample = {.t_ns = f->t_ns,
                   .subject = s->id,
                   .device = s->type == SUBJECT_DEVICE ? s->id : s->device},
        .asic = device.asic,
    };
    quirk_set_init(&t.quirks, &device, h->format, h->content);
    return t;
}

static void ignore_sample(void *ctx, const struct sample *s) {
    (void)ctx;
    (void)s;
}

void amdgpu_gpu_metrics_decode(const struct subject *s, const struct frame *f,
                               const struct sink *sink, struct counts *counts) {
    const struct sink silent = {.sample = ignore_sample};
    const struct gm_table *table;
    struct span bytes = frame_span(f);
    if (bytes.n < GM_HEADER) {
        refuse(counts, bytes.n, REASON_TABLE_CUT);
        return;
    }
    struct header h = header_of(bytes.p);
    enum reason why = find_table(&h, &table);
    if (why == REASON_COUNT && h.size > bytes.n)
        why = REASON_TABLE_CUT;
    if (why != REASON_COUNT) {
        refuse(counts, bytes.n, why);
        return;
    }
    struct gm_teller t = teller_of(s, f, sink->sample ? sink : &silent, &h);
    counts->ignored += bytes.n - h.size;
    counts->reasons[REASON_TABLE_TAIL] += bytes.n - h.size;
    bytes.n = h.size;
    if (is_stream(&h)) {
        gm_tell_stream(&t, bytes, counts);
        return;
    }
    counts->accepted += h.size;
    tell_table(&t, table, bytes.p);
}

/* ---- as a file ------------------------------------------------------------------------------- */

/* A file is one reading; decoding says whether it is a table. */
const struct vendor_file amdgpu_gpu_metrics_file = {.scan = NULL, .cut = NULL};
