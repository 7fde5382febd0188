/*
 * files: several small files in one frame, as a collector read them in one go. Private to the backends; pure.
 * Of each file
 *
 *   NAME SIZE ERRNO\n
 *   SIZE bytes as they came, and \n
 *
 * NAME holds neither blanks nor line ends, and may hold '/'. Where ERRNO is not 0 the file could not be read and
 * SIZE is 0.
 */
#ifndef GWTOP_BACKEND_FILES_H
#define GWTOP_BACKEND_FILES_H

#include "gwtop/core.h"

struct file_part {
    struct span name;
    struct span bytes;
    int sys; /* errno of a failed read, else 0 */
};

enum files_step {
    FILES_END,
    FILES_PART,
    FILES_CUT, /* ends in the middle of a file: that one is not to be used */
    FILES_BAD  /* not in this form: where the next file begins cannot be told */
};

/* The next file. *out is set at FILES_PART only; after FILES_CUT and FILES_BAD comes the end. */
enum files_step files_next(struct cursor *c, struct file_part *out);

/* Appends one file. A name that holds what it may not is left out with all of its file. */
void files_put(struct buf *b, struct span name, struct span bytes, int sys);

/* What a file that could not be read says of the metrics that it should hold. */
enum state files_state(int sys);

#endif
