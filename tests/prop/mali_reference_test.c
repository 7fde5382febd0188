/*
 * Jobs of the Mali fold against a slow model of the same rules: one cell for each microsecond of
 * each unit, into which every event paints what is true from it on. Nothing of the code under
 * test is used in it. On 10,000 random recordings, with every option and with lines out of order,
 * both must agree on busy and unpriced time to the nanosecond, on PW·s and on every count, for
 * each process on each unit. So must what accounting makes of them behind the bus.
 *
 * Also: the chips that the command line offers are those of the backend.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acct_feed.h"
#include "app/options.h"
#include "backend/mali/mali.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "malirig.h"

#define LOGS    10000
#define EVENTS  70
#define UNITS   12
#define PIDS    6    /* 0 stands for none that is known */
#define BEFORE  1000 /* cells before the first event of a time, for lines out of order */
#define CELLS   2600
#define RATES   16 /* changes of rate in one recording, so that all can be held after a mark */
#define GAP_US  10000000
#define BACK_US 1000

/* ---- the model ------------------------------------------------------------------------------- */

struct power {
    uint64_t hz;
    uint32_t uv;
    bool assumed;
    bool off;
};

struct cell {
    bool busy;
    int pid;
    struct power power;
};

enum { IDLE, RUNS, WAITS };

struct unit_now {
    int state;
    int pid;
    int64_t from; /* nothing is painted before it any more */
    int64_t mark; /* -1: none */
};

struct sums {
    int64_t busy_ns;
    int64_t unpriced_ns;
    double pws;
};

struct model {
    /* options */
    bool samsung, at_interrupt, drop, soc4412;
    uint32_t assume_uv;
    /* what is */
    bool any;
    int64_t base;     /* of cell 0, in us */
    int64_t newest;   /* in us */
    int64_t greatest; /* of all times */
    struct cell cells[UNITS][CELLS];
    struct unit_now units[UNITS];
    uint64_t hz;
    uint32_t uv;
    bool off;
    uint64_t good_hz;
    uint32_t good_uv;
    /* what comes out */
    struct sums sums[PIDS][UNITS];
    uint64_t stop_on_idle, start_on_busy, backward, gap, open, unknown, malformed;
};

static uint32_t table_uv(uint64_t hz) {
    static const struct {
        double mhz;
        uint32_t uv;
    } table[] = {{160, 875000}, {266, 900000}, {350, 950000}, {440, 1025000}};
    for (int i = 0; i < 4; i++)
        if (fabs((double)hz / 1e6 - table[i].mhz) <= 0.02 * table[i].mhz)
            return table[i].uv;
    return 0;
}

static struct power power_now(const struct model *m) {
    struct power p = {m->hz, m->uv, false, m->off};
    if (m->off)
        return (struct power){.off = true};
    if (p.uv == 0 && p.hz != 0) {
        p.uv = m->soc4412 ? table_uv(p.hz) : 0;
        p.uv = p.uv ? p.uv : m->assume_uv;
        p.assumed = p.uv != 0;
    }
    return p;
}

static bool same_power(struct power a, struct power b) {
    return a.hz == b.hz && a.uv == b.uv && a.assumed == b.assumed && a.off == b.off;
}

static void paint(struct model *m, int u, int64_t from, struct cell cell) {
    for (int64_t c = from - m->base; c < CELLS; c++)
        m->cells[u][c] = cell;
}

