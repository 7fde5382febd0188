/* What the screen's keys wish of the rest of the program: signals, files of a process, settings kept. */
#ifndef APP_SCREEN_WISH_H
#define APP_SCREEN_WISH_H

#include "gwtop/term.h"
#include "look.h"
#include "screen.h"

struct wisher {
    const struct screen_choice *choice;
    struct ui *ui;
    struct term *term;
    struct feed *feed;
    struct look *look; /* NULL until something was asked for */
    struct buf text;
};
/* What the terminal is to do by these settings. */
struct term_options wisher_term_options(const struct options *o, const struct settings *s);
/* True where the command was one of these. */
bool wisher_take(struct wisher *w, struct ui_command c);
/* -1: nothing to wait for. */
int wisher_fd(const struct wisher *w);
/* Hands over answers that came. */
void wisher_answer(struct wisher *w);
void wisher_finish(struct wisher *w);

#endif
