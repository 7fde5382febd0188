/*
 * Who runs on which unit, at which clock and voltage: starts, stops and rates become segments of
 * jobs. Pure; no memory of its own. Times in ns.
 *
 * After a mark it is not known whether the unit still works. What would be given out meanwhile is
 * held: a stop throws it away, anything else shows that it was work. A cut shows neither.
 */
#include <string.h>

#include "gwtop/core.h"

enum { IDLE, RUNNING, SUSPENDED };

static struct track_unit *unit_at(struct track *t, unsigned unit) {
    return unit < TRACK_UNITS ? &t->units[unit] : NULL;
}

static bool same_rate(const struct track_rate *a, const struct track_rate *b) {
    return a->clock_hz == b->clock_hz && a->voltage_uv == b->voltage_uv && a->doubt == b->doubt &&
           a->off == b->off;
}

static void give(const struct track *t, const struct track_out *out, unsigned unit,
                 const struct track_held *segment, bool open) {
    const struct track_owner *owner = &t->units[unit].owner;
    const struct track_rate *rate = &segment->rate;
    struct job job = {.start_ns = segment->start_ns,
                      .end_ns = segment->end_ns,
                      .client = owner->client,
                      .name = out->names[unit],
                      .clock_hz = rate->clock_hz,
                      .voltage_uv = rate->voltage_uv,
                      .subject = out->subject,
                      .device = out->device,
                      .pid = owner->pid,
                      .tag = owner->tag,
                      .name_len = (uint8_t)strlen(out->names[unit]),
                      .class = out->class,
                      .space = out->space,
                      .open = open,
                      .off = rate->off,
                      .doubt = rate->doubt};
    if (out->sink->job)
        out->sink->job(out->sink->ctx, &job);
}

/* What was held is given out: the job had not come to its end at the mark. */
static void release(struct track *t, const struct track_out *out, unsigned unit) {
    struct track_unit *u = &t->units[unit];
    for (unsigned i = 0; i < u->held; i++)
        give(t, out, unit, &t->held[unit][i], false);
    u->held = 0;
    u->marked = false;
}

/* A unit that runs is accounted for up to here. Where there is no room to hold more, the mark
 * gives way. */
static void advance(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns,
                    bool open) {
    struct track_unit *u = &t->units[unit];
    const struct track_held segment = {u->since_ns, at_ns, t->rate};
    if (u->state != RUNNING || at_ns <= u->since_ns)
        return;
    u->since_ns = at_ns;
    if (u->held == TRACK_HELD)
        release(t, out, unit);
    if (u->marked)
        t->held[unit][u->held++] = segment;
    else
        give(t, out, unit, &segment, open);
}

static void end_job(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns) {
    struct track_unit *u = &t->units[unit];
    release(t, out, unit);
    advance(t, out, unit, at_ns, false);
    u->state = IDLE;
}

static void begin_at(struct track_unit *u, int64_t at_ns) {
    if (at_ns > u->since_ns)
        u->since_ns = at_ns;
    u->state = RUNNING;
}

bool track_start(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns,
                 const struct track_owner *owner) {
    struct track_unit *u = unit_at(t, unit);
    if (!u)
        return false;
    bool another = u->state != IDLE;
    if (another)
        end_job(t, out, unit, at_ns);
    u->owner = *owner;
    u->told = false;
    begin_at(u, at_ns);
    return another;
}

bool track_stop(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns) {
    struct track_unit *u = unit_at(t, unit);
    if (!u || u->state == IDLE)
        return false;
    if (u->marked) {
        u->held = 0;
        u->marked = false;
        u->state = IDLE;
    } else {
        end_job(t, out, unit, at_ns);
    }
    return true;
}

void track_suspend(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns) {
    struct track_unit *u = unit_at(t, unit);
    if (!u || u->state != RUNNING)
        return;
    end_job(t, out, unit, at_ns);
    u->state = SUSPENDED;
}

void track_resume(struct track *t, unsigned unit, int64_t at_ns) {
    struct track_unit *u = unit_at(t, unit);
    if (u && u->state == SUSPENDED)
        begin_at(u, at_ns);
}

void track_mark(struct track *t, const struct track_out *out, unsigned unit, int64_t at_ns) {
    struct track_unit *u = unit_at(t, unit);
    if (!u || u->state != RUNNING)
        return;
    release(t, out, unit);
    advance(t, out, unit, at_ns, false);
    u->marked = true;
}

void track_change(struct track *t, const struct track_out *out, int64_t at_ns,
                  const struct track_rate *rate) {
    if (same_rate(&t->rate, rate))
        return;
    for (unsigned i = 0; i < TRACK_UNITS; i++)
        advance(t, out, i, at_ns, false);
    t->rate = *rate;
}

unsigned track_cut(struct track *t, const struct track_out *out, int64_t at_ns) {
    unsigned newly = 0;
    for (unsigned i = 0; i < TRACK_UNITS; i++) {
        struct track_unit *u = &t->units[i];
        if (u->state == IDLE)
            continue;
        if (!u->marked)
            advance(t, out, i, at_ns, true);
        newly += !u->told;
        u->told = true;
    }
    return newly;
}

void track_end(struct track *t, const struct track_out *out, int64_t at_ns) {
    for (unsigned i = 0; i < TRACK_UNITS; i++) {
        end_job(t, out, i, at_ns);
        t->units[i].since_ns = 0;
    }
}

const struct track_owner *track_owner_of(const struct track *t, unsigned unit) {
    return unit < TRACK_UNITS && t->units[unit].state != IDLE ? &t->units[unit].owner : NULL;
}
