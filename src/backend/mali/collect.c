/*
 * The collector of the driver's internal profiling. It declares the device; only where that was
 * asked for it switches the recording on and, a tick later, off, reads it and switches it on
 * again. Each recording is a stream of its own. What the knob was before is put back at the end,
 * and by undo in a crash. A recording that somebody else started is never touched.
 *
 * Where trace points were asked for instead, their pages are read at each tick: one stream for as
 * long as the instance is there. Both tell the same jobs, so one goes without the other.
 */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PIECE       ((size_t)1 << 16)
#define FIRST_INDEX UINT64_C(1000) /* devices with a folder in /sys count from 0 */

struct collector {
    struct source source;
    struct host *host;
    uint16_t backend;
    char folder[MALI_FOLDER_MAX];
    const struct subject *device;
    const struct subject *windows;
    struct buf facts; /* of whatever is opened next */
    struct mali_recording recording;
    struct mali_initial initial; /* of the recording under way */
    struct mali_knob knob;       /* open while we record */
    bool other_told;
    bool failed_told;
    int64_t begun_ns;      /* of the recording */
    int64_t ended_ns;      /* of the one before: from then on the next one is to cover */
    int64_t seen_first_ns; /* stamps of the recording that was handed on last */
    int64_t seen_last_ns;
    struct mali_tracer tracer;
    const struct subject *trace; /* the stream of its pages */
};

/* ---- what is declared ------------------------------------------------------------------------ */

static bool has_file(struct collector *c, const char *file) {
    return mali_has_file(c->host, c->folder, file);
}

static const struct subject *declare(struct collector *c, const struct subject *like,
                                     const struct frame_sink *sink) {
    struct subject s = *like;
    buf_char(&c->facts, '\0');
    if (c->facts.failed)
        return NULL;
    s.facts = c->facts.p;
    return roster_open(c->host, &s, sink, clock_mono_ns());
}

static const struct subject *declare_stream(struct collector *c, const char *name,
                                            const struct frame_sink *sink) {
    const struct subject like = {.type = SUBJECT_STREAM,
                                 .parent = c->windows ? c->windows->id : 0,
                                 .device = c->device->id,
                                 .backend = c->backend,
                                 .name = name};
    return declare(c, &like, sink);
}

static enum err declare_device(struct collector *c, const struct frame_sink *sink) {
    const struct subject like = {.type = SUBJECT_DEVICE, .number = FIRST_INDEX, .name = "mali"};
    buf_clear(&c->facts);
    facts_put(&c->facts, "driver", span_of("mali"));
    mali_put_name(c->host, c->folder, &c->facts);
    c->device = declare(c, &like, sink);
    if (!c->device)
        return ERR_NOMEM;
    buf_clear(&c->facts);
    c->windows = declare_stream(c, "mali", sink);
    return c->windows ? ERR_OK : ERR_NOMEM;
}

static void end_trace(struct collector *c, const struct frame_sink *sink) {
    mali_tracer_close(&c->tracer);
    if (c->trace)
        roster_close(c->host, c->trace, "closed", sink, clock_mono_ns());
    c->trace = NULL;
}

static void lose_device(struct collector *c, const struct frame_sink *sink) {
    end_trace(c, sink);
    if (c->windows)
        roster_close(c->host, c->windows, "removed", sink, clock_mono_ns());
    if (c->device)
        roster_close(c->host, c->device, "removed", sink, clock_mono_ns());
    c->windows = c->device = NULL;
}

/* ---- when it records ------------------------------------------------------------------------- */

static void tell_failure(struct collector *c, unsigned kind, int sys, const char *what,
                         const struct frame_sink *sink) {
    host_emit(sink, c->windows, kind, clock_mono_ns(), NULL, -1, sys);
    if (!c->failed_told)
        log_line(LOG_WARN, "mali: %s: %s", what, strerror(sys));
    c->failed_told = true;
}

