/*
 * rights: the one capability that looking into other users' processes needs, held no longer than a read
 * takes. Private to the room. Capabilities belong to a thread: this speaks of the one that calls.
 */
#ifndef GWTOP_SOURCE_RIGHTS_H
#define GWTOP_SOURCE_RIGHTS_H

#include <stdbool.h>

/* Makes CAP_SYS_PTRACE effective where it is permitted and was not. True if that changed anything: then
 * rights_lower must follow. */
bool rights_raise(void);
void rights_lower(void);

#endif
