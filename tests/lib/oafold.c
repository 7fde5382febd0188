/* See oafold.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oafold.h"

static struct buf filtered;

static void put_owner(struct buf *b, unsigned space, uint64_t client, int32_t pid) {
    if (space == SPACE_NONE) {
        buf_text(b, "-");
        return;
    }
    buf_text(b, "ctx ");
    buf_u64(b, client_context(client));
    if (space == SPACE_TAGGED) {
        buf_text(b, " tag ");
        buf_u64(b, client_tag(client));
    }
    if (pid != 0) {
        buf_text(b, " tid ");
        buf_i64(b, pid);
    }
}

static void on_sample(void *ctx, const struct sample *s) {
    struct oafold *f = ctx;
    struct buf *b = &f->text;
    assert_true(s->metric < METRIC_COUNT && s->state < STATE_COUNT && s->name != NULL);
    assert_true(text_is_clean((struct span){s->name, s->name_len}));
    assert_true(s->state != STATE_VALUE || s->value >= 0);
    assert_true(s->space == SPACE_NONE || s->space == SPACE_CONTEXT || s->space == SPACE_TAGGED);
    f->samples++;
    buf_i64(b, s->t_ns);
    buf_char(b, ' ');
    put_owner(b, s->space, s->client, s->pid);
    buf_char(b, ' ');
    buf_text(b, metric_info(s->metric)->name);
    buf_char(b, ' ');
    if (s->state == STATE_VALUE)
        buf_i64(b, s->value);
    else
        buf_text(b, state_name(s->state));
    for (unsigned bit = 0; doubt_name(bit); bit++)
        if (s->doubt >> bit & 1) {
            buf_char(b, ' ');
            buf_text(b, doubt_name(bit));
        }
    if (s->name_len > 0) {
        buf_char(b, ' ');
        buf_put(b, s->name, s->name_len);
    }
    buf_char(b, '\n');
}

static void on_job(void *ctx, const struct job *j) {
    struct oafold *f = ctx;
    struct buf *b = &f->text;
    assert_true(j->end_ns > j->start_ns);
    assert_true(j->space == SPACE_CONTEXT || j->space == SPACE_TAGGED);
    assert_true(j->name_len > 0);
    f->jobs++;
    f->busy_ns += j->end_ns - j->start_ns;
    buf_text(b, "job ");
    buf_i64(b, j->start_ns);
    buf_text(b, "..");
    buf_i64(b, j->end_ns);
    buf_char(b, ' ');
    put_owner(b, j->space, j->client, j->pid);
    buf_char(b, ' ');
    buf_u64(b, j->clock_hz);
    if (j->open)
        buf_text(b, " open");
    buf_char(b, '\n');
}

void oafold_finish(struct oafold *f) {
    buf_finish(&f->text);
    buf_finish(&filtered);
    *f = (struct oafold){0};
}

static void look_through(const struct oafold_input *in, struct buf *facts) {
    void *seen = calloc(1, in->file->scan_size);
    assert_non_null(seen);
    in->file->scan(seen, in->bytes);
    in->file->say_facts(seen, facts);
    free(seen);
}

/* The state is flat: a copy goes on as the original would have. */
static void *moved(void *state, size_t size) {
    void *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, state, size);
    memset(state, 0x5a, size);
    free(state);
    return copy;
}

void oafold_run(struct oafold *f, const struct oafold_input *in) {
    struct buf facts;
    const struct sink sink = {f, on_sample, on_job, NULL};
    int64_t t_ns = in->t_ns;
    unsigned frames = 0;
    buf_clear(&f->text);
    *f = (struct oafold){.text = f->text};
    buf_init(&facts);
    buf_text(&facts, in->facts);
    if (in->file && in->file->scan)
        look_through(in, &facts);
    buf_char(&facts, '\0');
    struct subject s = {.id = 2, .device = 1, .name = "", .facts = facts.p};
    void *state = calloc(1, in->fold->size);
    assert_non_null(state);
    in->fold->init(state, &s);
    for (struct span rest = in->bytes; rest.n > 0; t_ns += in->step_ns) {
        size_t n = in->step && in->step < rest.n ? in->step : rest.n;
        struct frame frame = {.t_ns = t_ns, .bytes = rest.p, .size = n, .subject = 2};
        in->fold->feed(state, &s, &frame, &sink, &f->counts);
        rest = span_skip(rest, n);
        if (in->ticks && ++frames % in->ticks == 0 && rest.n > 0)
            in->fold->tick(state, &s, t_ns, &sink, &f->counts);
        if (in->step > 64)
            state = moved(state, in->fold->size);
    }
    in->fold->tick(state, &s, t_ns, &sink, &f->counts);
    free(state);
    buf_finish(&facts);
}

static bool holds(struct span line, const char *what) {
    return !what || text_contains(line, span_of(what));
}

const char *oafold_lines(struct oafold *f, const char *what) {
    struct cursor c = cursor_over(buf_span_of(&f->text));
    struct span line;
    buf_clear(&filtered);
    while (cursor_line(&c, &line))
        if (holds(line, what)) {
            buf_span(&filtered, line);
            buf_char(&filtered, '\n');
        }
    buf_char(&filtered, '\0');
    return filtered.p;
}

unsigned oafold_count(struct oafold *f, const char *one, const char *other) {
    struct cursor c = cursor_over(buf_span_of(&f->text));
    struct span line;
    unsigned n = 0;
    while (cursor_line(&c, &line))
        n += holds(line, one) && holds(line, other);
    return n;
}

int64_t oafold_value(struct oafold *f, const char *begin) {
    struct cursor c = cursor_over(buf_span_of(&f->text));
    struct span line, word;
    int64_t v = 0;
    unsigned found = 0;
    size_t n = strlen(begin);
    while (cursor_line(&c, &line))
        if (span_starts(line, begin) && line.n > n && line.p[n] == ' ') {
            struct cursor rest = cursor_over(span_skip(line, n));
            assert_true(cursor_word(&rest, &word));
            assert_int_equal(span_to_i64(word, &v), ERR_OK);
            found++;
        }
    if (found != 1)
        print_error("%u lines begin with \"%s\"\n", found, begin);
    assert_int_equal(found, 1);
    return v;
}
