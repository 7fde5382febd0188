/*
 * One machine for each data path of each backend: what its collector is to be walked through with failing calls. For
 * cmocka tests.
 */
#ifndef TEST_FAULTROWS_H
#define TEST_FAULTROWS_H

#include "gwtop/source.h"

#define FAULT_PAGE_NS 1000000 /* between two pages of a stream */

struct fault_row {
    const char *name;
    const char *backend; /* whose row it is */
    const char *with;    /* another one that it takes; NULL */
    const char *facts;   /* of the machine */
    void (*put)(const char *root);
    const struct host_io *(*play)(
        const char *root);          /* the kernel's part; NULL: plain files will do */
    void (*more)(const char *root); /* before each tick: what streams hand out next; NULL */
    const char *knob;               /* holds "0\n" before and after; NULL */
    const char *instances;          /* a folder that is empty before and after; NULL */
    unsigned least;                 /* calls that two ticks make at least */
};
extern const struct fault_row fault_rows[];
extern const size_t fault_row_count;

#endif
