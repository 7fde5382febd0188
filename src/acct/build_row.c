/*
 * The processes of a snapshot, one per row, each with its clients; on the way the memory of rows is
 * summed, and that of rows to devices. Pure.
 */
#include "build.h"

/* A client as one of those that a process has on a device at once: sources of one kind add up, of
 * two kinds they speak of the same memory. */
static unsigned memory_group(uint8_t space) {
    return space == SPACE_DRM || space == SPACE_HOLDER ? 0 : 1;
}

/* ---- clients --------------------------------------------------------------------------------- */

static struct run write_client_engines(struct build *b, const struct client *c) {
    struct run run = {b->s->engine_count, 0};
    for (uint32_t i = c->engines; i != NONE; i = engine_at(b->a, i)->link) {
        const struct engine *e = engine_at(b->a, i);
        const struct engine_name *n = engine_name_at(b->a, e->name);
        struct snap_engine *out = &b->engines[b->s->engine_count++];
        out->name = n->name;
        out->class = n->class;
        out->capacity = e->capacity;
        struct value rate = engine_rate(b->a, c, e, 0);
        out->busy_ppm = build_scaled(rate, &n->now);
        out->busy_ns = build_total(&e->total, rate);
        run.count++;
    }
    return run;
}

/* A region of which a row has one client needs no sums. */
static void add_to_row(const struct build *b, uint32_t row, unsigned group, struct region_name *n,
                       uint32_t line) {
    if (n->row != row) {
        n->row = row;
        n->clients[0] = n->clients[1] = 0;
        n->clients[group] = 1;
        n->first = line;
        return;
    }
    if (n->clients[0] + n->clients[1] == 1) {
        n->sums[0] = n->sums[1] = (struct region_sum){0};
        region_sum_add(&n->sums[n->clients[0] ? 0 : 1], &b->memory[n->first], false);
    }
    n->clients[group]++;
    region_sum_add(&n->sums[group], &b->memory[line], false);
}

static struct run write_client_memory(struct build *b, uint32_t row, const struct client *c) {
    struct run run = {b->s->memory_count, 0};
    bool alone = row_at(b->a, row)->owned == 1;
    unsigned group = memory_group(c->space);
    for (uint32_t i = c->regions; i != NONE; i = region_at(b->a, i)->link) {
        const struct region *r = region_at(b->a, i);
        struct region_name *n = region_name_at(b->a, r->name);
        uint32_t line = b->s->memory_count++;
        region_write(b->a, c, r, &b->memory[line]);
        if (alone)
            region_sum_add(&n->device, &b->memory[line], true);
        else
            add_to_row(b, row, group, n, line);
        run.count++;
    }
    return run;
}

/* The clients of one row; *next is where they start in the order of clients. */
static struct run write_clients(struct build *b, uint32_t row, uint32_t *next) {
    struct run run = {b->s->client_count, 0};
    for (; *next < b->a->tables[T_CLIENT_ORDER].n; (*next)++) {
        const struct client *c = client_at(b->a, order_at(b->a, T_CLIENT_ORDER, *next)->index);
        if (c->owner != row)
            break;
        struct snap_client *out = &b->clients[b->s->client_count++];
        out->id = c->id;
        out->space = c->space;
        out->process = b->s->process_count;
        out->holders = c->holder_count;
        out->name = c->name;
        out->engines = write_client_engines(b, c);
        out->memory = write_client_memory(b, row, c);
        run.count++;
    }
    return run;
}

/* ---- engines of a row ------------------------------------------------------------------------ */

/* What its clients do not say at all, as bits. */
static unsigned unread_bits(const struct build *b, const struct row *r, struct run clients,
                            uint32_t first, bool engines) {
    unsigned bits = r->unnamed_denied > 0 ? STATE_BIT(STATE_DENIED) : 0;
    if (r->unnamed > r->unnamed_denied)
        bits |= STATE_BIT(STATE_UNKNOWN);
    for (uint32_t i = 0; i < clients.count; i++) {
        const struct client *c = client_at(b->a, order_at(b->a, T_CLIENT_ORDER, first + i)->index);
        if ((engines ? c->engines : c->regions) == NONE)
            bits |= STATE_BIT(client_unread(b->a, c));
    }
    return bits;
}

static struct value tally_value(const struct tally *t) {
    uint8_t state = state_of_bits(t->states);
    return state == STATE_VALUE ? value_of(t->sum_ppm, t->doubt) : value_none(state);
}

