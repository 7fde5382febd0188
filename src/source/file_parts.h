/*
 * The parts of a vendor file that is read: opening it (file_open.c) and handing it on (file.c).
 */
#ifndef GWTOP_SOURCE_FILE_PARTS_H
#define GWTOP_SOURCE_FILE_PARTS_H

#include "file.h"

#define PIECE_BYTES ((size_t)64 << 10) /* a frame, unless a single unit is larger */
#define UNIT_MAX    ((size_t)16 << 20) /* largest unit; what is no unit by then goes as it is */
#define HEAD_MAX    64                 /* bytes at the start that tell how the rest is to be read */

struct file {
    struct source source; /* first: what the world sees */
    const struct kind *kind;
    struct input input;
    uint64_t read_at;  /* next byte of the file to read */
    struct buf window; /* bytes from `taken` on are to be emitted */
    size_t taken;
    bool at_end; /* the window reaches the end of the file */
    bool begun;  /* the first tick was emitted */
    bool done;   /* the last one was */
    bool timed;  /* in ticks of the file's own time */
    uint64_t ticks;
    struct file_clock clock;
    void *plan;              /* for next_by */
    struct file_trail trail; /* of the units that were taken */
    struct subject device;   /* id 0: there is none */
    struct subject subject;
    struct buf text; /* name and facts */
    unsigned frame_kind;
    size_t head_bytes;
    char head[HEAD_MAX];
};

extern const struct source_ops file_ops;

/* What decode reads as one is one frame, however long. */
bool file_is_one_reading(const struct kind *k);
/* Reads on until the window holds `want` bytes that wait, or the file ends. */
enum err file_fill(struct file *f, size_t want);
/* So that what stands there is next. */
void file_go_to(struct file *f, uint64_t at);
/* Hands on all that is left. */
enum err file_emit_pieces(struct file *f, const struct frame_sink *sink);
/* Takes units up to the first with a believed stamp past until_ns, and emits them unless sink is NULL. */
enum err file_take_until(struct file *f, int64_t until_ns, const struct frame_sink *sink);

#endif
