/*
 * What the files of this room share: the state of the screen, and the parts that draw it. Rows and
 * columns of the grid are int, lines of the table uint32_t.
 */
#ifndef GWTOP_VIEW_UI_H
#define GWTOP_VIEW_UI_H

#include "gwtop/view.h"
#include "header.h"
#include "history.h"
#include "log.h"
#include "mouse.h"
#include "pane.h"
#include "picks.h"
#include "process.h"
#include "prompt.h"
#include "setup.h"
#include "signal.h"
#include "tags.h"
#include "users.h"

/* Who a line of the table is about, in words that outlive a snapshot. All 0: nobody. */
struct identity {
    uint64_t start;  /* of a process; of a row without one a number made of its name */
    uint64_t client; /* id of a client's line */
    uint32_t device; /* subject of the device */
    int32_t pid;
    uint8_t space; /* of the client; SPACE_NONE: the line of the process itself */
    bool unattributed;
};

/* A metric's place on the device screen: the group that it stands in. */
struct metric_place {
    uint16_t metric;
    uint8_t group;
};

/* A line of the counters screen: who worked on the device. */
enum { WORKER_PROCESS, WORKER_NOBODY, WORKER_CONTEXT };
struct worker {
    int64_t row_busy; /* of its process, as it is sorted by */
    int64_t busy;     /* its own, likewise; of a process above all */
    uint32_t place;   /* of its process */
    uint32_t index;   /* in processes, unattributed or contexts */
    uint8_t kind;
};

/* What a line is sorted by: the busy share that it had when that last changed by much. */
struct standing {
    uint64_t start; /* of a process; else 0 */
    uint64_t context;
    int64_t busy; /* as it is sorted by */
    uint32_t tag;
    int32_t pid; /* of a row of nobody its index */
    uint8_t kind;
    bool is_nobody; /* the row, or the row of the context */
    bool tagged;
    bool is_known; /* `busy` is a number that was there */
    uint8_t away;  /* ticks in which it was far from `busy` */
    uint8_t idle;  /* ticks without work */
};
struct standings {
    struct standing
        *list[2]; /* of the tick before, and of this one: in the order of the snapshot */
    uint32_t cap[2];
    uint32_t count[2];
    uint32_t at;     /* in the list of the tick before */
    uint32_t device; /* subject */
    uint64_t tick;
    uint8_t now; /* which of the two */
    bool is_new; /* a tick that was not seen before */
};

/* The counters screen: its lists of counters and of who worked. */
struct counters_pane {
    uint32_t at; /* the counter chosen, among those that are listed */
    uint32_t top;
    uint32_t room;             /* lines in sight at the last render */
    struct counter_key chosen; /* the counter at `at`, */
    bool is_kept;              /* which is found again when the list changes */
    uint32_t *list;            /* entries of the device's metrics */
    uint32_t count;
    uint32_t cap;
    uint32_t folded; /* not listed, since they are 0 */
    bool on_workers; /* keys move the list of who worked */
    bool is_detail;  /* of the lines: contexts do what the clients of their process tell too */
    bool are_there;  /* some device has counters, or was asked for some */
    struct standings standings;
    struct worker *workers;
    uint32_t worker_count;
    uint32_t worker_cap;
    uint32_t worker_top;
};

/* Whom UI_SIGNAL and UI_LOOK are about. */
struct asked {
    struct ui_target list[TARGETS_MOST];
    uint32_t count;
};

struct ui {
    struct ui_options o;
    struct table_query query; /* o.query as the keys changed it */
    enum mode mode;           /* the one at the top of `open` */
    uint8_t open[MODE_COUNT]; /* enum mode; the last lies on the others */
    unsigned open_count;
    struct settings settings;
    struct spots spots;
    struct ui_play play; /* of the last render */
    uint32_t clicked; /* the item, while a click on it is told as the key Enter; UINT32_MAX: none */

    struct row_list list;
    struct table_totals totals; /* of the list */
    struct row *lines; /* of the table: the list and, where asked for, the parts of its rows */
    uint32_t line_count;
    uint32_t line_cap;

    /* The selection. Until somebody moves it, it is the first line, whoever stands there. */
    struct identity chosen;
    bool is_pinned; /* `chosen` counts */
    bool reveal;    /* the next render brings it into sight */
    uint32_t at;    /* its line */
    uint32_t top;   /* first line in sight */
    uint32_t body;  /* lines in sight at the last render */
    int shift;      /* columns of the command cut off at the left */

