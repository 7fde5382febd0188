/* How a frame of a process becomes samples and labels: what all kinds of this folder share. */
#ifndef GWTOP_BACKEND_PROC_TELL_H
#define GWTOP_BACKEND_PROC_TELL_H

#include "proc.h"

struct proc_tell {
    const struct subject *subject;
    const struct frame *frame;
    const struct sink *sink;
};

/* Cleans the text; an empty one says that there is none. */
void proc_tell_label(const struct proc_tell *t, enum label_kind kind, struct span text);
/* ERR_OK: a value. ERR_AGAIN: not known. Any other: malformed. `raw` as the kernel wrote it. */
void proc_tell_value(const struct proc_tell *t, enum metric metric, enum err e, int64_t value,
                     uint64_t raw);

#endif