static void leave_alone(struct collector *c, const struct frame_sink *sink) {
    static const char body[] = "other_recorder=1\n";
    host_emit(sink, c->windows, MALI_WINDOW, clock_mono_ns(), body, sizeof(body) - 1, 0);
    if (!c->other_told)
        log_line(LOG_WARN, "mali: another program has the driver record; it is left alone");
    c->other_told = true;
}

static void begin(struct collector *c, const struct frame_sink *sink) {
    char path[MALI_PATH_MAX];
    char held[4];
    mali_path(path, c->folder, "profiling/record");
    ssize_t n = host_slurp(c->host, c->host->root_fd, path, held, sizeof(held));
    if (n < 0) {
        tell_failure(c, MALI_WINDOW, errno, "record cannot be read", sink);
        return;
    }
    if (n > 0 && held[0] != '0') {
        leave_alone(c, sink);
        return;
    }
    int sys = mali_has_room(c->host) ? mali_knob_take(&c->knob, path, n == 1 ? 1 : 2) : ENOMEM;
    if (sys == 0) {
        c->initial = mali_initial_learn(c->host);
        sys = mali_knob_turn(&c->knob, true);
        c->begun_ns = c->ended_ns = clock_mono_ns();
        if (sys != 0)
            mali_knob_let_go(&c->knob);
    }
    if (sys != 0)
        tell_failure(c, MALI_WINDOW, sys, "the recording cannot be started", sink);
}

/* ---- what was recorded ----------------------------------------------------------------------- */

static void put_option(struct collector *c, const char *key, const char *option) {
    facts_put(&c->facts, key, facts_get(c->host->machine_facts, option));
}

/* wall_ns: so long it was recorded at most; 0: for as long as it is read. */
static void put_recording_facts(struct collector *c, const char *clock, int64_t wall_ns) {
    buf_clear(&c->facts);
    mali_put_dialect(c->host, c->folder, c->tracer.fs.mount, buf_span_of(&c->recording.text),
                     &c->facts);
    facts_put(&c->facts, "clock", span_of(clock));
    put_option(c, "soc", "option.mali-soc");
    put_option(c, "assume_voltage_uv", "option.assume-voltage");
    put_option(c, "end", "option.mali-end");
    if (wall_ns > 0)
        facts_put_u64(&c->facts, "wall_ns", (uint64_t)wall_ns);
    if (c->initial.clock_hz > 0) {
        facts_put_u64(&c->facts, "clock_hz", c->initial.clock_hz);
        facts_put_u64(&c->facts, "voltage_uv", c->initial.voltage_uv);
    }
}

/* Starting empties the driver's buffer. Where it did not, as in a tree of plain files, the same
 * lines are there once more. */
static bool seen_before(const struct collector *c) {
    const struct mali_recording *r = &c->recording;
    return r->first_ns >= 0 && r->first_ns >= c->seen_first_ns && r->first_ns <= c->seen_last_ns;
}

static enum err hand_on(struct collector *c, const char *clock, int64_t wall_ns,
                        const struct frame_sink *sink) {
    struct span rest = buf_span_of(&c->recording.text);
    const struct subject *stream;
    if (rest.n == 0 || seen_before(c))
        return ERR_OK;
    put_recording_facts(c, clock, wall_ns);
    stream = declare_stream(c, "recording", sink);
    if (!stream)
        return ERR_NOMEM;
    while (rest.n > 0) {
        size_t n = rest.n < PIECE ? rest.n : PIECE;
        host_emit(sink, stream, MALI_EVENTS, clock_mono_ns(), rest.p, (ssize_t)n, 0);
        rest = span_skip(rest, n);
    }
    roster_close(c->host, stream, "closed", sink, clock_mono_ns());
    if (c->recording.first_ns >= 0) {
        c->seen_first_ns = c->recording.first_ns;
        c->seen_last_ns = c->recording.last_ns;
    }
    return ERR_OK;
}

