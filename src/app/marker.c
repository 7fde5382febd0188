/* See marker.h. Times in nanoseconds of CLOCK_MONOTONIC, of the recording. */
#include "marker.h"

#include <stdlib.h>
#include <string.h>

#define PPM      INT64_C(1000000)
#define WIDE_NEW 4 /* late ticks in a row that make a new interval of it */

void marker_init(struct marker *m, int64_t length_ns) {
    *m = (struct marker){.length_ns = length_ns};
}

void marker_finish(struct marker *m) {
    free(m->before.of);
    free(m->now.of);
    *m = (struct marker){0};
}

static unsigned stretch_of(const struct marker *m, int64_t t_ns) {
    int64_t at = t_ns - m->first_ns;
    if (at <= 0 || m->length_ns <= 0)
        return 0;
    if (at >= m->length_ns)
        return UI_MARKS - 1;
    unsigned i = (unsigned)((double)at / (double)m->length_ns * UI_MARKS);
    return i < UI_MARKS ? i : UI_MARKS - 1;
}

static void mark(struct marker *m, int64_t from_ns, int64_t to_ns, enum ui_mark what) {
    unsigned last = stretch_of(m, to_ns);
    for (unsigned i = stretch_of(m, from_ns); i <= last; i++)
        m->marks.bits[i] |= (uint8_t)what;
}

/* ---- limits ---- */

static bool is_limit(unsigned metric) {
    return metric < METRIC_COUNT && strncmp(metric_info(metric)->name, "throttle.", 9) == 0;
}

static bool is_held_back(const struct snapshot *s) {
    for (uint32_t d = 0; d < s->device_count; d++) {
        struct run r = s->devices[d].metrics;
        for (uint32_t i = r.first; i < r.first + r.count; i++) {
            const struct snap_metric *x = &s->metrics[i];
            if (x->value.state == STATE_VALUE && x->value.v > 0 && is_limit(x->metric))
                return true;
        }
    }
    return false;
}

/* ---- processes ---- */

/* One without a start cannot be told from a later one of the same number. */
static bool gather(const struct snapshot *s, struct marker_list *to) {
    void *space = to->of;
    enum err e = vec_reserve(&space, &to->cap, s->process_count, sizeof *to->of);
    to->of = space;
    to->count = 0;
    for (uint32_t i = 0; e == ERR_OK && i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        struct marker_process *last = to->count ? &to->of[to->count - 1] : NULL;
        if (p->start == 0)
            continue;
        if (last && last->pid == p->pid && last->start == p->start)
            last->exited = last->exited && p->exited;
        else
            to->of[to->count++] = (struct marker_process){p->start, p->pid, p->exited};
    }
    return e == ERR_OK;
}

static int order(const struct marker_process *a, const struct marker_process *b) {
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->start == b->start ? 0 : a->start < b->start ? -1 : 1;
}

/* Both lists are in the order of the snapshot, so one walk tells who came and who went. */
static unsigned changes(const struct marker_list *before, const struct marker_list *now) {
    unsigned bits = 0;
    uint32_t i = 0, k = 0;
    for (;;) {
        const struct marker_process *old = i < before->count ? &before->of[i] : NULL;
        const struct marker_process *new = k < now->count ? &now->of[k] : NULL;
        if (!old && !new)
            return bits;
        int way = !old ? 1 : !new ? -1 : order(old, new);
        if (way > 0)
            bits |= UI_MARK_START | (new->exited ? (unsigned)UI_MARK_EXIT : 0);
        else if (!old->exited && (way < 0 || new->exited))
            bits |= UI_MARK_EXIT;
        i += way <= 0;
        k += way >= 0;
    }
}

static void take_processes(struct marker *m, const struct snapshot *s) {
    if (!gather(s, &m->now))
        return;
    unsigned bits = m->tick > 0 ? changes(&m->before, &m->now) : 0;
    struct marker_list spare = m->before;
    m->before = m->now;
    m->now = spare;
    if (bits)
        mark(m, s->t_ns, s->t_ns, bits);
}

/* ---- what is missing ---- */

/* A recording may change its pace: what stays late is the new pace. */
static void take_interval(struct marker *m, int64_t t_ns) {
    int64_t interval = t_ns - m->last_ns;
    if (interval <= 0)
        return;
    if (m->usual_ns == 0 || interval <= m->usual_ns / 2 * 5) {
        m->usual_ns = m->usual_ns ? (m->usual_ns * 7 + interval) / 8 : interval;
        m->wide = 0;
        return;
    }
    if (++m->wide >= WIDE_NEW) {
        m->usual_ns = interval;
        m->wide = 0;
    }
    mark(m, m->last_ns, t_ns, UI_MARK_MISSING);
    m->gaps++;
    m->gap_ns = interval > m->gap_ns ? interval : m->gap_ns;
}

/* What a driver says wrong in every tick is marked once, where it begins, else it would hide all others. */
static void take_damage(struct marker *m, int64_t t_ns, const struct counts *counts) {
    uint64_t damaged = counts->malformed + counts->truncated;
    uint64_t odd = damaged > m->damaged ? damaged - m->damaged : 0;
    if (odd > m->odd)
        mark(m, t_ns, t_ns, UI_MARK_MISSING);
    m->damaged = damaged;
    m->odd = odd;
}

static int known_ppm(const struct marker *m) {
    int64_t at = m->last_ns - m->first_ns;
    if (at <= 0 || m->length_ns <= 0)
        return 0;
    return at >= m->length_ns ? (int)PPM
                              : (int)mul_div_u64((uint64_t)at, PPM, (uint64_t)m->length_ns);
}

void marker_take(struct marker *m, const struct snapshot *s, const struct counts *counts) {
    if (s->tick <= m->tick)
        return;
    if (m->tick == 0)
        m->first_ns = s->t_ns;
    else
        take_interval(m, s->t_ns);
    take_damage(m, s->t_ns, counts);
    take_processes(m, s);
    if (is_held_back(s))
        mark(m, s->t_ns, s->t_ns, UI_MARK_LIMIT);
    m->tick = s->tick;
    m->last_ns = s->t_ns;
    m->marks.known_ppm = known_ppm(m);
}

void marker_end(struct marker *m, bool is_cut) {
    if (is_cut)
        m->marks.bits[UI_MARKS - 1] |= UI_MARK_MISSING;
    m->marks.known_ppm = (int)PPM;
}
