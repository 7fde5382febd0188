/*
 * The timeline of a recording: state, position, speed, and a bar with the play head and marks of what happened. On
 * two rows the bar has one for itself. Pure.
 */
#include "actions.h"

#define PPM        INT64_C(1000000)
#define NS_PER_S   INT64_C(1000000000)
#define MIDDLE_MIN 8  /* columns of a bar worth drawing */
#define STATE_END  12 /* of the word before the position */

/* What matters most first: it wins where several share a cell. */
static const struct {
    enum ui_mark mark;
    enum role role;
    const char *sign;
    const char *word;
    const char *doc;
} signs[] = {
    {UI_MARK_MISSING, ROLE_WARN, "?", "missing",
     "ticks are missing, or something could not be read"},
    {UI_MARK_LIMIT, ROLE_BAD, "!", "limit", "a limit held a device back"},
    {UI_MARK_EXIT, ROLE_DIM, "-", "exit", "a process ended"},
    {UI_MARK_START, ROLE_GOOD, "+", "start", "a process came"},
};
#define SIGNS (sizeof signs / sizeof signs[0])

struct ui_command act_LOOP(struct ui *ui, const struct snapshot *s, int amount) {
    (void)ui;
    (void)s;
    return (struct ui_command){UI_LOOP, amount};
}

void timeline_put_help(struct buf *b, bool unicode) {
    buf_text(b, "\n\nMarks on the timeline\n");
    for (size_t i = 0; i < SIGNS; i++) {
        buf_text(b, signs[i].sign);
        buf_char(b, '\t');
        buf_text(b, signs[i].doc);
        buf_char(b, '\n');
    }
    buf_text(b, unicode ? "·" : ".");
    buf_text(b, "\tnot looked through yet");
}

/* ---- words ----------------------------------------------------------------------------------- */

static void put_state(struct buf *b, const struct ui_play *play) {
    if (play->busy_ppm >= 0) {
        buf_text(b, "seeking ");
        buf_fixed(b, play->busy_ppm, 4, 0);
        buf_text(b, " %");
    } else {
        buf_text(b, play->at_end ? "at the end" : play->paused ? "paused" : "playing");
    }
}

static void put_speed(struct buf *b, const struct ui_play *play) {
    if (play->speed_milli == 0) {
        buf_text(b, "as fast as it goes");
    } else {
        buf_decimal(b, play->speed_milli, 3);
        buf_char(b, 'x');
    }
    buf_text(b, play->loops ? "  loop" : "");
}

static void put_tick(struct buf *b, const struct ui_play *play) {
    if (play->ticks > 0) {
        buf_text(b, "  tick ");
        buf_u64(b, play->tick);
        buf_char(b, '/');
        buf_u64(b, play->ticks);
    }
}

/* A tick a hair before a full second stands at that second. */
static int64_t to_second(int64_t ns) {
    return ns > INT64_MAX - NS_PER_S / 2 ? ns : ns + NS_PER_S / 2;
}

static void put_position(struct buf *b, const struct ui_play *play) {
    put_clock(b, to_second(play->at_ns));
    buf_text(b, " / ");
    if (play->length_ns > 0) {
        put_clock(b, to_second(play->length_ns));
    } else {
        buf_char(b, '?');
    }
}

/* ---- the bar --------------------------------------------------------------------------------- */

static int64_t share_of(const struct ui_play *play) {
    if (play->length_ns <= 0 || play->at_ns <= 0) {
        return 0;
    }
    return play->at_ns >= play->length_ns
               ? PPM
               : (int64_t)mul_div_u64((uint64_t)play->at_ns, PPM, (uint64_t)play->length_ns);
}

/* What happened in cell `i` of `cells`. */
static unsigned bits_of(const struct ui_marks *marks, int i, int cells) {
    int first = (int)((int64_t)i * UI_MARKS / cells);
    int end = (int)((int64_t)(i + 1) * UI_MARKS / cells);
    unsigned bits = marks->bits[first];
    for (int m = first + 1; m < end; m++) {
        bits |= marks->bits[m];
    }
    return bits;
}

