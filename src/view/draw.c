/*
 * Small things that all parts of the screen draw with. Pure.
 */
#include "ui.h"

#define PPM INT64_C(1000000)

int draw_text(struct grid *g, int row, int column, int max, enum role role, const char *text) {
    return grid_text(g, row, column, max, role, span_of(text));
}

int draw_right(struct grid *g, int row, int end, int least, enum role role, struct span text) {
    size_t columns = text_columns(text);
    if (columns > (size_t)g->columns || end - (int)columns < least) {
        return end;
    }
    grid_text(g, row, end - (int)columns, -1, role, text);
    return end - (int)columns;
}

void draw_hanging(struct grid *g, int row, int column, int width, enum role role,
                  struct span text) {
    bool hangs = text.n > 1 && text.p[text.n - 1] == '~';
    draw_right(g, row, column + width - (hangs ? 0 : 1), column, role, text);
}

enum role share_role(struct value v) {
    return v.state != STATE_VALUE ? ROLE_DIM : v.doubt ? ROLE_WARN : ROLE_VALUE;
}

/* Full blocks, then one that is filled by eighths: what is above 0 shows, and only the whole is
 * full. */
static void fill_blocks(struct grid *g, int row, int column, int inner, enum role role,
                        int64_t ppm) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int64_t filled = ppm * inner * 8 / PPM;
    filled = filled == 0 && ppm > 0 ? 1 : filled;
    int whole = (int)(filled / 8);
    grid_fill(g, row, column, whole, role, "█");
    if (filled % 8) {
        grid_fill(g, row, column + whole, 1, role, eighths[filled % 8]);
    }
}

void draw_blocks(struct grid *g, int row, int column, int width, enum role role, int64_t ppm,
                 bool unicode) {
    ppm = ppm < 0 ? 0 : ppm > PPM ? PPM : ppm;
    int64_t filled = (ppm * width + PPM / 2) / PPM;
    if (unicode) {
        fill_blocks(g, row, column, width, role, ppm);
    } else if (filled == 0 && ppm > 0) {
        grid_fill(g, row, column, 1, role, ".");
    } else {
        grid_fill(g, row, column, (int)filled, role, "|");
    }
}

void draw_bar(const struct ui *ui, struct grid *g, int row, int column, int width, enum role role,
              int64_t ppm) {
    bool unicode = ui->o.unicode;
    int inner = width - 2;
    if (inner < 1 || ui_is(ui, SETTING_PLAIN)) {
        return;
    }
    ppm = ppm < 0 ? 0 : ppm > PPM ? PPM : ppm;
    grid_fill(g, row, column, 1, ROLE_BAR_EMPTY, unicode ? "▕" : "[");
    grid_fill(g, row, column + 1, inner, ROLE_BAR_EMPTY, " ");
    grid_fill(g, row, column + width - 1, 1, ROLE_BAR_EMPTY, unicode ? "▏" : "]");
    if (unicode) {
        fill_blocks(g, row, column + 1, inner, role, ppm);
    } else {
        grid_fill(g, row, column + 1, (int)((ppm * inner + PPM / 2) / PPM), role, "|");
    }
}

void draw_small_bar(struct grid *g, int row, int column, struct value v, int64_t limit,
                    enum role role, bool unicode) {
    static const char *const eighths[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    char digit[2] = "1";
    if (v.state != STATE_VALUE || v.v < 0) {
        draw_text(g, row, column, 1, ROLE_DIM, "-");
        return;
    }
    if (v.v == 0 || limit <= 0) {
        draw_text(g, row, column, 1, ROLE_DIM, unicode ? "·" : "0");
        return;
    }
    uint64_t part = v.v >= limit ? 8 : mul_div_u64((uint64_t)v.v, 8, (uint64_t)limit);
    part = part < 1 ? 1 : part;
    digit[0] = (char)('0' + part);
    draw_text(g, row, column, 1, role, unicode ? eighths[part - 1] : digit);
}

void put_share(struct buf *b, struct value ppm) {
    if (ppm.state != STATE_VALUE || ppm.v < 0) {
        buf_text(b, table_word(ppm.state == STATE_VALUE ? STATE_MALFORMED : ppm.state));
        return;
    }
    if (ppm.v < 10 * PPM) {
        buf_fixed(b, ppm.v, 4, 0);
    } else {
        buf_text(b, "+++");
    }
    buf_text(b, ppm.doubt ? " %~" : " %");
}

void put_size(struct buf *b, struct value bytes) {
    char text[8];
    if (bytes.state != STATE_VALUE || bytes.v < 0) {
        buf_text(b, table_word(bytes.state == STATE_VALUE ? STATE_MALFORMED : bytes.state));
        return;
    }
    buf_put(b, text, human_bytes(text, (uint64_t)bytes.v));
    buf_text(b, bytes.doubt ? "~" : "");
}

void put_count(struct buf *b, uint64_t n, const char *one, const char *many) {
    buf_u64(b, n);
    buf_char(b, ' ');
    buf_text(b, n == 1 ? one : many);
}

void put_two(struct buf *b, int64_t n) {
    buf_char(b, (char)('0' + n / 10 % 10));
    buf_char(b, (char)('0' + n % 10));
}

void put_time_of_day(struct buf *b, int64_t s) {
    put_two(b, s / 3600);
    buf_char(b, ':');
    put_two(b, s / 60 % 60);
    buf_char(b, ':');
    put_two(b, s % 60);
}

void put_clock(struct buf *b, int64_t ns) {
    int64_t s = ns > 0 ? ns / 1000000000 : 0;
    if (s >= 3600) {
        buf_i64(b, s / 3600);
        buf_char(b, ':');
        put_two(b, s / 60 % 60);
    } else {
        buf_i64(b, s / 60);
    }
    buf_char(b, ':');
    put_two(b, s % 60);
}
