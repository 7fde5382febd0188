/*
 * How a metric is worked out of counters: the rows of oa_equations.c, which oa_derive.c works out.
 */
#ifndef GWTOP_BACKEND_INTEL_OA_EQUATIONS_H
#define GWTOP_BACKEND_INTEL_OA_EQUATIONS_H

#include "oa.h"

enum form {
    NUMBER, /* as it is */
    SHARE,  /* of core clocks */
    RATE    /* in a second */
};
enum join {
    SUM,
    MOST, /* of parts that are there; what is not there counts nothing */
    MEAN  /* likewise */
};
enum share_of {
    ONE,
    EU,
    EU_FIRST, /* by units, then by threads of one */
    EU_LAST   /* the other way round */
};

/* Sets in which an equation holds; ANY: also where it is not known what is programmed. */
#define ANY     0
#define IN(set) (1u << OA_SET_##set)
#define FLEX    (IN(RENDER_BASIC) | IN(COMPUTE_BASIC) | IN(SMALL))
#define COMPUTE IN(COMPUTE_BASIC)
#define MUX     IN(RENDER_BASIC)

struct equation {
    uint16_t metric;
    uint8_t form;
    uint8_t join;
    uint8_t of;
    uint8_t sets;
    uint8_t factor;
    uint8_t gt;    /* of which alone it is known; 0 any */
    uint8_t count; /* of counters; 0: the metric exists, and nobody knows how to work it out */
    uint8_t counters[4];
    /* Subslices of which one must be there for the counter of this place to count; 0: none need be. */
    uint16_t present[2];
};

/* The lists of a platform one after another, each up to a row of METRIC_COUNT; NULL past the last. */
#define OA_EQUATION_PARTS 4
const struct equation *oa_equations_of(unsigned platform, unsigned part);

#endif
