/* What a machine did in the ticks before: numbers that go up and down by hand. */
#include "snap_cases.h"

#define SECOND INT64_C(1000000000)
#define MIB    (INT64_C(1) << 20)

/* From `low` to `high` and back within `period` ticks. */
static int64_t wave(uint64_t tick, int period, int64_t low, int64_t high) {
    int64_t at = (int64_t)(tick % (uint64_t)period);
    int64_t up = at * 2 < period ? at * 2 : period * 2 - at * 2;
    return low + (high - low) * up / period;
}

static void set_metric(struct snap *b, unsigned metric, struct value v) {
    for (uint32_t i = 0; i < b->s.metric_count; i++) {
        if (b->metrics[i].metric == metric && b->metrics[i].index == INDEX_NONE) {
            b->metrics[i].value = v;
            return;
        }
    }
}

void snap_past(struct snap *b, uint64_t tick) {
    bool is_gap = tick % 50 >= 40 && tick % 50 < 45; /* nobody could read anything */
    bool is_rest = tick % 50 >= 20 && tick % 50 < 26;
    struct value gap = snap_none(STATE_DENIED);
    struct value busy = is_gap ? gap : snap_value(is_rest ? 0 : wave(tick, 30, 50000, 950000));
    struct value power = is_gap ? gap : snap_value(wave(tick, 30, 20, 236) * 1000000);
    b->s.tick = tick;
    b->s.t_ns = (int64_t)tick * SECOND;
    b->devices[0].busy_ppm = busy;
    b->engines[b->devices[0].engines.first].busy_ppm = busy;
    b->devices[0].power.pw = snap_real((double)wave(tick, 24, 0, 700) / 100);
    if (is_gap)
        b->devices[0].power.pw = (struct real){.state = STATE_DENIED};
    set_metric(b, METRIC_ACTIVITY_GFX, busy);
    set_metric(b, METRIC_POWER_SOCKET, power);
    set_metric(b, METRIC_MEMORY_VRAM_USED, is_gap ? gap : snap_value((int64_t)tick * 150 * MIB));
    for (uint32_t i = 0; i < b->s.process_count; i++) {
        b->processes[i].busy_ppm =
            is_gap ? gap : snap_value(wave(tick + i * 3, 12 + (int)i, 0, 1000000 / (i + 1)));
    }
}
