/* Recording a synthetic machine faster than its time passes. */
#include "chronicle.h"

#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gwtop/backend.h"

#define START_NS INT64_C(5000000000000)       /* CLOCK_MONOTONIC of the first tick */
#define BOOT_NS  INT64_C(1750000000000000000) /* CLOCK_REALTIME at boot */
#define READ_NS  INT64_C(9000)                /* from one frame to the next */
#define COST_NS  INT64_C(410000)              /* what each tick says that it cost */

struct clock {
    struct frame_sink to;
    const struct synth *machine;
    int64_t t_ns;
};

/* Root reads everything; the collectors are to see what an ordinary user sees. */
static void set_rights(bool on) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) != 0)
        return;
    for (int i = 0; i < 2; i++)
        data[i].effective = on ? data[i].permitted : 0;
    if (syscall(SYS_capset, &header, data) != 0)
        perror("chronicle: capset");
}

/* Lines of the body whose key is none of the `told` ones, "key=" one after another. */
static void put_rest(struct buf *b, const struct frame *f, const char *const *told) {
    struct cursor c = cursor_over(frame_span(f));
    struct span line;
    while (cursor_line(&c, &line)) {
        bool again = false;
        for (const char *const *key = told; *key; key++)
            again = again || span_starts(line, *key);
        if (!again) {
            buf_span(b, line);
            buf_char(b, '\n');
        }
    }
}

/* The body of a frame that speaks of time or of what things are called, as it is to be; empty for any other. */
static void put_body(struct buf *b, const struct clock *c, const struct subject *s,
                     const struct frame *f) {
    static const char *const times[] = {"boot_ns=", "real_ns=", "cpu_ns=", NULL};
    static const char *const names[] = {"name=", NULL};
    const char *name = s->type == SUBJECT_DEVICE ? synth_gpu_name(c->machine, s->name) : NULL;
    if (f->kind == FRAME_OPEN && name) {
        struct frame facts = {.bytes = s->facts, .size = strlen(s->facts)};
        put_rest(b, &facts, names);
        facts_put(b, "name", span_of(name));
    } else if (f->kind == FRAME_MACHINE) {
        facts_put_u64(b, "boot_ns", (uint64_t)BOOT_NS);
        put_rest(b, f, times);
    } else if (f->kind == FRAME_BEGIN) {
        facts_put_u64(b, "real_ns", (uint64_t)(BOOT_NS + c->t_ns));
        facts_put_u64(b, "boot_ns", (uint64_t)c->t_ns);
        put_rest(b, f, times);
    } else if (f->kind == FRAME_END) {
        facts_put_u64(b, "cpu_ns", COST_NS);
        put_rest(b, f, times);
    }
}

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct clock *c = ctx;
    struct frame moved = *f;
    struct subject named = *s;
    struct buf body = {0};
    put_body(&body, c, s, f);
    if (body.n) {
        buf_char(&body, '\0'); /* facts end with one */
        moved.bytes = body.p;
        moved.size = body.n - 1;
    }
    if (body.n && f->kind == FRAME_OPEN)
        named.facts = body.p;
    moved.t_ns = c->t_ns;
    c->t_ns += READ_NS;
    c->to.frame(c->to.ctx, &named, &moved);
    buf_finish(&body);
}

static enum err write_ticks(const struct chronicle *c, struct source *live,
                            struct trace_writer *writer, struct err_info *info) {
    struct clock clock = {.to = trace_writer_sink(writer), .machine = c->machine};
    struct frame_sink sink = {&clock, on_frame};
    enum err e = ERR_OK;
    for (unsigned i = 0; i < c->ticks && e == ERR_OK; i++) {
        int64_t at = START_NS + (int64_t)i * c->delay_ns;
        if (i > 0 && !synth_step(c->machine, c->delay_ns))
            return err_set(info, ERR_IO, 0, "the synthetic machine cannot be moved", NULL);
        clock.t_ns = at;
        set_rights(false);
        e = live->ops->read(live, at, &sink);
        set_rights(true);
        if (e == ERR_OK)
            e = trace_writer_error(writer, info);
    }
    return e;
}

enum err chronicle_write(const struct chronicle *c, int take_fd, struct err_info *info) {
    struct host_options options = {.root = c->root, .delay_ns = c->delay_ns};
    struct trace_write_options how = {.compress = c->compress};
    struct host *host = NULL;
    struct source *live = NULL;
    struct trace_writer *writer = NULL;
    enum err e = host_create(&options, &host, info);
    if (e == ERR_OK)
        e = live_create(host, &backend_table, &live, info);
    if (e == ERR_OK)
        e = trace_writer_create(take_fd, &backend_table, &how, &writer);
    else
        close(take_fd);
    if (e == ERR_OK)
        e = write_ticks(c, live, writer, info);
    enum err closing = trace_writer_close(writer, info);
    if (live)
        live->ops->close(live);
    host_destroy(host);
    return e != ERR_OK ? e : closing;
}
