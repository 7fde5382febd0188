/*
 * The two lines that take letters: the search, and the time to go to. Pure.
 */
#include "ui.h"

#include <string.h>

#define NS_PER_S INT64_C(1000000000)
/* A recording is no longer than some years. */
#define SECONDS_MOST INT64_C(1000000000)

/* ---- text ------------------------------------------------------------------------------------ */

static size_t encode(uint32_t code, char out[4]) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

static bool is_letter(uint32_t key) {
    return key >= ' ' && key != UI_KEY_BACKSPACE && key < UI_KEY_UP;
}

static void add(struct prompt *p, uint32_t key) {
    char bytes[4];
    size_t n = encode(key, bytes);
    if (text_is_clean((struct span){bytes, n}) && p->n + n <= PROMPT_MAX) {
        memcpy(p->text + p->n, bytes, n);
        p->n += (uint32_t)n;
    }
}

static void take_back(struct prompt *p) {
    while (p->n > 0 && ((unsigned char)p->text[--p->n] & 0xc0) == 0x80) {
    }
}

/* ---- what they mean --------------------------------------------------------------------------------- */

static void search_anew(struct ui *ui, const struct snapshot *s) {
    list_refresh(ui, s);
    if (ui->search.n == 0) {
        ui->search.failed = false;
        list_return(ui);
        return;
    }
    ui->search.failed = !list_search(ui, s, ui->at);
}

/* Seconds of "83", "1:23" or "1:02:03"; -1 for what is no time. */
static int64_t seconds_of(struct span text) {
    struct cursor c = cursor_over(text);
    struct span part;
    int64_t s = 0;
    unsigned parts = 0;
    while (cursor_field(&c, ':', &part)) {
        uint64_t n;
        if (span_to_u64(part, &n) != ERR_OK || n > (uint64_t)SECONDS_MOST ||
            (parts > 0 && n > 59)) {
            return -1;
        }
        s = s * 60 + (int64_t)n;
        if (++parts > 3 || s > SECONDS_MOST) {
            return -1;
        }
    }
    return parts > 0 && text.p[text.n - 1] != ':' ? s : -1;
}

/* The letters of a line; false for other keys. */
static bool edit(struct prompt *p, uint32_t key) {
    if (key == UI_KEY_BACKSPACE) {
        take_back(p);
    } else if (is_letter(key)) {
        add(p, key);
    } else {
        return false;
    }
    p->failed = false;
    return true;
}

/* Draws the line and its cursor; gives the column behind. */
static int draw_line(struct grid *g, int row, const char *label, const struct prompt *p) {
    grid_fill(g, row, 0, g->columns, ROLE_STATUS, " ");
    int at = draw_text(g, row, 0, -1, ROLE_LABEL, label);
    at = grid_text(g, row, at, -1, ROLE_SEARCH, (struct span){p->text, p->n});
    grid_fill(g, row, at, 1, ROLE_SELECTED, " ");
    return at + 2;
}

/* ---- the search ------------------------------------------------------------------------------ */

bool search_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)out;
    if (key == UI_KEY_ENTER || key == UI_KEY_ESC) {
        if (key == UI_KEY_ESC) {
            list_return(ui);
        }
        pane_close(ui);
        return true;
    }
    bool used = edit(&ui->search, key);
    if (used) {
        search_anew(ui, s);
    }
    return used;
}

int search_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    (void)s;
    (void)rows;
    int at = draw_line(g, row, "Search: ", &ui->search);
    if (ui->search.failed) {
        draw_text(g, row, at, -1, ROLE_WARN, "not found");
    }
    return 0;
}

/* ---- the time to go to ----------------------------------------------------------------------- */

static void accept_time(struct ui *ui, struct ui_command *out) {
    int64_t s = seconds_of((struct span){ui->go_to.text, ui->go_to.n});
    ui->go_to.failed = s < 0;
    if (s >= 0) {
        pane_close(ui);
        *out = (struct ui_command){UI_SEEK_TIME, s * NS_PER_S};
    }
}

bool go_to_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)s;
    if (key == UI_KEY_ENTER) {
        accept_time(ui, out);
        return true;
    }
    if (key == UI_KEY_ESC) {
        pane_close(ui);
        return true;
    }
    return edit(&ui->go_to, key);
}

int go_to_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    (void)s;
    (void)rows;
    int at = draw_line(g, row, "Go to: ", &ui->go_to);
    draw_text(g, row, at, -1, ui->go_to.failed ? ROLE_WARN : ROLE_DIM,
              ui->go_to.failed ? "not a time: 83, 1:23 or 1:02:03"
                               : "83, 1:23 or 1:02:03 from the start");
    return 0;
}