    bool follow;
    char hint[160]; /* about the key pressed last, or what the app answered; "" for none */
    bool is_hint_bad;
    bool add_sort;               /* the next sort letter adds a key */
    struct settings before_copy; /* what `y` goes back to */
    bool is_copy;
    bool is_used;   /* a key was pressed: no first hint any more */
    int device;     /* shown alone; -1: all */
    uint32_t alone; /* its subject: it stays the same when others come and go */
    char device_text[12];
    uint32_t used; /* columns that were of use once, by bit: these stay */

    struct prompt search;
    struct prompt go_to;
    struct filter_line filter;
    struct head head;
    struct strip_state strip;
    struct identity before; /* the search: what to go back to */
    bool was_pinned;
    struct menu sort_menu;
    uint32_t help_top;
    struct log_view log;
    uint32_t detail; /* subject of the device of the device screen */
    uint32_t detail_top;
    struct counters_pane counters;
    struct history history;
    uint32_t table_rows;                      /* that plots leave to the table */
    struct metric_place places[METRIC_COUNT]; /* in the order of the device screen */
    struct tags tags;
    struct signals signals;
    struct users users;
    struct asked targets;
    struct process_pane process;
    struct pressed pressed;
    struct eye eye;
    struct setup setup;
    struct menu *menu; /* of the last render, one of those here; or NULL */
    bool can_unicode;  /* the terminal; o.unicode is what the settings leave of it */
    struct buf text;   /* scratch */
};

/* A setting of yes or no; which of the choices. */
static inline bool ui_is(const struct ui *ui, enum setting s) {
    return ui->settings.number[s] != 0;
}
/* The choices of the setting `engines`. */
enum { ENGINES_CLASSES, ENGINES_EACH, ENGINES_NONE };

/* ---- keys.c: keys.def ------------------------------------------------------------------------ */

struct key_info {
    const char *keys;
    const char *bar;
    const char *doc;
    int amount;
    struct ui_command (*act)(struct ui *ui, const struct snapshot *s, int amount);
    bool live;
    bool replay;
};
/* NULL past the last. */
const struct key_info *key_at(unsigned i);
/* Works, and does something with the options as they are: what bar and help show. */
bool key_is_there(const struct ui *ui, const struct key_info *k);
const struct key_info *key_find(uint32_t key, bool replay);
/* The code of a key by its name in keys.def; UI_KEY_NONE for no name of a key. */
uint32_t key_code(struct span name);

/* ---- list.c: lines and selection ------------------------------------------------------------- */

/* Chooses the lines for this snapshot (NULL: none) and finds the selection in them. */
void list_refresh(struct ui *ui, const struct snapshot *s);
/* A device's number of its own, by its place; UINT32_MAX where there is none. */
uint32_t device_subject(const struct snapshot *s, uint32_t device);
/* Selects a line (cut to those that are there). */
void list_select(struct ui *ui, const struct snapshot *s, int64_t line);
/* Moves what is in sight to fit `body` lines. */
void list_scroll(struct ui *ui, uint32_t body);
/* Selects the next line from `from` on, around the end, that the search means. */
bool list_search(struct ui *ui, const struct snapshot *s, uint32_t from);
/* Selects by identity what was selected before. */
void list_return(struct ui *ui);

/* Where the index of a line counts: the snapshot, or that of the sums. */
const struct snapshot *list_source(const struct ui *ui, const struct snapshot *s, struct row r);
/* The device that the selected line is about; UINT32_MAX for none. */
uint32_t list_device(const struct ui *ui, const struct snapshot *s);

/* ---- help.c ---------------------------------------------------------------------------------- */

/* Lines of "label<TAB>text", headings without, wrapped and scrolled from line *top on, which is cut to what there is. */
void help_draw_text(struct span text, int labels, uint32_t *top, struct grid *g, int row, int rows);
/* What stands for a number, in such lines. */
const char *help_marks(void);

/* Moves what is in sight of a pane of `page` rows; false for other keys. */
bool scroll_key(uint32_t *top, uint32_t page, uint32_t key);

/* ---- actions.c ------------------------------------------------------------------------------- */

/* Sorts by this column alone, or adds it. */
void sort_by(struct ui *ui, enum column c, bool add);

/* ---- alone.c --------------------------------------------------------------------------------- */

/* Finds the device that is shown alone again; all are shown where it is gone for good. */
void alone_settle(struct ui *ui, const struct snapshot *s);

