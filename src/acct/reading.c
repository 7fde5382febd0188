/*
 * Readings: whose the samples and labels of one frame are. What they say of a client is noted down
 * (stage.c) and worked out when the tick ends. Pure.
 */
#include "work.h"

enum route_to { TO_DEVICE, TO_ENGINE, TO_REGION, TO_PROCESS, TO_NOBODY };

/* Where samples about a client or a process go; all others are a device's. */
static const struct {
    uint8_t to;
    uint8_t field;
} routes[METRIC_COUNT] = {
    [METRIC_ENGINE_TIME] = {TO_ENGINE, E_TIME},
    [METRIC_ENGINE_CYCLES] = {TO_ENGINE, E_CYCLES},
    [METRIC_ENGINE_CYCLES_TOTAL] = {TO_ENGINE, E_TOTAL},
    [METRIC_ENGINE_CAPACITY] = {TO_ENGINE, E_CAPACITY},
    [METRIC_ENGINE_MAXFREQ] = {TO_ENGINE, E_MAXFREQ},
    [METRIC_ENGINE_BUSY] = {TO_ENGINE, E_BUSY},
    [METRIC_ENGINE_CURFREQ] = {TO_NOBODY, 0},
    [METRIC_MEMORY_RESIDENT] = {TO_REGION, R_RESIDENT},
    [METRIC_MEMORY_SHARED] = {TO_REGION, R_SHARED},
    [METRIC_MEMORY_TOTAL] = {TO_REGION, R_TOTAL},
    [METRIC_MEMORY_PURGEABLE] = {TO_REGION, R_PURGEABLE},
    [METRIC_MEMORY_LEGACY] = {TO_REGION, R_LEGACY},
    [METRIC_MEMORY_ACTIVE] = {TO_NOBODY, 0},
    [METRIC_PROCESS_CPU_TIME] = {TO_PROCESS, 0},
    [METRIC_PROCESS_RSS] = {TO_PROCESS, 0},
    [METRIC_PROCESS_PPID] = {TO_PROCESS, 0},
};

/* ---- whose ----------------------------------------------------------------------------------- */

static void stage_client(struct acct *a, uint32_t client, int64_t t_ns) {
    struct client *c = client_at(a, client);
    if (c->staged_seq != a->now.seq) {
        c->staged_seq = a->now.seq;
        c->staged_t_ns = t_ns;
        c->complete = false;
        client_mark(a, client);
    } else if (t_ns > c->staged_t_ns) {
        c->staged_t_ns = t_ns;
    }
}

/* A descriptor's text names one client: the first one named. */
static uint32_t client_of_holder(struct acct *a, uint32_t entry, uint32_t device, uint8_t space,
                                 uint64_t id) {
    uint32_t holder = subject_at(a, entry)->holders;
    if (device == NONE)
        device = device_nameless(a);
    if (holder == NONE || device == NONE)
        return NONE;
    uint32_t client = holder_at(a, holder)->of[BY_CLIENT];
    if (client != NONE && client_is(client_at(a, client), device, space, id))
        return client;
    if (a->now.reading.client != NONE)
        return NONE;
    client = client_get(a, device, space, id);
    if (client != NONE)
        holder_set_client(a, holder, client);
    return client;
}

static uint32_t process_of_many(struct acct *a, uint32_t entry, int32_t pid) {
    uint32_t process = subject_process(a, entry, pid);
    if (process != NONE && !process_at(a, process)->exited)
        return process;
    return pid > 0 ? process_get(a, pid, 0) : NONE;
}

/* Other subjects speak of many clients, each held in the name of its process. */
static uint32_t client_of_many(struct acct *a, uint32_t entry, uint32_t device, int32_t pid,
                               uint8_t space, uint64_t id, int64_t t_ns) {
    uint32_t process = device == NONE ? NONE : process_of_many(a, entry, pid);
    if (process == NONE)
        return NONE;
    uint32_t client = client_get(a, device, space, id);
    uint32_t holder = client == NONE ? NONE : holder_of_many(a, entry, process, client);
    if (holder == NONE) {
        process_release(a, process);
        return NONE;
    }
    holder_at(a, holder)->seen_ns = t_ns;
    return client;
}

struct naming {
    uint64_t id;
    uint32_t subject; /* id */
    uint32_t device;  /* subject id */
    int32_t pid;
    uint8_t space;
    int64_t t_ns;
};

/* The entry that a sample or label is about: mostly the frame's own. */
static uint32_t entry_of(const struct acct *a, uint32_t subject_id) {
    uint32_t entry = a->now.reading.subject;
    if (entry != NONE && (subject_id == 0 || subject_at(a, entry)->id == subject_id))
        return entry;
    entry = map_get(&a->maps[M_SUBJECT], (struct map_key){0, subject_id});
    return entry == MAP_NONE ? NONE : entry;
}

static uint32_t client_of(struct acct *a, const struct naming *n) {
    struct reading *r = &a->now.reading;
    uint32_t entry = entry_of(a, n->subject);
    if (entry == NONE || r->failed)
        return NONE;
    uint32_t device = subject_device(a, entry, n->device);
    bool holds = subject_at(a, entry)->type == SUBJECT_HOLDER;
    uint32_t client = holds ? client_of_holder(a, entry, device, n->space, n->id)
                            : client_of_many(a, entry, device, n->pid, n->space, n->id, n->t_ns);
    if (client == NONE)
        return NONE;
    stage_client(a, client, n->t_ns);
    r->t_ns = n->t_ns;
    /* What became of a frame that speaks of many cannot be told for each of them. */
    client_at(a, client)->complete |= !holds;
    r->client = client;
    r->id = n->id;
    r->space = n->space;
    r->device_id = n->device;
    r->last_engine.item = NONE;
    r->last_region.item = NONE;
    return client;
}

