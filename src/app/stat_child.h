/* The command that `stat` runs, and its descendants. */
#ifndef APP_STAT_CHILD_H
#define APP_STAT_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "gwtop/base.h"

/* What the command gets as gwtop got it. */
struct stat_before {
    struct rlimit files;
    bool has_files;
    const void *mask; /* a sigset_t; borrowed */
};

struct stat_child {
    pid_t pid;  /* -1: there is none, or it is reaped */
    int go;     /* a byte lets it begin; closed: it ends */
    int failed; /* the errno of an exec that failed, or the end */
    bool ended;
    int status; /* as a shell would say it, once ended */
    bool more;  /* stat_trace_look: there may be more to take */
};

/* Starts it; it waits. */
enum err stat_child_start(const struct stat_before *before, char *const *command,
                          struct stat_child *out, struct err_info *info);
/* Lets it begin. 0, or the errno of exec. */
int stat_child_go(struct stat_child *c);
/* Notes its end, and reaps others that were left to us. It stays a zombie until stat_child_reap. */
void stat_child_look(struct stat_child *c);
void stat_child_reap(struct stat_child *c);

/* Everybody that was ever seen to descend from it. */
struct stat_member {
    pid_t pid;
    pid_t parent;
    uint64_t start;
    bool ours;
    bool alive;
};
struct stat_family {
    struct stat_member *list;
    uint32_t count, cap;
    struct stat_member *seen; /* scratch: all that there are */
    uint32_t seen_count, seen_cap;
    struct map index; /* of `list`, by pid and start */
    pid_t root;
    uint64_t root_start;
};
void stat_family_start(struct stat_family *f, pid_t root);
void stat_family_finish(struct stat_family *f);
/* Looks through /proc. */
void stat_family_look(struct stat_family *f);
bool stat_family_has(struct stat_family *f, pid_t pid, uint64_t start, pid_t parent);
/* Members that live, but for zombies. */
uint32_t stat_family_alive(const struct stat_family *f);

#endif
