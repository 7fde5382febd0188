/* How the text of a small file becomes samples: what all decoders of this folder but gpu_metrics share. Pure. */
#ifndef GWTOP_BACKEND_AMDGPU_TELL_H
#define GWTOP_BACKEND_AMDGPU_TELL_H

#include "device.h"

struct amd_teller {
    const struct sink *sink;
    struct counts *counts;
    struct sample sample; /* what all samples of the frame share; the name is set file by file */
};
struct amd_teller amd_teller_of(const struct subject *s, const struct frame *f,
                                const struct sink *sink, struct counts *counts);
/* The file that the next samples come from. */
void amd_tell_name(struct amd_teller *t, struct span name);
void amd_tell_value(struct amd_teller *t, unsigned metric, int64_t value, uint64_t raw,
                    unsigned doubt, unsigned rank);
void amd_tell_state(struct amd_teller *t, unsigned metric, enum state state, unsigned rank);

/* What a file with one number in it says. */
struct amd_number {
    uint16_t metric;
    uint16_t also; /* the same value is this metric too; METRIC_COUNT: none */
    int32_t times; /* value = number x times / by */
    int32_t by;
    int64_t least; /* a number outside of these is none */
    int64_t most;
    uint8_t rank;
    bool promised; /* say so where there is no value */
    bool zero_absent;
    bool share; /* in %: above 100 it is shown as 100 and not trusted */
};

/* One number alone, with blanks and a line end around it. ERR_AGAIN: an empty text. */
enum err amd_number_of(struct span text, int64_t *out);
/* Counts the file as one unit. */
void amd_tell_number(struct amd_teller *t, const struct amd_number *n,
                     const struct file_part *file);
/* Of a file that could not be read or is empty: counts it, and says so of each metric. */
void amd_tell_nothing(struct amd_teller *t, const struct file_part *file, const uint16_t *metrics,
                      size_t count, unsigned rank);
/* Trimmed of blanks and line ends. */
struct span amd_text_of(struct span bytes);

#endif
