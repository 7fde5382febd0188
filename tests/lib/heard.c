/* What a sink heard, as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heard.h"

void heard_clear(struct heard *h) {
    struct buf text = h->text;
    bool raw = h->raw;
    buf_clear(&text);
    *h = (struct heard){.text = text, .raw = raw};
}

void heard_finish(struct heard *h) {
    buf_finish(&h->text);
    *h = (struct heard){0};
}

const char *heard_text(struct heard *h) {
    buf_char(&h->text, '\0');
    assert_false(h->text.failed);
    h->text.n--;
    return h->text.p;
}

/* One text speaks of one client. */
static void same_client(struct heard *h, uint64_t client, unsigned space) {
    if (h->any) {
        assert_int_equal(h->client, client);
        assert_int_equal(h->space, space);
    }
    h->any = true;
    h->client = client;
    h->space = space;
}

static void put_name(struct heard *h, const char *name, size_t n, unsigned index, bool engine,
                     unsigned class) {
    struct span s = {name, n};
    assert_true(text_is_clean(s));
    if (n == 0)
        return;
    buf_char(&h->text, ' ');
    buf_span(&h->text, s);
    if (index != INDEX_NONE) {
        buf_char(&h->text, '[');
        buf_u64(&h->text, index);
        buf_char(&h->text, ']');
    }
    if (h->plain && class == 0)
        return;
    buf_char(&h->text, ':');
    buf_text(&h->text, engine ? engine_class_name((enum engine_class) class)
                              : region_class_name((enum region_class) class));
}

static void put_doubts(struct heard *h, unsigned doubt) {
    for (unsigned bit = 0; doubt >> bit; bit++)
        if (doubt >> bit & 1) {
            assert_non_null(doubt_name(bit));
            buf_char(&h->text, ' ');
            buf_text(&h->text, doubt_name(bit));
        }
}

static void on_sample(void *ctx, const struct sample *s) {
    struct heard *h = ctx;
    assert_true(s->metric < METRIC_COUNT);
    assert_true(s->state < STATE_COUNT);
    bool engine = span_starts(span_of(metric_info(s->metric)->name), "engine.");
    same_client(h, s->client, s->space);
    buf_text(&h->text, metric_info(s->metric)->name);
    put_name(h, s->name, s->name_len, s->index, engine, s->class);
    buf_char(&h->text, ' ');
    if (s->state == STATE_VALUE)
        buf_i64(&h->text, s->value);
    else
        buf_text(&h->text, state_name((enum state)s->state));
    if (h->raw) {
        buf_char(&h->text, ' ');
        buf_u64(&h->text, s->raw);
    }
    put_doubts(h, s->doubt);
    buf_char(&h->text, '\n');
    h->samples++;
}

static void on_job(void *ctx, const struct job *j) {
    struct heard *h = ctx;
    buf_text(&h->text, "job");
    put_name(h, j->name, j->name_len, INDEX_NONE, true, j->class);
    buf_char(&h->text, ' ');
    buf_i64(&h->text, j->start_ns);
    buf_text(&h->text, "..");
    buf_i64(&h->text, j->end_ns);
    buf_char(&h->text, '\n');
    h->jobs++;
}

static void on_label(void *ctx, const struct label *l) {
    struct heard *h = ctx;
    struct span text = {l->text, l->len};
    assert_true(l->kind < LABEL_KIND_COUNT);
    assert_true(l->len <= LABEL_MAX);
    assert_true(text_is_clean(text));
    same_client(h, l->client, l->space);
    buf_text(&h->text, "label ");
    buf_text(&h->text, label_kind_name((enum label_kind)l->kind));
    buf_char(&h->text, ' ');
    buf_span(&h->text, text);
    buf_char(&h->text, '\n');
    h->labels++;
}

struct sink heard_sink(struct heard *h) {
    return (struct sink){h, on_sample, on_job, on_label};
}

static int compare(const void *a, const void *b) {
    const struct span *x = a;
    const struct span *y = b;
    int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

void heard_sort(struct heard *h) {
    struct span *lines = malloc((h->text.n + 1) * sizeof(*lines));
    size_t n = 0;
    struct buf sorted;
    struct cursor c = cursor_over(buf_span_of(&h->text));
    assert_non_null(lines);
    while (cursor_line(&c, &lines[n]))
        n++;
    qsort(lines, n, sizeof(*lines), compare);
    buf_init(&sorted);
    for (size_t i = 0; i < n; i++) {
        buf_span(&sorted, lines[i]);
        buf_char(&sorted, '\n');
    }
    free(lines);
    buf_finish(&h->text);
    h->text = sorted;
}

bool heard_line(struct heard *h, const char *line) {
    struct cursor c = cursor_over(buf_span_of(&h->text));
    struct span at;
    while (cursor_line(&c, &at))
        if (span_equals(at, line))
            return true;
    return false;
}

uint64_t counts_units(const struct counts *c) {
    return c->accepted + c->ignored + c->malformed + c->truncated;
}

void assert_counts(const struct counts *c, uint64_t units) {
    uint64_t reasons = 0;
    for (unsigned i = 0; i < REASON_COUNT; i++)
        reasons += c->reasons[i];
    assert_int_equal(counts_units(c), units);
    assert_int_equal(reasons, units - c->accepted);
}
