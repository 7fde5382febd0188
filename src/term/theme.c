/*
 * How roles look: with 256 colours, with 8, and without any. Without colours only bold, underline
 * and reverse tell roles apart; the meaning never hangs on a colour alone. I/O.
 */
#include "screen.h"

#include <ncurses.h>

struct look {
    short fg; /* -1: the terminal's own */
    short bg;
    attr_t attributes;
};

struct theme_row {
    struct look many; /* 256 colours */
    struct look few;  /* 8 */
    attr_t none;
};

#define OWN   -1
#define BLACK COLOR_BLACK

static const struct theme_row theme[ROLE_COUNT] = {
    [ROLE_NORMAL] = {{OWN, OWN, 0}, {OWN, OWN, 0}, 0},
    [ROLE_DIM] = {{244, OWN, 0}, {OWN, OWN, A_DIM}, A_DIM},
    [ROLE_TITLE] = {{OWN, OWN, A_BOLD}, {OWN, OWN, A_BOLD}, A_BOLD},
    [ROLE_LABEL] = {{37, OWN, 0}, {COLOR_CYAN, OWN, 0}, 0},
    [ROLE_VALUE] = {{OWN, OWN, A_BOLD}, {OWN, OWN, A_BOLD}, A_BOLD},
    [ROLE_HEADER] = {{BLACK, 71, 0}, {BLACK, COLOR_GREEN, 0}, A_REVERSE},
    [ROLE_HEADER_SORT] = {{BLACK, 80, A_BOLD},
                          {BLACK, COLOR_CYAN, 0},
                          A_REVERSE | A_BOLD | A_UNDERLINE},
    [ROLE_SELECTED] = {{BLACK, 80, 0}, {BLACK, COLOR_CYAN, 0}, A_REVERSE},
    [ROLE_EXITED] = {{131, OWN, 0}, {COLOR_RED, OWN, 0}, A_DIM},
    [ROLE_OWN] = {{140, OWN, 0}, {COLOR_MAGENTA, OWN, 0}, 0},
    [ROLE_BAR_GRAPHICS] = {{71, OWN, 0}, {COLOR_GREEN, OWN, 0}, 0},
    [ROLE_BAR_COMPUTE] = {{68, OWN, 0}, {COLOR_BLUE, OWN, A_BOLD}, 0},
    [ROLE_BAR_MEDIA] = {{140, OWN, 0}, {COLOR_MAGENTA, OWN, 0}, 0},
    [ROLE_BAR_COPY] = {{179, OWN, 0}, {COLOR_YELLOW, OWN, 0}, 0},
    [ROLE_BAR_MEMORY] = {{37, OWN, 0}, {COLOR_CYAN, OWN, 0}, 0},
    [ROLE_BAR_EMPTY] = {{244, OWN, 0}, {OWN, OWN, A_DIM}, 0},
    [ROLE_GOOD] = {{71, OWN, 0}, {COLOR_GREEN, OWN, 0}, 0},
    [ROLE_WARN] = {{179, OWN, 0}, {COLOR_YELLOW, OWN, 0}, A_BOLD},
    [ROLE_BAD] = {{167, OWN, A_BOLD}, {COLOR_RED, OWN, A_BOLD}, A_BOLD | A_UNDERLINE},
    [ROLE_KEY] = {{OWN, OWN, A_BOLD}, {OWN, OWN, A_BOLD}, A_BOLD},
    [ROLE_KEY_LABEL] = {{BLACK, 80, 0}, {BLACK, COLOR_CYAN, 0}, A_REVERSE},
    [ROLE_STATUS] = {{244, OWN, 0}, {OWN, OWN, 0}, 0},
    [ROLE_SEARCH] = {{BLACK, 179, 0}, {BLACK, COLOR_YELLOW, 0}, A_UNDERLINE | A_BOLD},
    [ROLE_HELP] = {{OWN, OWN, 0}, {OWN, OWN, 0}, 0},
    [ROLE_PROGRESS] = {{71, OWN, 0}, {COLOR_GREEN, OWN, 0}, 0},
};

/* A terminal that has no colour of its own to fall back on gets white on black. */
static short own_color(short color, short otherwise, bool has_own) {
    return color == OWN && !has_own ? otherwise : color;
}

void theme_init(struct term *t, bool no_color) {
    bool is_colored =
        !no_color && has_colors() && start_color() == OK && COLORS >= 8 && COLOR_PAIRS > ROLE_COUNT;
    bool has_own = is_colored && use_default_colors() == OK;
    for (unsigned r = 0; r < ROLE_COUNT; r++) {
        const struct look *look = COLORS >= 256 ? &theme[r].many : &theme[r].few;
        if (!is_colored) {
            t->looks[r] = theme[r].none;
            continue;
        }
        init_pair((short)(r + 1), own_color(look->fg, COLOR_WHITE, has_own),
                  own_color(look->bg, COLOR_BLACK, has_own));
        t->looks[r] = look->attributes | COLOR_PAIR(r + 1);
    }
}
