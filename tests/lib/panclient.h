/*
 * A small client of the panthor driver's counter sessions that is none of the program's code: numbers
 * and offsets stand here once more, of the test's own. What goes wrong ends the process with status 1
 * and a line on stderr.
 */
#ifndef TEST_PANCLIENT_H
#define TEST_PANCLIENT_H

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "line %d: %s (errno %d)\n", __LINE__, #what, errno);                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define FAILS(call, sys) CHECK((call) == -1 && errno == (sys))

enum { SETUP, TEARDOWN, START, STOP, SAMPLE };

struct client {
    int fd;
    unsigned id; /* of PERF_CONTROL */
    uint32_t info[11];
    unsigned slots;
    uint32_t ring_handle;
    uint32_t control_handle;
    uint8_t *ring;
    _Atomic uint64_t *index; /* extract, insert */
    int event;
    int session;
    uint64_t sent;
};

/* Request of the driver's call `id` with an argument of so many bytes. */
unsigned long panclient_call(unsigned id, unsigned size);
/* DEV_QUERY; what it returns. */
int panclient_query(int fd, uint32_t type, uint32_t size, void *to, uint32_t *said);
/* Opens the node, finds out what is there, makes both buffers and the event. */
struct client panclient_begin(const char *node, unsigned slots);
void panclient_end(const struct client *c); /* takes the mappings away */
/* What SETUP takes, with all counters. */
void panclient_fill(const struct client *c, uint8_t body[120]);
int panclient_set_up(struct client *c);
/* PERF_CONTROL with any argument, and one of START, STOP, SAMPLE with the next number. */
int panclient_control(const struct client *c, uint32_t command, uint64_t size, const void *body);
int panclient_ask(struct client *c, uint32_t command);
/* The next sample that is there after a while (NULL), and giving its slot back. */
const uint8_t *panclient_wait(const struct client *c);
void panclient_take(const struct client *c);

#endif
