/*
 * The processes of a snapshot, one per row, each with its clients. Pure.
 */
#include "build.h"

/* So long no engine worked for a process before it counts as one that only holds its device. */
#define IDLE_NS INT64_C(5000000000)

/* The clients of the row; *next is where they start in the order of clients. */
static struct run write_clients(struct build *b, uint32_t *next) {
    struct run run = {b->s->client_count, 0};
    for (; *next < b->a->tables[T_CLIENT_ORDER].n; (*next)++) {
        const struct client *c = client_at(b->a, order_at(b->a, T_CLIENT_ORDER, *next)->index);
        if (c->owner != b->row.index || c->context != NONE)
            break;
        struct snap_client *out = &b->clients[b->s->client_count++];
        out->id = c->id;
        out->space = c->space;
        out->process = b->s->process_count;
        out->holders = c->holder_count;
        out->name = c->name;
        out->engines = build_client_engines(b, c);
        out->memory = build_client_memory(b, c);
        run.count++;
    }
    return run;
}

/* What jobs without a process did: a row of its device, not of a process. */
static void write_stray(struct build *b, uint32_t index, struct row *r, uint32_t *next) {
    struct device *d = device_at(b->a, r->device);
    uint32_t clients = b->s->client_count;
    struct snap_process as = {.client_run = write_clients(b, next)};
    as.contexts = build_contexts(b, next, UINT32_MAX);
    build_row_engines(b, r, &as);
    b->s->client_count = clients;
    d->stray_row = index;
    d->stray = (struct snap_unattributed){
        .power = as.power, .engines = as.engines, .busy_ppm = as.busy_ppm, .busy_ns = as.busy_ns,
        .contexts = as.contexts};
}

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
    out->uid = p->uid;
    out->container = p->container;
    out->nspid = p->nspid;
    out->by_thread = p->by_thread && p->start == 0 && p->subjects == 0;
    out->exited = p->exited;
    out->exited_ns = p->exited_ns;
    out->cpu_ppm = process_cpu_ppm(b->a, p);
    out->rss = p->rss;
}

/* ---- who only holds the device --------------------------------------------------------------- */

/* Engine time that is not told for a while is told with the next reading: that it stood still until
 * now is only said when it is known. */
static bool is_idle(struct build *b, struct row *r, uint32_t contexts) {
    const struct row_state *now = &b->row;
    struct device *d = device_at(b->a, r->device);
    int64_t t_ns = b->a->now.begin_ns;
    d->used = d->used || now->grew;
    if (r->owned == contexts)
        r->still = false;
    else if (now->grew || now->fresh || !r->still) {
        r->still = now->grew || now->fresh || !now->unsure;
        r->still_ns = t_ns;
    }
    bool idle = r->still && !now->unsure && !process_at(b->a, r->process)->exited &&
                r->unnamed == 0 && d->state == DEVICE_ACTIVE &&
                span_ns(r->still_ns, t_ns) >= IDLE_NS;
    d->kept_awake += idle;
    return idle;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* `next`: where its clients start in their order. */
static struct row_state start_row(const struct acct *a, uint32_t index, uint32_t next) {
    const struct row *r = row_at(a, index);
    const struct client *one =
        r->owned == 1 ? client_at(a, order_at(a, T_CLIENT_ORDER, next)->index) : NULL;
    bool alone = one && one->context == NONE;
    bool moved = !alone || one->moved;
    unsigned unnamed = r->unnamed_denied > 0 ? STATE_BIT(STATE_DENIED) : 0;
    if (r->unnamed > r->unnamed_denied)
        unnamed |= STATE_BIT(STATE_UNKNOWN);
    return (struct row_state){.index = index,
                              .first = next,
                              .alone = alone,
                              .same_engines = !moved && r->engines == NONE,
                              .engine_bits = unnamed,
                              .no_memory = unnamed,
                              .priceable = device_is_priceable(device_at(a, r->device)),
                              .busiest = value_of(-1, 0)};
}

void build_rows(struct build *b) {
    uint32_t next = 0;
    build_engines_start(b);
    build_memory_start(b);
    for (uint32_t i = 0; i < b->a->tables[T_DEVICE].n; i++) {
        struct device *d = device_at(b->a, i);
        d->silent_clients = d->kept_awake = 0;
        d->used = false;
        d->stray_row = NONE;
    }
    for (uint32_t i = 0; i < b->a->tables[T_ROW_ORDER].n; i++) {
        uint32_t index = order_at(b->a, T_ROW_ORDER, i)->index;
        struct row *r = row_at(b->a, index);
        struct snap_process *out = &b->processes[b->s->process_count];
        b->row = start_row(b->a, index, next);
        if (process_at(b->a, r->process)->stray) {
            write_stray(b, index, r, &next);
            continue;
        }
        write_process(b, r, out);
        out->client_run = write_clients(b, &next);
        out->clients = out->client_run.count;
        out->contexts = build_contexts(b, &next, b->s->process_count);
        build_row_engines(b, r, out);
        build_row_memory(b, r, out);
        out->idle_holder = is_idle(b, r, out->contexts.count);
        b->s->process_count++;
    }
}
