/*
 * Printed ticks. Live: --once takes two looks so that there are rates; -b, --json and --csv print the first
 * look at once, its rates unknown. Recordings play as fast as they can unless --speed says otherwise; `replay
 * --once` plays to the end and speaks of the whole span.
 */
#include "print.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands.h"
#include "fence.h"
#include "fit.h"
#include "gwtop/out.h"
#include "inapt.h"
#include "pipeline.h"
#include "player.h"
#include "setup.h"
#include "signals.h"

#define ONCE_DELAY_NS    INT64_C(250000000)
#define DEFAULT_DELAY_NS INT64_C(1000000000)

struct printer {
    const struct output *output;
    struct out_options options;
    struct out_state *state;
    struct buf buf;
    uint64_t limit; /* ticks to print; 0: no end */
    uint64_t printed;
    const struct options *asked;
    struct player *player; /* of a recording */
    bool has_user;         /* it has rows of the one that -u asked for */
};

/* What is said of a file is held back until something of it is accepted: no table of what is not there. */
#define HELD_MAX ((size_t)1 << 20)

bool print_is_asked(const struct options *o) {
    return o->given[OPT_ONCE] || o->given[OPT_BATCH] || o->given[OPT_JSON] || o->given[OPT_CSV] ||
           o->given[OPT_OPENMETRICS] || !isatty(STDOUT_FILENO);
}

/* Without a word about the form, a pipe gets one snapshot as text. OpenMetrics is always one. */
static bool is_once(const struct options *o) {
    return o->given[OPT_ONCE] || !(o->given[OPT_BATCH] || o->given[OPT_JSON] || o->given[OPT_CSV]);
}

static size_t stdout_columns(void) {
    struct winsize w;
    const char *columns = getenv("COLUMNS");
    uint64_t n;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
        return w.ws_col;
    if (columns && span_to_u64(span_of(columns), &n) == ERR_OK && n > 0 && n < 10000)
        return (size_t)n;
    return 0;
}

static enum err printer_init(struct printer *p, const struct options *o, bool replayed,
                             struct err_info *info) {
    const char *form = o->given[OPT_JSON]          ? "json"
                       : o->given[OPT_CSV]         ? "csv"
                       : o->given[OPT_OPENMETRICS] ? "openmetrics"
                                                   : "text";
    *p = (struct printer){
        .output = output_find(span_of(form)), .limit = is_once(o) ? 1 : o->iterations, .asked = o};
    buf_init(&p->buf);
    enum err e = query_from_options(o, &p->options.query, &p->options.columns, info);
    if (e != ERR_OK)
        return e;
    p->options.width = stdout_columns();
    p->options.unicode = stdout_unicode(o);
    p->options.color = stdout_color(o);
    p->options.replayed = replayed;
    p->options.demo = o->given[OPT_DEMO];
    p->options.batch = !is_once(o);
    p->options.insight = insight_here(replayed);
    p->options.brief = !replayed;
    p->options.shape.tree = o->given[OPT_TREE];
    e = p->output->open(&p->options, &p->state);
    if (e != ERR_OK)
        return err_set(info, e, 0, err_text(e), NULL);
    p->output->begin(p->state, &p->buf);
    return ERR_OK;
}

static void printer_finish(struct printer *p) {
    if (p->state)
        p->output->close(p->state);
    buf_finish(&p->buf);
}

static bool is_held(const struct printer *p) {
    return p->player && file_kind(player_trace(p->player)) && p->buf.n <= HELD_MAX &&
           player_counts(p->player)->accepted == 0;
}

/* ERR_END once enough was printed. */
static enum err printer_tick(struct printer *p, const struct snapshot *s, struct err_info *info) {
    p->output->tick(p->state, s, &p->buf);
    p->printed++;
    if (p->limit != 0 && p->printed >= p->limit)
        p->output->end(p->state, &p->buf);
    enum err e = is_held(p) ? ERR_OK : write_all(STDOUT_FILENO, &p->buf, info);
    if (e == ERR_OK && p->limit != 0 && p->printed >= p->limit)
        return ERR_END;
    return e;
}

static enum err print_looks(struct printer *p, struct pipeline *pipe, struct source *source,
                            bool once, struct err_info *info) {
    enum err e = pipeline_look(pipe, source, info);
    bool known = false;
    fence_up(fence_of_live(p->asked));
    if (e == ERR_OK && once)
        e = pipeline_look(pipe, source, info);
    while (e == ERR_OK) {
        const struct snapshot *s = acct_snapshot(pipe->acct);
        if (!known)
            inapt_say(p->asked, s);
        if (!known && query_check_device(&p->options.query, s, info) != ERR_OK)
            return ERR_NOENT;
        known = true;
        e = printer_tick(p, s, info);
        if (e == ERR_OK)
            e = pipeline_look(pipe, source, info);
    }
    return e;
}

static int conclude(enum err e, const struct err_info *info) {
    return e == ERR_OK || e == ERR_END || e == ERR_CLOSED ? EXIT_DONE : report(info);
}

int print_live(const struct options *o) {
    bool once = is_once(o);
    struct printer printer = {0};
    struct pipeline pipe = {0};
    struct live live = {0};
    struct err_info info = {0};
    int64_t delay = o->delay_ns ? o->delay_ns : once ? ONCE_DELAY_NS : DEFAULT_DELAY_NS;
    enum err e = printer_init(&printer, o, false, &info);
    if (e == ERR_OK)
        e = live_start(o, delay, &live, &info);
    if (e == ERR_OK && (e = pipeline_init(&pipe, false, o->assume_voltage_uv)) != ERR_OK)
        err_set(&info, e, 0, err_text(e), NULL);
    if (e == ERR_OK)
        e = print_looks(&printer, &pipe, live.source, once, &info);
    pipeline_finish(&pipe);
    live_stop(&live);
    printer_finish(&printer);
    return conclude(e, &info);
}

