/* A small terminal: bytes in, rows of text out. */
#include "vt.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/base.h"

#define CELL_BYTES   32
#define PENDING_MOST 512
#define MODES        2100
#define PARTS_MOST   16

struct cell_text {
    char bytes[CELL_BYTES]; /* NUL-terminated; "" : the right half of a wide one */
};

struct vt {
    int rows, columns;
    int row, column;
    int saved_row, saved_column;
    int top, bottom; /* of the region that scrolls */
    bool late_wrap, is_late, inserts;
    struct cell_text *cells;
    char last[5]; /* to be repeated */
    char pending[PENDING_MOST];
    size_t pending_n;
    unsigned char modes[MODES];
    char title[PENDING_MOST];
    unsigned strange;
    char strange_text[64];
    char *text;
    size_t text_cap;
};

static struct cell_text *cell(const struct vt *v, int row, int column) {
    return &v->cells[row * v->columns + column];
}

static void blank(struct vt *v, int row, int from, int to) {
    for (int c = from < 0 ? 0 : from; c < to && c < v->columns; c++)
        strcpy(cell(v, row, c)->bytes, " ");
}

struct vt *vt_create(int rows, int columns, bool late_wrap) {
    struct vt *v = calloc(1, sizeof *v);
    if (!v)
        abort();
    v->late_wrap = late_wrap;
    vt_resize(v, rows, columns);
    return v;
}

void vt_destroy(struct vt *v) {
    if (v) {
        free(v->cells);
        free(v->text);
        free(v);
    }
}

void vt_resize(struct vt *v, int rows, int columns) {
    struct vt old = *v;
    v->cells = calloc((size_t)rows * (size_t)columns, sizeof *v->cells);
    if (!v->cells)
        abort();
    v->rows = rows;
    v->columns = columns;
    for (int r = 0; r < rows; r++) {
        blank(v, r, 0, columns);
        for (int c = 0; r < old.rows && c < columns && c < old.columns; c++)
            *cell(v, r, c) = *cell(&old, r, c);
    }
    free(old.cells);
    v->top = 0;
    v->bottom = rows - 1;
    v->row = v->row < rows ? v->row : rows - 1;
    v->column = v->column < columns ? v->column : columns - 1;
    v->is_late = false;
}

static void note_strange(struct vt *v, const char *bytes, size_t n) {
    if (v->strange++ == 0)
        snprintf(v->strange_text, sizeof v->strange_text, "%.*s", (int)n,
                 bytes[0] == '\033' ? bytes + 1 : bytes);
}

/* ---- rows that move -------------------------------------------------------------------------- */

/* Rows from `from` to the end of the region go `n` down, or up below 0. */
static void shift(struct vt *v, int from, int n) {
    int last = v->bottom;
    int count = last - from + 1;
    size_t row = (size_t)v->columns * sizeof *v->cells;
    if (count < 1)
        return;
    int by = abs(n) < count ? abs(n) : count;
    size_t kept = (size_t)(count - by) * row;
    if (n < 0)
        memmove(cell(v, from, 0), v->cells + (from + by) * v->columns, kept);
    else if (kept > 0)
        memmove(cell(v, from + by, 0), cell(v, from, 0), kept);
    for (int i = 0; i < by; i++)
        blank(v, n < 0 ? last - i : from + i, 0, v->columns);
}

static void line_feed(struct vt *v) {
    if (v->row == v->bottom)
        shift(v, v->top, -1);
    else if (v->row < v->rows - 1)
        v->row++;
}

static void line_back(struct vt *v) {
    if (v->row == v->top)
        shift(v, v->top, 1);
    else if (v->row > 0)
        v->row--;
}

/* Cells of the row right of the cursor go `n` to the right, or to the left below 0. */
static void slide(struct vt *v, int n) {
    int room = v->columns - v->column;
    int by = abs(n) < room ? abs(n) : room;
    size_t kept = (size_t)(room - by) * sizeof *v->cells;
    struct cell_text *at = cell(v, v->row, v->column);
    if (n > 0) {
        memmove(at + by, at, kept);
        blank(v, v->row, v->column, v->column + by);
    } else {
        memmove(at, at + by, kept);
        blank(v, v->row, v->columns - by, v->columns);
    }
}

/* ---- characters ------------------------------------------------------------------------------ */

static void wrap(struct vt *v) {
    v->column = 0;
    v->is_late = false;
    line_feed(v);
}

static void join(struct vt *v, const char *bytes, size_t n) {
    int column = v->is_late ? v->column : v->column - 1;
    while (column > 0 && cell(v, v->row, column)->bytes[0] == '\0')
        column--;
    char *to = column >= 0 ? cell(v, v->row, column)->bytes : NULL;
    if (to && strlen(to) + n < CELL_BYTES)
        strncat(to, bytes, n);
}