static int64_t later(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* All that was painted before `end` counts. */
static void count_cells(struct model *m, int64_t end) {
    for (int u = 0; u < UNITS; u++)
        for (int64_t c = 0; c < end - m->base; c++) {
            const struct cell *cell = &m->cells[u][c];
            const struct power *p = &cell->power;
            bool priced = p->off || (p->hz > 0 && p->uv > 0);
            struct sums *s = &m->sums[cell->pid][u];
            if (!cell->busy || (m->drop && !priced))
                continue;
            s->busy_ns += 1000;
            if (!priced)
                s->unpriced_ns += 1000;
            else if (!p->off)
                s->pws += (double)p->hz / 266e6 * (p->uv / 1e6) * (p->uv / 1e6) * 1e-6;
        }
}

static void new_time(struct model *m, int64_t t) {
    if (m->any)
        count_cells(m, m->newest);
    for (int u = 0; u < UNITS; u++) {
        m->units[u] = (struct unit_now){.mark = -1};
        memset(m->cells[u], 0, sizeof(m->cells[u]));
    }
    m->any = true;
    m->base = t - BEFORE;
    m->newest = t;
}

static void at_time(struct model *m, int64_t t) {
    if (!m->any) {
        new_time(m, t);
    } else if (t > m->greatest + GAP_US) {
        m->gap++;
        new_time(m, t);
    } else if (t < m->newest) {
        m->backward++;
        if (m->newest - t >= BACK_US)
            new_time(m, t);
    } else {
        m->newest = t;
    }
    m->greatest = later(m->greatest, t);
}

/* From `t` on the unit works for its process, or for none. */
static void from_now(struct model *m, int u, int64_t t, bool busy) {
    struct unit_now *unit = &m->units[u];
    unit->from = later(unit->from, t);
    paint(m, u, unit->from, (struct cell){busy, unit->pid, power_now(m)});
}

static void rate_changed(struct model *m, int64_t t, struct power before) {
    struct power now = power_now(m);
    if (!m->off && now.hz && now.uv) {
        m->good_hz = m->hz;
        m->good_uv = m->uv;
    }
    if (same_power(before, now))
        return;
    for (int u = 0; u < UNITS; u++)
        if (m->units[u].state == RUNS)
            from_now(m, u, t, true);
}

static uint64_t sane_hz(uint64_t hz) {
    return hz > 2000000000 ? 0 : hz;
}

static uint32_t sane_uv(uint64_t uv) {
    return uv > 2000000 ? 0 : (uint32_t)uv;
}

static void on_clock(struct model *m, int64_t t, uint32_t hz) {
    struct power before = power_now(m);
    m->hz = sane_hz(hz);
    m->off = false;
    rate_changed(m, t, before);
}

static void on_voltage(struct model *m, int64_t t, uint32_t uv) {
    struct power before = power_now(m);
    m->uv = sane_uv(uv);
    m->off = false;
    rate_changed(m, t, before);
}

static void on_pair(struct model *m, int64_t t, uint32_t d0, uint32_t d1) {
    struct power before = power_now(m);
    if (d0 == 0 && d1 == 0) {
        m->off = true;
    } else {
        uint64_t hz = d0 >= 1000000 ? d0
                      : d0 >= 10000 ? d0 * UINT64_C(1000)
                                    : d0 * UINT64_C(1000000);
        uint64_t uv = d1 >= 100000 ? d1 : d1 >= 100 ? d1 * UINT64_C(1000) : 0;
        m->hz = sane_hz(hz);
        m->uv = sane_uv(uv);
        m->off = false;
    }
    rate_changed(m, t, before);
}

static void on_start(struct model *m, int64_t t, int u, uint32_t pid) {
    struct power before = power_now(m);
    if (m->off) {
        m->off = false;
        m->hz = m->good_hz;
        m->uv = m->good_uv;
        rate_changed(m, t, before);
    }
    struct unit_now *unit = &m->units[u];
    m->start_on_busy += unit->state != IDLE;
    unit->state = RUNS;
    unit->pid = pid < PIDS ? (int)pid : 0;
    unit->mark = -1;
    from_now(m, u, t, true);
}

static void on_stop(struct model *m, int64_t t, int u) {
    struct unit_now *unit = &m->units[u];
    m->stop_on_idle += unit->state == IDLE;
    if (unit->state == RUNS && unit->mark >= 0)
        paint(m, u, unit->mark, (struct cell){0});
    else if (unit->state == RUNS)
        from_now(m, u, t, false);
    unit->state = IDLE;
    unit->mark = -1;
}

static void on_suspend(struct model *m, int64_t t, int u) {
    struct unit_now *unit = &m->units[u];
    if (unit->state != RUNS)
        return;
    from_now(m, u, t, false);
    unit->state = WAITS;
    unit->mark = -1;
}

static void on_resume(struct model *m, int64_t t, int u) {
    struct unit_now *unit = &m->units[u];
    if (unit->state != WAITS)
        return;
    unit->state = RUNS;
    from_now(m, u, t, true);
}

static void on_interrupt(struct model *m, int64_t t, int u) {
    struct unit_now *unit = &m->units[u];
    if (!m->at_interrupt || unit->state != RUNS)
        return;
    unit->from = later(unit->from, t);
    unit->mark = unit->from;
}

static void at_end(struct model *m) {
    for (int u = 0; u < UNITS; u++) {
        m->open += m->units[u].state != IDLE;
        if (m->units[u].state == RUNS && m->units[u].mark >= 0)
            paint(m, u, m->units[u].mark, (struct cell){0});
    }
    if (m->any)
        count_cells(m, m->newest);
}

/* ---- random recordings ----------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t chance(uint32_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 11) % below;
}

static const uint32_t some_hz[] = {0,         160000000, 266000000,  267000000,
                                   350000000, 440000000, 2000000001, 533000000};
static const uint32_t some_uv[] = {0, 875000, 900000, 1100000, 2000001};
static const uint32_t some_mhz[] = {0, 160, 266, 440, 350000, 440000000, 2500, 533};
static const uint32_t some_mv[] = {0, 1, 875, 900, 1025000, 2500};
#define ONE_OF(list) ((list)[chance(sizeof(list) / sizeof((list)[0]))])

struct log {
    struct model *m;
    struct buf text;
    int64_t t; /* us */
    int rates;
    bool went_back; /* what comes next is of the same time */
};

