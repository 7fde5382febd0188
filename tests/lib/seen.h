/*
 * A sink that keeps copies of frames and holds the laws of sources against them: a subject is declared once
 * before it is spoken of and never after its end, its times never go back, parents and devices are open, ticks
 * begin and end. A breach ends the test program with a word.
 */
#ifndef TEST_SEEN_H
#define TEST_SEEN_H

#include "gwtop/core.h"

struct seen_frame {
    struct frame frame;     /* bytes are a copy with a NUL behind it */
    struct subject subject; /* texts are copies */
};

struct seen {
    struct seen_frame *items;
    uint32_t count;
    uint32_t cap;
    struct seen_subject *subjects; /* by id */
    uint32_t subject_cap;
    bool in_tick;
    unsigned ticks;
};

/* `s` starts zeroed. */
struct frame_sink seen_sink(struct seen *s);
void seen_clear(struct seen *s); /* the frames; open subjects stay known */
void seen_finish(struct seen *s);

/* What to look for; a negative member stands for any. */
struct seen_want {
    int kind;
    int type;
    int pid;
    int number;
};
/* The next such frame from *at on, which moves behind it; NULL at the end. */
const struct seen_frame *seen_next(const struct seen *s, uint32_t *at, struct seen_want w);
unsigned seen_count(const struct seen *s, struct seen_want w);
/* The only such frame; NULL where there is none or more than one. */
const struct seen_frame *seen_only(const struct seen *s, struct seen_want w);
/* The body of a frame; "" for NULL. */
const char *seen_body(const struct seen_frame *f);

#endif