static void put(struct vt *v, const char *bytes, size_t n) {
    int width = (int)text_columns((struct span){bytes, n});
    if (width == 0) {
        join(v, bytes, n);
        return;
    }
    if (v->is_late)
        wrap(v);
    if (v->column + width > v->columns) {
        note_strange(v, bytes, n);
        return;
    }
    if (v->inserts)
        slide(v, width);
    memcpy(cell(v, v->row, v->column)->bytes, bytes, n);
    cell(v, v->row, v->column)->bytes[n] = '\0';
    if (width == 2)
        cell(v, v->row, v->column + 1)->bytes[0] = '\0';
    snprintf(v->last, sizeof v->last, "%.*s", (int)n, bytes);
    v->column += width;
    if (v->column >= v->columns) {
        v->column = v->columns - 1;
        if (v->late_wrap)
            v->is_late = true;
        else
            wrap(v);
    }
}

/* ---- control sequences ----------------------------------------------------------------------- */

static int clamp(int n, int most) {
    return n < 0 ? 0 : n > most ? most : n;
}

static void go(struct vt *v, int row, int column) {
    v->row = clamp(row, v->rows - 1);
    v->column = clamp(column, v->columns - 1);
    v->is_late = false;
}

static void erase_display(struct vt *v, int how) {
    for (int r = 0; r < v->rows; r++) {
        if (how == 2 || (how == 0 && r > v->row) || (how == 1 && r < v->row))
            blank(v, r, 0, v->columns);
    }
    if (how == 0)
        blank(v, v->row, v->column, v->columns);
    if (how == 1)
        blank(v, v->row, 0, v->column + 1);
}

static void erase_line(struct vt *v, int how) {
    blank(v, v->row, how == 0 ? v->column : 0, how == 1 ? v->column + 1 : v->columns);
}

static void go_tab(struct vt *v, int n) {
    int column = n > 0 ? (v->column / 8 + n) * 8 : ((v->column + 7) / 8 + n) * 8;
    go(v, v->row, column);
}

static void set_mode(struct vt *v, bool is_private, const int *parts, int count, bool on) {
    for (int i = 0; i < count; i++) {
        if (is_private && parts[i] >= 0 && parts[i] < MODES)
            v->modes[parts[i]] = on;
        if (!is_private && parts[i] == 4)
            v->inserts = on;
    }
}

static void repeat(struct vt *v, int n) {
    char last[sizeof v->last];
    strcpy(last, v->last);
    for (int i = 0; i < n && last[0]; i++)
        put(v, last, strlen(last));
}

static bool move(struct vt *v, char final, int n, int second) {
    switch (final) {
    case 'A':
        return go(v, v->row - n, v->column), true;
    case 'B':
    case 'e':
        return go(v, v->row + n, v->column), true;
    case 'C':
    case 'a':
        return go(v, v->row, v->column + n), true;
    case 'D':
        return go(v, v->row, v->column - n), true;
    case 'G':
    case '`':
        return go(v, v->row, n - 1), true;
    case 'd':
        return go(v, n - 1, v->column), true;
    case 'H':
    case 'f':
        return go(v, n - 1, second - 1), true;
    case 'I':
        return go_tab(v, n), true;
    case 'Z':
        return go_tab(v, -n), true;
    default:
        return false;
    }
}

static bool change(struct vt *v, char final, int first, int n) {
    switch (final) {
    case 'J':
        return erase_display(v, first), true;
    case 'K':
        return erase_line(v, first), true;
    case 'X':
        return blank(v, v->row, v->column, v->column + n), true;
    case '@':
        return slide(v, n), true;
    case 'P':
        return slide(v, -n), true;
    case 'L':
        return shift(v, v->row, n), true;
    case 'M':
        return shift(v, v->row, -n), true;
    case 'S':
        return shift(v, v->top, -n), true;
    case 'T':
        return shift(v, v->top, n), true;
    case 'b':
        return repeat(v, n), true;
    default:
        return false;
    }
}

/* The whole of one, from ESC [ to its last byte. */
static void control(struct vt *v, const char *bytes, size_t n) {
    int parts[PARTS_MOST] = {0}, count = 1;
    char mark = '\0', final = bytes[n - 1];
    for (size_t i = 2; i + 1 < n; i++) {
        if (bytes[i] >= '0' && bytes[i] <= '9')
            parts[count - 1] =
                parts[count - 1] < 9999 ? parts[count - 1] * 10 + bytes[i] - '0' : 9999;
        else if ((bytes[i] == ';' || bytes[i] == ':') && count < PARTS_MOST)
            count++;
        else
            mark = bytes[i];
    }
    int first = parts[0] > 0 ? parts[0] : 1, second = parts[1] > 0 ? parts[1] : 1;
    if (final == 'h' || final == 'l') {
        set_mode(v, mark == '?', parts, count, final == 'h');
    } else if (final == 'r' && mark == '\0') {
        v->top = clamp(first - 1, v->rows - 1);
        v->bottom = count > 1 && parts[1] > 0 ? clamp(parts[1] - 1, v->rows - 1) : v->rows - 1;
        go(v, 0, 0);
    } else if (strchr("mtcnpq", final) || (mark != '\0' && final == 'r')) {
        return; /* colours, window, questions, resets: nothing to see */
    } else if (mark != '\0' ||
               !(move(v, final, first, second) || change(v, final, parts[0], first))) {
        note_strange(v, bytes, n);
    }
}

