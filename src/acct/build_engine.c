/*
 * Engines of clients, of the processes that own these and of devices. A client's share is what was
 * measured; shares add up to the process's and to the device's. The clients of one engine may ask
 * for more than there is (amdgpu counts the time that work waits): each sum is cut at all there is,
 * and doubted. Nothing is scaled to fit. Pure.
 */
#include "build.h"

static struct value cut(int64_t sum_ppm, uint8_t doubt) {
    if (sum_ppm > PPM)
        return value_of(PPM, (uint8_t)(doubt | DOUBT_CLAMPED));
    return value_of(sum_ppm, doubt);
}

/* Where a part of it could not be read, nothing is no number, and anything else is the least that
 * it was. */
static struct value least(struct value v, unsigned states) {
    if (v.state != STATE_VALUE || !(states & STATE_BIT(STATE_MALFORMED)))
        return v;
    if (v.v == 0)
        return value_none(STATE_MALFORMED);
    return value_of(v.v, (uint8_t)(v.doubt | DOUBT_ESTIMATED));
}

static struct value tally_value(const struct tally *t) {
    uint8_t state = state_of_bits(t->states);
    uint8_t more = (t->states & STATE_BIT(STATE_MALFORMED)) ? DOUBT_ESTIMATED : 0;
    return state == STATE_VALUE ? cut(t->sum_ppm, t->doubt | more) : value_none(state);
}

struct value build_total(const struct total *t, struct value rate) {
    if (t->measured)
        return value_of(t->busy_ns, t->doubt);
    return value_none(rate.state == STATE_VALUE ? STATE_UNKNOWN : rate.state);
}

struct real build_price(const struct total *t, struct value busy, bool priceable) {
    if (t->priced)
        return real_of(sum_of(&t->pws), (uint8_t)(busy.doubt | t->price_doubt));
    if (busy.state == STATE_VALUE && busy.v == 0 && priceable)
        return real_of(0, busy.doubt);
    if (busy.state != STATE_VALUE && busy.state != STATE_UNKNOWN)
        return real_none(busy.state);
    return real_none(priceable ? STATE_UNKNOWN : STATE_UNSUPPORTED);
}

struct value build_unpriced(const struct total *t, struct value busy) {
    return busy.state == STATE_VALUE ? value_of(t->unpriced_ns, busy.doubt) : busy;
}

