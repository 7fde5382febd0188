/*
 * The collector of fdinfo: an index of processes and of the descriptors of device nodes they hold. It
 * leaves this folder only as open and close frames. Times in nanoseconds of CLOCK_MONOTONIC.
 *
 * A tick lists /proc, asks each process's fd folder, kept open where there is room, for its size and inode,
 * looks into the folder where these changed, and reads again the fdinfo files that it keeps open. A sweep looks into
 * some of the others, since a descriptor can be swapped for another with the count unchanged.
 *
 * Threads share their process's descriptors and are not looked at; one that unshared its table is missed.
 */
#ifndef GWTOP_BACKEND_FDINFO_COLLECT_H
#define GWTOP_BACKEND_FDINFO_COLLECT_H

#include "fdinfo.h"
#include "gwtop/source.h"

enum {
    NONE = -1, /* no such index */
    TEXT_BYTES = 1 << 16,
    TEXT_MAX_BYTES = 1 << 20, /* what is longer is cut here */
    LIST_BYTES = 1 << 18,
    WALK_BYTES = 1 << 16,
    PATH_BYTES = 48,     /* "PID/fdinfo/FD" */
    FOLDER_SPARE = 2048 /* descriptors that kept-open folders leave to others */
};

/* What st_size of /proc/PID/fd says. */
enum size_hint {
    HINT_COUNT,  /* the number of descriptors (Linux 6.2 and newer) */
    HINT_CHANGE, /* nothing but that it changed: a folder of another root */
    HINT_NONE    /* nothing: always 0 */
};

/* Where the client id stands in the last text: what is still there needs no search. */
struct id_line {
    uint32_t at;
    uint32_t n; /* 0: none */
    char text[40];
};

/* An open descriptor of a device node. */
struct holder {
    const struct subject *subject;
    const struct subject *device; /* NULL: a node of no known device */
    const char *over;             /* NULL; else it is not what it was, and why: a look ends it */
    struct id_line id_line;
    uint64_t client;
    uint32_t number; /* of the descriptor */
    uint32_t major;
    uint32_t minor;
    uint32_t tick; /* of the last read */
    int32_t next;  /* of the same process, or of the free ones */
    int fd;        /* its fdinfo kept open, or -1 */
    bool drm;      /* its text has spoken of a client */
    bool has_id;
    bool wakes;       /* reading it would wake a sleeping device */
    bool asleep_told; /* the frame that says so was emitted */
    bool met;         /* by the look under way */
};

struct entry {
    char path[16]; /* "PID/fd" */
    int32_t pid;
    uint32_t tick; /* of the last listing that had it */
    int folder;    /* its fd folder kept open to be asked, or -1 */
    int64_t size;  /* of its fd folder; -1: none yet */
    uint64_t ino;
    int64_t mtime_ns; /* under another root only */
    uint64_t start;
    const struct subject *process; /* while it has holders */
    int64_t looked_ns;
    int64_t changed_ns; /* came or changed after the first tick; 0: did not */
    uint32_t fds;       /* at the last look */
    int32_t holder;     /* its first */
    int32_t next_free;
    uint16_t
        refused; /* enum reason of what was not seen of its descriptors; REASON_COUNT: all was */
    uint16_t unread; /* the same of the texts of this tick */
    bool look;       /* in this tick */
    bool later;      /* in the next one */
    bool ended;      /* a zombie: still listed */
};

struct found {
    uint32_t number;
    uint32_t major;
    uint32_t minor;
    bool met;
};

struct collector {
    struct source source;
    struct host *host;
    uint16_t backend;
    enum size_hint hint;
    bool hidden; /* /proc does not list other users' processes */
    int32_t own; /* our process, full of what we keep open; 0 under another root */

    struct entry *entries;
    uint32_t entry_cap;
    uint32_t entry_count; /* ever in use */
    int32_t entry_free;
    struct map by_pid;
    int32_t *order; /* entries as listed in this tick */
    uint32_t order_cap;
    uint32_t order_count;
    int list_sys; /* errno where not all that is there was listed */

    struct holder *holders;
    uint32_t holder_cap;
    uint32_t holder_count; /* ever in use */
    int32_t holder_free;
    uint32_t holders_open;

    struct found *found; /* of the walk under way */
    uint32_t found_cap;
    uint32_t found_count;
    int found_sys; /* errno where it could not see one of them, else 0 */
    int walk_fd;
    bool walk_bare; /* of fdinfo, since fd does not open */
    struct entry *walked;
    uint32_t walk_denied; /* descriptors in a row, none seen before */

    char *list_space;
    char *walk_space;
    char *text;
    size_t text_cap;

    uint32_t tick;
    uint32_t cursor;       /* of the sweep, over the order */
    uint32_t young_cursor; /* of its part for processes that changed lately */
    int64_t credit;        /* of the sweep, see collect.c */
    int64_t now_ns;        /* of the read under way, and its sink */
    const struct frame_sink *sink;
};

/* collect_index.c */
/* The entry of a pid, made if need be; NONE for lack of memory. */
int32_t index_get(struct collector *c, int32_t pid);
/* The process is gone: closes all it held. */
void index_drop(struct collector *c, int32_t at);
/* Closes the folder kept open. */
void index_close_folder(struct collector *c, struct entry *e);
bool index_used(const struct entry *e);
void index_finish(struct collector *c);

/* collect_look.c */
/* Walks the process's descriptors and makes its holders equal to what is there. */
void look_at(struct collector *c, struct entry *e);
/* The device number of a node that descriptors are looked for by; false for all else, with errno where that
 * could not be seen, else 0. `path` is below dir_fd and names a link of an fd folder. */
bool look_node(struct collector *c, int dir_fd, const char *path, uint32_t *major, uint32_t *minor);

/* collect_bare.c */
/* As look_node, by the text of a descriptor in an fdinfo folder. */
bool bare_node(struct collector *c, int dir_fd, const char *path, uint32_t *major, uint32_t *minor);

/* collect_hold.c */
/* Closes kept-open files as the host asks; true if that made room. */
bool hold_shed(struct collector *c);
/* Opens below /proc; where no descriptor is left one that is kept open makes way. */
int hold_open_path(struct collector *c, const char *path, int flags);
void hold_open(struct collector *c, struct entry *e, const struct found *f);
/* Reads all holders of a process that were not read in this tick. */
void hold_read_all(struct collector *c, struct entry *e);
/* Closes all, or those that are over, and the process where none is left. */
void hold_close_all(struct collector *c, struct entry *e, const char *reason, bool all);
/* Closes those that the look did not meet. */
void hold_close_unmet(struct collector *c, struct entry *e);
/* Ends the process subject where no holder is left. */
void hold_end_process(struct collector *c, struct entry *e, const char *reason);
void hold_finish(struct collector *c);

#endif
