/*
 * Rows where they belong: below the sum of their group, below their parents. Pure.
 */
#include "shape.h"

/* Rows of processes: they come first. */
static uint32_t process_rows(const struct row_list *l) {
    uint32_t n = 0;
    while (n < l->count && !l->rows[n].unattributed) {
        n++;
    }
    return n;
}

static bool reserve(struct row_list *l, uint32_t rows) {
    void *list = l->rows;
    void *spare = l->spare;
    bool enough = vec_reserve(&list, &l->cap, rows, sizeof *l->rows) == ERR_OK;
    l->rows = list;
    enough = enough && vec_reserve(&spare, &l->spare_cap, rows, sizeof *l->spare) == ERR_OK;
    l->spare = spare;
    return enough;
}

/* By what the rows are sorted by; then by name and device, so that equal sums do not jump. */
static enum err order_sums(struct table_totals *t, const struct table_query *q,
                           enum table_group group) {
    struct table_query by = {.invert = q->invert, .sort_count = q->sort_count};
    unsigned name = group == TABLE_GROUP_USER ? COLUMN_USER : COLUMN_CONTAINER;
    memcpy(by.sort, q->sort, sizeof by.sort);
    if (by.sort_count == 0) {
        by.sort[by.sort_count++] = (struct sort_key){.column = COLUMN_GPU};
    }
    if (group == TABLE_GROUP_NONE) {
        by = (struct table_query){.sort_count = 0};
    } else if (by.sort_count < TABLE_SORT_MAX) {
        by.sort[by.sort_count++] = (struct sort_key){(uint8_t)name, by.invert};
    }
    if (by.sort_count < TABLE_SORT_MAX) {
        by.sort[by.sort_count++] = (struct sort_key){COLUMN_DEV, by.invert};
    }
    return table_select(&t->s, &by, &t->order);
}

/* Swaps the rows for those that were put together in `spare`. */
static void take_spare(struct row_list *l) {
    struct row *rows = l->spare;
    uint32_t cap = l->spare_cap;
    l->spare = l->rows;
    l->spare_cap = l->cap;
    l->rows = rows;
    l->cap = cap;
}

/* Rows of one sum together, sums in their order. */
static void part_rows(const struct table_totals *t, struct row_list *l, uint32_t count) {
    const uint32_t *members = t->starts + count + 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->order.count; i++) {
        uint32_t sum = t->order.rows[i].index;
        for (uint32_t k = t->starts[sum]; k < t->starts[sum + 1]; k++) {
            l->spare[n++] = l->rows[members[k]];
        }
    }
    memcpy(l->rows, l->spare, count * sizeof *l->rows);
}

static void put_sums(const struct table_totals *t, const struct table_shape *shape,
                     struct row_list *l, uint32_t count) {
    bool is_grouped = shape->group != TABLE_GROUP_NONE;
    uint32_t n = 0, next = is_grouped && shape->totals ? count : 0;
    for (uint32_t i = 0; i < t->order.count; i++) {
        uint32_t sum = t->order.rows[i].index;
        l->spare[n++] = (struct row){.index = sum, .total = true};
        while (is_grouped && next < count && t->of[l->rows[next].index] == sum) {
            l->spare[n++] = l->rows[next++];
        }
    }
    while (next < l->count) {
        l->spare[n++] = l->rows[next++];
    }
    take_spare(l);
    l->count = n;
}

enum err table_arrange(const struct snapshot *s, const struct table_query *q,
                       const struct table_shape *shape, struct row_list *l,
                       struct table_totals *t) {
    enum table_group group = (enum table_group)shape->group;
    bool is_grouped = group != TABLE_GROUP_NONE, has_sums = is_grouped || shape->totals;
    uint32_t count = process_rows(l);
    enum err e = ERR_OK;
    t->s.process_count = 0;
    if (has_sums) {
        e = totals_sum(t, s, l, count, group);
        e = e == ERR_OK ? order_sums(t, q, group) : e;
        e = e == ERR_OK && !reserve(l, l->count + t->order.count) ? ERR_NOMEM : e;
    }
    if (e == ERR_OK && is_grouped && count > 0) {
        part_rows(t, l, count);
    }
    if (e == ERR_OK && shape->tree && !(is_grouped && shape->totals)) {
        e = tree_rows(s, is_grouped ? t->of : NULL, l, count);
    }
    if (e == ERR_OK && has_sums) {
        put_sums(t, shape, l, count);
    }
    t->s.process_count = e == ERR_OK ? t->s.process_count : 0;
    return e;
}
