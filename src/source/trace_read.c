/*
 * Reads a trace frame by frame, as a source. Promises: whatever the bytes are, every whole frame before
 * the first damage is emitted, nothing after it, and a note says so. Sizes and ids are believed only up
 * to the limits of the format.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "input.h"
#include "trace_format.h"
#include "trace_reader.h"

static const struct subject machine = {.type = SUBJECT_MACHINE, .name = "", .facts = ""};

/* ---- the note --------------------------------------------------------------------------------- */

static void write_note(struct trace *t) {
    char odd[160] = "";
    if (t->odd) {
        snprintf(odd, sizeof odd, "%s%s (first at byte %" PRIu64 ")", t->damage[0] ? "; " : "",
                 t->odd, t->odd_at);
    }
    snprintf(t->note, sizeof t->note, "%s%s", t->damage, odd);
}

static void note_odd(struct trace *t, uint64_t at, const char *what) {
    if (!t->odd) {
        t->odd = what;
        t->odd_at = at;
        write_note(t);
    }
}

/* Ends the recording with the frame at byte `at`; `what` is NULL where the bytes ran out. */
static enum err stop(struct trace *t, uint64_t at, const char *what) {
    const struct trace_bytes *b = &t->bytes;
    char rest[80] = "";
    t->state.over = true;
    if (b->over && b->fault == ERR_NOMEM) {
        return ERR_NOMEM;
    }
    if (b->zstd) {
        snprintf(rest, sizeof rest, " of what was unpacked");
    } else if (b->file_size > at) {
        snprintf(rest, sizeof rest, " (the rest, %" PRIu64 " bytes, was not used)",
                 b->file_size - at);
    }
    if (what) {
        snprintf(t->damage, sizeof t->damage, "recording is damaged: %s at byte %" PRIu64 "%s",
                 what, at, rest);
    } else if (b->fault == ERR_IO) {
        snprintf(t->damage, sizeof t->damage,
                 "recording cannot be read on at byte %" PRIu64 "%s: %s", at, rest,
                 strerror(b->sys));
    } else {
        snprintf(t->damage, sizeof t->damage, "%s at byte %" PRIu64 "%s",
                 b->fault == ERR_FORMAT
                     ? "recording is damaged: it cannot be unpacked after a frame"
                 : b->fault == ERR_TRUNCATED ? "compressed recording was not closed: it ends"
                                             : "recording ends inside a frame",
                 at, rest);
    }
    write_note(t);
    return ERR_END;
}

/* ---- one frame -------------------------------------------------------------------------------- */

static void emit(const struct frame_sink *sink, const struct subject *s, const struct frame *f) {
    if (sink) {
        sink->frame(sink->ctx, s, f);
    }
}

/* The header line and its length with '\n'. Between frames is where a recording may end. */
static enum err peek_header(struct trace *t, struct trace_header *h, size_t *line_size) {
    uint64_t at = t->bytes.plain_at;
    struct span ahead = trace_bytes_peek(&t->bytes, TRACE_LINE_MAX);
    if (ahead.n == 0 && t->bytes.fault == ERR_OK) {
        t->state.over = true;
        return ERR_END;
    }
    size_t most = ahead.n < TRACE_LINE_MAX ? ahead.n : TRACE_LINE_MAX;
    const char *stop_at = most > 0 ? memchr(ahead.p, '\n', most) : NULL;
    if (!stop_at) {
        return stop(t, at, most == TRACE_LINE_MAX ? "no frame begins" : NULL);
    }
    *line_size = (size_t)(stop_at - ahead.p) + 1;
    if (!trace_read_header((struct span){ahead.p, *line_size - 1}, h)) {
        return stop(t, at, "no frame begins");
    }
    return ERR_OK;
}

/* The number of the frame's kind; `entry` is that of its subject, NULL if it is not open. */
static unsigned kind_of(const struct trace *t, const struct trace_header *h,
                        const struct trace_subject *entry) {
    unsigned kind = frame_kind_find(t->table, entry ? &entry->s : &machine, h->kind);
    return kind < TRACE_KIND_UNKNOWN ? kind : TRACE_KIND_UNKNOWN;
}

