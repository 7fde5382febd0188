/*
 * A vendor file as a source of one subject, whose frames are whole units of the file as its kind cuts
 * them: one tick, in which all frames stand at 0; or ticks of the file's own time, where units tell it.
 *
 * A window of the file is held, of some pieces or one unit: memory is not bounded by the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_parts.h"

#define READ_BYTES ((size_t)1 << 20)

static const struct subject machine = {.type = SUBJECT_MACHINE, .name = "", .facts = ""};

enum err file_fill(struct file *f, size_t want) {
    if (f->taken > 0 && f->window.n - f->taken < want) {
        memmove(f->window.p, f->window.p + f->taken, f->window.n - f->taken);
        f->window.n -= f->taken;
        f->taken = 0;
    }
    while (!f->at_end && f->window.n - f->taken < want) {
        if (!buf_reserve(&f->window, READ_BYTES)) {
            return ERR_NOMEM;
        }
        int64_t got = input_read(f->input.fd, f->window.p + f->window.n, READ_BYTES, f->read_at);
        if (got < 0) {
            return err_from_sys(errno);
        }
        f->at_end = got == 0;
        f->read_at += (uint64_t)got;
        f->window.n += (size_t)got;
    }
    return ERR_OK;
}

static struct span waiting(const struct file *f) {
    return (struct span){f->window.p + f->taken, f->window.n - f->taken};
}

/* ---- pieces ----------------------------------------------------------------------------------- */

static size_t cut_lines(struct span rest) {
    const char *last = memrchr(rest.p, '\n', rest.n);
    return last ? (size_t)(last - rest.p) + 1 : 0;
}

bool file_is_one_reading(const struct kind *k) {
    return k->decode && !(k->file && k->file->cut);
}

/* Bytes of the next frame; 0 at the end. A unit larger than a piece is looked for in ever more of the
 * file; what is none even then is handed over for decode to count. */
static enum err next_piece(struct file *f, size_t *out) {
    const struct vendor_file *v = f->kind->file;
    bool one = file_is_one_reading(f->kind);
    for (size_t look = one ? UNIT_MAX : PIECE_BYTES;; look *= 2) {
        enum err e = file_fill(f, look);
        if (e != ERR_OK) {
            return e;
        }
        struct span rest = waiting(f);
        bool all = rest.n <= look && f->at_end;
        rest.n = rest.n < look ? rest.n : look;
        size_t cut = rest.n;
        if (rest.n > 0 && !one) {
            cut = v && v->cut ? v->cut(rest) : cut_lines(rest);
            cut = cut <= rest.n ? cut : 0;
        }
        if (cut == 0 && (all || look >= UNIT_MAX)) {
            cut = rest.n;
        }
        if (cut > 0 || rest.n == 0) {
            *out = cut;
            return ERR_OK;
        }
    }
}

static void emit(const struct file *f, const struct frame_sink *sink, const struct subject *s,
                 unsigned kind, struct span body) {
    struct frame frame = {.t_ns = f->timed ? f->clock.begin_ns : 0,
                          .bytes = body.p,
                          .size = body.n,
                          .subject = s->id,
                          .kind = (uint16_t)kind};
    sink->frame(sink->ctx, s, &frame);
}

/* ---- units and their time --------------------------------------------------------------------- */

static uint64_t window_at(const struct file *f) {
    return f->read_at - f->window.n;
}

static size_t next_unit(const struct file *f, size_t skip, struct span rest,
                        struct file_trail *trail, int64_t *t_ns) {
    const struct vendor_file *v = f->kind->file;
    if (v->next_by)
        return v->next_by(f->plan, trail, rest, t_ns);
    if (!v->next_after)
        return v->next(rest, t_ns);
    bool start = window_at(f) + f->taken + skip < f->head_bytes;
    return v->next_after((struct span){f->head, start ? 0 : f->head_bytes}, rest, t_ns);
}

/* The unit that waits behind `skip` bytes: its size, 0 at the end, and its stamp. The trail becomes its own. */
static enum err look_at(struct file *f, size_t skip, struct file_trail *trail, size_t *n,
                        int64_t *t_ns) {
    for (size_t look = 0;; look = look ? look * 2 : PIECE_BYTES) {
        enum err e = file_fill(f, skip + look);
        if (e != ERR_OK)
            return e;
        struct span rest = span_skip(waiting(f), skip);
        *t_ns = FILE_UNTOLD;
        struct file_trail own = *trail;
        *n = rest.n > 0 ? next_unit(f, skip, rest, &own, t_ns) : 0;
        if (*n > 0 && *n <= rest.n) {
            *trail = own;
            *t_ns = *t_ns < 0 ? FILE_UNTOLD : *t_ns;
            return ERR_OK;
        }
        if ((f->at_end && look > 0) || look >= UNIT_MAX) {
            *n = rest.n;
            *t_ns = FILE_UNTOLD;
            return ERR_OK;
        }
    }
}

/* The same, where a stamp that is not believed is none. */
static enum err look_believed(struct file *f, size_t skip, struct file_trail *trail, size_t *n,
                              int64_t *t_ns) {
    enum err e = look_at(f, skip, trail, n, t_ns);
    if (e != ERR_OK || *t_ns == FILE_UNTOLD || !file_clock_asks(&f->clock, *t_ns))
        return e;
    size_t ahead = skip + *n, size = 1;
    int64_t next_ns = FILE_UNTOLD;
    struct file_trail on = *trail;
    while (e == ERR_OK && size > 0 && next_ns == FILE_UNTOLD && ahead - skip < PIECE_BYTES) {
        e = look_at(f, ahead, &on, &size, &next_ns);
        ahead += size;
    }
    if (!file_clock_believes(&f->clock, *t_ns, next_ns))
        *t_ns = FILE_UNTOLD;
    return e;
}

