/*
 * A reader of the OpenMetrics 1.0 text format, written from its specification, that takes no more than it must: what
 * the specification says should be is demanded here, and so is what gwtop promises beside it (no timestamps, no empty
 * labels, no number that is none).
 */
#ifndef TEST_OPENMETRICS_H
#define TEST_OPENMETRICS_H

#include <stdbool.h>
#include <stddef.h>

#define EXPO_LABELS 16

struct expo_label {
    char *name;
    char *value; /* without its escapes */
};
struct expo_sample {
    char *name;   /* with its suffix */
    char *family; /* without */
    struct expo_label labels[EXPO_LABELS];
    unsigned label_count;
    double value;
    char *key; /* name and sorted labels: what makes it one series */
};
struct expo_family {
    char *name;
    char *type;
    char *unit; /* "" for none */
    char *help;
    unsigned samples;
};
struct expo {
    struct expo_family *families;
    unsigned family_count;
    struct expo_sample *samples;
    unsigned sample_count;
    char error[160]; /* "" where it was taken */
    unsigned line;   /* of the error, from 1 */
};

/* False where it is refused. Free with expo_finish in either case. */
bool expo_read(const char *text, size_t n, struct expo *out);
void expo_finish(struct expo *e);

/* The value of a label; "" where it has none. */
const char *expo_label_of(const struct expo_sample *s, const char *name);
const struct expo_family *expo_family_of(const struct expo *e, const char *name);
/* The only sample with this name and these labels ("device", "a", "pid", "1", NULL); NULL for none. */
const struct expo_sample *expo_find(const struct expo *e, const char *name, ...);
/* The sum of all with this name whose labels are these. `count` may be NULL. */
double expo_sum(const struct expo *e, unsigned *count, const char *name, ...);

#endif