/* What is wrong with a frame of this kind for this subject; NULL for nothing. */
static const char *refusal(uint32_t id, unsigned kind, const struct trace_subject *entry) {
    bool of_machine = kind == FRAME_MACHINE || kind == FRAME_BEGIN || kind == FRAME_END;
    bool of_others = kind == FRAME_OPEN || kind == FRAME_CLOSE || kind == FRAME_STATE;
    if (id == 0 ? of_others : of_machine) {
        return "a frame is not about what it could be about";
    }
    return id != 0 && !entry && kind != FRAME_OPEN ? "a subject was never opened" : NULL;
}

/* Body and separator are at hand, else the recording ends here. The header line was taken. */
static enum err peek_body(struct trace *t, const struct trace_header *h, uint64_t at,
                          struct span *body) {
    struct span ahead = trace_bytes_peek(&t->bytes, h->size + 1);
    if (ahead.n <= h->size) {
        return stop(t, at, NULL);
    }
    *body = (struct span){ahead.p, h->size};
    return ahead.p[h->size] == '\n' ? ERR_OK : stop(t, at, "a body is not as long as it says");
}

/* The same where nobody looks at the body: takes it. */
static enum err skip_body(struct trace *t, const struct trace_header *h, uint64_t at) {
    trace_bytes_skip(&t->bytes, h->size);
    struct trace_header none = {.size = 0};
    struct span body;
    return peek_body(t, &none, at, &body);
}

static void close_reused(struct trace *t, const struct trace_subject *entry, int64_t t_ns,
                         const struct frame_sink *sink) {
    static const char reason[] = "reason=reused\n";
    struct frame f = {.t_ns = t_ns > entry->last_ns ? t_ns : entry->last_ns,
                      .bytes = reason,
                      .size = sizeof reason - 1,
                      .subject = entry->s.id,
                      .kind = FRAME_CLOSE};
    emit(sink, &entry->s, &f);
    trace_subjects_remove(&t->subjects, f.subject);
}

static enum err take_open(struct trace *t, const struct trace_header *h, uint64_t at,
                          const struct frame_sink *sink) {
    struct span body = {"", 0};
    enum err e = peek_body(t, h, at, &body);
    if (e != ERR_OK) {
        return e;
    }
    struct subject s;
    size_t facts_at = 0;
    buf_clear(&t->text);
    if (!trace_read_open(body, t->table, &s, &t->text, &facts_at)) {
        note_odd(t, at, "a subject is not fully described");
    }
    s.id = h->id;
    struct trace_subject *entry = trace_subjects_find(&t->subjects, h->id);
    if (entry) {
        note_odd(t, at, "a subject was opened twice");
        close_reused(t, entry, h->t_ns, sink);
    }
    e = t->text.failed ? ERR_NOMEM
                       : trace_subjects_add(&t->subjects, &s, buf_span_of(&t->text), facts_at);
    if (e != ERR_OK) {
        return e == ERR_RANGE ? stop(t, at, "more facts than any machine has") : e;
    }
    entry = trace_subjects_find(&t->subjects, h->id);
    entry->last_ns = h->t_ns;
    struct frame f = {.t_ns = h->t_ns,
                      .bytes = entry->s.facts,
                      .size = t->text.n - facts_at - 1,
                      .subject = h->id,
                      .sys = h->sys,
                      .kind = FRAME_OPEN,
                      .outcome = h->outcome};
    emit(sink, &entry->s, &f);
    trace_bytes_skip(&t->bytes, h->size + 1);
    return ERR_OK;
}

