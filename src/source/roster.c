/*
 * The roster of open subjects. A slot stays at its address under its id for good and is used again after a
 * close, but never within the tick of that close: whoever compares subjects by address or id across one
 * tick compares rightly.
 */
#include "roster.h"

#include <stdlib.h>
#include <string.h>

struct slot {
    struct subject subject;
    char *text; /* name, NUL, facts, NUL */
    size_t text_cap;
    uint32_t uses;    /* of a process: gets without a put */
    uint32_t holders; /* of a device: open descriptors of its nodes */
    uint32_t at;      /* of a process: its place in `processes` */
    bool open;
    bool asleep;
};

struct node {
    unsigned major;
    unsigned minor;
    uint32_t device;
};

/* Free ids: the first `ready` may be given out, the rest were closed in this tick. */
struct roster {
    struct subject machine;
    const struct backend_table *table;
    uint16_t process_backend; /* whose process subjects are: index + 1 */
    struct slot **slots;      /* slot of id i at i - 1 */
    uint32_t slot_count;
    uint32_t slot_cap;
    uint32_t *free_ids;
    uint32_t free_count;
    uint32_t free_cap;
    uint32_t ready;
    struct node *nodes;
    uint32_t node_count;
    uint32_t node_cap;
    struct want_process *processes;
    uint32_t process_count;
    uint32_t process_cap;
    struct map by_process;
    struct buf facts;
    void (*find)(void *ctx, const struct frame_sink *sink);
    void *find_ctx;
    bool rescan;
};

enum err roster_create(struct roster **out) {
    struct roster *r = calloc(1, sizeof(*r));
    if (!r)
        return ERR_NOMEM;
    r->machine = (struct subject){.type = SUBJECT_MACHINE, .name = "", .facts = ""};
    buf_init(&r->facts);
    *out = r;
    return ERR_OK;
}

void roster_destroy(struct roster *r) {
    if (!r)
        return;
    for (uint32_t i = 0; i < r->slot_count; i++) {
        free(r->slots[i]->text);
        free(r->slots[i]);
    }
    free(r->slots);
    free(r->free_ids);
    free(r->nodes);
    free(r->processes);
    map_finish(&r->by_process);
    buf_finish(&r->facts);
    free(r);
}

void roster_set_table(struct roster *r, const struct backend_table *table) {
    r->table = table;
    r->process_backend = 0;
    for (size_t i = 0; table && i < table->count; i++)
        if (table->list[i]->owns_processes)
            r->process_backend = (uint16_t)(i + 1);
}

void roster_begin_tick(struct roster *r) {
    r->ready = r->free_count;
}

const struct subject *roster_machine(const struct roster *r) {
    return &r->machine;
}

/* ---- slots ------------------------------------------------------------------------------------ */

static struct slot *slot_of(const struct roster *r, uint32_t id) {
    return id > 0 && id <= r->slot_count ? r->slots[id - 1] : NULL;
}

static struct slot *slot_add(struct roster *r) {
    struct slot *slot;
    if (r->slot_count >= UINT32_MAX / 2 ||
        vec_reserve((void **)&r->slots, &r->slot_cap, r->slot_count + 1, sizeof(*r->slots)) ||
        /* A place for each id, so that closing never fails. */
        vec_reserve((void **)&r->free_ids, &r->free_cap, r->slot_count + 1, sizeof(*r->free_ids)))
        return NULL;
    slot = calloc(1, sizeof(*slot));
    if (!slot)
        return NULL;
    r->slots[r->slot_count++] = slot;
    slot->subject.id = r->slot_count;
    return slot;
}

static struct slot *slot_take(struct roster *r) {
    uint32_t id;
    if (r->ready == 0)
        return slot_add(r);
    /* The place of the id taken is filled from the end; an id closed in this tick may not move in front of
     * `ready`, so the last ready one moves first. */
    id = r->free_ids[--r->ready];
    r->free_ids[r->ready] = r->free_ids[--r->free_count];
    return slot_of(r, id);
}

static void slot_give(struct roster *r, struct slot *slot) {
    slot->open = false;
    r->free_ids[r->free_count++] = slot->subject.id;
}

static bool slot_set_text(struct slot *slot, const char *name, const char *facts) {
    size_t name_size = strlen(name) + 1;
    size_t facts_size = strlen(facts) + 1;
    if (name_size + facts_size > slot->text_cap) {
        char *text = realloc(slot->text, name_size + facts_size);
        if (!text)
            return false;
        slot->text = text;
        slot->text_cap = name_size + facts_size;
    }
    memcpy(slot->text, name, name_size);
    memcpy(slot->text + name_size, facts, facts_size);
    slot->subject.name = slot->text;
    slot->subject.facts = slot->text + name_size;
    return true;
}

