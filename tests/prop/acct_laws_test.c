/*
 * The laws of accounting, over machines that a generator with fixed seeds makes up: clients that
 * come, go, are shared and handed on, counters that step back, texts that fail or are cut,
 * processes and devices that end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acct/state.h"
#include "acct_feed.h"

enum { DEVICES = 2, PROCESSES = 24, HOLDERS = 60, CLIENTS = 40, ENGINES = 4, REGIONS = 3 };
enum { SEEDS = 12, TICKS = 60 };

/* Subject ids. */
enum {
    FIRST_DEVICE = 1,
    FIRST_SENSORS = 5,
    FIRST_POWER = 7,
    FIRST_PROCESS = 10,
    FIRST_HOLDER = 100,
    FIRST_ROCM = 200
};

static const char *const engine_names[ENGINES] = {"gfx", "compute", "dec", "rcs"};
static const char *const region_names[REGIONS] = {"vram", "gtt", "system0"};

/* ---- a machine ------------------------------------------------------------------------------- */

struct model_client {
    int64_t busy[ENGINES];
    int64_t resident[REGIONS];
    int64_t shared[REGIONS];
};

struct model_holder {
    bool open;
    int process;
    int client; /* the low bit is the device */
};

struct model {
    uint64_t random;
    int64_t t_ns;
    uint64_t boots; /* makes start times unlike */
    bool process_open[PROCESSES];
    uint64_t start[PROCESSES];
    struct model_holder holders[HOLDERS];
    struct model_client clients[CLIENTS];
};

static uint32_t roll(struct model *m, uint32_t below) {
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((m->random >> 33) % below);
}

/* What happens to two or three acct at once: the same, but for the order of reading. */
struct world {
    struct model m;
    struct acct_feed *feeds[2];
    unsigned feed_count;
};

static bool uses_rocm(int p) {
    return p % 4 == 0;
}

static void open_process(struct world *w, int p) {
    w->m.process_open[p] = true;
    w->m.start[p] = 1000 + w->m.boots++;
    for (unsigned i = 0; i < w->feed_count; i++) {
        feed_process(w->feeds[i], FIRST_PROCESS + (uint32_t)p, 100 + p, w->m.start[p]);
        if (uses_rocm(p))
            feed_stream(w->feeds[i], FIRST_ROCM + (uint32_t)p, FIRST_DEVICE, 100 + p, 0);
    }
}

static void close_holder(struct world *w, int h, const char *reason) {
    w->m.holders[h].open = false;
    for (unsigned i = 0; i < w->feed_count; i++)
        feed_close(w->feeds[i], FIRST_HOLDER + (uint32_t)h, w->m.t_ns, reason);
}

static void close_process(struct world *w, int p) {
    for (int h = 0; h < HOLDERS; h++)
        if (w->m.holders[h].open && w->m.holders[h].process == p)
            close_holder(w, h, "exited");
    w->m.process_open[p] = false;
    for (unsigned i = 0; i < w->feed_count; i++) {
        if (uses_rocm(p))
            feed_close(w->feeds[i], FIRST_ROCM + (uint32_t)p, w->m.t_ns, "exited");
        feed_close(w->feeds[i], FIRST_PROCESS + (uint32_t)p, w->m.t_ns, "exited");
    }
}

static void open_holder(struct world *w, int h) {
    int p = (int)roll(&w->m, PROCESSES);
    if (!w->m.process_open[p])
        open_process(w, p);
    int c = (int)roll(&w->m, CLIENTS);
    w->m.holders[h] = (struct model_holder){true, p, c};
    for (unsigned i = 0; i < w->feed_count; i++)
        feed_holder(w->feeds[i], FIRST_HOLDER + (uint32_t)h, FIRST_PROCESS + (uint32_t)p,
                    FIRST_DEVICE + (uint32_t)(c & 1));
}

static void advance(struct model *m, int64_t passed) {
    for (int c = 0; c < CLIENTS; c++)
        for (int e = 0; e < ENGINES; e++) {
            struct model_client *k = &m->clients[c];
            if (roll(m, 3) == 0)
                k->busy[e] += (int64_t)roll(m, 1000) * passed / 1000;
            if (roll(m, 40) == 0)
                k->busy[e] = k->busy[e] / (1 + roll(m, 1000)); /* steps back, perhaps to nearly 0 */
            if (roll(m, 200) == 0)
                k->busy[e] += 100 * passed; /* more than can be */
        }
    for (int c = 0; c < CLIENTS; c++)
        for (int r = 0; r < REGIONS; r++) {
            m->clients[c].resident[r] = (int64_t)roll(m, 1000) * MIB;
            m->clients[c].shared[r] = roll(m, 2) ? (int64_t)roll(m, 1200) * MIB : 0;
        }
}