static enum err tell_window(struct collector *c, int64_t recorded_ns, int64_t interval_ns,
                            const char *clock, const struct frame_sink *sink) {
    struct buf *b = &c->facts;
    buf_clear(b);
    facts_put_u64(b, "recorded_ns", (uint64_t)recorded_ns);
    facts_put_u64(b, "interval_ns", (uint64_t)interval_ns);
    facts_put_u64(b, "lines", c->recording.lines);
    facts_put(b, "clock", span_of(clock));
    if (b->failed)
        return ERR_NOMEM;
    host_emit(sink, c->windows, MALI_WINDOW, clock_mono_ns(), b->p, (ssize_t)b->n, 0);
    return ERR_OK;
}

static void go_on(struct collector *c, const struct frame_sink *sink) {
    int sys = mali_knob_turn(&c->knob, true);
    c->begun_ns = clock_mono_ns();
    if (sys == 0)
        return;
    mali_knob_let_go(&c->knob);
    tell_failure(c, MALI_WINDOW, sys, "the recording cannot be started again", sink);
}

/* Somebody else stopped it, or the driver went; else it is still ours to stop. */
static bool is_over(struct collector *c) {
    char path[MALI_PATH_MAX];
    char held[4];
    mali_path(path, c->folder, "profiling/record");
    ssize_t n = host_slurp(c->host, c->host->root_fd, path, held, sizeof(held));
    if (n < 0)
        return errno == ENOENT || errno == ENODEV;
    return n > 0 && held[0] == '0';
}

/* Reading is what keeps the driver from recording: all else comes after it is on again. */
static enum err look(struct collector *c, const struct frame_sink *sink) {
    char path[MALI_PATH_MAX];
    int64_t ended_ns = clock_mono_ns();
    int64_t recorded_ns = ended_ns - c->begun_ns;
    int64_t interval_ns = ended_ns - c->ended_ns;
    int sys = mali_knob_turn(&c->knob, false);
    if (sys != 0) {
        if (is_over(c))
            mali_knob_let_go(&c->knob);
        tell_failure(c, MALI_WINDOW, sys, "the recording cannot be stopped", sink);
        return ERR_OK;
    }
    const struct mali_stop at = {clock_read_ns(CLOCK_REALTIME), clock_read_ns(CLOCK_BOOTTIME)};
    int64_t wall_ns = clock_mono_ns() - c->knob.turned_ns;
    mali_path(path, c->folder, "profiling/events");
    sys = mali_recording_read(c->host, path, &c->recording);
    const struct mali_initial next = mali_initial_learn(c->host);
    go_on(c, sink);
    c->ended_ns = ended_ns;
    if (sys != 0)
        tell_failure(c, MALI_WINDOW, sys, "the recording cannot be read", sink);
    const char *clock = mali_recording_clock(&c->recording, &at);
    enum err e = hand_on(c, clock, wall_ns, sink);
    if (e == ERR_OK && sys == 0)
        e = tell_window(c, recorded_ns, interval_ns, clock, sink);
    c->initial = next;
    mali_recording_clear(&c->recording);
    return e;
}

/* ---- trace points ---------------------------------------------------------------------------- */

static bool is_asked(const struct host *h, const char *option) {
    return facts_u64(h->machine_facts, option, 0) != 0;
}

static bool wants_trace(const struct host *h) {
    return is_asked(h, "option.tracefs") && !is_asked(h, "option.mali-profiling");
}

static enum err declare_trace(struct collector *c, const struct frame_sink *sink) {
    put_recording_facts(c, c->tracer.fs.clock, 0);
    buf_span(&c->facts, buf_span_of(&c->tracer.facts));
    c->trace = declare_stream(c, "trace", sink);
    return c->trace ? ERR_OK : ERR_NOMEM;
}

static enum err begin_trace(struct collector *c, const struct frame_sink *sink) {
    int sys = mali_tracer_open(&c->tracer, c->host);
    if (sys == 0) {
        c->initial = mali_initial_learn(c->host);
        enum err e = declare_trace(c, sink);
        if (e != ERR_OK)
            return e;
        sys = mali_tracer_start(&c->tracer);
    }
    if (sys == 0)
        return ERR_OK;
    end_trace(c, sink);
    tell_failure(c, MALI_TRACE_PAGE, sys,
                 sys == ENOENT ? "there are no trace points" : "trace points cannot be read", sink);
    return ERR_OK;
}

