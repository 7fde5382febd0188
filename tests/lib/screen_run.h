/* Runs of the screen, for cmocka tests: started and seen to draw, ended and seen to leave everything as it was. */
#ifndef TEST_SCREEN_RUN_H
#define TEST_SCREEN_RUN_H

#include "terminal.h"

/* Until the first screen is there. Skips the test where there is no pty. */
struct terminal *screen_start(const char *const *args, const char *const *env, int rows,
                              int columns);
/* The modes of before; the end of the output turns the cursor on and leaves the other screen. */
void screen_assert_restored(struct terminal *t, const char *term);
/* It has been told to end: does so soon, with status 0, and the terminal is as it was. */
void screen_finish(struct terminal *t, const char *term);
/* The value of --set for a terminal of this type. On the Linux console ncurses asks libgpm for the mouse, which loses
 * some bytes of its own: a leak that a sanitizer build would end with. */
const char *screen_mouse(const char *term);
/* Seconds to wait where `s` are enough: more in a sanitizer build, whose end looks for leaks. */
double screen_patience(double s);

#endif
