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

static bool scan_log(struct span file, struct buf *facts) {
    if (file.n < 2 || file.p[1] != 'B') {
        return false;
    }
    facts_put_u64(facts, "seen", file.n);
    facts_put(facts, "dialect", span_of("file"));
    return true;
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

static const struct vendor_file log_file = {.scan = scan_log, .cut = cut_log};

static const struct kind alpha_kinds[] = {
    {.name = "text", .unit = "lines", .decode = decode, .scrub = scrub},
    {.name = "blob", .unit = "bytes", .decode = decode},
    {.name = "flow", .unit = "lines", .fold = &fold},
};
static const struct kind beta_kinds[] = {
    {.name = "log", .unit = "records", .fold = &fold, .file = &log_file},
    {.name = "lines", .unit = "lines", .fold = &fold},
};
static const struct backend alpha = {.name = "alpha", .kinds = alpha_kinds, .kind_count = 3};
static const struct backend beta = {.name = "beta", .kinds = beta_kinds, .kind_count = 2};
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
