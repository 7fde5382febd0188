/*
 * Recordings of a synthetic machine under a clock of our own: the real collectors read the tree, each tick's
 * times are put where they would have been. As fast as the machine allows, and the same to the byte each time and
 * everywhere: devices have the names that the synthetic machine gives them, whatever lists of names are here.
 */
#ifndef TEST_CHRONICLE_H
#define TEST_CHRONICLE_H

#include "gwtop/source.h"
#include "synth.h"

struct chronicle {
    const char *root; /* the tree of `machine` */
    struct synth *machine;
    unsigned ticks;
    int64_t delay_ns;
    bool compress;
};

/* Takes over fd. */
enum err chronicle_write(const struct chronicle *c, int take_fd, struct err_info *info);

#endif