void build_engines_start(struct build *b) {
    for (uint32_t i = 0; i < b->a->tables[T_ENGINE_NAME].n; i++) {
        engine_name_at(b->a, i)->now = (struct tally){.seq = b->a->now.seq};
        engine_name_at(b->a, i)->row = NONE;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static uint8_t type_of_class(uint8_t class) {
    static const uint8_t types[CLASS_COUNT] = {
        [CLASS_GRAPHICS] = TYPE_GRAPHICS, [CLASS_COMPUTE] = TYPE_COMPUTE,
        [CLASS_DECODE] = TYPE_MEDIA,      [CLASS_ENCODE] = TYPE_MEDIA,
        [CLASS_MEDIA] = TYPE_MEDIA,
    };
    return class < CLASS_COUNT ? types[class] : TYPE_NONE;
}

static void add_type(int64_t type_ns[TYPE_MEDIA + 1], uint8_t class, int64_t ns) {
    int64_t *sum = &type_ns[type_of_class(class)];
    *sum = add_sat(*sum, ns);
}

static inline void set_line(struct snap_engine *line, const struct engine_name *n,
                            uint32_t capacity, struct value rate, const struct total *t,
                            bool priceable) {
    line->name = n->name;
    line->class = n->class;
    line->jobs = n->told && !n->told_by_clients;
    line->capacity = capacity;
    line->busy_ppm = rate;
    line->busy_ns = build_total(t, rate);
    line->pws = build_price(t, line->busy_ns, priceable);
    line->unpriced_ns = build_unpriced(t, line->busy_ns);
}

/* What the row comes to over all its lines. */
static inline void add_line(struct row_state *row, uint8_t class, struct value rate,
                            const struct total *t) {
    row->engine_bits |= STATE_BIT(rate.state);
    if (rate.state == STATE_VALUE && rate.v > row->busiest.v)
        row->busiest = rate;
    total_add(&row->total, t);
    add_type(row->type_ns, class, t->busy_ns);
}

/* ---- clients --------------------------------------------------------------------------------- */

/* Starts what a row comes to on an engine. */
static void turn_to_row(const struct build *b, struct engine_name *n) {
    if (n->row == b->row.index)
        return;
    n->row = b->row.index;
    n->row_now = (struct tally){.seq = b->a->now.seq};
    n->row_total = (struct total){0};
}

/* Counts towards the owner only what was used while it was. */
static void add_to_row(const struct build *b, const struct client *c, const struct engine *e,
                       struct engine_name *n, struct value rate) {
    turn_to_row(b, n);
    const struct total own = total_since(&e->total, &e->before);
    if (b->a->options.whole_span && e->before.busy_ns > 0)
        rate = engine_rate(b->a, c, e, e->before.busy_ns);
    tally_add(&n->row_now, b->a->now.seq, rate);
    total_add(&n->row_total, &own);
}

/* Whether work was done, and whether that is known. */
static void note_client(struct build *b, const struct client *c, unsigned states, bool untellable) {
    struct row_state *row = &b->row;
    const unsigned told = STATE_BIT(STATE_VALUE);
    const unsigned untold = STATE_BIT(STATE_UNSUPPORTED);
    bool read = c->read_seq == b->a->now.seq;
    bool omits = read && c->was_complete && client_omits_zero(b->a, c);
    bool partial = c->space == SPACE_KFD; /* ROCm's compute engines are told nowhere */
    row->fresh = row->fresh || (read && c->first_seq == b->a->now.seq);
    row->partial = row->partial || partial;
    row->unsure =
        row->unsure || partial || (states & ~(told | untold)) || !(omits || states & told);
    if (untellable)
        row->engine_bits |= STATE_BIT(client_unread(b->a, c));
    if (partial || (read && !(states & ~untold) && !client_omits_zero(b->a, c)))
        device_at(b->a, c->device)->silent_clients++;
}

struct run build_client_engines(struct build *b, const struct client *c) {
    const struct acct *a = b->a;
    const struct engine *engines = a->tables[T_ENGINE].v;
    struct engine_name *names = a->tables[T_ENGINE_NAME].v;
    struct run run = {b->s->engine_count, 0};
    uint64_t seq = a->now.seq;
    unsigned states = 0;
    bool grew = false;
    for (uint32_t i = c->engines; i != NONE; i = engines[i].link) {
        const struct engine *e = &engines[i];
        if (!e->told)
            continue;
        struct engine_name *n = &names[e->name];
        struct snap_engine *line = &b->engines[run.first + run.count++];
        bool now = e->rate_seq == seq;
        struct value rate = now && !a->options.whole_span ? e->rate : engine_rate(a, c, e, 0);
        set_line(line, n, e->capacity, rate, &e->total, b->row.priceable);
        if (b->row.same_engines) {
            tally_add(&n->now, seq, rate);
            add_line(&b->row, n->class, rate, &e->total);
        } else {
            add_to_row(b, c, e, n, rate);
        }
        states |= STATE_BIT(now ? e->rate.state : STATE_UNKNOWN);
        grew = grew || (now && e->grew);
    }
    b->s->engine_count += run.count;
    b->row.grew = b->row.grew || grew;
    if (c->context == NONE)
        note_client(b, c, states, run.count == 0);
    else if (run.count == 0)
        b->row.engine_bits |= STATE_BIT(STATE_UNSUPPORTED);
    return run;
}

void build_context_engines(struct build *b, const struct client *c) {
    uint32_t lines = b->s->engine_count;
    (void)build_client_engines(b, c);
    b->s->engine_count = lines;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Clients that are no more: in the tick in which they ended, or over the whole span. */
static void add_ended(struct build *b, const struct row_engine *r) {
    const struct acct *a = b->a;
    struct engine_name *n = engine_name_at(a, r->name);
    bool now = r->ended.seq == a->now.seq;
    turn_to_row(b, n);
    total_add(&n->row_total, &r->total);
    if (now)
        b->row.grew = b->row.grew || r->ended.sum_ppm > 0;
    if (a->options.whole_span && r->total.measured && r->total.busy_ns > 0)
        tally_add(&n->row_now, a->now.seq,
                  engine_share(r->total.busy_ns, span_ns(a->now.first_ns, a->now.begin_ns),
                               n->capacity, r->total.doubt));
    else if (!a->options.whole_span && now)
        tally_add(&n->row_now, a->now.seq, value_of(r->ended.sum_ppm, r->ended.doubt));
}

static void add_to_device(struct tally *device, const struct tally *row) {
    device->states |= row->states;
    device->doubt |= row->doubt;
    device->sum_ppm = add_sat(device->sum_ppm, row->sum_ppm);
}

/* The lines of a row that are not those of its one client. */
static struct run row_lines(struct build *b, const struct row *r) {
    struct run run = {b->s->engine_count, 0};
    for (uint32_t i = r->engines; i != NONE; i = row_engine_at(b->a, i)->link)
        add_ended(b, row_engine_at(b->a, i));
    for (uint32_t i = device_at(b->a, r->device)->engines; i != NONE;
         i = engine_name_at(b->a, i)->link) {
        struct engine_name *n = engine_name_at(b->a, i);
        if (n->row != b->row.index)
            continue;
        struct snap_engine *line = &b->engines[run.first + run.count++];
        struct value rate = least(tally_value(&n->row_now), n->row_now.states);
        set_line(line, n, n->capacity, rate, &n->row_total, b->row.priceable);
        add_to_device(&n->now, &n->row_now);
        b->row.engine_bits |= n->row_now.states;
        add_line(&b->row, n->class, rate, &n->row_total);
    }
    b->s->engine_count += run.count;
    return run;
}

static uint8_t largest_type(const int64_t type_ns[TYPE_MEDIA + 1]) {
    uint8_t best = TYPE_NONE;
    for (unsigned i = TYPE_GRAPHICS; i <= TYPE_MEDIA; i++)
        if (type_ns[i] > (best == TYPE_NONE ? 0 : type_ns[best]))
            best = (uint8_t)i;
    return best;
}

/* Of a process that did nothing yet while watched: by what its clients did before. `clients` in their
 * order. */
static uint8_t type_before(const struct acct *a, struct run clients) {
    int64_t type_ns[TYPE_MEDIA + 1] = {0};
    for (uint32_t i = 0; i < clients.count; i++) {
        uint32_t index = order_at(a, T_CLIENT_ORDER, clients.first + i)->index;
        for (uint32_t k = client_at(a, index)->engines; k != NONE; k = engine_at(a, k)->link) {
            const struct engine *e = engine_at(a, k);
            int64_t mark = (e->known & (1u << E_TIME)) ? e->time.mark : e->cycles.mark;
            add_type(type_ns, engine_name_at(a, e->name)->class, mark);
        }
    }
    return largest_type(type_ns);
}

/* ROCm processes compute, whatever else is told of them. */
static uint8_t type_of(const struct build *b, const struct row *r, struct run clients) {
    uint8_t type = largest_type(b->row.type_ns);
    if (type == TYPE_NONE && r->type == TYPE_NONE)
        type = type_before(b->a, (struct run){b->row.first, clients.count});
    if (type == TYPE_NONE)
        type = r->type;
    return type == TYPE_NONE && b->row.partial ? TYPE_COMPUTE : type;
}

/* Of a row with engines that nobody tells: what is known of the others is the least. */
static struct value busiest_of(const struct row_state *row) {
    if (row->busiest.v < 0)
        return value_none(state_without_value(row->engine_bits));
    if (!row->partial)
        return least(row->busiest, row->engine_bits);
    if (row->busiest.v == 0)
        return value_none(STATE_UNSUPPORTED);
    return value_of(row->busiest.v, (uint8_t)(row->busiest.doubt | DOUBT_ESTIMATED));
}

void build_row_engines(struct build *b, struct row *r, struct snap_process *out) {
    out->engines =
        b->row.same_engines ? b->clients[out->client_run.first].engines : row_lines(b, r);
    out->busy_ppm = busiest_of(&b->row);
    out->busy_ns = least(build_total(&b->row.total, out->busy_ppm), b->row.engine_bits);
    out->power.pws = build_price(&b->row.total, out->busy_ns, b->row.priceable);
    out->power.unpriced_ns = build_unpriced(&b->row.total, out->busy_ns);
    r->type = out->type = type_of(b, r, out->client_run);
}

/* ---- devices --------------------------------------------------------------------------------- */

/* Where nobody has the engine open the sum over clients is 0; in the first tick no rate is known,
 * nor is one of a device that sleeps or is gone. */
struct value build_engine_sum(const struct build *b, const struct device *d,
                              const struct engine_name *n) {
    if (!device_is_awake(d))
        return value_none(STATE_UNKNOWN);
    if (n->now.states == 0 && b->s->interval_ns.state == STATE_VALUE)
        return value_of(0, 0);
    return tally_value(&n->now);
}

static struct value busiest(struct value a, struct value b) {
    if (a.state == STATE_VALUE && b.state == STATE_VALUE)
        return b.v > a.v ? b : a;
    if (a.state == STATE_VALUE || b.state == STATE_VALUE)
        return a.state == STATE_VALUE ? a : b;
    return value_none(state_of_bits(STATE_BIT(a.state) | STATE_BIT(b.state)));
}

void build_device_engines(struct build *b, const struct device *d, struct snap_device *out) {
    unsigned states = 0;
    out->engines = (struct run){b->s->engine_count, 0};
    out->busy_ppm = value_none(d->clients == NONE ? STATE_UNKNOWN : STATE_UNSUPPORTED);
    for (uint32_t i = d->engines; i != NONE; i = engine_name_at(b->a, i)->link) {
        const struct engine_name *n = engine_name_at(b->a, i);
        if (!n->told)
            continue;
        struct value rate = build_engine_sum(b, d, n);
        states |= n->now.states;
        set_line(&b->engines[b->s->engine_count++], n, n->capacity, rate, &n->total,
                 device_is_priceable(d));
        out->busy_ppm = out->engines.count == 0 ? rate : busiest(out->busy_ppm, rate);
        out->engines.count++;
    }
    out->busy_ppm = least(out->busy_ppm, states);
}
