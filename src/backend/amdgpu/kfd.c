/*
 * Files of one ROCm process about one GPU: vram_ID (bytes), sdma_ID (us of copy engines, running),
 * stats_ID/cu_occupancy (waves at work), queues (how many, counted where it was read). What the compute
 * engines did is said nowhere. One unit is one file.
 */
#include "../tell.h"
#include "device.h"

static const char vram[] = "vram";
static const char sdma[] = "sdma";

struct entry {
    const char *prefix;
    const char *suffix;
    const char *name; /* of region or engine */
    uint8_t class;    /* of a region; engines by their name */
    struct number_file value;
};

static const struct entry entries[] = {
    {"vram_",
     "",
     vram,
     REGION_VRAM,
     {.metric = METRIC_MEMORY_RESIDENT,
      .also = METRIC_COUNT,
      .times = 1,
      .by = 1,
      .least = 0,
      .most = INT64_MAX,
      .rank = AMD_RANK_SYSFS,
      .promised = true}},
    {"sdma_",
     "",
     sdma,
     CLASS_COPY,
     {.metric = METRIC_ENGINE_TIME,
      .also = METRIC_COUNT,
      .times = 1000,
      .by = 1,
      .least = 0,
      .most = INT64_MAX,
      .rank = AMD_RANK_SYSFS,
      .promised = true}},
    {"stats_",
     "/cu_occupancy",
     "cu_occupancy",
     0,
     {.metric = METRIC_VENDOR_VALUE,
      .also = METRIC_COUNT,
      .times = 1,
      .by = 1,
      .least = 0,
      .most = INT64_MAX,
      .rank = AMD_RANK_SYSFS}},
    {"queues",
     "",
     "queues",
     0,
     {.metric = METRIC_VENDOR_VALUE,
      .also = METRIC_COUNT,
      .times = 1,
      .by = 1,
      .least = 0,
      .most = INT64_MAX,
      .rank = AMD_RANK_SYSFS}},
};

static bool ends(struct span s, struct span tail) {
    return s.n >= tail.n && span_equals(span_skip(s, s.n - tail.n), tail.p);
}

/* Which GPU it is about stands in the subject. */
static const struct entry *find(struct span name) {
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (span_starts(name, entries[i].prefix) && ends(name, span_of(entries[i].suffix)))
            return &entries[i];
    return NULL;
}

static void tell_file(struct teller *t, const struct file_part *file) {
    const struct entry *e = find(file->name);
    struct file_part known = *file;
    if (!e) {
        counts_ignored(t->counts, REASON_OTHER_KEY);
        return;
    }
    known.name = span_of(e->name);
    t->sample.class = e->class;
    tell_number(t, &e->value, &known);
}

void amdgpu_kfd_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                       struct counts *counts) {
    struct teller t = teller_of(s, f, sink, counts);
    struct cursor c = cursor_over(frame_span(f));
    struct file_part file;
    enum files_step step;
    t.sample.space = SPACE_KFD;
    t.sample.client = (uint64_t)(uint32_t)s->pid | facts_u64(s->facts, "part", 0) << 32;
    while ((step = files_next(&c, &file)) == FILES_PART)
        tell_file(&t, &file);
    if (step == FILES_CUT)
        counts_truncated(counts, REASON_CUT);
    else if (step == FILES_BAD)
        counts_malformed(counts, REASON_BAD_TEXT);
}
