/*
 * Hardware contexts: clients that a stream of hardware reports names by a number, and by the id of a
 * thread where it tells one. One that several processes name in turn is a client of each of them. Pure.
 *
 * Nothing tells when a context ends, and a long capture names many: so each device keeps CONTEXTS_MAX
 * of them, and those that were not named for the keep time end. What they used stays in their rows.
 */
#include "work.h"

#define CONTEXTS_MAX 4096

/* ---- by the tick that named them last --------------------------------------------------------- */

static void leave_list(struct acct *a, uint32_t context) {
    struct context *x = context_at(a, context);
    struct device *d = device_at(a, client_at(a, x->client)->device);
    *(x->older == NONE ? &d->oldest_context : &context_at(a, x->older)->newer) = x->newer;
    *(x->newer == NONE ? &d->newest_context : &context_at(a, x->newer)->older) = x->older;
}

static void join_list(struct acct *a, uint32_t context) {
    struct context *x = context_at(a, context);
    struct device *d = device_at(a, client_at(a, x->client)->device);
    x->newer = NONE;
    x->older = d->newest_context;
    *(x->older == NONE ? &d->oldest_context : &context_at(a, x->older)->newer) = context;
    d->newest_context = context;
}

static void name_now(struct acct *a, uint32_t client) {
    const struct client *c = client_at(a, client);
    struct context *x = context_at(a, c->context);
    if (x->seq == a->now.seq)
        return;
    x->seq = a->now.seq;
    if (c->holders != NONE)
        holder_at(a, c->holders)->seen_ns = a->now.begin_ns;
    leave_list(a, c->context);
    join_list(a, c->context);
}

/* ---- life ------------------------------------------------------------------------------------ */

static uint32_t process_of(struct acct *a, int32_t pid) {
    bool known =
        pid > 0 && map_get(&a->maps[M_PID], (struct map_key){(uint32_t)pid, 0}) != MAP_NONE;
    uint32_t process = job_process(a, pid);
    if (process != NONE && !known)
        process_at(a, process)->by_thread = !process_at(a, process)->stray;
    return process;
}

/* The client holds a context, and its process holds it. */
static bool equip(struct acct *a, uint32_t client, uint32_t entry, uint32_t process) {
    uint32_t context = acct_take(a, T_CONTEXT);
    if (context == NONE)
        return false;
    struct client *c = client_at(a, client);
    *context_at(a, context) =
        (struct context){.client = client, .counters = NONE, .at = NONE, .seq = a->now.seq};
    c->context = context;
    device_at(a, c->device)->contexts++;
    join_list(a, context);
    uint32_t holder = holder_open(a, entry, process, c->device);
    if (holder == NONE)
        return false;
    holder_at(a, holder)->many = true;
    holder_at(a, holder)->seen_ns = a->now.begin_ns;
    a->now.many_count++;
    holder_set_client(a, holder, client);
    return true;
}

static uint32_t create(struct acct *a, uint32_t entry, uint32_t device, uint8_t space, uint64_t id,
                       int32_t pid) {
    while (device_at(a, device)->contexts >= CONTEXTS_MAX)
        client_end(a, context_at(a, device_at(a, device)->oldest_context)->client);
    uint32_t process = process_of(a, pid);
    uint32_t row = process == NONE ? NONE : row_get(a, process, device);
    uint32_t client = row == NONE ? NONE : client_get(a, device, space, id, pid);
    if (client != NONE && equip(a, client, entry, process))
        return client;
    if (client != NONE)
        client_end(a, client);
    if (process != NONE)
        process_release(a, process);
    return NONE;
}

uint32_t context_get(struct acct *a, uint32_t entry, uint32_t device, uint8_t space, uint64_t id,
                     int32_t pid) {
    pid = pid > 0 ? pid : 0;
    uint32_t client = client_find(a, device, space, id, pid);
    if (client == NONE)
        return create(a, entry, device, space, id, pid);
    /* A descriptor's text may have named the number as its client: that is none. */
    if (client_at(a, client)->context == NONE)
        return NONE;
    name_now(a, client);
    return client;
}

