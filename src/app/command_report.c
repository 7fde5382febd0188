/*
 * `gwtop report`: one HTML page (or, with --csv, one sheet) about a recording or about the live
 * machine for -n ticks. It is written to a file beside its place and then put there, so that no
 * half of it is ever seen. A signal ends the watching, not the writing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "commands.h"
#include "fence.h"
#include "fit.h"
#include "gwtop/out.h"
#include "inapt.h"
#include "pipeline.h"
#include "player.h"
#include "setup.h"
#include "signals.h"

#define DEFAULT_DELAY_NS INT64_C(1000000000)
#define DEFAULT_TICKS    10

struct writer {
    const struct output *output;
    struct out_options options;
    struct out_state *state;
    struct buf buf;
    bool known; /* -i names a device that is there */
    const struct options *asked;
};

static enum err writer_init(struct writer *w, const struct options *o, struct err_info *info) {
    *w = (struct writer){
        .output = output_find(span_of(o->given[OPT_CSV] ? "report-csv" : "report")), .asked = o};
    buf_init(&w->buf);
    enum err e = query_from_options(o, &w->options.query, &w->options.columns, info);
    if (e == ERR_OK && o->given[OPT_FILTER]) /* it speaks of rows of one moment */
        e = err_set(info, ERR_USAGE, 0, "report takes -u, -p and -i, but no --filter", NULL);
    if (e != ERR_OK)
        return e;
    w->options.replayed = o->operand_count > 0;
    w->options.demo = o->given[OPT_DEMO];
    w->options.scrub = o->given[OPT_SCRUB];
    e = w->output->open(&w->options, &w->state);
    return e == ERR_OK ? e : err_set(info, e, 0, err_text(e), NULL);
}

static void writer_finish(struct writer *w) {
    if (w->state)
        w->output->close(w->state);
    buf_finish(&w->buf);
}

static enum err writer_tick(struct writer *w, const struct snapshot *s, struct err_info *info) {
    if (!w->known && query_check_device(&w->options.query, s, info) != ERR_OK)
        return ERR_NOENT;
    w->known = true;
    w->output->tick(w->state, s, &w->buf);
    return ERR_OK;
}

/* ---- what it is about ---------------------------------------------------------------------- */

/* The first look says where totals stand; `limit` ticks follow. */
static enum err watch(struct writer *w, struct pipeline *pipe, struct source *source,
                      uint64_t limit, struct err_info *info) {
    for (uint64_t ticks = 0; ticks <= limit; ticks++) {
        enum err e = pipeline_look(pipe, source, info);
        if (ticks == 0)
            fence_up(fence_of_live(w->asked) | FENCE_FILES | FENCE_NAMED);
        if (e == ERR_END)
            return ERR_OK;
        if (e == ERR_OK && !w->known)
            inapt_say(w->asked, acct_snapshot(pipe->acct));
        if (e == ERR_OK)
            e = writer_tick(w, acct_snapshot(pipe->acct), info);
        if (e != ERR_OK)
            return e;
    }
    return ERR_OK;
}

static enum err gather_live(struct writer *w, const struct options *o, struct err_info *info) {
    struct pipeline pipe = {0};
    struct live live = {0};
    enum err e = live_start(o, o->delay_ns ? o->delay_ns : DEFAULT_DELAY_NS, &live, info);
    if (e == ERR_OK) {
        e = pipeline_init(&pipe, false, o->assume_voltage_uv);
        if (e != ERR_OK)
            err_set(info, e, 0, err_text(e), NULL);
    }
    if (e == ERR_OK)
        e = watch(w, &pipe, live.source, o->iterations ? o->iterations : DEFAULT_TICKS, info);
    live_stop(&live);
    pipeline_finish(&pipe);
    return e;
}

/* Forgets what was gathered: a snapshot does not outlive the next, so the one that says where
 * totals stand is told to a report that begins with it. */
static enum err writer_restart(struct writer *w, struct err_info *info) {
    w->output->close(w->state);
    w->state = NULL;
    enum err e = w->output->open(&w->options, &w->state);
    return e == ERR_OK ? e : err_set(info, e, 0, err_text(e), NULL);
}

