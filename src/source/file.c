/*
 * A vendor file as a source: one tick with one subject, whose frames are whole units of the file as its
 * kind cuts them. The file says no time of its own here, so all frames stand at 0.
 *
 * A window of the file is held; memory is bounded by SCAN_MAX, not by the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"
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
    bool done;   /* the tick was emitted */
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

/* ---- as a source ------------------------------------------------------------------------------ */

static void emit(const struct frame_sink *sink, const struct subject *s, unsigned kind,
                 struct span body) {
    struct frame frame = {
        .bytes = body.p, .size = body.n, .subject = s->id, .kind = (uint16_t)kind};
    sink->frame(sink->ctx, s, &frame);
}

static enum err emit_pieces(struct file *f, const struct frame_sink *sink) {
    for (;;) {
        size_t n = 0;
        enum err e = next_piece(f, &n);
        if (e != ERR_OK || n == 0) {
            return e;
        }
        emit(sink, &f->subject, f->frame_kind, (struct span){f->window.p + f->taken, n});
        f->taken += n;
    }
}

static void poll_file(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    *out = (struct source_wait){.fd = -1, .due_ns = now_ns};
}

static enum err read_file(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct file *f = (struct file *)s;
    const struct span nothing = {"", 0};
    (void)now_ns;
    if (f->done) {
        return ERR_END;
    }
    f->done = true;
    emit(sink, &machine, FRAME_MACHINE, nothing);
    emit(sink, &machine, FRAME_BEGIN, nothing);
    emit(sink, &f->subject, FRAME_OPEN, span_of(f->subject.facts));
    enum err e = emit_pieces(f, sink);
    if (e == ERR_OK) {
        emit(sink, &machine, FRAME_END, nothing);
    }
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
    return describe(f, path, facts, info);
}

enum err file_open(const char *path, const struct backend_table *table, unsigned backend,
                   unsigned kind_index, const char *facts, struct source **out,
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
    f->subject = (struct subject){.id = 1, .backend = (uint16_t)backend, .type = SUBJECT_STREAM};
    enum err e = load(f, path, facts, info);
    if (e != ERR_OK) {
        close_file(&f->source);
        return e;
    }
    *out = &f->source;
    return ERR_OK;
}
