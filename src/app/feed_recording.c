/*
 * A recording as a feed: plays by the recording's own clock, at a speed, and winds to where a key asks. The
 * next tick is due one interval of the recording after the last; where many are due within one picture, they are
 * played together.
 */
#include <stdlib.h>

#include "feed.h"
#include "fit.h"
#include "logbook.h"
#include "scout.h"
#include "setup.h"

#define FIRST_INTERVAL_NS INT64_C(1000000000) /* before two ticks told one */
#define LOOP_PAUSE_NS     INT64_C(2000000000)
#define FRAME_NS          INT64_C(33000000)   /* pictures come no faster */
#define BURST_NS          INT64_C(6000000)    /* of playing, until keys are looked at */
#define MEASURE_NS        INT64_C(300000000)  /* waited for, before the first picture */
#define GAP               3                   /* usual intervals that a gap is waited for, */
#define GAP_NS            INT64_C(2000000000) /* or at least this long */
#define SPEED_MIN         31                  /* about 1/32 */
#define SPEED_MAX         1024000

struct recording_feed {
    struct feed feed;
    struct player *player;
    bool loop;
    bool paused;
    int speed_milli; /* 0: as fast as it can */
    int64_t next_ns; /* when the next tick is due, */
    int64_t due_ns;  /* and the next picture */
    int64_t from_ns;
    int64_t to_ns;
    struct trace_extent extent;
    const struct options *options;
    struct buf note; /* what does not fit, in one line */
    bool is_note_logged;
    struct scout *scout;  /* NULL: the recording cannot be read twice, */
    struct marker marker; /* so its marks are of what was played */
    struct ui_marks marks;
    bool is_measured;              /* extent */
    bool is_through;               /* the scout */
    char damage[SCOUT_NOTE_BYTES]; /* what the scout says is wrong with it */
    struct logbook logbook;
};

static struct recording_feed *of(struct feed *f) {
    return (struct recording_feed *)f;
}

/* Usually, between two ticks; 0 where it is not known. */
static int64_t usual_ns(const struct recording_feed *r) {
    int64_t span = r->extent.last_ns - r->extent.first_ns;
    return r->extent.ticks > 1 && span > 0 ? span / (int64_t)(r->extent.ticks - 1) : 0;
}

/* A tick a hair before the time where it shall end is the last. */
static bool at_end(const struct recording_feed *r) {
    return player_at_end(r->player) ||
           player_at_ns(r->player) >= r->to_ns - (r->to_ns < INT64_MAX ? usual_ns(r) / 2 : 0);
}

/* Of the recording, as it is waited for. */
static int64_t interval_of(const struct recording_feed *r) {
    int64_t interval = player_interval_ns(r->player);
    int64_t most = usual_ns(r);
    if (interval <= 0)
        return FIRST_INTERVAL_NS;
    if (most == 0)
        return interval;
    most = most > INT64_MAX / GAP ? INT64_MAX : most * GAP;
    most = most < GAP_NS ? GAP_NS : most;
    return interval < most ? interval : most;
}

static int64_t wait_of(const struct recording_feed *r) {
    if (r->speed_milli <= 0)
        return 0;
    return (int64_t)mul_div_u64((uint64_t)interval_of(r), 1000, (uint64_t)r->speed_milli);
}

/* The next picture, when the next tick is due at next_ns. */
static void schedule_from(struct recording_feed *r, int64_t now_ns) {
    r->due_ns = r->next_ns > now_ns ? r->next_ns : now_ns;
    if (at_end(r))
        r->due_ns = r->loop ? now_ns + LOOP_PAUSE_NS : INT64_MAX;
}

static void schedule(struct recording_feed *r, int64_t now_ns) {
    r->next_ns = now_ns + wait_of(r);
    schedule_from(r, now_ns);
}

