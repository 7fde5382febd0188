/* Signals as a descriptor to poll: the handlers only leave a byte in a pipe. */
#ifndef APP_SIGNALS_H
#define APP_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* INT, TERM, HUP and QUIT ask for the end; PIPE is ignored, since writes report it. */
void signals_init(void);
/* Every disposition as it was before signals_init: for a child that runs another program. */
void signals_restore(void);
/* Readable once the end was asked for. */
int signals_fd(void);
/* The number of the first signal that asked for the end, or 0. */
int signals_got(void);
/* Sleeps until `due_ns` (CLOCK_MONOTONIC), until `fd` (-1: none) is readable, or the end is asked for. True
 * in the last case. */
bool signals_wait(int fd, int64_t due_ns);

#endif
