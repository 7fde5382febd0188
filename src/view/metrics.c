/*
 * The device screen's lines of metrics: a group for each kind of quantity; in it a line for each
 * field that says a metric, or, of one that has many parts (cores, memory stacks), small bars and
 * the values below. What is not there stands with its reason. Limits are a few words each. Pure.
 */
#include "detail.h"

#include <string.h>

#define FULL_SHARE INT64_C(1000000)
#define PART_LEAST 3  /* parts from which on they are drawn as small bars */
#define CELL       16 /* columns of a part with its number */
#define INDENT     4
#define FIELD_MOST 60 /* columns of a name that came from outside */

static const struct snap_metric *metric_at(const struct sheet *sh, uint32_t i) {
    return &sh->s->metrics[sh->d->metrics.first + i];
}

static struct span field_of(const struct sheet *sh, const struct snap_metric *m) {
    return snapshot_text(sh->s, m->name);
}

/* True where a sample's name is a part of what it means, not only who says it. */
static bool names_metric(unsigned metric) {
    static const char *const families[] = {"vendor.", "counter.", "engine."};
    struct span name = span_of(metric_info(metric)->name);
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (span_starts(name, families[i])) {
            return true;
        }
    }
    return false;
}

static bool is_same(const struct sheet *sh, const struct snap_metric *a,
                    const struct snap_metric *b) {
    struct span x = field_of(sh, a), y = field_of(sh, b);
    return a->metric == b->metric &&
           (!names_metric(a->metric) || (x.n == y.n && (x.n == 0 || memcmp(x.p, y.p, x.n) == 0)));
}

/* A vendor's field by its own name, which is all that there is to know of it. */
static void put_label(struct buf *b, const struct sheet *sh, const struct snap_metric *m,
                      unsigned group, bool with_index) {
    struct span field = text_cut(field_of(sh, m), FIELD_MOST);
    bool is_named = group_at(group)->is_named && field.n > 0;
    if (!is_named) {
        buf_text(b, group_metric_name(group, m->metric));
    }
    if (is_named || names_metric(m->metric)) {
        buf_text(b, is_named ? "" : " ");
        buf_span(b, field);
    }
    if (with_index && m->index != INDEX_NONE) {
        buf_char(b, ' ');
        buf_u64(b, m->index);
    }
}

/* Why there is no number or why it is not trusted, then who says it, as far as there is room. */
static void draw_notes(struct sheet *sh, int from, const struct snap_metric *m, unsigned state,
                       unsigned doubt) {
    struct buf *b = &sh->ui->text;
    buf_clear(b);
    if (state == STATE_VALUE) {
        sheet_put_doubts(b, doubt);
    } else {
        buf_text(b, sheet_why_not(state));
    }
    bool is_bad = state == STATE_DENIED || state == STATE_MALFORMED;
    enum role role = is_bad || state == STATE_VALUE ? ROLE_WARN : ROLE_DIM;
    int at = sheet_text(sh, from, sh->width, role, buf_span_of(b));
    at += at > from ? 2 : 0;
    if (!names_metric(m->metric) && m->name.len > 0) {
        at = sheet_text(sh, at, sh->width, ROLE_DIM, text_cut(field_of(sh, m), FIELD_MOST));
        at += 1;
    }
    buf_clear(b);
    buf_char(b, '(');
    buf_span(b, text_cut(snapshot_text(sh->s, m->source), 20));
    buf_char(b, ')');
    if (m->source.len > 0 && at + (int)text_columns(buf_span_of(b)) <= sh->width) {
        (void)sheet_text(sh, at, sh->width, ROLE_DIM, buf_span_of(b));
    }
}

/* ---- limits of a metric ---------------------------------------------------------------------- */

static bool is_limit_of(const char *limit, const char *name) {
    static const char used[] = "used", total[] = "total";
    const char *suffix = group_behind(limit, name);
    size_t n = strlen(name);
    if (suffix) {
        return strcmp(suffix, "max") == 0 || strcmp(suffix, "crit") == 0;
    }
    if (strcmp(name, "power.socket") == 0) {
        return strcmp(limit, "power.cap") == 0;
    }
    bool is_used = n > sizeof used && strcmp(name + n - (sizeof used - 1), used) == 0;
    n -= is_used ? sizeof used - 1 : 0;
    return is_used && strncmp(limit, name, n) == 0 && strcmp(limit + n, total) == 0;
}

/* What a metric is measured against: all of a share, else its limit; 0 where there is none. */
static int64_t limit_of(const struct sheet *sh, unsigned metric) {
    const struct metric_info *info = metric_info(metric);
    if (info->unit == UNIT_PERCENT) {
        return FULL_SHARE;
    }
    for (uint32_t i = 0; i < sh->d->metrics.count; i++) {
        const struct snap_metric *m = metric_at(sh, i);
        if (m->value.state == STATE_VALUE && m->value.v > 0 &&
            is_limit_of(metric_info(m->metric)->name, info->name)) {
            return m->value.v;
        }
    }
    return 0;
}