/* ---- the frame ------------------------------------------------------------------------------- */

static void open_reading(struct acct *a, uint32_t entry) {
    uint64_t number = a->now.reading.number + 1;
    a->now.reading =
        (struct reading){.open = true, .subject = entry, .client = NONE, .number = number};
}

/* A failed read speaks for all that its kind would have given. */
static void say_failed(struct acct *a, const struct subject *s, const struct frame *f) {
    const struct kind *kind =
        a->options.backends ? backend_kind(a->options.backends, s, f->kind) : NULL;
    struct sample said = {.t_ns = f->t_ns,
                          .name = "",
                          .subject = s->id,
                          .device = s->device,
                          .pid = s->pid,
                          .index = INDEX_NONE,
                          .state = STATE_UNKNOWN};
    if (f->outcome == OUTCOME_DENIED)
        said.state = STATE_DENIED;
    else if (f->outcome == OUTCOME_GONE && s->type != SUBJECT_PROCESS)
        said.state = STATE_UNSUPPORTED;
    for (size_t i = 0; kind && kind->gives && i < kind->give_count; i++) {
        said.metric = kind->gives[i];
        if (said.metric < METRIC_COUNT)
            reading_sample(a, &said);
    }
}

void reading_begin(struct acct *a, const struct subject *s, const struct frame *f) {
    uint32_t entry = subject_see(a, s);
    open_reading(a, entry);
    a->now.reading.failed = f->outcome != OUTCOME_OK;
    if (!a->now.reading.failed || entry == NONE)
        return;
    if (subject_at(a, entry)->type != SUBJECT_HOLDER)
        say_failed(a, s, f);
    else if (subject_at(a, entry)->holders != NONE)
        holder_failed(a, subject_at(a, entry)->holders, f->outcome);
}

/* Mostly of the client, and of the time, of the sample before. */
static bool same_client(const struct reading *r, const struct sample *s) {
    return r->client != NONE && r->id == s->client && r->space == s->space &&
           r->device_id == s->device && r->t_ns == s->t_ns;
}

static void client_sample(struct acct *a, const struct sample *s, bool engine, unsigned field) {
    if (!same_client(&a->now.reading, s)) {
        struct naming n = {s->client, s->subject, s->device, s->pid, s->space, s->t_ns};
        if (client_of(a, &n) == NONE)
            return;
    }
    if (!s->name || s->name_len == 0)
        return;
    a->now.reading.said++;
    if (engine)
        stage_engine(a, field, s);
    else
        stage_region(a, field, s);
}

static void other_sample(struct acct *a, const struct sample *s, enum route_to to) {
    uint32_t entry = entry_of(a, s->subject);
    if (to == TO_PROCESS) {
        uint32_t process = subject_process(a, entry, s->pid);
        if (process != NONE)
            process_sample(a, process, s);
        return;
    }
    uint32_t device = subject_device(a, entry, s->device);
    bool holds = entry != NONE && subject_at(a, entry)->type == SUBJECT_HOLDER;
    if (device != NONE && !holds)
        metric_sample(a, device, entry == NONE ? 0 : subject_at(a, entry)->backend, s);
}

void reading_sample(struct acct *a, const struct sample *s) {
    if (s->metric >= METRIC_COUNT)
        return;
    if (!a->now.reading.open)
        open_reading(a, NONE);
    enum route_to to = routes[s->metric].to;
    if (s->space != SPACE_NONE) {
        if (to == TO_ENGINE || to == TO_REGION)
            client_sample(a, s, to == TO_ENGINE, routes[s->metric].field);
        else if (to == TO_PROCESS)
            other_sample(a, s, to);
    } else {
        other_sample(a, s, to);
    }
}

void reading_label(struct acct *a, const struct label *l) {
    struct span text = {l->text ? l->text : "", l->text ? l->len : 0};
    if (!a->now.reading.open)
        open_reading(a, NONE);
    if (l->space == SPACE_NONE) {
        uint32_t entry = entry_of(a, l->subject);
        uint32_t process = subject_process(a, entry, l->pid);
        if (process != NONE)
            process_label(a, process, l);
        return;
    }
    struct naming n = {l->client, l->subject, l->device, l->pid, l->space, l->t_ns};
    uint32_t client = client_of(a, &n);
    if (client == NONE || text.n == 0)
        return;
    struct client *c = client_at(a, client);
    if (l->kind == LABEL_CLIENT_NAME) {
        (void)name_set(a, &c->name, text);
    } else if (l->kind == LABEL_DRIVER) {
        c->driver_known = true;
        c->driver_omits_zero = driver_omits_zero(text);
        if (device_at(a, c->device)->driver.len == 0)
            device_set_driver(a, c->device, text);
    }
}

/* A text that is no DRM client's any more: closed, or unplugged. */
static void names_nobody(struct acct *a, const struct counts *counts) {
    uint32_t entry = a->now.reading.subject;
    uint32_t holder = entry == NONE ? NONE : subject_at(a, entry)->holders;
    if (holder != NONE && subject_at(a, entry)->type == SUBJECT_HOLDER &&
        counts->reasons[REASON_NOT_DRM] > 0)
        holder_set_client(a, holder, NONE);
}

void reading_end(struct acct *a, const struct counts *counts) {
    struct reading *r = &a->now.reading;
    if (!r->open)
        return;
    r->open = false;
    if (!counts || r->failed)
        return;
    if (r->client == NONE)
        names_nobody(a, counts);
    /* A read that was interrupted may hold nothing but who the client is. */
    else if (r->said > 0 && counts->malformed == 0 && counts->truncated == 0)
        client_at(a, r->client)->complete = true;
}
