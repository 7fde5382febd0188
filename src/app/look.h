/*
 * look: what files of one process say, read by a thread of its own: /proc/PID/environ waits for a lock of the
 * process, and keys must not wait for that. Whoever the machine lets: no right is raised for it, and one that the
 * program's own file gave is put down, since the environment of others holds secrets.
 */
#ifndef GWTOP_APP_LOOK_H
#define GWTOP_APP_LOOK_H

#include "gwtop/view.h"

struct look;
/* `root`: DIR of --root, or NULL: this machine. */
enum err look_start(struct look **out, const char *root, struct err_info *info);
/* Asks; what was asked before and is not answered yet will not be. */
void look_ask(struct look *l, const struct ui_target *of);
/* Readable where an answer waits. */
int look_fd(const struct look *l);
/* The newest answer; false for none. What it shows is valid until the next look_take or look_stop. */
bool look_take(struct look *l, struct ui_target *of, struct ui_files *out);
/* A thread that the kernel holds is left to itself after 100 ms. Accepts NULL. */
void look_stop(struct look *l);

#endif
