/*
 * Clients: (device, space, id), counted once however many descriptors hold one. Pure.
 *
 * Owner of a client is one of the processes that hold it, and stays it while it holds. Otherwise
 * the process that started first, of these the lowest pid: a child that only inherited a descriptor
 * does not take over its parent's use. pid 1 and session managers, which open nodes for others,
 * come after all others and never stay owner beside one. What an owner used stays in its row when
 * the client moves on.
 */
#include "work.h"

/* There are never as many devices. */
#define DEVICE_BITS 24

static struct map_key key_of(uint32_t device, uint8_t space, uint64_t id, int32_t pid) {
    return (struct map_key){(uint64_t)(uint32_t)pid << (DEVICE_BITS + 8) |
                                (uint64_t)(device & ((1u << DEVICE_BITS) - 1)) << 8 | space,
                            id};
}

static void join_device(struct acct *a, uint32_t client, uint32_t device) {
    struct client *c = client_at(a, client);
    struct device *d = device_at(a, device);
    c->prev = NONE;
    c->link = d->clients;
    if (d->clients != NONE)
        client_at(a, d->clients)->prev = client;
    d->clients = client;
    d->client_count++;
}

static void leave_device(struct acct *a, const struct client *c) {
    struct device *d = device_at(a, c->device);
    if (c->prev == NONE)
        d->clients = c->link;
    else
        client_at(a, c->prev)->link = c->link;
    if (c->link != NONE)
        client_at(a, c->link)->prev = c->prev;
    d->client_count--;
}

uint32_t client_find(const struct acct *a, uint32_t device, uint8_t space, uint64_t id,
                     int32_t pid) {
    uint32_t index = map_get(&a->maps[M_CLIENT], key_of(device, space, id, pid));
    return index == MAP_NONE ? NONE : index;
}

uint32_t client_get(struct acct *a, uint32_t device, uint8_t space, uint64_t id, int32_t pid) {
    struct map_key k = key_of(device, space, id, pid);
    uint32_t index = client_find(a, device, space, id, pid);
    if (index != NONE)
        return index;
    index = acct_take(a, T_CLIENT);
    if (index == NONE)
        return NONE;
    if (!acct_put(a, M_CLIENT, k, index)) {
        table_give(&a->tables[T_CLIENT], index);
        return NONE;
    }
    *client_at(a, index) = (struct client){.device = device,
                                           .space = space,
                                           .id = id,
                                           .pid = pid,
                                           .context = NONE,
                                           .owner = NONE,
                                           .holders = NONE,
                                           .engines = NONE,
                                           .regions = NONE,
                                           .lead_engine = NONE,
                                           .lead_region = NONE,
                                           .used = true};
    join_device(a, index, device);
    rates_mark(a, client_at(a, index));
    a->now.clients_changed = true;
    return index;
}

void client_mark(struct acct *a, uint32_t client) {
    struct client *c = client_at(a, client);
    if (c->dirty)
        return;
    uint32_t *at = table_push(&a->tables[T_DIRTY]);
    c->dirty = true;
    if (at)
        *at = client;
    else
        a->failed = a->now.unlisted = true;
}

bool client_omits_zero(const struct acct *a, const struct client *c) {
    return c->driver_known ? c->driver_omits_zero : device_at(a, c->device)->driver_omits_zero;
}

uint8_t client_unread(const struct acct *a, const struct client *c) {
    if (c->failed_seq == a->now.seq && c->read_seq != a->now.seq)
        return c->failed_state;
    return c->read_seq > 0 && c->was_complete ? STATE_UNSUPPORTED : STATE_UNKNOWN;
}

/* ---- owner ----------------------------------------------------------------------------------- */

/* Would x own a client rather than y? */
static bool rather(const struct process *x, const struct process *y) {
    /* An unknown start time is 0 and comes last. */
    uint64_t x_start = x->start - 1;
    uint64_t y_start = y->start - 1;
    if (x->manager != y->manager)
        return y->manager;
    return x_start != y_start ? x_start < y_start : x->pid < y->pid;
}

/* The process that shall own it; NONE if nobody holds it. */
static uint32_t choose(const struct acct *a, const struct client *c) {
    uint32_t owner = c->owner == NONE ? NONE : row_at(a, c->owner)->process;
    uint32_t best = NONE;
    bool holds = false;
    for (uint32_t h = c->holders; h != NONE; h = holder_at(a, h)->next[BY_CLIENT]) {
        uint32_t process = holder_at(a, h)->of[BY_PROCESS];
        holds = holds || process == owner;
        if (best == NONE || rather(process_at(a, process), process_at(a, best)))
            best = process;
    }
    if (holds && process_at(a, owner)->manager == process_at(a, best)->manager)
        return owner;
    return best;
}

