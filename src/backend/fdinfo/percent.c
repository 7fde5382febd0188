/*
 * amdgpu as of Linux 5.14 to 5.18: keys of its own ("pdev", "vram mem", "gfx0"), no client id, and
 * a share of busy time over a window that the driver chose. What is in neither form is not a DRM
 * client.
 */
#include <string.h>

#include "../keyvalue.h"
#include "forms.h"
#include "usage.h"

static const struct {
    const char *key;
    const char *region;
} memory_keys[] = {{"vram mem", "vram"}, {"gtt mem", "gtt"}, {"cpu mem", "cpu"}};

/* A key "enc_10" is ring 0 of enc_1: longer names stand first. */
static const char *const engines[] = {"compute", "enc_1", "jpeg", "gfx", "dma", "dec", "enc"};

/* NULL for a key that is not of memory. */
static const char *region_of(struct span key) {
    for (size_t i = 0; i < sizeof(memory_keys) / sizeof(memory_keys[0]); i++)
        if (span_equals(key, memory_keys[i].key))
            return memory_keys[i].region;
    return NULL;
}

/* The engine and ring that a key names; NULL if it names none. */
static const char *engine_of(struct span key, uint16_t *ring) {
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        uint64_t number;
        if (span_starts(key, engines[i]) &&
            span_to_u64(span_skip(key, strlen(engines[i])), &number) == ERR_OK &&
            number < INDEX_NONE) {
            *ring = (uint16_t)number;
            return engines[i];
        }
    }
    return NULL;
}

/*
 * "5.37%". The driver prints the fraction as a plain integer of hundredths, without zero padding:
 * "5.3%" is 5.03 %. Whole percents above ten digits are no share of anything.
 */
static void percent(struct span value, struct usage_line *out) {
    struct cursor c = cursor_over(value);
    struct span whole;
    struct span hundredths;
    uint64_t w = 0;
    uint64_t h = 0;
    bool formed = cursor_field(&c, '.', &whole) && cursor_field(&c, '%', &hundredths) &&
                  cursor_at_end(&c) && value.p[value.n - 1] == '%' && hundredths.n <= 2 &&
                  span_to_u64(hundredths, &h) == ERR_OK;
    enum err e = formed ? span_to_u64(whole, &w) : ERR_FORMAT;
    if (e == ERR_OK && whole.n > 10)
        e = ERR_RANGE;
    out->err = e;
    if (e == ERR_OK) {
        out->value = (int64_t)(w * 10000 + h * 100);
        out->raw = w * 100 + h;
    }
}

static void count(struct counts *counts, enum reason why) {
    if (why == REASON_COUNT)
        counts->accepted++;
    else
        counts_malformed(counts, why);
}

static void read_pair(struct usage *u, const struct keyvalue *kv, struct counts *counts) {
    uint16_t ring = 0;
    const char *name = region_of(kv->key);
    if (name) {
        struct usage_line l = {
            .name = span_of(name), .metric = METRIC_MEMORY_LEGACY, .index = INDEX_NONE};
        l.err = keyvalue_number(kv->value, KEYVALUE_BYTES, &l.value, &l.raw);
        count(counts, usage_put(u, &l));
    } else if ((name = engine_of(kv->key, &ring)) != NULL) {
        struct usage_line l = {.name = span_of(name), .metric = METRIC_ENGINE_BUSY, .index = ring};
        percent(kv->value, &l);
        count(counts, usage_put(u, &l));
    } else if (span_equals(kv->key, "pdev") && !u->has_pdev) {
        u->pdev = kv->value;
        u->has_pdev = true;
        counts->accepted++;
    } else {
        counts_ignored(counts,
                       span_equals(kv->key, "pasid") ? REASON_VENDOR_KEY : REASON_OTHER_KEY);
    }
}

bool fdinfo_is_percent_form(struct span text, struct span *pdev) {
    struct cursor c = cursor_over(text);
    struct keyvalue kv;
    enum keyvalue_line line;
    bool has_pdev = false;
    bool has_memory = false;
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END) {
        if (line != KEYVALUE_PAIR)
            continue;
        if (!has_pdev && span_equals(kv.key, "pdev")) {
            has_pdev = true;
            *pdev = kv.value;
        }
        has_memory = has_memory || region_of(kv.key);
    }
    return has_pdev && has_memory;
}

static void ignore_all(struct span text, struct counts *counts) {
    struct cursor c = cursor_over(text);
    struct span line;
    while (cursor_line(&c, &line))
        counts_ignored(counts, REASON_NOT_DRM);
}

static void decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                   struct counts *counts) {
    struct cursor c = cursor_over(frame_span(f));
    struct usage u;
    struct keyvalue kv;
    enum keyvalue_line line;
    usage_init(&u);
    u.driver = span_of("amdgpu");
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END) {
        if (line == KEYVALUE_PAIR)
            read_pair(&u, &kv, counts);
        else if (line == KEYVALUE_OTHER)
            counts_ignored(counts, REASON_NO_COLON);
        else
            usage_cut(&u, counts);
    }
    usage_emit(&u, s, f, sink);
}

void fdinfo_decode_without_driver(const struct subject *s, const struct frame *f,
                                  const struct sink *sink, struct counts *counts) {
    struct span pdev;
    if (fdinfo_is_percent_form(frame_span(f), &pdev))
        decode(s, f, sink, counts);
    else
        ignore_all(frame_span(f), counts);
}
