/*
 * Metrics of devices, whatever they are. Several sources may tell one metric, in each tick or more
 * rarely; what each said last is kept. Shown is the source of the highest rank that has a value and
 * no doubt, else the highest that has a value, else the highest. Pure.
 */
#include "work.h"

/* A gauge or counter that was not read again holds for so many times its pace, in ticks. */
#define HOLD_TIMES 3
/* One that was read once: long enough for those that are read every few ticks. */
#define HOLD_FIRST 12
/* More ticks than this are an interruption, not a pace. */
#define PACE_MAX 128

/* By how much the clients must differ from a sensor that never moves in each of STUCK_READS. */
#define STUCK_PPM 200000

/* After a wake the firmware's first readings are those of the wake itself. */
#define WAKING_NS INT64_C(15000000000)

/* No card draws more than so many times its limit, or, where none is told, than so much. */
#define CAP_TIMES    3
#define POWER_MAX_UW INT64_C(3000000000)

/* ---- which metric, which source -------------------------------------------------------------- */

/* Of these the name says what is measured; of all others it is the source's word for it. */
static bool is_named(unsigned metric) {
    static const char *const families[] = {"vendor.", "counter.", "engine."};
    struct span name = span_of(metric_info(metric)->name);
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (span_starts(name, families[i]))
            return true;
    return false;
}

static struct map_key key_of(uint32_t device, unsigned metric, unsigned index, uint32_t word) {
    return (struct map_key){(uint64_t)device << 32 | (uint64_t)metric << 16 | index,
                            word == NONE ? 0 : word + UINT64_C(1)};
}

uint32_t metric_find(const struct acct *a, uint32_t device, enum metric metric) {
    uint32_t index = map_get(&a->maps[M_METRIC], key_of(device, metric, INDEX_NONE, NONE));
    return index == MAP_NONE ? NONE : index;
}

static uint32_t find_or_create(struct acct *a, uint32_t device, const struct sample *s,
                               uint32_t word) {
    struct map_key k = key_of(device, s->metric, s->index, word);
    uint32_t index = map_get(&a->maps[M_METRIC], k);
    if (index != MAP_NONE)
        return index;
    index = acct_take(a, T_METRIC);
    if (index == NONE)
        return NONE;
    if (!acct_put(a, M_METRIC, k, index)) {
        a->tables[T_METRIC].n--; /* none ever ends, and all in the table are looked at */
        return NONE;
    }
    *metric_at(a, index) = (struct metric_entry){
        .device = device, .tellers = NONE, .metric = s->metric, .index = s->index};
    a->now.metrics_changed = true;
    struct device *d = device_at(a, device);
    if (s->metric == METRIC_ACTIVITY_GFX && (s->index == INDEX_NONE || d->activity == NONE))
        d->activity = index;
    return index;
}

uint32_t metric_origin(struct acct *a, uint16_t backend, uint16_t kind) {
    const struct backend_table *table = a->options.backends;
    const struct subject of = {.backend = backend};
    for (uint32_t i = 0; i < a->tables[T_ORIGIN].n; i++)
        if (origin_at(a, i)->backend == backend && origin_at(a, i)->kind == kind)
            return i;
    struct origin *added = table_push(&a->tables[T_ORIGIN]);
    if (!added) {
        a->failed = true;
        return NONE;
    }
    const struct kind *k = table ? backend_kind(table, &of, kind) : NULL;
    bool known = table && backend > 0 && backend <= table->count;
    const char *name = k ? k->name : known ? table->list[backend - 1]->name : "";
    uint32_t word = word_get(a, span_of(name));
    *added = (struct origin){.backend = backend, .kind = kind, .word = word};
    return a->tables[T_ORIGIN].n - 1;
}