/* One descriptor's text. `jitter` is what this descriptor's counters are late by. */
static void read_holder(const struct world *w, struct acct_feed *f, int h, int64_t t, unsigned how,
                        int64_t jitter) {
    const struct counts whole = {.accepted = 20}, cut = {.accepted = 3, .truncated = 1};
    const struct model_holder *holder = &w->m.holders[h];
    const struct model_client *c = &w->m.clients[holder->client];
    uint32_t id = FIRST_HOLDER + (uint32_t)h;
    if (how == 0) {
        feed_failed(f, id, t, OUTCOME_DENIED);
        return;
    }
    if (how == 1) {
        feed_failed(f, id, t, OUTCOME_ASLEEP);
        return;
    }
#define LATE(e) (c->busy[e] > jitter ? c->busy[e] - jitter : 0)
    struct say says[16] = {
        ENGINE(engine_names[0], LATE(0)),
        ENGINE(engine_names[1], LATE(1)),
        CAPACITY(engine_names[1], 1 + holder->client % 3),
        RESIDENT(region_names[0], c->resident[0]),
        SHARED(region_names[0], c->shared[0]),
        RESIDENT(region_names[1], c->resident[1]),
        TOTAL(region_names[1], c->resident[1] + c->shared[1]),
        SHARED(region_names[1], c->shared[1]),
        LEGACY(region_names[2], c->resident[2]),
        ENGINE(engine_names[2], LATE(2)),
        CYCLES(engine_names[3], LATE(3) / 52),
        CLOCK(engine_names[3], w->m.t_ns / 52),
        {0, NULL, 0, 0},
    };
#undef LATE
    if (how == 2)
        says[5] = (struct say){0, NULL, 0, 0};
    feed_read_as(f, id, t, SPACE_DRM, 500 + (uint64_t)holder->client, "amdgpu", says,
                 how == 2 ? &cut : &whole);
}

/* All descriptors in one order or the other. Times go by the place in the order, so that they fit
 * any. */
static void read_all(struct world *w) {
    int order[HOLDERS];
    unsigned how[HOLDERS];
    int64_t jitter[HOLDERS];
    for (int h = 0; h < HOLDERS; h++) {
        order[h] = h;
        how[h] = roll(&w->m, 30);
        jitter[h] = roll(&w->m, 2) ? roll(&w->m, 5000) : 0;
    }
    for (unsigned i = 0; i < w->feed_count; i++) {
        for (int h = 0; h < HOLDERS; h++)
            if (w->m.holders[order[h]].open)
                read_holder(w, w->feeds[i], order[h], w->m.t_ns, how[order[h]], jitter[order[h]]);
        for (int h = HOLDERS - 1; h > 0; h--) {
            int other = (int)roll(&w->m, (uint32_t)h + 1), kept = order[h];
            order[h] = order[other];
            order[other] = kept;
        }
    }
}

static void happen(struct world *w) {
    for (int p = 0; p < PROCESSES; p++)
        if (w->m.process_open[p] && roll(&w->m, 25) == 0)
            close_process(w, p);
    for (int h = 0; h < HOLDERS; h++) {
        if (w->m.holders[h].open && roll(&w->m, 20) == 0)
            close_holder(w, h, "closed");
        else if (!w->m.holders[h].open && roll(&w->m, 4) == 0)
            open_holder(w, h);
        else if (w->m.holders[h].open && roll(&w->m, 50) == 0) /* the number was used again */
            w->m.holders[h].client =
                (int)roll(&w->m, CLIENTS / 2) * 2 + (w->m.holders[h].client & 1);
    }
}

/* What all feeds hear in the same way: of ROCm processes, and of the devices themselves. */
static void tell_rocm(struct world *w) {
    const struct counts counts = {.accepted = 2};
    for (int p = 0; p < PROCESSES; p++) {
        int64_t vram = (int64_t)roll(&w->m, 1000) * MIB,
                sdma = (int64_t)roll(&w->m, 100) * w->m.t_ns / 99;
        for (unsigned i = 0; w->m.process_open[p] && uses_rocm(p) && i < w->feed_count; i++)
            feed_read_as(w->feeds[i], FIRST_ROCM + (uint32_t)p, w->m.t_ns, SPACE_KFD,
                         100 + (uint64_t)p, NULL,
                         SAYS(RESIDENT("vram", vram), ENGINE("sdma", sdma)), &counts);
    }
}

static void tell_devices(struct world *w) {
    static const uint16_t metrics[] = {METRIC_ACTIVITY_GFX, METRIC_MEMORY_VRAM_USED,
                                       METRIC_MEMORY_GTT_USED, METRIC_POWER_SOCKET};
    for (uint32_t d = 0; d < DEVICES; d++) {
        const char *status = roll(&w->m, 8) ? "active\n" : "suspended\n";
        struct tell what = {.metric = metrics[roll(&w->m, 4)],
                            .kind = roll(&w->m, 3),
                            .rank = (uint8_t)roll(&w->m, 3),
                            .doubt = roll(&w->m, 4) ? 0 : DOUBT_UNIT,
                            .state = roll(&w->m, 6) ? 0 : STATE_DENIED};
        what.value = what.metric == METRIC_ACTIVITY_GFX ? roll(&w->m, 1000001)
                                                        : (int64_t)roll(&w->m, 5000) * MIB;
        bool left = roll(&w->m, 10) == 0;
        for (unsigned i = 0; i < w->feed_count; i++) {
            feed_state(w->feeds[i], FIRST_DEVICE + d, w->m.t_ns, status);
            if (left)
                feed_failed(w->feeds[i], FIRST_SENSORS + d, w->m.t_ns, OUTCOME_ASLEEP);
            else
                feed_tell(w->feeds[i], FIRST_SENSORS + d, w->m.t_ns, &what);
        }
    }
}

