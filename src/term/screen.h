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
    unsigned long looks[ROLE_COUNT]; /* attributes by role */
    struct partial partial;
};

/* Fills `looks` for as many colours as there are. */
void theme_init(struct term *t, bool no_color);

#endif