void context_free(struct acct *a, uint32_t context) {
    uint32_t client = context_at(a, context)->client;
    for (uint32_t i = context_at(a, context)->counters, next; i != NONE; i = next) {
        next = counter_at(a, i)->link;
        table_give(&a->tables[T_COUNTER], i);
    }
    leave_list(a, context);
    device_at(a, client_at(a, client)->device)->contexts--;
    client_at(a, client)->context = NONE;
    table_give(&a->tables[T_CONTEXT], context);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* The one rule against counting twice. DRM clients tell the time of all that use an engine, contexts that of the
 * same work once more: where both tell of an engine of one name or one kind, the clients' is the time of
 * rows and device, and the contexts' only their own. Once told, always: a client that is closed leaves
 * others behind that are read.
 * Jobs of which only the process is told are the same work where clients tell of the engine by that very name, and
 * then they count nowhere: so do the rings of lima, whose clients tell of them since Linux 6.4. */
bool context_is_detail(const struct acct *a, const struct client *c, const struct engine *e) {
    const struct engine_name *n = engine_name_at(a, e->name);
    bool kind = n->class != CLASS_NONE && n->class != CLASS_OTHER && n->class < CLASS_COUNT;
    uint32_t told = device_at(a, c->device)->told_classes;
    if (c->space == SPACE_PID)
        return n->told_by_clients;
    return c->context != NONE && (n->told_by_clients || (kind && (told >> n->class & 1)));
}

void context_add_work(struct acct *a, const struct client *c, const struct total *more) {
    struct context *x = context_at(a, c->context);
    if (x->now_seq != a->now.seq)
        x->now = (struct total){0};
    x->now_seq = a->now.seq;
    total_add(&x->now, more);
    total_add(&x->total, more);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Its counters come in the same order in each tick: mostly it is the one behind the last. */
static uint32_t find_counter(const struct acct *a, const struct context *x, uint16_t metric,
                             uint32_t *before) {
    uint32_t at = x->at == NONE ? NONE : counter_at(a, x->at)->link;
    *before = x->at;
    if (at != NONE && counter_at(a, at)->metric == metric)
        return at;
    *before = NONE;
    for (at = x->counters; at != NONE && counter_at(a, at)->metric < metric;
         at = counter_at(a, at)->link)
        *before = at;
    return at != NONE && counter_at(a, at)->metric == metric ? at : NONE;
}

static uint32_t counter_get(struct acct *a, uint32_t context, uint16_t metric) {
    uint32_t before;
    uint32_t at = find_counter(a, context_at(a, context), metric, &before);
    if (at == NONE) {
        at = acct_take(a, T_COUNTER);
        if (at == NONE)
            return NONE;
        uint32_t *from =
            before == NONE ? &context_at(a, context)->counters : &counter_at(a, before)->link;
        *counter_at(a, at) = (struct context_counter){.link = *from, .metric = metric};
        *from = at;
    }
    context_at(a, context)->at = at;
    return at;
}

/* No other context ends for a counter: those of many that a tick named come last. */
void context_sample(struct acct *a, uint32_t entry, uint32_t device, const struct sample *s) {
    static const char family[] = "counter.";
    if (s->index != INDEX_NONE || !span_starts(span_of(metric_info(s->metric)->name), family))
        return;
    bool full = device_at(a, device)->contexts >= CONTEXTS_MAX;
    if (full && client_find(a, device, s->space, s->client, s->pid > 0 ? s->pid : 0) == NONE)
        return;
    uint32_t client = context_get(a, entry, device, s->space, s->client, s->pid);
    uint32_t at = client == NONE ? NONE : counter_get(a, client_at(a, client)->context, s->metric);
    if (at == NONE)
        return;
    counter_at(a, at)->seq = a->now.seq;
    counter_at(a, at)->value =
        s->state == STATE_VALUE ? value_of(s->value, s->doubt) : value_none(s->state);
}
