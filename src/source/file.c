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

#include "file.h"

#define PIECE_BYTES ((size_t)64 << 10)  /* a frame, unless a single unit is larger */
#define UNIT_MAX    ((size_t)16 << 20)  /* largest unit; what is no unit by then goes as it is */
#define SPOOL_MAX   ((uint64_t)8 << 30) /* of what can be read only once */
#define READ_BYTES  ((size_t)1 << 20)
#define HEAD_MAX    64 /* bytes at the start that tell how the rest is to be read */

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
    uint64_t ticks;
    struct file_clock clock;
    void *plan;              /* for next_by */
    struct file_trail trail; /* of the units that were taken */
    struct subject device;   /* id 0: there is none */
    struct subject subject;
    struct buf text; /* name and facts */
    unsigned frame_kind;
    size_t head_bytes;
    char head[HEAD_MAX];
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
        enum err e = fill(f, skip + look);
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

/* Takes units up to the first with a believed stamp past until_ns, and emits them unless sink is NULL. */
static enum err take_until(struct file *f, int64_t until_ns, const struct frame_sink *sink) {
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

/* So that what stands there is next. */
static void go_to(struct file *f, uint64_t at) {
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
    struct file_trail trail = f->trail;
    enum err e = look_believed(f, 0, &trail, &n, &t_ns);
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

static const struct source_ops file_ops = {
    .poll = poll_file, .read = read_file, .close = close_file};

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
    go_to(f, place->at);
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

/* ---- opening ---------------------------------------------------------------------------------- */

/* Facts that the user gave stand first: the first of a key is the one that counts. */
static enum err describe(struct file *f, const char *path, const char *facts, const void *seen,
                         struct err_info *info) {
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
    if (seen)
        f->kind->file->say_facts(seen, b);
    buf_char(b, '\0');
    if (b->failed) {
        return err_set(info, ERR_NOMEM, 0, path, err_text(ERR_NOMEM));
    }
    f->subject.name = b->p;
    f->subject.facts = b->p + facts_at;
    return ERR_OK;
}

struct scan {
    const struct vendor_file *file;
    void *state;
};

static void scan_frame(void *ctx, const struct subject *s, const struct frame *frame) {
    const struct scan *scan = ctx;
    (void)s;
    scan->file->scan(scan->state, frame_span(frame));
}

/* What the kind sees in the whole of it (NULL: it does not look), and, where `times`, the first and the last stamp. */
static enum err look_through(struct file *f, void *seen, bool times) {
    struct scan scan = {f->kind->file, seen};
    const struct frame_sink sink = {.ctx = &scan, .frame = scan_frame};
    struct file_clock *c = &f->clock;
    enum err e = ERR_OK;
    if (times)
        e = take_until(f, INT64_MAX, seen ? &sink : NULL);
    else if (seen)
        e = emit_pieces(f, &sink);
    go_to(f, 0);
    f->trail = (struct file_trail){0};
    if (!times)
        return e;
    f->timed = c->first_ns != FILE_UNTOLD;
    if (f->timed) {
        c->last_ns = c->newest_ns;
        c->begin_ns = c->newest_ns = c->first_ns;
    }
    return e;
}

/* Where units tell their time by the facts, these are there by now. */
static enum err plan_and_time(struct file *f, const char *path, struct err_info *info) {
    const struct vendor_file *v = f->kind->file;
    f->plan = calloc(1, v->plan_size);
    if (!f->plan)
        return err_set(info, ERR_NOMEM, 0, path, err_text(ERR_NOMEM));
    v->plan(f->plan, f->subject.facts);
    enum err e = look_through(f, NULL, true);
    return e == ERR_OK ? e : err_set(info, e, 0, path, err_text(e));
}

/* A file of another kind is handed over all the same: decode counts what it is not. */
static enum err look_and_describe(struct file *f, const char *path, const char *facts,
                                  struct err_info *info) {
    const struct vendor_file *v = f->kind->file;
    void *seen = v && v->scan ? calloc(1, v->scan_size ? v->scan_size : 1) : NULL;
    bool plan = f->timed && v->next_by;
    enum err e = v && v->scan && !seen ? ERR_NOMEM : look_through(f, seen, f->timed && !plan);
    e = e == ERR_OK ? describe(f, path, facts, seen, info) : err_set(info, e, 0, path, err_text(e));
    free(seen);
    return e == ERR_OK && plan ? plan_and_time(f, path, info) : e;
}

static const char too_large[] = "larger than one reading can be (16 MiB)";

static void keep_head(struct file *f) {
    size_t n = f->kind->file && f->kind->file->next_after ? f->kind->file->head_size : 0;
    n = n < HEAD_MAX ? n : HEAD_MAX;
    f->head_bytes = n < f->window.n ? n : f->window.n;
    if (f->head_bytes > 0)
        memcpy(f->head, f->window.p, f->head_bytes);
}

static enum err load(struct file *f, const char *path, const char *facts, struct err_info *info) {
    bool one = is_one_reading(f->kind);
    enum err e = fill(f, one ? UNIT_MAX + 1 : PIECE_BYTES);
    if (e != ERR_OK) {
        return err_set(info, e, 0, path, err_text(e));
    }
    if (one && f->window.n > UNIT_MAX) {
        return err_set(info, ERR_RANGE, 0, path, too_large);
    }
    keep_head(f);
    return look_and_describe(f, path, facts, info);
}

/* The device comes first, where there is one. */
static void name_subjects(struct file *f, unsigned backend) {
    const struct vendor_file *v = f->kind->file;
    bool device = v && v->device;
    f->subject = (struct subject){.id = device ? 2 : 1,
                                  .device = device,
                                  .backend = (uint16_t)backend,
                                  .type = SUBJECT_STREAM};
    if (device)
        f->device = (struct subject){.id = 1,
                                     .type = SUBJECT_DEVICE,
                                     .name = v->device,
                                     .facts = v->device_facts ? v->device_facts : ""};
}

enum err file_open_input(struct input *take, const char *path, const struct file_wish *wish,
                         struct source **out, struct err_info *info) {
    struct file *f = calloc(1, sizeof *f);
    if (!f) {
        close(take->fd);
        return err_set(info, ERR_NOMEM, 0, path, err_text(ERR_NOMEM));
    }
    f->source.ops = &file_ops;
    f->input = *take;
    f->kind = &wish->table->list[wish->backend - 1]->kinds[wish->kind];
    f->frame_kind = FRAME_BACKEND + wish->kind;
    const struct vendor_file *v = f->kind->file;
    f->timed = wish->delay_ns > 0 && v && (v->next || v->next_after || v->next_by);
    f->clock = (struct file_clock){.delay_ns = wish->delay_ns, .first_ns = FILE_UNTOLD};
    name_subjects(f, wish->backend);
    enum err e = load(f, path, wish->facts, info);
    if (e != ERR_OK) {
        close_file(&f->source);
        return e;
    }
    *out = &f->source;
    return ERR_OK;
}

enum err file_open(const char *path, const struct backend_table *table, unsigned backend,
                   unsigned kind_index, const char *facts, int64_t delay_ns, struct source **out,
                   struct err_info *info) {
    if (backend == 0 || backend > table->count || backend > UINT16_MAX ||
        kind_index >= table->list[backend - 1]->kind_count) {
        return err_set(info, ERR_USAGE, 0, path, "no such kind of file");
    }
    bool one = is_one_reading(&table->list[backend - 1]->kinds[kind_index]);
    const struct input_want want = {.most = one ? UNIT_MAX : SPOOL_MAX,
                                    .too_long = one ? too_large : "longer than 8 GiB"};
    const struct file_wish wish = {table, backend, kind_index, facts, delay_ns};
    struct input in;
    enum err e = input_open(path, &want, &in, info);
    return e == ERR_OK ? file_open_input(&in, path, &wish, out, info) : e;
}
