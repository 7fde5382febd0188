/* Real processes that hold descriptors and do nothing, for what is measured on a machine full of them. */
#ifndef TEST_SLEEPERS_H
#define TEST_SLEEPERS_H

#include <stdbool.h>
#include <sys/types.h>

struct sleepers {
    unsigned count;
    unsigned descriptors; /* of each, of several kinds */
    const char *node;     /* the last ones are of this file; NULL: none is */
    unsigned clients;     /* how many, over all processes */
};

/* Returns once all are up; false where some are not, and then sleepers_end is for those that are. `pids` has room for
 * all and was zeroed. */
bool sleepers_start(const struct sleepers *s, pid_t *pids);
void sleepers_end(const struct sleepers *s, pid_t *pids);

#endif