/* At another speed: a tick that was near already comes no later. */
static void reschedule(struct recording_feed *r, int64_t now_ns) {
    int64_t next_ns = now_ns + wait_of(r);
    r->next_ns = next_ns < r->next_ns ? next_ns : r->next_ns;
    schedule_from(r, now_ns);
}

static void wait_for(struct feed *f, int64_t now_ns, struct source_wait *out) {
    const struct recording_feed *r = of(f);
    (void)now_ns;
    *out = (struct source_wait){.fd = -1, .due_ns = r->paused ? INT64_MAX : r->due_ns};
    if (r->scout && !r->is_through)
        out->fd = scout_fd(r->scout);
}

/* To where it begins again. */
static enum err rewind_to(struct recording_feed *r, const struct player_progress *progress) {
    return r->from_ns > 0 ? player_to_time(r->player, r->from_ns, progress)
                          : player_to_tick(r->player, 1, progress);
}

/* All ticks that are due before the next picture, as far as they are played in a moment. */
static enum err play_due(struct recording_feed *r, int64_t now_ns) {
    int64_t until_ns = now_ns + FRAME_NS;
    enum err e;
    do {
        e = player_next(r->player);
        if (e != ERR_OK)
            break;
        r->next_ns += wait_of(r);
    } while (r->next_ns < until_ns && !at_end(r) && clock_mono_ns() < now_ns + BURST_NS);
    int64_t after_ns = clock_mono_ns();
    if (r->next_ns < after_ns)
        r->next_ns = after_ns; /* what could not be played in time is not made up for */
    schedule_from(r, after_ns);
    return e;
}