static struct slot *slot_open(struct roster *r, const struct subject *like) {
    struct slot *slot = slot_take(r);
    uint32_t id;
    if (!slot)
        return NULL;
    id = slot->subject.id;
    slot->subject = *like;
    slot->subject.id = id;
    slot->uses = 0;
    slot->holders = 0;
    slot->asleep = false;
    slot->open = true;
    if (!slot_set_text(slot, like->name ? like->name : "", like->facts ? like->facts : "")) {
        slot->subject.name = slot->subject.facts = "";
        slot_give(r, slot);
        return NULL;
    }
    return slot;
}

static void emit_open(const struct frame_sink *sink, const struct subject *s, int64_t t_ns) {
    host_emit(sink, s, FRAME_OPEN, t_ns, s->facts, (ssize_t)strlen(s->facts), 0);
}

static void emit_close(const struct frame_sink *sink, const struct subject *s, const char *reason,
                       int64_t t_ns) {
    char body[64];
    size_t n = strlen(reason);
    if (n > sizeof(body) - 8)
        n = sizeof(body) - 8;
    memcpy(body, "reason=", 7);
    memcpy(body + 7, reason, n);
    body[7 + n] = '\n';
    host_emit(sink, s, FRAME_CLOSE, t_ns, body, (ssize_t)(8 + n), 0);
}

/* ---- subjects of any type ------------------------------------------------------------------------ */

static struct slot *device_of(const struct roster *r, const struct subject *s) {
    return s->type == SUBJECT_HOLDER ? slot_of(r, s->device) : NULL;
}

const struct subject *roster_open(struct host *h, const struct subject *like,
                                  const struct frame_sink *sink, int64_t t_ns) {
    struct slot *slot = slot_open(h->roster, like);
    struct slot *device;
    if (!slot)
        return NULL;
    device = device_of(h->roster, &slot->subject);
    if (device)
        device->holders++;
    emit_open(sink, &slot->subject, t_ns);
    return &slot->subject;
}

static void nodes_forget(struct roster *r, uint32_t device) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->node_count; i++)
        if (r->nodes[i].device != device)
            r->nodes[kept++] = r->nodes[i];
    r->node_count = kept;
}

void roster_close(struct host *h, const struct subject *s, const char *reason,
                  const struct frame_sink *sink, int64_t t_ns) {
    struct slot *slot = s ? slot_of(h->roster, s->id) : NULL;
    struct slot *device;
    if (!slot || !slot->open)
        return;
    emit_close(sink, &slot->subject, reason, t_ns);
    device = device_of(h->roster, &slot->subject);
    if (device && device->holders > 0)
        device->holders--;
    if (slot->subject.type == SUBJECT_DEVICE)
        nodes_forget(h->roster, slot->subject.id);
    slot_give(h->roster, slot);
}

void roster_close_left(struct host *h, unsigned backend, uint32_t device, const char *reason,
                       const struct frame_sink *sink, int64_t t_ns) {
    const struct roster *r = h->roster;
    for (uint32_t i = 0; i < r->slot_count; i++) {
        const struct subject *s = &r->slots[i]->subject;
        if (r->slots[i]->open && s->backend == backend && s->type != SUBJECT_PROCESS &&
            s->type != SUBJECT_DEVICE && (device == 0 || s->device == device))
            roster_close(h, s, reason, sink, t_ns);
    }
}

/* ---- devices -------------------------------------------------------------------------------------- */

static struct node *node_find(const struct roster *r, unsigned major, unsigned minor) {
    for (uint32_t i = 0; i < r->node_count; i++)
        if (r->nodes[i].minor == minor && r->nodes[i].major == major)
            return &r->nodes[i];
    return NULL;
}

enum err roster_add_node(struct roster *r, const struct subject *device, unsigned major,
                         unsigned minor) {
    struct node *known = node_find(r, major, minor);
    enum err e = ERR_OK;
    if (!known)
        e = vec_reserve((void **)&r->nodes, &r->node_cap, r->node_count + 1, sizeof(*r->nodes));
    if (e == ERR_OK)
        *(known ? known : &r->nodes[r->node_count++]) = (struct node){major, minor, device->id};
    return e;
}