/* The last tick that is not after --from says where totals stood; `iterations` ticks follow. */
static enum err play(struct writer *w, struct player *player, const struct options *o,
                     struct err_info *info) {
    uint64_t told = 0;
    enum err e;
    while ((e = player_next(player)) == ERR_OK && player_at_ns(player) <= o->to_ns) {
        bool base = player_tick(player) == 1 || player_at_ns(player) <= o->from_ns;
        if (signals_got())
            return ERR_OK;
        if (base)
            e = writer_restart(w, info);
        if (e == ERR_OK)
            e = writer_tick(w, player_snapshot(player), info);
        if (e != ERR_OK)
            return e;
        told += !base;
        if (o->iterations > 0 && told == o->iterations)
            return ERR_OK;
    }
    return e == ERR_END || e == ERR_OK
               ? ERR_OK
               : err_set(info, e, 0, "reading the recording failed", err_text(e));
}

static enum err gather_recording(struct writer *w, const struct options *o, struct err_info *info) {
    struct source *trace = NULL;
    struct player *player = NULL;
    enum err e = o->operand_count > 0 ? recording_open(o, o->operands[0], &trace, info)
                                      : demo_open(&trace, info);
    if (e != ERR_OK)
        return e;
    e = player_create(trace, false, o->assume_voltage_uv, false, &player);
    if (e != ERR_OK)
        return err_set(info, e, 0, err_text(e), NULL);
    fence_up(FENCE_FILES | FENCE_NAMED);
    e = play(w, player, o, info);
    if (e == ERR_OK)
        e = fit_check(o, player, info);
    const char *note = trace_note(player_trace(player));
    if (note)
        fprintf(stderr, "gwtop: %s\n", note);
    fit_say(o, player);
    player_destroy(player);
    return e;
}

/* ---- where it goes ------------------------------------------------------------------------- */

/* A signal before it does not stop it; one that interrupts it does. */
static enum err write_out(int fd, const struct buf *b, struct err_info *info) {
    size_t done = 0;
    while (done < b->n) {
        ssize_t n = write(fd, b->p + done, b->n - done);
        if (n < 0 && errno == EPIPE)
            return err_set(info, ERR_CLOSED, EPIPE, "the reader went away", NULL);
        if (n < 0)
            return err_set(info, err_from_sys(errno), errno, "writing the report failed",
                           strerror(errno));
        done += (size_t)n;
    }
    return ERR_OK;
}

/* What is there and is no plain file (a pipe, a device) is written to as it is. */
static enum err write_through(const char *path, const struct buf *b, struct err_info *info) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return path_failed(path, info);
    enum err e = write_out(fd, b, info);
    close(fd);
    return e;
}

/* As a shell's `>` would have it: that of the file that is there, or what the umask leaves. */
static mode_t mode_of(const char *target) {
    struct stat st;
    if (stat(target, &st) == 0)
        return st.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

struct page {
    const struct buf *text;
    const char *path;
    const char *target;
};

static enum err fill(void *ctx, int fd, struct err_info *info) {
    const struct page *p = ctx;
    enum err e = write_out(fd, p->text, info);
    return e == ERR_OK && fchmod(fd, mode_of(p->target)) != 0 ? path_failed(p->path, info) : e;
}

static enum err replace(const char *path, const struct buf *b, struct err_info *info) {
    char target[BESIDE_PATH_MAX];
    struct page page = {b, path, target};
    if (!realpath(path, target)) {
        size_t n = strlen(path) + 1;
        if (n > sizeof target)
            return err_set(info, ERR_USAGE, 0, "name too long", NULL);
        memcpy(target, path, n);
    }
    return beside_replace(target, path, fill, &page, info);
}

static enum err put_report(const char *path, const struct buf *b, struct err_info *info) {
    struct stat st;
    if (b->failed)
        return err_set(info, ERR_NOMEM, 0, "out of memory", NULL);
    if (strcmp(path, "-") == 0)
        return write_out(STDOUT_FILENO, b, info);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return write_through(path, b, info);
    return replace(path, b, info);
}

int command_report(const struct options *o) {
    struct err_info info = {0};
    struct writer w = {0};
    enum err e = ERR_OK;
    if (!o->output)
        e = err_set(&info, ERR_USAGE, 0, "report needs -o FILE", NULL);
    else if (strcmp(o->output, "-") == 0 && !o->given[OPT_CSV] && isatty(STDOUT_FILENO))
        e = err_set(&info, ERR_USAGE, 0, "a page does not go to a terminal", NULL);
    if (e == ERR_OK)
        e = writer_init(&w, o, &info);
    if (e == ERR_OK)
        e = o->operand_count > 0 || o->given[OPT_DEMO] ? gather_recording(&w, o, &info)
                                                       : gather_live(&w, o, &info);
    if (e == ERR_OK) {
        w.output->end(w.state, &w.buf);
        e = put_report(o->output, &w.buf, &info);
    }
    writer_finish(&w);
    return e == ERR_OK || e == ERR_CLOSED ? EXIT_DONE : report(&info);
}
