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
    bool fed;       /* its feeds were added */
    bool nameless;  /* what it is called could not be looked up to the end */
    bool doubted;   /* the last scan said something else of it, and could not say it for sure */
    bool told;      /* its state was read once */
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

/* What a scan leaves open for one folder. */
struct class_doubt {
    bool unsure; /* what is not listed may be there all the same */
    bool absent; /* was not there when last looked for */
    int logged;  /* errno that was logged last */
};

struct live_devices {
    struct live_device **items;
    uint32_t count;
    uint32_t cap;
    struct device_list found; /* space for scans */
    struct buf facts;
    struct class_mark marks[DEVICE_CLASSES];
    struct class_doubt doubts[DEVICE_CLASSES];
    uint32_t unread[REASON_COUNT]; /* devices found of which could not be read who they are */
    uint64_t fingerprint;
    int64_t list_due_ns;
    unsigned unsettled; /* scans in a row that left something open */
    bool known;         /* a scan succeeded */
    bool met;           /* looked for more within this tick */
};

/* One backend at the machine or at one device. */
struct live_feed {
    const struct backend *backend;
    struct live_device *device; /* NULL: the machine */
    struct source *source;      /* NULL: has nothing here, or not now */
    int64_t retry_ns;           /* when to ask again */
    uint16_t number;            /* 1 + index in the table */
};

/* What the next read makes of a tick. */
enum live_part {
    LIVE_WHOLE,
    LIVE_OPENING, /* all but processes, and then it is held */
    LIVE_HELD,    /* nothing yet */
    LIVE_REST,    /* processes, and the end */
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
    int64_t now_ns; /* of the read under way */
    int32_t detail_pid;
    int32_t *nameless; /* as in struct want, copied */
    uint32_t nameless_count;
    uint32_t nameless_cap;
    const struct want_late *late; /* borrowed */
    bool started;
    enum live_part part;
    int opened_fd; /* see live_split; -1 */
};

/* live_devices.c */
/* Opens and closes devices as they come and go. */
void live_devices_follow(struct live *l, const struct frame_sink *sink);
/* Somebody met a node of no known device: looks for devices that came since, and tells their state. Those that
 * went are left for the next tick. */
void live_devices_meet(struct live *l, const struct frame_sink *sink);
/* Counts what could not be looked into. */
void live_devices_tally(const struct live *l, struct host_tally *t);
void live_devices_finish(struct live *l);

/* live_state.c: whether devices are awake, in frames. */
void live_state_tell_all(struct live *l, const struct frame_sink *sink);
void live_state_tell(struct live *l, struct live_device *d, const struct frame_sink *sink);
void live_state_finish(struct live *l, struct live_device *d);

/* live_feeds.c */
enum err live_feeds_add(struct live *l, struct live_device *device); /* NULL: of the machine */
void live_feeds_drop(struct live *l, const struct live_device *device,
                     const struct frame_sink *sink);
/* The part that l->part says. */
void live_feeds_read(struct live *l, const struct frame_sink *sink);
/* Names of whoever was named in this tick. */
void live_feeds_name(struct live *l, const struct frame_sink *sink);
/* Asks those of the machine that have nothing here again at once. */
void live_feeds_retry(struct live *l);
void live_feeds_finish(struct live *l);

#endif