const struct subject *roster_device(struct host *h, unsigned major, unsigned minor) {
    const struct node *n = node_find(h->roster, major, minor);
    return n ? &slot_of(h->roster, n->device)->subject : NULL;
}

void roster_set_finder(struct roster *r, void (*find)(void *ctx, const struct frame_sink *sink),
                       void *ctx) {
    r->find = find;
    r->find_ctx = ctx;
}

const struct subject *roster_device_find(struct host *h, unsigned major, unsigned minor,
                                         const struct frame_sink *sink) {
    struct roster *r = h->roster;
    if (r->find && !node_find(r, major, minor))
        r->find(r->find_ctx, sink);
    return roster_device(h, major, minor);
}

void roster_set_asleep(struct roster *r, const struct subject *device, bool asleep) {
    struct slot *slot = slot_of(r, device->id);
    if (slot)
        slot->asleep = asleep;
}

bool roster_asleep(struct host *h, const struct subject *device) {
    const struct slot *slot = device ? slot_of(h->roster, device->id) : NULL;
    return slot && slot->open && slot->asleep;
}

uint32_t roster_holders(const struct roster *r, const struct subject *device) {
    const struct slot *slot = slot_of(r, device->id);
    return slot ? slot->holders : 0;
}

void roster_want_rescan(struct host *h) {
    h->roster->rescan = true;
}

bool roster_take_rescan(struct roster *r) {
    bool wanted = r->rescan;
    r->rescan = false;
    return wanted;
}

/* ---- processes -------------------------------------------------------------------------------------- */

static struct map_key process_key(int32_t pid, uint64_t start) {
    return (struct map_key){start, (uint32_t)pid};
}

static struct slot *process_open(struct host *h, int32_t pid, uint64_t start) {
    struct roster *r = h->roster;
    struct subject like = {.type = SUBJECT_PROCESS,
                           .backend = r->process_backend,
                           .pid = pid,
                           .start = start,
                           .name = ""};
    struct slot *slot;
    buf_clear(&r->facts);
    facts_put_u64(&r->facts, "clk_tck", (uint64_t)h->clk_tck);
    facts_put_u64(&r->facts, "page", (uint64_t)h->page_size);
    buf_char(&r->facts, '\0');
    if (r->facts.failed || vec_reserve((void **)&r->processes, &r->process_cap,
                                       r->process_count + 1, sizeof(*r->processes)))
        return NULL;
    like.facts = r->facts.p;
    slot = slot_open(r, &like);
    if (!slot)
        return NULL;
    if (map_put(&r->by_process, process_key(pid, start), slot->subject.id)) {
        slot_give(r, slot);
        return NULL;
    }
    slot->at = r->process_count;
    r->processes[r->process_count++] =
        (struct want_process){.subject = slot->subject.id, .pid = pid, .start = start};
    return slot;
}

const struct subject *roster_process_get(struct host *h, int32_t pid, uint64_t start,
                                         const struct frame_sink *sink, int64_t t_ns) {
    uint32_t id = map_get(&h->roster->by_process, process_key(pid, start));
    struct slot *slot = id == MAP_NONE ? NULL : slot_of(h->roster, id);
    if (!slot) {
        slot = process_open(h, pid, start);
        if (!slot)
            return NULL;
        emit_open(sink, &slot->subject, t_ns);
    }
    slot->uses++;
    return &slot->subject;
}

void roster_process_put(struct host *h, const struct subject *process, const char *reason,
                        const struct frame_sink *sink, int64_t t_ns) {
    struct roster *r = h->roster;
    struct slot *slot = process ? slot_of(r, process->id) : NULL;
    uint32_t last;
    if (!slot || !slot->open || slot->subject.type != SUBJECT_PROCESS || --slot->uses > 0)
        return;
    map_remove(&r->by_process, process_key(process->pid, process->start));
    last = --r->process_count;
    r->processes[slot->at] = r->processes[last];
    slot_of(r, r->processes[slot->at].subject)->at = slot->at;
    roster_close(h, process, reason, sink, t_ns);
}

size_t roster_processes(const struct roster *r, const struct want_process **out) {
    *out = r->processes;
    return r->process_count;
}

/* ---- table -------------------------------------------------------------------------------------------- */

unsigned roster_backend(struct host *h, const struct backend *b) {
    const struct backend_table *t = h->roster->table;
    for (size_t i = 0; t && i < t->count; i++)
        if (t->list[i] == b)
            return (unsigned)i + 1;
    return 0;
}