/* Clock, voltage and what the card draws, each now and then; at times more than any card does. */
static void tell_power(struct world *w) {
    static const uint16_t metrics[] = {METRIC_CLOCK_GFX, METRIC_VOLTAGE_GFX, METRIC_CLOCK_VCN,
                                       METRIC_VOLTAGE_SOC, METRIC_POWER_SOCKET};
    static const int64_t most[] = {3000000000, 1300000, 2000000000, 1100000, 300000000};
    for (uint32_t d = 0; d < DEVICES; d++)
        for (unsigned k = 0; k < 5; k++) {
            bool told = roll(&w->m, 4) > 0;
            bool wrong = roll(&w->m, 40) == 0;
            const struct tell what = {.metric = metrics[k],
                                      .kind = k,
                                      .value = wrong ? INT64_C(1000000000000)
                                                     : (int64_t)roll(&w->m, (uint32_t)most[k])};
            for (unsigned i = 0; i < w->feed_count && told; i++)
                feed_tell(w->feeds[i], FIRST_POWER + d, w->m.t_ns, &what);
        }
}

static void world_tick(struct world *w) {
    int64_t passed = SEC / 2 + (int64_t)roll(&w->m, 1000) * SEC / 1000;
    w->m.t_ns += passed;
    advance(&w->m, passed);
    for (unsigned i = 0; i < w->feed_count; i++)
        feed_begin(w->feeds[i], w->m.t_ns);
    happen(w);
    tell_devices(w);
    read_all(w);
    tell_rocm(w);
    tell_power(w);
    uint32_t activity = roll(&w->m, 1000001);
    for (unsigned i = 0; i < w->feed_count; i++) {
        feed_sample(w->feeds[i], FIRST_DEVICE, w->m.t_ns, METRIC_ACTIVITY_GFX, activity);
        feed_end(w->feeds[i], w->m.t_ns, "");
    }
}

static struct world *world_create(unsigned seed, unsigned feeds, const struct acct_options *o) {
    struct world *w = calloc(1, sizeof(*w));
    assert_non_null(w);
    w->m.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    w->feed_count = feeds;
    for (unsigned i = 0; i < feeds; i++) {
        w->feeds[i] = feed_create(o);
        feed_machine(w->feeds[i]);
        feed_device(w->feeds[i], FIRST_DEVICE, "0000:03:00.0", "driver=amdgpu\n");
        feed_device(w->feeds[i], FIRST_DEVICE + 1, "0000:04:00.0", "driver=i915\n");
        for (uint32_t d = 0; d < DEVICES; d++)
            feed_stream(w->feeds[i], FIRST_SENSORS + d, FIRST_DEVICE + d, 0, 0);
        for (uint32_t d = 0; d < DEVICES; d++)
            feed_stream_facts(w->feeds[i], FIRST_POWER + d, FIRST_DEVICE + d, "apu=0\n");
    }
    return w;
}

static void world_destroy(struct world *w) {
    for (unsigned i = 0; i < w->feed_count; i++)
        feed_destroy(w->feeds[i]);
    free(w);
}

/* ---- laws of one snapshot -------------------------------------------------------------------- */

static void check_share(struct value v) {
    if (v.state == STATE_VALUE)
        assert_in_range(v.v, 0, 1000000);
}

static bool is_awake(const struct snap_device *d) {
    return d->state == DEVICE_ACTIVE || d->state == DEVICE_DENIED;
}

/* Per engine of each device: the totals of processes never pass the device's. Nor do their shares,
 * where the device's was not cut: no share of any is above all there is, but what clients were
 * measured at may together be more, and is not scaled. */
