/* Runs of the screen, for cmocka tests: started and seen to draw, ended and seen to leave everything as it was. */
#ifndef TEST_SCREEN_RUN_H
#define TEST_SCREEN_RUN_H

#include "terminal.h"
#include "vt.h"

/* A machine with these GPUs and hostile names in a new folder, which scratch_remove() removes. NULL: none was made. */
char *screen_machine(const char *gpus, unsigned processes, unsigned clients);
/* Setup and teardown of a group: `state` is the root of such a machine with two GPUs awake and one asleep; and a run
 * over it. */
int screen_machine_up(void **state);
int screen_machine_down(void **state);
struct terminal *screen_start_machine(void **state, int rows, int columns);
/* Until the first screen is there and it waits for keys. Skips the test where there is no pty. */
struct terminal *screen_start(const char *const *args, const char *const *env, int rows,
                              int columns);
/* The modes of before; the end of the output turns the cursor on and leaves the other screen. */
void screen_assert_restored(struct terminal *t, const char *term);
/* It has been told to end: does so, with status 0, and the terminal is as it was. */
void screen_finish(struct terminal *t, const char *term);
/* The same of an xterm, told by keys. */
void screen_quit(struct terminal *t, const char *keys);
/* The value of --set for a terminal of this type. On the Linux console ncurses asks libgpm for the mouse, which loses
 * some bytes of its own: a leak that a sanitizer build would end with. */
const char *screen_mouse(const char *term);
/* It shows all that follows from what it was told so far: see terminal_settle(). */
void screen_settle(struct terminal *t);
/* `keys` are sent, and the screen settles. */
void screen_keys(struct terminal *t, const char *keys);
/* The output since the last terminal_forget() holds the text, or will. */
void screen_expect(struct terminal *t, const char *text);

/* ---- what it shows ----------------------------------------------------------------------------- */

/* A run whose output is drawn. */
struct picture {
    struct terminal *t;
    struct vt *v;
    char term[64];
};

struct picture picture_start(const char *const *args, const char *term, const char *locale,
                             int rows, int columns);
/* What came so far is drawn; how many bytes that were. */
size_t picture_draw(struct picture *p);
/* The same once it has settled. */
size_t picture_take(struct picture *p);
size_t picture_keys(struct picture *p, const char *keys);
/* The terminal of a run that has settled. */
void picture_resize(struct picture *p, int rows, int columns);
bool picture_holds(struct picture *p, const char *text);
/* It shows the text, or does so in the end; and the opposite. */
void picture_expect(struct picture *p, const char *text);
void picture_expect_gone(struct picture *p, const char *text);
/* Of a recording: nothing of it is left to be looked through beside the playing. */
void picture_expect_marks(struct picture *p);
/* Panes close first; then it ends with status 0, and leaves no mode behind. */
void picture_end(struct picture *p);

#endif
