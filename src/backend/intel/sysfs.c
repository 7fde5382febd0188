/*
 * Files of the device's folder and of its GTs (a GT is a part of the GPU with a clock of its own: GT 0 renders, others
 * do media or are the GPU of a further tile):
 *
 *   gt/gt0/rps_act_freq_mhz, rc6_residency_ms, throttle_reason_...   i915, below the folder of its card
 *   gt_act_freq_mhz, power/rc6_residency_ms                          i915 before 5.19: the whole device
 *   tile0/gt0/freq0/act_freq, freq0/throttle/status, gtidle/...  xe, below the device's own
 *   current_link_speed, ...; port/current_link_speed, ...            of the device; of the port above its parent
 *
 * Clocks stand in MHz, times in ms. One unit is one file.
 */
#include "sensors.h"

enum { GTS = 16 };

/* ---- where a file stands ----------------------------------------------------------------------------- */

enum part { PART_NONE, PART_CLOCK, PART_IDLE, PART_THROTTLE, PART_LINK, PART_PORT };

struct place {
    enum part part;
    unsigned gt;
    struct span leaf; /* "act", "pl1", "speed": what the tables below name */
};

/* The text between `head` and `tail`. */
static bool between(struct span text, const char *head, const char *tail, struct span *out) {
    size_t end = strlen(tail);
    if (!span_starts(text, head))
        return false;
    text = span_skip(text, strlen(head));
    if (text.n < end || memcmp(text.p + text.n - end, tail, end) != 0)
        return false;
    *out = (struct span){text.p, text.n - end};
    return true;
}

struct form {
    const char *head;
    const char *tail;
    enum part part;
};

static bool fits(struct span text, const struct form *forms, size_t count, struct place *out) {
    for (size_t i = 0; i < count; i++)
        if (between(text, forms[i].head, forms[i].tail, &out->leaf)) {
            out->part = forms[i].part;
            return true;
        }
    return false;
}

static bool take_tile(struct span *text) {
    unsigned tile;
    if (!number_after(text, "tile", GTS - 1, &tile) || !span_starts(*text, "/"))
        return false;
    *text = span_skip(*text, 1);
    return true;
}

#define FITS(text, forms, out) fits(text, forms, sizeof(forms) / sizeof(forms[0]), out)

static struct place place_of(struct span name) {
    static const struct form of_device[] = {
        {"gt_", "_freq_mhz", PART_CLOCK}, {"power/rc6_residency_ms", "", PART_IDLE},
        {"current_link_", "", PART_LINK}, {"max_link_", "", PART_LINK},
        {"port/", "", PART_PORT},
    };
    static const struct form of_i915[] = {
        {"/rps_", "_freq_mhz", PART_CLOCK},
        {"/rc6_residency_ms", "", PART_IDLE},
        {"/throttle_reason_", "", PART_THROTTLE},
    };
    static const struct form of_xe[] = {
        {"/freq0/throttle/reason_", "", PART_THROTTLE},
        {"/freq0/throttle/", "", PART_THROTTLE},
        {"/freq0/", "_freq", PART_CLOCK},
        {"/gtidle/idle_residency_ms", "", PART_IDLE},
    };
    struct place p = {.part = PART_NONE};
    struct span rest = name;
    if (FITS(name, of_device, &p))
        return p;
    if (number_after(&rest, "gt/gt", GTS - 1, &p.gt))
        return FITS(rest, of_i915, &p) ? p : (struct place){.part = PART_NONE};
    if (take_tile(&rest) && number_after(&rest, "gt", GTS - 1, &p.gt) && FITS(rest, of_xe, &p))
        return p;
    return (struct place){.part = PART_NONE};
}
#undef FITS

/* ---- clocks ------------------------------------------------------------------------------------------------ */

#define MHZ_MOST 100000

struct clock {
    const char *name;
    uint16_t of_gt;
    uint16_t of_gfx; /* the same of GT 0, which renders; METRIC_COUNT: none */
    bool promised;
};
static const struct clock clocks[] = {
    {"act", METRIC_CLOCK_GT, METRIC_CLOCK_GFX, true},
    {"cur", METRIC_CLOCK_GT_REQUESTED, METRIC_COUNT, false},
    {"min", METRIC_CLOCK_GT_MIN, METRIC_CLOCK_GFX_MIN, false},
    {"max", METRIC_CLOCK_GT_MAX, METRIC_CLOCK_GFX_MAX, false},
    {"RP0", METRIC_CLOCK_GT_RP0, METRIC_COUNT, false}, /* i915 */
    {"rp0", METRIC_CLOCK_GT_RP0, METRIC_COUNT, false}, /* xe */
};

