/*
 * The looks of look.h on the terminal at hand: with as many colours as it has. Without any only bold, underline
 * and reverse tell roles apart; the meaning never hangs on a colour alone. I/O.
 */
#include "look.h"
#include "screen.h"
#include "type.h"

#include <ncurses.h>

static attr_t attributes_of(unsigned bits) {
    return (bits & LOOK_BOLD ? A_BOLD : 0) | (bits & LOOK_UNDERLINE ? A_UNDERLINE : 0) |
           (bits & LOOK_REVERSE ? A_REVERSE : 0) | (bits & LOOK_FAINT ? A_DIM : 0);
}

/* A terminal that has no colour of its own to fall back on gets `otherwise`. One of direct colours takes the first
 * eight as numbers and all others as red, green and blue. */
static int color_of(int color, int otherwise, bool has_own, bool is_direct) {
    if (color == LOOK_OWN) {
        return has_own ? -1 : otherwise;
    }
    if (is_direct && color >= 8) {
        uint32_t rgb = theme_rgb((unsigned)color);
        return rgb < 8 ? COLOR_BLACK : (int)rgb;
    }
    return color;
}

static enum depth depth_of(bool no_color) {
    if (no_color || !has_colors() || start_color() != OK || COLORS < 8 ||
        COLOR_PAIRS <= ROLE_COUNT) {
        return DEPTH_NONE;
    }
    return COLORS >= 256 ? DEPTH_MANY : DEPTH_FEW;
}

void theme_init(struct term *t) {
    unsigned theme = t->options.theme;
    enum depth depth = theme == THEME_MONO ? DEPTH_NONE : depth_of(t->options.no_color);
    bool has_own = depth != DEPTH_NONE && use_default_colors() == OK;
    bool is_direct = depth == DEPTH_MANY && COLORS > 256 && type_has_direct_color();
    bool is_light = theme == THEME_LIGHT;
    for (unsigned r = 0; r < ROLE_COUNT; r++) {
        struct look look = theme_look(theme, r, depth);
        t->looks[r] = attributes_of(look.attributes);
        if (depth != DEPTH_NONE) {
            init_extended_pair(
                (int)r + 1,
                color_of(look.text, is_light ? COLOR_BLACK : COLOR_WHITE, has_own, is_direct),
                color_of(look.ground, is_light ? COLOR_WHITE : COLOR_BLACK, has_own, is_direct));
            t->looks[r] |= COLOR_PAIR(r + 1);
        }
    }
}
