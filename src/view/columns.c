/*
 * Which columns of the table are in sight, and how wide they are. Pure.
 */
#include "ui.h"

#define COMMAND_SEEN 8 /* columns of COMMAND that are worth drawing */

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

static void add(struct column_set *set, unsigned column, uint8_t width) {
    if (set->count < TABLE_COLUMNS_MAX) {
        set->width[set->count] = width;
        set->list[set->count++] = (uint8_t)column;
    }
}

static struct column_set columns_of(uint32_t bits) {
    struct column_set set = {.count = 0};
    for (unsigned c = 0; c < COLUMN_COUNT; c++) {
        if (bits >> c & 1) {
            add(&set, c, 0);
        }
    }
    return set;
}

_Static_assert(COLUMN_COUNT <= 32, "a bit for each column");
_Static_assert(COLUMN_COUNT <= TABLE_COLUMNS_MAX, "room for each column");

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
            add(&set, all->list[i], all->width[i]);
        }
    }
    return set;
}

/* ---- in sight -------------------------------------------------------------------------------- */

/* The first column, then those behind the `skip` ones after it, as far as they fit. */
static struct sight run_from(const struct column_set *all, unsigned skip, int width) {
    struct sight out = {.left = skip > 0};
    int taken = -1;
    for (unsigned i = 0; i < all->count; i++) {
        if (i > 0 && i <= skip) {
            continue;
        }
        bool stretches = column_set_stretches(all, i);
        int wanted = taken + 1 + (int)column_set_width(all, i);
        int least = stretches ? taken + 1 + COMMAND_SEEN : wanted;
        least += i + 1u < all->count ? 1 : 0; /* for the sign that there are more */
        if (out.set.count > 0 && least > width) {
            out.right = true;
            break;
        }
        out.right = out.right || wanted > width;
        add(&out.set, all->list[i], all->width[i]);
        taken = wanted;
    }
    return out;
}

/* Of the default set what matters most. */
static struct sight best_of(const struct ui *ui, const struct column_set *all, int width) {
    unsigned key = first_key(ui);
    struct column_set set = columns_of(bits_of(all) & ~(UINT32_C(1) << key));
    width -= column_info((enum column)key)->width + 1;
    column_set_fit(&set, width > 0 ? (size_t)width : 0);
    struct sight out = {.set = columns_of(bits_of(&set) | UINT32_C(1) << key)};
    out.right = out.set.count < all->count;
    return out;
}

static struct sight sight_at(const struct ui *ui, const struct column_set *all, unsigned skip,
                             int width) {
    return skip == 0 && ui->o.columns.count == 0 ? best_of(ui, all, width)
                                                 : run_from(all, skip, width);
}

/* No further than until the last one is whole. */
static void limit_skip(struct ui *ui, const struct column_set *all, int width) {
    unsigned most = all->count > 2 ? all->count - 2u : 0;
    ui->head.skip = ui->head.skip > most ? (uint8_t)most : ui->head.skip;
    while (ui->head.skip > 0 && !sight_at(ui, all, ui->head.skip - 1u, width).right) {
        ui->head.skip--;
    }
}

struct sight columns_choose(struct ui *ui, const struct snapshot *s, int width) {
    bool is_default = ui->o.columns.count == 0;
    struct column_set all = ui->o.columns;
    if (is_default) {
        all = columns_of(default_columns(ui, s) | UINT32_C(1) << first_key(ui));
    }
    if (ui->settings.number[SETTING_ENGINES] == ENGINES_NONE) {
        struct column_set rest = without_engines(&all);
        all = is_default ? columns_of(bits_of(&rest) | UINT32_C(1) << first_key(ui)) : rest;
    }
    limit_skip(ui, &all, width);
    struct sight out = sight_at(ui, &all, ui->head.skip, width);
    ui->head.more = out.right && ui->head.skip + 2 < all.count;
    return out;
}

int columns_width(const struct column_set *set, unsigned i, int room) {
    int width = (int)column_set_width(set, i);
    if (!column_set_stretches(set, i)) {
        return width;
    }
    for (unsigned j = 0; j < set->count; j++) {
        room -= j == i ? 0 : (int)column_set_width(set, j) + 1;
    }
    return room > width || i + 1u == set->count ? room : width;
}
