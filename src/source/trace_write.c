/*
 * Writes a trace. Promises: the file grows by whole ticks only; the first failure is kept, and what was
 * written of the tick that failed is cut off again where the file allows that, so that all before it
 * plays.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "gwtop/source.h"
#include "trace_format.h"

/* A return into a compressed trace unpacks at most so many ticks. */
#define TICKS_PER_ZSTD_FRAME 60

struct trace_writer {
    int fd;
    const struct backend_table *table;
    struct trace_write_options options;
    struct buf tick;   /* text of the tick so far */
    struct buf body;   /* scratch: a body made here */
    struct buf packed; /* the tick, compressed */
    ZSTD_CCtx *zstd;   /* NULL: plain */
    unsigned in_frame; /* ticks in the zstd frame that is open */
    bool frame_open;   /* a zstd frame was begun and not ended */
    bool can_cut;      /* a regular file */
    off_t begin;       /* where in it the trace begins */
    uint64_t whole;    /* bytes of the trace that end with a whole tick */
    uint64_t ticks;
    struct err_info fault; /* code OK: none so far */
};

/* ---- bytes out -------------------------------------------------------------------------------- */

static void fail(struct trace_writer *w, enum err code, int sys) {
    char what[80];
    if (w->fault.code != ERR_OK) {
        return;
    }
    snprintf(what, sizeof what, "recording ends after %llu ticks", (unsigned long long)w->ticks);
    err_set(&w->fault, code, sys, what, sys ? strerror(sys) : err_text(code));
    if (w->can_cut) {
        off_t end = w->begin + (off_t)w->whole;
        if (ftruncate(w->fd, end) == 0) {
            lseek(w->fd, end, SEEK_SET);
        }
    }
}

