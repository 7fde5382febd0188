/*
 * What is shown alone: one device, which stays the same one when devices come and go; or the table, to be copied.
 * Pure.
 */
#include "actions.h"

/* At the end of `out`, which must outlive it. */
static struct span write_number(char *out, size_t size, int n) {
    size_t at = size;
    do {
        out[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0 && at > 0);
    return (struct span){out + at, size - at};
}

static void show(struct ui *ui, const struct snapshot *s, int device) {
    ui->device = device;
    ui->query.device = ui->o.query.device;
    if (device >= 0) {
        ui->alone = s->devices[device].subject;
        ui->query.device = write_number(ui->device_text, sizeof ui->device_text, device);
    }
}

void alone_settle(struct ui *ui, const struct snapshot *s) {
    if (!s || ui->device < 0) {
        return;
    }
    for (uint32_t d = 0; d < s->device_count && d < 1000; d++) {
        if (s->devices[d].subject == ui->alone) {
            show(ui, s, (int)d);
            return;
        }
    }
    show(ui, s, -1);
    ui_say(ui, true, "the device that was shown alone is gone: all are shown");
}

/* Steps through -1 (all) and the devices that the command line lets through. */
struct ui_command act_DEVICE(struct ui *ui, const struct snapshot *s, int amount) {
    int count = s ? (int)(s->device_count < 1000 ? s->device_count : 1000) : 0;
    alone_settle(ui, s);
    int device = ui->device;
    do {
        device += amount;
        device = device < -1 ? count - 1 : device >= count ? -1 : device;
    } while (device >= 0 && !table_device_matches(s, (uint32_t)device, ui->o.query.device));
    show(ui, s, device);
    ui->top = 0;
    return (struct ui_command){UI_NONE, 0};
}

/* Settings that are others while the table stands alone: which of their choices (strip and plots: off). */
static const struct {
    uint8_t setting;
    uint8_t choice;
} copying[] = {{SETTING_STRIP, 4}, {SETTING_PLOTS, 2}, {SETTING_MOUSE, 0}, {SETTING_BARS, 0}};

struct ui_command act_COPY(struct ui *ui, const struct snapshot *s, int amount) {
    (void)s;
    (void)amount;
    if (!ui->is_copy) {
        ui->before_copy = ui->settings;
    }
    ui->is_copy = !ui->is_copy;
    for (size_t i = 0; i < sizeof copying / sizeof copying[0]; i++) {
        unsigned k = copying[i].setting;
        ui->settings.number[k] = ui->is_copy ? copying[i].choice : ui->before_copy.number[k];
    }
    return (struct ui_command){UI_SETTINGS, 0};
}
