/*
 * devices_node: one node of /sys/class/drm or accel on its way to its device. Private to devices.
 */
#ifndef GWTOP_SOURCE_DEVICES_NODE_H
#define GWTOP_SOURCE_DEVICES_NODE_H

#include "devices.h"

enum { NODE_FILE_BYTES = 4096 };

/* The names of nodes that stand for a device: a prefix and a number, nothing behind it (connectors, for
 * instance card0-HDMI-A-1, have more). Where no `dev` file says otherwise the number is the minor. */
struct node_kind {
    const char *prefix;
    uint32_t major;
    uint32_t class;
    uint32_t first; /* number of the first of its kind */
    bool card;
};

struct node_seen {
    const struct node_kind *kind;
    uint32_t number;
    char name[32];
    char path[96]; /* "sys/class/drm/card0" */
};

/* False: not the name of a node in this folder. */
bool node_parse(struct span name, uint32_t class, struct node_seen *out);
/* The number of a PCI address; UINT64_MAX (behind all) for other text. */
uint64_t node_slot_number(const char *slot);
/* What can be said of the device from one node of it: its id is enough to meet its other nodes. `uevent` lies in
 * `text`. */
void node_describe(struct host *h, const struct node_seen *n, struct device_found *d,
                   char text[NODE_FILE_BYTES], struct span *uevent);
/* All the rest. */
void node_complete(struct host *h, const struct node_seen *n, struct device_found *d,
                   struct span uevent);
/* Makes it one of the device's nodes. */
void node_add(struct host *h, const struct node_seen *n, struct device_found *d);

#endif
