/*
 * The subjects of a trace that are open, by id. Flat: texts by offset, so that a copy of the arrays is a
 * copy of the table.
 */
#ifndef GWTOP_SOURCE_TRACE_SUBJECTS_H
#define GWTOP_SOURCE_TRACE_SUBJECTS_H

#include "gwtop/core.h"

struct trace_subject {
    struct subject s; /* name and facts are set when the entry is handed out */
    struct text_ref text;
    uint32_t facts_at; /* within text */
    int64_t last_ns;   /* time of its newest frame */
};

/* A zeroed table is an empty one. */
struct trace_subjects {
    struct map by_id;
    struct trace_subject *list; /* any order */
    uint32_t count;
    uint32_t cap;
    struct text_pool texts;
    struct text_pool spare; /* takes the living texts when the dead ones are swept out */
    uint32_t living;        /* bytes of texts in use */
};

/* Adds `s`, whose id must not be open. `text` is its name and, from facts_at on, its facts, each with
 * its NUL. ERR_RANGE: all texts together would be more than a table takes. Entries handed out earlier are
 * void. */
enum err trace_subjects_add(struct trace_subjects *t, const struct subject *s, struct span text,
                            size_t facts_at);
/* NULL if it is not open. Valid until the next add, remove or copy. */
struct trace_subject *trace_subjects_find(struct trace_subjects *t, uint32_t id);
void trace_subjects_remove(struct trace_subjects *t, uint32_t id);
/* Makes `to` equal to `from`, reusing its memory. On ERR_NOMEM `to` is empty. */
enum err trace_subjects_copy(struct trace_subjects *to, const struct trace_subjects *from);
void trace_subjects_finish(struct trace_subjects *t);

#endif
