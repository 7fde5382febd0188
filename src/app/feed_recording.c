/*
 * A recording as a feed: plays by the recording's own clock, at a speed, and winds to where a key asks. The
 * next tick is due one interval of the recording after the last.
 */
#include <stdlib.h>

#include "feed.h"
#include "fit.h"
#include "setup.h"

#define FIRST_INTERVAL_NS INT64_C(1000000000) /* before two ticks told one */
#define LOOP_PAUSE_NS     INT64_C(2000000000)
#define SPEED_MIN         31 /* about 1/32 */
#define SPEED_MAX         1024000

struct recording_feed {
    struct feed feed;
    struct player *player;
    bool loop;
    bool paused;
    int speed_milli; /* 0: as fast as it can */
    int64_t due_ns;
    int64_t from_ns;
    int64_t to_ns;
    struct trace_extent extent;
    const struct options *options;
    struct buf note; /* what does not fit, in one line */
};

static struct recording_feed *of(struct feed *f) {
    return (struct recording_feed *)f;
}

static bool at_end(const struct recording_feed *r) {
    return player_at_end(r->player) || player_at_ns(r->player) >= r->to_ns;
}

static void schedule(struct recording_feed *r, int64_t now_ns) {
    int64_t interval = player_interval_ns(r->player);
    if (interval <= 0)
        interval = FIRST_INTERVAL_NS;
    if (r->speed_milli > 0)
        r->due_ns =
            now_ns + (int64_t)mul_div_u64((uint64_t)interval, 1000, (uint64_t)r->speed_milli);
    else
        r->due_ns = now_ns;
    if (at_end(r))
        r->due_ns = r->loop ? now_ns + LOOP_PAUSE_NS : INT64_MAX;
}

static void wait_for(struct feed *f, int64_t now_ns, struct source_wait *out) {
    (void)now_ns;
    *out = (struct source_wait){.fd = -1, .due_ns = of(f)->paused ? INT64_MAX : of(f)->due_ns};
}

static enum err advance(struct feed *f, int64_t now_ns) {
    struct recording_feed *r = of(f);
    enum err e;
    if (r->paused || now_ns < r->due_ns)
        return ERR_AGAIN;
    if (at_end(r) && r->loop)
        e = player_to_tick(r->player, 1, NULL);
    else
        e = player_next(r->player);
    schedule(r, now_ns);
    return e == ERR_END ? ERR_OK : e;
}

static const struct snapshot *shown(const struct feed *f) {
    return player_snapshot(((const struct recording_feed *)f)->player);
}

static void change_speed(struct recording_feed *r, int64_t by) {
    int speed = r->speed_milli ? r->speed_milli : SPEED_MAX;
    for (; by > 0 && speed < SPEED_MAX; by--)
        speed *= 2;
    for (; by < 0 && speed > SPEED_MIN; by++)
        speed /= 2;
    r->speed_milli = speed;
}

static enum err step(struct recording_feed *r, int64_t by, const struct player_progress *progress) {
    uint64_t now = player_tick(r->player);
    uint64_t back = by < 0 ? (uint64_t)-by : 0;
    uint64_t to = by >= 0 ? now + (uint64_t)by : now > back ? now - back : 1;
    r->paused = true;
    return player_to_tick(r->player, to, progress);
}

static enum err command(struct feed *f, struct ui_command c,
                        const struct player_progress *progress) {
    struct recording_feed *r = of(f);
    enum err e = ERR_OK;
    switch (c.action) {
    case UI_PAUSE:
        if (r->paused && at_end(r))
            e = player_to_tick(r->player, 1, progress);
        r->paused = !r->paused;
        break;
    case UI_STEP:
        e = step(r, c.amount, progress);
        break;
    case UI_SPEED:
        change_speed(r, c.amount);
        break;
    case UI_SEEK_START:
        e = player_to_tick(r->player, 1, progress);
        break;
    case UI_SEEK_END:
        e = player_to_tick(r->player, UINT64_MAX, progress);
        break;
    case UI_SEEK_TIME:
        e = player_to_time(r->player, c.amount, progress);
        break;
    default:
        return ERR_OK;
    }
    schedule(r, clock_mono_ns());
    return e;
}

static const char *note_of(struct recording_feed *r) {
    const char *note = trace_note(player_trace(r->player));
    const struct kind *kind = file_kind(player_trace(r->player));
    if (note || !kind)
        return note;
    buf_clear(&r->note);
    fit_words(r->options, kind, player_counts(r->player), "; ", &r->note);
    if (r->note.n == 0)
        return NULL;
    buf_char(&r->note, '\0');
    return r->note.failed ? NULL : r->note.p;
}

static void describe(struct feed *f, struct ui_play *out) {
    struct recording_feed *r = of(f);
    out->paused = r->paused;
    out->speed_milli = r->speed_milli;
    out->at_ns = player_at_ns(r->player);
    out->length_ns = r->extent.last_ns - r->extent.first_ns;
    out->ticks = r->extent.ticks;
    out->tick = player_tick(r->player);
    out->at_end = at_end(r);
    out->busy_ppm = -1;
    out->delay_ns = player_interval_ns(r->player);
    out->note = note_of(r);
}

static void conclude(struct feed *f) {
    fit_say(of(f)->options, of(f)->player);
}

static void close_feed(struct feed *f) {
    if (!f)
        return;
    player_destroy(of(f)->player);
    buf_finish(&of(f)->note);
    free(of(f));
}

static const struct feed_ops ops = {
    .wait = wait_for,
    .advance = advance,
    .snapshot = shown,
    .command = command,
    .describe = describe,
    .conclude = conclude,
    .close = close_feed,
};

enum err feed_recording(const struct options *o, struct source *take_trace, bool loop,
                        struct feed **out, struct err_info *info) {
    struct recording_feed *r = calloc(1, sizeof *r);
    enum err e;
    if (!r) {
        take_trace->ops->close(take_trace);
        return err_set(info, ERR_NOMEM, 0, "out of memory", NULL);
    }
    r->feed.ops = &ops;
    r->loop = loop;
    r->options = o;
    buf_init(&r->note);
    r->speed_milli = o->speed_milli >= 0 ? o->speed_milli : 1000;
    r->from_ns = o->from_ns;
    r->to_ns = o->to_ns;
    trace_scan(take_trace, &r->extent, NULL, NULL); /* without it there is no length to show */
    e = player_create(take_trace, false, o->assume_voltage_uv, true, &r->player);
    if (e == ERR_OK)
        e = player_next(r->player);
    if (e == ERR_OK)
        e = player_look_ahead(r->player);
    if (e == ERR_OK)
        e = fit_check(o, r->player, info);
    if (e == ERR_OK && r->from_ns > 0)
        e = player_to_time(r->player, r->from_ns, NULL);
    if (e != ERR_OK) {
        bool told = r->player && player_found_nothing(r->player);
        close_feed(&r->feed);
        return told ? e
               : e == ERR_END
                   ? err_set(info, ERR_FORMAT, 0, "the recording holds no whole tick", NULL)
                   : err_set(info, e, 0, "reading the recording failed", err_text(e));
    }
    schedule(r, clock_mono_ns());
    *out = &r->feed;
    return ERR_OK;
}
