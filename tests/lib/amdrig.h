/* A machine with amdgpu devices under a root of its own, read live by the amdgpu backend alone. */
#ifndef TEST_AMDRIG_H
#define TEST_AMDRIG_H

#include "gwtop/bus.h"
#include "gwtop/source.h"
#include "iowatch.h"
#include "seen.h"
#include "told.h"

struct amdrig {
    const struct backend_table *table; /* of amdgpu alone; another may be set before the start */
    char *root;
    struct iowatch watch;
    struct host *host;
    struct source *live;
    struct bus *bus;
    struct seen seen; /* frames of the last tick */
    struct told told; /* what they say */
    int64_t now_ns;
    int64_t step_ns;
};

void amdrig_init(struct amdrig *r); /* makes the root */
/* "sys/class/drm/cardN/device/FILE" of the root. */
void amdrig_put(struct amdrig *r, unsigned card, const char *file, const char *text);
/* The device's uevent: with it the device is found. */
void amdrig_device(struct amdrig *r, unsigned card, const char *slot, const char *pci_id);
/* The sensors of a card with a small number in each file. */
void amdrig_sensors(struct amdrig *r, unsigned card);
/* Copies a folder of real files to sys/class/drm/. */
void amdrig_copy(struct amdrig *r, const char *folder);
/* `facts`: of the machine; NULL none. */
void amdrig_start(struct amdrig *r, const char *facts);
/* As it were this machine itself: files are kept open. */
void amdrig_start_kept(struct amdrig *r);
/* One tick, `step_ns` later. */
void amdrig_tick(struct amdrig *r);
/* Ticks until a frame of this kind is there (a device's thread may take its time). */
void amdrig_tick_until(struct amdrig *r, unsigned kind);
void amdrig_finish(struct amdrig *r);

/* Frames of this kind in the last tick. */
unsigned amdrig_frames(const struct amdrig *r, unsigned kind);
const struct seen_frame *amdrig_frame(const struct amdrig *r, unsigned kind);

#endif
