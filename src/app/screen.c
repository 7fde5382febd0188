/*
 * The screen's loop: waits for a key, a tick or a signal, changes the state, draws. Whatever ends it, the
 * terminal is given back first and words go to stderr after.
 */
#include "screen.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "gwtop/term.h"
#include "setup.h"
#include "signals.h"

struct screen {
    struct term *term;
    struct ui *ui;
    struct feed *feed;
    struct grid grid;
    struct ui_play play;
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

static void draw(struct screen *s) {
    int rows;
    int columns;
    term_size(s->term, &rows, &columns);
    if (grid_resize(&s->grid, rows, columns) != ERR_OK)
        return;
    ui_render(s->ui, s->feed->ops->snapshot(s->feed), &s->play, &s->grid);
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
    struct ui_command c = ui_key(s->ui, key, s->feed->ops->snapshot(s->feed));
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

/* Waits for the next thing to do. */
static void wait_for_work(struct screen *s) {
    struct source_wait wait;
    int64_t now = clock_mono_ns();
    s->feed->ops->wait(s->feed, now, &wait);
    struct pollfd fds[] = {
        {.fd = signals_fd(), .events = POLLIN},
        {.fd = term_fd(s->term), .events = POLLIN},
        {.fd = wait.fd, .events = POLLIN},
    };
    int64_t left = wait.due_ns > now ? wait.due_ns - now : 0;
    struct timespec t = {left / 1000000000, left % 1000000000};
    int n = ppoll(fds, 3, wait.due_ns == INT64_MAX ? NULL : &t, NULL);
    if (n > 0 && (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL)))
        s->gone = true;
}

static void loop(struct screen *s) {
    while (!s->quit && !s->gone && s->error == ERR_OK && !signals_got()) {
        uint32_t key;
        while (!s->quit && (key = term_key(s->term, &s->gone)) != 0)
            on_key(s, key);
        enum err e = s->feed->ops->advance(s->feed, clock_mono_ns());
        if (e != ERR_OK && e != ERR_AGAIN)
            s->error = e;
        if (s->quit || s->gone || s->error != ERR_OK)
            break;
        describe(s);
        draw(s);
        wait_for_work(s);
    }
}

static enum err open_all(struct screen *s, const struct options *o, struct err_info *info) {
    struct ui_options options = {.replay = s->replay, .demo = o->given[OPT_DEMO]};
    struct term_options term = {.no_color = color_refused(o)};
    enum err e = query_from_options(o, &options.query, &options.columns, info);
    if (e == ERR_OK)
        e = term_open(&term, &s->term, info);
    if (e != ERR_OK)
        return e;
    options.unicode = term_is_unicode(s->term) && !o->given[OPT_NO_UNICODE];
    e = ui_create(&options, &s->ui);
    return e == ERR_OK ? e : err_set(info, e, 0, err_text(e), NULL);
}

int screen_run(const struct options *o, struct feed *take_feed, bool replay) {
    struct screen s = {.feed = take_feed, .replay = replay};
    struct err_info info = {0};
    enum err e = open_all(&s, o, &info);
    if (e == ERR_OK)
        loop(&s);
    ui_destroy(s.ui);
    grid_finish(&s.grid);
    term_close(s.term);
    if (e == ERR_OK && take_feed->ops->conclude)
        take_feed->ops->conclude(take_feed);
    take_feed->ops->close(take_feed);
    if (e != ERR_OK)
        return report(&info);
    if (s.error != ERR_OK) {
        err_set(&info, s.error, 0, "the screen ended", err_text(s.error));
        return report(&info);
    }
    return EXIT_DONE;
}
