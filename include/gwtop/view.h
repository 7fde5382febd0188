/*
 * view: the screen as a state machine: keys change the state, render draws state and snapshot on a grid. Pure:
 * no terminal, no clock. Keys stand in keys.def, columns in columns.def.
 */
#ifndef GWTOP_VIEW_H
#define GWTOP_VIEW_H

#include "gwtop/grid.h"
#include "gwtop/snapshot.h"
#include "gwtop/table.h"

/* Keys: Unicode code points, and these. */
enum ui_key {
    UI_KEY_NONE = 0,
    UI_KEY_TAB = 9,
    UI_KEY_ENTER = 13,
    UI_KEY_ESC = 27,
    UI_KEY_BACKSPACE = 127,
    UI_KEY_UP = 0x110000,
    UI_KEY_DOWN,
    UI_KEY_LEFT,
    UI_KEY_RIGHT,
    UI_KEY_PAGE_UP,
    UI_KEY_PAGE_DOWN,
    UI_KEY_HOME,
    UI_KEY_END,
    UI_KEY_DELETE,
    UI_KEY_F1, /* F2..F12 follow */
    UI_KEY_F12 = UI_KEY_F1 + 11,
    UI_KEY_RESIZE
};

/* What the app must do after a key. */
enum ui_action {
    UI_NONE,
    UI_QUIT,
    UI_PAUSE,      /* toggles; live: freezes what is shown; replay: stops the clock */
    UI_STEP,       /* amount: ticks, negative back */
    UI_SPEED,      /* amount: +1 twice as fast, -1 half */
    UI_SEEK_START,
    UI_SEEK_END,
    UI_SEEK_TIME,  /* amount: ns since the start of the recording */
    UI_REFRESH,
    UI_REDRAW_ALL, /* Ctrl-L */
    UI_SUSPEND     /* Ctrl-Z */
};
struct ui_command {
    enum ui_action action;
    int64_t amount;
};

struct ui_options {
    bool unicode; /* the terminal shows UTF-8: bars and frames of block characters, else ASCII */
    bool replay;  /* replay keys are on */
    bool demo;    /* says so */
    struct table_query query; /* spans must outlive the ui */
    struct column_set columns; /* count 0: default */
};

/* What a status line and a progress bar say beside the snapshot. */
struct ui_play {
    bool paused;
    int speed_milli; /* 1000: real time; 0: as fast as possible */
    int64_t at_ns;   /* since the start of the recording */
    int64_t length_ns; /* 0 unknown */
    uint64_t ticks;  /* in the recording; 0 unknown */
    uint64_t tick;
    bool at_end;
    int busy_ppm;    /* progress of a long seek, or -1 */
    const char *note; /* one line, e.g. what is wrong with the recording; NULL none */
    int64_t delay_ns; /* refresh interval */
    int64_t now_real_ns; /* wall clock to show; 0: the snapshot's */
    int64_t utc_offset_s;
};

struct ui;
enum err ui_create(const struct ui_options *o, struct ui **out);
void ui_destroy(struct ui *ui);
/* Any key at any time, snapshot may be NULL (nothing measured yet). */
struct ui_command ui_key(struct ui *ui, uint32_t key, const struct snapshot *s);
/* Draws on the whole grid, any size from 0x0 on. The selection stays on its process (pid, start, device)
 * while that exists; it is brought into sight when it is moved, and kept there with `F`. Allocates
 * nothing once sizes are steady. */
void ui_render(struct ui *ui, const struct snapshot *s, const struct ui_play *play, struct grid *g);
/* Appends the key help as text (for the manual page and tests): one "keys<TAB>meaning" line each. */
void ui_help_text(bool replay, struct buf *out);

#endif