static uint8_t type_of_class(uint8_t class) {
    static const uint8_t types[CLASS_COUNT] = {
        [CLASS_GRAPHICS] = TYPE_GRAPHICS, [CLASS_COMPUTE] = TYPE_COMPUTE,
        [CLASS_DECODE] = TYPE_MEDIA,      [CLASS_ENCODE] = TYPE_MEDIA,
        [CLASS_MEDIA] = TYPE_MEDIA,
    };
    return class < CLASS_COUNT ? types[class] : TYPE_NONE;
}

struct by_type {
    int64_t ns[TYPE_MEDIA + 1];
};

static uint8_t largest_type(const struct by_type *t) {
    uint8_t best = TYPE_NONE;
    for (uint8_t i = TYPE_GRAPHICS; i <= TYPE_MEDIA; i++)
        if (t->ns[i] > (best == TYPE_NONE ? 0 : t->ns[best]))
            best = i;
    return best;
}

/* Of a process that did nothing yet while watched: by what its clients did before. */
static uint8_t type_before(const struct build *b, uint32_t first, uint32_t count) {
    struct by_type t = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        const struct client *c = client_at(b->a, order_at(b->a, T_CLIENT_ORDER, first + i)->index);
        for (uint32_t e = c->engines; e != NONE; e = engine_at(b->a, e)->link) {
            const struct engine *engine = engine_at(b->a, e);
            int64_t mark = engine->known & (1u << E_TIME) ? engine->time.mark : engine->cycles.mark;
            int64_t *ns = &t.ns[type_of_class(engine_name_at(b->a, engine->name)->class)];
            *ns = add_sat(*ns, mark);
        }
    }
    return largest_type(&t);
}

/* Fills engines, busy_ppm, busy_ns; gives what each type did. */
static struct by_type write_engines(struct build *b, const struct row *r, unsigned unread,
                                    struct snap_process *out) {
    struct by_type types = {{0}};
    struct total all = {0};
    unsigned bits = unread;
    out->engines = (struct run){b->s->engine_count, 0};
    out->busy_ppm = value_of(-1, 0);
    for (uint32_t i = r->engines; i != NONE; i = row_engine_at(b->a, i)->link) {
        const struct row_engine *e = row_engine_at(b->a, i);
        const struct engine_name *n = engine_name_at(b->a, e->name);
        struct value rate = tally_value(&e->now);
        struct snap_engine *to = &b->engines[b->s->engine_count++];
        to->name = n->name;
        to->class = n->class;
        to->capacity = n->capacity;
        to->busy_ppm = build_scaled(rate, &n->now);
        to->busy_ns = build_total(&e->total, rate);
        bits |= e->now.states;
        if (rate.state == STATE_VALUE && to->busy_ppm.v > out->busy_ppm.v)
            out->busy_ppm = to->busy_ppm;
        all.busy_ns = add_sat(all.busy_ns, e->total.busy_ns);
        all.measured = all.measured || e->total.measured;
        all.doubt |= e->total.doubt;
        int64_t *ns = &types.ns[type_of_class(n->class)];
        *ns = add_sat(*ns, e->total.busy_ns);
        out->engines.count++;
    }
    if (out->busy_ppm.v < 0)
        out->busy_ppm = value_none(state_of_bits(bits));
    out->busy_ns = build_total(&all, out->busy_ppm);
    return types;
}

/* ---- memory of a row ------------------------------------------------------------------------- */

/* Sums for the columns. */
struct shown {
    struct snap_shown out;
    unsigned bits;
};

static void show(struct shown *s, const struct snap_memory *m) {
    bool total = m->resident.state != STATE_VALUE && m->total.state == STATE_VALUE;
    const struct value *v = total ? &m->total : &m->resident;
    s->bits |= STATE_BIT(v->state);
    if (v->state != STATE_VALUE)
        return;
    s->out.bytes.v = add_sat(s->out.bytes.v, v->v);
    s->out.mark |= total;
}

static struct snap_shown shown_of(const struct shown *s, unsigned unread) {
    struct snap_shown out = s->out;
    out.bytes.state = state_of_bits(s->bits ? s->bits : unread);
    return out;
}

static bool is_larger(const struct snap_memory *x, const struct snap_memory *y) {
    const struct value *a = &x->resident, *b = &y->resident;
    if (a->state != STATE_VALUE && b->state != STATE_VALUE) {
        a = &x->total;
        b = &y->total;
    }
    return a->state == STATE_VALUE && (b->state != STATE_VALUE || a->v > b->v);
}

