/*
 * The end of a tick: what was noted down is settled, then the snapshot is laid out in the next of
 * three blocks, whose memory grows at new highs only. Pure but for the allocator.
 */
#include <stdlib.h>
#include <string.h>

#include "build.h"

static const size_t element_sizes[BLOCK_ARRAYS] = {
    [B_DEVICES] = sizeof(struct snap_device),
    [B_PROCESSES] = sizeof(struct snap_process),
    [B_UNATTRIBUTED] = sizeof(struct snap_unattributed),
    [B_CLIENTS] = sizeof(struct snap_client),
    [B_ENGINES] = sizeof(struct snap_engine),
    [B_MEMORY] = sizeof(struct snap_memory),
    [B_METRICS] = sizeof(struct snap_metric),
    [B_CONTEXTS] = sizeof(struct snap_context),
};

/* ---- blocks ---------------------------------------------------------------------------------- */

static void point_at_arrays(struct block *b) {
    b->s.devices = b->arrays[B_DEVICES];
    b->s.processes = b->arrays[B_PROCESSES];
    b->s.unattributed = b->arrays[B_UNATTRIBUTED];
    b->s.clients = b->arrays[B_CLIENTS];
    b->s.engines = b->arrays[B_ENGINES];
    b->s.memory = b->arrays[B_MEMORY];
    b->s.metrics = b->arrays[B_METRICS];
    b->s.contexts = b->arrays[B_CONTEXTS];
}

/* Room for this many elements in each array. */
static bool reserve(struct block *b, const uint32_t counts[BLOCK_ARRAYS]) {
    for (unsigned i = 0; i < BLOCK_ARRAYS; i++)
        if (vec_reserve(&b->arrays[i], &b->caps[i], counts[i], element_sizes[i]) != ERR_OK)
            return false;
    return true;
}

void block_finish(struct block *b) {
    for (unsigned i = 0; i < BLOCK_ARRAYS; i++)
        free(b->arrays[i]);
    pool_finish(&b->s.text);
    *b = (struct block){0};
}

enum err block_copy(struct block *to, const struct block *from) {
    const uint32_t counts[BLOCK_ARRAYS] = {
        [B_DEVICES] = from->s.device_count,
        [B_PROCESSES] = from->s.process_count,
        [B_UNATTRIBUTED] = from->s.unattributed_count,
        [B_CLIENTS] = from->s.client_count,
        [B_ENGINES] = from->s.engine_count,
        [B_MEMORY] = from->s.memory_count,
        [B_METRICS] = from->s.metric_count,
        [B_CONTEXTS] = from->s.context_count,
    };
    if (!reserve(to, counts) || pool_copy(&to->s.text, &from->s.text) != ERR_OK)
        return ERR_NOMEM;
    for (unsigned i = 0; i < BLOCK_ARRAYS; i++)
        if (counts[i] > 0)
            memcpy(to->arrays[i], from->arrays[i], counts[i] * element_sizes[i]);
    struct text_pool text = to->s.text;
    to->s = from->s;
    to->s.text = text;
    point_at_arrays(to);
    return ERR_OK;
}

/* The names that a block holds already stay; only those that came since are added. */
static bool copy_text(struct acct *a, struct block *b) {
    struct text_pool *text = &b->s.text;
    const struct text_pool *names = &a->names.pool;
    if (b->generation != a->names.generation || text->n > names->n)
        text->n = 0;
    b->generation = 0;
    void *p = text->p;
    enum err e = vec_reserve(&p, &text->cap, names->n, 1);
    text->p = p;
    if (e != ERR_OK)
        return false;
    if (names->n > text->n)
        memcpy(text->p + text->n, names->p + text->n, names->n - text->n);
    text->n = names->n;
    b->generation = a->names.generation;
    return true;
}

/* ---- the tick -------------------------------------------------------------------------------- */

/* Where there was no memory for the list of those to be settled, all are asked. */
static uint32_t listed(const struct acct *a, uint32_t i) {
    return a->now.unlisted ? i : *((const uint32_t *)a->tables[T_DIRTY].v + i);
}

