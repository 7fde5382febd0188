/*
 * See scout.h. What plays the recording is a source, the eye, whose frames are reports of what it found so far: the worker
 * runs it in its thread and hands them over.
 */
#include "scout.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "pipeline.h"
#include "setup.h"

#define NICENESS  10                 /* who watches goes first */
#define REPORT_NS INT64_C(100000000) /* from one report to the next */

struct report {
    struct trace_extent extent;
    bool is_measured;
    char note[SCOUT_NOTE_BYTES]; /* of the trace */
    struct ui_marks marks;
    uint32_t gaps;
    int64_t gap_ns;
};

struct scout {
    struct source *worker;
    atomic_bool stop;
    bool through; /* or it gave up */
    struct report report;
};

bool scout_can(const struct options *o) {
    struct stat st;
    if (o->given[OPT_DEMO])
        return true;
    return o->operand_count > 0 && strcmp(o->operands[0], "-") != 0 &&
           stat(o->operands[0], &st) == 0 && S_ISREG(st.st_mode);
}

/* ---- the eye, in the thread ------------------------------------------------------------------ */

struct eye {
    struct source source; /* first: what the worker sees */
    const struct options *options;
    const atomic_bool *stop;
    struct source *trace; /* NULL: not opened yet */
    struct pipeline pipe;
    struct marker marker;
    struct report report;
    bool at_end;
};

static void poll_eye(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    *out = (struct source_wait){.fd = -1, .due_ns = now_ns};
}

static bool goes_on(void *ctx, int ppm) {
    (void)ppm;
    return !atomic_load(((const struct eye *)ctx)->stop);
}

/* What is wrong with the recording is told by whoever shows it. */
static enum err open_again(struct eye *y) {
    const struct options *o = y->options;
    struct err_info info = {0};
    setpriority(PRIO_PROCESS, 0, NICENESS); /* on Linux: of this thread alone */
    enum err e = o->given[OPT_DEMO] ? demo_open(&y->trace, &info)
                                    : recording_open(o, o->operands[0], &y->trace, &info);
    return e == ERR_OK ? pipeline_init(&y->pipe, false, o->assume_voltage_uv) : e;
}

static enum err measure(struct eye *y) {
    struct report *r = &y->report;
    enum err e = open_again(y);
    if (e == ERR_OK)
        e = trace_scan(y->trace, &r->extent, goes_on, y);
    if (e != ERR_OK)
        return e;
    const char *note = trace_note(y->trace);
    r->note[text_clean(r->note, sizeof r->note - 1, span_of(note ? note : ""))] = '\0';
    r->is_measured = true;
    marker_init(&y->marker, r->extent.last_ns - r->extent.first_ns);
    return ERR_OK;
}

static enum err play_on(struct eye *y) {
    int64_t until_ns = clock_mono_ns() + REPORT_NS;
    enum err e = ERR_OK;
    while ((e == ERR_OK || e == ERR_AGAIN) && goes_on(y, 0) && clock_mono_ns() < until_ns) {
        e = pipeline_read(&y->pipe, y->trace, 0);
        const struct snapshot *now = acct_snapshot(y->pipe.acct);
        if (e == ERR_OK && now)
            marker_take(&y->marker, now, bus_counts(y->pipe.bus));
    }
    y->at_end = e == ERR_END;
    if (y->at_end)
        marker_end(&y->marker, y->report.note[0] != '\0');
    return e == ERR_END || e == ERR_AGAIN ? ERR_OK : e;
}

static enum err read_eye(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    const struct subject nobody = {.name = "", .facts = ""};
    struct eye *y = (struct eye *)s;
    (void)now_ns;
    if (y->at_end || !goes_on(y, 0))
        return ERR_END;
    enum err e = y->report.is_measured ? play_on(y) : measure(y);
    if (e != ERR_OK)
        return e;
    y->report.marks = y->marker.marks;
    y->report.gaps = y->marker.gaps;
    y->report.gap_ns = y->marker.gap_ns;
    const struct frame f = {.bytes = (const char *)&y->report, .size = sizeof y->report};
    sink->frame(sink->ctx, &nobody, &f);
    return ERR_OK;
}

static void close_eye(struct source *s) {
    struct eye *y = (struct eye *)s;
    if (y->trace)
        y->trace->ops->close(y->trace);
    pipeline_finish(&y->pipe);
    marker_finish(&y->marker);
    free(y);
}

static const struct source_ops eye_ops = {.poll = poll_eye, .read = read_eye, .close = close_eye};

/* ---- on the other side ----------------------------------------------------------------------- */

enum err scout_start(const struct options *o, struct scout **out) {
    struct scout *s = calloc(1, sizeof *s);
    struct eye *y = calloc(1, sizeof *y);
    if (!s || !y) {
        free(s);
        free(y);
        return ERR_NOMEM;
    }
    *y = (struct eye){.source.ops = &eye_ops, .options = o, .stop = &s->stop};
    enum err e = worker_create(&y->source, &s->worker);
    if (e != ERR_OK) {
        free(s);
        return e;
    }
    *out = s;
    return ERR_OK;
}

static void take_report(void *ctx, const struct subject *subject, const struct frame *f) {
    struct scout *s = ctx;
    (void)subject;
    if (f->size == sizeof s->report)
        memcpy(&s->report, f->bytes, f->size);
}

static void listen(struct scout *s) {
    const struct frame_sink sink = {.ctx = s, .frame = take_report};
    if (s->through)
        return;
    enum err e = s->worker->ops->read(s->worker, 0, &sink);
    s->through = e != ERR_OK && e != ERR_AGAIN;
}

int scout_fd(const struct scout *s) {
    struct source_wait wait;
    s->worker->ops->poll(s->worker, 0, &wait);
    return s->through ? -1 : wait.fd;
}

bool scout_extent(struct scout *s, int64_t most_ns, struct trace_extent *out, char *note) {
    struct pollfd fd = {.fd = scout_fd(s), .events = POLLIN};
    if (!s->report.is_measured && most_ns > 0)
        (void)poll(&fd, 1, (int)(most_ns / 1000000));
    listen(s);
    *out = s->report.extent;
    memcpy(note, s->report.note, sizeof s->report.note);
    return s->report.is_measured;
}

bool scout_marks(struct scout *s, struct ui_marks *out) {
    listen(s);
    *out = s->report.marks;
    return s->through;
}

uint32_t scout_gaps(const struct scout *s, int64_t *longest_ns) {
    *longest_ns = s->report.gap_ns;
    return s->report.gaps;
}

void scout_stop(struct scout *s) {
    if (!s)
        return;
    atomic_store(&s->stop, true);
    s->worker->ops->close(s->worker);
    free(s);
}
