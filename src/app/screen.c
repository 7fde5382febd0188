/*
 * The screen's loop: waits for a key, a tick or a signal, changes the state, draws. Whatever ends it, the
 * terminal is given back first and words go to stderr after.
 */
#include "screen.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "config.h"
#include "leave.h"
#include "screen_wish.h"
#include "setup.h"
#include "signals.h"

struct screen {
    struct term *term;
    struct ui *ui;
    struct feed *feed;
    struct wisher wisher;
    struct grid grid;
    struct ui_play play;
    struct buf title;
    uint64_t titled;  /* tick */
    sigset_t waiting; /* the mask of signals while it waits */
    bool replay;
    bool gone;
    bool quit;
    enum err error;
};

static void describe(struct screen *s) {
    time_t now = time(NULL);
    struct tm local;
    s->play = (struct ui_play){.busy_ppm = -1};
    s->feed->ops->describe(s->feed, &s->play);
    if (!s->replay)
        s->play.now_real_ns = (int64_t)now * 1000000000;
    if (localtime_r(&now, &local))
        s->play.utc_offset_s = local.tm_gmtoff;
}

/* Once a tick at most. */
static void name_window(struct screen *s, const struct snapshot *shown) {
    uint64_t tick = shown ? shown->tick : 0;
    if (!ui_settings(s->ui)->number[SETTING_TITLE] || (tick == s->titled && tick > 0))
        return;
    s->titled = tick;
    buf_clear(&s->title);
    ui_title(s->ui, shown, &s->title);
    if (!s->title.failed)
        term_title(s->term, buf_span_of(&s->title));
}

static void draw(struct screen *s) {
    const struct snapshot *shown = s->feed->ops->snapshot(s->feed);
    int rows;
    int columns;
    term_size(s->term, &rows, &columns);
    if (grid_resize(&s->grid, rows, columns) != ERR_OK)
        return;
    ui_render(s->ui, shown, &s->play, &s->grid);
    if (!ui_cursor(s->ui, &rows, &columns))
        rows = columns = -1;
    term_cursor(s->term, rows, columns);
    name_window(s, shown);
    term_draw(s->term, &s->grid);
}

/* Shows how far a long seek is; any key stops it there. */
static bool on_progress(void *ctx, int ppm) {
    struct screen *s = ctx;
    uint32_t key = term_key(s->term, &s->gone);
    describe(s);
    s->play.busy_ppm = ppm;
    draw(s);
    return !s->gone && !signals_got() && (key == 0 || key == UI_KEY_RESIZE);
}

static void stop_and_wait(struct screen *s) {
    term_suspend(s->term);
    raise(SIGSTOP);
    term_resume(s->term);
    term_redraw(s->term);
}

static void on_key(struct screen *s, uint32_t key) {
    struct player_progress progress = {.step = on_progress, .ctx = s};
    const struct snapshot *shown = s->feed->ops->snapshot(s->feed);
    struct ui_mouse mouse;
    struct ui_command c;
    if (key == UI_KEY_MOUSE) {
        term_mouse(s->term, &mouse);
        c = ui_mouse(s->ui, &mouse, shown);
    } else {
        c = ui_key(s->ui, key, shown);
    }
    if (wisher_take(&s->wisher, c))
        return;
    switch (c.action) {
    case UI_NONE:
        break;
    case UI_QUIT:
        s->quit = true;
        break;
    case UI_REDRAW_ALL:
        term_redraw(s->term);
        break;
    case UI_SUSPEND:
        stop_and_wait(s);
        break;
    default: {
        enum err e = s->feed->ops->command(s->feed, c, &progress);
        if (e != ERR_OK && e != ERR_AGAIN && e != ERR_END)
            s->error = e;
        break;
    }
    }
}

/* One that came between the last look at the size and the wait would be slept over: it may come in the wait alone. */
static void hold_resizes(struct screen *s) {
    sigset_t resize;
    sigemptyset(&resize);
    sigaddset(&resize, SIGWINCH);
    sigprocmask(SIG_BLOCK, &resize, &s->waiting);
}

