/*
 * The live machine as a feed. Collecting runs in a worker, so no key ever waits for it. A freeze shows a copy of
 * what was there; measuring and accounting go on behind it.
 */
#include <stdlib.h>

#include "feed.h"
#include "gwtop/backend.h"
#include "logbook.h"
#include "pipeline.h"
#include "setup.h"

#define DEFAULT_DELAY_NS INT64_C(1000000000)

struct live_feed {
    struct feed feed;
    struct live live; /* its source is the worker */
    struct pipeline pipe;
    struct snapshot *frozen;
    int64_t delay_ns;
    bool is_delay_new; /* and the worker was not told yet */
    struct logbook logbook;
};

/* Again later where its queue is full. */
static void tell_delay(struct live_feed *l) {
    if (l->is_delay_new)
        l->is_delay_new = worker_call(l->live.source, live_delay, l->delay_ns) == ERR_AGAIN;
}

static void set_delay(struct feed *f, int64_t delay_ns) {
    struct live_feed *l = (struct live_feed *)f;
    if (delay_ns <= 0 || delay_ns == l->delay_ns)
        return;
    l->delay_ns = delay_ns;
    l->is_delay_new = true;
    tell_delay(l);
}

static void wait_for(struct feed *f, int64_t now_ns, struct source_wait *out) {
    struct live_feed *l = (struct live_feed *)f;
    l->live.source->ops->poll(l->live.source, now_ns, out);
}

static enum err advance(struct feed *f, int64_t now_ns) {
    struct live_feed *l = (struct live_feed *)f;
    tell_delay(l);
    enum err e = pipeline_read(&l->pipe, l->live.source, now_ns);
    if (e == ERR_OK) {
        logbook_count(&l->logbook, bus_counts(l->pipe.bus));
        const struct snapshot *s = acct_snapshot(l->pipe.acct);
        if (f->on_tick && s)
            f->on_tick(f->ctx, s);
    }
    return e == ERR_OK && l->frozen ? ERR_AGAIN : e;
}

static const struct snapshot *shown(const struct feed *f) {
    const struct live_feed *l = (const struct live_feed *)f;
    return l->frozen ? l->frozen : acct_snapshot(l->pipe.acct);
}

static enum err command(struct feed *f, struct ui_command c,
                        const struct player_progress *progress) {
    struct live_feed *l = (struct live_feed *)f;
    (void)progress;
    if (c.action == UI_REFRESH)
        worker_nudge(l->live.source);
    if (c.action != UI_PAUSE)
        return ERR_OK;
    if (l->frozen) {
        snapshot_free(l->frozen);
        l->frozen = NULL;
        return ERR_OK;
    }
    const struct snapshot *now = acct_snapshot(l->pipe.acct);
    return now ? snapshot_dup(now, &l->frozen) : ERR_OK;
}

static void describe(struct feed *f, struct ui_play *out) {
    struct live_feed *l = (struct live_feed *)f;
    out->paused = l->frozen != NULL;
    out->delay_ns = l->delay_ns;
    out->speed_milli = 1000;
    out->busy_ppm = -1;
    out->log = logbook_read(&l->logbook);
}

/* Nobody has called yet: its queue has room. */
static void go(struct feed *f) {
    (void)worker_call(((struct live_feed *)f)->live.source, live_go, 0);
}

static void close_feed(struct feed *f) {
    struct live_feed *l = (struct live_feed *)f;
    if (!l)
        return;
    snapshot_free(l->frozen);
    live_stop(&l->live);
    pipeline_finish(&l->pipe);
    free(l);
}

static const struct feed_ops ops = {
    .wait = wait_for,
    .advance = advance,
    .snapshot = shown,
    .command = command,
    .describe = describe,
    .set_delay = set_delay,
    .go = go,
    .close = close_feed,
};

enum err feed_live(const struct options *o, int *opened, struct feed **out, struct err_info *info) {
    struct live_feed *l = calloc(1, sizeof *l);
    struct source *worker = NULL;
    if (!l)
        return err_set(info, ERR_NOMEM, 0, "out of memory", NULL);
    l->feed.ops = &ops;
    l->delay_ns = o->delay_ns ? o->delay_ns : DEFAULT_DELAY_NS;
    enum err e = pipeline_init(&l->pipe, false, o->assume_voltage_uv);
    if (e == ERR_OK)
        e = live_start(o, l->delay_ns, &l->live, info);
    if (e == ERR_OK && opened)
        *opened = live_split(l->live.source);
    if (e == ERR_OK) {
        e = worker_create(l->live.source, &worker);
        l->live.source = worker;
    }
    if (e != ERR_OK) {
        close_feed(&l->feed);
        return info->text[0] ? e : err_set(info, e, 0, err_text(e), NULL);
    }
    *out = &l->feed;
    return ERR_OK;
}
