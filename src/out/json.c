/*
 * `--json`: one object a tick, one line each. Keys and their order are a promise
 * (man/gwtop-output.7); numbers are exact decimals in base units. Pure.
 */
#include "json_rows.h"
#include "outputs.h"
#include "state.h"

static void put_devices(const struct out_state *st, const struct snapshot *s,
                        struct json_object *tick, struct buf *b) {
    /* None to be seen is not none there. */
    if (s->device_count == 0 && s->devices_denied > 0) {
        const struct value denied = {.state = STATE_DENIED};
        json_value(tick, "devices", denied, 0);
        return;
    }
    json_array_open(b, "devices");
    for (uint32_t i = 0; i < s->device_count; i++) {
        if (out_state_device(st, s, i)) {
            json_device(b, s, &s->devices[i]);
        }
    }
    json_array_close(b);
}

static void put_rows(const struct out_state *st, const struct snapshot *s, struct buf *b) {
    uint32_t i = 0;
    json_array_open(b, "processes");
    for (; i < st->rows.count && !st->rows.rows[i].unattributed; i++) {
        json_process(b, s, &s->processes[st->rows.rows[i].index]);
    }
    json_array_close(b);
    json_array_open(b, "unattributed");
    for (; i < st->rows.count; i++) {
        json_unattributed(b, s, &s->unattributed[st->rows.rows[i].index]);
    }
    json_array_close(b);
}

static void put_unreadable(const struct snapshot *s, struct buf *b) {
    struct json_object o, reasons;
    json_open(&o, b, "unreadable");
    json_u64(&o, "count", s->unreadable);
    json_open(&reasons, b, "reasons");
    for (unsigned r = 0; r < REASON_COUNT; r++) {
        if (s->unreadable_reasons[r] > 0) {
            json_u64(&reasons, reason_word(r), s->unreadable_reasons[r]);
        }
    }
    json_close(&reasons);
    json_close(&o);
}

/* What a recording cost when it was made is nothing that its replay used. */
static void put_cost(const struct out_state *st, const struct snapshot *s, struct json_object *tick,
                     struct buf *b) {
    const struct value none = {.state = STATE_UNSUPPORTED};
    struct json_object o;
    if (st->options.replayed) {
        json_value(tick, "cost", none, 0);
        return;
    }
    json_open(&o, b, "cost");
    json_value(&o, "cpu_s", s->cost_cpu_ns, 9);
    json_value(&o, "syscalls", s->cost_syscalls, 0);
    json_close(&o);
}

static void tick(struct out_state *st, const struct snapshot *s, struct buf *b) {
    struct json_object o;
    struct value real = {.v = s->real_ns, .state = s->real_ns ? STATE_VALUE : STATE_UNKNOWN};
    out_state_rows(st, s, true);
    json_open(&o, b, NULL);
    json_word(&o, "schema", JSON_SCHEMA);
    json_value(&o, "t_s", real, 9);
    json_value(&o, "interval_s", s->interval_ns, 9);
    put_devices(st, s, &o, b);
    put_rows(st, s, b);
    put_unreadable(s, b);
    put_cost(st, s, &o, b);
    json_close(&o);
    buf_char(b, '\n');
}

const struct output output_json = {
    .name = "json",
    .doc = "one JSON object a tick (NDJSON)",
    .open = out_state_open,
    .begin = out_state_nothing,
    .tick = tick,
    .end = out_state_nothing,
    .close = out_state_close,
};
