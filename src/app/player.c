/*
 * Replay with time travel. The decoders and accounting are flat, so a checkpoint is a copy; stepping back
 * loads the nearest one before the wanted tick and plays on from there.
 *
 * Three sets: the last RECENT ticks one by one, for stepping; up to KEPT ticks at a stride that doubles
 * whenever they are full, so that any point of a recording of any length is at most a stride away; and NEAR ticks
 * between the last two strides, so that who steps back on and on does not play a stride again and again.
 */
#include "player.h"

#include <stdlib.h>

#define RECENT       16
#define KEPT         64
#define NEAR         16
#define ASK_EVERY_NS INT64_C(50000000)
#define PPM          1000000

struct checkpoint {
    uint64_t tick; /* 0: empty */
    int64_t t_ns;
    int64_t before_ns;
    struct trace_mark *mark;
    struct pipeline state;
};

struct player {
    struct source *trace;
    struct pipeline pipe;
    bool checkpoints;
    bool at_end;
    bool been_at_end;
    uint64_t tick;
    uint64_t farthest;    /* tick */
    struct counts counts; /* there */
    int64_t first_ns;
    int64_t t_ns;      /* of the tick shown */
    int64_t before_ns; /* of the tick before it */
    uint64_t stride;
    uint64_t last_tick; /* as far as known; else UINT64_MAX */
    void (*on_tick)(void *ctx, const struct snapshot *s);
    void *ctx;
    struct checkpoint recent[RECENT];
    struct checkpoint near[NEAR];
    struct checkpoint kept[KEPT];
};

enum err player_create(struct source *take_trace, bool whole_span, uint32_t assume_voltage_uv,
                       bool checkpoints, struct player **out) {
    struct player *p = calloc(1, sizeof *p);
    enum err e = p ? pipeline_init(&p->pipe, whole_span, assume_voltage_uv) : ERR_NOMEM;
    if (e != ERR_OK) {
        take_trace->ops->close(take_trace);
        free(p);
        return e;
    }
    p->trace = take_trace;
    p->checkpoints = checkpoints;
    p->stride = 1;
    p->last_tick = UINT64_MAX;
    *out = p;
    return ERR_OK;
}

static void checkpoint_drop(struct checkpoint *c) {
    trace_mark_free(c->mark);
    pipeline_finish(&c->state);
    *c = (struct checkpoint){0};
}

void player_destroy(struct player *p) {
    if (!p)
        return;
    for (int i = 0; i < RECENT; i++)
        checkpoint_drop(&p->recent[i]);
    for (int i = 0; i < NEAR; i++)
        checkpoint_drop(&p->near[i]);
    for (int i = 0; i < KEPT; i++)
        checkpoint_drop(&p->kept[i]);
    p->trace->ops->close(p->trace);
    pipeline_finish(&p->pipe);
    free(p);
}

/* A checkpoint that cannot be taken is no loss but of speed: it is left empty. */
static void checkpoint_take(const struct player *p, struct checkpoint *c) {
    trace_mark_free(c->mark);
    c->mark = NULL;
    c->tick = 0;
    if (!c->state.bus && pipeline_init(&c->state, false, 0) != ERR_OK)
        return;
    if (pipeline_copy(&c->state, &p->pipe) != ERR_OK ||
        trace_mark_take(p->trace, &c->mark) != ERR_OK)
        return;
    c->tick = p->tick;
    c->t_ns = p->t_ns;
    c->before_ns = p->before_ns;
}

static void thin(struct player *p) {
    int used = 0;
    p->stride *= 2;
    for (int i = 0; i < KEPT; i++) {
        if (p->kept[i].tick == 0 || (p->kept[i].tick - 1) % p->stride != 0) {
            checkpoint_drop(&p->kept[i]);
            continue;
        }
        if (used != i) {
            p->kept[used] = p->kept[i];
            p->kept[i] = (struct checkpoint){0};
        }
        used++;
    }
}

static void keep(struct player *p) {
    struct checkpoint *free_slot = NULL;
    if ((p->tick - 1) % p->stride != 0)
        return;
    for (int i = 0; i < KEPT; i++) {
        if (p->kept[i].tick == p->tick)
            return;
        if (p->kept[i].tick == 0 && !free_slot)
            free_slot = &p->kept[i];
    }
    if (!free_slot) {
        thin(p);
        keep(p);
        return;
    }
    checkpoint_take(p, free_slot);
}

/* Copies cost more than ticks do: one by one they are taken only where the play may stop. */
static void remember(struct player *p, bool one_by_one) {
    uint64_t step = p->stride / NEAR;
    if (one_by_one)
        checkpoint_take(p, &p->recent[p->tick % RECENT]);
    if (step > 1 && p->tick % step == 0)
        checkpoint_take(p, &p->near[p->tick / step % NEAR]);
    keep(p);
}

static enum err advance(struct player *p) {
    enum err e = pipeline_read(&p->pipe, p->trace, 0);
    if (e == ERR_END)
        p->at_end = p->been_at_end = true;
    if (e != ERR_OK)
        return e;
    const struct snapshot *s = acct_snapshot(p->pipe.acct);
    if (!s || s->tick == p->tick)
        return ERR_AGAIN; /* frames that made no tick */
    p->tick = s->tick;
    if (p->tick == 1)
        p->first_ns = s->t_ns;
    p->before_ns = p->tick == 1 ? s->t_ns : p->t_ns;
    p->t_ns = s->t_ns;
    if (p->tick > p->farthest) {
        p->farthest = p->tick;
        p->counts = *bus_counts(p->pipe.bus);
    }
    return ERR_OK;
}