static void write_region(struct build *b, struct region_name *n) {
    struct snap_memory *out = &b->memory[b->s->memory_count++];
    if (n->clients[0] + n->clients[1] == 1) {
        *out = b->memory[n->first];
        region_sum_add(&n->device, out, true);
        return;
    }
    unsigned group = n->clients[0] ? 0 : 1;
    region_sum_write(&n->sums[group], out);
    if (n->clients[0] && n->clients[1]) {
        struct snap_memory other;
        region_sum_write(&n->sums[1], &other);
        group = is_larger(&other, out) ? 1 : 0;
        *out = group ? other : *out;
    }
    out->region = n->name;
    out->class = n->class;
    region_sum_fold(&n->device, &n->sums[group]);
}

/* The lines of a row with one client are those of the client. */
static struct run row_memory(struct build *b, uint32_t row, struct run clients) {
    if (clients.count == 1)
        return b->clients[clients.first].memory;
    struct run run = {b->s->memory_count, 0};
    for (uint32_t i = device_at(b->a, row_at(b->a, row)->device)->regions; i != NONE;
         i = region_name_at(b->a, i)->link) {
        struct region_name *n = region_name_at(b->a, i);
        if (n->row != row)
            continue;
        write_region(b, n);
        run.count++;
    }
    return run;
}

static void write_memory(struct build *b, uint32_t row, unsigned unread, struct snap_process *out) {
    struct shown vram = {0}, gtt = {0}, shared = {0};
    out->memory = row_memory(b, row, out->client_run);
    for (uint32_t i = 0; i < out->memory.count; i++) {
        const struct snap_memory *m = &b->memory[out->memory.first + i];
        if (m->class == REGION_VRAM)
            show(&vram, m);
        else if (m->class == REGION_GTT || m->class == REGION_SYSTEM)
            show(&gtt, m);
        shared.bits |= STATE_BIT(m->shared.state);
        if (m->shared.state == STATE_VALUE)
            shared.out.bytes.v = add_sat(shared.out.bytes.v, m->shared.v);
    }
    /* A driver that names regions has none of the class that it does not name. */
    if (out->memory.count > 0)
        unread = STATE_BIT(STATE_UNSUPPORTED);
    out->vram = shown_of(&vram, unread);
    out->gtt = shown_of(&gtt, unread);
    out->shared = shown_of(&shared, unread).bytes;
}

/* ---- processes ------------------------------------------------------------------------------- */

static void write_process(const struct build *b, const struct row *r, struct snap_process *out) {
    const struct process *p = process_at(b->a, r->process);
    out->pid = p->pid;
    out->ppid = p->ppid;
    out->start = p->start;
    out->start_ns = process_start_ns(b->a, p);
    out->device = device_at(b->a, r->device)->rank;
    out->name = p->name;
    out->command = p->command;
    out->user = p->user;
    out->container = p->container;
    out->nspid = p->nspid;
    out->exited = p->exited;
    out->exited_ns = p->exited_ns;
    out->cpu_ppm = process_cpu_ppm(b->a, p);
    out->rss = p->rss;
}

void build_rows(struct build *b) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < b->a->tables[T_REGION_NAME].n; i++) {
        region_name_at(b->a, i)->row = NONE;
        region_name_at(b->a, i)->device = (struct region_sum){0};
    }
    for (uint32_t i = 0; i < b->a->tables[T_ROW_ORDER].n; i++) {
        uint32_t row = order_at(b->a, T_ROW_ORDER, i)->index;
        struct row *r = row_at(b->a, row);
        struct snap_process *out = &b->processes[b->s->process_count];
        uint32_t first = next;
        write_process(b, r, out);
        out->client_run = write_clients(b, row, &next);
        out->clients = out->client_run.count;
        unsigned unread = unread_bits(b, r, out->client_run, first, true);
        struct by_type types = write_engines(b, r, unread, out);
        write_memory(b, row, unread_bits(b, r, out->client_run, first, false), out);
        uint8_t type = largest_type(&types);
        if (type == TYPE_NONE && r->type == TYPE_NONE)
            type = type_before(b, first, out->clients);
        r->type = type == TYPE_NONE ? r->type : type;
        out->type = r->type;
        b->s->process_count++;
    }
}
