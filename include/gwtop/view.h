/*
 * view: the screen as a state machine: keys change the state, render draws state and snapshot on a grid. Pure:
 * no terminal, no clock. Keys stand in keys.def, columns in columns.def.
 */
#ifndef GWTOP_VIEW_H
#define GWTOP_VIEW_H

#include "gwtop/grid.h"
#include "gwtop/settings.h"
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
    UI_KEY_RESIZE,
    UI_KEY_MOUSE, /* for ui_mouse(), not ui_key() */
    UI_KEY_BACK_TAB
};

enum ui_button { UI_BUTTON_LEFT, UI_BUTTON_DOUBLE, UI_WHEEL_UP, UI_WHEEL_DOWN };
struct ui_mouse {
    int row; /* of the grid */
    int column;
    enum ui_button button;
};

/* What the app must do after a key. */
enum ui_action {
    UI_NONE,
    UI_QUIT,
    UI_PAUSE, /* toggles; live: freezes what is shown; replay: stops the clock */
    UI_STEP,  /* amount: ticks, negative back */
    UI_SPEED, /* amount: +1 twice as fast, -1 half */
    UI_SEEK_START,
    UI_SEEK_END,
    UI_SEEK_TIME, /* amount: ns since the start of the recording */
    UI_REFRESH,
    UI_REDRAW_ALL, /* Ctrl-L */
    UI_SUSPEND,    /* Ctrl-Z */
    UI_LOOP,       /* replay: starts again after its end, or not */
    UI_SIGNAL,   /* amount: the signal's number; ui_targets() says to whom. The user confirmed it */
    UI_LOOK,     /* ui_targets() is one process whose files are wanted: answer by ui_take_files() */
    UI_SETTINGS, /* ui_settings() changed what the app does: delay, theme, mouse, title, plain */
    UI_SAVE      /* write ui_settings() to the configuration file; answer by ui_say() */
};
struct ui_command {
    enum ui_action action;
    int64_t amount;
};

struct ui_options {
    bool unicode;    /* the terminal shows UTF-8: bars and frames of block characters, else ASCII */
    bool replay;     /* replay keys are on */
    bool demo;       /* says so */
    bool no_signals; /* not of this machine, or --readonly: the key is not there */
    bool no_files;   /* files of processes cannot be asked for, as of another machine */
    int32_t own_pid;  /* of gwtop itself, to be named so; 0: unknown */
    uint32_t own_uid; /* whose rows are marked; with has_uid */
    bool has_uid;
    enum insight insight;      /* says what would show more processes */
    struct table_query query;  /* spans must outlive the ui */
    struct column_set columns; /* count 0: default */
    const struct settings
        *settings;           /* copied; NULL: defaults. Of sort, fields and filter `query` and
                                      * `columns` are what counts */
    const char *config_path; /* where UI_SAVE writes, to be told; outlives the ui; NULL: nowhere */
};

/* A process as it is told apart from a later one of the same number. */
struct ui_target {
    int32_t pid;
    uint64_t start; /* clock ticks since boot; never 0 */
};

/* What files of a process said; a state other than STATE_VALUE: nothing, and why. */
struct ui_file {
    struct span text; /* bytes as they are: anything may be in them */
    uint8_t state;    /* enum state */
    bool cut;         /* there was more */
};
struct ui_files {
    struct ui_file environment; /* NUL between */
    struct ui_file cgroup;
    struct ui_file command;    /* NUL between */
    struct ui_file executable; /* where its program stands */
    struct ui_file directory;
};

/* What happened along a recording, by stretches of its length. */
#define UI_MARKS 512
enum ui_mark {
    UI_MARK_LIMIT = 1,  /* some device was held back by a limit (throttle.*) */
    UI_MARK_START = 2,  /* a process came */
    UI_MARK_EXIT = 4,   /* a process ended */
    UI_MARK_MISSING = 8 /* ticks are missing, or could not be read */
};
struct ui_marks {
    uint8_t bits[UI_MARKS]; /* stretch i begins at length * i / UI_MARKS */
    int known_ppm;          /* of the length: how far it was looked through */
};

/* Messages of the program. */
#define UI_LOG_LINES 256
struct ui_log_line {
    struct span text; /* clean */
    uint8_t level;    /* enum log_level */
};
struct ui_log {
    uint64_t count; /* ever written; the newest of them are here, */
    uint32_t kept;
    const struct ui_log_line *lines; /* the oldest first */
};

/* What a status line and a progress bar say beside the snapshot. */
struct ui_play {
    bool paused;
    int speed_milli;   /* 1000: real time; 0: as fast as possible */
    int64_t at_ns;     /* since the start of the recording */
    int64_t length_ns; /* 0 unknown */
    uint64_t ticks;    /* in the recording; 0 unknown */
    uint64_t tick;
    bool at_end;
    int busy_ppm;        /* progress of a long seek, or -1 */
    const char *note;    /* one line, e.g. what is wrong with the recording; NULL none */
    int64_t delay_ns;    /* refresh interval */
    int64_t now_real_ns; /* wall clock to show; 0: the snapshot's */
    int64_t utc_offset_s;
    bool loops;                   /* replay: starts again after its end */
    const struct ui_marks *marks; /* NULL: none */
    const struct ui_log *log;     /* NULL: none */
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
/* A button or the wheel, where things stood at the last render. */
struct ui_command ui_mouse(struct ui *ui, const struct ui_mouse *m, const struct snapshot *s);
/* Keeps what plots and sparklines show of a tick; the same tick once. The app calls it for every tick, also one
 * that is not drawn; rendering does too. Ticks are kept by their number, so that a recording may go back. */
void ui_note(struct ui *ui, const struct snapshot *s);
/* An answer of the app: one line in the status line until the next key; copied. */
void ui_say(struct ui *ui, bool is_bad, const char *text);
/* To whom UI_SIGNAL and UI_LOOK go; valid until the next key. */
const struct ui_target *ui_targets(const struct ui *ui, uint32_t *count);
/* "SIGTERM"; NULL for a number that the list of signals does not hold. */
const char *ui_signal_name(int number);
/* The files of a process that were asked for; copied. Ignored where it is no more asked for. */
void ui_take_files(struct ui *ui, const struct ui_target *of, const struct ui_files *files);
/* The settings as keys and Setup made them; valid until the next call into the ui. */
const struct settings *ui_settings(struct ui *ui);
/* Where the eye of the user is, for a cursor that a screen reader follows: the selected row, the line of a prompt.
 * False: nowhere. Of the last render. */
bool ui_cursor(const struct ui *ui, int *row, int *column);
/* Appends a title for the terminal's window: "gwtop: 55 % gfx, 112 W". */
void ui_title(struct ui *ui, const struct snapshot *s, struct buf *out);

#endif
