/*
 * Memory of several rows of one device: what others can reach counts once, as in a device. Pure; bytes.
 */
#include "sums.h"

static struct memory_sum *memory_sum_for(struct adding *a, const struct snap_memory *m) {
    void *sums = a->t->memory_sums;
    struct memory_sum *list = a->t->memory_sums;
    for (uint32_t i = 0; i < a->memory_count; i++) {
        if (list[i].class == m->class && sum_same_text(a->s, list[i].region, m->region)) {
            return &list[i];
        }
    }
    enum err err =
        vec_reserve(&sums, &a->t->memory_sum_cap, a->memory_count + 1, sizeof(struct memory_sum));
    a->t->memory_sums = sums;
    if (err != ERR_OK) {
        return NULL;
    }
    struct memory_sum *new = &a->t->memory_sums[a->memory_count++];
    *new = (struct memory_sum){.region = m->region, .class = m->class};
    return new;
}

/* `v` holds `shared` bytes that others may hold too. */
static void add_part(struct shared_tally *t, struct value v, int64_t shared) {
    bool is_number = tally_state(v) == STATE_VALUE;
    int64_t part = is_number && v.v < shared ? v.v : shared;
    if (is_number) {
        v.v -= part;
        t->largest = part > t->largest ? part : t->largest;
    }
    tally_add(&t->own, v);
}

static struct value value_of_parts(const struct shared_tally *t) {
    struct tally all = t->own;
    all.sum = tally_sat(all.sum, t->largest);
    return tally_value(&all);
}

static enum err add_regions(struct adding *a, const struct snap_process *p) {
    for (uint32_t i = 0; i < p->memory.count; i++) {
        const struct snap_memory *m = &a->s->memory[p->memory.first + i];
        struct memory_sum *sum = memory_sum_for(a, m);
        if (!sum) {
            return ERR_NOMEM;
        }
        bool is_number = tally_state(m->shared) == STATE_VALUE;
        int64_t shared = is_number ? m->shared.v : 0, before = sum->shared.sum;
        add_part(&sum->resident, m->resident, shared);
        add_part(&sum->legacy, m->legacy, shared);
        tally_add(&sum->total, m->total);
        tally_add(&sum->purgeable, m->purgeable);
        tally_add(&sum->shared, m->shared);
        sum->shared.sum = before > shared ? before : shared;
    }
    return ERR_OK;
}

/* A driver that names regions has none of the class that it does not name. */
static void add_shown(struct tally *t, uint8_t *mark, struct snap_shown m) {
    if (m.bytes.state != STATE_UNSUPPORTED) {
        tally_add(t, m.bytes);
        *mark |= m.mark;
    }
}

static bool has_class(const struct adding *a, const struct snap_process *p,
                      enum region_class class) {
    return table_memory(a->s, p->memory, class).bytes.state != STATE_UNSUPPORTED;
}

/* Of a class that no region of it names what is shown of the row. */
enum err sum_add_memory(struct adding *a, const struct snap_process *p) {
    uint8_t unused = 0;
    if (!has_class(a, p, REGION_VRAM) && !tally_is_over(a, p, p->vram.bytes.state)) {
        add_shown(&a->vram, &a->vram_mark, p->vram);
    }
    if (!has_class(a, p, REGION_GTT) && !has_class(a, p, REGION_SYSTEM) &&
        !tally_is_over(a, p, p->gtt.bytes.state)) {
        add_shown(&a->gtt, &a->gtt_mark, p->gtt);
    }
    if (p->memory.count == 0 && !tally_is_over(a, p, p->shared.state)) {
        add_shown(&a->shared, &unused, (struct snap_shown){.bytes = p->shared});
    }
    return add_regions(a, p);
}

enum err sum_write_memory(struct adding *a, struct snap_process *to) {
    struct table_totals *t = a->t;
    uint32_t first = t->s.memory_count;
    void *memory = t->memory;
    uint8_t unused = 0;
    enum err e = vec_reserve(&memory, &t->memory_cap, first + a->memory_count, sizeof *t->memory);
    t->memory = memory;
    t->s.memory = t->memory;
    for (uint32_t i = 0; e == ERR_OK && i < a->memory_count; i++) {
        const struct memory_sum *from = &t->memory_sums[i];
        struct snap_memory *line = &t->memory[first + i];
        *line = (struct snap_memory){.class = from->class,
                                     .total = tally_value(&from->total),
                                     .resident = value_of_parts(&from->resident),
                                     .shared = tally_value(&from->shared),
                                     .purgeable = tally_value(&from->purgeable),
                                     .legacy = value_of_parts(&from->legacy)};
        add_shown(&a->shared, &unused, (struct snap_shown){.bytes = line->shared});
        e = pool_add(&t->s.text, snapshot_text(a->s, from->region), &line->region);
    }
    to->memory = (struct run){first, e == ERR_OK ? a->memory_count : 0};
    t->s.memory_count += to->memory.count;
    add_shown(&a->vram, &a->vram_mark, table_memory(&t->s, to->memory, REGION_VRAM));
    add_shown(&a->gtt, &a->gtt_mark, table_memory(&t->s, to->memory, REGION_GTT));
    add_shown(&a->gtt, &a->gtt_mark, table_memory(&t->s, to->memory, REGION_SYSTEM));
    to->vram = (struct snap_shown){tally_value(&a->vram), a->vram_mark};
    to->gtt = (struct snap_shown){tally_value(&a->gtt), a->gtt_mark};
    to->shared = tally_value(&a->shared);
    return e;
}
