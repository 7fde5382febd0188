/*
 * The device screen's lines of the limits that hold a device back: those at work in full words, of
 * the others the names alone. Pure.
 */
#include "detail.h"

#include <string.h>

#define WORD_END 21 /* of the word before names */
#define NAMES    22

bool limits_have(const struct metric_place *p) {
    return p->group == GROUP_LIMITS && metric_info(p->metric)->unit == UNIT_FLAG;
}

/* Of the limit in this place; STATE_COUNT where it is none of the device's. */
static struct value value_at(const struct sheet *sh, const uint32_t *count,
                             const struct metric_place *p) {
    struct value none = {.state = STATE_COUNT};
    return limits_have(p) && count[p->metric] > 0 ? table_metric(sh->s, sh->d->metrics, p->metric)
                                                  : none;
}

static void draw_limit(struct sheet *sh, unsigned metric, struct value v) {
    const char *name = group_metric_name(GROUP_LIMITS, metric);
    struct buf *b = &sh->ui->text;
    if (!sheet_next(sh)) {
        return;
    }
    (void)sheet_text(sh, 2, sh->label_end, ROLE_LABEL, span_of(name));
    buf_clear(b);
    buf_text(b, v.doubt ? "yes~" : "! yes");
    sheet_value(sh, ROLE_WARN);
    buf_clear(b);
    sheet_put_doubts(b, v.doubt);
    int at = sheet_text(sh, sh->value_end + 2, sh->width, ROLE_WARN, buf_span_of(b));
    at += v.doubt ? 2 : 0;
    (void)sheet_text(sh, at, sh->width, ROLE_HELP, span_of(metric_info(metric)->doc));
}

/* Whether the limit is one of those that are said in a line: off, or in this state. */
static bool is_in_line(struct value v, unsigned state) {
    return v.state == state && (state != STATE_VALUE || v.v == 0);
}

static void flush(struct sheet *sh, const char *word, bool is_first) {
    if (sheet_next(sh)) {
        (void)sheet_text(sh, 2, WORD_END, ROLE_LABEL, span_of(is_first ? word : ""));
        (void)sheet_text(sh, NAMES, sh->width, ROLE_DIM, buf_span_of(&sh->ui->text));
    }
    buf_clear(&sh->ui->text);
}

/* The names of all of them, as many to a line as fit. */
static void draw_names(struct sheet *sh, const uint32_t *count, unsigned state) {
    struct buf *b = &sh->ui->text;
    const char *word = state == STATE_VALUE ? "no" : sheet_why_not(state);
    int room = sh->width - NAMES;
    bool is_first = true;
    buf_clear(b);
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_place *p = &sh->ui->places[i];
        const char *name = group_metric_name(GROUP_LIMITS, p->metric);
        struct value v = value_at(sh, count, p);
        if (!is_in_line(v, state)) {
            continue;
        }
        if (b->n > 0 && (int)(b->n + strlen(name)) + 2 > room) {
            flush(sh, word, is_first);
            is_first = false;
        }
        buf_text(b, b->n > 0 ? "  " : "");
        buf_text(b, name);
        buf_text(b, v.state == STATE_VALUE && v.doubt ? "~" : "");
    }
    if (b->n > 0) {
        flush(sh, word, is_first);
    }
}

/* Those at work, each in words; then the names of the others. */
void limits_draw(struct sheet *sh, const uint32_t *count) {
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_place *p = &sh->ui->places[i];
        struct value v = value_at(sh, count, p);
        if (v.state == STATE_VALUE && v.v != 0) {
            draw_limit(sh, p->metric, v);
        }
    }
    draw_names(sh, count, STATE_VALUE);
    for (unsigned state = 0; state < STATE_COUNT; state++) {
        if (state != STATE_VALUE) {
            draw_names(sh, count, state);
        }
    }
}
