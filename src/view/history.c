/*
 * Rings of what devices and processes did in the ticks before. A slot is found by the number of the tick, and
 * holds that number: one that was overwritten by a later tick is a gap, and so is a tick that nobody noted. Rings
 * are made when somebody is seen first, and grow only at new highs. Pure.
 */
#include "history.h"

#include <stdlib.h>

#include "ui.h"

#define NONE UINT32_MAX

void history_finish(struct history *h) {
    for (uint32_t i = 0; i < h->device_count; i++) {
        free(h->devices[i].v);
    }
    free(h->devices);
    free(h->processes);
    map_finish(&h->places);
}

/* ---- devices --------------------------------------------------------------------------------- */

struct history_device *history_find(struct history *h, uint32_t device) {
    for (uint32_t i = 0; i < h->device_count; i++) {
        if (h->devices[i].subject == device) {
            return &h->devices[i];
        }
    }
    return NULL;
}

static void empty_device(struct history_device *d, uint32_t subject) {
    int64_t *v = d->v;
    *d = (struct history_device){.subject = subject, .v = v};
    for (size_t i = 0; i < (size_t)SERIES_COUNT * HISTORY_DEVICE_TICKS; i++) {
        v[i] = PLOT_GAP;
    }
}

/* A new one, or the one that was not seen for longest; NULL where there is no memory. */
static struct history_device *add_device(struct history *h, uint32_t subject) {
    struct history_device *oldest = h->devices;
    if (h->device_count < HISTORY_DEVICES) {
        if (vec_reserve((void **)&h->devices, &h->device_cap, h->device_count + 1,
                        sizeof *h->devices) != ERR_OK) {
            return NULL;
        }
        struct history_device *d = &h->devices[h->device_count];
        d->v = malloc(sizeof *d->v * SERIES_COUNT * HISTORY_DEVICE_TICKS);
        if (!d->v) {
            return NULL;
        }
        h->device_count++;
        empty_device(d, subject);
        return d;
    }
    for (uint32_t i = 1; i < h->device_count; i++) {
        oldest = h->devices[i].seen < oldest->seen ? &h->devices[i] : oldest;
    }
    if (oldest->seen == h->looks) {
        return NULL; /* all are there now */
    }
    empty_device(oldest, subject);
    return oldest;
}

static int64_t *device_slot(const struct history_device *d, unsigned which, uint64_t tick) {
    return &d->v[(size_t)which * HISTORY_DEVICE_TICKS + tick % HISTORY_DEVICE_TICKS];
}

