/*
 * What a cell says. Appends to the caller's buffer only, so that a steady screen allocates nothing.
 * Pure.
 */
#include "field.h"

#define DOUBT_MARK '~'
#define NS_PER_S   INT64_C(1000000000)

/* Where the text being written starts, and the columns that it may take. */
struct pen {
    struct buf *out;
    size_t start;
    size_t room;
};

static size_t written(const struct pen *p) {
    return p->out->n - p->start;
}

static void take_back(const struct pen *p) {
    p->out->n = p->start;
}

/* Cuts what was written to whole characters that fit. */
static void cut(const struct pen *p, size_t columns) {
    if (written(p) > 0) {
        struct span all = {p->out->p + p->start, written(p)};
        p->out->n = p->start + text_cut(all, columns).n;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Nothing at all is "0"; "0.0" is too little to show. */
static void put_percent(const struct pen *p, int64_t ppm, unsigned decimals) {
    buf_fixed(p->out, ppm, 4, ppm == 0 ? 0 : decimals);
}

static void put_bytes(const struct pen *p, int64_t bytes) {
    char text[8];
    buf_put(p->out, text, human_bytes(text, (uint64_t)bytes));
}

/* One form for all of a column: "0:25.18"; what is too short for it is still not nothing: "<0:00.01". */
static void put_time(const struct pen *p, int64_t ns) {
    char text[12];
    if (ns > 0 && ns < NS_PER_S / 100) {
        buf_text(p->out, "<0:00.01");
        return;
    }
    buf_put(p->out, text, human_time(text, (uint64_t)ns));
}

static void put_ago(const struct pen *p, int64_t ns) {
    int64_t s = ns / NS_PER_S;
    if (s < 3600) {
        buf_u64(p->out, (uint64_t)(s < 60 ? s : s / 60));
        buf_char(p->out, s < 60 ? 's' : 'm');
    } else {
        put_time(p, ns);
    }
    buf_text(p->out, " ago");
}

static void put_number(const struct pen *p, enum format format, int64_t v) {
    switch (format) {
    case FORMAT_PERCENT:
        put_percent(p, v, 1);
        break;
    case FORMAT_WHOLE:
        put_percent(p, v, 0);
        break;
    case FORMAT_BYTES:
        put_bytes(p, v);
        break;
    case FORMAT_TIME:
        put_time(p, v);
        break;
    case FORMAT_AGO:
        put_ago(p, v);
        break;
    default:
        buf_i64(p->out, v);
    }
}

/* The power of 1024 at or above `bytes`: what 1000 to 1023 of a unit are, nearly. */
static int64_t next_unit(int64_t bytes) {
    int64_t unit = 1024;
    while (unit < bytes && unit < INT64_C(1) << 60) {
        unit *= 1024;
    }
    return unit;
}

/* A number in `room` columns: with fewer digits where it does not fit, and where that does not help
 * either, as something that is no number. */
static void put_fitting(const struct pen *p, enum format format, int64_t v, size_t room) {
    put_number(p, format, v);
    if (written(p) > room && format == FORMAT_PERCENT) {
        take_back(p);
        put_percent(p, v, 0);
    } else if (written(p) > room && format == FORMAT_BYTES) {
        take_back(p);
        put_bytes(p, next_unit(v));
    }
    if (written(p) > room) {
        take_back(p);
        buf_fill(p->out, '+', room);
    }
}

static void put_amount(const struct pen *p, double v, size_t room) {
    table_amount(v, room, p->out);
    if (written(p) > room) {
        take_back(p);
        buf_fill(p->out, '+', room);
    }
}

static void put_value(const struct pen *p, enum column c, const struct field *f, int64_t v) {
    bool marked = f->value.doubt != 0 || f->is_rough;
    size_t width = column_info(c)->width;
    size_t room = p->room - (marked && p->room > 1 ? 1u : 0u);
    room = room < width ? room : width;
    if (table_format(c) == FORMAT_AMOUNT) {
        put_amount(p, f->amount, room);
    } else {
        put_fitting(p, table_format(c), v, room);
    }
    if (marked && written(p) < p->room) {
        buf_char(p->out, DOUBT_MARK);
    } else if (marked) {
        take_back(p);
        buf_char(p->out, DOUBT_MARK);
    }
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void put_text(const struct pen *p, struct span text, bool unicode) {
    buf_span(p->out, text);
    if (text.n > p->room && text_columns(text) > p->room) {
        cut(p, p->room - 1);
        buf_text(p->out, unicode ? "…" : "+");
    }
}

static void put_reasons(struct buf *out, uint64_t reasons) {
    const char *before = "  ";
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        if (reasons >> i & 1) {
            buf_text(out, before);
            buf_text(out, reason_text(i));
            before = ", ";
        }
    }
}

/* What a row stands below: two columns for each, of the last its own branch. */
static void put_branches(struct buf *out, struct row r, bool unicode) {
    bool is_part = r.client || r.engine || r.region;
    unsigned depth = r.depth <= TABLE_DEPTH_MAX ? r.depth : TABLE_DEPTH_MAX;
    for (unsigned i = 1; i < depth; i++) {
        bool goes_on = r.trunk >> (i - 1) & 1;
        buf_text(out, goes_on ? (unicode ? "│ " : "| ") : "  ");
    }
    if (depth > 0 && is_part) {
        buf_text(out, r.last ? "  " : unicode ? "│ " : "| ");
    } else if (depth > 0) {
        buf_text(out, r.last ? (unicode ? "└─ " : "`- ") : unicode ? "├─ " : "|- ");
    }
    if (is_part) {
        buf_text(out, unicode ? "└ " : "- ");
    }
}

static void put_client(struct buf *out, const struct snap_client *c, struct span name) {
    buf_text(out, "client ");
    buf_u64(out, c->id);
    if (c->holders > 1) {
        buf_text(out, ", ");
        buf_u64(out, c->holders);
        buf_text(out, " descriptors");
    }
    if (name.n > 0) {
        buf_text(out, ", ");
        buf_span(out, name);
    }
}

/* Of an engine; busy time that has no price is not in its PW s. */
static void put_engine(const struct pen *p, const struct snap_engine *e, struct span name) {
    buf_span(p->out, name.n > 0 ? name : span_of(engine_class_name((enum engine_class)e->class)));
    if (e->unpriced_ns.state == STATE_VALUE && e->unpriced_ns.v > 0) {
        buf_text(p->out, ", ");
        put_time(p, e->unpriced_ns.v);
        buf_text(p->out, " unpriced");
    }
}

static void put_part(const struct pen *p, const char *what, struct value v) {
    bool is_number = v.state == STATE_VALUE && v.v >= 0;
    if (v.state == STATE_UNSUPPORTED) {
        return;
    }
    buf_text(p->out, what);
    if (is_number) {
        put_bytes(p, v.v);
        buf_text(p->out, v.doubt ? "~" : "");
    } else {
        buf_text(p->out, table_word(v.state == STATE_VALUE ? STATE_MALFORMED : v.state));
    }
}

static void put_region(const struct pen *p, const struct snap_memory *m, struct span name) {
    buf_span(p->out, name);
    put_part(p, "  resident ", m->resident.state == STATE_VALUE ? m->resident : m->legacy);
    put_part(p, "  total ", m->total);
    put_part(p, "  shared ", m->shared);
    put_part(p, "  purgeable ", m->purgeable);
}

/* What belongs to nobody has a shorter word where there is little room. */
static void put_loose(const struct pen *p, struct span name) {
    static const char *const shorter[] = {"(not attrib.)", "(not attr.)"};
    buf_span(p->out, name);
    for (size_t i = 0; span_equals(name, "(not attributed)") && written(p) > p->room &&
                       i < sizeof shorter / sizeof shorter[0];
         i++) {
        take_back(p);
        buf_text(p->out, shorter[i]);
    }
}

static void put_process(struct buf *out, const struct snap_process *p, struct span text) {
    bool is_name = p->command.len == 0;
    buf_text(out, p->exited ? "(exited) " : "");
    buf_text(out, is_name ? "[" : "");
    if (text.n > 0) {
        buf_span(out, text);
    } else { /* nobody told its name (yet) */
        buf_i64(out, p->pid);
    }
    buf_text(out, is_name ? "]" : "");
}

static void put_command(const struct pen *p, const struct snapshot *s, struct row r,
                        struct span text, bool unicode) {
    put_branches(p->out, r, unicode);
    if (r.engine) {
        put_engine(p, &s->engines[r.index], text);
    } else if (r.region) {
        put_region(p, &s->memory[r.index], text);
    } else if (r.client) {
        put_client(p->out, &s->clients[r.index], text);
    } else if (r.unattributed) {
        put_loose(p, text);
        put_reasons(p->out, s->unattributed[r.index].reasons);
    } else {
        put_process(p->out, &s->processes[r.index], text);
    }
    cut(p, p->room);
    while (written(p) > 0 && p->out->p[p->out->n - 1] == ' ') {
        p->out->n--;
    }
}

/* ---- roles ----------------------------------------------------------------------------------- */

static enum role row_role(const struct snapshot *s, struct row r) {
    if (r.client || r.engine || r.region || r.unattributed) {
        return ROLE_DIM;
    }
    if (r.total) {
        return ROLE_TITLE;
    }
    return s->processes[r.index].exited ? ROLE_EXITED : ROLE_NORMAL;
}

static enum role value_role(enum column c, const struct field *f, enum role otherwise) {
    if (f->value.state == STATE_DENIED || f->value.state == STATE_MALFORMED) {
        return ROLE_WARN;
    }
    if (f->value.state != STATE_VALUE) {
        return ROLE_DIM;
    }
    if (f->value.doubt != 0) {
        return ROLE_WARN;
    }
    if (otherwise != ROLE_NORMAL || table_format(c) == FORMAT_NUMBER) {
        return otherwise;
    }
    if (table_format(c) == FORMAT_AMOUNT ? f->amount == 0 : f->value.v == 0) {
        return ROLE_DIM;
    }
    return c == COLUMN_GPU ? ROLE_VALUE : ROLE_NORMAL;
}

/* ---------------------------------------------------------------------------------------------- */

const char *table_word(unsigned state) {
    static const char *const words[STATE_COUNT] = {[STATE_UNKNOWN] = "?",
                                                   [STATE_UNSUPPORTED] = "-",
                                                   [STATE_DENIED] = "deny",
                                                   [STATE_MALFORMED] = "bad"};
    return state < STATE_COUNT && words[state] ? words[state] : "?";
}

static bool is_text(enum format f) {
    return f == FORMAT_TEXT || f == FORMAT_COMMAND || f == FORMAT_DIGITS;
}

static void put_word(const struct pen *p, enum column c, unsigned state) {
    size_t width = column_info(c)->width;
    buf_text(p->out, table_word(state));
    cut(p, p->room < width ? p->room : width);
}

enum role table_cell(const struct snapshot *s, struct row r, enum column c, bool unicode,
                     size_t columns, struct buf *out) {
    struct field f = table_field(s, r, c);
    struct pen p = {out, out->n, columns};
    if (f.is_blank || columns == 0) {
        return ROLE_NORMAL;
    }
    if (table_format(c) == FORMAT_COMMAND) {
        put_command(&p, s, r, f.text, unicode);
        return row_role(s, r);
    }
    f.value.state = (uint8_t)table_field_state(s, c, &f);
    if (f.value.state != STATE_VALUE) {
        put_word(&p, c, f.value.state);
    } else if (is_text(table_format(c))) {
        put_text(&p, f.text, unicode);
        return row_role(s, r);
    } else if (f.value.v == 0 && column_info(c)->engine && unicode && !f.value.doubt) {
        buf_text(out, "·");
    } else {
        put_value(&p, c, &f, table_field_number(s, c, &f));
    }
    return value_role(c, &f, row_role(s, r));
}
