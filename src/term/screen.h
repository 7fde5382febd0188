/* What the files of this room share: the terminal as it is held. */
#ifndef GWTOP_TERM_SCREEN_H
#define GWTOP_TERM_SCREEN_H

#include "gwtop/term.h"

#include <stdio.h>

/* A key that is still to come in: bytes of one UTF-8 character. */
struct partial {
    uint32_t code;
    uint32_t least; /* below this the form was too long */
    unsigned left;  /* bytes to come */
};

/* Keys of the second that runs: nobody types a thousand, but a paste may hold any number. */
struct flood {
    int64_t since_ns;
    unsigned keys;
};

struct pointer {
    struct ui_mouse last; /* what the last UI_KEY_MOUSE was */
    int64_t pressed_ns;   /* when a press came that may be the first of two; 0: none */
    bool is_on;
};

#define TITLE_MOST 200 /* bytes */
struct title {
    char text[TITLE_MOST];
    size_t n;
    bool can;      /* the terminal takes one */
    bool is_new;   /* not told yet */
    bool is_taken; /* the terminal keeps the one before for us */
};

struct term {
    void *screen;    /* SCREEN */
    FILE *own_input; /* /dev/tty, where standard input is something else; or NULL */
    int input;       /* descriptor */
    bool is_unicode;
    bool redraw;        /* nothing on the screen can be relied on */
    struct cell *drawn; /* what the screen shows */
    uint32_t drawn_cap;
    int rows; /* of `drawn` */
    int columns;
    struct term_options options;
    unsigned long looks[ROLE_COUNT]; /* attributes by role */
    struct partial partial;
    struct flood flood;
    struct pointer pointer;
    struct title title;
    bool shows_cursor; /* wanted, or the terminal cannot hide it */
    int cursor_row;    /* below 0: nowhere */
    int cursor_column;
};

/* Nobody has a larger one; a hostile size must not take all memory, and ends ncurses where it is beyond a short. */
#define SIDE_MAX 1024

/* Nanoseconds of the monotonic clock. */
int64_t term_now_ns(void);

/* ---- theme.c --------------------------------------------------------------------------------- */

/* Fills `looks` for the theme and for as many colours as there are. */
void theme_init(struct term *t);

/* ---- pointer.c ------------------------------------------------------------------------------- */

/* Makes the terminal tell of buttons, or no more. */
void pointer_set(struct term *t, bool on);
/* A press as the xterm reports number it: 0 the left button, 64 and 65 the wheel. False for others. */
bool pointer_press(struct term *t, unsigned button, int row, int column);
/* Takes what ncurses calls KEY_MOUSE; false where it is of no use. */
bool pointer_take(struct term *t);

/* ---- title.c --------------------------------------------------------------------------------- */

void title_init(struct term *t, const char *terminal);
/* Tells what is new; what ncurses wrote is out already. */
void title_tell(struct term *t);
/* Puts back what was there before. */
void title_leave(struct term *t);

/* ---- sequence.c ------------------------------------------------------------------------------ */

#define SEQUENCE_MOST 32 /* bytes behind its two first; a longer one is none of ours */
/* After an Esc: the key that the bytes waiting behind it are, or Esc itself. */
uint32_t sequence_read(struct term *t);
/* What stands behind "ESC [" or "ESC O", with its last byte. */
uint32_t sequence_key(struct term *t, struct span s);

#endif
