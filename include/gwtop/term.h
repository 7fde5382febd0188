/*
 * term: the one place that knows the terminal (ncurses). Grid to screen, keys in. I/O.
 */
#ifndef GWTOP_TERM_H
#define GWTOP_TERM_H

#include "gwtop/base.h"
#include "gwtop/grid.h"
#include "gwtop/view.h"

struct term_options {
    bool no_color; /* -C or NO_COLOR */
    unsigned theme; /* which of the choices of the setting `theme` */
    bool mouse;     /* clicks and the wheel are keys */
    bool cursor;    /* visible, and put where term_cursor() says: for screen readers */
};
struct term;

/* Whether a TERM (NULL: unset) can be a screen, without writing to it: ERR_UNSUPPORTED with a word in info. *colors: how
 * many terminfo gives it, 0 where it has none or is not known. */
enum err term_ask(const char *name, int *colors, struct err_info *info);

/* Takes the terminal over; the caller has set LC_CTYPE, and its own handlers for the signals that it wants
 * (ncurses takes SIGINT, SIGTERM, SIGTSTP and SIGWINCH only where they are at their default). Keys come
 * from /dev/tty where standard input is no terminal. ERR_UNSUPPORTED with a word in info where TERM is dumb, unset or unknown
 * (then nothing was written to it). */
enum err term_open(const struct term_options *o, struct term **out, struct err_info *info);
/* Leaves the terminal as it was; accepts NULL; safe to call twice through the caller's NULLing. */
void term_close(struct term *t);
void term_size(struct term *t, int *rows, int *columns);
/* True where the locale is UTF-8, so that block characters may be used. */
bool term_is_unicode(const struct term *t);
/* Draws what differs from the last draw. */
void term_draw(struct term *t, const struct grid *g);
/* The next key waiting (enum ui_key codes of view.h), or 0; never blocks. Sees a resize as its own key,
 * whoever caught SIGWINCH: call it after each wake. *gone when the terminal went away. */
uint32_t term_key(struct term *t, bool *gone);
/* The button that the last UI_KEY_MOUSE was. */
void term_mouse(const struct term *t, struct ui_mouse *out);
/* Changes what of the options may change meanwhile: theme, mouse, cursor. */
void term_change(struct term *t, const struct term_options *o);
/* Where the cursor stands after the next draw; row < 0: out of the way. */
void term_cursor(struct term *t, int row, int column);
/* The window's title, clean UTF-8; nothing where the terminal has none. It is put back at the end as far as the
 * terminal can. */
void term_title(struct term *t, struct span title);
/* The descriptor to poll for keys. */
int term_fd(const struct term *t);
/* Everything is drawn anew at the next draw. */
void term_redraw(struct term *t);
/* Gives the terminal back (before stopping), takes it again (after). */
void term_suspend(struct term *t);
void term_resume(struct term *t);

#endif
