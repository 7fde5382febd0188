/*
 * Trees of devices as /sys lays them out, and a live source over one of them. For cmocka tests.
 */
#ifndef TEST_SYSRIG_H
#define TEST_SYSRIG_H

#include "gwtop/source.h"
#include "iospy.h"
#include "seen.h"

struct sysrig {
    char *root;
    struct iospy spy;
    struct host *host;
    struct source *live;
    struct seen seen;
    int64_t now_ns;
};

extern const struct backend_table sysrig_no_backends;

/* Fixtures: a root with an empty proc. */
int sysrig_set_up(void **state);
int sysrig_tear_down(void **state);

/* A node of the device in this folder ("sys/devices/..."), with its links. */
void sysrig_put_node(const char *root, const char *device, const char *class, const char *name,
                     unsigned major, unsigned minor);
/* A card on PCI with its nodes, as a kernel shows it. */
void sysrig_put_pci(const char *root, const char *slot, const char *driver, const char *id,
                    unsigned card);
void sysrig_put_status(const char *root, const char *device, const char *status,
                       const char *control);

void sysrig_start(struct sysrig *r, const char *root, const struct backend_table *table);
/* The next tick; only its frames are there afterwards. */
void sysrig_tick(struct sysrig *r);
void sysrig_stop(struct sysrig *r);

/* Of the last tick: the device opened under this number; how many were opened, and closed; the one state. */
const struct seen_frame *sysrig_opened(const struct sysrig *r, int number);
unsigned sysrig_opened_count(const struct sysrig *r);
unsigned sysrig_closed_count(const struct sysrig *r);
const struct seen_frame *sysrig_state_of(const struct sysrig *r);
/* Ends the test where the subject of the frame has not this fact. */
void sysrig_fact(const struct seen_frame *f, const char *key, const char *value);

#endif