static uint32_t teller_of(struct acct *a, uint32_t metric, uint32_t origin) {
    uint32_t last = NONE;
    for (uint32_t i = metric_at(a, metric)->tellers; i != NONE; i = teller_at(a, i)->link) {
        if (teller_at(a, i)->origin == origin)
            return i;
        last = i;
    }
    uint32_t added = acct_take(a, T_TELLER);
    if (added == NONE)
        return NONE;
    *teller_at(a, added) = (struct teller){.link = NONE, .origin = origin, .word = NONE};
    *(last == NONE ? &metric_at(a, metric)->tellers : &teller_at(a, last)->link) = added;
    return added;
}

/* ---- what a source says ---------------------------------------------------------------------- */

static unsigned quality(struct value v, uint8_t rank) {
    unsigned trust = v.state != STATE_VALUE ? 0 : v.doubt ? 1 : 2;
    return trust << 8 | rank;
}

/* Whether a wake shows in it; a limit stays what it is. */
static bool shows_wake(unsigned metric) {
    struct span name = span_of(metric_info(metric)->name);
    bool limit = span_starts(name, "power.cap") || metric_info(metric)->kind == KIND_FACT;
    return !limit && (span_starts(name, "activity.") || span_starts(name, "clock.") ||
                      span_starts(name, "power."));
}

static struct value value_in(const struct acct *a, uint32_t device, const struct sample *s) {
    const struct device *d = device_at(a, device);
    if (s->state != STATE_VALUE)
        return value_none(s->state);
    bool waking = d->woke && span_ns(d->woke_ns, s->t_ns) < WAKING_NS && shows_wake(s->metric);
    return value_of(s->value, (uint8_t)(s->doubt | (waking ? DOUBT_WAKING : 0)));
}

/* A pace that slows down is believed at once, one that quickens little by little. */
static void keep_pace(struct teller *t, uint64_t seq) {
    uint64_t ticks = seq - t->seq;
    if (t->seq == 0 || ticks > PACE_MAX)
        return;
    t->pace = (uint16_t)(ticks >= t->pace ? ticks : (ticks + t->pace) / 2);
}

/* Of several samples of one source in one tick the best counts, then the latest, then the largest.
 */
static bool is_worse(const struct teller *t, struct value v, const struct sample *s) {
    unsigned old = quality(t->value, t->rank);
    unsigned new = quality(v, s->rank);
    bool later = s->t_ns != t->t_ns ? s->t_ns > t->t_ns : v.v >= t->value.v;
    return new < old || (new == old && !later);
}

void metric_sample(struct acct *a, uint32_t device, uint32_t origin, const struct sample *s,
                   bool failed) {
    struct span name = {s->name ? s->name : "", s->name ? s->name_len : 0};
    bool named = is_named(s->metric);
    uint32_t word = named ? word_get(a, name) : NONE;
    bool nameless = named && word == NONE && name.n > 0; /* no memory for it: never another's */
    uint32_t metric = origin == NONE || nameless ? NONE : find_or_create(a, device, s, word);
    uint32_t index = metric == NONE ? NONE : teller_of(a, metric, origin);
    if (index == NONE)
        return;
    struct teller *t = teller_at(a, index);
    struct value v = value_in(a, device, s);
    if (t->seq == a->now.seq && is_worse(t, v, s))
        return;
    if (t->seq != a->now.seq)
        keep_pace(t, a->now.seq);
    t->value = v;
    t->seq = a->now.seq;
    t->t_ns = s->t_ns;
    t->subject = s->subject;
    t->ever = t->ever || v.state == STATE_VALUE;
    if (failed)
        return; /* it does not say what it would have said */
    t->rank = s->rank;
    t->class = s->class;
    if (!word_is(a, t->word, name)) {
        word = word == NONE ? word_get(a, name) : word;
        teller_at(a, index)->word = word;
    }
}

void metric_forget(struct acct *a, uint32_t device, uint32_t subject) {
    for (uint32_t m = 0; m < a->tables[T_METRIC].n; m++) {
        const struct metric_entry *e = metric_at(a, m);
        if (e->device != device || metric_info(e->metric)->kind == KIND_FACT)
            continue;
        for (uint32_t i = e->tellers; i != NONE; i = teller_at(a, i)->link)
            if (teller_at(a, i)->subject == subject && teller_at(a, i)->value.state == STATE_VALUE)
                teller_at(a, i)->value.state = STATE_UNKNOWN;
    }
}

