/*
 * The list of users, to show the rows of one alone. Pure.
 */
#include "users.h"

#include <string.h>

#include "actions.h"

#define USERS_COLUMNS 22

static const struct ui_command nothing = {UI_NONE, 0};

static struct span span_of_name(const struct user_name *u) {
    return (struct span){u->text, u->n};
}

/* The name that a row is chosen by: of one without, the number. False where neither is known. */
static bool name_of(const struct snapshot *s, const struct snap_process *p, struct user_name *out) {
    struct span name = snapshot_text(s, p->user);
    char digits[24];
    if (name.n == 0 && p->uid.state == STATE_VALUE && p->uid.v >= 0) {
        uint64_t n = (uint64_t)p->uid.v;
        size_t at = sizeof digits;
        do {
            digits[--at] = (char)('0' + n % 10);
            n /= 10;
        } while (n > 0);
        name = (struct span){digits + at, sizeof digits - at};
    }
    if (name.n == 0 || name.n > USER_MAX) {
        return false;
    }
    memcpy(out->text, name.p, name.n);
    out->n = (uint8_t)name.n;
    return true;
}

static int compare(const struct user_name *a, const struct user_name *b) {
    int by_text = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);
    return by_text ? by_text : (a->n > b->n) - (a->n < b->n);
}

/* Where it stands or belongs in the list. */
static uint32_t place_of(const struct users *u, const struct user_name *name, bool *found) {
    uint32_t low = 0, high = u->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare(&u->list[middle], name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *found = low < u->count && compare(&u->list[low], name) == 0;
    return low;
}

static void collect(struct users *u, const struct snapshot *s) {
    u->count = 0;
    for (uint32_t i = 0; s && i < s->process_count; i++) {
        struct user_name name;
        bool found;
        if (!name_of(s, &s->processes[i], &name)) {
            continue;
        }
        uint32_t at = place_of(u, &name, &found);
        if (!found && u->count < USERS_MOST) {
            memmove(&u->list[at + 1], &u->list[at], (u->count - at) * sizeof name);
            u->list[at] = name;
            u->count++;
        }
    }
}

struct ui_command act_USERS(struct ui *ui, const struct snapshot *s, int amount) {
    struct users *u = &ui->users;
    bool found = false;
    (void)amount;
    collect(u, s);
    u->menu = (struct menu){0};
    if (u->shown.n > 0) {
        uint32_t at = place_of(u, &u->shown, &found);
        u->menu.at = found ? at + 1 : 0;
    }
    pane_open(ui, MODE_USERS);
    return nothing;
}

/* Line 0 is all that the command line lets through. */
static void put_user(struct ui *ui, const struct snapshot *s, uint32_t i, struct buf *out) {
    (void)s;
    if (i > 0) {
        buf_span(out, span_of_name(&ui->users.list[i - 1]));
    } else if (ui->o.query.user.n > 0) {
        buf_text(out, "as started: ");
        buf_span(out, ui->o.query.user);
    } else {
        buf_text(out, "all users");
    }
}

static void choose(struct ui *ui) {
    struct users *u = &ui->users;
    if (u->menu.at == 0 || u->menu.at > u->count) {
        u->shown.n = 0;
        ui->query.user = ui->o.query.user;
    } else {
        u->shown = u->list[u->menu.at - 1];
        ui->query.user = span_of_name(&u->shown);
    }
    ui->top = 0;
}

bool users_key(struct ui *ui, uint32_t key, const struct snapshot *s, struct ui_command *out) {
    (void)s;
    (void)out;
    switch (key) {
    case UI_KEY_ENTER:
        choose(ui);
        pane_close(ui);
        return true;
    case UI_KEY_ESC:
    case 'u':
    case 'q':
        pane_close(ui);
        return true;
    default:
        return menu_key(&ui->users.menu, ui->users.count + 1, key);
    }
}

int users_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows) {
    const struct menu_items items = {"Rows of", USERS_COLUMNS, ui->users.count + 1, put_user};
    return menu_draw(ui, &ui->users.menu, &items, s, g, row, rows);
}