static void put(struct log *l, uint32_t type, uint32_t channel, uint32_t data, uint32_t d0,
                uint32_t d1, uint32_t d2) {
    malirig_put(&l->text, (uint64_t)l->t * 1000, MALI_ID(type, channel, data), d0, d1, d2);
}

static void put_rate(struct log *l) {
    uint32_t d0;
    uint32_t d1;
    if (l->rates++ >= RATES)
        return;
    switch (chance(3)) {
    case 0:
        d0 = ONE_OF(some_hz);
        put(l, MALI_SINGLE, MALI_SW, 4, d0, chance(2), 0);
        at_time(l->m, l->t);
        if (l->m->samsung)
            on_clock(l->m, l->t, d0);
        break;
    case 1:
        d0 = ONE_OF(some_uv);
        d1 = chance(3) ? 0 : 875000;
        put(l, MALI_SINGLE, MALI_SW, 5, d0, d1, d1 ? 1 : 2);
        at_time(l->m, l->t);
        if (l->m->samsung && d1 == 0)
            on_voltage(l->m, l->t, d0);
        break;
    default:
        d0 = ONE_OF(some_mhz);
        d1 = chance(4) && d0 ? ONE_OF(some_mv) : 0;
        put(l, MALI_SINGLE, MALI_GPU, chance(2) ? 1 : 10, d0, d1, 0);
        at_time(l->m, l->t);
        on_pair(l->m, l->t, d0, d1);
    }
}

static void put_job_event(struct log *l) {
    uint32_t u = chance(3) ? chance(3) : chance(UNITS);
    uint32_t pid = chance(20) ? 1 + chance(PIDS - 1) : 5000000;
    uint32_t what = chance(12);
    static const uint8_t types[] = {MALI_BEGIN, MALI_DONE, MALI_WAIT, MALI_GO_ON, MALI_SINGLE};
    static const uint8_t by_chance[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 4};
    uint32_t type = types[by_chance[what]];
    uint32_t data = type == MALI_SINGLE ? 1 : type <= MALI_DONE ? chance(2) : 0;
    put(l, type, 1 + u, data, pid, pid + 1, UINT32_MAX);
    at_time(l->m, l->t);
    if (type == MALI_BEGIN)
        on_start(l->m, l->t, (int)u, pid);
    else if (type == MALI_DONE)
        on_stop(l->m, l->t, (int)u);
    else if (type == MALI_WAIT)
        on_suspend(l->m, l->t, (int)u);
    else if (type == MALI_GO_ON)
        on_resume(l->m, l->t, (int)u);
    else
        on_interrupt(l->m, l->t, (int)u);
}