/* ---- a busy sensor that never moves ---------------------------------------------------------- */

static int64_t share_of(int64_t v) {
    return v < 0 ? 0 : v > PPM ? PPM : v;
}

void metric_watch(struct acct *a, const struct metric_entry *m, struct value sum, bool blind) {
    for (uint32_t i = m->tellers; i != NONE; i = teller_at(a, i)->link) {
        struct teller *t = teller_at(a, i);
        if (t->seq != a->now.seq || t->value.state != STATE_VALUE)
            continue;
        int64_t more = share_of(t->value.v) - share_of(sum.v);
        bool apart = more > STUCK_PPM || -more > STUCK_PPM;
        if (t->value.v != t->still_v)
            t->still = 0;
        t->still_v = t->value.v;
        /* What is not seen of the clients may be what the sensor sees. */
        if (sum.state != STATE_VALUE || (blind && more > 0))
            continue;
        t->still = !apart ? 0 : t->still < STUCK_READS ? (uint8_t)(t->still + 1) : t->still;
    }
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* What was read before a sleep is over, but for what never moves. */
static bool stands(const struct acct *a, const struct metric_entry *m, const struct teller *t) {
    const struct device *d = device_at(a, m->device);
    uint64_t hold = t->pace ? (uint64_t)t->pace * HOLD_TIMES : HOLD_FIRST;
    if (metric_info(m->metric)->kind == KIND_FACT || device_left_alone(d))
        return true;
    return t->seq >= d->woke_seq && a->now.seq - t->seq < hold;
}

static bool is_own_power(unsigned metric) {
    return metric == METRIC_POWER_SOCKET || metric == METRIC_POWER_SOCKET_CURRENT ||
           metric == METRIC_POWER_SOCKET_AVERAGE || metric == METRIC_POWER_GFX ||
           metric == METRIC_POWER_GPU;
}

int64_t metric_most_power(const struct acct *a, uint32_t device) {
    uint32_t m = metric_find(a, device, METRIC_POWER_CAP);
    struct value cap =
        m == NONE ? value_none(STATE_UNSUPPORTED) : metric_told(a, metric_at(a, m)).value;
    bool known = cap.state == STATE_VALUE && cap.v > 0 && cap.v <= INT64_MAX / CAP_TIMES;
    return known ? cap.v * CAP_TIMES : POWER_MAX_UW;
}

static struct value value_now(const struct acct *a, const struct metric_entry *m,
                              const struct teller *t) {
    struct value v = t->value;
    if (!stands(a, m, t))
        v.state = STATE_UNKNOWN;
    else if (v.state == STATE_VALUE && is_own_power(m->metric) &&
             (v.v < 0 || v.v > metric_most_power(a, m->device)))
        v = value_none(STATE_MALFORMED);
    else if (t->still >= STUCK_READS && v.state == STATE_VALUE)
        v.doubt |= DOUBT_STUCK;
    return v;
}

struct told metric_told(const struct acct *a, const struct metric_entry *m) {
    struct told best = {value_none(STATE_UNKNOWN), NULL};
    for (uint32_t i = m->tellers; i != NONE; i = teller_at(a, i)->link) {
        const struct teller *t = teller_at(a, i);
        struct value v = value_now(a, m, t);
        if (!t->ever && !stands(a, m, t))
            continue;
        unsigned old = best.by ? quality(best.value, best.by->rank) : 0;
        unsigned new = quality(v, t->rank);
        if (!best.by || new > old || (new == old && t->seq > best.by->seq))
            best = (struct told){v, t};
    }
    if (device_left_alone(device_at(a, m->device)) && metric_info(m->metric)->kind != KIND_FACT)
        best.value.state = STATE_UNKNOWN;
    return best;
}
