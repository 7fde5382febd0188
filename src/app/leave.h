/* The way out of a program whose threads may be in a read that does not come back. */
#ifndef GWTOP_APP_LEAVE_H
#define GWTOP_APP_LEAVE_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

/* From begin to end, 2 s at most: then what is turned is put back as after a crash, and the program ends with
 * `status`. All that is to be kept has to be written before. */
struct leave {
    pthread_t thread;
    sem_t done;
    int status;
    bool watched;
};
void leave_begin(struct leave *l, int status);
void leave_end(struct leave *l);

#endif