static void put_other(struct log *l) {
    switch (chance(4)) {
    case 0:
        put(l, MALI_BEGIN, MALI_SW, chance(6), 1, 2, 3);
        at_time(l->m, l->t);
        break;
    case 1:
        put(l, 5 + chance(11), chance(30), chance(100), 1, 2, 3);
        l->m->unknown++;
        break;
    case 2:
        buf_text(&l->text, "1 2 3 4 five 6 7\n");
        l->m->malformed++;
        break;
    default:
        put(l, MALI_SINGLE, 1 + chance(12), 2, chance(1000), 1, 0);
        at_time(l->m, l->t);
    }
}

static bool anything_open(const struct model *m) {
    for (int u = 0; u < UNITS; u++)
        if (m->units[u].state != IDLE)
            return true;
    return false;
}

/* A stamp that no other line agrees with changes nothing. */
static void put_alone(struct log *l) {
    if (!anything_open(l->m))
        return;
    l->t = l->m->newest - BACK_US - chance(5000);
    put(l, MALI_SINGLE, 1 + chance(12), 2, chance(1000), 1, 0);
    l->m->backward++;
}

/* Mostly forward; often a little back, rarely far back or far ahead. */
static void step(struct log *l, bool wild, bool forward) {
    uint32_t kind = forward ? 100 : chance(200);
    int64_t newest = l->m->any ? l->m->newest : l->t;
    l->t = newest + chance(25);
    if (kind < 30)
        l->t = newest - chance(kind < 5 ? BACK_US : 30);
    else if (wild && kind < 32) {
        l->went_back = true;
        l->t = newest - BACK_US - chance(5000);
    } else if (wild && kind < 34 && l->m->any)
        l->t = l->m->greatest + GAP_US + chance(3); /* just not, or just so */
}

static void build(struct log *l, bool wild) {
    l->t = 5000000 + chance(1000);
    l->rates = 0;
    l->went_back = false;
    buf_clear(&l->text);
    for (int i = 0; i < EVENTS; i++) {
        uint32_t kind = l->went_back ? 3 : chance(10);
        bool alone = wild && !l->went_back && chance(50) == 0;
        bool calm = l->went_back || alone || i + 2 >= EVENTS;
        l->went_back = false;
        if (alone && i + 2 < EVENTS)
            put_alone(l);
        step(l, wild && !calm, alone);
        kind = l->went_back || alone ? 3 : kind;
        if (l->m->any && l->t - l->m->base >= CELLS && l->t <= l->m->greatest + GAP_US)
            l->t = l->m->newest; /* no more cells */
        if (kind < 3)
            put_rate(l);
        else if (kind < 9)
            put_job_event(l);
        else
            put_other(l);
    }
    at_end(l->m);
    buf_char(&l->text, '\0');
    assert_false(l->text.failed);
}

/* ---- against each other ---------------------------------------------------------------------- */

static void choose(struct model *m, struct buf *options) {
    memset(m, 0, sizeof(*m));
    m->samsung = chance(4) != 0;
    m->at_interrupt = chance(2);
    m->drop = chance(4) == 0;
    m->soc4412 = chance(3) == 0;
    m->assume_uv = chance(4) == 0 ? 1000000 : 0;
    buf_clear(options);
    buf_text(options, m->samsung ? "dialect=samsung\n" : "dialect=arm\n");
    buf_text(options, m->at_interrupt ? "end=interrupt\n" : "end=stop\n");
    buf_text(options, m->drop ? "drop_unpriced=1\n" : "");
    buf_text(options, m->soc4412 ? "soc=exynos4412\n" : "");
    buf_text(options, m->assume_uv ? "assume_voltage_uv=1000000\n" : "");
    buf_char(options, '\0');
}

