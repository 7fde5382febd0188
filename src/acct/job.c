/*
 * Jobs: stretches of busy time that a recording tells, each of one owner on one unit at one clock and
 * voltage. They are work, not counters: what is told counts, from the first on. Pure.
 *
 * Owners are told by their pid alone. One that is known by a process subject too is that process;
 * others are known by jobs only, and as it is not told when they end they are kept for good, up to
 * PROCESSES_MAX of them. What names no process, and who comes later, is nobody: "(unknown pid)". Jobs
 * of hardware contexts name these besides (context.c).
 */
#include "work.h"

#define PROCESSES_MAX 8192

uint32_t job_process(struct acct *a, int32_t pid) {
    if (pid > 0) {
        uint32_t known = map_get(&a->maps[M_PID], (struct map_key){(uint32_t)pid, 0});
        if (known != MAP_NONE)
            return known;
        if (a->now.job_processes < PROCESSES_MAX) {
            a->now.job_processes++;
            return process_get(a, pid, 0);
        }
    }
    /* No process has this start. */
    uint32_t nobody = process_get(a, 0, UINT64_MAX);
    if (nobody != NONE)
        process_at(a, nobody)->stray = true;
    return nobody;
}

static uint32_t find_client(struct acct *a, const struct job *j) {
    uint32_t entry = map_get(&a->maps[M_SUBJECT], (struct map_key){0, j->subject});
    entry = entry == MAP_NONE ? NONE : entry;
    uint32_t device = subject_device(a, entry, j->device);
    if (device == NONE || entry == NONE)
        return NONE;
    if (space_is_context(j->space))
        return context_get(a, entry, device, j->space, j->client, j->pid);
    uint32_t process = job_process(a, j->pid);
    if (process == NONE)
        return NONE;
    /* All whom nobody stands for are one client. */
    uint64_t id = process_at(a, process)->stray && j->space == SPACE_PID ? 0 : j->client;
    uint32_t row = row_get(a, process, device);
    uint32_t client = row == NONE ? NONE : client_get(a, device, j->space, id, 0);
    uint32_t holder = client == NONE ? NONE : holder_of_many(a, entry, process, client);
    if (holder == NONE) {
        process_release(a, process);
        return NONE;
    }
    row_at(a, row)->jobs = true;
    holder_at(a, holder)->jobs = true;
    return client;
}

OFTEN static uint32_t note_client(struct acct *a, const struct job *j) {
    uint32_t client = find_client(a, j);
    if (client == NONE)
        return NONE;
    a->job_clients[j->client % JOB_CACHE] = (struct job_client){.number = a->job_number,
                                                                .id = j->client,
                                                                .subject = j->subject,
                                                                .device = j->device,
                                                                .client = client,
                                                                .pid = j->pid,
                                                                .space = j->space};
    return client;
}

static uint32_t client_of(struct acct *a, const struct job *j) {
    const struct job_client *c = &a->job_clients[j->client % JOB_CACHE];
    if (c->number == a->job_number && c->id == j->client && c->subject == j->subject &&
        c->device == j->device && c->space == j->space && c->pid == j->pid)
        return c->client;
    return note_client(a, j);
}

static void stage(struct acct *a, uint32_t client) {
    struct client *c = client_at(a, client);
    if (c->staged_seq == a->now.seq)
        return;
    c->staged_seq = a->now.seq;
    c->staged_t_ns = a->now.begin_ns;
    c->complete = false;
    client_mark(a, client);
}

/* One without a voltage waits for the end of the tick: a sensor may tell it yet. */
static void add(struct engine *e, const struct job *j) {
    struct total *t = &e->job;
    int64_t busy_ns = span_ns(j->start_ns, j->end_ns);
    t->busy_ns = add_sat(t->busy_ns, busy_ns);
    t->measured = true;
    if (!j->off && j->clock_hz == 0) {
        t->unpriced_ns = add_sat(t->unpriced_ns, busy_ns);
        return;
    }
    t->price_doubt |= j->doubt;
    if (!j->off && j->voltage_uv == 0) {
        e->bare_ns = add_sat(e->bare_ns, busy_ns);
        e->has_bare = true;
        sum_add(&e->bare_cycles, (double)j->clock_hz * ((double)busy_ns * 1e-9));
        return;
    }
    t->priced = true;
    if (!j->off)
        sum_add(&t->pws, pseudowatt_seconds(j->clock_hz, j->voltage_uv, busy_ns));
}

void job_take(struct acct *a, const struct job *j) {
    uint32_t client = !j->name || j->name_len == 0 ? NONE : client_of(a, j);
    if (client == NONE)
        return;
    stage(a, client);
    uint32_t at = engine_get(a, client, (struct span){j->name, j->name_len}, j->class);
    if (at == NONE)
        return;
    struct engine *e = engine_at(a, at);
    e->jobs = true;
    add(e, j);
}
