/*
 * Which counters of a device are listed, and how their values are written. Pure.
 */
#include "counters.h"

#include <string.h>

/* ---- which ----------------------------------------------------------------------------------- */

static bool is_counter(unsigned metric) {
    return span_starts(span_of(metric_info(metric)->name), group_at(GROUP_COUNTERS)->prefix);
}

/* Of a session that is not held there are none: only why is told. */
uint32_t counter_next(const struct snapshot *s, const struct snap_device *d, uint32_t i) {
    i = d->counters > COUNTERS_HELD ? d->metrics.count : i;
    while (i < d->metrics.count && !is_counter(s->metrics[d->metrics.first + i].metric)) {
        i++;
    }
    return i;
}

bool counters_are_there(const struct ui *ui, const struct snapshot *s) {
    for (uint32_t i = 0; s && i < s->device_count; i++) {
        const struct snap_device *d = &s->devices[i];
        bool is_there = d->counters != COUNTERS_NONE || counter_next(s, d, 0) < d->metrics.count;
        if (is_there && table_device_matches(s, i, ui->o.query.device)) {
            return true;
        }
    }
    return false;
}

/* Without a meaning of its own: its letter and number in a report. */
static bool is_raw(unsigned metric) {
    return metric >= METRIC_COUNTER_A0 && metric <= METRIC_COUNTER_MPEC7;
}

static bool add(struct ui *ui, uint32_t entry) {
    void *p = ui->counters.list;
    if (vec_reserve(&p, &ui->counters.cap, ui->counters.count + 1, sizeof *ui->counters.list) !=
        ERR_OK) {
        return false;
    }
    ui->counters.list = p;
    ui->counters.list[ui->counters.count++] = entry;
    return true;
}

/* Until a key chooses another it stays the same one, wherever it stands. */
static void find_chosen(struct ui *ui, const struct snapshot *s, const struct snap_device *d) {
    for (uint32_t i = 0; ui->counters.is_kept && i < ui->counters.count; i++) {
        struct counter_key key = counter_key_of(s, d, ui->counters.list[i]);
        if (counter_key_is(&key, &ui->counters.chosen)) {
            ui->counters.at = i;
            break;
        }
    }
    if (ui->counters.count > 0) {
        uint32_t last = ui->counters.count - 1;
        ui->counters.at = ui->counters.at > last ? last : ui->counters.at;
        ui->counters.chosen = counter_key_of(s, d, ui->counters.list[ui->counters.at]);
        ui->counters.is_kept = true;
    }
}

void counters_list(struct ui *ui, const struct snapshot *s, const struct snap_device *d) {
    ui->counters.count = ui->counters.folded = 0;
    for (uint32_t i = counter_next(s, d, 0); i < d->metrics.count; i = counter_next(s, d, i + 1)) {
        if (is_raw(s->metrics[d->metrics.first + i].metric) && history_is_zero(ui, s, d, i)) {
            ui->counters.folded++;
        } else if (!add(ui, i)) {
            break;
        }
    }
    find_chosen(ui, s, d);
}

/* ---- values ---------------------------------------------------------------------------------- */

void put_share_fine(struct buf *b, struct value ppm) {
    if (ppm.state == STATE_VALUE && ppm.v >= 0 && ppm.v < 10000000) {
        buf_fixed(b, ppm.v, 4, 1);
        buf_text(b, ppm.doubt ? " %~" : " %");
    } else {
        put_share(b, ppm);
    }
}

/* "12.5 Mcycles" without its word for the unit, which has two letters at least; false where there is none. */
static bool drop_unit(struct buf *b, unsigned metric) {
    struct span unit = span_of(unit_name(metric_info(metric)->unit));
    bool hangs = b->n > 0 && b->p[b->n - 1] == '~';
    size_t end = b->n - hangs;
    if (unit.n < 2 || end <= unit.n || memcmp(b->p + end - unit.n, unit.p, unit.n) != 0) {
        return false;
    }
    b->n = end - unit.n;
    if (b->p[b->n - 1] == ' ') {
        b->n--;
    }
    buf_text(b, hangs ? "~" : "");
    return true;
}

static bool is_too_wide(const struct buf *b, int width) {
    return width > 1 && text_columns(buf_span_of(b)) > (size_t)width - 1;
}

enum role counter_text(struct ui *ui, const struct snap_metric *m, int width) {
    struct buf *b = &ui->text;
    const struct metric_info *info = metric_info(m->metric);
    buf_clear(b);
    enum role role = table_metric_text(m->metric, m->value, ui->o.unicode, b);
    if (m->value.state != STATE_VALUE || m->value.v < 0) {
        return role;
    }
    if (info->unit == UNIT_PERCENT && m->value.v == 0) {
        buf_clear(b);
        buf_text(b, m->value.doubt ? "0.0 %~" : "0.0 %");
    }
    if (is_too_wide(b, width) && drop_unit(b, m->metric) && !is_too_wide(b, width)) {
        return role;
    }
    if (is_too_wide(b, width)) {
        double v = (double)m->value.v;
        for (unsigned p = info->power; p > 0; p--) {
            v /= 10;
        }
        buf_clear(b);
        table_amount(v, width - 1 < 5 ? 5 : (size_t)width - 1, b);
        buf_text(b, m->value.doubt ? "~" : "");
    }
    return role;
}

void put_place(struct buf *b, uint32_t top, uint32_t room, uint32_t count) {
    if (room == 0 || count <= room) {
        return;
    }
    buf_u64(b, (uint64_t)top + 1);
    buf_char(b, '-');
    buf_u64(b, top + room < count ? (uint64_t)top + room : count);
    buf_text(b, " of ");
    buf_u64(b, count);
}
