/*
 * Holders: which descriptor names which client, and whose it is. A holder stands in three lists: of
 * its client, its process and its subject. Pure.
 */
#include "work.h"

static uint32_t *head_of(struct acct *a, enum holder_list list, uint32_t owner) {
    switch (list) {
    case BY_CLIENT:
        return &client_at(a, owner)->holders;
    case BY_PROCESS:
        return &process_at(a, owner)->holders;
    default:
        return &subject_at(a, owner)->holders;
    }
}

static void join(struct acct *a, uint32_t holder, enum holder_list list, uint32_t owner) {
    struct holder *h = holder_at(a, holder);
    uint32_t *head = head_of(a, list, owner);
    h->of[list] = owner;
    h->prev[list] = NONE;
    h->next[list] = *head;
    if (*head != NONE)
        holder_at(a, *head)->prev[list] = holder;
    *head = holder;
}

static void leave(struct acct *a, uint32_t holder, enum holder_list list) {
    struct holder *h = holder_at(a, holder);
    if (h->of[list] == NONE)
        return;
    if (h->prev[list] == NONE)
        *head_of(a, list, h->of[list]) = h->next[list];
    else
        holder_at(a, h->prev[list])->next[list] = h->next[list];
    if (h->next[list] != NONE)
        holder_at(a, h->next[list])->prev[list] = h->prev[list];
    h->of[list] = NONE;
}

uint32_t holder_open(struct acct *a, uint32_t subject, uint32_t process, uint32_t device) {
    uint32_t index = acct_take(a, T_HOLDER);
    if (index == NONE)
        return NONE;
    struct holder *h = holder_at(a, index);
    *h = (struct holder){.of = {NONE, NONE, NONE}, .device = device, .row = NONE, .used = true};
    join(a, index, BY_PROCESS, process);
    join(a, index, BY_SUBJECT, subject);
    return index;
}

/* ---- holders whose client is not known ------------------------------------------------------- */

static void forget_row(struct acct *a, uint32_t holder) {
    struct holder *h = holder_at(a, holder);
    if (h->row == NONE)
        return;
    struct row *r = row_at(a, h->row);
    r->unnamed--;
    r->unnamed_denied -= h->denied ? 1 : 0;
    h->row = NONE;
    h->denied = false;
}

/* The process has a row all the same: it holds the device. */
static void keep_row(struct acct *a, uint32_t holder, bool denied) {
    struct holder *h = holder_at(a, holder);
    if (h->device == NONE)
        return;
    if (h->row == NONE) {
        uint32_t row = row_get(a, h->of[BY_PROCESS], h->device);
        if (row == NONE)
            return;
        h->row = row;
        row_at(a, row)->unnamed++;
    }
    struct row *r = row_at(a, h->row);
    r->unnamed_denied += denied ? 1 : 0;
    r->unnamed_denied -= h->denied ? 1 : 0;
    h->denied = denied;
}

/* ---- whose client ---------------------------------------------------------------------------- */

static void set_client(struct acct *a, uint32_t holder, uint32_t client) {
    uint32_t old = holder_at(a, holder)->of[BY_CLIENT];
    if (old == client)
        return;
    if (old != NONE) {
        leave(a, holder, BY_CLIENT);
        client_at(a, old)->holder_count--;
        client_at(a, old)->owner_dirty = true;
        client_mark(a, old);
    }
    if (client != NONE) {
        join(a, holder, BY_CLIENT, client);
        client_at(a, client)->holder_count++;
        client_at(a, client)->owner_dirty = true;
        client_mark(a, client);
    }
}

void holder_set_client(struct acct *a, uint32_t holder, uint32_t client) {
    forget_row(a, holder);
    set_client(a, holder, client);
}

static struct map_key many_key(const struct acct *a, uint32_t subject, uint32_t client) {
    const struct client *c = client_at(a, client);
    uint64_t hi = (uint64_t)subject << 32 | (uint64_t)(c->device & 0xffffff) << 8 | c->space;
    return (struct map_key){hi, c->id};
}

void holder_close(struct acct *a, uint32_t holder) {
    struct holder *h = holder_at(a, holder);
    uint32_t process = h->of[BY_PROCESS];
    if (h->many) {
        if (h->of[BY_CLIENT] != NONE)
            (void)map_remove(&a->maps[M_HOLDER], many_key(a, h->of[BY_SUBJECT], h->of[BY_CLIENT]));
        a->now.many_count--;
    }
    holder_set_client(a, holder, NONE);
    leave(a, holder, BY_PROCESS);
    leave(a, holder, BY_SUBJECT);
    table_give(&a->tables[T_HOLDER], holder);
    if (process != NONE)
        process_release(a, process);
}

uint32_t holder_of_many(struct acct *a, uint32_t subject, uint32_t process, uint32_t client) {
    struct map_key k = many_key(a, subject, client);
    uint32_t index = map_get(&a->maps[M_HOLDER], k);
    if (index != MAP_NONE)
        return index;
    index = holder_open(a, subject, process, client_at(a, client)->device);
    if (index == NONE)
        return NONE;
    holder_at(a, index)->many = true;
    a->now.many_count++;
    set_client(a, index, client);
    if (!acct_put(a, M_HOLDER, k, index)) {
        holder_close(a, index);
        return NONE;
    }
    return index;
}

void holder_failed(struct acct *a, uint32_t holder, uint8_t outcome) {
    uint32_t client = holder_at(a, holder)->of[BY_CLIENT];
    bool denied = outcome == OUTCOME_DENIED;
    if (outcome == OUTCOME_GONE) {
        holder_set_client(a, holder, NONE);
    } else if (client == NONE) {
        keep_row(a, holder, denied);
    } else {
        struct client *c = client_at(a, client);
        if (c->failed_seq != a->now.seq || denied)
            c->failed_state = denied ? STATE_DENIED : STATE_UNKNOWN;
        c->failed_seq = a->now.seq;
    }
}

/* Contexts are part of what the whole span held. */
static bool is_kept(const struct acct *a, const struct holder *h) {
    uint32_t client = h->of[BY_CLIENT];
    return a->options.whole_span && client != NONE && client_at(a, client)->context != NONE;
}

/* A source that names only pids says nothing when one is gone. One of a process of its own ends
 * with it. */
void holders_forget_stale(struct acct *a) {
    int64_t keep_ns = keep_time_ns(a);
    if (a->now.many_count == 0)
        return;
    for (uint32_t i = 0; i < a->tables[T_HOLDER].n; i++) {
        const struct holder *h = holder_at(a, i);
        if (!h->used || !h->many || h->jobs || is_kept(a, h))
            continue;
        if (subject_at(a, h->of[BY_SUBJECT])->pid == 0 &&
            span_ns(h->seen_ns, a->now.begin_ns) >= keep_ns)
            holder_close(a, i);
    }
}
