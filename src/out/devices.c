/*
 * `--list`: which devices there are, one line each, or all as one JSON object. Pure.
 */
#include "json_rows.h"
#include "lines.h"

#include "gwtop/out.h"

static bool chosen(const struct snapshot *s, const struct out_options *o, uint32_t device) {
    return o->query.device.n == 0 || table_device_matches(s, device, o->query.device);
}

static void list_json(const struct snapshot *s, const struct out_options *o, struct buf *b) {
    struct json_object line, device;
    json_open(&line, b, NULL);
    json_word(&line, "schema", JSON_SCHEMA);
    json_array_open(b, "devices");
    for (uint32_t i = 0; i < s->device_count; i++) {
        if (chosen(s, o, i)) {
            json_open(&device, b, NULL);
            json_device_identity(&device, s, &s->devices[i]);
            json_close(&device);
        }
    }
    json_array_close(b);
    json_close(&line);
    buf_char(b, '\n');
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static void list_text(const struct snapshot *s, const struct out_options *o, struct buf *b) {
    size_t id = 0, driver = 0, state = 0;
    unsigned lines = 0;
    for (uint32_t i = 0; i < s->device_count; i++) {
        const struct snap_device *d = &s->devices[i];
        id = larger(id, text_columns(snapshot_text(s, d->id)));
        driver = larger(driver, text_columns(snapshot_text(s, d->driver)));
        state = larger(state, text_columns(span_of(device_state_name(d->state))));
    }
    for (uint32_t i = 0; i < s->device_count; i++) {
        const struct snap_device *d = &s->devices[i];
        if (!chosen(s, o, i)) {
            continue;
        }
        struct span name = snapshot_text(s, d->driver);
        buf_u64(b, i);
        buf_fill(b, ' ', i < 10 ? 2 : 1);
        line_padded(b, snapshot_text(s, d->id), id + 2, true, o->unicode);
        line_padded(b, name.n > 0 ? name : span_of("-"), larger(driver, 1) + 2, true, o->unicode);
        line_padded(b, span_of(device_state_name(d->state)), state + 2, true, o->unicode);
        line_text(b, snapshot_text(s, d->name), o->unicode);
        line_end(b);
        lines++;
    }
    if (lines == 0) {
        buf_text(b, s->devices_denied > 0 ? "GPUs cannot be listed: permission denied\n"
                                          : "no GPU found\n");
    }
}

void out_devices(const struct snapshot *s, const struct out_options *o, bool json, struct buf *b) {
    if (json) {
        list_json(s, o, b);
    } else {
        list_text(s, o, b);
    }
}
