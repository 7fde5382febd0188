/*
 * How the rows of the table stand: the keys that turn it about. Each is a setting too. Pure.
 */
#include "actions.h"

static const struct ui_command nothing = {UI_NONE, 0};

/* The selected line is brought into sight where it stands now. */
static struct ui_command turn(struct ui *ui, enum setting which) {
    ui->settings.number[which] = !ui_is(ui, which);
    ui->reveal = true;
    return nothing;
}

static bool is_some_below(const struct ui *ui) {
    for (uint32_t i = 0; i < ui->line_count; i++) {
        if (ui->lines[i].depth > 0) {
            return true;
        }
    }
    return false;
}

/* A tree that changes nothing says why. */
struct ui_command act_TREE(struct ui *ui, const struct snapshot *s, int amount) {
    (void)amount;
    struct ui_command out = turn(ui, SETTING_TREE);
    list_refresh(ui, s);
    if (ui_is(ui, SETTING_TREE) && !is_some_below(ui)) {
        ui_say(ui, false, "tree: no process here was started by another one here");
    }
    return out;
}

struct ui_command act_TOTALS(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    return turn(ui, SETTING_TOTALS);
}

struct ui_command act_REGIONS(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    return turn(ui, SETTING_REGIONS);
}

struct ui_command act_BARS(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    ui->settings.number[SETTING_BARS] = !ui_is(ui, SETTING_BARS);
    return nothing;
}

struct ui_command act_GROUP(struct ui *ui, const struct snapshot *s, int amount) {
    static const uint8_t after[] = {[TABLE_GROUP_NONE] = TABLE_GROUP_CONTAINER,
                                    [TABLE_GROUP_CONTAINER] = TABLE_GROUP_USER,
                                    [TABLE_GROUP_USER] = TABLE_GROUP_NONE};
    int64_t *group = &ui->settings.number[SETTING_GROUP];
    (void)s;
    (void)amount;
    *group = *group >= 0 && *group <= TABLE_GROUP_CONTAINER ? after[*group] : TABLE_GROUP_NONE;
    ui->reveal = true;
    return nothing;
}
