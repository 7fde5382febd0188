/*
 * The process table: header, rows, and what stands there when there are none. Pure.
 */
#include "ui.h"

static bool is_default(const struct ui *ui) {
    return ui->o.columns.count == 0;
}

static unsigned first_key(const struct ui *ui) {
    return ui->query.sort_count ? ui->query.sort[0].column : (unsigned)COLUMN_GPU;
}

/* Columns of the default set. One that was of use once stays, so that the table does not jump when
 * a process goes idle. */
static uint32_t default_columns(struct ui *ui, const struct snapshot *s) {
    struct column_set set;
    column_set_default(s, &set);
    for (unsigned i = 0; i < set.count; i++) {
        ui->used |= UINT32_C(1) << set.list[i];
    }
    return ui->used;
}

static struct column_set columns_of(uint32_t bits) {
    struct column_set set = {.count = 0};
    for (unsigned c = 0; c < COLUMN_COUNT; c++) {
        if (bits >> c & 1) {
            set.list[set.count++] = (uint8_t)c;
        }
    }
    return set;
}

static uint32_t bits_of(const struct column_set *set) {
    uint32_t bits = 0;
    for (unsigned i = 0; i < set->count; i++) {
        bits |= UINT32_C(1) << set->list[i];
    }
    return bits;
}

static struct column_set without_engines(const struct column_set *all) {
    struct column_set set = {.count = 0};
    for (unsigned i = 0; i < all->count; i++) {
        if (!column_info((enum column)all->list[i])->engine) {
            set.list[set.count++] = all->list[i];
        }
    }
    return set;
}

static bool hides_engines(const struct ui *ui) {
    return ui->settings.number[SETTING_ENGINES] == ENGINES_NONE;
}

/* The columns to draw. Of the default set as many as fit, and what is sorted by in any case. */
static struct column_set choose_columns(struct ui *ui, const struct snapshot *s, int width) {
    struct column_set set = ui->o.columns;
    uint32_t key = UINT32_C(1) << first_key(ui);
    if (!is_default(ui)) {
        return hides_engines(ui) ? without_engines(&set) : set;
    }
    set = columns_of(default_columns(ui, s) & ~key);
    set = hides_engines(ui) ? without_engines(&set) : set;
    width -= column_info((enum column)first_key(ui))->width + 1;
    column_set_fit(&set, width > 0 ? (size_t)width : 0);
    return columns_of(bits_of(&set) | key);
}

_Static_assert(COLUMN_COUNT <= 32 && COLUMN_COUNT <= TABLE_COLUMNS_MAX, "a bit for each column");

/* Columns on the screen of the `i`th: COMMAND takes what the others leave. */
static int width_of(const struct column_set *set, unsigned i, int room) {
    const struct column_info *c = column_info((enum column)set->list[i]);
    if (set->list[i] != COLUMN_COMMAND) {
        return c->width;
    }
    for (unsigned j = 0; j < set->count; j++) {
        room -= j == i ? 0 : column_info((enum column)set->list[j])->width + 1;
    }
    return room > c->width || i + 1u == set->count ? room : c->width;
}

/* ---- header ---------------------------------------------------------------------------------- */

/* Where the column stands among the sort keys; -1 nowhere. */
static int sort_place(const struct ui *ui, unsigned column) {
    if (ui->query.sort_count == 0) {
        return column == COLUMN_GPU ? 0 : -1;
    }
    for (int i = 0; i < ui->query.sort_count; i++) {
        if (ui->query.sort[i].column == column) {
            return i;
        }
    }
    return -1;
}

static bool is_upward(const struct ui *ui, unsigned column, int place) {
    bool reverse = place < ui->query.sort_count && ui->query.sort[place].reverse;
    return column_info((enum column)column)->ascending != (reverse != ui->query.invert);
}

/* The first key by an arrow, the others by their number. */
static const char *sort_mark(const struct ui *ui, unsigned column, int place) {
    static const char *const numbers[TABLE_SORT_MAX] = {"", "2", "3", "4"};
    if (place > 0) {
        return numbers[place];
    }
    bool up = is_upward(ui, column, place);
    return ui->o.unicode ? (up ? "▴" : "▾") : (up ? "^" : "v");
}

static void draw_title(struct ui *ui, struct grid *g, int row, int column, int width, unsigned c) {
    const struct column_info *i = column_info((enum column)c);
    int place = sort_place(ui, c);
    const char *title = column_title((enum column)c, ui->o.unicode);
    int columns = (int)text_columns(span_of(title));
    /* The mark of a title that fills its column hangs into the blank behind. */
    bool hangs = place >= 0 && columns == width;
    int taken = columns + (place >= 0 && !hangs ? 1 : 0);
    enum role role = place >= 0 ? ROLE_HEADER_SORT : ROLE_HEADER;
    if (columns > width) {
        return;
    }
    int at = i->left ? column : column + width - taken;
    at = draw_text(g, row, at, -1, role, title);
    if (place >= 0) {
        draw_text(g, row, at, -1, role, sort_mark(ui, c, place));
    }
}

