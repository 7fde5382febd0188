/*
 * The orders in which a snapshot lists devices, processes, clients and metrics: sorted anew only
 * when something came, went or moved. Pure but for the allocator.
 */
#include "work.h"

/* Empties the order and makes room for all elements of `of`. */
static bool start(struct acct *a, enum table_id order, enum table_id of) {
    struct table *t = &a->tables[order];
    table_clear(t);
    return vec_reserve(&t->v, &t->cap, a->tables[of].n, t->size) == ERR_OK;
}

static void add(struct acct *a, enum table_id order, uint64_t k_a, uint64_t k_b, uint32_t k_c,
                uint32_t index) {
    *order_at(a, order, a->tables[order].n++) = (struct sort_item){k_a, k_b, k_c, index};
}

static void sort(struct acct *a, enum table_id order) {
    sort_items(a->tables[order].v, a->tables[order].n);
}

static bool order_devices(struct acct *a) {
    if (!start(a, T_DEVICE_ORDER, T_DEVICE))
        return false;
    for (uint32_t i = 0; i < a->tables[T_DEVICE].n; i++)
        add(a, T_DEVICE_ORDER, device_at(a, i)->number, i, 0, i);
    sort(a, T_DEVICE_ORDER);
    for (uint32_t i = 0; i < a->tables[T_DEVICE_ORDER].n; i++)
        device_at(a, order_at(a, T_DEVICE_ORDER, i)->index)->rank = i;
    a->now.devices_changed = false;
    a->now.rows_changed = true;
    a->now.metrics_changed = true;
    return true;
}

static bool order_rows(struct acct *a) {
    if (!start(a, T_ROW_ORDER, T_ROW))
        return false;
    for (uint32_t i = 0; i < a->tables[T_ROW].n; i++) {
        const struct row *r = row_at(a, i);
        if (!r->used)
            continue;
        const struct process *p = process_at(a, r->process);
        uint64_t pid = (uint64_t)((int64_t)p->pid - INT32_MIN);
        add(a, T_ROW_ORDER, pid, p->start, device_at(a, r->device)->rank, i);
    }
    sort(a, T_ROW_ORDER);
    for (uint32_t i = 0; i < a->tables[T_ROW_ORDER].n; i++)
        row_at(a, order_at(a, T_ROW_ORDER, i)->index)->rank = i;
    a->now.rows_changed = false;
    a->now.clients_changed = true;
    return true;
}

/* By owner, so that the clients of a process are one run, its contexts behind them another. */
static bool order_clients(struct acct *a) {
    if (!start(a, T_CLIENT_ORDER, T_CLIENT))
        return false;
    for (uint32_t i = 0; i < a->tables[T_CLIENT].n; i++) {
        const struct client *c = client_at(a, i);
        if (!c->used || c->owner == NONE)
            continue;
        uint64_t owner = (uint64_t)row_at(a, c->owner)->rank << 8;
        if (c->context == NONE)
            add(a, T_CLIENT_ORDER, owner | c->space, c->id, i, i);
        else
            add(a, T_CLIENT_ORDER, owner | UINT8_MAX, c->id << 32 | c->id >> 32, c->space, i);
    }
    sort(a, T_CLIENT_ORDER);
    a->now.clients_changed = false;
    return true;
}

static bool order_metrics(struct acct *a) {
    if (!start(a, T_METRIC_ORDER, T_METRIC))
        return false;
    for (uint32_t i = 0; i < a->tables[T_METRIC].n; i++) {
        const struct metric_entry *m = metric_at(a, i);
        uint64_t k =
            (uint64_t)device_at(a, m->device)->rank << 32 | (uint64_t)m->metric << 16 | m->index;
        add(a, T_METRIC_ORDER, k, i, 0, i);
    }
    sort(a, T_METRIC_ORDER);
    for (uint32_t i = 0; i < a->tables[T_DEVICE].n; i++)
        device_at(a, i)->metric_count = 0;
    for (uint32_t i = 0; i < a->tables[T_METRIC_ORDER].n; i++) {
        struct device *d =
            device_at(a, metric_at(a, order_at(a, T_METRIC_ORDER, i)->index)->device);
        d->metric_first = d->metric_count == 0 ? i : d->metric_first;
        d->metric_count++;
    }
    a->now.metrics_changed = false;
    return true;
}

bool orders_update(struct acct *a) {
    return (!a->now.devices_changed || order_devices(a)) &&
           (!a->now.rows_changed || order_rows(a)) &&
           (!a->now.clients_changed || order_clients(a)) &&
           (!a->now.metrics_changed || order_metrics(a));
}
