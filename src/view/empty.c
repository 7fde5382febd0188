/*
 * What stands in the table when it has no rows: why, and what would bring some. Pure.
 */
#include "ui.h"

#include <string.h>

static void draw_middle(struct grid *g, int row, enum role role, const char *text) {
    int n = (int)text_columns(span_of(text));
    draw_text(g, row, n < g->columns ? (g->columns - n) / 2 : 0, -1, role, text);
}

/* ---- no device ------------------------------------------------------------------------------- */

static void draw_no_gpu(struct ui *ui, const struct snapshot *s, struct grid *g, int row,
                        int rows) {
    static const char *const live[] = {
        "No GPU found.",
        "",
        "gwtop looks for DRM and accel devices in /sys.",
        "Is the driver loaded (amdgpu, i915, xe, panfrost, panthor ...)?",
        "Does /dev/dri exist? A container has to be given it.",
        "gwtop doctor says what is missing.",
        "gwtop goes on looking: a device that appears is shown."};
    static const char *const replay[] = {"No GPU in this recording.", "",
                                         "A device that appears in it later will be shown."};
    static const char *const denied[] = {"GPUs cannot be listed: permission denied.", "",
                                         "/sys/class/drm and /sys/class/accel must be readable."};
    const char *const *lines = s && s->devices_denied > 0 ? denied : ui->o.replay ? replay : live;
    int count = lines == live ? (int)(sizeof live / sizeof live[0]) : 3;
    int top = rows > count ? (rows - count) / 2 : 0;
    for (int i = 0; i < count && top + i < rows; i++) {
        draw_middle(g, row + top + i, i == 0 ? ROLE_WARN : ROLE_NORMAL, lines[i]);
    }
}

/* ---- no row ---------------------------------------------------------------------------------- */

static bool some_device(const struct ui *ui, const struct snapshot *s) {
    bool found = false;
    for (uint32_t d = 0; d < s->device_count && !found; d++) {
        found = table_device_matches(s, d, ui->query.device);
    }
    return found;
}

static bool is_of(const struct snapshot *s, const struct snap_process *p, struct span user) {
    struct span name = snapshot_text(s, p->user);
    uint64_t n;
    bool is_name = name.n == user.n && memcmp(name.p, user.p, user.n) == 0;
    return is_name || (p->uid.state == STATE_VALUE && span_to_u64(user, &n) == ERR_OK &&
                       n == (uint64_t)p->uid.v);
}

/* What alone would leave some process. */
struct left {
    bool pid;
    bool user;
    bool device;
};

static struct left left_by(const struct ui *ui, const struct snapshot *s) {
    struct left l = {false, false, false};
    for (uint32_t i = 0; i < s->process_count; i++) {
        const struct snap_process *p = &s->processes[i];
        l.pid = l.pid || ui->query.pid == 0 || p->pid == ui->query.pid;
        l.user = l.user || ui->query.user.n == 0 || is_of(s, p, ui->query.user);
        l.device = l.device || table_device_matches(s, p->device, ui->query.device);
    }
    return l;
}

static void put_quoted(struct buf *b, const char *before, struct span text, const char *after) {
    struct span fits = text_cut(text, 40);
    buf_text(b, before);
    buf_span(b, fits);
    buf_text(b, fits.n < text.n ? "..." : "");
    buf_text(b, after);
}

/* The first of what leaves nothing, and the key or option that would change it. */
static void put_why(const struct ui *ui, const struct snapshot *s, struct buf *b) {
    struct left l = left_by(ui, s);
    if (!some_device(ui, s)) {
        put_quoted(b, "no device is meant by -i ", ui->query.device, " (gwtop -L lists them)");
    } else if (s->process_count == 0) {
        buf_text(b, "no process uses a GPU");
    } else if (!l.pid) {
        buf_text(b, "process ");
        buf_i64(b, ui->query.pid);
        buf_text(b, " (-p) uses no GPU, or cannot be read");
    } else if (!l.user) {
        put_quoted(b, "user ", ui->query.user, " has no process on a GPU (u chooses others)");
    } else if (!l.device) {
        buf_text(b, ui->device >= 0 ? "no process uses this device (F8 shows others)"
                                    : "no process uses the devices of -i");
    } else if (ui->query.filter.count > 0) {
        put_quoted(b, "the filter ", filter_text(ui), " leaves no row (F4 Ctrl-U Enter clears it)");
    } else if (ui->query.hide_idle) {
        buf_text(b, "all processes are idle (i shows them)");
    } else {
        buf_text(b, "no process is chosen by the options or keys given");
    }
}

bool empty_draw(struct ui *ui, const struct snapshot *s, struct grid *g, int row, int rows,
                int column) {
    if (!s) {
        draw_middle(g, row + rows / 2, ROLE_DIM, ui->o.unicode ? "measuring…" : "measuring...");
    } else if (s->device_count == 0) {
        draw_no_gpu(ui, s, g, row, rows);
    } else if (ui->line_count == 0) {
        buf_clear(&ui->text);
        put_why(ui, s, &ui->text);
        grid_text(g, row, column, -1, ROLE_DIM, buf_span_of(&ui->text));
    }
    return !s || s->device_count == 0 || ui->line_count == 0;
}

/* ---- the first look -------------------------------------------------------------------------- */

const char *first_hint(const struct ui *ui) {
    return ui->is_used || !ui_is(ui, SETTING_HINT)
               ? NULL
               : "F1 help, F4 filter, F6 sort, Enter details, q quit";
}
