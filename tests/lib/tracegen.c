/* Random frames, and traces made of them. */
#include "tracegen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SUBJECTS 12
#define LARGE    70000

struct gen {
    const struct tracegen *g;
    const struct frame_sink *sink;
    uint32_t random;
    int64_t now_ns;
    struct subject list[SUBJECTS]; /* type MACHINE: not open */
    char body[LARGE];
};

static const struct subject machine = {.type = SUBJECT_MACHINE, .name = "", .facts = ""};

uint32_t random_next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint32_t pick(struct gen *n, uint32_t below) {
    return random_next(&n->random) % below;
}

static void say(struct gen *n, const struct subject *s, unsigned kind, const char *body,
                size_t size, int sys) {
    struct frame f = {.t_ns = n->now_ns,
                      .bytes = body,
                      .size = size,
                      .subject = s->id,
                      .sys = sys,
                      .kind = (uint16_t)kind,
                      .outcome = (uint8_t)(sys ? outcome_from_sys(sys) : OUTCOME_OK)};
    n->now_ns += pick(n, 3) ? 1000 : 0;
    n->sink->frame(n->sink->ctx, s, &f);
}

static void say_text(struct gen *n, const struct subject *s, unsigned kind, const char *text) {
    say(n, s, kind, text, strlen(text), 0);
}

static void come(struct gen *n, unsigned at) {
    static const char *const names[] = {"", "glxgears", "Web Content", "blender \xe2\x82\xac",
                                        "0000:03:00.0"};
    static const char *const facts[] = {"", "clk_tck=100\npage=4096\n", "pci=1002:747e\n",
                                        "name=Radeon RX 7800 XT\nx==\n\n"};
    struct subject s = {.id = at + 1,
                        .parent = pick(n, 2) ? 0 : 1 + pick(n, SUBJECTS),
                        .device = pick(n, 2) ? 0 : 1,
                        .backend = (uint16_t)pick(n, 3),
                        .type = (uint8_t)(1 + pick(n, SUBJECT_TYPE_COUNT - 1)),
                        .pid = (int32_t)pick(n, 100000),
                        .start = pick(n, 2) ? 0 : UINT64_MAX - pick(n, 9),
                        .number = pick(n, 1000),
                        .name = names[pick(n, 5)],
                        .facts = facts[pick(n, 4)]};
    n->list[at] = s;
    say_text(n, &n->list[at], FRAME_OPEN, s.facts);
}

static void be_read(struct gen *n, const struct subject *s) {
    static const int errors[] = {EACCES, ENOENT, ESRCH, EIO, EPERM, ENODEV};
    static const unsigned kinds[] = {0, 3, 2};
    unsigned kind = kinds[s->backend] ? FRAME_BACKEND + pick(n, kinds[s->backend]) : FRAME_STATE;
    if (pick(n, 5) == 0) {
        say(n, s, kind, NULL, 0, errors[pick(n, 6)]);
        return;
    }
    if (n->g->body_max == 0) {
        say_text(n, s, kind, "drm-engine-gfx: 12 ns\n");
        return;
    }
    size_t size = pick(n, 200) == 0 ? LARGE : pick(n, n->g->body_max);
    for (size_t i = 0; i < size; i++) {
        n->body[i] = (char)random_next(&n->random);
    }
    say(n, s, kind, n->body, size, 0);
}

static void tick(struct gen *n) {
    say_text(n, &machine, FRAME_BEGIN, "real_ns=1\nboot_ns=2\n");
    for (unsigned i = 0; i < SUBJECTS; i++) {
        struct subject *s = &n->list[i];
        unsigned turn = pick(n, 8);
        if (s->type == SUBJECT_MACHINE && turn < 2) {
            come(n, i);
        } else if (s->type != SUBJECT_MACHINE && turn == 0) {
            say_text(n, s, FRAME_CLOSE, "reason=closed\n");
            s->type = SUBJECT_MACHINE;
        } else if (s->type != SUBJECT_MACHINE) {
            be_read(n, s);
        }
    }
    say_text(n, &machine, FRAME_END, "cpu_ns=5\n");
    n->now_ns += 1000000000;
}

void tracegen_emit(const struct tracegen *g, const struct frame_sink *sink) {
    struct gen *n = calloc(1, sizeof *n);
    if (!n) {
        abort();
    }
    n->g = g;
    n->sink = sink;
    n->random = g->seed * 2654435761u + 1;
    n->now_ns = 1000;
    say_text(n, &machine, FRAME_MACHINE, "clk_tck=100\npage=4096\n");
    for (unsigned i = 0; i < g->ticks; i++) {
        tick(n);
    }
    free(n);
}

/* ---- traces ----------------------------------------------------------------------------------- */

static void to_both(void *ctx, const struct subject *s, const struct frame *f) {
    struct frame_sink *both = ctx;
    both[0].frame(both[0].ctx, s, f);
    both[1].frame(both[1].ctx, s, f);
}

static void read_back(int fd, struct buf *out) {
    char block[65536];
    off_t at = 0;
    ssize_t got;
    while ((got = pread(fd, block, sizeof block, at)) > 0) {
        buf_put(out, block, (size_t)got);
        at += got;
    }
}

static void must(bool fine, const char *what) {
    if (!fine) {
        fprintf(stderr, "tracegen: %s\n", what);
        abort();
    }
}

void tracegen_bytes(const struct tracegen *g, bool compress, struct buf *out,
                    struct framelog *log) {
    struct framelog unused = {.bare = true};
    struct trace_writer *w = NULL;
    int fd = memfd_create("trace", MFD_CLOEXEC);
    must(fd >= 0 &&
             trace_writer_create(dup(fd), &fake_table,
                                 &(struct trace_write_options){.compress = compress}, &w) == ERR_OK,
         "no writer");
    struct frame_sink both[2] = {trace_writer_sink(w), framelog_sink(log ? log : &unused)};
    struct frame_sink sink = {.ctx = both, .frame = to_both};
    tracegen_emit(g, &sink);
    must(trace_writer_close(w, NULL) == ERR_OK, "writing failed");
    read_back(fd, out);
    close(fd);
    buf_finish(&unused.text);
}

enum err trace_play(struct source *trace, struct framelog *log) {
    struct frame_sink sink = framelog_sink(log);
    enum err e;
    do {
        e = trace->ops->read(trace, 0, &sink);
    } while (e == ERR_OK);
    return e;
}

struct source *trace_of_bytes(const void *bytes, size_t n) {
    char path[64];
    int fd;
    struct source *trace = NULL;
    struct err_info info = {0};
    enum err e = trace_open(fake_file(bytes, n, &fd, path), &fake_table, &trace, &info);
    must(e == ERR_OK, info.text);
    close(fd);
    return trace;
}
