/* `stat --exact`: follows the command and all its descendants by ptrace, to look at each while it ends. */
#ifndef APP_STAT_TRACE_H
#define APP_STAT_TRACE_H

#include "stat_child.h"

/* Called while a process stands at its end with all its descriptors. */
struct stat_last_look {
    enum err (*look)(void *ctx, struct err_info *info);
    void *ctx;
};

/* Before the command begins: from now on it and whatever it starts is followed. */
enum err stat_trace_start(const struct stat_child *c, struct err_info *info);
/* In the place of stat_child_look: takes the stops and ends that are there. True in c->more: not all of them. */
enum err stat_trace_look(struct stat_child *c, const struct stat_last_look *last,
                         struct err_info *info);

#endif
