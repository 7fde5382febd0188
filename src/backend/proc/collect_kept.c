/* See collect_kept.h. */
#include "collect_kept.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

static int32_t *head_of(struct kept *k, int32_t pid) {
    return &k->heads[((uint32_t)pid * UINT32_C(2654435761)) >> 18];
}

struct kept_entry *kept_find(struct kept *k, int32_t pid) {
    for (int32_t i = *head_of(k, pid); i != NONE; i = k->entries[i].chain)
        if (k->entries[i].pid == pid)
            return &k->entries[i];
    return NULL;
}

static void unlink_entry(struct kept *k, struct kept_entry *x) {
    struct kept_list *l = &k->lists[x->exited];
    *(x->before == NONE ? &l->first : &k->entries[x->before].after) = x->after;
    *(x->after == NONE ? &l->last : &k->entries[x->after].before) = x->before;
}

static void link_entry(struct kept *k, struct kept_entry *x, bool exited) {
    struct kept_list *l = &k->lists[exited];
    int32_t at = (int32_t)(x - k->entries);
    x->exited = exited;
    x->before = l->last;
    x->after = NONE;
    *(l->last == NONE ? &l->first : &k->entries[l->last].after) = at;
    l->last = at;
}

static struct kept_entry *take_place(struct kept *k) {
    int32_t at;
    struct kept_entry *x;
    if (k->used < KEPT_ENTRIES)
        return &k->entries[k->used++];
    at = k->lists[1].first != NONE ? k->lists[1].first : k->lists[0].first;
    x = &k->entries[at];
    unlink_entry(k, x);
    for (int32_t *p = head_of(k, x->pid); *p != NONE; p = &k->entries[*p].chain)
        if (*p == at) {
            *p = x->chain;
            break;
        }
    free(x->bytes);
    return x;
}

struct kept_entry *kept_find_or_add(struct kept *k, int32_t pid) {
    struct kept_entry *x = kept_find(k, pid);
    int32_t *head;
    if (x)
        return x;
    x = take_place(k);
    head = head_of(k, pid);
    *x = (struct kept_entry){.pid = pid, .chain = *head};
    *head = (int32_t)(x - k->entries);
    link_entry(k, x, false);
    return x;
}

void kept_mark(struct kept *k, struct kept_entry *x, bool exited) {
    unlink_entry(k, x);
    link_entry(k, x, exited);
}

void kept_drop_bytes(struct kept_entry *x) {
    free(x->bytes);
    x->bytes = NULL;
    x->stat_n = x->cmdline_n = 0;
}

void kept_begin_again(struct kept *k, struct kept_entry *x) {
    kept_drop_bytes(x);
    x->start = 0;
    x->parent = 0;
    x->scans = 0;
    x->parent_name[0] = '\0';
    kept_mark(k, x, false);
}

static void copy_name(char *to, struct span name) {
    if (name.n >= KEPT_NAME_BYTES)
        name.n = KEPT_NAME_BYTES - 1;
    memcpy(to, name.p, name.n);
    to[name.n] = '\0';
}

void kept_name_parent(struct kept *k, struct kept_entry *x, int32_t parent) {
    const struct kept_entry *p = kept_find(k, parent);
    struct proc_stat stat;
    x->parent = parent;
    if (p && p->bytes && proc_stat_read((struct span){p->bytes, p->stat_n}, &stat) == ERR_OK)
        copy_name(x->parent_name, stat.comm);
}

void kept_init(struct kept *k) {
    k->used = 0;
    for (int i = 0; i < KEPT_BUCKETS; i++)
        k->heads[i] = NONE;
    k->lists[0] = k->lists[1] = (struct kept_list){NONE, NONE};
}

void kept_finish(struct kept *k) {
    for (int32_t i = 0; i < k->used; i++)
        free(k->entries[i].bytes);
}
