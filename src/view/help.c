/*
 * The help: keys, marks and columns, from their tables. Pure.
 */
#include "ui.h"

#define HELP_KEYS 14 /* columns of the keys in the help */

static const char marks[] =
    "0\tnothing: measured, and it is 0 (a dot in the engine columns)\n"
    "-\tnot said by this driver or kernel\n"
    "?\tnot yet known: a rate takes two readings\n"
    "deny\ta right is missing\n"
    "bad\tthe driver said something that cannot be read\n"
    "~\tbehind a number: shown, but not to be trusted to the last digit\n"
    "!\ta limit: of temperature, or one that holds the device back\n"
    "sensor\tbehind a bar: the device's own, not the sum over its processes\n";

const char *help_marks(void) {
    return marks;
}

/* One "keys<TAB>meaning" line each of those that do something here. */
static void put_keys(const struct ui *ui, struct buf *b) {
    for (unsigned i = 0; key_at(i); i++) {
        if (key_is_there(ui, key_at(i))) {
            buf_text(b, key_at(i)->keys);
            buf_char(b, '\t');
            buf_text(b, key_at(i)->doc);
            buf_char(b, '\n');
        }
    }
}

static void put_help(const struct ui *ui, struct buf *b) {
    buf_clear(b);
    buf_text(b, ui->o.replay ? "Keys (recording)\n" : "Keys\n");
    put_keys(ui, b);
    buf_text(b, "Esc\tclose what is open, and nothing else");
    if (ui->o.replay) {
        timeline_put_help(b, ui->o.unicode);
    }
    buf_text(b, "\n\nWhat stands for a number\n");
    buf_text(b, marks);
    buf_text(b, "\nColumns\n");
    for (unsigned c = 0; c < COLUMN_COUNT; c++) {
        buf_text(b, column_title((enum column)c, ui->o.unicode));
        buf_char(b, '\t');
        buf_text(b, column_info((enum column)c)->doc);
        buf_char(b, '\n');
    }
}

/* Walks the help as lines of a width: `label` of the first line of an entry, and a piece of its
 * text. */
struct help_walk {
    struct cursor lines;
    struct span rest;
    size_t width;
    struct span label;
    struct span piece;
    bool is_head; /* a heading, or an empty line */
};

/* The words of `s` that fit in the width; at least something. */
static struct span wrap(struct span s, size_t width) {
    struct span piece = text_cut(s, width);
    size_t n = piece.n;
    if (piece.n == s.n) {
        return s;
    }
    while (n > 0 && s.p[n] != ' ') {
        n--;
    }
    if (n > 0) {
        return (struct span){s.p, n};
    }
    return piece.n > 0 ? piece : (struct span){s.p, 1};
}

static bool help_next(struct help_walk *w) {
    struct span line;
    w->label = (struct span){"", 0};
    w->is_head = false;
    if (w->rest.n == 0) {
        if (!cursor_line(&w->lines, &line)) {
            return false;
        }
        struct cursor c = cursor_over(line);
        w->is_head = !cursor_field(&c, '\t', &w->label) || w->label.n == line.n;
        w->rest = span_skip(line, w->label.n + 1);
    }
    w->piece = wrap(w->rest, w->width);
    w->rest = span_trim(span_skip(w->rest, w->piece.n));
    return true;
}

static struct help_walk help_begin(struct span text, int labels, const struct grid *g) {
    int width = g->columns - labels - 3;
    return (struct help_walk){.lines = cursor_over(text), .width = width > 10 ? (size_t)width : 10};
}

void help_draw_text(struct span text, int labels, uint32_t *top, struct grid *g, int row,
                    int rows) {
    struct help_walk w = help_begin(text, labels, g);
    uint32_t count = 0, line = 0;
    uint32_t room = rows > 0 ? (uint32_t)rows : 0;
    while (help_next(&w)) {
        count++;
    }
    uint32_t most = count > room ? count - room : 0;
    *top = *top > most ? most : *top;
    for (w = help_begin(text, labels, g); help_next(&w); line++) {
        if (line < *top || line - *top >= room) {
            continue;
        }
        int at = row + (int)(line - *top);
        if (w.is_head) {
            grid_text(g, at, 0, -1, ROLE_TITLE, w.label);
            continue;
        }
        grid_text(g, at, 2, labels, ROLE_KEY, w.label);
        grid_text(g, at, labels + 2, -1, ROLE_HELP, w.piece);
    }
}

int help_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    (void)s;
    put_help(ui, &ui->text);
    ui->body = rows > 0 ? (uint32_t)rows : 0;
    help_draw_text(buf_span_of(&ui->text), HELP_KEYS, &ui->help_top, g, row, rows);
    return 0;
}

static void scroll_by(uint32_t *top, int64_t lines) {
    int64_t to = (int64_t)*top + lines;
    *top = to < 0 ? 0 : to > UINT16_MAX ? UINT16_MAX : (uint32_t)to;
}

bool scroll_key(uint32_t *top, uint32_t page, uint32_t key) {
    static const struct {
        uint32_t key;
        int lines;
        int pages;
    } moves[] = {
        {UI_KEY_UP, -1, 0},       {UI_KEY_DOWN, 1, 0},           {UI_KEY_PAGE_UP, 0, -1},
        {UI_KEY_PAGE_DOWN, 0, 1}, {UI_KEY_HOME, -UINT16_MAX, 0}, {UI_KEY_END, UINT16_MAX, 0}};
    int64_t rows = page > 1 ? (int64_t)page - 1 : 1;
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        if (moves[i].key == key) {
            scroll_by(top, moves[i].lines + moves[i].pages * rows);
            return true;
        }
    }
    return false;
}

bool help_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)s;
    (void)out;
    if (scroll_key(&ui->help_top, ui->body, key == ' ' ? (uint32_t)UI_KEY_PAGE_DOWN : key)) {
        return true;
    }
    switch (key) {
    case UI_KEY_ESC:
    case UI_KEY_ENTER:
    case UI_KEY_F1:
    case 'q':
    case 'h':
    case '?':
        pane_close(ui);
        return true;
    default:
        return false;
    }
}
