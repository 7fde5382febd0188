/*
 * Finding devices: the names of nodes are listed first, then each is asked whose it is, and nodes of one
 * device are brought together.
 */
#include "devices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "devices_node.h"

enum { LIST_BYTES = 16384 };

/* ---- names --------------------------------------------------------------------------------------- */

struct listing {
    struct device_list *list;
    uint32_t class;
    enum err err;
};

/* Names may come in any order: each is hashed by itself (FNV-1a) and the sums are added. */
static uint64_t hash_of(struct span name) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < name.n; i++)
        hash = (hash ^ (uint8_t)name.p[i]) * UINT64_C(1099511628211);
    return hash;
}

static void list_name(void *ctx, struct span name) {
    struct listing *l = ctx;
    struct device_list *list = l->list;
    struct node_seen n;
    if (!node_parse(name, l->class, &n))
        return;
    list->fingerprint += hash_of(name);
    if (vec_reserve((void **)&list->names, &list->name_cap, list->name_count + 1, sizeof(n)))
        l->err = ERR_NOMEM;
    else
        list->names[list->name_count++] = n;
}

static enum err list_class(struct host *h, struct device_list *list, uint32_t class) {
    _Alignas(8) char space[LIST_BYTES];
    struct listing l = {.list = list, .class = class};
    int fd = host_open(h, h->root_fd, devices_classes[class], O_RDONLY | O_DIRECTORY);
    list->sys[class] = fd < 0 ? errno : 0;
    if (fd < 0)
        return ERR_OK;
    if (host_list(h, fd, space, sizeof(space), list_name, &l) < 0)
        list->sys[class] = errno;
    host_close(h, fd);
    return l.err;
}

enum err devices_list(struct host *h, struct device_list *list) {
    enum err e = ERR_OK;
    list->name_count = 0;
    list->fingerprint = 0;
    for (uint32_t i = 0; i < DEVICE_CLASSES && e == ERR_OK; i++)
        e = list_class(h, list, i);
    return e;
}

/* ---- whose they are --------------------------------------------------------------------------------- */

/* Without any link and off PCI a card and a render node are told to be of one device by what the kernel does:
 * it counts both kinds alike, and shows both the device's one uevent. Two devices of one uevent are no
 * two devices, since it holds their place. */
static bool are_partners(const struct device_found *a, const struct device_found *b) {
    return a->anonymous && b->anonymous && a->uevent != 0 && a->uevent == b->uevent &&
           a->index == b->index;
}

static struct device_found *find_known(struct device_list *list, const struct device_found *d) {
    for (uint32_t i = 0; i < list->count; i++) {
        struct device_found *known = &list->items[i];
        if (strcmp(known->id, d->id) == 0 || are_partners(known, d))
            return known;
    }
    return NULL;
}

/* A node that could say who it is speaks for those that could not. */
static void learn(struct host *h, const struct node_seen *n, struct device_found *known,
                  struct device_found *d, struct span uevent) {
    if (known->sys != 0 && d->sys == 0) {
        node_complete(h, n, d, uevent);
        memcpy(d->nodes, known->nodes, sizeof(d->nodes));
        d->node_count = known->node_count;
        memcpy(d->card, known->card, sizeof(d->card));
        *known = *d;
    }
    node_add(h, n, known);
    if (known->anonymous && known->card[0])
        memcpy(known->id, known->card, sizeof(known->card));
}

static enum err add_seen(struct host *h, const struct node_seen *n, struct device_list *list) {
    char text[NODE_FILE_BYTES];
    struct span uevent;
    struct device_found d;
    struct device_found *known;
    enum err e;
    node_describe(h, n, &d, text, &uevent);
    known = find_known(list, &d);
    if (known) {
        learn(h, n, known, &d, uevent);
        return ERR_OK;
    }
    node_complete(h, n, &d, uevent);
    node_add(h, n, &d);
    e = vec_reserve((void **)&list->items, &list->cap, list->count + 1, sizeof(*list->items));
    if (e == ERR_OK)
        list->items[list->count++] = d;
    return e;
}

static int by_address(const void *a, const void *b) {
    const struct device_found *x = a;
    const struct device_found *y = b;
    uint64_t nx = node_slot_number(x->slot);
    uint64_t ny = node_slot_number(y->slot);
    if (nx != ny)
        return nx < ny ? -1 : 1;
    return strcmp(x->id, y->id);
}

enum err devices_read(struct host *h, struct device_list *list) {
    enum err e = ERR_OK;
    list->count = 0;
    for (uint32_t i = 0; i < list->name_count && e == ERR_OK; i++)
        e = add_seen(h, &list->names[i], list);
    if (list->count > 1)
        qsort(list->items, list->count, sizeof(*list->items), by_address);
    return e;
}

void devices_finish(struct device_list *list) {
    free(list->items);
    free(list->names);
    *list = (struct device_list){0};
}

bool devices_same(const struct device_found *a, const struct device_found *b) {
    return (strcmp(a->id, b->id) == 0 || are_partners(a, b)) && strcmp(a->slot, b->slot) == 0 &&
           strcmp(a->platform, b->platform) == 0 && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->compatible, b->compatible) == 0 && a->vendor == b->vendor &&
           a->device == b->device && a->subvendor == b->subvendor && a->subdevice == b->subdevice &&
           a->revision == b->revision;
}
