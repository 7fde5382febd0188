/* Frames as text, and a backend table of nothing. */
#include "framelog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void put_numbers(struct buf *b, const uint64_t *list, size_t n) {
    for (size_t i = 0; i < n; i++) {
        buf_u64(b, list[i]);
        buf_char(b, ' ');
    }
}

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct framelog *log = ctx;
    struct buf *b = &log->text;
    uint64_t of_subject[] = {s->id,   s->parent,        s->device, s->backend,
                             s->type, (uint64_t)s->pid, s->start,  s->number};
    uint64_t of_frame[] = {f->subject,       f->kind,    (uint64_t)f->t_ns,
                           (uint64_t)f->sys, f->outcome, f->size};
    if (log->bare) {
        put_numbers(b, (uint64_t[]){f->kind, f->size}, 2);
    } else {
        put_numbers(b, of_subject, sizeof of_subject / sizeof of_subject[0]);
        buf_text(b, s->name);
        buf_char(b, '|');
        buf_text(b, s->facts);
        buf_char(b, '|');
        put_numbers(b, of_frame, sizeof of_frame / sizeof of_frame[0]);
        buf_put(b, f->bytes, f->size);
    }
    buf_char(b, '\n');
    log->frames++;
    log->ends += f->kind == FRAME_END;
}

struct frame_sink framelog_sink(struct framelog *log) {
    return (struct frame_sink){.ctx = log, .frame = on_frame};
}

/* ---- the table -------------------------------------------------------------------------------- */

static void decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                   struct counts *counts) {
    (void)s;
    (void)f;
    (void)sink;
    counts->accepted++;
}

static void init(void *state, const struct subject *s) {
    (void)s;
    *(int *)state = 0;
}

static void feed(void *state, const struct subject *s, const struct frame *f,
                 const struct sink *sink, struct counts *counts) {
    (void)state;
    decode(s, f, sink, counts);
}

static const struct fold fold = {.size = sizeof(int), .init = init, .feed = feed};

static void scrub(struct span body, struct buf *out) {
    buf_text(out, body.n > 0 ? "-" : "");
}

struct log_seen {
    uint64_t bytes;
    bool is_log;
};

static void scan_log(void *state, struct span piece) {
    struct log_seen *seen = state;
    if (seen->bytes == 0) {
        seen->is_log = piece.n >= 2 && piece.p[1] == 'B';
    }
    seen->bytes += piece.n;
}

static void say_log_facts(const void *state, struct buf *facts) {
    const struct log_seen *seen = state;
    if (seen->is_log) {
        facts_put_u64(facts, "seen", seen->bytes);
        facts_put(facts, "dialect", span_of("file"));
    }
}

static size_t cut_log(struct span rest) {
    size_t at = 0;
    while (at < rest.n) {
        size_t size = (unsigned char)rest.p[at];
        if (size == 0 || size > rest.n - at) {
            break;
        }
        at += size;
    }
    return at;
}

static const struct vendor_file log_file = {.scan_size = sizeof(struct log_seen),
                                            .scan = scan_log,
                                            .say_facts = say_log_facts,
                                            .cut = cut_log};

static size_t next_stamp(struct span rest, int64_t *t_ns) {
    const char *end = memchr(rest.p, '\n', rest.n);
    struct cursor c = cursor_over(rest);
    uint64_t t = 0;
    bool told = end && cursor_u64(&c, &t) == ERR_OK && t <= INT64_MAX;
    *t_ns = told ? (int64_t)t : INT64_MIN;
    return end ? (size_t)(end - rest.p) + 1 : 0;
}

static bool is_stamps(struct span head, bool more) {
    return head.p[0] >= '0' && head.p[0] <= '9' && (more || memchr(head.p, '\n', head.n));
}

static const struct vendor_file stamps_file = {.next = next_stamp, .recognise = is_stamps};

static const struct kind alpha_kinds[] = {
    {.name = "text", .unit = "lines", .decode = decode, .scrub = scrub},
    {.name = "blob", .unit = "bytes", .decode = decode},
    {.name = "flow", .unit = "lines", .fold = &fold},
};
static const struct kind beta_kinds[] = {
    {.name = "log", .unit = "records", .fold = &fold, .file = &log_file},
    {.name = "lines", .unit = "lines", .fold = &fold},
    {.name = "stamps", .unit = "lines", .fold = &fold, .file = &stamps_file},
};
static const struct backend alpha = {.name = "alpha", .kinds = alpha_kinds, .kind_count = 3};
static const struct backend beta = {.name = "beta", .kinds = beta_kinds, .kind_count = 3};
static const struct backend *const list[] = {&alpha, &beta};
const struct backend_table fake_table = {.list = list, .count = 2};

const char *fake_file(const void *bytes, size_t n, int *fd, char path[64]) {
    *fd = memfd_create("gwtop-test", MFD_CLOEXEC);
    size_t done = 0;
    while (*fd >= 0 && done < n) {
        ssize_t put = write(*fd, (const char *)bytes + done, n - done);
        if (put <= 0) {
            abort();
        }
        done += (size_t)put;
    }
    snprintf(path, 64, "/proc/self/fd/%d", *fd);
    return path;
}