/* Contexts and jobs of processes come last: whether their work counts is known once all texts were worked out. */
static void settle_clients(struct acct *a, bool last) {
    uint32_t n = a->tables[a->now.unlisted ? T_CLIENT : T_DIRTY].n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t client = listed(a, i);
        const struct client *c = client_at(a, client);
        if ((c->context != NONE || c->space == SPACE_PID) == last)
            client_settle(a, client);
    }
}

static void settle(struct acct *a) {
    a->job_number++;
    rates_look(a);
    holders_forget_stale(a);
    settle_clients(a, false);
    settle_clients(a, true);
    table_clear(&a->tables[T_DIRTY]);
    a->now.unlisted = false;
    rows_sweep(a);
    names_compact(a);
}

static struct value interval(const struct acct *a) {
    int64_t from = a->options.whole_span ? a->now.first_ns : a->now.previous_ns;
    int64_t t = a->now.has_previous ? span_ns(from, a->now.begin_ns) : 0;
    return t > 0 ? value_of(t, 0) : value_none(STATE_UNKNOWN);
}

static void write_head(const struct acct *a, struct snapshot *s) {
    struct text_pool text = s->text;
    *s = (struct snapshot){.tick = a->now.seq,
                           .t_ns = a->now.begin_ns,
                           .real_ns = a->now.real_ns,
                           .interval_ns = interval(a),
                           .text = text,
                           .unreadable = a->now.unreadable,
                           .devices_denied = a->now.devices_denied,
                           .cost_cpu_ns = a->now.cost_cpu_ns,
                           .cost_syscalls = a->now.cost_syscalls,
                           .counters_asked = a->now.counters_asked};
    memcpy(s->unreadable_reasons, a->now.unreadable_reasons, sizeof(s->unreadable_reasons));
}

static uint32_t add(uint32_t x, uint32_t y) {
    return x > UINT32_MAX - y ? UINT32_MAX : x + y;
}

/* As many as there can be: a row names no engine or region that none of its clients named. */
static bool make_room(const struct acct *a, struct block *b) {
    const struct table *t = a->tables;
    const uint32_t counts[BLOCK_ARRAYS] = {
        [B_DEVICES] = t[T_DEVICE_ORDER].n,
        [B_PROCESSES] = t[T_ROW_ORDER].n,
        [B_UNATTRIBUTED] = add(t[T_DEVICE_ORDER].n, add(t[T_DEVICE_ORDER].n, t[T_DEVICE_ORDER].n)),
        [B_CLIENTS] = t[T_CLIENT_ORDER].n,
        [B_ENGINES] =
            add(add(t[T_ENGINE].n, t[T_ENGINE].n), add(t[T_ROW_ENGINE].n, t[T_ENGINE_NAME].n)),
        [B_MEMORY] = add(t[T_REGION].n, add(t[T_REGION].n, t[T_REGION_NAME].n)),
        [B_METRICS] = add(t[T_METRIC_ORDER].n, t[T_COUNTER].n),
        [B_CONTEXTS] = t[T_CONTEXT].n,
    };
    return reserve(b, counts);
}

/* On lack of memory the snapshot before stays the newest. */
void acct_build(struct acct *a) {
    uint32_t next = a->newest == NONE ? 0 : (a->newest + 1) % BLOCKS;
    struct block *block = &a->blocks[next];
    settle(a);
    if (!orders_update(a)) {
        a->failed = true;
        return;
    }
    if (!make_room(a, block) || !copy_text(a, block)) {
        a->failed = true;
        return;
    }
    write_head(a, &block->s);
    point_at_arrays(block);
    struct build b = {.a = a,
                      .s = &block->s,
                      .devices = block->arrays[B_DEVICES],
                      .processes = block->arrays[B_PROCESSES],
                      .unattributed = block->arrays[B_UNATTRIBUTED],
                      .clients = block->arrays[B_CLIENTS],
                      .engines = block->arrays[B_ENGINES],
                      .memory = block->arrays[B_MEMORY],
                      .metrics = block->arrays[B_METRICS],
                      .contexts = block->arrays[B_CONTEXTS]};
    build_rows(&b);
    build_devices(&b);
    build_power(&b);
    a->newest = next;
}
