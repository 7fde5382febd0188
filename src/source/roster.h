/*
 * roster: which subjects are open, under which ids, and what the room itself must know of them. Private to
 * the room; what collectors may do with it stands in the door.
 */
#ifndef GWTOP_SOURCE_ROSTER_H
#define GWTOP_SOURCE_ROSTER_H

#include "gwtop/source.h"

enum err roster_create(struct roster **out);
void roster_destroy(struct roster *r); /* accepts NULL */

/* Where roster_backend looks; borrowed. */
void roster_set_table(struct roster *r, const struct backend_table *table);
/* A tick begins: ids closed before it may be given out again. Within a tick no id has two meanings. */
void roster_begin_tick(struct roster *r);
const struct subject *roster_machine(const struct roster *r);

/* Who is asked where a node belongs to no known device; NULL: nobody. Opens what it finds through the sink. */
void roster_set_finder(struct roster *r, void (*find)(void *ctx, const struct frame_sink *sink),
                       void *ctx);
/* A character device number of this device from now on, whoever had it; forgotten when the device closes. */
enum err roster_add_node(struct roster *r, const struct subject *device, unsigned major,
                         unsigned minor);
void roster_set_asleep(struct roster *r, const struct subject *device, bool asleep);
/* Open holders of the device. */
uint32_t roster_holders(const struct roster *r, const struct subject *device);
/* True once after roster_want_rescan. */
bool roster_take_rescan(struct roster *r);
/* All open process subjects, any order; valid until the next get or put. */
size_t roster_processes(const struct roster *r, const struct want_process **out);
/* Closes what a source left open when it went: every subject of this backend (1 + index) that is neither a
 * process nor a device; of one device only, where device is not 0. */
void roster_close_left(struct host *h, unsigned backend, uint32_t device, const char *reason,
                       const struct frame_sink *sink, int64_t t_ns);

#endif
