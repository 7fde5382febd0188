/*
 * Memory of clients, of the processes that own these and of devices. Sources of two kinds (DRM
 * clients; KFD and others that name processes) speak of the same memory of a process: of each
 * region class the larger counts, not the sum. What a device says is in use cuts what its processes
 * add up to. Pure.
 */
#include "build.h"

enum { GROUPS = 2 };

/* Clients of one group add up. */
static unsigned group_of(uint8_t space) {
    return space == SPACE_DRM || space == SPACE_HOLDER ? 0 : 1;
}

void build_memory_start(struct build *b) {
    for (uint32_t i = 0; i < b->a->tables[T_REGION_NAME].n; i++) {
        region_name_at(b->a, i)->row = NONE;
        region_name_at(b->a, i)->device = (struct region_sum){0};
    }
}

/* ---- clients --------------------------------------------------------------------------------- */

/* A region of which a row has one client needs no sums. */
static void add_to_row(const struct build *b, unsigned group, struct region_name *n,
                       uint32_t line) {
    if (n->row != b->row.index) {
        n->row = b->row.index;
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

struct run build_client_memory(struct build *b, const struct client *c) {
    struct run run = {b->s->memory_count, 0};
    unsigned group = group_of(c->space);
    if (c->regions == NONE)
        b->row.no_memory |= STATE_BIT(client_unread(b->a, c));
    else
        b->row.memory_from |= 1u << group;
    for (uint32_t i = c->regions; i != NONE; i = region_at(b->a, i)->link) {
        const struct region *r = region_at(b->a, i);
        struct region_name *n = region_name_at(b->a, r->name);
        uint32_t line = b->s->memory_count++;
        region_write(b->a, c, r, &b->memory[line]);
        if (b->row.alone)
            region_sum_add(&n->device, &b->memory[line], true);
        else
            add_to_row(b, group, n, line);
        run.count++;
    }
    return run;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* What a group tells of a region class. */
struct class_sum {
    int64_t resident;
    int64_t total;
    bool has_resident;
    bool has_total;
};

static void class_add(struct class_sum *sum, const struct snap_memory *m) {
    if (m->resident.state == STATE_VALUE) {
        sum->resident = add_sat(sum->resident, m->resident.v);
        sum->has_resident = true;
    }
    if (m->total.state == STATE_VALUE) {
        sum->total = add_sat(sum->total, m->total.v);
        sum->has_total = true;
    }
}

static bool is_larger(const struct class_sum *x, const struct class_sum *y) {
    if (x->has_resident || y->has_resident)
        return x->has_resident && (!y->has_resident || x->resident > y->resident);
    return x->has_total && (!y->has_total || x->total > y->total);
}

/* What the clients of one group have of the region; false if none has it. */
static bool group_line(const struct build *b, const struct region_name *n, unsigned group,
                       struct snap_memory *out) {
    if (n->clients[group] == 0)
        return false;
    if (n->clients[0] + n->clients[1] == 1)
        *out = b->memory[n->first];
    else
        region_sum_write(&n->sums[group], out);
    return true;
}

/* Which group counts, for each class: the first, unless the second has more. */
static void choose_groups(const struct build *b, uint32_t first_name,
                          uint8_t chosen[REGION_COUNT]) {
    struct class_sum sums[GROUPS][REGION_COUNT] = {0};
    for (uint32_t i = first_name; i != NONE; i = region_name_at(b->a, i)->link) {
        const struct region_name *n = region_name_at(b->a, i);
        struct snap_memory line;
        for (unsigned g = 0; n->row == b->row.index && g < GROUPS; g++)
            if (n->class < REGION_COUNT && group_line(b, n, g, &line))
                class_add(&sums[g][n->class], &line);
    }
    for (unsigned c = 0; c < REGION_COUNT; c++)
        chosen[c] = is_larger(&sums[1][c], &sums[0][c]);
}

static void write_region(struct build *b, struct region_name *n, unsigned group) {
    struct snap_memory *out = &b->memory[b->s->memory_count];
    if (!group_line(b, n, group, out))
        return;
    b->s->memory_count++;
    out->region = n->name;
    out->class = n->class;
    if (n->clients[0] + n->clients[1] == 1)
        region_sum_add(&n->device, out, true);
    else
        region_sum_fold(&n->device, &n->sums[group]);
}

/* The lines of a row with one client are those of the client. */
static struct run row_lines(struct build *b, const struct row *r, const struct snap_process *out) {
    if (b->row.alone)
        return b->clients[out->client_run.first].memory;
    uint32_t first_name = device_at(b->a, r->device)->regions;
    uint8_t chosen[REGION_COUNT] = {0};
    bool both = b->row.memory_from == (1u << GROUPS) - 1;
    struct run run = {b->s->memory_count, 0};
    if (both)
        choose_groups(b, first_name, chosen);
    for (uint32_t i = out->client_run.count ? first_name : NONE; i != NONE;
         i = region_name_at(b->a, i)->link) {
        struct region_name *n = region_name_at(b->a, i);
        if (n->row != b->row.index)
            continue;
        bool known = both && n->class < REGION_COUNT;
        write_region(b, n, known ? chosen[n->class] : n->clients[0] ? 0 : 1);
    }
    run.count = b->s->memory_count - run.first;
    return run;
}

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

void build_row_memory(struct build *b, const struct row *r, struct snap_process *out) {
    struct shown vram = {0}, gtt = {0}, shared = {0};
    unsigned unread = b->row.no_memory;
    out->memory = row_lines(b, r, out);
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

/* ---- devices --------------------------------------------------------------------------------- */

/* What the device itself says is in use; a state where it says nothing. */
static struct value in_use(const struct build *b, uint32_t device, unsigned class) {
    static const uint16_t metrics[REGION_COUNT] = {
        [REGION_VRAM] = METRIC_MEMORY_VRAM_USED,
        [REGION_GTT] = METRIC_MEMORY_GTT_USED,
        [REGION_SYSTEM] = METRIC_MEMORY_SYSTEM_USED,
    };
    uint32_t found = NONE;
    if (metrics[class] && device_is_awake(device_at(b->a, device)))
        found = metric_find(b->a, device, (enum metric)metrics[class]);
    if (found == NONE)
        return value_none(STATE_UNSUPPORTED);
    return metric_told(b->a, metric_at(b->a, found)).value;
}

static void cut(struct value *v, int64_t most) {
    if (v->state != STATE_VALUE || v->v <= most)
        return;
    v->v = most;
    v->doubt |= DOUBT_CLAMPED;
}

/* Cuts the regions of a class, one after another, at what is in use of all of them. */
static void cut_class(struct build *b, struct run run, unsigned class, int64_t left) {
    left = left > 0 ? left : 0;
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        struct snap_memory *m = &b->memory[i];
        if (m->class != class)
            continue;
        cut(&m->resident, left);
        cut(&m->legacy, left);
        left -= m->resident.state == STATE_VALUE ? m->resident.v : 0;
    }
}

void build_device_memory(struct build *b, uint32_t device, struct snap_device *out) {
    out->memory = (struct run){b->s->memory_count, 0};
    for (uint32_t i = device_at(b->a, device)->regions; i != NONE;
         i = region_name_at(b->a, i)->link) {
        struct region_name *n = region_name_at(b->a, i);
        /* Where nobody holds any the sum is 0 of what the driver would tell. */
        for (unsigned field = 0; field < R_FIELDS; field++)
            if (n->device.states[field] == 0)
                n->device.states[field] = (uint8_t)STATE_BIT(
                    (n->reported & (1u << field)) ? STATE_VALUE : STATE_UNSUPPORTED);
        struct snap_memory *to = &b->memory[b->s->memory_count++];
        region_sum_write(&n->device, to);
        to->region = n->name;
        to->class = n->class;
        out->memory.count++;
    }
    for (unsigned c = 0; out->memory.count > 0 && c < REGION_COUNT; c++) {
        struct value used = in_use(b, device, c);
        if (used.state == STATE_VALUE)
            cut_class(b, out->memory, c, used.v);
    }
}
