/* The link to the host: files of both of its ends that may tell it, and which of them is meant. */
#include "sensors.h"

void link_note(struct link_files *l, struct span name, const struct file_part *file,
               struct counts *counts) {
    bool most = span_starts(name, "max_link_");
    struct span leaf = span_skip(name, most ? strlen("max_link_") : strlen("current_link_"));
    int which = span_equals(leaf, "speed")   ? LINK_SPEED
                : span_equals(leaf, "width") ? LINK_WIDTH
                                             : -1;
    if (which < 0 || (!most && !span_starts(name, "current_link_")) ||
        (most ? l->has_most : l->has_now)[which]) {
        counts_ignored(counts, REASON_OTHER_KEY);
        return;
    }
    (most ? l->most : l->now)[which] = *file;
    (most ? l->has_most : l->has_now)[which] = true;
}

static bool is_within_card(const struct link_files *own) {
    struct cursor c = cursor_over(text_of_file(own->now[LINK_SPEED].bytes));
    int64_t lanes = 1;
    int64_t tps = 2500000000;
    uint64_t raw;
    bool slow = own->has_now[LINK_SPEED] && own->now[LINK_SPEED].sys == 0;
    bool thin = own->has_now[LINK_WIDTH] && own->now[LINK_WIDTH].sys == 0;
    if ((slow && !text_take_speed(&c, &tps, &raw)) ||
        (thin && number_of_text(own->now[LINK_WIDTH].bytes, &lanes) != ERR_OK))
        return false;
    return (slow || thin) && tps == 2500000000 && lanes == 1;
}

#define LANES(of, is_promised)                                                                     \
    {                                                                                              \
        .metric = METRIC_##of, .also = METRIC_COUNT, .times = 1, .by = 1, .most = 255,             \
        .rank = INTEL_RANK_SYSFS, .promised = is_promised, .zero_absent = true                     \
    }
#define SPEED(of, is_promised)                                                                     \
    { .metric = METRIC_##of, .rank = INTEL_RANK_SYSFS, .promised = is_promised }
static const struct number_file link_now[LINK_FILES] = {SPEED(LINK_SPEED, true),
                                                        LANES(LINK_WIDTH, true)};
static const struct number_file link_most[LINK_FILES] = {SPEED(LINK_SPEED_MAX, false),
                                                         LANES(LINK_WIDTH_MAX, false)};
#undef LANES
#undef SPEED

static void tell_ends(struct teller *t, const struct file_part *files, const bool *has,
                      const struct number_file *what) {
    if (has[LINK_SPEED]) {
        tell_name(t, files[LINK_SPEED].name);
        tell_speed(t, &what[LINK_SPEED], &files[LINK_SPEED]);
    }
    if (has[LINK_WIDTH])
        tell_number(t, &what[LINK_WIDTH], &files[LINK_WIDTH]);
}

static void ignore_link(const struct link_files *l, struct counts *counts) {
    for (unsigned i = 0; i < LINK_FILES; i++) {
        if (l->has_now[i])
            counts_ignored(counts, REASON_VENDOR_KEY);
        if (l->has_most[i])
            counts_ignored(counts, REASON_VENDOR_KEY);
    }
}

void link_tell(struct teller *t, const struct link_files *own, const struct link_files *port,
               bool is_apu) {
    bool within = is_apu ? own->has_now[LINK_SPEED] : is_within_card(own);
    const struct link_files *link = within ? port : own;
    ignore_link(within ? own : port, t->counts);
    tell_name(t, span_of("port"));
    if (within && !port->has_now[LINK_SPEED])
        tell_state(t, METRIC_LINK_SPEED, STATE_UNSUPPORTED, INTEL_RANK_SYSFS);
    if (within && !port->has_now[LINK_WIDTH])
        tell_state(t, METRIC_LINK_WIDTH, STATE_UNSUPPORTED, INTEL_RANK_SYSFS);
    tell_ends(t, link->now, link->has_now, link_now);
    tell_ends(t, link->most, link->has_most, link_most);
}