/* The last tick that is not after --to, or the end. Going past it and back needs checkpoints. */
static enum err play_whole(struct player *player, const struct options *o) {
    enum err e = player_next(player);
    if (e == ERR_OK && o->to_ns != INT64_MAX)
        return player_to_time(player, o->to_ns, NULL);
    while (e == ERR_OK && !signals_got())
        e = player_next(player);
    return e;
}

static enum err print_ticks(struct printer *p, struct player *player, const struct options *o,
                            struct err_info *info) {
    int64_t due_ns = clock_mono_ns();
    enum err e;
    while ((e = player_next(player)) == ERR_OK && player_at_ns(player) <= o->to_ns) {
        if (signals_got())
            return ERR_END;
        if (player_at_ns(player) < o->from_ns)
            continue;
        if (o->speed_milli > 0 && p->printed > 0) {
            due_ns += (int64_t)mul_div_u64((uint64_t)player_interval_ns(player), 1000,
                                           (uint64_t)o->speed_milli);
            if (signals_wait(-1, due_ns))
                return ERR_END;
        }
        if (p->printed == 0 &&
            query_check_device(&p->options.query, player_snapshot(player), info) != ERR_OK)
            return ERR_NOENT;
        e = printer_tick(p, player_snapshot(player), info);
        if (e != ERR_OK)
            return e;
    }
    return e;
}

static void say_note(const struct source *trace) {
    const char *note = trace_note(trace);
    if (note)
        fprintf(stderr, "gwtop: %s\n", note);
}

/* Enough was printed, but nothing is accepted yet: whether anything will be says the rest. */
static enum err settle(struct printer *p, struct err_info *info) {
    if (p->printed == 0)
        return ERR_OK;
    while (is_held(p) && !signals_got() && player_next(p->player) == ERR_OK)
        ;
    return is_held(p) ? ERR_OK : write_all(STDOUT_FILENO, &p->buf, info);
}

/* Words about the whole of what was played; the failure, if it is one. */
static enum err judge(struct printer *p, const struct options *o, struct err_info *info) {
    struct player *player = p->player;
    enum err e = settle(p, info);
    if (e != ERR_OK)
        return e;
    say_note(player_trace(player));
    if (p->printed == 0 && o->from_ns > 0 && !signals_got())
        return err_set(info, ERR_RANGE, 0, "the recording ends before --from", NULL);
    if (player_tick(player) == 0)
        return err_set(info, ERR_FORMAT, 0, "the recording holds no whole tick", NULL);
    if (!p->has_user)
        inapt_say_user(o);
    fit_say(o, player);
    return fit_check(o, player, info);
}

static void note_user(void *ctx, const struct snapshot *s) {
    struct printer *p = ctx;
    p->has_user = p->has_user || inapt_is_user(p->asked, s);
}

int print_recording(const struct options *o, struct source *take_trace) {
    struct printer printer = {0};
    struct player *player = NULL;
    struct err_info info = {0};
    bool once = is_once(o);
    enum err e = player_create(take_trace, once, o->assume_voltage_uv,
                               once && o->to_ns != INT64_MAX, &player);
    if (e != ERR_OK)
        err_set(&info, e, 0, err_text(e), NULL);
    else
        e = printer_init(&printer, o, true, &info);
    printer.player = player;
    if (player)
        player_on_tick(player, note_user, &printer);
    fence_up(FENCE_NAMED);
    if (e == ERR_OK && once) {
        e = play_whole(player, o);
        if ((e == ERR_OK || e == ERR_END) && player_snapshot(player))
            e = printer_tick(&printer, player_snapshot(player), &info);
    } else if (e == ERR_OK) {
        e = print_ticks(&printer, player, o, &info);
    }
    if (e != ERR_OK && e != ERR_END && !info.text[0])
        err_set(&info, e, 0, "reading the recording failed", err_text(e));
    if (player && (e == ERR_OK || e == ERR_END))
        e = judge(&printer, o, &info);
    player_destroy(player);
    printer_finish(&printer);
    return conclude(e, &info);
}

int print_devices(const struct options *o, struct source *take_trace) {
    struct pipeline pipe = {0};
    struct out_options options = {.unicode = stdout_unicode(o), .width = stdout_columns()};
    struct err_info info = {0};
    struct buf buf;
    enum err e = pipeline_init(&pipe, false, o->assume_voltage_uv);
    buf_init(&buf);
    if (e == ERR_OK)
        e = pipeline_read(&pipe, take_trace, clock_mono_ns());
    fence_up(FENCE_MACHINE);
    if (e != ERR_OK) {
        err_set(&info, e, 0, "reading the devices failed", err_text(e));
    } else if (acct_snapshot(pipe.acct)) {
        options.query.device = span_of(o->device);
        e = query_check_device(&options.query, acct_snapshot(pipe.acct), &info);
        if (e == ERR_OK)
            out_devices(acct_snapshot(pipe.acct), &options, o->given[OPT_JSON], &buf);
        if (e == ERR_OK)
            e = write_all(STDOUT_FILENO, &buf, &info);
    }
    buf_finish(&buf);
    pipeline_finish(&pipe);
    return conclude(e, &info);
}
