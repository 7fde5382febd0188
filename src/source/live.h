/*
 * live: the parts of the composite. Private to the room. Times in nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef GWTOP_SOURCE_LIVE_H
#define GWTOP_SOURCE_LIVE_H

#include "devices.h"
#include "gwtop/source.h"
#include "quiet.h"

/* A device that is there. At its address until it goes. */
struct live_device {
    struct device_found found;
    const struct subject *subject;
    struct quiet quiet;
    int status_fd;  /* on power/runtime_status, kept open; -1 */
    bool asleep;    /* nothing of it is touched */
    bool may_sleep; /* awake, manages its power itself, nobody has it open */
    bool alone;     /* left alone in this tick, see quiet.h */
    bool gone;      /* what was there under its name is not there any more */
    bool kept;      /* met again by the scan under way */
};

/* What says that the folder of a class changed. In /sys only the listing is sure to. */
struct class_mark {
    int64_t mtime_ns;
    uint64_t ino;
    uint64_t links;
};

struct live_devices {
    struct live_device **items;
    uint32_t count;
    uint32_t cap;
    struct device_list found; /* space for scans */
    struct buf facts;
    struct class_mark marks[2];
    uint64_t fingerprint;
    int64_t list_due_ns;
    bool known; /* a scan succeeded */
};

/* One backend at the machine or at one device. */
struct live_feed {
    const struct backend *backend;
    struct live_device *device; /* NULL: the machine */
    struct source *source;      /* NULL: has nothing here, or not now */
    int64_t retry_ns;           /* when to ask again */
    uint16_t number;            /* 1 + index in the table */
};

struct live {
    struct source source;
    struct host *host;
    const struct backend_table *table;
    struct live_devices devices;
    struct live_feed *feeds; /* by backend, then machine before devices */
    uint32_t feed_count;
    uint32_t feed_cap;
    struct buf text;
    int64_t due_ns;
    int64_t cpu_ns; /* of this process at the last end */
    int32_t detail_pid;
    bool started;
};

/* live_devices.c: opens and closes devices as they come and go, then their state frames. */
void live_devices_follow(struct live *l, const struct frame_sink *sink, int64_t now_ns);
void live_devices_state(struct live *l, const struct frame_sink *sink, int64_t now_ns);
void live_devices_finish(struct live *l);

/* live_feeds.c */
enum err live_feeds_add(struct live *l, struct live_device *device); /* NULL: of the machine */
void live_feeds_drop(struct live *l, const struct live_device *device,
                     const struct frame_sink *sink);
void live_feeds_read(struct live *l, const struct frame_sink *sink, int64_t now_ns);
void live_feeds_finish(struct live *l);

#endif