static enum err trace(struct collector *c, const struct frame_sink *sink) {
    if (c->trace && !mali_tracer_there(&c->tracer))
        end_trace(c, sink);
    if (!c->trace)
        return begin_trace(c, sink);
    int sys = mali_tracer_read(&c->tracer, c->trace, sink);
    if (sys != 0)
        tell_failure(c, MALI_TRACE_PAGE, sys, "a trace pipe cannot be read", sink);
    return ERR_OK;
}

/* ---- the tick -------------------------------------------------------------------------------- */

static bool is_missing(struct collector *c) {
    char mount[TRACEFS_MOUNT_MAX];
    if (c->trace && mali_tracer_there(&c->tracer))
        return false;
    bool missing =
        !has_file(c, "profiling/record") && (!c->folder[0] || errno == ENOENT || errno == ENODEV);
    return missing && !(wants_trace(c->host) && mali_trace_find(c->host, mount));
}

static enum err collect_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct collector *c = (struct collector *)s;
    enum err e = c->device ? ERR_OK : declare_device(c, sink);
    (void)now_ns;
    if (e == ERR_OK && is_missing(c))
        e = ERR_GONE;
    if (e == ERR_OK && wants_trace(c->host))
        e = trace(c, sink);
    if (e == ERR_OK && is_asked(c->host, "option.mali-profiling")) {
        if (c->knob.fd >= 0)
            e = look(c, sink);
        else
            begin(c, sink);
    }
    if (e != ERR_OK)
        lose_device(c, sink);
    return e;
}

static void collect_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    *out = (struct source_wait){.fd = -1, .due_ns = now_ns};
}

static void collect_close(struct source *s) {
    struct collector *c = (struct collector *)s;
    if (!c)
        return;
    if (c->knob.fd >= 0) {
        int sys = mali_knob_turn(&c->knob, false);
        if (sys != 0)
            log_line(LOG_WARN, "mali: the recording cannot be stopped: %s", strerror(sys));
        mali_knob_let_go(&c->knob);
    }
    mali_tracer_close(&c->tracer);
    buf_finish(&c->recording.text);
    buf_finish(&c->facts);
    free(c);
}

static const struct source_ops ops = {
    .poll = collect_poll, .read = collect_read, .close = collect_close};

/* Either will do; an empty folder says that there are trace points alone. */
static bool find(const struct host *h, char folder[MALI_FOLDER_MAX]) {
    char mount[TRACEFS_MOUNT_MAX];
    if (mali_find(h, folder))
        return true;
    folder[0] = '\0';
    return wants_trace(h) && mali_trace_find(h, mount);
}

bool mali_probe(const struct host *host, const struct device_info *device) {
    char folder[MALI_FOLDER_MAX];
    return !device && find(host, folder);
}

enum err mali_open(struct host *host, const struct device_info *device, struct source **out) {
    struct collector *c;
    if (device)
        return ERR_UNSUPPORTED;
    c = calloc(1, sizeof(*c));
    if (!c)
        return ERR_NOMEM;
    c->source.ops = &ops;
    c->host = host;
    c->backend = (uint16_t)roster_backend(host, &backend_mali);
    mali_knob_init(&c->knob, host);
    c->seen_first_ns = c->seen_last_ns = -1;
    buf_init(&c->facts);
    buf_init(&c->recording.text);
    if (!find(host, c->folder)) {
        collect_close(&c->source);
        return ERR_GONE;
    }
    if (is_asked(host, "option.tracefs") && !wants_trace(host))
        log_line(LOG_WARN,
                 "mali: trace points are left out, the driver's recording tells the same");
    *out = &c->source;
    return ERR_OK;
}