static void check_engines(const struct snapshot *s) {
    for (uint32_t d = 0; d < s->device_count; d++) {
        struct run run = s->devices[d].engines;
        for (uint32_t i = run.first; i < run.first + run.count; i++) {
            const struct snap_engine *e = &s->engines[i];
            int64_t ppm = 0, ns = 0;
            check_share(e->busy_ppm);
            for (uint32_t p = 0; p < s->process_count; p++) {
                const struct snap_process *q = &s->processes[p];
                const struct snap_engine *mine = NULL;
                for (uint32_t k = q->engines.first; k < q->engines.first + q->engines.count; k++)
                    if (q->device == d && s->engines[k].name.at == e->name.at)
                        mine = &s->engines[k];
                if (!mine)
                    continue;
                check_share(mine->busy_ppm);
                ppm += mine->busy_ppm.state == STATE_VALUE ? mine->busy_ppm.v : 0;
                ns += mine->busy_ns.state == STATE_VALUE ? mine->busy_ns.v : 0;
                if (mine->busy_ppm.state == STATE_VALUE && is_awake(&s->devices[d]))
                    assert_int_equal(e->busy_ppm.state, STATE_VALUE);
            }
            for (uint32_t u = 0; u < s->unattributed_count; u++) {
                const struct snap_unattributed *q = &s->unattributed[u];
                for (uint32_t k = q->engines.first; k < q->engines.first + q->engines.count; k++) {
                    const struct snap_engine *mine = &s->engines[k];
                    if (q->device != d || mine->name.at != e->name.at)
                        continue;
                    ppm += mine->busy_ppm.state == STATE_VALUE ? mine->busy_ppm.v : 0;
                    ns += mine->busy_ns.state == STATE_VALUE ? mine->busy_ns.v : 0;
                }
            }
            bool whole = !(e->busy_ppm.doubt & DOUBT_CLAMPED);
            if (e->busy_ppm.state == STATE_VALUE && whole)
                assert_int_equal(ppm, e->busy_ppm.v);
            else if (e->busy_ppm.state == STATE_VALUE)
                assert_true(ppm >= e->busy_ppm.v);
            if (e->busy_ns.state == STATE_VALUE)
                assert_true(ns <= e->busy_ns.v);
        }
    }
}

static int64_t shown(struct value v) {
    return v.state == STATE_VALUE ? v.v : 0;
}

/* Of figures that may be as large as a file can say; stops at the largest and the smallest. */
static int64_t plus(int64_t a, int64_t b) {
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return b > 0 ? INT64_MAX : INT64_MIN;
}

/* What the device says is in use of a class; -1 where it says nothing. */
static int64_t in_use(const struct snapshot *s, const struct snap_device *d, uint8_t class) {
    static const uint16_t metrics[REGION_COUNT] = {[REGION_VRAM] = METRIC_MEMORY_VRAM_USED,
                                                   [REGION_GTT] = METRIC_MEMORY_GTT_USED,
                                                   [REGION_SYSTEM] = METRIC_MEMORY_SYSTEM_USED};
    for (uint32_t i = d->metrics.first; i < d->metrics.first + d->metrics.count; i++)
        if (class < REGION_COUNT && metrics[class] && s->metrics[i].metric == metrics[class] &&
            s->metrics[i].index == INDEX_NONE && s->metrics[i].value.state == STATE_VALUE)
            return s->metrics[i].value.v < 0 ? 0 : s->metrics[i].value.v;
    return -1;
}

/* The sum of a class never passes what the device says is in use. */
static void check_in_use(const struct snapshot *s, const struct snap_device *d) {
    int64_t sums[REGION_COUNT] = {0};
    for (uint32_t i = d->memory.first; i < d->memory.first + d->memory.count; i++) {
        const struct snap_memory *m = &s->memory[i];
        if (m->class < REGION_COUNT && in_use(s, d, m->class) >= 0)
            sums[m->class] = plus(sums[m->class], shown(m->resident));
    }
    for (unsigned c = 0; c < REGION_COUNT; c++)
        assert_true(sums[c] == 0 || sums[c] <= in_use(s, d, (uint8_t)c));
}

/* Σ (resident - shared, at least 0) + the largest shared, over processes: never more than the
 * device's, where that was not cut. */
static void check_memory(const struct snapshot *s) {
    for (uint32_t d = 0; d < s->device_count; d++) {
        struct run run = s->devices[d].memory;
        check_in_use(s, &s->devices[d]);
        for (uint32_t i = run.first; i < run.first + run.count; i++) {
            const struct snap_memory *m = &s->memory[i];
            int64_t own = 0, shared = 0;
            for (uint32_t p = 0; p < s->process_count; p++) {
                const struct snap_process *q = &s->processes[p];
                for (uint32_t k = q->memory.first; k < q->memory.first + q->memory.count; k++) {
                    const struct snap_memory *mine = &s->memory[k];
                    if (q->device != d || mine->region.at != m->region.at)
                        continue;
                    int64_t less = shown(mine->resident) - shown(mine->shared);
                    own = plus(own, less > 0 ? less : 0);
                    shared = shown(mine->shared) > shared ? shown(mine->shared) : shared;
                }
            }
            if (m->resident.state == STATE_VALUE && !(m->resident.doubt & DOUBT_CLAMPED))
                assert_true(plus(own, shared) <= m->resident.v);
        }
    }
}