enum err file_take_until(struct file *f, int64_t until_ns, const struct frame_sink *sink) {
    size_t run = 0, n = 0;
    int64_t t_ns = FILE_UNTOLD;
    struct file_trail trail = f->trail, after = f->trail;
    enum err e;
    while ((e = look_believed(f, run, &after, &n, &t_ns)) == ERR_OK) {
        bool over = n == 0 || (t_ns != FILE_UNTOLD && t_ns > until_ns);
        if (run > 0 && (over || run + n > PIECE_BYTES)) {
            if (sink)
                emit(f, sink, &f->subject, f->frame_kind, (struct span){waiting(f).p, run});
            f->taken += run;
            f->trail = trail;
            run = 0;
        }
        if (over)
            break;
        if (t_ns != FILE_UNTOLD)
            file_clock_pass(&f->clock, t_ns);
        run += n;
        trail = after;
    }
    return e;
}

void file_go_to(struct file *f, uint64_t at) {
    if (at >= window_at(f) && at <= f->read_at) {
        f->taken = (size_t)(at - window_at(f));
        return;
    }
    buf_clear(&f->window);
    f->taken = 0;
    f->read_at = at;
    f->at_end = false;
}

/* ---- as a source ------------------------------------------------------------------------------ */

enum err file_emit_pieces(struct file *f, const struct frame_sink *sink) {
    for (;;) {
        size_t n = 0;
        enum err e = next_piece(f, &n);
        if (e != ERR_OK || n == 0) {
            return e;
        }
        emit(f, sink, &f->subject, f->frame_kind, (struct span){f->window.p + f->taken, n});
        f->taken += n;
    }
}

static void poll_file(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    *out = (struct source_wait){.fd = -1, .due_ns = now_ns};
}

static void emit_opening(const struct file *f, const struct frame_sink *sink) {
    const struct span nothing = {"", 0};
    emit(f, sink, &machine, FRAME_MACHINE, nothing);
    emit(f, sink, &machine, FRAME_BEGIN, nothing);
    if (f->device.id != 0)
        emit(f, sink, &f->device, FRAME_OPEN, span_of(f->device.facts));
    emit(f, sink, &f->subject, FRAME_OPEN, span_of(f->subject.facts));
}

/* A tick after the first. In the last one all that is left goes along. */
static enum err emit_tick(struct file *f, const struct frame_sink *sink) {
    size_t n = 0;
    int64_t t_ns = FILE_UNTOLD;
    struct file_trail trail = f->trail;
    enum err e = look_believed(f, 0, &trail, &n, &t_ns);
    if (e != ERR_OK)
        return e;
    int64_t due_ns = t_ns != FILE_UNTOLD ? t_ns : n > 0 ? f->clock.newest_ns : FILE_UNTOLD;
    file_clock_step(&f->clock, due_ns);
    emit(f, sink, &machine, FRAME_BEGIN, (struct span){"", 0});
    f->done = f->clock.begin_ns >= f->clock.last_ns;
    return f->done ? file_emit_pieces(f, sink) : file_take_until(f, f->clock.begin_ns, sink);
}

static enum err read_file(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct file *f = (struct file *)s;
    enum err e = ERR_OK;
    (void)now_ns;
    if (f->done)
        return ERR_END;
    if (f->begun) {
        e = emit_tick(f, sink);
    } else {
        f->begun = true;
        f->done = !f->timed;
        emit_opening(f, sink);
        e = f->timed ? ERR_OK : file_emit_pieces(f, sink);
    }
    if (e == ERR_OK)
        emit(f, sink, &machine, FRAME_END, (struct span){"", 0});
    f->ticks += e == ERR_OK;
    return e;
}

static void close_file(struct source *s) {
    struct file *f = (struct file *)s;
    if (f) {
        if (f->input.fd >= 0) {
            close(f->input.fd);
        }
        buf_finish(&f->window);
        buf_finish(&f->text);
        free(f->plan);
        free(f);
    }
}

const struct source_ops file_ops = {.poll = poll_file, .read = read_file, .close = close_file};

struct file *file_of(const struct source *s) {
    return s->ops == &file_ops ? (struct file *)s : NULL;
}

const struct kind *file_kind(const struct source *s) {
    struct file *f = file_of(s);
    return f ? f->kind : NULL;
}

struct file_place file_tell(const struct file *f) {
    return (struct file_place){.at = window_at(f) + f->taken,
                               .ticks = f->ticks,
                               .trail = f->trail,
                               .clock = f->clock,
                               .begun = f->begun,
                               .done = f->done};
}

void file_seek(struct file *f, const struct file_place *place) {
    file_go_to(f, place->at);
    f->ticks = place->ticks;
    f->trail = place->trail;
    f->clock = place->clock;
    f->begun = place->begun;
    f->done = place->done;
}

void file_rewind(struct file *f) {
    struct file_place start = {.clock = f->clock};
    start.clock.newest_ns = start.clock.begin_ns = start.clock.first_ns;
    file_seek(f, &start);
}

uint64_t file_size(const struct file *f) {
    return f->input.size;
}
