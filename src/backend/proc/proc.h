/*
 * proc: what /proc says about a process that uses a GPU: names, user, container, CPU time, memory.
 * Private to this folder. Subjects are processes; their facts hold clk_tck and page.
 */
#ifndef GWTOP_BACKEND_PROC_H
#define GWTOP_BACKEND_PROC_H

#include "gwtop/core.h"

extern const struct backend backend_proc;

/* Frame kinds of this backend, in the order of its kinds table. */
enum proc_kind {
    PROC_STAT = FRAME_BACKEND, /* /proc/PID/stat */
    PROC_CMDLINE,              /* /proc/PID/cmdline */
    PROC_CGROUP,               /* /proc/PID/cgroup */
    PROC_STATUS,               /* /proc/PID/status */
    PROC_USER,                 /* "uid: 1000\nuser: alice\n", looked up where it was read */
    PROC_NAME                  /* "parent=1\nparent_name=init\n", of what ended unread */
};

/* events.c: takes the next message of the process connector off `rest`. False: none that is whole is left.
 * What is of no interest, or too short, is PROC_EVENT_OTHER. */
enum proc_event_what {
    PROC_EVENT_OTHER,
    PROC_EVENT_FORK, /* of a process, not of a thread */
    PROC_EVENT_EXEC,
    PROC_EVENT_COMM, /* renamed itself */
    PROC_EVENT_EXIT  /* its first thread ended */
};
struct proc_event {
    enum proc_event_what what;
    int32_t pid;
    int32_t parent; /* of a fork */
    uint32_t seq;   /* counts per cpu */
    uint32_t cpu;
};
bool proc_event_next(struct span *rest, struct proc_event *out);

/* collect.c: contracts as in struct backend. */
bool proc_probe(const struct host *host, const struct device_info *device);
enum err proc_open(struct host *host, const struct device_info *device, struct source **out);
void proc_check(struct host *host, const struct device_info *device, const struct check_sink *sink);

/* status.c: the effective user of the text of /proc/PID/status. False where no line says it. */
bool proc_status_uid(struct span text, uint32_t *uid);

/* container.c: the short name of what a cgroup path lies in, not yet cleaned
 * ("docker:1a2b3c4d5e6f", "lxc:web", "firefox.service"). `what` says which: a container stands
 * before the unit of another hierarchy. */
enum proc_container { PROC_IN_NOTHING, PROC_IN_UNIT, PROC_IN_CONTAINER };
enum { PROC_CONTAINER_MAX = 320 };
struct proc_container_name {
    enum proc_container what;
    size_t n;
    char text[PROC_CONTAINER_MAX];
};
void proc_container_of(struct span path, struct proc_container_name *out);

/* stat.c, cmdline.c, cgroup.c, status.c, user.c: one frame kind each, as struct kind wants it. */
#define PROC_KIND_FUNCTIONS(name)                                                                  \
    void proc_##name##_decode(const struct subject *s, const struct frame *f,                      \
                              const struct sink *sink, struct counts *counts);                     \
    void proc_##name##_scrub(struct span body, struct buf *out)
PROC_KIND_FUNCTIONS(stat);
PROC_KIND_FUNCTIONS(cmdline);
PROC_KIND_FUNCTIONS(cgroup);
PROC_KIND_FUNCTIONS(status);
PROC_KIND_FUNCTIONS(user);
PROC_KIND_FUNCTIONS(name);
#undef PROC_KIND_FUNCTIONS

#endif