/* Runs lie in their arrays, clients belong to the process whose run they are in, in order. */
static void check_runs(const struct snapshot *s) {
    uint32_t clients = 0;
    for (uint32_t p = 0; p < s->process_count; p++) {
        const struct snap_process *q = &s->processes[p];
        assert_true(q->device < s->device_count);
        assert_true(q->engines.first + q->engines.count <= s->engine_count);
        assert_true(q->memory.first + q->memory.count <= s->memory_count);
        assert_int_equal(q->client_run.first, clients);
        assert_int_equal(q->client_run.count, q->clients);
        check_share(q->busy_ppm);
        for (uint32_t i = 0; i < q->clients; i++) {
            const struct snap_client *c = &s->clients[clients + i];
            assert_int_equal(c->process, p);
            assert_true(c->holders > 0);
            assert_true(i == 0 || c[-1].space < c->space ||
                        (c[-1].space == c->space && c[-1].id < c->id));
            assert_true(c->engines.first + c->engines.count <= s->engine_count);
            for (uint32_t k = 0; k < c->engines.count; k++)
                check_share(s->engines[c->engines.first + k].busy_ppm);
        }
        clients += q->clients;
        if (p > 0) {
            const struct snap_process *o = q - 1;
            assert_true(o->pid < q->pid || (o->pid == q->pid && o->start < q->start) ||
                        (o->pid == q->pid && o->start == q->start && o->device < q->device));
        }
    }
    assert_int_equal(clients, s->client_count);
    uint32_t loose = 0;
    for (uint32_t i = 0; i < s->unattributed_count; i++) {
        const struct snap_unattributed *u = &s->unattributed[i];
        check_share(u->busy_ppm);
        assert_true(i == 0 || u[-1].device <= u->device);
        loose += span_equals(snapshot_text(s, u->name), "(not attributed)");
    }
    assert_int_equal(loose, s->device_count);
}

/* Idle holders hold a device that is awake, and nothing worked for them; while any process works
 * none of them keeps its device awake. */
static void check_holders(const struct snapshot *s, bool whole) {
    for (uint32_t d = 0; d < s->device_count; d++) {
        uint32_t idle = 0;
        bool busy = false;
        for (uint32_t p = 0; p < s->process_count; p++) {
            const struct snap_process *q = &s->processes[p];
            if (q->device != d)
                continue;
            idle += q->idle_holder;
            busy = busy || (q->busy_ppm.state == STATE_VALUE && q->busy_ppm.v > 0);
            if (!q->idle_holder)
                continue;
            assert_int_equal(s->devices[d].state, DEVICE_ACTIVE);
            assert_true(q->clients > 0 && !q->exited);
        }
        assert_true(s->devices[d].kept_awake == 0 || s->devices[d].kept_awake == idle);
        if (busy && !whole)
            assert_int_equal(s->devices[d].kept_awake, 0);
    }
}

static double real_shown(struct real v) {
    if (v.state != STATE_VALUE)
        return 0;
    assert_true(isfinite(v.v) && v.v >= 0);
    return v.v;
}

static bool is_near(double a, double b) {
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* The lines of one row, or of a device, come to its PW s. */
static void check_lines(const struct snapshot *s, struct run run, const struct snap_power *p) {
    double pws = 0;
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct snap_engine *e = &s->engines[i];
        pws += real_shown(e->pws);
        assert_true(e->unpriced_ns.state != STATE_VALUE || e->unpriced_ns.v >= 0);
        assert_true(e->unpriced_ns.state != STATE_VALUE || e->busy_ns.state != STATE_VALUE ||
                    e->unpriced_ns.v <= e->busy_ns.v);
    }
    if (p->pws.state == STATE_VALUE)
        assert_true(is_near(pws, p->pws.v));
}

/* What rows used and what they were given is what the device used, less what is no row any more:
 * over the whole span, all of it. */
static void check_power(const struct snapshot *s, bool whole) {
    for (uint32_t d = 0; d < s->device_count; d++) {
        const struct snap_power *all = &s->devices[d].power;
        double pws = 0;
        double joules = 0;
        (void)real_shown(all->pw);
        (void)real_shown(all->watts);
        check_lines(s, s->devices[d].engines, all);
        for (uint32_t p = 0; p < s->process_count; p++) {
            const struct snap_process *q = &s->processes[p];
            if (q->device != d)
                continue;
            (void)real_shown(q->power.pw);
            (void)real_shown(q->power.watts);
            pws += real_shown(q->power.pws);
            joules += real_shown(q->power.joules);
            check_lines(s, q->engines, &q->power);
        }
        for (uint32_t i = 0; i < s->unattributed_count; i++)
            if (s->unattributed[i].device == d)
                joules += real_shown(s->unattributed[i].power.joules);
        if (all->pws.state == STATE_VALUE)
            assert_true(is_near(pws, all->pws.v) || (!whole && pws < all->pws.v));
        if (all->joules.state == STATE_VALUE)
            assert_true(is_near(joules, all->joules.v) || (!whole && joules < all->joules.v));
    }
}

/* `whole`: rates are over the whole span. */
static void check_laws(const struct snapshot *s, bool whole) {
    check_runs(s);
    check_holders(s, whole);
    check_engines(s);
    check_memory(s);
    check_power(s, whole);
}

/* ---- laws over time -------------------------------------------------------------------------- */

static const struct snap_process *same_row(const struct snapshot *s, const struct snap_process *p) {
    for (uint32_t i = 0; i < s->process_count; i++) {
        const struct snap_process *q = &s->processes[i];
        if (q->pid == p->pid && q->start == p->start && q->device == p->device)
            return q;
    }
    return NULL;
}

