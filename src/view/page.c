/*
 * How the lines of the process screen stand: facts in words and figures with a note each, over as many lines as they
 * need. Pure.
 */
#include "page.h"

#define FACT       16 /* column of a fact's text */
#define NOTE_LEAST 20 /* columns that notes beside a number need */
#define NOTE_BELOW 4

/* ---- text over several lines ----------------------------------------------------------------- */

/* Bytes before the last blank of a piece, of those behind a comma where `listed`; 0 for none. */
static size_t last_blank(struct span s, size_t n, bool listed) {
    while (n > 0 && (s.p[n] != ' ' || (listed && s.p[n - 1] != ','))) {
        n--;
    }
    return n;
}

/* The words of `s` that fit, if possible up to a comma, cut inside a word where that is long; at least something. */
static struct span wrap(struct span s, int columns) {
    struct span piece = text_cut(s, columns > 1 ? (size_t)columns : 1);
    size_t n = piece.n;
    if (piece.n == s.n) {
        return s;
    }
    if (n == 0) {
        return (struct span){s.p, text_grapheme(s).bytes};
    }
    n = last_blank(s, piece.n, true);
    n = n > piece.n / 2 ? n : last_blank(s, piece.n, false);
    return n > piece.n / 2 ? (struct span){s.p, n} : piece;
}

void page_flow(struct sheet *sh, bool is_on, int from, enum role role, struct span text,
               unsigned most) {
    for (unsigned i = 0; text.n > 0 && i < most; i++) {
        struct span piece = i + 1 == most ? text : wrap(text, sh->width - from);
        is_on = i > 0 ? sheet_next(sh) : is_on;
        if (is_on) {
            (void)sheet_text(sh, from, sh->width, role, piece);
        }
        text = span_trim(span_skip(text, piece.n));
    }
}

static int fact_column(const struct sheet *sh) {
    return sh->width < 40 ? FACT - 4 : FACT;
}

void page_fact(struct sheet *sh, const char *label, enum role role, struct span text,
               unsigned most) {
    bool is_on = sheet_next(sh);
    if (is_on) {
        (void)sheet_text(sh, 2, fact_column(sh) - 1, ROLE_LABEL, span_of(label));
    }
    page_flow(sh, is_on, fact_column(sh), role, text, most);
}

void page_known_fact(struct sheet *sh, const char *label, struct span text) {
    if (text.n > 0) {
        page_fact(sh, label, ROLE_VALUE, text, PAGE_ALL);
    }
}

void page_scratch_fact(struct sheet *sh, const char *label, enum role role) {
    if (sh->ui->text.n > 0) {
        page_fact(sh, label, role, buf_span_of(&sh->ui->text), PAGE_ALL);
    }
}

bool page_is_long(const struct sheet *sh, struct span text, unsigned most) {
    int columns = sh->width - fact_column(sh);
    unsigned lines = 0;
    for (; text.n > 0 && lines <= most; lines++) {
        text = span_trim(span_skip(text, wrap(text, columns).n));
    }
    return lines > most;
}

/* ---- numbers --------------------------------------------------------------------------------- */

void page_put_duration(struct buf *b, struct value v) {
    char text[12];
    if (v.state != STATE_VALUE) {
        buf_text(b, table_word(v.state));
        return;
    }
    buf_put(b, text, human_time(text, v.v > 0 ? (uint64_t)v.v : 0));
    buf_text(b, v.doubt ? "~" : "");
}

static enum role put_figure(struct buf *b, const struct figure *f) {
    switch (f->kind) {
    case FIGURE_TIME:
        page_put_duration(b, f->v);
        break;
    case FIGURE_SIZE:
        put_size(b, f->v);
        break;
    case FIGURE_POWER:
        return table_power_text(f->r, f->unit, b);
    default:
        put_share(b, f->v);
        break;
    }
    return share_role(f->v);
}

void page_note(struct sheet *sh, bool is_on, enum role role) {
    struct span text = buf_span_of(&sh->ui->text);
    if (sh->width - sh->notes >= NOTE_LEAST) {
        page_flow(sh, is_on, sh->notes, role, text, PAGE_ALL);
    } else if (sh->width >= 2 * NOTE_LEAST && text.n > 0) {
        page_flow(sh, sheet_next(sh), NOTE_BELOW, role, text, PAGE_ALL);
    }
}

bool page_figure(struct sheet *sh, const struct figure *f) {
    if (!sheet_next(sh)) {
        return false;
    }
    (void)sheet_text(sh, 2, sh->label_end, ROLE_LABEL, f->label);
    buf_clear(&sh->ui->text);
    sheet_value(sh, put_figure(&sh->ui->text, f));
    if (f->kind == FIGURE_SHARE) {
        sheet_bar(sh, f->bar, f->v.state == STATE_VALUE ? f->v.v : -1);
    }
    return true;
}

static unsigned figure_state(const struct figure *f) {
    return f->kind == FIGURE_POWER ? table_real(f->r).state : f->v.state;
}

enum role page_begin_note(struct sheet *sh, const struct figure *f) {
    unsigned state = figure_state(f);
    unsigned doubt = f->kind == FIGURE_POWER ? f->r.doubt : f->v.doubt;
    struct buf *b = &sh->ui->text;
    buf_clear(b);
    if (state != STATE_VALUE) {
        buf_text(b, sheet_why_not(state));
        return state == STATE_UNKNOWN || state == STATE_UNSUPPORTED ? ROLE_DIM : ROLE_WARN;
    }
    sheet_put_doubts(b, doubt);
    return doubt ? ROLE_WARN : ROLE_DIM;
}

struct buf *page_next(struct buf *b) {
    buf_text(b, b->n > 0 ? ", " : "");
    return b;
}

void page_number(struct sheet *sh, const struct figure *f, const char *note) {
    bool is_on = page_figure(sh, f);
    enum role role = page_begin_note(sh, f);
    if (note[0] && figure_state(f) == STATE_VALUE) {
        buf_text(page_next(&sh->ui->text), note);
    }
    page_note(sh, is_on, role);
}