/* ---- strip.c: the devices -------------------------------------------------------------------- */

/* Draws the largest form that fits in `most` rows; gives the rows taken. */
int strip_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int most);

/* ---- detail.c: the device screen ------------------------------------------------------------- */

void detail_init(struct ui *ui);
/* Opens it for the device that the keys mean: the one shown alone, that of the selected line, the
 * first. */
void detail_open(struct ui *ui, const struct snapshot *s);
/* Chooses that device; false where there is none. */
bool detail_choose(struct ui *ui, const struct snapshot *s);
/* Its index; device_count where it is gone. */
uint32_t detail_find(const struct ui *ui, const struct snapshot *s);
/* The next one that the options let through, around the end. */
void detail_step(struct ui *ui, const struct snapshot *s, bool back);

/* ---- counters.c: the counters screen --------------------------------------------------------- */

/* Opens it for the device that the keys mean, or for one that has counters. */
void counters_open(struct ui *ui, const struct snapshot *s);
/* Whether keys lead to counters of some device, or to why it has none. */
bool counters_are_there(const struct ui *ui, const struct snapshot *s);

/* ---- body.c: the table ----------------------------------------------------------------------- */

void body_draw_header(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column);
void body_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows,
               int column);

/* ---- empty.c: in place of rows --------------------------------------------------------------- */

/* Says why there are none; false where there are some. */
bool empty_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows,
                int column);
/* Help for who has pressed no key yet; NULL: none. */
const char *first_hint(const struct ui *ui);

/* ---- lines.c: single lines ------------------------------------------------------------------- */

void title_draw(struct ui *ui, const struct snapshot *s, const struct ui_play *play, struct grid *g,
                int row);
void status_draw(struct ui *ui, const struct snapshot *s, const struct ui_play *play,
                 struct grid *g, int row);
void bar_draw(struct ui *ui, struct grid *g, int row);

/* ---- timeline.c; log.c ------------------------------------------------------------------------ */

/* Without a length there is no bar, and none in plain words. */
bool timeline_has_bar(const struct ui *ui, const struct ui_play *play);
/* On one row or two. */
void timeline_draw(struct ui *ui, const struct ui_play *play, struct grid *g, int row, int rows);
/* What its marks mean, as lines of the help. */
void timeline_put_help(struct buf *b, bool unicode);
/* That there are messages nobody saw, where that fits from column `at` on; gives the column after it. */
int log_hint_draw(struct ui *ui, const struct ui_play *play, struct grid *g, int row, int at);

/* ---- draw.c: small things -------------------------------------------------------------------- */

/* Draws a text, at most `max` columns (negative: to the edge); gives the column after it. */
int draw_text(struct grid *g, int row, int column, int max, enum role role, const char *text);
/* Draws a text that ends before column `end`; not at all where it would begin before `least`. Gives
 * its first column, or `end`. */
int draw_right(struct grid *g, int row, int end, int least, enum role role, struct span text);
/* Draws a text that ends before the last of `width` columns, but for a "~" at its end, which takes it: so
 * digits stay in line. */
void draw_hanging(struct grid *g, int row, int column, int width, enum role role, struct span text);
/* How a number is shown, by its state and doubt. */
enum role share_role(struct value v);
/* A bar of `width` columns with its ends; blanks where no bars are wanted. */
void draw_bar(const struct ui *ui, struct grid *g, int row, int column, int width, enum role role,
              int64_t ppm);
/* The blocks of such a bar, without ends; what is above 0 shows. */
void draw_blocks(struct grid *g, int row, int column, int width, enum role role, int64_t ppm,
                 bool unicode);
/* A bar of one column and one row against `limit`, "-" where there is no value. */
void draw_small_bar(struct grid *g, int row, int column, struct value v, int64_t limit,
                    enum role role, bool unicode);
/* "55 %", "?", "-", "deny". */
void put_share(struct buf *b, struct value ppm);
/* "5.1G" or the word for why there is none. */
void put_size(struct buf *b, struct value bytes);
/* "1 client", "2 clients". */
void put_count(struct buf *b, uint64_t n, const char *one, const char *many);
/* The last two digits, with a zero before one. */
void put_two(struct buf *b, int64_t n);
/* "14:22:05", of seconds since midnight. */
void put_time_of_day(struct buf *b, int64_t s);
/* "1:23", "1:02:03", cut to seconds. */
void put_clock(struct buf *b, int64_t ns);

#endif
