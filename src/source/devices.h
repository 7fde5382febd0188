/*
 * devices: which GPUs and accelerators there are, by /sys/class alone. Private to the room. Looking wakes
 * nothing: only names, links and the identity files that the bus core answers itself are read.
 */
#ifndef GWTOP_SOURCE_DEVICES_H
#define GWTOP_SOURCE_DEVICES_H

#include "gwtop/source.h"

enum { DEVICE_NODES = 8, DEVICE_ID_NONE = -1 };

struct device_node {
    uint32_t major;
    uint32_t minor;
    char name[32]; /* card0, renderD128, accel0 */
};

/* One device; zeroed where nothing is known, so that two finds of the same compare bytewise. */
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
};

struct device_list {
    struct device_found *items;
    uint32_t count;
    uint32_t cap;
};

/* All devices in order: PCI address, then name. On failure (out of memory, or a folder of /sys that is there
 * but cannot be listed) `out` says nothing about what is there. */
enum err devices_scan(struct host *h, struct device_list *out);
void devices_finish(struct device_list *list); /* accepts a zeroed one */

/* A fingerprint of the names of all nodes: cheap, and another one as soon as a device comes or goes. */
enum err devices_fingerprint(struct host *h, uint64_t *out);
/* The facts of a device subject, its name in words among them. */
void devices_facts(struct host *h, const struct device_found *d, struct buf *out);

#endif
