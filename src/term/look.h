/* How roles look, in numbers: themes.def as a function. */
#ifndef GWTOP_TERM_LOOK_H
#define GWTOP_TERM_LOOK_H

#include "gwtop/grid.h"

/* In the order of the choices of the setting `theme`. */
enum theme { THEME_DARK, THEME_LIGHT, THEME_MONO, THEME_BLIND, THEME_COUNT };
enum depth { DEPTH_NONE, DEPTH_FEW, DEPTH_MANY }; /* no colour, 8, 256 */
enum { LOOK_BOLD = 1, LOOK_UNDERLINE = 2, LOOK_REVERSE = 4, LOOK_FAINT = 8 };

#define LOOK_OWN (-1) /* the terminal's own colour */
struct look {
    int16_t text; /* number of a colour, or LOOK_OWN */
    int16_t ground;
    uint8_t attributes;
};

/* Any numbers are allowed: a theme that is none is the first, a role that is none is NORMAL. */
struct look theme_look(unsigned theme, unsigned role, enum depth depth);
/* What xterm shows for one of its 256 colours, as 0xRRGGBB. */
uint32_t theme_rgb(unsigned color);

#endif
