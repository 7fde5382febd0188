/*
 * A vendor file as a source of one subject, whose frames are whole units of the file as its kind cuts
 * them: one tick, in which all frames stand at 0; or ticks of the file's own time, where units tell it.
 *
 * A window of the file is held; memory is bounded by SCAN_MAX, not by the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"
#include "file_ticks.h"
#include "input.h"

#define PIECE_BYTES ((size_t)64 << 10)  /* a frame, unless a single unit is larger */
#define UNIT_MAX    ((size_t)16 << 20)  /* largest unit; what is no unit by then goes as it is */
#define SCAN_MAX    ((size_t)64 << 20)  /* what a kind's scan sees of a larger file */
#define SPOOL_MAX   ((uint64_t)8 << 30) /* of what can be read only once */
#define READ_BYTES  ((size_t)1 << 20)

struct file {
    struct source source; /* first: what the world sees */
    const struct kind *kind;
    struct input input;
    uint64_t read_at;  /* next byte of the file to read */
    struct buf window; /* bytes from `taken` on are to be emitted */
    size_t taken;
    bool at_end; /* the window reaches the end of the file */
    bool begun;  /* the first tick was emitted */
    bool done;   /* the last one was */
    bool timed;  /* in ticks of the file's own time */
    struct file_clock clock;
    struct subject device; /* id 0: there is none */
    struct subject subject;
    struct buf text; /* name and facts */
    unsigned frame_kind;
};

static const struct subject machine = {.type = SUBJECT_MACHINE, .name = "", .facts = ""};

