/* Small files to samples: one number, or none and why. */
#include "tell.h"

#define FULL_PERCENT 1000000 /* 100 % in 10^-4 % */

struct amd_teller amd_teller_of(const struct subject *s, const struct frame *f,
                                const struct sink *sink, struct counts *counts) {
    return (struct amd_teller){
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

void amd_tell_name(struct amd_teller *t, struct span name) {
    t->sample.name = name.p;
    t->sample.name_len = (uint8_t)(name.n <= UINT8_MAX ? name.n : UINT8_MAX);
}

static void tell(struct amd_teller *t, unsigned metric, unsigned rank) {
    t->sample.metric = (uint16_t)metric;
    t->sample.rank = (uint8_t)rank;
    if (t->sink->sample)
        t->sink->sample(t->sink->ctx, &t->sample);
}

void amd_tell_value(struct amd_teller *t, unsigned metric, int64_t value, uint64_t raw,
                    unsigned doubt, unsigned rank) {
    t->sample.value = value;
    t->sample.raw = raw;
    t->sample.state = STATE_VALUE;
    t->sample.doubt = (uint8_t)doubt;
    tell(t, metric, rank);
}

void amd_tell_state(struct amd_teller *t, unsigned metric, enum state state, unsigned rank) {
    t->sample.value = 0;
    t->sample.raw = 0;
    t->sample.state = (uint8_t)state;
    t->sample.doubt = 0;
    tell(t, metric, rank);
}

struct span amd_text_of(struct span bytes) {
    const char *p = bytes.p;
    size_t n = bytes.n;
    while (n > 0 && (p[n - 1] == '\n' || p[n - 1] == ' ' || p[n - 1] == '\t' || p[n - 1] == '\r'))
        n--;
    return span_trim((struct span){p, n});
}

enum err amd_number_of(struct span text, int64_t *out) {
    text = amd_text_of(text);
    return text.n == 0 ? ERR_AGAIN : span_to_i64(text, out);
}

void amd_tell_nothing(struct amd_teller *t, const struct file_part *file, const uint16_t *metrics,
                      size_t count, unsigned rank) {
    enum state state = file->sys != 0 ? files_state(file->sys) : STATE_UNSUPPORTED;
    counts_ignored(t->counts, file->sys != 0 ? REASON_FAILED_READ : REASON_BAD_TEXT);
    for (size_t i = 0; i < count; i++)
        if (metrics[i] != METRIC_COUNT)
            amd_tell_state(t, metrics[i], state, rank);
}

/* Whether the number is one that the file can hold. */
static enum err read_number(const struct amd_number *n, struct span bytes, int64_t *raw) {
    enum err e = amd_number_of(bytes, raw);
    bool fits = e == ERR_OK && n->least <= *raw && *raw <= n->most &&
                *raw <= INT64_MAX / n->times && *raw >= INT64_MIN / n->times;
    return e == ERR_OK && !fits ? ERR_RANGE : e;
}

static void tell_both(struct amd_teller *t, const struct amd_number *n, int64_t raw) {
    int64_t value = raw * n->times / n->by;
    unsigned doubt = 0;
    if (n->share && value > FULL_PERCENT) {
        value = FULL_PERCENT;
        doubt = DOUBT_CLAMPED;
    }
    amd_tell_value(t, n->metric, value, (uint64_t)raw, doubt, n->rank);
    if (n->also != METRIC_COUNT)
        amd_tell_value(t, n->also, value, (uint64_t)raw, doubt, n->rank);
}

void amd_tell_number(struct amd_teller *t, const struct amd_number *n,
                     const struct file_part *file) {
    const uint16_t metrics[] = {n->metric, n->also};
    size_t said = n->promised ? 2 : 0;
    int64_t raw = 0;
    enum err e = file->sys != 0 ? ERR_AGAIN : read_number(n, file->bytes, &raw);
    amd_tell_name(t, file->name);
    if (e == ERR_AGAIN) {
        amd_tell_nothing(t, file, metrics, said, n->rank);
        return;
    }
    if (e != ERR_OK) {
        counts_malformed(t->counts, e == ERR_RANGE ? REASON_OUT_OF_RANGE : REASON_BAD_NUMBER);
        for (size_t i = 0; i < 2; i++)
            if (metrics[i] != METRIC_COUNT)
                amd_tell_state(t, metrics[i], STATE_MALFORMED, n->rank);
        return;
    }
    t->counts->accepted++;
    if (raw != 0 || !n->zero_absent) {
        tell_both(t, n, raw);
        return;
    }
    for (size_t i = 0; i < said; i++)
        if (metrics[i] != METRIC_COUNT)
            amd_tell_state(t, metrics[i], STATE_UNSUPPORTED, n->rank);
}
