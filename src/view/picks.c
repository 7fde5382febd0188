/*
 * Which devices have a line of their own where there is none for each: the busiest, without jumping about. Pure.
 */
#include "strip.h"

#include <string.h>

/* Another takes the line of one that it beats by so much, ppm. */
#define MARGIN INT64_C(100000)

static bool has(const struct ui *ui, uint32_t subject) {
    for (uint32_t i = 0; i < ui->strip.pick_count; i++) {
        if (ui->strip.picked[i] == subject) {
            return true;
        }
    }
    return false;
}

bool picks_has(const struct ui *ui, const struct snapshot *s, uint32_t d) {
    return has(ui, s->devices[d].subject);
}

/* What it is compared by: one that is not known to work comes after those that are idle. */
static int64_t busy_of(const struct snapshot *s, uint32_t d) {
    const struct snap_device *device = &s->devices[d];
    if (strip_state_words(device)) {
        return -2;
    }
    return device->busy_ppm.state == STATE_VALUE ? device->busy_ppm.v : -1;
}

/* The busiest of those shown that have no line; device_count for none. */
static uint32_t best_outside(const struct ui *ui, const struct snapshot *s) {
    uint32_t best = s->device_count;
    for (uint32_t d = 0; d < s->device_count; d++) {
        if (strip_shows(ui, s, d) && !picks_has(ui, s, d) &&
            (best == s->device_count || busy_of(s, d) > busy_of(s, best))) {
            best = d;
        }
    }
    return best;
}

static uint32_t find(const struct snapshot *s, uint32_t subject) {
    uint32_t d = 0;
    while (d < s->device_count && s->devices[d].subject != subject) {
        d++;
    }
    return d;
}

/* Its place among the picks. */
static uint32_t worst_inside(const struct ui *ui, const struct snapshot *s) {
    uint32_t worst = 0;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < ui->strip.pick_count; i++) {
        int64_t busy = busy_of(s, find(s, ui->strip.picked[i]));
        worst = busy < least ? i : worst;
        least = busy < least ? busy : least;
    }
    return worst;
}

static void drop(struct ui *ui, uint32_t i) {
    ui->strip.picked[i] = ui->strip.picked[--ui->strip.pick_count];
}

static void drop_gone(struct ui *ui, const struct snapshot *s) {
    for (uint32_t i = ui->strip.pick_count; i > 0; i--) {
        uint32_t d = find(s, ui->strip.picked[i - 1]);
        if (d == s->device_count || !strip_shows(ui, s, d)) {
            drop(ui, i - 1);
        }
    }
}

void picks_choose(struct ui *ui, const struct snapshot *s, uint32_t count) {
    uint32_t best;
    count = count < PICKS_MOST ? count : PICKS_MOST;
    drop_gone(ui, s);
    while (ui->strip.pick_count > count) {
        drop(ui, worst_inside(ui, s));
    }
    while (ui->strip.pick_count < count && (best = best_outside(ui, s)) < s->device_count) {
        ui->strip.picked[ui->strip.pick_count++] = s->devices[best].subject;
    }
    for (uint32_t i = 0; i < count && (best = best_outside(ui, s)) < s->device_count; i++) {
        uint32_t worst = worst_inside(ui, s);
        int64_t busy = busy_of(s, find(s, ui->strip.picked[worst]));
        if (busy_of(s, best) <= busy + MARGIN) {
            break;
        }
        ui->strip.picked[worst] = s->devices[best].subject;
    }
}