static enum err take_other(struct trace *t, const struct trace_header *h, uint64_t at,
                           unsigned kind, struct trace_subject *entry,
                           const struct frame_sink *sink) {
    struct span body = {"", 0};
    enum err e = sink ? peek_body(t, h, at, &body) : skip_body(t, h, at);
    if (e != ERR_OK) {
        return e;
    }
    int64_t *newest = entry ? &entry->last_ns : &t->state.machine_ns;
    if (h->t_ns < *newest) {
        note_odd(t, at, "a time that goes back was taken as standing still");
    } else {
        *newest = h->t_ns;
    }
    struct frame f = {.t_ns = *newest,
                      .bytes = body.p,
                      .size = h->size,
                      .subject = h->id,
                      .sys = h->sys,
                      .kind = (uint16_t)kind,
                      .outcome = h->outcome};
    emit(sink, entry ? &entry->s : &machine, &f);
    if (kind == FRAME_BEGIN) {
        t->state.first_ns = t->state.begun ? t->state.first_ns : f.t_ns;
        t->state.last_ns = f.t_ns;
        t->state.begun = true;
    }
    if (kind == FRAME_CLOSE) {
        trace_subjects_remove(&t->subjects, h->id);
    }
    trace_bytes_skip(&t->bytes, sink ? h->size + 1 : 1);
    return ERR_OK;
}

/* Takes the next frame. */
static enum err take_next(struct trace *t, const struct frame_sink *sink, unsigned *kind) {
    struct trace_header h = {0};
    size_t line_size = 0;
    uint64_t at = t->bytes.plain_at;
    enum err e = t->state.over ? ERR_END : peek_header(t, &h, &line_size);
    if (e != ERR_OK) {
        return e;
    }
    struct trace_subject *entry = h.id ? trace_subjects_find(&t->subjects, h.id) : NULL;
    *kind = kind_of(t, &h, entry);
    const char *why_not = refusal(h.id, *kind, entry);
    if (why_not) {
        return stop(t, at, why_not);
    }
    if (h.odd) {
        note_odd(t, at, "an outcome that this version does not know");
    }
    trace_bytes_skip(&t->bytes, line_size);
    return *kind == FRAME_OPEN ? take_open(t, &h, at, sink)
                               : take_other(t, &h, at, *kind, entry, sink);
}

enum err trace_next_tick(struct trace *t, const struct frame_sink *sink) {
    unsigned kind = FRAME_MACHINE;
    bool any = false;
    enum err e;
    while ((e = take_next(t, sink, &kind)) == ERR_OK) {
        any = true;
        if (kind == FRAME_END) {
            break;
        }
    }
    if (e == ERR_END && any && !t->damage[0]) {
        snprintf(t->damage, sizeof t->damage, "recording ends inside a tick, at byte %" PRIu64,
                 t->bytes.plain_at);
        write_note(t);
    }
    if (e == ERR_OK || (e == ERR_END && any)) {
        t->state.ticks++;
        return ERR_OK;
    }
    return e;
}

/* ---- as a source ------------------------------------------------------------------------------ */

static void poll_trace(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    *out = (struct source_wait){.fd = -1, .due_ns = now_ns};
}

static enum err read_trace(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    (void)now_ns;
    return trace_next_tick((struct trace *)s, sink);
}

static void close_trace(struct source *s) {
    struct trace *t = (struct trace *)s;
    if (t) {
        int fd = t->bytes.fd;
        trace_bytes_finish(&t->bytes);
        trace_subjects_finish(&t->subjects);
        buf_finish(&t->text);
        close(fd);
        free(t);
    }
}

static const struct source_ops trace_ops = {
    .poll = poll_trace, .read = read_trace, .close = close_trace};

static const char not_ours[] = "not a gwtop trace; what a driver wrote may need --as KIND";

static enum err check_first_line(struct trace *t, const char *path, struct err_info *info) {
    struct span ahead = trace_bytes_peek(&t->bytes, TRACE_LINE_MAX);
    struct cursor c = cursor_over(ahead);
    struct span line = {"", 0};
    bool whole = cursor_line(&c, &line) && line.n < ahead.n;
    enum err e = trace_read_first_line(line);
    if (e == ERR_OK && whole) {
        trace_bytes_skip(&t->bytes, line.n + 1);
        return ERR_OK;
    }
    if (e == ERR_VERSION) {
        return err_set(info, e, 0, path, "recorded by a newer version of gwtop");
    }
    if (t->bytes.fault == ERR_NOMEM || t->bytes.fault == ERR_IO) {
        return err_set(info, t->bytes.fault, t->bytes.sys, path, err_text(t->bytes.fault));
    }
    if (t->bytes.zstd && ahead.n == 0) {
        return err_set(info, ERR_TRUNCATED, 0, path, "compressed, and cannot be unpacked");
    }
    return err_set(info, ERR_FORMAT, 0, path, not_ours);
}