/* Below 0 where there is no bar. */
static int64_t share_of(const struct sheet *sh, const struct snap_metric *m) {
    int64_t limit = m->value.state == STATE_VALUE ? limit_of(sh, m->metric) : 0;
    if (limit <= 0) {
        return -1;
    }
    int64_t v = m->value.v < 0 ? 0 : m->value.v > limit ? limit : m->value.v;
    return (int64_t)mul_div_u64((uint64_t)v, (uint64_t)FULL_SHARE, (uint64_t)limit);
}

/* ---- one value ------------------------------------------------------------------------------- */

static void draw_label(struct sheet *sh, const struct snap_metric *m, unsigned group,
                       bool with_index) {
    buf_clear(&sh->ui->text);
    put_label(&sh->ui->text, sh, m, group, with_index);
    (void)sheet_text(sh, 2, sh->label_end, ROLE_LABEL, buf_span_of(&sh->ui->text));
}

static void draw_value(struct sheet *sh, unsigned metric, struct value v) {
    buf_clear(&sh->ui->text);
    enum role role = table_metric_text(metric, v, sh->ui->o.unicode, &sh->ui->text);
    sheet_value(sh, role);
}

static void draw_row(struct sheet *sh, const struct snap_metric *m, unsigned group) {
    if (!sheet_next(sh)) {
        return;
    }
    int64_t share = share_of(sh, m);
    draw_label(sh, m, group, true);
    draw_value(sh, m->metric, m->value);
    sheet_bar(sh, (enum role)group_at(group)->bar, share);
    bool is_free = share < 0 && sh->bar > 0 && m->value.state != STATE_VALUE;
    draw_notes(sh, is_free ? sh->bar : sh->notes, m, m->value.state, m->value.doubt);
}

/* ---- many parts ------------------------------------------------------------------------------ */

/* The parts of one field: entries `from` to `to` of the device that are of the field of `from`. */
struct parts {
    uint32_t from;
    uint32_t to;
    uint32_t count; /* with an index */
    uint32_t values;
    int64_t most;
    uint8_t doubt;
};

static struct parts series_of(const struct sheet *sh, uint32_t from, uint32_t to) {
    struct parts a = {.from = from, .to = to};
    for (uint32_t i = from; i < to; i++) {
        const struct snap_metric *m = metric_at(sh, i);
        if (m->index == INDEX_NONE || !is_same(sh, m, metric_at(sh, from))) {
            continue;
        }
        a.count++;
        if (m->value.state == STATE_VALUE) {
            a.most = a.values == 0 || m->value.v > a.most ? m->value.v : a.most;
            a.doubt |= m->value.doubt;
            a.values++;
        }
    }
    return a;
}

/* All parts together, as metrics.def folds them. */
static struct value folded(const struct sheet *sh, const struct parts *a) {
    struct value v = {.state = metric_at(sh, a->from)->value.state};
    struct run run = {sh->d->metrics.first + a->from, a->to - a->from};
    return a->values == 0 ? v : table_metric(sh->s, run, metric_at(sh, a->from)->metric);
}

/* One column each; gives the column behind. */
static int draw_small_bars(struct sheet *sh, const struct parts *a, unsigned group) {
    const struct snap_metric *first = metric_at(sh, a->from);
    int64_t limit = limit_of(sh, first->metric);
    int at = sh->behind < sh->bar ? sh->bar : sh->behind + 1;
    limit = limit > a->most ? limit : a->most;
    for (uint32_t i = a->from; sh->bar > 0 && i < a->to && at < sh->width; i++) {
        const struct snap_metric *m = metric_at(sh, i);
        if (m->index != INDEX_NONE && is_same(sh, m, first)) {
            draw_small_bar(sh->g, sh->at_row, sh->at_column + at, m->value, limit,
                           (enum role)group_at(group)->bar, sh->ui->o.unicode);
            at++;
        }
    }
    return at;
}

static const char *fold_word(unsigned metric) {
    const struct metric_info *info = metric_info(metric);
    return info->fold == FOLD_SUM       ? "sum of "
           : info->fold == FOLD_MAX     ? "highest of "
           : info->unit == UNIT_PERCENT ? "mean of "
                                        : "first of ";
}

