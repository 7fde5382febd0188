/*
 * Keys in: what ncurses calls them, and UTF-8, to the codes of view.h. I/O.
 */
#include "screen.h"

#include <ncurses.h>
#include <poll.h>
#include <sys/ioctl.h>

#include "gwtop/view.h"

#define FLOOD_NS   INT64_C(1000000000)
#define FLOOD_KEYS 1024

static const struct {
    int curses;
    uint32_t key;
} names[] = {
    {KEY_UP, UI_KEY_UP},         {KEY_DOWN, UI_KEY_DOWN},
    {KEY_LEFT, UI_KEY_LEFT},     {KEY_RIGHT, UI_KEY_RIGHT},
    {KEY_PPAGE, UI_KEY_PAGE_UP}, {KEY_NPAGE, UI_KEY_PAGE_DOWN},
    {KEY_HOME, UI_KEY_HOME},     {KEY_END, UI_KEY_END},
    {KEY_A1, UI_KEY_HOME},       {KEY_A3, UI_KEY_PAGE_UP},
    {KEY_C1, UI_KEY_END},        {KEY_C3, UI_KEY_PAGE_DOWN},
    {KEY_DC, UI_KEY_DELETE},     {KEY_BACKSPACE, UI_KEY_BACKSPACE},
    {KEY_ENTER, UI_KEY_ENTER},   {KEY_RESIZE, UI_KEY_RESIZE},
    {'\n', UI_KEY_ENTER},        {'\b', UI_KEY_BACKSPACE},
    {KEY_BTAB, UI_KEY_BACK_TAB},
};

static uint32_t named(int curses) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].curses == curses) {
            return names[i].key;
        }
    }
    if (curses >= KEY_F(1) && curses <= KEY_F(12)) {
        return UI_KEY_F1 + (uint32_t)(curses - KEY_F(1));
    }
    return curses < 0x80 ? (uint32_t)curses : UI_KEY_NONE;
}

/* Takes one byte of a character above 0x7f; the code point once it is whole, else none. What is no
 * UTF-8 is dropped. */
static uint32_t join(struct partial *p, unsigned byte) {
    if (byte >= 0xc2 && byte <= 0xf4) {
        p->left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
        p->code = byte & (0x3fu >> p->left);
        p->least = p->left == 1 ? 0x80 : p->left == 2 ? 0x800 : 0x10000;
        return UI_KEY_NONE;
    }
    if (byte >= 0xc0 || p->left == 0) {
        p->left = 0;
        return UI_KEY_NONE;
    }
    p->code = p->code << 6 | (byte & 0x3f);
    if (--p->left > 0) {
        return UI_KEY_NONE;
    }
    bool is_valid =
        p->code >= p->least && p->code <= 0x10ffff && !(p->code >= 0xd800 && p->code <= 0xdfff);
    return is_valid ? p->code : UI_KEY_NONE;
}

/* No key waits: is there still somebody who could press one? A terminal that hung up is readable
 * for ever and has nothing to read. */
static bool is_gone(const struct term *t) {
    struct pollfd p = {.fd = t->input, .events = POLLIN};
    int waiting = 0;
    if (poll(&p, 1, 0) <= 0) {
        return false;
    }
    if (p.revents & (POLLERR | POLLNVAL)) {
        return true;
    }
    if (p.revents & (POLLIN | POLLHUP)) {
        return ioctl(t->input, FIONREAD, &waiting) != 0 || waiting == 0;
    }
    return false;
}

/* Whoever catches SIGWINCH: the size is looked at here, so that a resize is seen at the next wake. */
static void follow_size(struct term *t) {
    struct winsize size;
    if (ioctl(t->input, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
        return;
    }
    int rows = size.ws_row < SIDE_MAX ? size.ws_row : SIDE_MAX;
    int columns = size.ws_col < SIDE_MAX ? size.ws_col : SIDE_MAX;
    if (is_term_resized(rows, columns)) {
        resizeterm(rows, columns);
        t->redraw = true;
    }
}

/* The rest of a paste that is longer than any prompt holds is dropped: each key of it could cost a sort. */
static bool is_flooded(struct term *t) {
    int64_t now = term_now_ns();
    if (now - t->flood.since_ns > FLOOD_NS) {
        t->flood = (struct flood){.since_ns = now};
    }
    if (++t->flood.keys <= FLOOD_KEYS) {
        return false;
    }
    flushinp();
    return true;
}

/* What a code of ncurses is for us; NONE for what is not whole, or of no use. */
static uint32_t key_of(struct term *t, int c) {
    if (c >= 0x80 && c <= 0xff) {
        return join(&t->partial, (unsigned)c);
    }
    t->partial.left = 0;
    if (c == UI_KEY_ESC) {
        return sequence_read(t);
    }
    if (c == KEY_MOUSE) {
        return pointer_take(t) ? UI_KEY_MOUSE : UI_KEY_NONE;
    }
    return named(c);
}

uint32_t term_key(struct term *t, bool *gone) {
    *gone = false;
    follow_size(t);
    for (;;) {
        int c = wgetch(stdscr);
        if (c == ERR) {
            *gone = is_gone(t);
            return UI_KEY_NONE;
        }
        if (is_flooded(t)) {
            return UI_KEY_NONE;
        }
        uint32_t key = key_of(t, c);
        t->redraw |= key == UI_KEY_RESIZE;
        if (key != UI_KEY_NONE) {
            return key;
        }
    }
}