static enum err advance(struct feed *f, int64_t now_ns) {
    struct recording_feed *r = of(f);
    enum err e;
    if (r->paused || now_ns < r->due_ns)
        return ERR_AGAIN;
    if (at_end(r) && r->loop) {
        e = rewind_to(r, NULL);
        schedule(r, now_ns);
    } else {
        e = play_due(r, now_ns);
    }
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

/* At the end there is nothing to stop: it plays anew, but where it is about to do so by itself. */
static enum err pause_or_play(struct recording_feed *r, const struct player_progress *progress) {
    if (!at_end(r) || (r->loop && !r->paused)) {
        r->paused = !r->paused;
        return ERR_OK;
    }
    r->paused = false;
    return rewind_to(r, progress);
}

static enum err seek_end(struct recording_feed *r, const struct player_progress *progress) {
    return r->to_ns < INT64_MAX ? player_to_time(r->player, r->to_ns, progress)
                                : player_to_tick(r->player, UINT64_MAX, progress);
}

static enum err command(struct feed *f, struct ui_command c,
                        const struct player_progress *progress) {
    struct recording_feed *r = of(f);
    enum err e = ERR_OK;
    switch (c.action) {
    case UI_PAUSE:
        e = pause_or_play(r, progress);
        break;
    case UI_LOOP:
        r->loop = !r->loop;
        schedule_from(r, clock_mono_ns());
        return ERR_OK;
    case UI_STEP:
        e = step(r, c.amount, progress);
        break;
    case UI_SPEED:
        change_speed(r, c.amount);
        reschedule(r, clock_mono_ns());
        return ERR_OK;
    case UI_SEEK_START:
        e = player_to_tick(r->player, 1, progress);
        break;
    case UI_SEEK_END:
        e = seek_end(r, progress);
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
    if (!note && r->damage[0])
        note = r->damage;
    if (note || !kind)
        return note;
    buf_clear(&r->note);
    fit_words(r->options, kind, player_counts(r->player), "; ", &r->note);
    if (r->note.n == 0)
        return NULL;
    buf_char(&r->note, '\0');
    return r->note.failed ? NULL : r->note.p;
}

/* Of the ticks that were played; with a scout of all. */
static void on_tick(void *ctx, const struct snapshot *s) {
    struct recording_feed *r = ctx;
    logbook_count(&r->logbook, player_counts(r->player));
    if (!r->scout)
        marker_take(&r->marker, s, player_counts(r->player));
    if (r->feed.on_tick)
        r->feed.on_tick(r->feed.ctx, s);
}

static void log_gaps(struct recording_feed *r) {
    int64_t longest_ns;
    uint32_t gaps = scout_gaps(r->scout, &longest_ns);
    if (gaps > 0)
        log_line(LOG_INFO, "the recording has %u gap%s between its ticks, the longest of %lld s",
                 gaps, gaps == 1 ? "" : "s", (long long)(longest_ns / 1000000000));
}

static const struct ui_marks *marks_of(struct recording_feed *r) {
    if (!r->scout) {
        if (player_at_end(r->player))
            marker_end(&r->marker, trace_note(player_trace(r->player)) != NULL);
        return &r->marker.marks;
    }
    if (!r->is_through) {
        r->is_through = scout_marks(r->scout, &r->marks);
        if (r->is_through)
            log_gaps(r);
    }
    return &r->marks;
}

/* Without its extent there is no length to show. A long recording is measured meanwhile. */
static void measure(struct recording_feed *r, int64_t most_ns) {
    r->is_measured = scout_extent(r->scout, most_ns, &r->extent, r->damage);
    if (r->is_measured)
        player_expect(r->player, r->extent.ticks);
}

static void describe(struct feed *f, struct ui_play *out) {
    struct recording_feed *r = of(f);
    if (r->scout && !r->is_measured)
        measure(r, 0);
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
    out->loops = r->loop;
    out->marks = marks_of(r);
    if (out->note && !r->is_note_logged)
        log_line(LOG_INFO, "%s", out->note);
    r->is_note_logged |= out->note != NULL;
    out->log = logbook_read(&r->logbook);
}

static void conclude(struct feed *f) {
    fit_say(of(f)->options, of(f)->player);
}

static void close_feed(struct feed *f) {
    if (!f)
        return;
    scout_stop(of(f)->scout);
    marker_finish(&of(f)->marker);
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

/* Plays the first tick, and up to where the options begin. */
static enum err begin(struct recording_feed *r, struct source *take_trace, struct err_info *info) {
    const struct options *o = r->options;
    enum err e = player_create(take_trace, false, o->assume_voltage_uv, true, &r->player);
    if (e != ERR_OK)
        return e;
    player_on_tick(r->player, on_tick, r);
    player_expect(r->player, r->extent.ticks);
    e = player_next(r->player);
    if (e == ERR_OK)
        e = player_look_ahead(r->player);
    if (e == ERR_OK)
        e = fit_check(o, r->player, info);
    if (e == ERR_OK && r->from_ns > 0)
        e = player_to_time(r->player, r->from_ns, NULL);
    return e;
}

static enum err begun_not(struct recording_feed *r, enum err e, struct err_info *info) {
    bool told = r->player && player_found_nothing(r->player);
    close_feed(&r->feed);
    return told           ? e
           : e == ERR_END ? err_set(info, ERR_FORMAT, 0, "the recording holds no whole tick", NULL)
                          : err_set(info, e, 0, "reading the recording failed", err_text(e));
}

enum err feed_recording(const struct options *o, struct source *take_trace, bool loop,
                        struct feed **out, struct err_info *info) {
    struct recording_feed *r = calloc(1, sizeof *r);
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
    if (!scout_can(o) || scout_start(o, &r->scout) != ERR_OK) {
        trace_scan(take_trace, &r->extent, NULL, NULL);
        marker_init(&r->marker, r->extent.last_ns - r->extent.first_ns);
    }
    enum err e = begin(r, take_trace, info);
    if (e != ERR_OK)
        return begun_not(r, e, info);
    if (r->scout)
        measure(r, MEASURE_NS);
    schedule(r, clock_mono_ns());
    *out = &r->feed;
    return ERR_OK;
}