static void draw_head(struct sheet *sh, const struct parts *a, unsigned group) {
    const struct snap_metric *m = metric_at(sh, a->from);
    struct buf *b = &sh->ui->text;
    struct value v = folded(sh, a);
    if (!sheet_next(sh)) {
        return;
    }
    draw_label(sh, m, group, false);
    draw_value(sh, m->metric, v);
    int at = a->values > 0 ? draw_small_bars(sh, a, group) + 2 : sh->bar;
    at = at > sh->notes || a->values == 0 ? at : sh->notes;
    at = sh->bar > 0 ? at : sh->notes;
    buf_clear(b);
    buf_text(b, a->values > 0 ? fold_word(m->metric) : "none of ");
    buf_u64(b, a->values > 0 ? a->values : a->count);
    at = sheet_text(sh, at, sh->width, ROLE_DIM, buf_span_of(b)) + 2;
    draw_notes(sh, at, m, a->values > 0 ? (unsigned)STATE_VALUE : v.state, v.doubt);
}

/* A part with its number. */
static void draw_cell(struct sheet *sh, int column, const struct snap_metric *m) {
    struct buf *b = &sh->ui->text;
    buf_clear(b);
    if (m->index < 1000) {
        buf_u64(b, m->index);
    } else {
        buf_text(b, sh->ui->o.unicode ? "…" : "+");
    }
    draw_right(sh->g, sh->at_row, sh->at_column + column + 3, sh->at_column + column, ROLE_DIM,
               buf_span_of(b));
    buf_clear(b);
    enum role role = table_metric_text(m->metric, m->value, sh->ui->o.unicode, b);
    draw_hanging(sh->g, sh->at_row, sh->at_column + column + 3, CELL - 3, role, buf_span_of(b));
}

static void draw_cells(struct sheet *sh, const struct parts *a) {
    int most = (sh->width - INDENT) / CELL;
    int n = 0;
    bool is_on = false;
    for (uint32_t i = a->from; i < a->to; i++) {
        const struct snap_metric *m = metric_at(sh, i);
        if (m->index == INDEX_NONE || !is_same(sh, m, metric_at(sh, a->from))) {
            continue;
        }
        if (n % (most > 0 ? most : 1) == 0) {
            is_on = sheet_next(sh);
            n = 0;
        }
        if (is_on) {
            draw_cell(sh, INDENT + n * CELL, m);
        }
        n++;
    }
}

static bool was_seen(const struct sheet *sh, uint32_t first, uint32_t i) {
    for (uint32_t k = first; k < i; k++) {
        if (is_same(sh, metric_at(sh, k), metric_at(sh, i))) {
            return true;
        }
    }
    return false;
}

static void draw_series(struct sheet *sh, const struct parts *a, unsigned group) {
    for (uint32_t i = a->from; i < a->to; i++) {
        const struct snap_metric *m = metric_at(sh, i);
        bool is_part = m->index != INDEX_NONE && a->count >= PART_LEAST;
        if (!is_part && is_same(sh, m, metric_at(sh, a->from))) {
            draw_row(sh, m, group);
        }
    }
    if (a->count < PART_LEAST) {
        return;
    }
    draw_head(sh, a, group);
    if (a->values > 0) {
        draw_cells(sh, a);
    }
}

/* ---------------------------------------------------------------------------------------------- */

/* Where the entries of each metric begin and how far they reach. */
struct reach {
    uint32_t first[METRIC_COUNT];
    uint32_t end[METRIC_COUNT];
    uint32_t count[METRIC_COUNT];
};

static void find_reach(const struct sheet *sh, struct reach *r) {
    *r = (struct reach){{0}, {0}, {0}};
    for (uint32_t i = 0; i < sh->d->metrics.count; i++) {
        unsigned metric = metric_at(sh, i)->metric;
        if (metric < METRIC_COUNT) {
            r->first[metric] = r->count[metric]++ == 0 ? i : r->first[metric];
            r->end[metric] = i + 1;
        }
    }
}

static void draw_metric(struct sheet *sh, const struct reach *r, const struct metric_place *p) {
    for (uint32_t i = r->first[p->metric]; i < r->end[p->metric]; i++) {
        if (metric_at(sh, i)->metric == p->metric && !was_seen(sh, r->first[p->metric], i)) {
            struct parts a = series_of(sh, i, r->end[p->metric]);
            draw_series(sh, &a, p->group);
        }
    }
}

void metrics_draw(struct sheet *sh) {
    struct reach r;
    unsigned group = GROUP_COUNT;
    find_reach(sh, &r);
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_place *p = &sh->ui->places[i];
        if (r.count[p->metric] == 0) {
            continue;
        }
        if (p->group != group) {
            group = p->group;
            buf_clear(&sh->ui->text);
            buf_text(&sh->ui->text, group_at(group)->prefix);
            buf_text(&sh->ui->text, group == GROUP_OTHER ? "" : "*");
            sheet_heading(sh, group_at(group)->title, buf_span_of(&sh->ui->text));
            if (group == GROUP_LIMITS) {
                limits_draw(sh, r.count);
            }
        }
        if (!limits_have(p)) {
            draw_metric(sh, &r, p);
        }
    }
}