static void draw_mark(struct grid *g, int row, int column, unsigned bits) {
    for (size_t i = 0; i < SIGNS; i++) {
        if (bits & (unsigned)signs[i].mark) {
            draw_text(g, row, column, 1, signs[i].role, signs[i].sign);
            return;
        }
    }
}

/* Over the bar, but for the play head, which is never hidden. */
static void draw_marks(const struct ui *ui, const struct ui_marks *marks, struct grid *g, int row,
                       int column, int cells, int head) {
    for (int i = 0; i < cells; i++) {
        unsigned bits = bits_of(marks, i, cells);
        if (i == head) {
            continue;
        }
        if (bits) {
            draw_mark(g, row, column + i, bits);
        } else if (i > head && i * PPM / cells >= marks->known_ppm) {
            draw_text(g, row, column + i, 1, ROLE_DIM, ui->o.unicode ? "·" : ".");
        }
    }
}

static void draw_track(struct ui *ui, const struct ui_play *play, struct grid *g, int row, int at,
                       int width) {
    int64_t share = share_of(play);
    int cells = width - 2;
    int head = (int)(share * cells / PPM);
    head = head < cells ? head : cells - 1;
    draw_bar(ui, g, row, at, width, ROLE_PROGRESS, share);
    if (!ui->o.unicode) {
        grid_fill(g, row, at + 1, head, ROLE_PROGRESS, "=");
        draw_text(g, row, at + 1 + head, 1, ROLE_PROGRESS, "#");
    }
    if (play->marks) {
        draw_marks(ui, play->marks, g, row, at + 1, cells, head);
        if (ui->o.unicode && bits_of(play->marks, head, cells)) {
            draw_text(g, row, at + 1 + head, 1, ROLE_PROGRESS, "█");
        }
    }
    spot_add(ui, SPOT_TIME, 0, row, at + 1, cells);
}

/* ---- the rows -------------------------------------------------------------------------------- */

/* State and position; gives the column after. */
static int draw_place(struct ui *ui, const struct ui_play *play, struct grid *g, int row) {
    struct buf *b = &ui->text;
    buf_clear(b);
    put_state(b, play);
    int at = grid_text(g, row, 0, -1, ROLE_PROGRESS, buf_span_of(b));
    at = at < STATE_END ? STATE_END : at + 2;
    buf_clear(b);
    put_position(b, play);
    return grid_text(g, row, at, -1, ROLE_VALUE, buf_span_of(b)) + 2;
}

/* The signs that there are, as far as they fit before `end`. */
static void draw_legend(const struct ui_play *play, struct grid *g, int row, int at, int end) {
    unsigned bits = 0;
    for (int i = 0; play->marks && i < UI_MARKS; i++) {
        bits |= play->marks->bits[i];
    }
    for (size_t i = 0; i < SIGNS; i++) {
        int columns = (int)text_columns(span_of(signs[i].word)) + 4;
        if (!(bits & (unsigned)signs[i].mark) || at + columns > end) {
            continue;
        }
        at = draw_text(g, row, at, -1, signs[i].role, signs[i].sign) + 1;
        at = draw_text(g, row, at, -1, ROLE_HELP, signs[i].word) + 2;
    }
}

bool timeline_has_bar(const struct ui *ui, const struct ui_play *play) {
    return play->length_ns > 0 && !ui_is(ui, SETTING_PLAIN);
}

void timeline_draw(struct ui *ui, const struct ui_play *play, struct grid *g, int row, int rows) {
    struct buf *b = &ui->text;
    int at = draw_place(ui, play, g, row);
    buf_clear(b);
    put_speed(b, play);
    put_tick(b, play);
    int end = draw_right(g, row, g->columns, at, ROLE_NORMAL, buf_span_of(b));
    if (rows > 1) {
        draw_legend(play, g, row, at + 2, end);
        at = 0;
        end = g->columns + 2;
        row++;
    }
    if (timeline_has_bar(ui, play) && end - 2 - at >= MIDDLE_MIN) {
        draw_track(ui, play, g, row, at, end - 2 - at);
    }
}
