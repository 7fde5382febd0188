/*
 * Opening a vendor file: what its kind sees in the whole of it becomes facts of its subject, and its times are
 * looked through, where it has some.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_parts.h"

#define SPOOL_MAX ((uint64_t)8 << 30) /* of what can be read only once */

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
        e = file_take_until(f, INT64_MAX, seen ? &sink : NULL);
    else if (seen)
        e = file_emit_pieces(f, &sink);
    file_go_to(f, 0);
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
    bool one = file_is_one_reading(f->kind);
    enum err e = file_fill(f, one ? UNIT_MAX + 1 : PIECE_BYTES);
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
        file_ops.close(&f->source);
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
    bool one = file_is_one_reading(&table->list[backend - 1]->kinds[kind_index]);
    const struct input_want want = {.most = one ? UNIT_MAX : SPOOL_MAX,
                                    .too_long = one ? too_large : "longer than 8 GiB"};
    const struct file_wish wish = {table, backend, kind_index, facts, delay_ns};
    struct input in;
    enum err e = input_open(path, &want, &in, info);
    return e == ERR_OK ? file_open_input(&in, path, &wish, out, info) : e;
}
