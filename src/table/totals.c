/*
 * Which rows make a sum together: those of one group on one device. Pure; grows only at new highs.
 */
#include "shape.h"

#include <stdlib.h>

void table_totals_finish(struct table_totals *t) {
    if (t) {
        pool_finish(&t->s.text);
        free(t->processes);
        free(t->engines);
        free(t->memory);
        row_list_finish(&t->order);
        map_finish(&t->names);
        free(t->of);
        free(t->starts);
        free(t->engine_sums);
        free(t->memory_sums);
        buf_finish(&t->text);
        *t = (struct table_totals){0};
    }
}

static struct span name_of(const struct snapshot *s, const struct snap_process *p,
                           enum table_group by) {
    return by == TABLE_GROUP_USER        ? snapshot_text(s, p->user)
           : by == TABLE_GROUP_CONTAINER ? snapshot_text(s, p->container)
                                         : (struct span){"", 0};
}

/* The sum that the process belongs to, made where it is the first; SHAPE_NONE without memory. */
static uint32_t sum_for(struct table_totals *t, const struct snapshot *s,
                        const struct snap_process *p, enum table_group by) {
    struct span name = name_of(s, p, by);
    struct map_key key = {span_hash(name), p->device};
    uint32_t at;
    for (; (at = map_get(&t->names, key)) != MAP_NONE; key.hi++) {
        const struct snap_process *found = &t->processes[at];
        if (found->device == p->device && span_same(snapshot_text(&t->s, found->name), name)) {
            return at;
        }
    }
    at = t->s.process_count;
    t->processes[at] =
        (struct snap_process){.device = p->device, .start_ns = {.state = STATE_UNSUPPORTED}};
    if (pool_add(&t->s.text, name, &t->processes[at].name) != ERR_OK ||
        map_put(&t->names, key, at) != ERR_OK) {
        return SHAPE_NONE;
    }
    t->s.process_count++;
    return at;
}

/* ---- words ----------------------------------------------------------------------------------- */

static enum err name_sum(struct table_totals *t, enum table_group by, uint32_t count,
                         struct snap_process *to) {
    struct buf *b = &t->text;
    buf_clear(b);
    if (by == TABLE_GROUP_NONE) {
        buf_text(b, "(all of device ");
        buf_u64(b, to->device);
        buf_char(b, ')');
    } else if (to->name.len == 0) {
        buf_text(b, by == TABLE_GROUP_USER ? "(unknown user)" : "(no container)");
    } else {
        buf_span(b, snapshot_text(&t->s, to->name));
    }
    size_t name = b->n;
    buf_text(b, ": ");
    buf_u64(b, count);
    buf_text(b, count == 1 ? " process" : " processes");
    enum err e = b->failed ? ERR_NOMEM : pool_add(&t->s.text, buf_span_of(b), &to->command);
    to->name = (struct text_ref){to->command.at, e == ERR_OK ? (uint32_t)name : 0};
    return e;
}

/* What all of them have, else nothing. */
static enum err put_common(struct table_totals *t, const struct members *m, enum table_group by,
                           struct text_ref *out) {
    struct span common = {"", 0};
    for (uint32_t i = 0; i < m->count; i++) {
        struct span name = name_of(m->s, &m->s->processes[m->rows[m->places[i]].index], by);
        if (i > 0 && !span_same(name, common)) {
            return ERR_OK;
        }
        common = name;
    }
    return pool_add(&t->s.text, common, out);
}

static enum err write_sum(struct table_totals *t, const struct members *m, enum table_group by,
                          struct snap_process *to) {
    enum err e = name_sum(t, by, m->count, to);
    e = e == ERR_OK ? put_common(t, m, TABLE_GROUP_USER, &to->user) : e;
    e = e == ERR_OK ? put_common(t, m, TABLE_GROUP_CONTAINER, &to->container) : e;
    to->uid = m->s->processes[m->rows[m->places[0]].index].uid;
    to->uid.state = (uint8_t)(to->user.len > 0 ? to->uid.state : (unsigned)STATE_UNSUPPORTED);
    return e == ERR_OK ? sums_write(t, m, to) : e;
}

/* ---------------------------------------------------------------------------------------------- */

static bool reserve(struct table_totals *t, const struct snapshot *s, uint32_t count) {
    void *of = t->of;
    void *starts = t->starts;
    void *processes = t->processes;
    bool enough = count <= UINT32_MAX / 2 - 1 &&
                  vec_reserve(&of, &t->of_cap, s->process_count, sizeof *t->of) == ERR_OK;
    t->of = of;
    enough =
        enough && vec_reserve(&starts, &t->start_cap, 2 * count + 1, sizeof *t->starts) == ERR_OK;
    t->starts = starts;
    enough =
        enough && vec_reserve(&processes, &t->process_cap, count, sizeof *t->processes) == ERR_OK;
    t->processes = processes;
    return enough;
}

static bool find_sums(struct table_totals *t, const struct snapshot *s, const struct row_list *l,
                      uint32_t count, enum table_group by) {
    for (uint32_t i = 0; i < s->process_count; i++) {
        t->of[i] = SHAPE_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = l->rows[i].index;
        t->of[index] = sum_for(t, s, &s->processes[index], by);
        if (t->of[index] == SHAPE_NONE) {
            return false;
        }
    }
    return true;
}

/* The places of the rows of each sum, one sum after the other, from t->starts + count + 1 on; starts[i] is where
 * those of sum i begin. */
static uint32_t *find_members(struct table_totals *t, const struct row_list *l, uint32_t count) {
    uint32_t *starts = t->starts, *members = t->starts + count + 1;
    memset(starts, 0, (count + 1) * sizeof *starts);
    for (uint32_t i = 0; i < count; i++) {
        starts[t->of[l->rows[i].index] + 1]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        starts[i + 1] += starts[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        members[starts[t->of[l->rows[i].index]]++] = i;
    }
    memmove(starts + 1, starts, count * sizeof *starts);
    starts[0] = 0;
    return members;
}

static void start(struct table_totals *t, const struct snapshot *s) {
    struct text_pool text = t->s.text;
    pool_clear(&text);
    map_clear(&t->names);
    t->s = (struct snapshot){.tick = s->tick,
                             .t_ns = s->t_ns,
                             .real_ns = s->real_ns,
                             .interval_ns = s->interval_ns,
                             .text = text};
}

enum err totals_sum(struct table_totals *t, const struct snapshot *s, const struct row_list *l,
                    uint32_t count, enum table_group by) {
    start(t, s);
    bool enough = reserve(t, s, count) && find_sums(t, s, l, count, by);
    const uint32_t *members = enough ? find_members(t, l, count) : NULL;
    t->s.processes = t->processes;
    for (uint32_t i = 0; enough && i < t->s.process_count; i++) {
        struct members m = {s, l->rows, members + t->starts[i], t->starts[i + 1] - t->starts[i]};
        enough = write_sum(t, &m, by, &t->processes[i]) == ERR_OK;
    }
    t->s.process_count = enough ? t->s.process_count : 0;
    return enough ? ERR_OK : ERR_NOMEM;
}
