/*
 * devices: which GPUs and accelerators there are, by /sys/class alone. Private to the room. Looking wakes
 * nothing: only names, links and the identity files that the bus core answers itself are read.
 *
 * One file is open at a time, so that the last free descriptor is enough.
 */
#ifndef GWTOP_SOURCE_DEVICES_H
#define GWTOP_SOURCE_DEVICES_H

#include "gwtop/source.h"

struct node_seen; /* devices_node.h */

enum { DEVICE_NODES = 8, DEVICE_CLASSES = 2, DEVICE_ID_NONE = -1 };

struct device_node {
    uint32_t major;
    uint32_t minor;
    uint32_t class; /* index of its folder in devices_classes */
    char name[32];  /* card0, renderD128, accel0 */
};

struct device_found {
    char id[64]; /* what users see: PCI address, else the device's name in sysfs, else the node's */
    char slot[32];     /* PCI address or "" */
    char platform[64]; /* name in sysfs of what is not on PCI, or "" */
    char driver[32];
    char compatible[64]; /* first OF compatible, or "" */
    char card[32];       /* lowest card (or accel) node, or "" */
    char sys_path[256];  /* below the root */
    struct device_node nodes[DEVICE_NODES];
    uint32_t node_count;
    int32_t vendor; /* PCI ids; DEVICE_ID_NONE where they are not known */
    int32_t device;
    int32_t subvendor;
    int32_t subdevice;
    int32_t revision;
    uint64_t uevent; /* fingerprint of its uevent text; 0: none */
    uint32_t index;  /* of the node's name among those of its kind */
    bool anonymous;  /* nothing but the node's name tells it from others */
    int sys; /* errno of what could not be read of who it is; 0: this is all there is to know */
};

struct device_list {
    struct device_found *items;
    uint32_t count;
    uint32_t cap;
    struct node_seen *names; /* of the nodes listed */
    uint32_t name_count;
    uint32_t name_cap;
    uint64_t fingerprint;    /* of these: another one as soon as a device comes or goes */
    int sys[DEVICE_CLASSES]; /* errno where a folder could not be listed to its end, else 0 */
};

extern const char *const devices_classes[DEVICE_CLASSES];

/* Lists the names of all nodes: cheap. ERR_NOMEM, else OK: `sys` tells what could not be listed. */
enum err devices_list(struct host *h, struct device_list *list);
/* Reads whose these are. Devices in order: PCI address, then name. ERR_NOMEM or OK. */
enum err devices_read(struct host *h, struct device_list *list);
void devices_finish(struct device_list *list); /* accepts a zeroed one */

/* Whether both speak of one device with one driver; its nodes may come and go. */
bool devices_same(const struct device_found *a, const struct device_found *b);

/* The facts of a device subject, its name in words among them. False: the tables of names could not be
 * read this time. */
bool devices_facts(struct host *h, const struct device_found *d, struct buf *out);

#endif
