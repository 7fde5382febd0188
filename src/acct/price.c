/*
 * What busy time that a counter tells costs: the device's clock and voltage are looked at once a tick
 * and integrated, and each client's own interval is priced at the mean over it. Pure.
 *
 * Between two looks clock and voltage are taken as the mean of both; where one of them is not known
 * the time between is left out, and a client's busy time in it is unpriced, in proportion.
 */
#include "work.h"

static bool is_video(uint8_t class) {
    return class == CLASS_DECODE || class == CLASS_ENCODE || class == CLASS_MEDIA;
}

/* The newest reading in the metric's unit; below 0 where there is none to be trusted. `doubt` may be NULL. */
static double reading_of(const struct acct *a, uint32_t device, enum metric metric,
                         unsigned *doubt) {
    uint32_t index = metric_find(a, device, metric);
    if (index == NONE || !device_is_awake(device_at(a, device)))
        return -1;
    struct value v = metric_told(a, metric_at(a, index)).value;
    if (v.state != STATE_VALUE || v.v < 0 || (v.doubt & DOUBT_STUCK))
        return -1;
    if (doubt)
        *doubt = v.doubt;
    double scale = 1;
    for (unsigned i = metric_info(metric)->power; i > 0; i--)
        scale *= 10;
    return (double)v.v / scale;
}

static struct rate_mark rate_mark_of(const struct rate *r) {
    return (struct rate_mark){r->fv2, r->v2, r->fv2_ns, r->v2_ns, r->waking_ns};
}

static void look(const struct acct *a, uint32_t device, struct rate *r, enum metric clock,
                 enum metric voltage) {
    unsigned doubt = DOUBT_NONE;
    unsigned clock_doubt = DOUBT_NONE;
    double f = reading_of(a, device, clock, &clock_doubt);
    double v = reading_of(a, device, voltage, &doubt);
    bool waking = (doubt | clock_doubt) & DOUBT_WAKING;
    int64_t t_ns = a->now.begin_ns;
    int64_t passed_ns = r->looked ? span_ns(r->t_ns, t_ns) : 0;
    double seconds = (double)passed_ns * 1e-9;
    r->before = rate_mark_of(r);
    r->before_ns = r->t_ns;
    if (v <= 0 && a->options.assume_voltage_uv > 0 && device_is_awake(device_at(a, device))) {
        v = a->options.assume_voltage_uv * 1e-6;
        r->assumed = true;
    }
    r->assumed = r->assumed || (v > 0 && (doubt & DOUBT_ASSUMED_VOLTAGE));
    v = v == 0 ? -1 : v; /* no engine runs at nothing */
    if (passed_ns > 0 && v > 0 && r->volt > 0) {
        r->v2 += (r->volt * r->volt + v * v) / 2 * seconds;
        r->v2_ns = add_sat(r->v2_ns, passed_ns);
    }
    if (passed_ns > 0 && v > 0 && r->volt > 0 && f >= 0 && r->clock_hz >= 0) {
        r->fv2 += (r->clock_hz * r->volt * r->volt + f * v * v) / 2 * seconds;
        r->fv2_ns = add_sat(r->fv2_ns, passed_ns);
    }
    if (waking || r->waking)
        r->waking_ns = add_sat(r->waking_ns, passed_ns);
    r->ever = r->ever || (v > 0 && f >= 0);
    r->waking = waking;
    r->looked = true;
    r->clock_hz = f;
    r->volt = v;
    r->t_ns = t_ns;
}

void rates_look(struct acct *a) {
    for (uint32_t i = 0; i < a->tables[T_DEVICE].n; i++) {
        struct device *d = device_at(a, i);
        look(a, i, &d->gfx, METRIC_CLOCK_GFX, METRIC_VOLTAGE_GFX);
        look(a, i, &d->media, METRIC_CLOCK_VCN, METRIC_VOLTAGE_SOC);
    }
}

void rates_mark(const struct acct *a, struct client *c) {
    const struct device *d = device_at(a, c->device);
    c->gfx = rate_mark_of(&d->gfx);
    c->media = rate_mark_of(&d->media);
}

/* Looks and a client's readings are some milliseconds apart: what is known for most of the interval is
 * known. */
static double known_part(int64_t known_ns, int64_t span_ns) {
    double part = (double)known_ns / (double)span_ns;
    return part > 0.9 ? 1 : part;
}

/* `part` of the time since `m` is known. */
static void put_price(struct total *more, const struct rate *r, const struct rate_mark *m,
                      double cycles_v2, double part) {
    more->priced = true;
    double unpriced = (double)more->busy_ns * (1 - part);
    if (unpriced < (double)more->busy_ns)
        more->unpriced_ns = (int64_t)unpriced;
    more->price_doubt |= r->assumed ? DOUBT_ASSUMED_VOLTAGE : 0;
    more->price_doubt |= r->waking_ns > m->waking_ns ? DOUBT_WAKING : 0;
    sum_add(&more->pws, pseudowatt_cycles(cycles_v2 * part));
}

void price_growth(const struct acct *a, const struct client *c, uint8_t class, int64_t span_ns,
                  double cycles, struct total *more) {
    const struct device *d = device_at(a, c->device);
    const struct rate *r = is_video(class) ? &d->media : &d->gfx;
    const struct rate_mark *m = is_video(class) ? &c->media : &c->gfx;
    int64_t known_ns = cycles >= 0 ? r->v2_ns - m->v2_ns : r->fv2_ns - m->fv2_ns;
    more->unpriced_ns = more->busy_ns;
    if (known_ns <= 0 || span_ns <= 0)
        return;
    double seconds = (double)known_ns * 1e-9;
    double part = known_part(known_ns, span_ns);
    if (cycles >= 0)
        put_price(more, r, m, cycles * (r->v2 - m->v2) / seconds, part);
    else
        put_price(more, r, m, (double)more->busy_ns * 1e-9 * (r->fv2 - m->fv2) / seconds, part);
}

void price_jobs(const struct acct *a, uint32_t device, double cycles, int64_t busy_ns,
                struct total *more) {
    unsigned doubt = DOUBT_NONE;
    double volt = reading_of(a, device, METRIC_VOLTAGE_GFX, &doubt);
    bool assumed = volt <= 0 && a->options.assume_voltage_uv > 0;
    volt = assumed ? a->options.assume_voltage_uv * 1e-6 : volt;
    assumed = assumed || (doubt & DOUBT_ASSUMED_VOLTAGE);
    if (volt <= 0) {
        more->unpriced_ns = add_sat(more->unpriced_ns, busy_ns);
        return;
    }
    more->priced = true;
    more->price_doubt |= assumed ? DOUBT_ASSUMED_VOLTAGE : 0;
    more->price_doubt |= (uint8_t)(doubt & DOUBT_WAKING);
    sum_add(&more->pws, pseudowatt_cycles(volt * volt * cycles));
}

void price_loose(const struct device *d, const struct rate_mark *from, int64_t span_ns,
                 struct total *more) {
    const struct rate *r = &d->gfx;
    int64_t known_ns = r->fv2_ns - from->fv2_ns;
    more->unpriced_ns = more->busy_ns;
    if (known_ns <= 0 || span_ns <= 0)
        return;
    double mean = (r->fv2 - from->fv2) / ((double)known_ns * 1e-9);
    put_price(more, r, from, (double)more->busy_ns * 1e-9 * mean, known_part(known_ns, span_ns));
}