/* Closes take->fd on failure. */
static enum err trace_open_input(const struct input *take, const char *path,
                                 const struct backend_table *table, struct source **out,
                                 struct err_info *info) {
    const struct input in = *take;
    struct trace *t = calloc(1, sizeof *t);
    if (!t) {
        close(in.fd);
        return err_set(info, ERR_NOMEM, 0, path, err_text(ERR_NOMEM));
    }
    t->source.ops = &trace_ops;
    t->table = table;
    enum err e = trace_bytes_init(&t->bytes, in.fd, in.size);
    if (e == ERR_OK && in.size == 0) {
        close_trace(&t->source);
        return err_set(info, ERR_FORMAT, 0, path, "is empty");
    }
    e = e == ERR_OK ? check_first_line(t, path, info) : err_set(info, e, 0, path, err_text(e));
    if (e != ERR_OK) {
        close_trace(&t->source);
        return e;
    }
    *out = &t->source;
    return ERR_OK;
}

/* ---- of either sort --------------------------------------------------------------------------- */

#define HEAD_BYTES 4096

struct guess {
    const struct backend_table *table;
    const struct recording_as *as; /* NULL: it is a trace */
    unsigned backend;
    unsigned kind;
};

static bool may_be_trace(struct span head) {
    return trace_may_begin(head) || trace_bytes_may_be_packed(head);
}

/* The first kind of the table that takes it for its own. */
static bool guess_kind(struct guess *g, struct span head, bool more) {
    for (size_t b = 0; g->as && b < g->table->count; b++)
        for (size_t k = 0; k < g->table->list[b]->kind_count; k++) {
            const struct vendor_file *v = g->table->list[b]->kinds[k].file;
            if (!v || !v->recognise || !v->recognise(head, more))
                continue;
            g->backend = (unsigned)b + 1;
            g->kind = (unsigned)k;
            return true;
        }
    return false;
}

static bool may_begin(const void *ctx, struct span head) {
    struct guess g = *(const struct guess *)ctx;
    return may_be_trace(head) || guess_kind(&g, head, true);
}

/* Whether what was opened is a vendor's; g says of which kind. */
static bool is_vendor(struct guess *g, const struct input *in) {
    char head[HEAD_BYTES];
    int64_t n = input_read(in->fd, head, sizeof head, 0);
    struct span s = {head, n > 0 ? (size_t)n : 0};
    return s.n > 0 && !may_be_trace(s) && guess_kind(g, s, false);
}

enum err recording_open_as(const char *path, const struct backend_table *table,
                           const struct recording_as *as, struct source **out,
                           struct err_info *info) {
    struct guess g = {.table = table, .as = as};
    const struct input_want want = {.most = (uint64_t)8 << 30,
                                    .too_long = "longer than 8 GiB",
                                    .may_begin = may_begin,
                                    .ctx = &g,
                                    .foreign = not_ours};
    struct input in;
    enum err e = input_open(path, &want, &in, info);
    if (e != ERR_OK)
        return e;
    if (!as || !is_vendor(&g, &in))
        return trace_open_input(&in, path, table, out, info);
    const struct file_wish wish = {table, g.backend, g.kind, as->facts, as->delay_ns};
    return file_open_input(&in, path, &wish, out, info);
}

enum err trace_open(const char *path, const struct backend_table *table, struct source **out,
                    struct err_info *info) {
    return recording_open_as(path, table, NULL, out, info);
}

struct trace *trace_of(const struct source *s) {
    return s->ops == &trace_ops ? (struct trace *)s : NULL;
}

const char *trace_note(const struct source *trace) {
    const struct trace *t = trace_of(trace);
    return t && t->note[0] ? t->note : NULL;
}