/* Totals of a process never fall while it has a row. */
static void check_totals_grow(const struct snapshot *before, const struct snapshot *now) {
    for (uint32_t i = 0; i < before->process_count; i++) {
        const struct snap_process *old = &before->processes[i];
        const struct snap_process *new = same_row(now, old);
        if (new && old->busy_ns.state == STATE_VALUE) {
            assert_int_equal(new->busy_ns.state, STATE_VALUE);
            assert_true(new->busy_ns.v >= old->busy_ns.v);
        }
        if (!new)
            continue;
        if (old->power.pws.state == STATE_VALUE && new->power.pws.state == STATE_VALUE)
            assert_true(new->power.pws.v >= old->power.pws.v *(1 - 1e-12));
        if (old->power.joules.state == STATE_VALUE && new->power.joules.state == STATE_VALUE)
            assert_true(new->power.joules.v >= old->power.joules.v);
    }
}

static void same_power(const struct snap_power *a, const struct snap_power *b) {
    assert_int_equal(a->pws.state, b->pws.state);
    assert_int_equal(a->pw.state, b->pw.state);
    assert_int_equal(a->joules.state, b->joules.state);
    assert_int_equal(a->watts.state, b->watts.state);
    assert_int_equal(a->method, b->method);
    assert_true(is_near(a->pws.v, b->pws.v));
    assert_true(is_near(a->pw.v, b->pw.v));
    assert_true(is_near(a->joules.v, b->joules.v));
    assert_true(is_near(a->watts.v, b->watts.v));
    assert_int_equal(a->unpriced_ns.v, b->unpriced_ns.v);
}

static void check_same_power(const struct snapshot *a, const struct snapshot *b) {
    for (uint32_t i = 0; i < a->device_count; i++)
        same_power(&a->devices[i].power, &b->devices[i].power);
    for (uint32_t i = 0; i < a->process_count; i++)
        same_power(&a->processes[i].power, &b->processes[i].power);
    for (uint32_t i = 0; i < a->unattributed_count; i++)
        same_power(&a->unattributed[i].power, &b->unattributed[i].power);
}

static void run_laws(unsigned seed, const struct acct_options *o) {
    struct world *w = world_create(seed, 2, o);
    struct snapshot *before = NULL;
    for (int t = 0; t < TICKS; t++) {
        world_tick(w);
        const struct snapshot *s = feed_snapshot(w->feeds[0]);
        check_laws(s, o && o->whole_span);
        if (before)
            check_totals_grow(before, s);
        /* The order in which descriptors were read is nowhere to be seen. */
        check_same(s, feed_snapshot(w->feeds[1]));
        check_same_power(s, feed_snapshot(w->feeds[1]));
        snapshot_free(before);
        assert_int_equal(snapshot_dup(s, &before), ERR_OK);
    }
    snapshot_free(before);
    assert_false(acct_failed(w->feeds[0]->acct));
    world_destroy(w);
}

static void test_laws(void **state) {
    const struct acct_options brief = {.exited_keep_ns = 3 * SEC};
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++)
        run_laws(seed, seed % 2 ? NULL : &brief);
}

static void test_laws_over_the_whole_span(void **state) {
    const struct acct_options o = {.whole_span = true};
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS / 2; seed++)
        run_laws(seed, &o);
}

/* A copy that goes on says the same as what it was copied from, whatever it had seen itself. */
static void test_copy_then_continue(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct world *w = world_create(seed, 1, NULL);
        struct world *other = world_create(seed + 100, 1, NULL);
        for (int t = 0; t < 20; t++) {
            world_tick(w);
            world_tick(other);
        }
        assert_int_equal(acct_copy(other->feeds[0]->acct, w->feeds[0]->acct), ERR_OK);
        check_same(feed_snapshot(other->feeds[0]), feed_snapshot(w->feeds[0]));
        w->feeds[1] = other->feeds[0];
        memcpy(w->feeds[1]->subjects, w->feeds[0]->subjects, sizeof(w->feeds[0]->subjects));
        w->feed_count = 2;
        for (int t = 0; t < 20; t++) {
            world_tick(w);
            check_same(feed_snapshot(w->feeds[1]), feed_snapshot(w->feeds[0]));
            check_same_power(feed_snapshot(w->feeds[1]), feed_snapshot(w->feeds[0]));
        }
        other->feed_count = 0;
        world_destroy(other);
        world_destroy(w);
    }
}

/* ---- no spike -------------------------------------------------------------------------------- */

/* A client's total is never more than its highest value less its first, whatever its counter
 * does. */
