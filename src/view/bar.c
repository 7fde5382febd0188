/*
 * The function bar: keys with a word each. Where there is no room for all, those of least use are left out. Pure.
 */
#include "actions.h"

#include <string.h>

#define BAR_ITEMS 32

struct bar_item {
    struct span key;
    struct span word;
};

/* Words of keys.def by use, the most useful first; those that are not here come last. */
static const char *const by_use[] = {"Quit",   "Help",    "Pause",   "Filter", "Sort",
                                     "Signal", "Search",  "Setup",   "Go to",  "Tree",
                                     "Dev",    "Sensors", "Counters"};

static unsigned use_of(struct span word) {
    unsigned i = 0;
    while (i < sizeof by_use / sizeof by_use[0] && !span_equals(word, by_use[i])) {
        i++;
    }
    return i;
}

/* F keys stand close, as their words are read as one. */
static bool is_close(struct span key) {
    return key.n > 1 && key.p[0] == 'F' && key.p[1] <= '9';
}

static int item_columns(const struct bar_item *i) {
    return (int)(i->key.n + text_columns(i->word)) + (is_close(i->key) ? 0 : 1);
}

static int columns_of(const struct bar_item *list, unsigned count, int gap) {
    int columns = count > 0 ? -gap : 0;
    for (unsigned i = 0; i < count; i++) {
        columns += item_columns(&list[i]) + gap;
    }
    return columns;
}

/* Takes the one of least use out; of equal ones the last. */
static unsigned leave_out(struct bar_item *list, unsigned count) {
    unsigned last = 0;
    for (unsigned i = 1; i < count; i++) {
        last = use_of(list[i].word) >= use_of(list[last].word) ? i : last;
    }
    for (unsigned i = last + 1; i < count; i++) {
        list[i - 1] = list[i];
    }
    return count - 1;
}

/* All of an item is its key; of several keys each is itself and the word none. */
static void bar_spots(struct ui *ui, int row, int at, struct span keys, int columns) {
    struct cursor c = cursor_over(keys);
    struct span key;
    while (cursor_word(&c, &key)) {
        int from = (int)(key.p - keys.p);
        uint32_t code = key_code(key);
        if (code != UI_KEY_NONE) {
            spot_add(ui, SPOT_KEY, code, row, at + from, key.n == keys.n ? columns : (int)key.n);
        }
    }
}

static void draw_items(struct ui *ui, struct grid *g, int row, const struct bar_item *list,
                       unsigned count) {
    int gap = columns_of(list, count, 2) > g->columns ? 1 : 2;
    int at = 0;
    for (unsigned i = 0; i < count && at + item_columns(&list[i]) <= g->columns; i++) {
        bar_spots(ui, row, at, list[i].key, item_columns(&list[i]));
        at = grid_text(g, row, at, -1, ROLE_KEY, list[i].key);
        at += is_close(list[i].key) ? 0 : 1;
        at = grid_text(g, row, at, -1, ROLE_KEY_LABEL, list[i].word) + gap;
    }
}

/* Of what there is. */
static bool bar_shows(const struct ui *ui, const struct key_info *k) {
    return key_is_there(ui, k) && k->bar[0] && (ui->counters.are_there || k->act != act_COUNTERS);
}

static void bar_keys(struct ui *ui, struct grid *g, int row) {
    struct bar_item list[BAR_ITEMS];
    unsigned count = 0;
    for (unsigned i = 0; key_at(i) && count < BAR_ITEMS; i++) {
        struct cursor c = cursor_over(span_of(key_at(i)->keys));
        if (bar_shows(ui, key_at(i))) {
            cursor_word(&c, &list[count].key);
            list[count++].word = span_of(key_at(i)->bar);
        }
    }
    while (count > 1 && columns_of(list, count, 1) > g->columns) {
        count = leave_out(list, count);
    }
    draw_items(ui, g, row, list, count);
}

/* "Up Down|scroll|Esc|close" */
static void bar_words(struct ui *ui, struct grid *g, int row, const char *words) {
    struct cursor c = cursor_over(span_of(words));
    struct bar_item list[BAR_ITEMS];
    unsigned count = 0;
    while (count < BAR_ITEMS && cursor_field(&c, '|', &list[count].key) &&
           cursor_field(&c, '|', &list[count].word)) {
        count++;
    }
    draw_items(ui, g, row, list, count);
}

void bar_draw(struct ui *ui, struct grid *g, int row) {
    const struct pane *pane = pane_of(ui->mode);
    grid_fill(g, row, 0, g->columns, ROLE_KEY_LABEL, " ");
    if (pane) {
        bar_words(ui, g, row, pane->bar);
    } else {
        bar_keys(ui, g, row);
    }
}
