/* `gwtop record`: raw frames of the live machine into a trace. Prints what it wrote when it ends. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "fence.h"
#include "gwtop/backend.h"
#include "pipeline.h"
#include "setup.h"
#include "signals.h"

#define DEFAULT_DELAY_NS INT64_C(1000000000)

static enum err open_target(const char *path, int *fd, struct err_info *info) {
    if (strcmp(path, "-") == 0) {
        if (isatty(STDOUT_FILENO))
            return err_set(info, ERR_USAGE, 0, "a recording does not go to a terminal", NULL);
        *fd = dup(STDOUT_FILENO);
    } else {
        *fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0600);
    }
    if (*fd < 0)
        return err_set(info, err_from_sys(errno), errno, path, strerror(errno));
    return ERR_OK;
}

/* Where jobs are recorded somebody has to find out whose names they lack: frames go to accounting as well. */
struct listener {
    struct frame_sink writer;
    struct frame_sink bus;
    struct pipeline pipe;
};

static void tell_both(void *ctx, const struct subject *s, const struct frame *f) {
    struct listener *l = ctx;
    l->writer.frame(l->writer.ctx, s, f);
    l->bus.frame(l->bus.ctx, s, f);
}

static bool may_hold_jobs(const struct host *h) {
    return facts_get(h->machine_facts, "option.mali-profiling").n > 0 ||
           facts_get(h->machine_facts, "option.tracefs").n > 0;
}

/* Ticks until the limit, a signal, or a failure of the writer. */
static enum err record_ticks(const struct options *o, struct source *source,
                             struct trace_writer *writer, struct listener *listener,
                             uint64_t *ticks, struct err_info *info) {
    struct frame_sink sink = trace_writer_sink(writer);
    struct source_wait wait;
    if (listener->pipe.bus) {
        listener->writer = sink;
        listener->bus = bus_sink(listener->pipe.bus);
        sink = (struct frame_sink){.ctx = listener, .frame = tell_both};
    }
    while (o->iterations == 0 || *ticks < o->iterations) {
        source->ops->poll(source, clock_mono_ns(), &wait);
        if (signals_wait(wait.fd, wait.due_ns))
            break;
        if (listener->pipe.bus)
            wish_begin(&listener->pipe.wish, source, acct_snapshot(listener->pipe.acct));
        enum err e = source->ops->read(source, clock_mono_ns(), &sink);
        if (e == ERR_AGAIN)
            continue;
        if (e != ERR_OK)
            return err_set(info, e, 0, "reading the machine failed", err_text(e));
        e = trace_writer_error(writer, info);
        if (e != ERR_OK)
            return e;
        if (listener->pipe.bus)
            wish_send(&listener->pipe.wish, source, acct_snapshot(listener->pipe.acct));
        if (++*ticks == 1)
            fence_up(fence_of_live(o));
    }
    return ERR_OK;
}

int command_record(const struct options *o) {
    struct live live = {0};
    struct listener listener = {0};
    struct trace_writer *writer = NULL;
    struct err_info info = {0};
    struct err_info closing = {0};
    uint64_t ticks = 0;
    uint64_t bytes = 0;
    int fd = -1;
    enum err e;
    if (!o->output) {
        err_set(&info, ERR_USAGE, 0, "record needs -o FILE", NULL);
        return report(&info);
    }
    struct trace_write_options options = {.compress = span_ends(span_of(o->output), ".zst"),
                                          .scrub = o->given[OPT_SCRUB]};
    e = live_start(o, o->delay_ns ? o->delay_ns : DEFAULT_DELAY_NS, &live, &info);
    if (e == ERR_OK)
        e = open_target(o->output, &fd, &info);
    if (e == ERR_OK) {
        e = trace_writer_create(fd, &backend_table, &options, &writer);
        if (e != ERR_OK)
            err_set(&info, e, 0, o->output, err_text(e));
    }
    if (e == ERR_OK && may_hold_jobs(live.host) &&
        (e = pipeline_init(&listener.pipe, false, 0)) != ERR_OK)
        err_set(&info, e, 0, err_text(e), NULL);
    if (e == ERR_OK) {
        e = record_ticks(o, live.source, writer, &listener, &ticks, &info);
        bytes = trace_writer_bytes(writer);
    }
    live_stop(&live);
    pipeline_finish(&listener.pipe);
    enum err closed = trace_writer_close(writer, &closing);
    if (e == ERR_OK && closed != ERR_OK) {
        e = closed;
        info = closing;
    }
    if (ticks > 0)
        fprintf(stderr, "gwtop: %" PRIu64 " tick%s, %" PRIu64 " bytes in %s\n", ticks,
                ticks == 1 ? "" : "s", bytes, o->output);
    if (e == ERR_CLOSED)
        return EXIT_DONE;
    return e == ERR_OK ? EXIT_DONE : report(&info);
}
