/* The index of processes: entries stay at their place, so that a tick can speak of them by number. */
#include "collect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct map_key key_of(int32_t pid) {
    return (struct map_key){0, (uint32_t)pid};
}

static int32_t take(struct collector *c) {
    int32_t at = c->entry_free;
    if (at != NONE) {
        c->entry_free = c->entries[at].next_free;
        return at;
    }
    if (c->entry_count >= INT32_MAX ||
        vec_reserve((void **)&c->entries, &c->entry_cap, c->entry_count + 1, sizeof(*c->entries)))
        return NONE;
    return (int32_t)c->entry_count++;
}

static void give(struct collector *c, int32_t at) {
    c->entries[at].pid = 0;
    c->entries[at].next_free = c->entry_free;
    c->entry_free = at;
}

int32_t index_get(struct collector *c, int32_t pid) {
    uint32_t known = map_get(&c->by_pid, key_of(pid));
    int32_t at;
    if (known != MAP_NONE)
        return (int32_t)known;
    at = take(c);
    if (at == NONE)
        return NONE;
    c->entries[at] = (struct entry){.pid = pid,
                                    .folder = -1,
                                    .size = -1,
                                    .holder = NONE,
                                    .refused = REASON_COUNT,
                                    .unread = REASON_COUNT,
                                    .look = true};
    snprintf(c->entries[at].path, sizeof(c->entries[at].path), "%" PRId32 "/fd", pid);
    if (c->tick > 1)
        c->entries[at].changed_ns = c->now_ns;
    if (map_put(&c->by_pid, key_of(pid), (uint32_t)at) != ERR_OK) {
        give(c, at);
        return NONE;
    }
    return at;
}

void index_close_folder(struct collector *c, struct entry *e) {
    if (e->folder < 0)
        return;
    host_close(c->host, e->folder);
    e->folder = -1;
    c->host->keep_left++;
}

void index_drop(struct collector *c, int32_t at) {
    struct entry *e = &c->entries[at];
    hold_close_all(c, e, "exited", true);
    index_close_folder(c, e);
    map_remove(&c->by_pid, key_of(e->pid));
    give(c, at);
}

bool index_used(const struct entry *e) {
    return e->pid != 0;
}

void index_finish(struct collector *c) {
    for (uint32_t i = 0; i < c->entry_count; i++)
        if (index_used(&c->entries[i]))
            index_close_folder(c, &c->entries[i]);
    free(c->entries);
    free(c->order);
    map_finish(&c->by_pid);
}
