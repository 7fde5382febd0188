/* Small files to samples: one number, or none and why. */
#include "tell.h"

#define WHOLE_MAX    1000000000
#define FULL_PERCENT 1000000 /* 100 % in 10^-4 % */

struct teller teller_of(const struct subject *s, const struct frame *f, const struct sink *sink,
                        struct counts *counts) {
    return (struct teller){
        .sink = sink,
        .counts = counts,
        .sample = {.t_ns = f->t_ns,
                   .name = "",
                   .subject = s->id,
                   .device = s->device,
                   .pid = s->pid,
                   .index = INDEX_NONE},
    };
}

void tell_name(struct teller *t, struct span name) {
    t->sample.name = name.p;
    t->sample.name_len = (uint8_t)(name.n <= UINT8_MAX ? name.n : UINT8_MAX);
}

static void tell(struct teller *t, unsigned metric, unsigned rank) {
    t->sample.metric = (uint16_t)metric;
    t->sample.rank = (uint8_t)rank;
    if (t->sink->sample)
        t->sink->sample(t->sink->ctx, &t->sample);
}

void tell_value(struct teller *t, unsigned metric, int64_t value, uint64_t raw, unsigned doubt,
                unsigned rank) {
    t->sample.value = value;
    t->sample.raw = raw;
    t->sample.state = STATE_VALUE;
    t->sample.doubt = (uint8_t)doubt;
    tell(t, metric, rank);
}

void tell_state(struct teller *t, unsigned metric, enum state state, unsigned rank) {
    t->sample.value = 0;
    t->sample.raw = 0;
    t->sample.state = (uint8_t)state;
    t->sample.doubt = 0;
    tell(t, metric, rank);
}

struct span text_of_file(struct span bytes) {
    const char *p = bytes.p;
    size_t n = bytes.n;
    while (n > 0 && (p[n - 1] == '\n' || p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
        n--;
    return span_trim((struct span){p, n});
}

enum err number_of_text(struct span text, int64_t *out) {
    text = text_of_file(text);
    return text.n == 0 ? ERR_AGAIN : span_to_i64(text, out);
}

void tell_nothing(struct teller *t, const struct file_part *file, const uint16_t *metrics,
                  size_t count, unsigned rank) {
    enum state state = file->sys != 0 ? files_state(file->sys) : STATE_UNSUPPORTED;
    counts_ignored(t->counts, file->sys != 0 ? REASON_FAILED_READ : REASON_BAD_TEXT);
    for (size_t i = 0; i < count; i++)
        if (metrics[i] != METRIC_COUNT)
            tell_state(t, metrics[i], state, rank);
}

/* Whether the number is one that the file can hold. */
static enum err read_number(const struct number_file *n, struct span bytes, int64_t *raw) {
    enum err e = number_of_text(bytes, raw);
    bool fits = e == ERR_OK && n->least <= *raw && *raw <= n->most &&
                *raw <= INT64_MAX / n->times && *raw >= INT64_MIN / n->times;
    return e == ERR_OK && !fits ? ERR_RANGE : e;
}

static void tell_both(struct teller *t, const struct number_file *n, int64_t raw) {
    int64_t value = raw * n->times / n->by;
    unsigned doubt = 0;
    if (n->share && value > FULL_PERCENT) {
        value = FULL_PERCENT;
        doubt = DOUBT_CLAMPED;
    }
    tell_value(t, n->metric, value, (uint64_t)raw, doubt, n->rank);
    if (n->also != METRIC_COUNT)
        tell_value(t, n->also, value, (uint64_t)raw, doubt, n->rank);
}

void tell_number(struct teller *t, const struct number_file *n, const struct file_part *file) {
    const uint16_t metrics[] = {n->metric, n->also};
    size_t said = n->promised ? 2 : 0;
    int64_t raw = 0;
    enum err e = file->sys != 0 ? ERR_AGAIN : read_number(n, file->bytes, &raw);
    tell_name(t, file->name);
    if (e == ERR_AGAIN) {
        tell_nothing(t, file, metrics, said, n->rank);
        return;
    }
    if (e != ERR_OK) {
        counts_malformed(t->counts, e == ERR_RANGE ? REASON_OUT_OF_RANGE : REASON_BAD_NUMBER);
        for (size_t i = 0; i < 2; i++)
            if (metrics[i] != METRIC_COUNT)
                tell_state(t, metrics[i], STATE_MALFORMED, n->rank);
        return;
    }
    t->counts->accepted++;
    if (raw != 0 || !n->zero_absent) {
        tell_both(t, n, raw);
        return;
    }
    for (size_t i = 0; i < said; i++)
        if (metrics[i] != METRIC_COUNT)
            tell_state(t, metrics[i], STATE_UNSUPPORTED, n->rank);
}

/* ---- other texts ------------------------------------------------------------------------------- */

bool text_take_word(struct cursor *c, const char *word) {
    const char *p = c->p;
    for (; *word; word++, p++)
        if (p == c->end || char_lower(*p) != *word)
            return false;
    c->p = p;
    return true;
}

bool text_take_decimal(struct cursor *c, uint64_t *billionths, uint64_t *whole) {
    uint64_t scale = 1000000000;
    if (cursor_u64(c, whole) != ERR_OK || *whole > WHOLE_MAX)
        return false;
    *billionths = *whole * scale;
    if (c->p == c->end || *c->p != '.')
        return true;
    for (c->p++; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
        scale /= 10;
        *billionths += (uint64_t)(*c->p - '0') * scale;
    }
    return true;
}

bool text_take_speed(struct cursor *c, int64_t *tps, uint64_t *raw) {
    uint64_t billionths;
    if (!text_take_decimal(c, &billionths, raw))
        return false;
    cursor_skip_blanks(c);
    *tps = (int64_t)billionths;
    return text_take_word(c, "gt/s");
}

void tell_speed(struct teller *t, const struct number_file *n, const struct file_part *file) {
    struct span text = text_of_file(file->bytes);
    struct cursor c = cursor_over(text);
    int64_t tps = 0;
    uint64_t raw;
    if (file->sys != 0 || text.n == 0 || span_starts(text, "Unknown")) {
        tell_nothing(t, file, &n->metric, n->promised ? 1 : 0, n->rank);
    } else if (!text_take_speed(&c, &tps, &raw)) {
        counts_malformed(t->counts, REASON_BAD_NUMBER);
        tell_state(t, n->metric, STATE_MALFORMED, n->rank);
    } else {
        t->counts->accepted++;
        tell_value(t, n->metric, tps, raw, 0, n->rank);
    }
}

/* ---- hwmon ------------------------------------------------------------------------------------- */

bool sensor_name_of(struct span text, struct sensor_name *out) {
    struct cursor c = cursor_over(text);
    uint64_t number;
    while (c.p < c.end && *c.p >= 'a' && *c.p <= 'z')
        c.p++;
    out->sort = (struct span){text.p, (size_t)(c.p - text.p)};
    if (out->sort.n == 0 || cursor_u64(&c, &number) != ERR_OK || number > 99)
        return false;
    out->number = (uint8_t)number;
    out->part = (struct span){c.p, cursor_left(&c)};
    if (out->part.n == 0)
        return true;
    if (*c.p != '_')
        return false;
    out->part = span_skip(out->part, 1);
    return out->part.n > 0;
}