static void test_no_spike(void **state) {
    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct model m = {.random = seed};
        struct acct_feed *f = feed_create(NULL);
        feed_device(f, 1, "gpu", "driver=i915\n");
        feed_process(f, 10, 100, 1);
        feed_holder(f, 100, 10, 1);
        int64_t busy = (int64_t)roll(&m, 1000000) * 1000000, first = busy, most = busy;
        int64_t clock = 0, mark = busy, t_ns = 0;
        for (int t = 0; t < 200; t++) {
            int64_t passed = 1 + (int64_t)roll(&m, 2000000000);
            t_ns += passed;
            busy = roll(&m, 5) ? busy + (int64_t)roll(&m, 1000) * (passed / 1000)
                               : busy / (1 + roll(&m, 9));
            clock = roll(&m, 5) ? clock + passed / 52 : roll(&m, 2) ? clock : clock / 2;
            most = busy > most ? busy : most;
            feed_begin(f, t_ns);
            feed_read(f, 100, t_ns, 7,
                      SAYS(ENGINE("render", busy), CYCLES("rcs", busy / 52), CLOCK("rcs", clock)));
            feed_end(f, t_ns, "");
            const struct snapshot *s = feed_snapshot(f);
            const struct snap_process *p = &s->processes[0];
            const struct snap_engine *e = find_engine(s, p->engines, "render");
            check_share(find_engine(s, p->engines, "rcs")->busy_ppm);
            if (t == 0) {
                check_state(e->busy_ppm, STATE_UNKNOWN);
                first = busy;
                most = busy;
            } else {
                int64_t grown = busy > mark ? busy - mark : 0;
                check_value(e->busy_ns, most - first);
                assert_true(e->busy_ppm.v <= 1 + grown / (passed / 1000000 + 1) * 2);
            }
            mark = busy > mark || t == 0 ? busy : mark;
        }
        feed_destroy(f);
    }
}

/* ---- memory of our own ----------------------------------------------------------------------- */

/* Where every block of memory lies and how large it is. */
static void note_memory(struct buf *b, const struct acct *a) {
    for (unsigned i = 0; i < TABLE_COUNT; i++) {
        buf_hex(b, (uintptr_t)a->tables[i].v, 1);
        buf_char(b, ' ');
        buf_u64(b, a->tables[i].cap);
        buf_char(b, '\n');
    }
    for (unsigned i = 0; i < MAP_COUNT; i++) {
        buf_hex(b, (uintptr_t)a->maps[i].slots, 1);
        buf_char(b, '\n');
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        for (unsigned k = 0; k < BLOCK_ARRAYS; k++) {
            buf_hex(b, (uintptr_t)a->blocks[i].arrays[k], 1);
            buf_char(b, '\n');
        }
        buf_hex(b, (uintptr_t)a->blocks[i].s.text.p, 1);
        buf_char(b, '\n');
    }
    buf_hex(b, (uintptr_t)a->names.pool.p, 1);
    buf_char(b, '\0');
}

/* Two fields of a source take turns in telling one metric best; two sources tell it. */
static void tell_sensors(struct acct_feed *f, unsigned t) {
    static const char *const names[] = {"average_gfxclk_frequency", "current_gfxclk"};
    for (unsigned i = 0; i < 40; i++) {
        TELL(f, 2, t * SEC, .metric = METRIC_CLOCK_CORE, .value = t, .kind = i % 2, .rank = 5,
             .part = (uint16_t)(1 + i / 2), .name = names[(t + i) % 2]);
        TELL(f, 2, t * SEC, .metric = METRIC_CLOCK_CORE, .value = t + 1, .kind = i % 2, .rank = 5,
             .part = (uint16_t)(1 + i / 2), .name = names[(t + i + 1) % 2]);
        TELL(f, 2, t * SEC, .metric = METRIC_VENDOR_VALUE, .value = t, .name = names[i % 2]);
    }
}

/* Once all that comes has come, no tick allocates: no block of memory moves, grows or is made. */
static void test_steady_tick_allocates_nothing(void **state) {
    struct acct_feed *f = feed_create(NULL);
    struct buf before, after;
    (void)state;
    feed_machine(f);
    feed_device(f, 1, "gpu", "driver=amdgpu\n");
    feed_stream(f, 2, 1, 0, 0);
    for (uint32_t i = 0; i < 300; i++) {
        feed_process(f, 10 + 2 * i, 1000 + (int32_t)i, 1);
        feed_holder(f, 11 + 2 * i, 10 + 2 * i, 1);
    }
    buf_init(&before);
    buf_init(&after);
    for (int t = 1; t <= 60; t++) {
        feed_begin(f, t * SEC);
        for (uint32_t i = 0; i < 300; i++) {
            feed_label(f, 10 + 2 * i, LABEL_COMM, "name");
            feed_label(f, 10 + 2 * i, LABEL_COMMAND, "name --with arguments");
            feed_sample(f, 10 + 2 * i, t * SEC, METRIC_PROCESS_CPU_TIME, t * 1000);
            feed_read(f, 11 + 2 * i, t * SEC, i,
                      SAYS(ENGINE("gfx", t * 1000), RESIDENT("vram", t * MIB)));
        }
        feed_sample(f, 1, t * SEC, METRIC_ACTIVITY_GFX, t * 1000);
        tell_sensors(f, (unsigned)t);
        feed_end(f, t * SEC, "unreadable.denied=3\n");
        if (t == 5)
            note_memory(&before, f->acct);
    }
    note_memory(&after, f->acct);
    assert_string_equal(before.p, after.p);
    buf_finish(&before);
    buf_finish(&after);
    feed_destroy(f);
}

/* ---- anything -------------------------------------------------------------------------------- */