static struct number_file clock_file(unsigned metric, bool promised, bool zero_absent) {
    return (struct number_file){.metric = (uint16_t)metric,
                                .also = METRIC_COUNT,
                                .times = 1000000,
                                .by = 1,
                                .most = MHZ_MOST,
                                .rank = INTEL_RANK_SYSFS,
                                .promised = promised,
                                .zero_absent = zero_absent};
}

static bool is_zero(const struct file_part *file) {
    int64_t number = 1;
    return file->sys == 0 && number_of_text(file->bytes, &number) == ERR_OK && number == 0;
}

static void tell_clock(struct teller *t, const struct place *p, const struct file_part *file) {
    struct counts twice = {0};
    struct teller again = *t;
    for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
        const struct clock *k = &clocks[i];
        struct number_file of_gt = clock_file(k->of_gt, k->promised, false);
        struct number_file of_gfx = clock_file(k->of_gfx, k->promised, true);
        if (!span_equals(p->leaf, k->name))
            continue;
        t->sample.index = (uint16_t)p->gt;
        tell_number(t, &of_gt, file);
        t->sample.index = INDEX_NONE;
        again.counts = &twice;
        /* A GT that sleeps has no clock to work with: nothing is wrong with the sensor. */
        if (p->gt == 0 && k->promised && is_zero(file))
            tell_state(t, k->of_gfx, STATE_UNKNOWN, INTEL_RANK_SYSFS);
        else if (p->gt == 0 && k->of_gfx != METRIC_COUNT)
            tell_number(&again, &of_gfx, file);
        return;
    }
    counts_ignored(t->counts, REASON_OTHER_KEY);
}

/* ---- limits at work ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint16_t metric;
} reasons[] = {
    {"pl1", METRIC_THROTTLE_PL1},
    {"pl2", METRIC_THROTTLE_PL2},
    {"pl4", METRIC_THROTTLE_PL4},
    {"thermal", METRIC_THROTTLE_THERMAL},
    {"prochot", METRIC_THROTTLE_PROCHOT},
    {"ratl", METRIC_THROTTLE_RATL},
    {"vr_thermalert", METRIC_THROTTLE_VR_THERMALERT},
    {"vr_tdc", METRIC_THROTTLE_VR_TDC},
};
enum { REASONS = sizeof(reasons) / sizeof(reasons[0]) };

/* What all GTs together say of a reason. */
struct throttle {
    bool said[REASONS];
    bool on[REASONS];
    bool bad[REASONS];
};

static void note_reason(struct throttle *all, size_t reason, bool bad, bool on) {
    all->said[reason] = true;
    all->bad[reason] = all->bad[reason] || bad;
    all->on[reason] = all->on[reason] || on;
}

/* "status" at 0 speaks for all of them: then they are not read. */
static void note_throttle(struct throttle *all, const struct place *p, const struct file_part *file,
                          struct counts *counts) {
    bool status = span_equals(p->leaf, "status");
    int64_t number = 0;
    enum err e = file->sys != 0 ? ERR_AGAIN : number_of_text(file->bytes, &number);
    bool bad = e != ERR_AGAIN && (e != ERR_OK || number < 0 || number > 1);
    bool known = status;
    for (size_t i = 0; i < REASONS; i++) {
        bool is_it = span_equals(p->leaf, reasons[i].name);
        known = known || is_it;
        if (e != ERR_AGAIN && (is_it || (status && !bad && number == 0)))
            note_reason(all, i, bad, !bad && number == 1);
    }
    if (!known)
        counts_ignored(counts, REASON_OTHER_KEY);
    else if (e == ERR_AGAIN)
        counts_ignored(counts, file->sys != 0 ? REASON_FAILED_READ : REASON_BAD_TEXT);
    else if (bad)
        counts_malformed(counts, REASON_BAD_NUMBER);
    else
        counts->accepted++;
}

static void tell_throttle(struct teller *t, const struct throttle *all) {
    for (size_t i = 0; i < REASONS; i++) {
        tell_name(t, span_of(reasons[i].name));
        if (all->said[i] && all->bad[i] && !all->on[i])
            tell_state(t, reasons[i].metric, STATE_MALFORMED, INTEL_RANK_SYSFS);
        else if (all->said[i])
            tell_value(t, reasons[i].metric, all->on[i], all->on[i], 0, INTEL_RANK_SYSFS);
    }
}