static void note_device(struct history *h, const struct snapshot *s, const struct snap_device *d,
                        bool is_new) {
    struct value now[SERIES_COUNT];
    struct value whole[SERIES_COUNT];
    struct history_device *to = history_find(h, d->subject);
    to = to ? to : add_device(h, d->subject);
    if (!to) {
        return;
    }
    to->seen = h->looks;
    history_values(s, d, now, whole);
    for (unsigned i = 0; i < SERIES_COUNT; i++) {
        bool has_whole = whole[i].state == STATE_VALUE && whole[i].v > 0;
        to->whole[i] = has_whole ? whole[i].v : to->whole[i];
        if (now[i].state == STATE_VALUE && now[i].v != PLOT_GAP) {
            *device_slot(to, i, s->tick) = now[i].v;
            to->sum[i] += is_new && now[i].v > 0 ? (double)now[i].v : 0;
        }
    }
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Where a series of a process stands; -1: it is none. */
static int place_of(enum series which) {
    static const int8_t places[SERIES_COUNT] = {
        [SERIES_BUSY] = 1, [SERIES_POWER] = 2, [SERIES_PW] = 3, [SERIES_CPU] = 4};
    return (unsigned)which < SERIES_COUNT ? places[which] - 1 : -1;
}

static struct map_key key_of(int32_t pid, uint64_t start, uint32_t device) {
    return (struct map_key){start, (uint64_t)(uint32_t)pid << 32 | device};
}

static void unlink_process(struct history *h, uint32_t i) {
    struct history_process *p = &h->processes[i];
    *(p->older == NONE ? &h->oldest : &h->processes[p->older].newer) = p->newer;
    *(p->newer == NONE ? &h->newest : &h->processes[p->newer].older) = p->older;
}

static void link_newest(struct history *h, uint32_t i) {
    struct history_process *p = &h->processes[i];
    p->older = h->newest;
    p->newer = NONE;
    *(h->newest == NONE ? &h->oldest : &h->processes[h->newest].newer) = i;
    h->newest = i;
}

/* The one that was not seen for longest, if nothing of it can be on the screen; at the limit if only it is not there
 * now. NONE: there is none. */
static uint32_t take_oldest(struct history *h) {
    uint64_t kept = h->process_count < HISTORY_PROCESSES ? HISTORY_PROCESS_TICKS : 1;
    if (h->process_count == 0 || h->looks - h->processes[h->oldest].seen < kept) {
        return NONE;
    }
    uint32_t i = h->oldest;
    unlink_process(h, i);
    (void)map_remove(&h->places, h->processes[i].key);
    return i;
}

static uint32_t add_process(struct history *h, struct map_key key) {
    uint32_t i = take_oldest(h);
    if (i == NONE) {
        if (h->process_count == HISTORY_PROCESSES ||
            vec_reserve((void **)&h->processes, &h->process_cap, h->process_count + 1,
                        sizeof *h->processes) != ERR_OK) {
            return NONE;
        }
        i = h->process_count++;
    }
    struct history_process *p = &h->processes[i];
    *p = (struct history_process){.key = key};
    if (map_put(&h->places, key, i) != ERR_OK) {
        p->key = (struct map_key){0, 0}; /* nobody's: it stays the one to take next */
    }
    link_newest(h, i);
    return i;
}

/* VRAM and GTT, as far as they are known. */
static int64_t memory_of(const struct snap_process *p) {
    bool has_vram = p->vram.bytes.state == STATE_VALUE && p->vram.bytes.v >= 0;
    bool has_gtt = p->gtt.bytes.state == STATE_VALUE && p->gtt.bytes.v >= 0;
    int64_t vram = has_vram ? p->vram.bytes.v : 0;
    int64_t gtt = has_gtt ? p->gtt.bytes.v : 0;
    return !has_vram && !has_gtt ? PLOT_GAP : vram > INT64_MAX - gtt ? INT64_MAX : vram + gtt;
}

static float part_of_value(struct value v) {
    return v.state == STATE_VALUE && v.v >= 0 ? (float)v.v : -1;
}

static float part_of_real(struct real r) {
    r = table_real(r);
    return r.state == STATE_VALUE && r.v < 1e30 ? (float)(r.v * 1e6) : -1;
}

static void note_process(struct history *h, const struct snapshot *s,
                         const struct snap_process *p) {
    struct map_key key = key_of(p->pid, p->start, device_subject(s, p->device));
    uint32_t i = map_get(&h->places, key);
    if (i == MAP_NONE) {
        i = add_process(h, key);
    } else {
        unlink_process(h, i);
        link_newest(h, i);
    }
    if (i == NONE) {
        return;
    }
    struct history_process *to = &h->processes[i];
    uint32_t at = (uint32_t)(s->tick % HISTORY_PROCESS_TICKS);
    const float now[] = {part_of_value(p->busy_ppm), part_of_real(p->power.watts),
                         part_of_real(p->power.pw), part_of_value(p->cpu_ppm)};
    int64_t memory = memory_of(p);
    bool is_new = to->tick[at] != (uint32_t)s->tick;
    to->seen = h->looks;
    to->tick[at] = (uint32_t)s->tick;
    to->memory[at] = is_new || memory != PLOT_GAP ? memory : to->memory[at];
    for (unsigned k = 0; k < HISTORY_PROCESS_SERIES; k++) {
        to->v[k][at] = is_new || now[k] >= 0 ? now[k] : to->v[k][at];
    }
}

/* ---- a tick ---------------------------------------------------------------------------------- */

/* A tick that was seen before keeps what was known of it: nothing can become unknown. */
void history_note(struct ui *ui, const struct snapshot *s) {
    struct history *h = &ui->history;
    if (!s || s->tick == 0 || s->tick == h->now) {
        return;
    }
    uint32_t at = (uint32_t)(s->tick % HISTORY_DEVICE_TICKS);
    bool is_new = h->tick[at] != s->tick;
    h->oldest = h->looks == 0 ? NONE : h->oldest;
    h->newest = h->looks == 0 ? NONE : h->newest;
    h->now = h->tick[at] = s->tick;
    h->t_ns[at] = s->t_ns;
    h->looks++;
    for (uint32_t i = 0; is_new && i < h->device_count; i++) {
        for (unsigned k = 0; k < SERIES_COUNT; k++) {
            *device_slot(&h->devices[i], k, s->tick) = PLOT_GAP;
        }
    }
    for (uint32_t i = 0; i < s->device_count; i++) {
        note_device(h, s, &s->devices[i], is_new);
    }
    for (uint32_t i = 0; i < s->process_count; i++) {
        note_process(h, s, &s->processes[i]);
    }
    history_note_counters(&h->counters, s);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool is_kept(const struct history *h, uint64_t tick) {
    return tick > 0 && h->tick[tick % HISTORY_DEVICE_TICKS] == tick;
}

void history_device_run(const struct ui *ui, uint32_t device, enum series which, uint64_t tick,
                        int64_t *v, uint32_t count) {
    const struct history *h = &ui->history;
    const struct history_device *d = NULL;
    for (uint32_t i = 0; i < h->device_count && !d; i++) {
        d = h->devices[i].subject == device ? &h->devices[i] : NULL;
    }
    bool is_there = d && (unsigned)which < SERIES_COUNT;
    for (uint32_t back = 0; back < count; back++) {
        uint64_t t = back < tick ? tick - back : 0;
        v[count - 1 - back] = is_there && is_kept(h, t) ? *device_slot(d, which, t) : PLOT_GAP;
    }
}

static int64_t process_value(const struct history_process *p, enum series which, uint64_t tick) {
    uint32_t at = (uint32_t)(tick % HISTORY_PROCESS_TICKS);
    int place = place_of(which);
    if (tick == 0 || p->tick[at] != (uint32_t)tick) {
        return PLOT_GAP;
    }
    if (which == SERIES_MEMORY) {
        return p->memory[at];
    }
    float v = place < 0 ? -1 : p->v[place][at];
    return v < 0 ? PLOT_GAP : v < 9e18f ? (int64_t)v : INT64_MAX;
}

void history_process_run(const struct ui *ui, int32_t pid, uint64_t start, uint32_t device,
                         enum series which, uint64_t tick, int64_t *v, uint32_t count) {
    const struct history *h = &ui->history;
    uint32_t i = map_get(&h->places, key_of(pid, start, device));
    for (uint32_t back = 0; back < count; back++) {
        uint64_t t = back < tick ? tick - back : 0;
        v[count - 1 - back] = i == MAP_NONE ? PLOT_GAP : process_value(&h->processes[i], which, t);
    }
}

bool history_device(const struct ui *ui, uint32_t device, enum series which, uint64_t tick,
                    int64_t *v) {
    history_device_run(ui, device, which, tick, v, 1);
    return *v != PLOT_GAP;
}

bool history_process(const struct ui *ui, int32_t pid, uint64_t start, uint32_t device,
                     enum series which, uint64_t tick, int64_t *v) {
    history_process_run(ui, pid, start, device, which, tick, v, 1);
    return *v != PLOT_GAP;
}

int64_t history_span_ns(const struct ui *ui, uint64_t tick, uint32_t count) {
    const struct history *h = &ui->history;
    uint32_t back = count > 0 && count <= HISTORY_DEVICE_TICKS ? count - 1 : 0;
    while (back > 0 && (back >= tick || !is_kept(h, tick - back))) {
        back--;
    }
    if (back == 0 || !is_kept(h, tick)) {
        return 0;
    }
    int64_t now = h->t_ns[tick % HISTORY_DEVICE_TICKS];
    int64_t then = h->t_ns[(tick - back) % HISTORY_DEVICE_TICKS];
    return now <= then || then < 0
               ? 0
               : (int64_t)(mul_div_u64((uint64_t)(now - then), count - 1, back) & INT64_MAX);
}