static struct sample any_sample(struct model *m) {
    static const int64_t edges[] = {INT64_MIN, -1, 0, 1, 1000000, INT64_MAX};
    static const char *const names[] = {NULL, "", "gfx", "vram", "a", "quite-long-a-name"};
    const char *name = names[roll(m, 6)];
    return (struct sample){.t_ns = edges[roll(m, 6)],
                           .value = edges[roll(m, 6)],
                           .client = roll(m, 5),
                           .name = name,
                           .name_len = (uint8_t)(name ? strlen(name) : roll(m, 9)),
                           .subject = roll(m, 40),
                           .device = roll(m, 6),
                           .pid = (int32_t)roll(m, 6) - 2,
                           .metric = (uint16_t)roll(m, METRIC_COUNT + 3),
                           .index = (uint16_t)(roll(m, 2) ? INDEX_NONE : roll(m, 3)),
                           .class = (uint8_t)roll(m, 12),
                           .space = (uint8_t)roll(m, 8),
                           .state = (uint8_t)(roll(m, 3) ? STATE_VALUE : roll(m, STATE_COUNT)),
                           .doubt = (uint8_t)roll(m, 128),
                           .rank = (uint8_t)roll(m, 3)};
}

static struct label any_label(struct model *m) {
    static const char *const texts[] = {NULL,   "",    "amdgpu",      "systemd",
                                        "text", "gpu", "0000:03:00.0"};
    const char *text = texts[roll(m, 7)];
    return (struct label){.text = text,
                          .len = (uint32_t)(text ? strlen(text) : roll(m, 9)),
                          .client = roll(m, 5),
                          .subject = roll(m, 40),
                          .device = roll(m, 6),
                          .pid = (int32_t)roll(m, 6) - 2,
                          .kind = (uint8_t)roll(m, LABEL_KIND_COUNT + 2),
                          .space = (uint8_t)roll(m, 8)};
}

/* Frames that no source would send, in an order that none has: nothing breaks, and the laws hold.
 * */
static void test_anything_goes(void **state) {
    static const char *const bodies[] = {"",
                                         "reason=exited\n",
                                         "reason=reused\nreason",
                                         "suspended\n",
                                         "clk_tck=0\nboot_ns=99999999999999999999\n",
                                         "=\n==\nunreadable.=1\n"};
    static const char *const facts[] = {"", "driver=amdgpu\nclk_tck=0\n", "node=226:128\n",
                                        "slot=0000:03:00.0\n"};
    (void)state;
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct model m = {.random = seed};
        const struct acct_options o = {.whole_span = seed % 3 == 0, .exited_keep_ns = seed % 2};
        struct acct_feed *f = feed_create(&o);
        for (int n = 0; n < 3000; n++) {
            const char *body = bodies[roll(&m, 6)];
            uint16_t kind = (uint16_t)(roll(&m, 3) ? FRAME_BACKEND : roll(&m, 8));
            struct subject s = {.id = roll(&m, 40),
                                .parent = roll(&m, 40),
                                .device = roll(&m, 6),
                                .type = (uint8_t)roll(&m, SUBJECT_TYPE_COUNT + 2),
                                .pid = (int32_t)roll(&m, 4) - 1,
                                .start = roll(&m, 3),
                                .number = roll(&m, 3),
                                .backend = (uint16_t)roll(&m, 3),
                                .name = roll(&m, 2) ? "" : "gpu",
                                .facts = facts[roll(&m, 4)]};
            struct frame fr = {.t_ns = (int64_t)(roll(&m, 9) ? (uint32_t)n * 1000u : 0) * 1000000,
                               .bytes = roll(&m, 9) ? body : NULL,
                               .size = strlen(body),
                               .subject = s.id,
                               .kind = kind,
                               .outcome = (uint8_t)(roll(&m, 3) ? 0 : roll(&m, OUTCOME_COUNT + 1))};
            struct counts counts = {.malformed = roll(&m, 2)};
            counts.reasons[REASON_NOT_DRM] = roll(&m, 2);
            f->out.frame(f->out.sink.ctx, &s, &fr);
            for (uint32_t k = roll(&m, 8); k > 0; k--) {
                struct sample sample = any_sample(&m);
                struct label label = any_label(&m);
                if (roll(&m, 2))
                    sample.subject = s.id;
                if (roll(&m, 2))
                    f->out.sink.label(f->out.sink.ctx, &label);
                f->out.sink.sample(f->out.sink.ctx, &sample);
            }
            if (roll(&m, 9))
                f->out.done(f->out.sink.ctx, &s, &fr, &counts);
            if (kind == FRAME_END && acct_snapshot(f->acct))
                check_laws(feed_snapshot(f), o.whole_span);
        }
        acct_finish(f->acct);
        check_laws(feed_snapshot(f), o.whole_span);
        feed_destroy(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_laws_over_the_whole_span),
        cmocka_unit_test(test_copy_then_continue),
        cmocka_unit_test(test_no_spike),
        cmocka_unit_test(test_steady_tick_allocates_nothing),
        cmocka_unit_test(test_anything_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