/* What it used while it was the owner's stays there; with what it used in this tick, if it ends. */
static void leave_engine(struct acct *a, uint32_t row, uint32_t engine, bool ends) {
    bool told = engine_at(a, engine)->told;
    uint32_t line = told ? row_engine_get(a, row, engine_at(a, engine)->name) : NONE;
    struct engine *e = engine_at(a, engine);
    const struct total own = total_since(&e->total, &e->before);
    /* Never the next owner's, also where there is no memory to keep it. */
    e->before = e->total;
    if (line == NONE)
        return;
    struct row_engine *r = row_engine_at(a, line);
    total_add(&r->total, &own);
    if (ends && e->rate_seq == a->now.seq && e->rate.state == STATE_VALUE)
        tally_add(&r->ended, a->now.seq, e->rate);
}

static void leave_owner(struct acct *a, struct client *c, bool ends) {
    if (c->owner == NONE)
        return;
    for (uint32_t e = c->engines; e != NONE; e = engine_at(a, e)->link)
        leave_engine(a, c->owner, e, ends);
    row_at(a, c->owner)->owned--;
    c->owner = NONE;
    c->moved = true;
}

static void set_owner(struct acct *a, uint32_t client) {
    struct client *c = client_at(a, client);
    uint32_t process = choose(a, c);
    c->owner_dirty = false;
    /* Without holders it ends soon; what was read last belongs to the last owner. */
    if (process == NONE || (c->owner != NONE && row_at(a, c->owner)->process == process))
        return;
    uint32_t row = row_get(a, process, c->device);
    c->owner_dirty = row == NONE; /* for lack of memory: the next tick tries again */
    if (row == NONE)
        return;
    leave_owner(a, c, false);
    c->owner = row;
    a->now.clients_changed = true;
    row_at(a, row)->owned++;
}

/* ---- end of a tick, end of a client ---------------------------------------------------------- */

static void work_out(struct acct *a, uint32_t client) {
    struct client *c = client_at(a, client);
    if (c->staged_seq != a->now.seq || c->read_seq == a->now.seq)
        return;
    for (uint32_t e = c->engines; e != NONE; e = engine_at(a, e)->link)
        engine_work_out(a, c, engine_at(a, e));
    for (uint32_t r = c->regions; r != NONE; r = region_at(a, r)->link)
        region_work_out(c, region_at(a, r), region_name_at(a, region_at(a, r)->name), a->now.seq);
    if (c->read_seq == 0) {
        c->first_seq = a->now.seq;
        c->first_t_ns = c->staged_t_ns;
    }
    c->t_ns = c->read_seq == 0 || c->staged_t_ns > c->t_ns ? c->staged_t_ns : c->t_ns;
    rates_mark(a, c);
    c->read_seq = a->now.seq;
    c->was_complete = c->complete;
}

static void destroy(struct acct *a, uint32_t client) {
    struct client *c = client_at(a, client);
    a->job_number++;
    leave_owner(a, c, true);
    a->now.clients_changed = true;
    for (uint32_t e = c->engines, next; e != NONE; e = next) {
        next = engine_at(a, e)->link;
        table_give(&a->tables[T_ENGINE], e);
    }
    for (uint32_t r = c->regions, next; r != NONE; r = next) {
        next = region_at(a, r)->link;
        table_give(&a->tables[T_REGION], r);
    }
    if (c->context != NONE)
        context_free(a, c->context);
    leave_device(a, c);
    name_drop(a, &c->name);
    (void)map_remove(&a->maps[M_CLIENT], key_of(c->device, c->space, c->id, c->pid));
    if (a->now.reading.client == client)
        a->now.reading.client = NONE;
    table_give(&a->tables[T_CLIENT], client);
}

void client_settle(struct acct *a, uint32_t client) {
    struct client *c = client_at(a, client);
    if (!c->used || !c->dirty)
        return;
    c->dirty = false;
    if (c->owner_dirty)
        set_owner(a, client);
    work_out(a, client);
    if (client_at(a, client)->holder_count == 0)
        destroy(a, client);
}

void client_end(struct acct *a, uint32_t client) {
    if (client_at(a, client)->owner_dirty)
        set_owner(a, client);
    work_out(a, client);
    while (client_at(a, client)->holders != NONE) {
        uint32_t holder = client_at(a, client)->holders;
        if (holder_at(a, holder)->many)
            holder_close(a, holder);
        else
            holder_set_client(a, holder, NONE);
    }
    destroy(a, client);
}
