/*
 * Reports of Intel's observation unit from any bytes, on any device: the first ten bytes choose platform, set, format and
 * the like, the rest are reports back to back; all of it is also taken for facts, for a topology and for names. What comes
 * out keeps its bounds: a counter grows by no more than its width, a share is no more than all.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/intel/oa.h"

#define HEAD 10

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds) {
    if (!holds)
        abort();
}

static void check_report(const struct oa_device *d, const struct oa_report *r) {
    const struct oa_layout *l = oa_layout_of(d->format);
    char words[96];
    size_t n = oa_reason_words(r->reasons, words, sizeof(words));
    must(n > 0 && words[n] == '\0' && strlen(words) == n);
    must(!l->haswell || (r->reasons == 0 && r->context == OA_NO_CONTEXT && !r->context_valid));
    for (unsigned c = 0; c < OA_COUNTERS; c++)
        must(oa_layout_has(l, c) || r->v[c] == 0);
}

static void check_derived(const struct oa_device *d, const struct oa_delta *delta) {
    struct oa_value v[OA_DERIVED];
    size_t n = oa_derive(d, delta, v);
    must(n >= 3 && n <= OA_DERIVED);
    for (size_t i = 0; i < n; i++) {
        must(v[i].metric < METRIC_COUNT && v[i].state < STATE_COUNT);
        must((v[i].doubt & ~DOUBT_CLAMPED) == 0);
        if (v[i].state != STATE_VALUE)
            continue;
        must(v[i].value >= 0);
        if (metric_info(v[i].metric)->unit == UNIT_PERCENT)
            must(v[i].value <= 1000000);
        for (size_t k = 0; k < i; k++)
            must(v[k].metric != v[i].metric);
    }
    must(oa_ticks_ns(d, delta->ticks) >= 0 || d->timestamp_hz == 0);
}

static void check_delta(const struct oa_device *d, const struct oa_report *from,
                        const struct oa_report *to, const struct oa_delta *delta) {
    const struct oa_layout *l = oa_layout_of(d->format);
    must(delta->ticks > 0 && (l->wide || delta->ticks <= UINT32_MAX));
    for (const struct oa_run_of *r = l->runs; r < l->runs + OA_RUNS && r->count > 0; r++) {
        uint64_t most = r->bits == 64 ? UINT64_MAX : (UINT64_C(1) << r->bits) - 1;
        for (unsigned c = r->first; c < r->first + r->count; c++) {
            must(delta->v[c] <= most);
            must(((from->v[c] + delta->v[c]) & most) == to->v[c]);
        }
    }
}

static void read_all(const struct oa_device *d, const uint8_t *data, size_t size) {
    size_t step = oa_layout_of(d->format)->size;
    struct oa_report r[2];
    struct oa_delta delta, sum = {0};
    struct span bytes = {(const char *)data, size};
    bool have = false;
    unsigned at = 0;
    for (; oa_report_read(d, bytes, &r[at]); bytes = span_skip(bytes, step)) {
        must(step > 0 && bytes.n >= step);
        check_report(d, &r[at]);
        if (have && oa_delta_between(d, &r[1 - at], &r[at], &delta)) {
            check_delta(d, &r[1 - at], &r[at], &delta);
            check_derived(d, &delta);
            oa_delta_add(d, &sum, &delta);
        }
        have = true;
        at = 1 - at;
    }
    must(step == 0 || bytes.n < step);
    check_derived(d, &sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct span all = {(const char *)data, size};
    struct oa_device d = {0};
    char *facts = malloc(size + 1);
    if (!facts)
        return 0;
    if (size > 0)
        memcpy(facts, data, size);
    facts[size] = '\0';
    oa_device_from_facts(&d, facts);
    must(d.platform < OA_PLATFORMS && d.set <= OA_SET_SMALL && d.format < OA_FORMAT_COUNT);
    read_all(&d, data, size);
    (void)oa_format_find(all);
    (void)oa_guid_find(all);
    if (oa_device_topology(&d, all))
        must(d.eu > 0 && d.slices > 0);
    free(facts);
    if (size < HEAD)
        return 0;
    static const uint64_t rates[] = {0, 1, 12000000, 19200000, 38400000, UINT64_MAX};
    d = (struct oa_device){.format = data[0],
                           .platform = data[1],
                           .set = data[2],
                           .gt = data[3],
                           .eu = data[4],
                           .subslices = data[5],
                           .timestamp_hz = rates[data[6] % 6],
                           .most_hz = rates[data[7] % 6] << (data[8] % 8)};
    if (data[9] & 1)
        oa_device_settle(&d);
    read_all(&d, data + HEAD, size - HEAD);
    return 0;
}