static enum err next(struct player *p, bool one_by_one) {
    enum err e;
    do
        e = advance(p);
    while (e == ERR_AGAIN);
    if (e == ERR_OK && p->checkpoints)
        remember(p, one_by_one);
    if (e == ERR_OK && p->on_tick)
        p->on_tick(p->ctx, player_snapshot(p));
    return e;
}

enum err player_next(struct player *p) {
    return next(p, true);
}

static void consider(struct checkpoint *c, uint64_t tick, int64_t t_ns, struct checkpoint **best) {
    if (c->tick != 0 && c->tick <= tick && c->t_ns <= t_ns && (!*best || c->tick > (*best)->tick))
        *best = c;
}

/* Loads the latest checkpoint that is not after tick and time. */
static enum err go_back(struct player *p, uint64_t tick, int64_t t_ns) {
    struct checkpoint *best = NULL;
    enum err e;
    for (int i = 0; i < RECENT; i++)
        consider(&p->recent[i], tick, t_ns, &best);
    for (int i = 0; i < NEAR; i++)
        consider(&p->near[i], tick, t_ns, &best);
    for (int i = 0; i < KEPT; i++)
        consider(&p->kept[i], tick, t_ns, &best);
    if (!best)
        return ERR_NOENT;
    e = trace_mark_return(p->trace, best->mark);
    if (e == ERR_OK)
        e = pipeline_copy(&p->pipe, &best->state);
    if (e != ERR_OK)
        return e;
    p->tick = best->tick;
    p->t_ns = best->t_ns;
    p->before_ns = best->before_ns;
    p->at_end = false;
    return ERR_OK;
}

/* Plays on while the tick shown is before `tick`; stops early when asked to. */
static enum err play_to(struct player *p, uint64_t tick, const struct player_progress *progress) {
    int64_t ask_ns = clock_mono_ns() + ASK_EVERY_NS;
    uint64_t stop = tick < p->last_tick ? tick : p->last_tick;
    while (p->tick < tick) {
        enum err e = next(p, stop <= RECENT || p->tick > stop - RECENT);
        if (e != ERR_OK)
            return e == ERR_END ? ERR_OK : e;
        if (!progress || clock_mono_ns() < ask_ns)
            continue;
        struct trace_place place;
        trace_place(p->trace, &place);
        int ppm = place.size ? (int)mul_div_u64(place.at, PPM, place.size) : 0;
        if (!progress->step(progress->ctx, ppm))
            return ERR_AGAIN;
        ask_ns = clock_mono_ns() + ASK_EVERY_NS;
    }
    return ERR_OK;
}

enum err player_to_tick(struct player *p, uint64_t tick, const struct player_progress *progress) {
    if (tick == 0)
        tick = 1;
    if (tick < p->tick) {
        enum err e = go_back(p, tick, INT64_MAX);
        if (e != ERR_OK)
            return e;
    }
    return play_to(p, tick, progress);
}

enum err player_to_time(struct player *p, int64_t at_ns, const struct player_progress *progress) {
    int64_t target = at_ns > INT64_MAX - p->first_ns ? INT64_MAX : p->first_ns + at_ns;
    int64_t ask_ns = clock_mono_ns() + ASK_EVERY_NS;
    if (at_ns < 0)
        target = p->first_ns;
    if (target < p->t_ns) {
        enum err e = go_back(p, UINT64_MAX, target);
        if (e != ERR_OK)
            return e;
    }
    while (p->t_ns < target) {
        enum err e = next(p, (target - p->t_ns) / RECENT <= player_interval_ns(p));
        if (e == ERR_END)
            return ERR_OK;
        if (e != ERR_OK)
            return e;
        if (p->t_ns > target && p->tick > 1)
            return player_to_tick(p, p->tick - 1, NULL);
        if (!progress || clock_mono_ns() < ask_ns)
            continue;
        ask_ns = clock_mono_ns() + ASK_EVERY_NS;
        int64_t span = target - p->first_ns;
        int ppm = (int)mul_div_u64((uint64_t)(p->t_ns - p->first_ns), PPM, (uint64_t)span);
        if (!progress->step(progress->ctx, ppm))
            return ERR_AGAIN;
    }
    return ERR_OK;
}

const struct snapshot *player_snapshot(const struct player *p) {
    return acct_snapshot(p->pipe.acct);
}

uint64_t player_tick(const struct player *p) {
    return p->tick;
}

int64_t player_at_ns(const struct player *p) {
    return p->t_ns - p->first_ns;
}

int64_t player_interval_ns(const struct player *p) {
    return p->t_ns - p->before_ns;
}

bool player_at_end(const struct player *p) {
    return p->at_end;
}

const struct counts *player_counts(const struct player *p) {
    return &p->counts;
}

bool player_found_nothing(const struct player *p) {
    return file_kind(p->trace) && p->been_at_end && p->counts.accepted == 0;
}

enum err player_look_ahead(struct player *p) {
    enum err e = ERR_OK;
    while (e == ERR_OK && file_kind(p->trace) && p->counts.accepted == 0)
        e = player_next(p);
    return e == ERR_OK || e == ERR_END ? player_to_tick(p, 1, NULL) : e;
}

void player_on_tick(struct player *p, void (*on_tick)(void *ctx, const struct snapshot *s),
                    void *ctx) {
    p->on_tick = on_tick;
    p->ctx = ctx;
}

void player_expect(struct player *p, uint64_t ticks) {
    p->last_tick = ticks > 0 ? ticks : UINT64_MAX;
}

struct source *player_trace(struct player *p) {
    return p->trace;
}