static void compare_sums(const struct model *m, const struct malirig *r, const char *text) {
    for (int pid = 0; pid < PIDS; pid++)
        for (int u = 0; u < UNITS; u++) {
            const struct sums *s = &m->sums[pid][u];
            const char *name = mali_unit_names[u];
            double pws = malirig_pws(r, pid, name);
            if (malirig_busy(r, pid, name) != s->busy_ns ||
                malirig_unpriced(r, pid, name) != s->unpriced_ns ||
                fabs(pws - s->pws) > 1e-11 * s->pws)
                fail_msg("%d on %s: %lld ns, %lld unpriced, %g PWs, not %lld, %lld, %g, in\n%s",
                         pid, name, (long long)malirig_busy(r, pid, name),
                         (long long)malirig_unpriced(r, pid, name), pws, (long long)s->busy_ns,
                         (long long)s->unpriced_ns, s->pws, text);
        }
}

static void compare_counts(const struct model *m, const struct malirig *r) {
    const uint64_t *reasons = r->counts.reasons;
    assert_int_equal(reasons[REASON_STOP_ON_IDLE], m->stop_on_idle);
    assert_int_equal(reasons[REASON_START_ON_BUSY], m->start_on_busy);
    assert_int_equal(reasons[REASON_BACKWARD_TIMESTAMPS], m->backward);
    assert_int_equal(reasons[REASON_GAP], m->gap);
    assert_int_equal(reasons[REASON_OPEN_AT_END], m->open);
    assert_int_equal(reasons[REASON_UNKNOWN_EVENT], m->unknown);
    assert_int_equal(r->counts.ignored, m->unknown);
    assert_int_equal(r->counts.malformed, m->malformed);
    assert_int_equal(r->counts.truncated, 0);
}

/* Segments of a unit within one time do not overlap and stand in order. */
static void in_order(const struct malirig *r) {
    int64_t at[UNITS] = {0};
    for (unsigned i = 0; i < r->job_count; i++) {
        int u = 0;
        while (strcmp(mali_unit_names[u], r->jobs[i].name) != 0)
            u++;
        assert_true(r->jobs[i].start_ns >= at[u]);
        at[u] = r->jobs[i].end_ns;
    }
}

static void agrees(void **state) {
    static struct model m;
    struct malirig r = {0};
    struct buf options;
    struct log l = {.m = &m};
    uint64_t busy = 0;
    (void)state;
    buf_init(&options);
    buf_init(&l.text);
    for (int i = 0; i < LOGS; i++) {
        seed = (uint64_t)i * 2654435761u + 88172645463325252u;
        bool wild = i % 4 == 3;
        choose(&m, &options);
        build(&l, wild);
        malirig_run(&r, options.p, l.text.p);
        compare_sums(&m, &r, l.text.p);
        compare_counts(&m, &r);
        if (!wild)
            in_order(&r);
        busy += r.job_count;
    }
    assert_true(busy > LOGS * 10); /* they were about something */
    buf_finish(&options);
    buf_finish(&l.text);
    malirig_finish(&r);
}

/* ---- through bus and accounting -------------------------------------------------------------- */

enum { DEVICE = 4, STREAM = 9 };

static void bus_say(struct bus *b, const struct subject *s, unsigned kind, int64_t t_ns,
                    struct span body) {
    const struct frame f = {
        .t_ns = t_ns, .bytes = body.p, .size = body.n, .subject = s->id, .kind = (uint16_t)kind};
    bus_frame(b, s, &f);
}

/* All of the recording in one tick, in two pieces of whole lines. */
static void account(struct bus *b, const char *facts, struct span text) {
    const struct subject machine = {.type = SUBJECT_MACHINE, .name = "", .facts = ""};
    const struct subject device = {
        .id = DEVICE, .type = SUBJECT_DEVICE, .name = "gpu", .facts = "driver=mali\n"};
    const struct subject stream = {.id = STREAM,
                                   .device = DEVICE,
                                   .type = SUBJECT_STREAM,
                                   .backend =
                                       (uint16_t)backend_find(&backend_table, span_of("mali")),
                                   .name = "",
                                   .facts = facts};
    const struct span none = {"", 0};
    size_t half = text.n / 2;
    while (half > 0 && text.p[half - 1] != '\n')
        half--;
    bus_say(b, &device, FRAME_OPEN, 0, none);
    bus_say(b, &stream, FRAME_OPEN, 0, none);
    bus_say(b, &machine, FRAME_BEGIN, SEC, none);
    bus_say(b, &machine, FRAME_END, SEC, none);
    bus_say(b, &machine, FRAME_BEGIN, 2 * SEC, none);
    bus_say(b, &stream, MALI_EVENTS, 2 * SEC, (struct span){text.p, half});
    bus_say(b, &stream, MALI_EVENTS, 2 * SEC, span_skip(text, half));
    bus_say(b, &machine, FRAME_END, 2 * SEC, none);
}

