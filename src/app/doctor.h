/*
 * `gwtop doctor`: gathers what can be read on this machine and what it takes to read more. A few ticks of the live source
 * tell what is in fact readable; names, modes and settings tell the rest. Nothing is turned, no device is opened, no
 * sleeping one is touched.
 */
#ifndef APP_DOCTOR_H
#define APP_DOCTOR_H

#include "gwtop/doctor.h"
#include "pipeline.h"
#include "setup.h"

/* ---- doctor_texts.c: every text of the report, and what is taken out of it ------------------------ */

/* Texts that live as long as this. Zeroed: none. */
struct doctor_texts {
    char **items;
    uint32_t count;
    uint32_t cap;
    bool scrub;  /* keep_private() takes out what is personal */
    bool failed; /* memory ran out: texts are missing */
    char home[256];
    char user[64];
    char host[65];
    char root[256];
};
void doctor_texts_init(struct doctor_texts *t, bool scrub, const char *root);
void doctor_texts_finish(struct doctor_texts *t);
/* Cleaned, without blanks at its ends; never NULL. */
const char *doctor_keep(struct doctor_texts *t, struct span s);
const char *doctor_keep_text(struct doctor_texts *t, const char *text); /* NULL: "" */
const char *doctor_keep_lines(struct doctor_texts *t,
                              const char *lines); /* as it is: of our own making */
const char *doctor_keep_format(struct doctor_texts *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same of a text that may hold a name or a home; these are words of its own under `scrub`. */
const char *doctor_keep_private(struct doctor_texts *t, const char *text);

/* ---- doctor_watch.c: what the live source tells in a few ticks -------------------------------------- */

struct doctor_seen {
    uint32_t device; /* subject; 0: none */
    const struct kind *kind;
    uint32_t fine;
    uint32_t failed;
    int32_t sys; /* of the last that failed */
    uint8_t outcome;
};
struct doctor_heard {
    uint32_t subject;
    struct subject as; /* a copy, its texts kept */
    struct buf keys;   /* of its clients' fdinfo, each once with a blank behind it */
    bool engines;
    bool memory;
};
struct doctor_watch {
    struct doctor_texts *texts;
    struct pipeline pipe;
    struct frame_sink also; /* a recording; frame NULL: none */
    struct doctor_seen *seen;
    uint32_t seen_count;
    uint32_t seen_cap;
    struct doctor_heard *heard;
    uint32_t heard_count;
    uint32_t heard_cap;
    uint32_t processes;
    bool failed; /* memory ran out */
};
enum err doctor_watch_run(struct doctor_watch *w, struct source *source, unsigned ticks,
                          struct err_info *info);
void doctor_watch_finish(struct doctor_watch *w); /* accepts a zeroed one */
const struct doctor_heard *doctor_watch_device(const struct doctor_watch *w, uint32_t subject);
/* NULL: no frame of this kind and device came. */
const struct doctor_seen *doctor_watch_kind(const struct doctor_watch *w, uint32_t device,
                                            const struct kind *kind);

/* ---- the report, while it grows ------------------------------------------------------------------------ */

struct doctor_work {
    const struct options *options; /* without those that turn or open something */
    struct live live;
    struct doctor_texts texts;
    struct doctor_watch watch;
    const char *setcap; /* the command that gives gwtop its capabilities */
    struct doctor report;
    struct doctor_fact *facts;
    uint32_t fact_cap;
    struct doctor_device *devices;
    uint32_t device_cap;
    struct doctor_node *nodes;
    uint32_t node_cap;
    struct doctor_source *sources;
    uint32_t source_cap;
    const char **warnings;
    uint32_t warning_cap;
};
/* Each takes what it adds as it is; lack of memory is noted in texts.failed. */
void doctor_add_source(struct doctor_work *w, const struct doctor_source *s);
struct doctor_device *doctor_add_device(struct doctor_work *w); /* NULL: no memory */
struct doctor_node *doctor_add_node(struct doctor_work *w);

/* doctor_machine.c: kernel, user, rights, container, terminal, configuration. */
void doctor_look_machine(struct doctor_work *w);
/* doctor_groups.c: the name of a group or user by the machine's own files, else the number. */
const char *doctor_group(struct doctor_work *w, unsigned gid);
const char *doctor_user(struct doctor_work *w, unsigned uid);
/* doctor_devices.c: devices of the snapshot with their nodes, and GPUs on PCI that no driver has. */
void doctor_look_devices(struct doctor_work *w);
/* doctor_sources.c: what each backend says of each device. */
void doctor_look_sources(struct doctor_work *w);
/* A small file below the root, its first line cleaned and kept; "" where it cannot be read. */
const char *doctor_line(struct doctor_work *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- doctor_tar.c -------------------------------------------------------------------------------------- */

/* Appends one file, of user 0, mode 0600, at this time in seconds. The name is plain and below 100 bytes. */
void tar_put_file(struct buf *b, const char *name, struct span bytes, int64_t time_s);
void tar_put_end(struct buf *b);

/* ---- doctor_bundle.c ------------------------------------------------------------------------------------ */

/* Writes a bundle of the three whole files to `path`: "-" is standard output; ".zst" at its end compresses. */
enum err doctor_bundle_write(const char *path, struct span text, struct span json,
                             struct span trace, struct err_info *info);

#endif
