/*
 * The log pane: what gwtop had to say, the newest line at the bottom, and the hint that there is something new. Pure:
 * the lines come with struct ui_play.
 */
#include "actions.h"

#define LEVEL_COLUMNS 9

static const struct {
    const char *word;
    enum role role;
} levels[] = {
    [LOG_ERROR] = {"error", ROLE_BAD},
    [LOG_WARN] = {"warning", ROLE_WARN},
    [LOG_INFO] = {"", ROLE_NORMAL},
    [LOG_DEBUG] = {"debug", ROLE_DIM},
};

struct ui_command act_LOG(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    pane_open(ui, MODE_LOG);
    ui->log.up = 0;
    return (struct ui_command){UI_NONE, 0};
}

/* The words of `text` that fit; at least something. */
static struct span line_of(struct span text, size_t columns) {
    struct span piece = text_cut(text, columns);
    size_t n = piece.n;
    if (n == text.n) {
        return text;
    }
    while (n > 0 && text.p[n] != ' ') {
        n--;
    }
    return n > 0 ? (struct span){text.p, n} : piece.n > 0 ? piece : (struct span){text.p, 1};
}

static uint32_t rows_of(struct span text, size_t columns) {
    uint32_t n = 1;
    for (size_t taken = line_of(text, columns).n; taken < text.n; n++) {
        text = span_trim(span_skip(text, taken));
        taken = line_of(text, columns).n;
    }
    return n;
}

/* Its rows from `skip` on, at most `rows`; gives how many were drawn. */
static int draw_line(struct grid *g, int row, int rows, const struct ui_log_line *line,
                     uint32_t skip, size_t columns) {
    unsigned level = line->level <= LOG_DEBUG ? line->level : (unsigned)LOG_ERROR;
    struct span text = line->text;
    int drawn = 0;
    for (uint32_t i = 0; (i == 0 || text.n > 0) && drawn < rows; i++) {
        struct span piece = line_of(text, columns);
        if (i >= skip) {
            draw_text(g, row + drawn, 0, -1, levels[level].role, i == 0 ? levels[level].word : "");
            grid_text(g, row + drawn, LEVEL_COLUMNS, -1,
                      level == LOG_DEBUG ? ROLE_DIM : ROLE_NORMAL, piece);
            drawn++;
        }
        text = span_trim(span_skip(text, piece.n));
    }
    return drawn;
}

/* Rows that came while one reads further up do not move what is read. */
static void keep_place(struct log_view *v, const struct ui_log *log, size_t columns) {
    uint64_t fresh = log->count > v->drawn ? log->count - v->drawn : 0;
    for (uint32_t i = log->kept; v->up > 0 && i > 0 && fresh > 0; i--, fresh--) {
        v->up += rows_of(log->lines[i - 1].text, columns);
    }
    v->looked = v->drawn = log->count;
}

static void draw_lines(struct ui *ui, const struct ui_log *log, struct grid *g, int row, int rows) {
    struct log_view *v = &ui->log;
    size_t columns = g->columns > LEVEL_COLUMNS + 10 ? (size_t)(g->columns - LEVEL_COLUMNS) : 10;
    uint32_t room = (uint32_t)rows, total = 0, at = 0;
    keep_place(v, log, columns);
    for (uint32_t i = 0; i < log->kept; i++) {
        total += rows_of(log->lines[i].text, columns);
    }
    uint32_t most = total > room ? total - room : 0;
    v->up = v->up < most ? v->up : most;
    v->room = room;
    uint32_t top = most - v->up;
    for (uint32_t i = 0; i < log->kept && rows > 0; i++) {
        uint32_t n = rows_of(log->lines[i].text, columns);
        if (at + n > top) {
            int drawn = draw_line(g, row, rows, &log->lines[i], at < top ? top - at : 0, columns);
            row += drawn;
            rows -= drawn;
        }
        at += n;
    }
}

int log_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    const struct ui_log *log = ui->play.log;
    (void)s;
    if (rows < 1) {
        return 0;
    }
    if (rows > 2) {
        draw_text(g, row, 0, -1, ROLE_TITLE, "Messages");
        draw_text(g, row, 10, -1, ROLE_DIM, "the newest at the bottom");
        row++;
        rows--;
    }
    if (!log || log->kept == 0) {
        draw_text(g, row, 0, -1, ROLE_DIM, "no messages yet");
        return 0;
    }
    draw_lines(ui, log, g, row, rows);
    return 0;
}

static void move_up(struct log_view *v, int64_t rows) {
    int64_t up = (int64_t)v->up + rows;
    v->up = up < 0 ? 0 : up > UINT16_MAX ? UINT16_MAX : (uint32_t)up;
}

bool log_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    struct log_view *v = &ui->log;
    int64_t page = v->room > 1 ? (int64_t)v->room - 1 : 1;
    (void)s;
    (void)out;
    switch (key) {
    case UI_KEY_UP:
        move_up(v, 1);
        return true;
    case UI_KEY_DOWN:
        move_up(v, -1);
        return true;
    case UI_KEY_PAGE_UP:
        move_up(v, page);
        return true;
    case UI_KEY_PAGE_DOWN:
        move_up(v, -page);
        return true;
    case UI_KEY_HOME:
        v->up = UINT16_MAX;
        return true;
    case UI_KEY_END:
        v->up = 0;
        return true;
    case UI_KEY_ESC:
    case UI_KEY_ENTER:
    case 'q':
    case 'L':
        pane_close(ui);
        return true;
    default:
        return false;
    }
}

/* Errors and warnings since it was last looked at. */
static uint32_t count_new(const struct log_view *v, const struct ui_log *log) {
    uint64_t fresh = log->count > v->looked ? log->count - v->looked : 0;
    uint32_t n = 0;
    for (uint32_t i = log->kept; i > 0 && fresh > 0; i--, fresh--) {
        n += log->lines[i - 1].level <= LOG_WARN;
    }
    return n;
}

int log_hint_draw(struct ui *ui, const struct ui_play *play, struct grid *g, int row, int at) {
    uint32_t n = play->log ? count_new(&ui->log, play->log) : 0;
    if (n == 0) {
        return at;
    }
    buf_clear(&ui->text);
    put_count(&ui->text, n, "new message", "new messages");
    buf_text(&ui->text, n == 1 ? ": L shows it" : ": L shows them");
    struct span text = buf_span_of(&ui->text);
    return (int)text.n + at > g->columns ? at : grid_text(g, row, at, -1, ROLE_WARN, text) + 2;
}
