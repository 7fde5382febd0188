/*
 * doctor: what `gwtop doctor` found, and its two forms. What looks is in the app; this is plain data, gathered in full
 * and then printed. Pure.
 *
 * Texts are clean UTF-8, never NULL, "" where there is nothing to say. Paths are absolute, below the root that is named.
 */
#ifndef GWTOP_DOCTOR_H
#define GWTOP_DOCTOR_H

#include "gwtop/core.h"

#define DOCTOR_SCHEMA "gwtop-doctor/1"

/* As in struct check of core.h, with paths made whole. */
struct doctor_source {
    const char *source;
    const char *path;
    const char *need;
    const char *lost;
    const char *command; /* the one that grants it */
    const char *other;   /* another way */
    const char *unsafe;
    uint32_t device; /* index; UINT32_MAX: of the machine */
    uint8_t state;   /* enum check_state */
    uint8_t gain;    /* 0 to 9 */
};

struct doctor_node {
    const char *path;
    const char *user; /* owner; a number where it has no name */
    const char *group;
    uint32_t mode; /* its last nine bits */
    uint32_t device;
    bool there;
    bool usable; /* by this program: to read and write */
};

struct doctor_device {
    const char *id;
    const char *name;
    const char *driver;
    const char *state;   /* as in JSON ticks; "no driver" */
    const char *folder;  /* in /sys */
    const char *control; /* power/control */
    const char *status;  /* power/runtime_status */
    uint32_t clients;    /* whose fdinfo was read */
    bool engines;        /* it holds engine times or cycles */
    bool memory;         /* it holds memory */
    const char *keys;    /* its drm- keys, separated by blanks */
};

/* Words about one side of the machine that are printed as they are: a key and what it says. */
struct doctor_fact {
    const char *key;
    const char *text;
};

struct doctor {
    const char *version;
    const char *root; /* "": this machine */
    const struct doctor_fact *facts;
    uint32_t fact_count;
    const struct doctor_device *devices;
    uint32_t device_count;
    const struct doctor_node *nodes;
    uint32_t node_count;
    const struct doctor_source
        *sources; /* those of a device together, in the order of devices, the machine's last */
    uint32_t source_count;
    const char *const *warnings; /* of the configuration file */
    uint32_t warning_count;
    uint32_t processes;  /* listed */
    uint32_t unreadable; /* of these */
    uint32_t unreadable_reasons[REASON_COUNT];
};

/* At most `width` columns where words allow it; a path or a command is never broken. */
void out_doctor_text(const struct doctor *d, size_t width, bool unicode, struct buf *b);
/* One object and a line's end. */
void out_doctor_json(const struct doctor *d, struct buf *b);

/* The sources of which something more could be seen, the largest gain first: indexes into `sources`. Returns how many; at
 * most `cap`. */
uint32_t doctor_rank(const struct doctor *d, uint32_t *out, uint32_t cap);

#endif
