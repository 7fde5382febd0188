/*
 * Readings: whose the samples and labels of one frame are. What they say of a client is noted down
 * (stage.c) and worked out when the tick ends. Pure.
 */
#include "work.h"

static const struct last_name no_name = {.item = UINT32_MAX, .name = {0, UINT32_MAX}};

/* The last two are about a client. */
enum route_to { TO_DEVICE, TO_PROCESS, TO_NOBODY, TO_ENGINE, TO_REGION };

/* Where samples about a client or a process go; all others are a device's. */
struct route {
    uint8_t to;
    uint8_t field;
};

#define ENGINE(of)                                                                                 \
    { TO_ENGINE, E_##of }
#define REGION(of)                                                                                 \
    { TO_REGION, R_##of }
static const struct route routes[METRIC_COUNT] = {
    [METRIC_ENGINE_TIME] = ENGINE(TIME),           [METRIC_ENGINE_CYCLES] = ENGINE(CYCLES),
    [METRIC_ENGINE_CYCLES_TOTAL] = ENGINE(TOTAL),  [METRIC_ENGINE_CAPACITY] = ENGINE(CAPACITY),
    [METRIC_ENGINE_MAXFREQ] = ENGINE(MAXFREQ),     [METRIC_ENGINE_BUSY] = ENGINE(BUSY),
    [METRIC_ENGINE_CURFREQ] = {TO_NOBODY, 0},      [METRIC_MEMORY_RESIDENT] = REGION(RESIDENT),
    [METRIC_MEMORY_SHARED] = REGION(SHARED),       [METRIC_MEMORY_TOTAL] = REGION(TOTAL),
    [METRIC_MEMORY_PURGEABLE] = REGION(PURGEABLE), [METRIC_MEMORY_LEGACY] = REGION(LEGACY),
    [METRIC_MEMORY_ACTIVE] = {TO_NOBODY, 0},       [METRIC_PROCESS_CPU_TIME] = {TO_PROCESS, 0},
    [METRIC_PROCESS_RSS] = {TO_PROCESS, 0},        [METRIC_PROCESS_PPID] = {TO_PROCESS, 0},
    [METRIC_PROCESS_UID] = {TO_PROCESS, 0},
};
#undef ENGINE
#undef REGION

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

/* Of a node that is not known: what its text named, else the node itself. */
OFTEN static uint32_t guess_device(struct acct *a, uint32_t entry) {
    uint32_t guess = subject_at(a, entry)->guess;
    uint32_t node = subject_at(a, entry)->node;
    if (guess != NONE)
        return guess;
    if (node == NONE)
        return device_nameless(a);
    return device_of_node(a, node, a->now.reading.waits_driver);
}

/* A descriptor's text names one client: the first one named. */
static uint32_t client_of_holder(struct acct *a, uint32_t entry, uint32_t device, uint8_t space,
                                 uint64_t id) {
    uint32_t holder = subject_at(a, entry)->holders;
    if (device == NONE)
        device = guess_device(a, entry);
    if (holder == NONE || device == NONE)
        return NONE;
    uint32_t client = holder_at(a, holder)->of[BY_CLIENT];
    if (client != NONE && client_is(client_at(a, client), device, space, id))
        return client;
    if (a->now.reading.client != NONE)
        return NONE;
    client = client_get(a, device, space, id, 0);
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
    if (device != NONE && space_is_context(space))
        return context_get(a, entry, device, space, id, pid);
    uint32_t process = device == NONE ? NONE : process_of_many(a, entry, pid);
    if (process == NONE)
        return NONE;
    uint32_t client = client_get(a, device, space, id, 0);
    uint32_t holder = client == NONE ? NONE : holder_of_many(a, entry, process, client);
    if (holder == NONE) {
        process_release(a, process);
        return NONE;
    }
    holder_at(a, holder)->seen_ns = t_ns;
    return client;
}

/* The entry that a sample or label is about: mostly the frame's own. */
static uint32_t entry_of(const struct acct *a, uint32_t subject_id) {
    uint32_t entry = a->now.reading.subject;
    if (entry != NONE && (subject_id == 0 || subject_at(a, entry)->id == subject_id))
        return entry;
    entry = map_get(&a->maps[M_SUBJECT], (struct map_key){0, subject_id});
    return entry == MAP_NONE ? NONE : entry;
}

static void set_client_driver(struct acct *a, uint32_t client, struct span driver) {
    struct client *c = client_at(a, client);
    c->driver_known = true;
    c->driver_omits_zero = driver_omits_zero(driver);
    if (device_at(a, c->device)->driver.len == 0)
        device_set_driver(a, c->device, driver);
}

/* What waited is this client's. */
OFTEN static void end_wait(struct acct *a, uint32_t client) {
    a->now.reading.waiting = false;
    if (client != NONE && a->now.reading.waits_driver != NONE)
        set_client_driver(a, client, name_get(a, word_ref(a, a->now.reading.waits_driver)));
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
    if (r->waiting)
        end_wait(a, client);
    r->id = n->id;
    r->space = n->space;
    r->device_id = n->device;
    r->last_engine = no_name;
    r->last_region = no_name;
    return client;
}

/* ---- labels of a client ---------------------------------------------------------------------- */

/* A descriptor of a node that is not known: its text, not its node, names the device. */
static bool is_lost(const struct acct *a, const struct naming *n) {
    uint32_t entry = entry_of(a, n->subject);
    return entry != NONE && subject_at(a, entry)->type == SUBJECT_HOLDER &&
           subject_device(a, entry, n->device) == NONE && !a->now.reading.failed;
}

/* The driver is told before the slot, which decides whose client it is: so it waits. */
OFTEN static void wait_for_slot(struct acct *a, const struct naming *n, struct span driver) {
    a->now.reading.waits = *n;
    a->now.reading.waits_driver = word_get(a, driver);
    a->now.reading.waiting = true;
}

OFTEN static void take_slot(struct acct *a, const struct naming *n, struct span slot) {
    uint32_t entry = entry_of(a, n->subject);
    if (slot.n > 0 && a->now.reading.client == NONE)
        subject_at(a, entry)->guess = device_of_slot(a, slot, a->now.reading.waits_driver);
}

static void client_label(struct acct *a, const struct naming *n, const struct label *l,
                         struct span text) {
    bool lost = (l->kind == LABEL_DRIVER || l->kind == LABEL_PCI) && is_lost(a, n);
    if (lost && l->kind == LABEL_DRIVER && a->now.reading.client == NONE) {
        wait_for_slot(a, n, text);
        return;
    }
    if (lost && l->kind == LABEL_PCI)
        take_slot(a, n, text);
    uint32_t client = client_of(a, n);
    if (client == NONE || text.n == 0)
        return;
    if (l->kind == LABEL_CLIENT_NAME)
        (void)name_set(a, &client_at(a, client)->name, text);
    else if (l->kind == LABEL_DRIVER)
        set_client_driver(a, client, text);
}

/* ---- the frame ------------------------------------------------------------------------------- */

static void open_reading(struct acct *a, uint32_t entry, uint16_t kind) {
    uint64_t number = a->now.reading.number + 1;
    a->now.reading = (struct reading){.open = true,
                                      .kind = kind,
                                      .subject = entry,
                                      .origin = NONE,
                                      .client = NONE,
                                      .number = number,
                                      .waits_driver = NONE,
                                      .last_engine = no_name,
                                      .last_region = no_name};
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

static bool is_session(const struct acct *a, const struct subject *s, const struct frame *f) {
    const struct kind *kind =
        a->options.backends ? backend_kind(a->options.backends, s, f->kind) : NULL;
    return kind && kind->session;
}

void reading_begin(struct acct *a, const struct subject *s, const struct frame *f) {
    uint32_t entry = subject_see(a, s);
    open_reading(a, entry, f->kind);
    a->now.reading.failed = f->outcome != OUTCOME_OK;
    if (entry == NONE)
        return;
    struct subject_entry *e = subject_at(a, entry);
    e->kind = e->kind == 0 || e->kind == f->kind ? f->kind : KIND_MIXED;
    if (e->type == SUBJECT_STREAM && e->pid == 0 && e->device != NONE)
        device_was_read(a, e->device, f->outcome);
    if (e->type == SUBJECT_STREAM && is_session(a, s, f))
        session_read(a, entry, f);
    if (!a->now.reading.failed)
        return;
    if (e->type == SUBJECT_HOLDER && e->holders != NONE)
        holder_failed(a, e->holders, f->outcome);
    else if (e->type != SUBJECT_HOLDER && f->outcome != OUTCOME_ASLEEP)
        say_failed(a, s, f);
}

/* Mostly of the client, and of the time, of the sample before. */
static inline bool same_client(const struct reading *r, const struct sample *s) {
    return r->id == s->client && r->t_ns == s->t_ns && r->client != NONE && r->space == s->space &&
           r->device_id == s->device;
}

static inline void pass_on(struct acct *a, const struct sample *s, const struct route *to) {
    if (!s->name)
        return;
    a->now.reading.said = true;
    if (to->to == TO_ENGINE)
        stage_engine(a, to->field, s);
    else
        stage_region(a, to->field, s);
}

OFTEN static void other_client(struct acct *a, const struct sample *s, const struct route *to) {
    if (!a->now.reading.open)
        open_reading(a, NONE, 0);
    struct naming n = {s->client, s->subject, s->device, s->pid, s->space, s->t_ns};
    if (client_of(a, &n) != NONE)
        pass_on(a, s, to);
}

/* Samples about other subjects than the frame's own, and those of a fold between frames, are of the kind of frames
 * that their subject has, where that is one kind only. */
static uint32_t origin_of(struct acct *a, uint32_t entry) {
    struct reading *r = &a->now.reading;
    if (entry == NONE)
        return metric_origin(a, 0, 0);
    uint16_t kind = subject_at(a, entry)->kind;
    if (entry != r->subject)
        return metric_origin(a, subject_at(a, entry)->backend, kind == KIND_MIXED ? 0 : kind);
    if (r->origin == NONE)
        r->origin = metric_origin(a, subject_at(a, entry)->backend, r->kind);
    return r->origin;
}

OFTEN static void other_sample(struct acct *a, const struct sample *s, bool of_process) {
    if (!a->now.reading.open)
        open_reading(a, NONE, 0);
    uint32_t entry = entry_of(a, s->subject);
    if (of_process) {
        uint32_t process = subject_process(a, entry, s->pid);
        if (process != NONE)
            process_sample(a, process, s);
        return;
    }
    uint32_t device = subject_device(a, entry, s->device);
    bool holds = entry != NONE && subject_at(a, entry)->type == SUBJECT_HOLDER;
    if (device != NONE && !holds)
        metric_sample(a, device, origin_of(a, entry), s, a->now.reading.failed);
}

/* Of a context counters are told, beside jobs. */
OFTEN static void sample_of_context(struct acct *a, const struct sample *s) {
    if (!a->now.reading.open)
        open_reading(a, NONE, 0);
    uint32_t entry = entry_of(a, s->subject);
    if (entry == NONE || a->now.reading.failed)
        return;
    uint32_t device = subject_device(a, entry, s->device);
    if (device != NONE)
        context_sample(a, entry, device, s);
}

void reading_sample(struct acct *a, const struct sample *s) {
    if (s->metric >= METRIC_COUNT)
        return;
    const struct route *to = &routes[s->metric];
    bool of_client = to->to >= TO_ENGINE && s->space != SPACE_NONE;
    if (of_client && same_client(&a->now.reading, s))
        pass_on(a, s, to);
    else if (of_client)
        other_client(a, s, to);
    else if (to->to == TO_PROCESS || s->space == SPACE_NONE)
        other_sample(a, s, to->to == TO_PROCESS);
    else if (to->to == TO_DEVICE && space_is_context(s->space))
        sample_of_context(a, s);
}

void reading_label(struct acct *a, const struct label *l) {
    struct span text = {l->text ? l->text : "", l->text ? l->len : 0};
    if (!a->now.reading.open)
        open_reading(a, NONE, 0);
    if (l->space == SPACE_NONE) {
        uint32_t entry = entry_of(a, l->subject);
        uint32_t process = subject_process(a, entry, l->pid);
        if (process != NONE)
            process_label(a, process, l);
        return;
    }
    struct naming n = {l->client, l->subject, l->device, l->pid, l->space, l->t_ns};
    client_label(a, &n, l, text);
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
    if (r->waiting)
        (void)client_of(a, &r->waits);
    uint32_t client = r->client;
    r->open = false;
    r->waiting = false;
    r->client = NONE;
    if (!counts || r->failed)
        return;
    if (client == NONE)
        names_nobody(a, counts);
    /* A read that was interrupted may hold nothing but who the client is. */
    else if (r->said && counts->malformed == 0 && counts->truncated == 0)
        client_at(a, client)->complete = true;
}