static void take_title(struct vt *v, const char *bytes, size_t n) {
    if (n > 4 && (bytes[2] == '2' || bytes[2] == '0') && bytes[3] == ';') {
        size_t end = n - (bytes[n - 1] == '\a' ? 1 : 2);
        snprintf(v->title, sizeof v->title, "%.*s", (int)(end - 4), bytes + 4);
    }
}

static void escape(struct vt *v, const char *bytes, size_t n) {
    switch (bytes[1]) {
    case '[':
        control(v, bytes, n);
        return;
    case ']':
        take_title(v, bytes, n);
        return;
    case '7':
        v->saved_row = v->row;
        v->saved_column = v->column;
        return;
    case '8':
        go(v, v->saved_row, v->saved_column);
        return;
    case 'D':
        line_feed(v);
        return;
    case 'E':
        wrap(v);
        return;
    case 'M':
        line_back(v);
        return;
    case '(':
    case ')':
    case '*':
    case '+':
    case '%':
    case '=':
    case '>':
    case 'H':
    case 'c':
    case '\\':
        return;
    default:
        note_strange(v, bytes, n);
    }
}

static void plain_control(struct vt *v, char c) {
    switch (c) {
    case '\r':
        go(v, v->row, 0);
        break;
    case '\n':
        v->is_late = false;
        line_feed(v);
        break;
    case '\b':
        go(v, v->row, v->column - 1);
        break;
    case '\t':
        go_tab(v, 1);
        break;
    case 0:
    case '\a':
    case 14:
    case 15:
        break;
    default:
        note_strange(v, "control", 7);
    }
}

/* ---- cutting the stream ---------------------------------------------------------------------- */

static size_t escape_length(const char *p, size_t n) {
    if (n < 2)
        return 0;
    if (p[1] == '[') {
        for (size_t i = 2; i < n; i++)
            if (p[i] >= 0x40 && p[i] <= 0x7e)
                return i + 1;
        return 0;
    }
    if (p[1] == ']') {
        for (size_t i = 2; i < n; i++)
            if (p[i] == '\a' || (p[i] == '\\' && p[i - 1] == '\033'))
                return i + 1;
        return 0;
    }
    return strchr("()*+%", p[1]) ? (n < 3 ? 0 : 3) : 2;
}

static size_t utf8_length(unsigned char c) {
    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* Bytes of the first thing in it; 0 where more has to come. */
static size_t take(struct vt *v, const char *p, size_t n) {
    if (p[0] == '\033') {
        size_t k = escape_length(p, n);
        if (k > 0)
            escape(v, p, k);
        return k;
    }
    if ((unsigned char)p[0] < ' ' || p[0] == 0x7f) {
        plain_control(v, p[0]);
        return 1;
    }
    size_t k = utf8_length((unsigned char)p[0]);
    if (k > n)
        return 0;
    put(v, p, k);
    return k;
}

void vt_feed(struct vt *v, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (v->pending_n == PENDING_MOST) {
            note_strange(v, v->pending, 20);
            v->pending_n = 0;
        }
        v->pending[v->pending_n++] = bytes[i];
        if (take(v, v->pending, v->pending_n) > 0)
            v->pending_n = 0;
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static char *room(struct vt *v) {
    size_t wanted = (size_t)v->rows * ((size_t)v->columns * CELL_BYTES + 2) + 1;
    if (wanted > v->text_cap) {
        v->text = realloc(v->text, wanted);
        v->text_cap = wanted;
        if (!v->text)
            abort();
    }
    return v->text;
}

static char *write_row(struct vt *v, int row, char *at) {
    char *end = at;
    for (int c = 0; c < v->columns; c++) {
        const char *bytes = cell(v, row, c)->bytes;
        size_t n = strlen(bytes);
        memcpy(at, bytes, n);
        at += n;
        end = n > 0 && strcmp(bytes, " ") != 0 ? at : end;
    }
    *end = '\0';
    return end;
}

const char *vt_row(struct vt *v, int row) {
    char *text = room(v);
    text[0] = '\0';
    if (row >= 0 && row < v->rows)
        write_row(v, row, text);
    return text;
}

const char *vt_text(struct vt *v) {
    char *text = room(v), *at = text;
    for (int r = 0; r < v->rows; r++) {
        at = write_row(v, r, at);
        *at++ = '\n';
    }
    *at = '\0';
    return text;
}

void vt_cursor(const struct vt *v, int *row, int *column) {
    *row = v->row;
    *column = v->column;
}

bool vt_mode(const struct vt *v, int mode) {
    return mode >= 0 && mode < MODES && v->modes[mode];
}

const char *vt_title(const struct vt *v) {
    return v->title;
}

unsigned vt_strange(const struct vt *v) {
    return v->strange;
}

const char *vt_strange_text(const struct vt *v) {
    return v->strange_text;
}