/* Reads on until the window holds `want` bytes that wait, or the file ends. */
static enum err fill(struct file *f, size_t want) {
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

/* What decode reads as one is one frame, however long. */
static bool is_one_reading(const struct kind *k) {
    return k->decode && !(k->file && k->file->cut);
}

/* Bytes of the next frame; 0 at the end. A unit larger than a piece is looked for in ever more of the
 * file; what is none even then is handed over for decode to count. */
static enum err next_piece(struct file *f, size_t *out) {
    const struct vendor_file *v = f->kind->file;
    bool one = is_one_reading(f->kind);
    for (size_t look = one ? UNIT_MAX : PIECE_BYTES;; look *= 2) {
        enum err e = fill(f, look);
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

/* The unit that waits behind `skip` bytes: its size, 0 at the end, and its stamp. */
static enum err look_at(struct file *f, size_t skip, size_t *n, int64_t *t_ns) {
    for (size_t look = 0;; look = look ? look * 2 : PIECE_BYTES) {
        enum err e = fill(f, skip + look);
        if (e != ERR_OK)
            return e;
        struct span rest = span_skip(waiting(f), skip);
        *t_ns = FILE_UNTOLD;
        *n = rest.n > 0 ? f->kind->file->next(rest, t_ns) : 0;
        if (*n > 0 && *n <= rest.n) {
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
static enum err look_believed(struct file *f, size_t skip, size_t *n, int64_t *t_ns) {
    enum err e = look_at(f, skip, n, t_ns);
    if (e != ERR_OK || *t_ns == FILE_UNTOLD || !file_clock_asks(&f->clock, *t_ns))
        return e;
    size_t ahead = skip + *n, size = 1;
    int64_t next_ns = FILE_UNTOLD;
    while (e == ERR_OK && size > 0 && next_ns == FILE_UNTOLD && ahead - skip < PIECE_BYTES) {
        e = look_at(f, ahead, &size, &next_ns);
        ahead += size;
    }
    if (!file_clock_believes(&f->clock, *t_ns, next_ns))
        *t_ns = FILE_UNTOLD;
    return e;
}

/* Takes units up to the first with a believed stamp past until_ns, and emits them unless sink is NULL. */
static enum err take_until(struct file *f, int64_t until_ns, const struct frame_sink *sink) {
    size_t run = 0, n = 0;
    int64_t t_ns = FILE_UNTOLD;
    enum err e;
    while ((e = look_believed(f, run, &n, &t_ns)) == ERR_OK) {
        bool over = n == 0 || (t_ns != FILE_UNTOLD && t_ns > until_ns);
        if (run > 0 && (over || run + n > PIECE_BYTES)) {
            if (sink)
                emit(f, sink, &f->subject, f->frame_kind, (struct span){waiting(f).p, run});
            f->taken += run;
            run = 0;
        }
        if (over)
            break;
        if (t_ns != FILE_UNTOLD)
            file_clock_pass(&f->clock, t_ns);
        run += n;
    }
    return e;
}

static void go_to_start(struct file *f) {
    buf_clear(&f->window);
    f->taken = 0;
    f->read_at = 0;
    f->at_end = false;
}

/* First and last stamp, by a look through the whole file. */
static enum err look_through(struct file *f) {
    struct file_clock *c = &f->clock;
    go_to_start(f);
    enum err e = take_until(f, INT64_MAX, NULL);
    go_to_start(f);
    if (c->first_ns == FILE_UNTOLD) {
        f->timed = false;
        return e;
    }
    c->last_ns = c->newest_ns;
    c->begin_ns = c->newest_ns = c->first_ns;
    return e;
}

/* ---- as a source ------------------------------------------------------------------------------ */

static enum err emit_pieces(struct file *f, const struct frame_sink *sink) {
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
    enum err e = look_believed(f, 0, &n, &t_ns);
    if (e != ERR_OK)
        return e;
    int64_t due_ns = t_ns != FILE_UNTOLD ? t_ns : n > 0 ? f->clock.newest_ns : FILE_UNTOLD;
    file_clock_step(&f->clock, due_ns);
    emit(f, sink, &machine, FRAME_BEGIN, (struct span){"", 0});
    f->done = f->clock.begin_ns >= f->clock.last_ns;
    return f->done ? emit_pieces(f, sink) : take_until(f, f->clock.begin_ns, sink);
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
        e = f->timed ? ERR_OK : emit_pieces(f, sink);
    }
    if (e == ERR_OK)
        emit(f, sink, &machine, FRAME_END, (struct span){"", 0});
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
        free(f);
    }
}

static const struct source_ops file_ops = {
    .poll = poll_file, .read = read_file, .close = close_file};

/* ---- opening ---------------------------------------------------------------------------------- */

/* Facts that the user gave stand first: the first of a key is the one that counts. */
static enum err describe(struct file *f, const char *path, const char *facts,
                         struct err_info *info) {
    const struct vendor_file *v = f->kind->file;
    const char *slash = strrchr(path, '/');
    struct span name = span_of(slash ? slash + 1 : path);
    struct buf *b = &f->text;
    if (buf_reserve(b, name.n + 1)) {
        b->n = text_clean(b->p, name.n, name);
    }
    buf_char(b, '\0');
    size_t facts_at = b->n;
    buf_text(b, facts);
    if (facts && facts[0] && facts[strlen(facts) - 1] != '\n') {
        buf_char(b, '\n');
    }
    /* A file of another kind is handed over all the same: decode counts what it is not. */
    if (v && v->scan)
        v->scan(waiting(f), b);
    buf_char(b, '\0');
    if (b->failed) {
        return err_set(info, ERR_NOMEM, 0, path, err_text(ERR_NOMEM));
    }
    f->subject.name = b->p;
    f->subject.facts = b->p + facts_at;
    return ERR_OK;
}

static enum err load(struct file *f, const char *path, const char *facts, struct err_info *info) {
    static const char too_large[] = "larger than one reading can be (16 MiB)";
    bool one = is_one_reading(f->kind);
    struct input_want want = {.most = one ? UNIT_MAX : SPOOL_MAX,
                              .too_long = one ? too_large : "longer than 8 GiB"};
    enum err e = input_open(path, &want, &f->input, info);
    if (e != ERR_OK) {
        return e;
    }
    e = fill(f, one ? UNIT_MAX + 1 : SCAN_MAX);
    if (e != ERR_OK) {
        return err_set(info, e, 0, path, err_text(e));
    }
    if (one && f->window.n > UNIT_MAX) {
        return err_set(info, ERR_RANGE, 0, path, too_large);
    }
    e = describe(f, path, facts, info);
    if (e == ERR_OK && f->timed) {
        e = look_through(f);
        return e == ERR_OK ? e : err_set(info, e, 0, path, err_text(e));
    }
    return e;
}

/* The device comes first, where there is one. */
static void name_subjects(struct file *f, unsigned backend) {
    const struct vendor_file *v = f->kind->file;
    bool device = v && v->device;
    f->subject = (struct subject){
        .id = device ? 2 : 1, .device = device, .backend = (uint16_t)backend, .type = SUBJECT_STREAM};
    if (device)
        f->device = (struct subject){.id = 1,
                                     .type = SUBJECT_DEVICE,
                                     .name = v->device,
                                     .facts = v->device_facts ? v->device_facts : ""};
}

enum err file_open(const char *path, const struct backend_table *table, unsigned backend,
                   unsigned kind_index, const char *facts, int64_t delay_ns, struct source **out,
                   struct err_info *info) {
    if (backend == 0 || backend > table->count || backend > UINT16_MAX ||
        kind_index >= table->list[backend - 1]->kind_count) {
        return err_set(info, ERR_USAGE, 0, path, "no such kind of file");
    }
    struct file *f = calloc(1, sizeof *f);
    if (!f) {
        return err_set(info, ERR_NOMEM, 0, path, err_text(ERR_NOMEM));
    }
    f->source.ops = &file_ops;
    f->input.fd = -1;
    f->kind = &table->list[backend - 1]->kinds[kind_index];
    f->frame_kind = FRAME_BACKEND + kind_index;
    f->timed = delay_ns > 0 && f->kind->file && f->kind->file->next;
    f->clock = (struct file_clock){.delay_ns = delay_ns, .first_ns = FILE_UNTOLD};
    name_subjects(f, backend);
    enum err e = load(f, path, facts, info);
    if (e != ERR_OK) {
        close_file(&f->source);
        return e;
    }
    *out = &f->source;
    return ERR_OK;
}
