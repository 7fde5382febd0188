/*
 * A line that takes letters: its text, its cursor, and how it is drawn. What the lines mean stands in ask.c. Pure.
 */
#include "prompt.h"

#include "ui.h"

#include <string.h>

enum { CTRL_A = 1, CTRL_E = 5, CTRL_U = 21, CTRL_W = 23 };

/* ---- text ------------------------------------------------------------------------------------ */

static size_t encode(uint32_t code, char out[4]) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

static bool is_letter(uint32_t key) {
    return key >= ' ' && key != UI_KEY_BACKSPACE && key < UI_KEY_UP;
}

static void add(struct prompt *p, uint32_t key) {
    char bytes[4];
    size_t n = encode(key, bytes);
    if (text_is_clean((struct span){bytes, n}) && p->n + n <= PROMPT_MAX) {
        memmove(p->text + p->at + n, p->text + p->at, p->n - p->at);
        memcpy(p->text + p->at, bytes, n);
        p->n += (uint32_t)n;
        p->at += (uint32_t)n;
    }
}

/* Where the character before the cursor begins. */
static uint32_t before(const struct prompt *p) {
    uint32_t at = 0;
    while (at < p->at) {
        uint32_t n = (uint32_t)text_grapheme((struct span){p->text + at, p->n - at}).bytes;
        if (n == 0 || at + n >= p->at) {
            break;
        }
        at += n;
    }
    return at;
}

static uint32_t after(const struct prompt *p) {
    struct span rest = {p->text + p->at, p->n - p->at};
    return p->at + (rest.n > 0 ? (uint32_t)text_grapheme(rest).bytes : 0);
}

static uint32_t word_before(const struct prompt *p) {
    uint32_t at = p->at;
    while (at > 0 && p->text[at - 1] == ' ') {
        at--;
    }
    while (at > 0 && p->text[at - 1] != ' ') {
        at--;
    }
    return at;
}

static void take_out(struct prompt *p, uint32_t from, uint32_t to) {
    memmove(p->text + from, p->text + to, p->n - to);
    p->n -= to - from;
    p->at = from;
}

void prompt_set(struct prompt *p, struct span text) {
    p->n = (uint32_t)text_clean(p->text, PROMPT_MAX, text);
    p->at = p->n;
    p->failed = false;
}

static bool move(struct prompt *p, uint32_t key) {
    switch (key) {
    case UI_KEY_LEFT:
        p->at = before(p);
        return true;
    case UI_KEY_RIGHT:
        p->at = after(p);
        return true;
    case UI_KEY_HOME:
    case CTRL_A:
        p->at = 0;
        return true;
    case UI_KEY_END:
    case CTRL_E:
        p->at = p->n;
        return true;
    default:
        return false;
    }
}

bool prompt_edit(struct prompt *p, uint32_t key) {
    if (move(p, key)) {
        return true;
    }
    if (is_letter(key)) {
        add(p, key);
    } else if (key == UI_KEY_BACKSPACE) {
        take_out(p, before(p), p->at);
    } else if (key == UI_KEY_DELETE) {
        take_out(p, p->at, after(p));
    } else if (key == CTRL_U) {
        take_out(p, 0, p->at);
    } else if (key == CTRL_W) {
        take_out(p, word_before(p), p->at);
    } else {
        return false;
    }
    p->failed = false;
    return true;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Bytes left out at the start, so that the cursor is among `room` columns. */
static uint32_t first_seen(const struct prompt *p, int room) {
    uint32_t at = 0;
    while (at < p->at &&
           (int)text_columns((struct span){p->text + at, p->at - at}) >= (room > 1 ? room : 1)) {
        size_t n = text_grapheme((struct span){p->text + at, p->n - at}).bytes;
        at += n > 0 ? (uint32_t)n : 1;
    }
    return at < p->at ? at : p->at;
}

int prompt_draw(struct grid *g, int row, const char *label, struct prompt *p, int behind) {
    grid_fill(g, row, 0, g->columns, ROLE_STATUS, " ");
    int start = draw_text(g, row, 0, -1, ROLE_LABEL, label);
    int room = g->columns - start;
    room -= behind > room / 2 ? room / 2 : behind;
    return prompt_draw_at(g, row, start, room, p);
}

int prompt_draw_at(struct grid *g, int row, int start, int room, struct prompt *p) {
    uint32_t first = first_seen(p, room);
    p->row = row;
    p->column = start + (int)text_columns((struct span){p->text + first, p->at - first});
    int end =
        grid_text(g, row, start, room, ROLE_SEARCH, (struct span){p->text + first, p->n - first});
    if (p->at == p->n) {
        grid_fill(g, row, p->column, 1, ROLE_SELECTED, " ");
        end++;
    } else {
        grid_role(g, row, p->column, 1, ROLE_SELECTED);
    }
    return end + 1;
}