void body_draw_header(struct ui *ui, const struct snapshot *s, struct grid *g, int row,
                      int column) {
    struct column_set set = choose_columns(ui, s, g->columns - column);
    int room = g->columns - column;
    grid_fill(g, row, column, room, ROLE_HEADER, " ");
    for (unsigned i = 0; i < set.count; i++) {
        int width = width_of(&set, i, room);
        draw_title(ui, g, row, column, width, set.list[i]);
        column += width + 1;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Bytes before the first place where `wanted` stands in `text`, any case; text.n for none. */
static size_t find(struct span text, struct span wanted) {
    for (size_t at = 0; wanted.n > 0 && wanted.n <= text.n && at <= text.n - wanted.n; at++) {
        size_t i = 0;
        while (i < wanted.n && lower(text.p[at + i]) == lower(wanted.p[i])) {
            i++;
        }
        if (i == wanted.n) {
            return at;
        }
    }
    return text.n;
}

static void mark_search(const struct ui *ui, struct grid *g, int row, int column, int width,
                        struct span text) {
    struct span wanted = {ui->search.text, ui->search.n};
    size_t at = find(text, wanted);
    if (ui->mode != MODE_SEARCH || at == text.n) {
        return;
    }
    int from = (int)text_columns((struct span){text.p, at});
    int n = (int)text_columns((struct span){text.p + at, wanted.n});
    n = from + n > width ? width - from : n;
    grid_role(g, row, column + from, n, ROLE_SEARCH);
}

static void draw_command(struct ui *ui, const struct snapshot *s, struct grid *g, int row,
                         int column, int width, struct row r) {
    struct buf *b = &ui->text;
    if (width < 1) {
        return;
    }
    buf_clear(b);
    enum role role =
        table_cell(s, r, COLUMN_COMMAND, ui->o.unicode, (size_t)width + (size_t)ui->shift, b);
    struct span text = buf_span_of(b);
    text = span_skip(text, text_cut(text, (size_t)ui->shift).n);
    grid_text(g, row, column, width, role, text);
    mark_search(ui, g, row, column, width, text);
}

static void draw_cell(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                      int width, struct row r, const struct column_set *set, unsigned at) {
    struct buf *b = &ui->text;
    size_t lead;
    buf_clear(b);
    enum role role = table_place(s, r, set, at, (size_t)width, ui->o.unicode, b, &lead);
    grid_text(g, row, column + (int)lead, width + 1 - (int)lead, role, buf_span_of(b));
}

static void draw_row(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int column,
                     const struct column_set *set, uint32_t line) {
    bool is_selected = line == ui->at;
    int start = column;
    int room = g->columns - column;
    grid_fill(g, row, column, room, ROLE_NORMAL, " ");
    for (unsigned i = 0; i < set->count && column < g->columns; i++) {
        int width = width_of(set, i, room);
        if (set->list[i] == COLUMN_COMMAND) {
            draw_command(ui, s, g, row, column, width, ui->lines[line]);
        } else {
            draw_cell(ui, s, g, row, column, width, ui->lines[line], set, i);
        }
        column += width + 1;
    }
    if (is_selected) {
        grid_role(g, row, start, room, ROLE_SELECTED);
    }
}

/* ---- without rows ---------------------------------------------------------------------------- */

static void draw_middle(struct grid *g, int row, enum role role, const char *text) {
    int n = (int)text_columns(span_of(text));
    draw_text(g, row, n < g->columns ? (g->columns - n) / 2 : 0, -1, role, text);
}

static void draw_no_gpu(struct ui *ui, const struct snapshot *s, struct grid *g, int row,
                        int rows) {
    static const char *const live[] = {
        "No GPU found.",
        "",
        "gwtop looks for DRM and accel devices in /sys.",
        "Is the driver loaded (amdgpu, i915, xe, panfrost, panthor ...)?",
        "Does /dev/dri exist? A container has to be given it.",
        "gwtop goes on looking: a device that appears is shown."};
    static const char *const replay[] = {"No GPU in this recording.", "",
                                         "A device that appears in it later will be shown."};
    static const char *const denied[] = {"GPUs cannot be listed: permission denied.", "",
                                         "/sys/class/drm and /sys/class/accel must be readable."};
    const char *const *lines = s && s->devices_denied > 0 ? denied : ui->o.replay ? replay : live;
    int count = lines == live ? 6 : 3;
    int top = rows > count ? (rows - count) / 2 : 0;
    for (int i = 0; i < count && top + i < rows; i++) {
        draw_middle(g, row + top + i, i == 0 ? ROLE_WARN : ROLE_NORMAL, lines[i]);
    }
}

static const char *why_empty(const struct ui *ui, const struct snapshot *s) {
    if (s->process_count == 0) {
        return "no process uses a GPU";
    }
    return ui->query.hide_idle ? "all processes are idle (i shows them)"
                               : "no process is chosen by the options or keys given";
}

void body_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows,
               int column) {
    if (rows < 1) {
        return;
    }
    if (!s || s->device_count == 0) {
        if (!s) {
            const char *text = ui->o.unicode ? "measuring…" : "measuring...";
            draw_middle(g, row + rows / 2, ROLE_DIM, text);
        } else {
            draw_no_gpu(ui, s, g, row, rows);
        }
        return;
    }
    struct column_set set = choose_columns(ui, s, g->columns - column);
    list_scroll(ui, (uint32_t)rows);
    for (int i = 0; i < rows && ui->top + (uint32_t)i < ui->line_count; i++) {
        draw_row(ui, s, g, row + i, column, &set, ui->top + (uint32_t)i);
    }
    if (ui->line_count == 0) {
        draw_text(g, row, column, -1, ROLE_DIM, why_empty(ui, s));
    }
}
