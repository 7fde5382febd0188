/*
 * Files of the device's folder in sysfs: busy sensors, memory, the levels of clocks, the link. One unit is one file.
 */
#include "../tell.h"
#include "levels.h"

#include <string.h>

/* ---- which files there are ------------------------------------------------------------------------- */

enum form { FORM_NUMBER, FORM_LEVELS, FORM_LINK_LEVELS, FORM_SPEED, FORM_WORD };

/* The three metrics of a clock's levels. */
struct clock {
    uint16_t now;
    uint16_t current;
    uint16_t least;
    uint16_t most;
    uint16_t instance; /* of a card; an APU has one video engine, which bears no number */
};

struct entry {
    const char *name;
    uint8_t form;
    struct number_file number; /* FORM_SPEED: metric, rank and promise alone */
    struct clock clock;
};

#define NUMBER(file, of, is_promised, ...)                                                         \
    {                                                                                              \
        .name = file, .form = FORM_NUMBER, .number = {                                             \
            .metric = METRIC_##of,                                                                 \
            .also = METRIC_COUNT,                                                                  \
            .by = 1,                                                                               \
            .rank = AMD_RANK_SYSFS,                                                                \
            .promised = is_promised,                                                               \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define SHARE(file, of, is_promised)                                                               \
    NUMBER(file, of, is_promised, .times = 10000, .most = UINT16_MAX, .share = true)
#define BYTES(file, of, is_promised) NUMBER(file, of, is_promised, .times = 1, .most = INT64_MAX)
#define LANES(file, of, is_promised)                                                               \
    NUMBER(file, of, is_promised, .times = 1, .most = 255, .zero_absent = true)
#define SPEED(file, of, is_promised)                                                               \
    {                                                                                              \
        .name = file, .form = FORM_SPEED, .number = {                                              \
            .metric = METRIC_##of,                                                                 \
            .rank = AMD_RANK_SYSFS,                                                                \
            .promised = is_promised                                                                \
        }                                                                                          \
    }
#define LEVELS(file, of, on_card)                                                                  \
    {                                                                                              \
        .name = file, .form = FORM_LEVELS, .clock = {                                              \
            .now = METRIC_##of,                                                                    \
            .current = METRIC_##of##_CURRENT,                                                      \
            .least = METRIC_##of##_MIN,                                                            \
            .most = METRIC_##of##_MAX,                                                             \
            .instance = on_card                                                                    \
        }                                                                                          \
    }

static const struct entry entries[] = {
    SHARE("gpu_busy_percent", ACTIVITY_GFX, true),
    SHARE("mem_busy_percent", ACTIVITY_MEM, false),
    SHARE("vcn_busy_percent", ACTIVITY_MEDIA, false),
    BYTES("mem_info_vram_used", MEMORY_VRAM_USED, true),
    BYTES("mem_info_vram_total", MEMORY_VRAM_TOTAL, true),
    BYTES("mem_info_vis_vram_used", MEMORY_VRAM_VISIBLE_USED, false),
    BYTES("mem_info_vis_vram_total", MEMORY_VRAM_VISIBLE_TOTAL, false),
    BYTES("mem_info_gtt_used", MEMORY_GTT_USED, true),
    BYTES("mem_info_gtt_total", MEMORY_GTT_TOTAL, true),
    LEVELS("pp_dpm_sclk", CLOCK_GFX, INDEX_NONE),
    LEVELS("pp_dpm_mclk", CLOCK_MEM, INDEX_NONE),
    LEVELS("pp_dpm_socclk", CLOCK_SOC, INDEX_NONE),
    LEVELS("pp_dpm_fclk", CLOCK_FABRIC, INDEX_NONE),
    LEVELS("pp_dpm_vclk", CLOCK_VCN, 0),
    LEVELS("pp_dpm_vclk1", CLOCK_VCN, 1),
    LEVELS("pp_dpm_dclk", CLOCK_DCLK, 0),
    LEVELS("pp_dpm_dclk1", CLOCK_DCLK, 1),
    {.name = "pp_dpm_pcie", .form = FORM_LINK_LEVELS},
    SPEED("current_link_speed", LINK_SPEED, true),
    LANES("current_link_width", LINK_WIDTH, true),
    SPEED("max_link_speed", LINK_SPEED_MAX, false),
    LANES("max_link_width", LINK_WIDTH_MAX, false),
    {.name = "power_dpm_force_performance_level", .form = FORM_WORD},
};
#undef NUMBER
#undef SHARE
#undef BYTES
#undef LANES
#undef SPEED
#undef LEVELS

static const struct entry *find(struct span name) {
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (span_equals(name, entries[i].name))
            return &entries[i];
    return NULL;
}

enum metric amdgpu_sysfs_metric(struct span name) {
    const struct entry *e = find(name);
    if (e && e->form == FORM_LEVELS)
        return (enum metric)e->clock.now;
    if (e && e->form == FORM_NUMBER && e->number.share)
        return (enum metric)e->number.metric;
    return METRIC_COUNT;
}

/* ---- forms ------------------------------------------------------------------------------------------- */

static void count_levels(struct teller *t, const struct amd_levels *l) {
    if (l->bad > 0)
        counts_malformed(t->counts, REASON_BAD_TEXT);
    else
        t->counts->accepted++;
}

/* A file without any level is what a driver writes that has no such table: it says nothing. */
static bool parse_levels(struct teller *t, const struct file_part *file, bool is_link,
                         const uint16_t *metrics, size_t count, struct amd_levels *l) {
    amd_levels_parse(file->bytes, is_link, l);
    if (file->sys != 0 || (l->count == 0 && l->bad == 0)) {
        tell_nothing(t, file, metrics, count, AMD_RANK_LEVELS);
        return false;
    }
    count_levels(t, l);
    return true;
}

static void tell_clock(struct teller *t, const struct clock *clock, const struct amd_levels *l) {
    const uint16_t metrics[] = {clock->now, clock->current};
    for (size_t i = 0; i < 2; i++) {
        if (l->has_now)
            tell_value(t, metrics[i], l->now.value, l->now.raw, 0, AMD_RANK_LEVELS);
        else
            tell_state(t, metrics[i], l->count > 0 ? STATE_UNSUPPORTED : STATE_MALFORMED,
                       AMD_RANK_LEVELS);
    }
    if (!l->has_limits)
        return;
    tell_value(t, clock->least, l->least.value, l->least.raw, 0, AMD_RANK_LEVELS);
    tell_value(t, clock->most, l->most.value, l->most.raw, 0, AMD_RANK_LEVELS);
}

static void tell_levels(struct teller *t, const struct entry *e, const struct file_part *file,
                        bool is_apu) {
    const uint16_t metrics[] = {e->clock.now, e->clock.current};
    struct amd_levels l;
    t->sample.index = is_apu && e->clock.instance == 0 ? INDEX_NONE : e->clock.instance;
    if (parse_levels(t, file, false, metrics, 2, &l))
        tell_clock(t, &e->clock, &l);
    t->sample.index = INDEX_NONE;
}

static void tell_link_levels(struct teller *t, const struct file_part *file) {
    struct amd_levels l;
    if (!parse_levels(t, file, true, NULL, 0, &l) || !l.has_now)
        return;
    tell_value(t, METRIC_LINK_SPEED, l.now.value, l.now.raw, 0, AMD_RANK_LEVELS_LINK);
    tell_value(t, METRIC_LINK_WIDTH, l.now.lanes, l.now.lanes, 0, AMD_RANK_LEVELS_LINK);
}

static void tell_file(struct teller *t, const struct file_part *file, bool is_apu) {
    const struct entry *e = find(file->name);
    if (!e) {
        counts_ignored(t->counts, REASON_OTHER_KEY);
        return;
    }
    tell_name(t, span_of(e->name));
    switch ((enum form)e->form) {
    case FORM_NUMBER:
        tell_number(t, &e->number, file);
        break;
    case FORM_LEVELS:
        tell_levels(t, e, file, is_apu);
        break;
    case FORM_LINK_LEVELS:
        tell_link_levels(t, file);
        break;
    case FORM_SPEED:
        tell_speed(t, &e->number, file);
        break;
    case FORM_WORD: /* for who reads the recording */
        counts_ignored(t->counts, REASON_VENDOR_KEY);
        break;
    }
}

void amdgpu_sysfs_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                         struct counts *counts) {
    struct teller t = teller_of(s, f, sink, counts);
    bool is_apu = facts_u64(s->facts, "apu", 0) == 1;
    struct cursor c = cursor_over(frame_span(f));
    struct file_part file;
    enum files_step step;
    while ((step = files_next(&c, &file)) == FILES_PART)
        tell_file(&t, &file, is_apu);
    if (step == FILES_CUT)
        counts_truncated(counts, REASON_CUT);
    else if (step == FILES_BAD)
        counts_malformed(counts, REASON_BAD_TEXT);
}
