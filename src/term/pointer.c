/*
 * The mouse: presses of the left button and the wheel. Two presses on one cell in a short time are a double
 * one; ncurses could tell too, but would hold every press back until it knows. I/O.
 */
#include "screen.h"

#include <ncurses.h>

#define DOUBLE_NS INT64_C(400000000)

void pointer_set(struct term *t, bool on) {
    mmask_t wanted = BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED;
    mouseinterval(0);
    t->pointer.is_on = on && mousemask(wanted, NULL) != 0;
    t->pointer.pressed_ns = 0;
    if (!on) {
        mousemask(0, NULL);
    }
}

static enum ui_button press(struct pointer *p, int row, int column) {
    int64_t now = term_now_ns();
    bool is_second = p->pressed_ns > 0 && now - p->pressed_ns <= DOUBLE_NS && p->last.row == row &&
                     p->last.column == column;
    p->pressed_ns = now;
    return is_second ? UI_BUTTON_DOUBLE : UI_BUTTON_LEFT;
}

bool pointer_press(struct term *t, unsigned button, int row, int column) {
    struct pointer *p = &t->pointer;
    if (!p->is_on || (button != 0 && button != 64 && button != 65)) {
        return false;
    }
    if (button == 0) {
        p->last.button = press(p, row, column);
    } else {
        p->last.button = button == 64 ? UI_WHEEL_UP : UI_WHEEL_DOWN;
        p->pressed_ns = 0;
    }
    p->last.row = row;
    p->last.column = column;
    return true;
}

bool pointer_take(struct term *t) {
    MEVENT e;
    if (getmouse(&e) != OK || e.x < 0 || e.y < 0) {
        return false;
    }
    bool is_wheel = e.bstate & (BUTTON4_PRESSED | BUTTON5_PRESSED);
    if (!is_wheel && !(e.bstate & BUTTON1_PRESSED)) {
        return false;
    }
    unsigned button = !is_wheel ? 0 : (e.bstate & BUTTON4_PRESSED) ? 64 : 65;
    return pointer_press(t, button, e.y, e.x);
}

void term_mouse(const struct term *t, struct ui_mouse *out) {
    *out = t->pointer.last;
}
