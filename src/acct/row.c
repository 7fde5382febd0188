/*
 * Rows: a process on a device. A row outlives what its process did there, with its totals, for as
 * long as the options say: over the whole span for good. Pure.
 */
#include "work.h"

#define KEEP_NS INT64_C(60000000000)

int64_t keep_time_ns(const struct acct *a) {
    return a->options.exited_keep_ns > 0 ? a->options.exited_keep_ns : KEEP_NS;
}

static struct map_key key_of(uint32_t process, uint32_t device) {
    return (struct map_key){process, device};
}

uint32_t row_get(struct acct *a, uint32_t process, uint32_t device) {
    struct map_key k = key_of(process, device);
    uint32_t index = map_get(&a->maps[M_ROW], k);
    if (index != MAP_NONE)
        return index;
    index = acct_take(a, T_ROW);
    if (index == NONE)
        return NONE;
    if (!acct_put(a, M_ROW, k, index)) {
        table_give(&a->tables[T_ROW], index);
        return NONE;
    }
    *row_at(a, index) =
        (struct row){.process = process, .device = device, .engines = NONE, .used = true};
    process_at(a, process)->rows++;
    a->now.rows_changed = true;
    return index;
}

static void row_free(struct acct *a, uint32_t row) {
    struct row r = *row_at(a, row);
    for (uint32_t e = r.engines, next; e != NONE; e = next) {
        next = row_engine_at(a, e)->link;
        table_give(&a->tables[T_ROW_ENGINE], e);
    }
    (void)map_remove(&a->maps[M_ROW], key_of(r.process, r.device));
    table_give(&a->tables[T_ROW], row);
    process_at(a, r.process)->rows--;
    process_release(a, r.process);
    a->now.rows_changed = true;
}

uint32_t row_engine_get(struct acct *a, uint32_t row, uint32_t name) {
    const struct engine_name *n = engine_name_at(a, name);
    uint32_t before = NONE;
    uint32_t at = row_at(a, row)->engines;
    for (; at != NONE; before = at, at = row_engine_at(a, at)->link) {
        if (row_engine_at(a, at)->name == name)
            return at;
        const struct engine_name *o = engine_name_at(a, row_engine_at(a, at)->name);
        if (name_order(o->class, name_get(a, o->name), n->class, name_get(a, n->name)) > 0)
            break;
    }
    uint32_t added = acct_take(a, T_ROW_ENGINE);
    if (added == NONE)
        return NONE;
    *row_engine_at(a, added) = (struct row_engine){.link = at, .name = name};
    *(before == NONE ? &row_at(a, row)->engines : &row_engine_at(a, before)->link) = added;
    return added;
}

/* A process that lives on without the device leaves a row only if it did something there. */
static bool worth_keeping(const struct acct *a, const struct row *r) {
    bool busy = false;
    for (uint32_t e = r->engines; e != NONE && !busy; e = row_engine_at(a, e)->link)
        busy = row_engine_at(a, e)->total.busy_ns > 0;
    return busy || process_at(a, r->process)->exited;
}

void rows_sweep(struct acct *a) {
    int64_t keep_ns = keep_time_ns(a);
    for (uint32_t i = 0; i < a->tables[T_ROW].n; i++) {
        struct row *r = row_at(a, i);
        if (!r->used)
            continue;
        if (r->owned > 0 || r->unnamed > 0) {
            r->gone = false;
            continue;
        }
        const struct process *p = process_at(a, r->process);
        if (!r->gone)
            r->gone_ns = p->exited ? p->exited_ns : a->now.begin_ns;
        r->gone = true;
        /* Of a process that only jobs name it is not known that it ended. */
        bool over = !r->jobs || p->exited;
        bool old =
            over && !a->options.whole_span && span_ns(r->gone_ns, a->now.begin_ns) >= keep_ns;
        if (old || !worth_keeping(a, r))
            row_free(a, i);
    }
}
