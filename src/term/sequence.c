/*
 * Keys that a terminal sends in another form than its terminfo entry says: arrows and ends with or without
 * modifiers, and mouse reports. Without this the letters of such a sequence would be keys of their own. I/O.
 */
#include "screen.h"

#include <ncurses.h>

#define MOUSE_MOST 32767

/* Behind "ESC [" or "ESC O", by the last byte. */
static uint32_t key_by_letter(char last) {
    static const struct {
        char last;
        uint32_t key;
    } letters[] = {{'A', UI_KEY_UP},       {'B', UI_KEY_DOWN},  {'C', UI_KEY_RIGHT},
                   {'D', UI_KEY_LEFT},     {'H', UI_KEY_HOME},  {'F', UI_KEY_END},
                   {'Z', UI_KEY_BACK_TAB}, {'P', UI_KEY_F1},    {'Q', UI_KEY_F1 + 1},
                   {'R', UI_KEY_F1 + 2},   {'S', UI_KEY_F1 + 3}};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        if (letters[i].last == last) {
            return letters[i].key;
        }
    }
    return UI_KEY_NONE;
}

/* Of "ESC [ n ~". */
static uint32_t key_by_number(uint64_t n) {
    static const uint32_t first[] = {UI_KEY_NONE,      UI_KEY_HOME, UI_KEY_NONE,
                                     UI_KEY_DELETE,    UI_KEY_END,  UI_KEY_PAGE_UP,
                                     UI_KEY_PAGE_DOWN, UI_KEY_HOME, UI_KEY_END};
    /* F1 to F12 have gaps in their numbers. */
    static const uint8_t functions[] = {11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24};
    for (unsigned i = 0; i < sizeof functions; i++) {
        if (functions[i] == n) {
            return UI_KEY_F1 + i;
        }
    }
    return n < sizeof first / sizeof first[0] ? first[n] : UI_KEY_NONE;
}

/* Nothing, or 1 and a modifier: with other numbers a letter ends an answer of the terminal, as "24;80R" does. */
static bool is_key_form(struct span s) {
    return s.n == 0 || (s.p[0] == '1' && (s.n == 1 || s.p[1] == ';'));
}

/* "<button;column;row" and M for a press, m for a release. */
static uint32_t mouse_of(struct term *t, struct span s) {
    uint64_t part[3];
    bool is_press = s.n > 0 && s.p[s.n - 1] == 'M';
    struct cursor c = cursor_over((struct span){s.p + 1, s.n > 1 ? s.n - 2 : 0});
    struct span field;
    for (int i = 0; i < 3; i++) {
        if (!cursor_field(&c, ';', &field) || span_to_u64(field, &part[i]) != ERR_OK ||
            part[i] > MOUSE_MOST) {
            return UI_KEY_NONE;
        }
    }
    bool is_ours = is_press && part[1] > 0 && part[2] > 0 &&
                   pointer_press(t, (unsigned)part[0], (int)part[2] - 1, (int)part[1] - 1);
    return is_ours ? UI_KEY_MOUSE : UI_KEY_NONE;
}

uint32_t sequence_key(struct term *t, struct span s) {
    uint64_t n = 0;
    if (s.n == 0) {
        return UI_KEY_NONE;
    }
    if (s.p[0] == '<') {
        return mouse_of(t, s);
    }
    char last = s.p[s.n - 1];
    struct cursor c = cursor_over((struct span){s.p, s.n - 1});
    if (s.p[0] == '[') { /* the Linux console's F1 to F5 */
        return s.n == 2 && last >= 'A' && last <= 'E' ? UI_KEY_F1 + (uint32_t)(last - 'A')
                                                      : UI_KEY_NONE;
    }
    if (last != '~') {
        return is_key_form((struct span){s.p, s.n - 1}) ? key_by_letter(last) : UI_KEY_NONE;
    }
    return cursor_u64(&c, &n) == ERR_OK ? key_by_number(n) : UI_KEY_NONE;
}

uint32_t sequence_read(struct term *t) {
    char bytes[SEQUENCE_MOST];
    unsigned n = 0;
    int c = wgetch(stdscr);
    if (c == ERR) {
        return UI_KEY_ESC;
    }
    if (c != '[' && c != 'O') {
        ungetch(c); /* Esc, and then a key of its own */
        return UI_KEY_ESC;
    }
    bool is_short = c == 'O';
    while ((c = wgetch(stdscr)) != ERR && c < 0x80) {
        bytes[n < SEQUENCE_MOST ? n : SEQUENCE_MOST - 1] = (char)c;
        n++;
        bool is_console = n == 1 && c == '[';
        if (is_short || (c >= 0x40 && c <= 0x7e && !is_console)) {
            break;
        }
        if (c < ' ') {
            ungetch(c); /* torn: what comes now is no part of it */
            return UI_KEY_NONE;
        }
    }
    if (n == 0) {
        return UI_KEY_ESC;
    }
    return n <= SEQUENCE_MOST ? sequence_key(t, (struct span){bytes, n}) : UI_KEY_NONE;
}