/* 0, or the errno of what went wrong. */
static int write_all(int fd, const char *p, size_t n) {
    while (n > 0) {
        ssize_t put = write(fd, p, n);
        if (put > 0) {
            p += put;
            n -= (size_t)put;
        } else if (put == 0) {
            return EIO;
        } else if (errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* Compresses `in` to w->packed and brings the zstd frame to the state that `how` names. */
static bool pack(struct trace_writer *w, struct span in, ZSTD_EndDirective how) {
    ZSTD_inBuffer from = {in.p, in.n, 0};
    size_t left;
    buf_clear(&w->packed);
    do {
        if (!buf_reserve(&w->packed, ZSTD_CStreamOutSize())) {
            return false;
        }
        ZSTD_outBuffer to = {w->packed.p + w->packed.n, ZSTD_CStreamOutSize(), 0};
        left = ZSTD_compressStream2(w->zstd, &to, &from, how);
        w->packed.n += to.pos;
    } while (left > 0 && !ZSTD_isError(left));
    w->frame_open = how != ZSTD_e_end;
    w->in_frame = w->frame_open ? w->in_frame : 0;
    return left == 0;
}

static bool put_out(struct trace_writer *w, struct span out) {
    int sys = write_all(w->fd, out.p, out.n);
    if (sys != 0) {
        fail(w, err_from_sys(sys), sys);
        return false;
    }
    w->whole += out.n;
    return true;
}

/* Sends off w->tick and starts the next. */
static bool flush(struct trace_writer *w, ZSTD_EndDirective how) {
    bool made = !w->tick.failed;
    struct span out = buf_span_of(&w->tick);
    if (made && w->zstd) {
        made = pack(w, out, how);
        out = buf_span_of(&w->packed);
    }
    if (!made) {
        fail(w, ERR_NOMEM, 0);
    }
    made = made && put_out(w, out);
    buf_clear(&w->tick);
    return made;
}

/* ---- scrubbing -------------------------------------------------------------------------------- */

/* Facts that name a person or a machine, whoever states them; the last part of a dotted key counts. */
static const char *const personal[] = {
    "host", "hostname", "user",      "login", "comm", "command", "cmdline",
    "name", "cgroup",   "container", "home",  "root", "filter",  "file",
};

static bool is_personal(struct span line) {
    struct cursor c = cursor_over(line);
    struct span key;
    cursor_field(&c, '=', &key);
    for (size_t i = 0; i < key.n; i++) {
        if (key.p[i] == '.') {
            key = span_skip(key, i + 1);
            i = 0;
        }
    }
    for (size_t i = 0; i < sizeof personal / sizeof personal[0]; i++) {
        if (span_equals(key, personal[i])) {
            return true;
        }
    }
    return false;
}

static void scrub_facts(struct span facts, struct buf *out) {
    struct cursor c = cursor_over(facts);
    struct span line;
    while (cursor_line(&c, &line)) {
        if (!is_personal(line)) {
            buf_span(out, line);
            buf_char(out, '\n');
        }
    }
}

/* ---- frames ----------------------------------------------------------------------------------- */

/* What a device says of itself names no person. */
static struct span open_body(struct trace_writer *w, const struct subject *s) {
    bool bare = w->options.scrub && s->type != SUBJECT_DEVICE;
    struct span facts = span_of(s->facts);
    struct span name = span_of(s->name);
    struct buf *b = &w->body;
    bool nameless = bare && s->type == SUBJECT_PROCESS;
    trace_put_open(b, w->table, s, nameless ? span_of("") : name, bare ? span_of("") : facts);
    if (bare) {
        scrub_facts(facts, b);
    }
    return buf_span_of(b);
}

/* The body as it goes to the file. False: under scrubbing nobody vouches for it, so it stays out. */
static bool body_of(struct trace_writer *w, const struct subject *s, const struct frame *f,
                    struct span *out) {
    buf_clear(&w->body);
    *out = frame_span(f);
    if (f->kind == FRAME_OPEN) {
        *out = open_body(w, s);
    } else if (w->options.scrub && f->kind == FRAME_MACHINE) {
        scrub_facts(frame_span(f), &w->body);
        *out = buf_span_of(&w->body);
    } else if (w->options.scrub && f->kind >= FRAME_BACKEND) {
        const struct kind *k = backend_kind(w->table, s, f->kind);
        if (k && k->scrub && out->n > 0) {
            k->scrub(*out, &w->body);
            *out = buf_span_of(&w->body);
        }
        return k != NULL;
    }
    return true;
}

/* The nearest time that a reader takes. */
static int64_t time_of(const struct frame *f) {
    int64_t t_ns = f->t_ns > 0 ? f->t_ns : 0;
    return t_ns < TRACE_TIME_MAX ? t_ns : TRACE_TIME_MAX;
}

/* Puts a frame into the tick. One too large for a reader is told as a failed reading. */
static void put_frame(struct trace_writer *w, const struct subject *s, const struct frame *f) {
    const char *kind = frame_kind_name(w->table, s, f->kind);
    struct span body;
    if (!body_of(w, s, f, &body)) {
        return;
    }
    struct trace_header h = {.id = f->subject,
                             .kind = span_of(kind ? kind : TRACE_NO_NAME),
                             .t_ns = time_of(f),
                             .size = body.n,
                             .sys = f->sys > 0 ? f->sys : 0,
                             .outcome = f->outcome};
    if (body.n > TRACE_BODY_MAX) {
        h.size = 0;
        h.sys = EMSGSIZE;
        h.outcome = OUTCOME_FAILED;
    }
    trace_put_header(&w->tick, &h);
    buf_put(&w->tick, body.p, h.size);
    buf_char(&w->tick, '\n');
    w->tick.failed |= w->body.failed;
}

static void take_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct trace_writer *w = ctx;
    if (w->fault.code != ERR_OK) {
        return;
    }
    if (f->subject > TRACE_ID_MAX) {
        fail(w, ERR_RANGE, 0);
        return;
    }
    put_frame(w, s, f);
    if (f->kind == FRAME_END) {
        bool last = ++w->in_frame >= TICKS_PER_ZSTD_FRAME;
        w->ticks += flush(w, last ? ZSTD_e_end : ZSTD_e_flush) ? 1 : 0;
    }
}

struct frame_sink trace_writer_sink(struct trace_writer *w) {
    return (struct frame_sink){.ctx = w, .frame = take_frame};
}

/* ---- life ------------------------------------------------------------------------------------- */

static void free_writer(struct trace_writer *w) {
    ZSTD_freeCCtx(w->zstd);
    buf_finish(&w->tick);
    buf_finish(&w->body);
    buf_finish(&w->packed);
    free(w);
}

static enum err start_zstd(struct trace_writer *w) {
    w->zstd = ZSTD_createCCtx();
    if (!w->zstd) {
        return ERR_NOMEM;
    }
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_checksumFlag, 1);
    return ERR_OK;
}

/* What stood in the file before is not ours to cut: begin is where the first byte will go. */
static void look_at_file(struct trace_writer *w) {
    struct stat st;
    off_t at = lseek(w->fd, 0, SEEK_CUR);
    int flags = fcntl(w->fd, F_GETFL);
    w->can_cut = at >= 0 && flags >= 0 && fstat(w->fd, &st) == 0 && S_ISREG(st.st_mode);
    if (w->can_cut) {
        w->begin = (flags & O_APPEND) ? st.st_size : at;
    }
}

enum err trace_writer_create(int take_fd, const struct backend_table *table,
                             const struct trace_write_options *o, struct trace_writer **out) {
    struct trace_writer *w = calloc(1, sizeof *w);
    if (!w) {
        close(take_fd);
        return ERR_NOMEM;
    }
    w->fd = take_fd;
    w->table = table;
    w->options = *o;
    look_at_file(w);
    enum err e = o->compress ? start_zstd(w) : ERR_OK;
    if (e == ERR_OK) {
        trace_put_first_line(&w->tick);
        e = flush(w, ZSTD_e_flush) ? ERR_OK : w->fault.code;
    }
    if (e != ERR_OK) {
        close(w->fd);
        free_writer(w);
        return e;
    }
    *out = w;
    return ERR_OK;
}

enum err trace_writer_error(const struct trace_writer *w, struct err_info *info) {
    if (info) {
        *info = w->fault;
    }
    return w->fault.code;
}

uint64_t trace_writer_bytes(const struct trace_writer *w) {
    return w->whole;
}

enum err trace_writer_close(struct trace_writer *w, struct err_info *info) {
    if (!w) {
        return ERR_OK;
    }
    buf_clear(&w->tick); /* a tick that never ended */
    if (w->fault.code == ERR_OK && w->frame_open) {
        flush(w, ZSTD_e_end);
    }
    if (close(w->fd) != 0 && errno != EINTR) {
        w->can_cut = false;
        fail(w, err_from_sys(errno), errno);
    }
    enum err e = trace_writer_error(w, info);
    free_writer(w);
    return e;
}