static bool is_sum(struct value busy, struct value unpriced, struct real pws,
                   const struct sums *s) {
    bool priced = s->unpriced_ns < s->busy_ns;
    return busy.state == STATE_VALUE && busy.v == s->busy_ns && unpriced.state == STATE_VALUE &&
           unpriced.v == s->unpriced_ns &&
           (!priced || (pws.state == STATE_VALUE && fabs(pws.v - s->pws) <= 1e-12 * s->pws));
}

static struct run engines_of(const struct snapshot *s, int pid) {
    const struct snap_process *p = pid > 0 ? find_process(s, pid) : NULL;
    const struct snap_unattributed *u = pid > 0 ? NULL : find_loose(s, "(unknown pid)");
    return p ? p->engines : u ? u->engines : (struct run){0, 0};
}

static void compare_rows(const struct model *m, const struct snapshot *s, const char *text) {
    struct sums all = {0};
    for (int pid = 0; pid < PIDS; pid++)
        for (int u = 0; u < UNITS; u++) {
            const struct sums *want = &m->sums[pid][u];
            const struct snap_engine *e = find_engine(s, engines_of(s, pid), mali_unit_names[u]);
            all.busy_ns += want->busy_ns;
            all.unpriced_ns += want->unpriced_ns;
            all.pws += want->pws;
            if (e ? !is_sum(e->busy_ns, e->unpriced_ns, e->pws, want) : want->busy_ns > 0)
                fail_msg("%d on %s in\n%s", pid, mali_unit_names[u], text);
        }
    const struct snap_power *p = &s->devices[0].power;
    if (all.busy_ns > 0 && (p->unpriced_ns.v != all.unpriced_ns ||
                            (all.pws > 0 && fabs(p->pws.v - all.pws) > 1e-12 * all.pws) ||
                            (all.pws > 0 && fabs(p->pw.v - all.pws) > 1e-12 * all.pws)))
        fail_msg("%.17g PWs of the device, not %.17g, in\n%s", p->pws.v, all.pws, text);
}

static void accounted(void **state) {
    static struct model m;
    struct malirig r = {0};
    struct buf options;
    struct log l = {.m = &m};
    (void)state;
    buf_init(&options);
    buf_init(&l.text);
    for (int i = 0; i < LOGS; i++) {
        struct acct *acct;
        struct bus *bus;
        seed = (uint64_t)i * 2654435761u + 88172645463325252u;
        choose(&m, &options);
        build(&l, i % 4 == 3);
        assert_int_equal(acct_create(NULL, &acct), ERR_OK);
        assert_int_equal(bus_create(&backend_table, &bus), ERR_OK);
        const struct subscriber s = acct_subscriber(acct);
        assert_int_equal(bus_subscribe(bus, &s), ERR_OK);
        malirig_begin(&r, options.p, l.text.p, strlen(l.text.p)); /* its facts */
        account(bus, r.facts.p, span_of(l.text.p));
        compare_rows(&m, acct_snapshot(acct), l.text.p);
        bus_destroy(bus);
        acct_destroy(acct);
    }
    buf_finish(&options);
    buf_finish(&l.text);
    malirig_finish(&r);
}

static void chips_of_the_command_line(void **state) {
    struct cursor c = cursor_over(span_of(OPTIONS_MALI_SOCS));
    struct span name;
    unsigned n = 0;
    (void)state;
    while (cursor_field(&c, '|', &name)) {
        n++;
        assert_true(mali_soc_find(name) > 0);
    }
    assert_non_null(mali_soc_name(n));
    assert_null(mali_soc_name(n + 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees),
        cmocka_unit_test(accounted),
        cmocka_unit_test(chips_of_the_command_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
