/*
 * fdinfo: usage of one DRM or accel client, as the kernel prints it in /proc/PID/fdinfo/FD.
 * Private to this folder. Subjects are holders: an open descriptor of a device node.
 */
#ifndef GWTOP_BACKEND_FDINFO_H
#define GWTOP_BACKEND_FDINFO_H

#include "gwtop/core.h"

extern const struct backend backend_fdinfo;

/* Frame kinds of this backend, in the order of its kinds table. */
enum fdinfo_kind { FDINFO_FDINFO = FRAME_BACKEND };

/* collect.c: contracts as in struct backend. */
bool fdinfo_probe(const struct host *host, const struct device_info *device);
enum err fdinfo_open(struct host *host, const struct device_info *device, struct source **out);
void fdinfo_check(struct host *host, const struct device_info *device,
                  const struct check_sink *sink);

/* decode.c: one whole text, all generations of all drivers. One unit is one line. Bounded: at most
 * FDINFO_ENGINES engines and FDINFO_REGIONS regions, linear time, no allocation. */
enum { FDINFO_ENGINES = 64, FDINFO_REGIONS = 32 };
void fdinfo_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                   struct counts *counts);

/* client.c: who a text speaks of, for a collector that must notice when a descriptor number was
 * reused. False: not a DRM client's text. has_id is false where the driver prints no client id. */
struct fdinfo_client {
    struct span driver;
    struct span pdev;
    uint64_t id;
    bool has_id;
};
bool fdinfo_client_of(struct span text, struct fdinfo_client *out);

/* scrub.c: the text without the name that the client gave itself. */
void fdinfo_scrub(struct span text, struct buf *out);

#endif
