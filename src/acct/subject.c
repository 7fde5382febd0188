/*
 * Subjects: what open and close frames say, and to whom the ids in samples and labels belong. Pure.
 */
#include "work.h"

static struct map_key key_of(uint32_t id) {
    return (struct map_key){0, id};
}

static void fill_process(struct acct *a, uint32_t index, const struct subject *s) {
    uint32_t process = process_get(a, s->pid, s->start);
    subject_at(a, index)->process = process;
    if (process == NONE)
        return;
    struct process *p = process_at(a, process);
    p->subjects++;
    p->exited = false;
    if (s->type == SUBJECT_PROCESS)
        p->clk_tck = facts_u64(s->facts, "clk_tck", p->clk_tck);
}

static uint32_t create(struct acct *a, const struct subject *s) {
    uint32_t index = acct_take(a, T_SUBJECT);
    if (index == NONE)
        return NONE;
    if (!acct_put(a, M_SUBJECT, key_of(s->id), index)) {
        table_give(&a->tables[T_SUBJECT], index);
        return NONE;
    }
    *subject_at(a, index) = (struct subject_entry){.id = s->id,
                                                   .device_id = s->device,
                                                   .device = NONE,
                                                   .guess = NONE,
                                                   .node = NONE,
                                                   .process = NONE,
                                                   .holders = NONE,
                                                   .pid = s->pid,
                                                   .backend = s->backend,
                                                   .type = s->type,
                                                   .start = s->start};
    if (s->type == SUBJECT_DEVICE) {
        uint32_t device = device_open(a, s);
        subject_at(a, index)->device = device;
        subject_at(a, index)->device_id = s->id;
    } else {
        subject_at(a, index)->device = subject_device(a, NONE, s->device);
    }
    uint32_t device = subject_at(a, index)->device;
    if (s->type == SUBJECT_STREAM && device != NONE && facts_get(s->facts, "apu").n > 0)
        device_at(a, device)->own_board = facts_u64(s->facts, "apu", 1) == 0;
    if (s->type == SUBJECT_PROCESS || s->type == SUBJECT_HOLDER)
        fill_process(a, index, s);
    if (s->type == SUBJECT_HOLDER && subject_at(a, index)->device == NONE)
        subject_at(a, index)->node = word_get(a, facts_get(s->facts, "node"));
    if (s->type == SUBJECT_HOLDER && subject_at(a, index)->process != NONE)
        (void)holder_open(a, index, subject_at(a, index)->process, subject_at(a, index)->device);
    return index;
}

static void end_holders(struct acct *a, uint32_t index) {
    while (subject_at(a, index)->holders != NONE)
        holder_close(a, subject_at(a, index)->holders);
}

/* What an exited process held is closed with it. */
static void end_process(struct acct *a, uint32_t process, int64_t t_ns) {
    while (process_at(a, process)->holders != NONE)
        holder_close(a, process_at(a, process)->holders);
    process_exited(a, process, t_ns);
}

static void destroy(struct acct *a, uint32_t index, enum ending how, int64_t t_ns) {
    struct subject_entry s = *subject_at(a, index);
    end_holders(a, index);
    if (s.type == SUBJECT_DEVICE && s.device != NONE && device_at(a, s.device)->subject == s.id)
        device_close(a, s.device);
    session_end(a, index);
    if (s.type == SUBJECT_STREAM && s.device != NONE)
        metric_forget(a, s.device, s.id);
    if (s.process != NONE) {
        if (how == ENDED_EXITED)
            end_process(a, s.process, t_ns);
        process_at(a, s.process)->subjects--;
        process_release(a, s.process);
    }
    (void)map_remove(&a->maps[M_SUBJECT], key_of(s.id));
    table_give(&a->tables[T_SUBJECT], index);
}

/* Half of a subject would stay half to its end: without memory for all of it there is none, and its next frame
 * tries again. */
static uint32_t create_whole(struct acct *a, const struct subject *s) {
    uint32_t index = create(a, s);
    if (index == NONE)
        return NONE;
    const struct subject_entry *e = subject_at(a, index);
    bool is_holder = s->type == SUBJECT_HOLDER;
    bool half = (s->type == SUBJECT_DEVICE && e->device == NONE) ||
                ((is_holder || s->type == SUBJECT_PROCESS) && e->process == NONE) ||
                (is_holder && e->holders == NONE);
    if (!half)
        return index;
    destroy(a, index, ENDED_CLOSED, a->now.begin_ns);
    return NONE;
}

void subject_open(struct acct *a, const struct subject *s) {
    if (s->type == SUBJECT_MACHINE || s->type >= SUBJECT_TYPE_COUNT)
        return;
    uint32_t index = map_get(&a->maps[M_SUBJECT], key_of(s->id));
    if (index != MAP_NONE)
        destroy(a, index, ENDED_CLOSED, a->now.begin_ns);
    (void)create_whole(a, s);
}

void subject_close(struct acct *a, uint32_t id, enum ending how, int64_t t_ns) {
    uint32_t index = map_get(&a->maps[M_SUBJECT], key_of(id));
    if (index != MAP_NONE)
        destroy(a, index, how, t_ns);
}

uint32_t subject_see(struct acct *a, const struct subject *s) {
    if (s->type == SUBJECT_MACHINE || s->type >= SUBJECT_TYPE_COUNT)
        return NONE;
    uint32_t index = map_get(&a->maps[M_SUBJECT], key_of(s->id));
    if (index == MAP_NONE)
        return create_whole(a, s);
    const struct subject_entry *e = subject_at(a, index);
    if (e->type == s->type && e->pid == s->pid && e->start == s->start)
        return index;
    destroy(a, index, ENDED_CLOSED, a->now.begin_ns);
    return create_whole(a, s);
}

uint32_t subject_device(const struct acct *a, uint32_t entry, uint32_t device_id) {
    if (entry != NONE) {
        const struct subject_entry *s = subject_at(a, entry);
        if (s->device != NONE && (device_id == 0 || device_id == s->device_id))
            return s->device;
        device_id = device_id == 0 ? s->device_id : device_id;
    }
    uint32_t index = device_id ? map_get(&a->maps[M_SUBJECT], key_of(device_id)) : MAP_NONE;
    if (index == MAP_NONE || subject_at(a, index)->type != SUBJECT_DEVICE)
        return NONE;
    return subject_at(a, index)->device;
}

uint32_t subject_process(const struct acct *a, uint32_t entry, int32_t pid) {
    const struct subject_entry *s = entry == NONE ? NULL : subject_at(a, entry);
    if (s && s->process != NONE && (pid == 0 || pid == s->pid))
        return s->process;
    if (pid == 0)
        return NONE;
    uint32_t process = map_get(&a->maps[M_PID], (struct map_key){(uint32_t)pid, 0});
    return process == MAP_NONE ? NONE : process;
}
