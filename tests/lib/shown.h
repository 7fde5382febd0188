/* A screen of 80 x 24 (at first), and what was drawn on it last. Failures end the test. */
#ifndef TEST_SHOWN_H
#define TEST_SHOWN_H

#include "gwtop/view.h"
#include "snap.h"

struct screen {
    struct ui *ui;
    struct grid g;
    struct buf text;
    struct snap b;
    struct ui_play play;
};

/* One at a time. */
struct screen *open_screen(struct ui_options o, void (*build)(struct snap *b));
void close_screen(struct screen *sc);
/* The whole screen as text; valid until the next call. */
const char *drawn(struct screen *sc);
struct ui_command press(struct screen *sc, uint32_t key);
/* Each sign is a key. */
void type(struct screen *sc, const char *keys);
/* Presses the key and looks at what the app is told. */
void tells(struct screen *sc, uint32_t key, enum ui_action action, int64_t amount);
/* The text of the one selected row; "" where none is in sight. */
const char *selected(struct screen *sc);

#define SHOWS(sc, what)   assert_non_null(strstr(drawn(sc), what))
#define HIDES(sc, what)   assert_null(strstr(drawn(sc), what))
#define SELECTS(sc, what) assert_non_null(strstr(selected(sc), what))

#endif