/* ---- sleep of GTs -------------------------------------------------------------------------------------------- */

#define MS_NS 1000000

/* What was read before. */
struct memory {
    struct interval interval;
    uint64_t idle_ms[GTS];
    bool has[GTS];
};

/* A reading of now; *share is set where it can be told. */
static bool idle_share(struct memory *m, unsigned gt, uint64_t ms, int64_t interval_ns,
                       int64_t *share, unsigned *doubt) {
    bool told = m->has[gt] && ms >= m->idle_ms[gt] && interval_ns > 0;
    if (told)
        *share = share_of_time((ms - m->idle_ms[gt]) * MS_NS, interval_ns, doubt);
    m->has[gt] = true;
    m->idle_ms[gt] = ms;
    return told;
}

static void tell_idle(struct teller *t, struct memory *m, const struct place *p,
                      const struct file_part *file, int64_t interval_ns) {
    const struct number_file idle = {.metric = METRIC_IDLE_TIME,
                                     .also = METRIC_COUNT,
                                     .times = MS_NS,
                                     .by = 1,
                                     .most = INT64_MAX / MS_NS,
                                     .rank = INTEL_RANK_SYSFS,
                                     .promised = true};
    int64_t ms = -1;
    int64_t share = 0;
    unsigned doubt = DOUBT_NONE;
    t->sample.index = (uint16_t)p->gt;
    tell_number(t, &idle, file);
    if (file->sys != 0 || number_of_text(file->bytes, &ms) != ERR_OK || ms < 0 || ms > idle.most)
        m->has[p->gt] = false;
    else if (idle_share(m, p->gt, (uint64_t)ms, interval_ns, &share, &doubt))
        tell_value(t, METRIC_IDLE_RESIDENCY, share, (uint64_t)ms, doubt, INTEL_RANK_SYSFS);
    else
        tell_state(t, METRIC_IDLE_RESIDENCY, STATE_UNKNOWN, INTEL_RANK_SYSFS);
    t->sample.index = INDEX_NONE;
}

/* ---- the frame ------------------------------------------------------------------------------------------------------ */

struct look {
    struct throttle throttle;
    struct link_files own;
    struct link_files port;
};

static void take_file(struct teller *t, struct memory *m, struct look *l,
                      const struct file_part *file, int64_t interval_ns) {
    struct place p = place_of(file->name);
    switch (p.part) {
    case PART_CLOCK:
        tell_clock(t, &p, file);
        break;
    case PART_THROTTLE:
        note_throttle(&l->throttle, &p, file, t->counts);
        break;
    case PART_LINK:
        link_note(&l->own, file->name, file, t->counts);
        break;
    case PART_PORT:
        link_note(&l->port, p.leaf, file, t->counts);
        break;
    case PART_IDLE:
        if (p.leaf.n == 0) {
            tell_idle(t, m, &p, file, interval_ns);
            break;
        }
        counts_ignored(t->counts, REASON_OTHER_KEY);
        break;
    case PART_NONE:
        counts_ignored(t->counts, REASON_OTHER_KEY);
        break;
    }
}

static void sysfs_feed(void *state, const struct subject *s, const struct frame *f,
                       const struct sink *sink, struct counts *counts) {
    struct memory *m = state;
    struct teller t = teller_of(s, f, sink, counts);
    struct cursor c = cursor_over(frame_span(f));
    struct look l = {.throttle = {.said = {false}}};
    int64_t interval_ns = interval_next(&m->interval, f->t_ns);
    struct file_part file;
    enum files_step step;
    while ((step = files_next(&c, &file)) == FILES_PART)
        take_file(&t, m, &l, &file, interval_ns);
    tell_throttle(&t, &l.throttle);
    link_tell(&t, &l.own, &l.port, facts_u64(s->facts, "apu", 0) == 1);
    if (step == FILES_CUT)
        counts_truncated(counts, REASON_CUT);
    else if (step == FILES_BAD)
        counts_malformed(counts, REASON_BAD_TEXT);
}

static void sysfs_init(void *state, const struct subject *s) {
    (void)s;
    memset(state, 0, sizeof(struct memory));
}

const struct fold intel_sysfs_fold = {
    .size = sizeof(struct memory), .init = sysfs_init, .feed = sysfs_feed};