/* Waits for the next thing to do. */
static void wait_for_work(struct screen *s) {
    struct source_wait wait;
    int64_t now = clock_mono_ns();
    s->feed->ops->wait(s->feed, now, &wait);
    struct pollfd fds[] = {
        {.fd = signals_fd(), .events = POLLIN},
        {.fd = term_fd(s->term), .events = POLLIN},
        {.fd = wait.fd, .events = POLLIN},
        {.fd = wisher_fd(&s->wisher), .events = POLLIN},
    };
    int64_t left = wait.due_ns > now ? wait.due_ns - now : 0;
    struct timespec t = {left / 1000000000, left % 1000000000};
    int n = ppoll(fds, 4, wait.due_ns == INT64_MAX ? NULL : &t, &s->waiting);
    if (n > 0 && (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL)))
        s->gone = true;
}

static void loop(struct screen *s) {
    hold_resizes(s);
    while (!s->quit && !s->gone && s->error == ERR_OK && !signals_got()) {
        uint32_t key;
        while (!s->quit && !signals_got() && (key = term_key(s->term, &s->gone)) != 0)
            on_key(s, key);
        enum err e = s->feed->ops->advance(s->feed, clock_mono_ns());
        if (e != ERR_OK && e != ERR_AGAIN)
            s->error = e;
        if (s->quit || s->gone || s->error != ERR_OK)
            break;
        wisher_answer(&s->wisher);
        describe(s);
        draw(s);
        wait_for_work(s);
    }
    sigprocmask(SIG_SETMASK, &s->waiting, NULL);
}

static void on_tick(void *ctx, const struct snapshot *tick) {
    struct screen *s = ctx;
    ui_note(s->ui, tick);
}

static enum err open_all(struct screen *s, const struct screen_choice *choice,
                         struct err_info *info) {
    const struct options *o = choice->options;
    const struct settings *settings = &choice->settings;
    struct ui_options options = {
        .replay = s->replay,
        .demo = o->given[OPT_DEMO],
        .no_signals = s->replay || o->root || settings->number[SETTING_READONLY],
        .no_files = s->replay,
        .own_pid = (int32_t)getpid(),
        .own_uid = getuid(),
        .has_uid = !s->replay && !o->root,
        .insight = insight_here(s->replay),
        .settings = settings,
        .config_path = choice->save_path,
    };
    struct term_options term = wisher_term_options(o, settings);
    enum err e = query_from_settings(o, settings, &options.query, &options.columns, info);
    if (e == ERR_OK)
        e = term_open(&term, &s->term, info);
    if (e != ERR_OK)
        return e;
    options.unicode = term_is_unicode(s->term);
    e = ui_create(&options, &s->ui);
    if (e != ERR_OK)
        return err_set(info, e, 0, err_text(e), NULL);
    s->wisher = (struct wisher){.choice = choice, .ui = s->ui, .term = s->term, .feed = s->feed};
    s->feed->on_tick = on_tick;
    s->feed->ctx = s;
    if (s->feed->ops->set_delay)
        s->feed->ops->set_delay(s->feed, settings->number[SETTING_DELAY]);
    return ERR_OK;
}

enum err screen_choose(const struct options *o, struct screen_choice *out, struct err_info *info) {
    struct buf warnings = {0};
    *out = (struct screen_choice){.options = o};
    enum err e = settings_from_options(o, &out->settings, &warnings, &out->save_path, info);
    config_warn(&warnings);
    buf_finish(&warnings);
    return e;
}

void screen_choice_finish(struct screen_choice *c) {
    free(c->save_path);
    c->save_path = NULL;
}

int screen_run(const struct screen_choice *c, struct feed *take_feed, bool replay) {
    struct screen s = {.feed = take_feed, .replay = replay};
    struct err_info info = {0};
    struct leave way;
    enum err e = open_all(&s, c, &info);
    if (e == ERR_OK)
        loop(&s);
    take_feed->on_tick = NULL;
    wisher_finish(&s.wisher);
    ui_destroy(s.ui);
    grid_finish(&s.grid);
    buf_finish(&s.title);
    term_close(s.term);
    if (e == ERR_OK && take_feed->ops->conclude)
        take_feed->ops->conclude(take_feed);
    leave_begin(&way, e == ERR_OK && s.error == ERR_OK ? EXIT_DONE : EXIT_FAILED);
    take_feed->ops->close(take_feed);
    leave_end(&way);
    if (e != ERR_OK)
        return report(&info);
    if (s.error != ERR_OK) {
        err_set(&info, s.error, 0, "the screen ended", err_text(s.error));
        return report(&info);
    }
    return EXIT_DONE;
}
