/* tell: how the text of a small file becomes samples. What decoders of sysfs and hwmon share; private to the backends,
 * pure. */
#ifndef GWTOP_BACKEND_TELL_H
#define GWTOP_BACKEND_TELL_H

#include "files.h"

struct teller {
    const struct sink *sink;
    struct counts *counts;
    struct sample sample; /* what all samples of the frame share; the name is set file by file */
};
struct teller teller_of(const struct subject *s, const struct frame *f, const struct sink *sink,
                        struct counts *counts);
/* The file that the next samples come from. */
void tell_name(struct teller *t, struct span name);
void tell_value(struct teller *t, unsigned metric, int64_t value, uint64_t raw, unsigned doubt,
                unsigned rank);
void tell_state(struct teller *t, unsigned metric, enum state state, unsigned rank);

/* What a file with one number in it says. */
struct number_file {
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
enum err number_of_text(struct span text, int64_t *out);
/* Counts the file as one unit. */
void tell_number(struct teller *t, const struct number_file *n, const struct file_part *file);
/* Of a file that could not be read or is empty: counts it, and says so of each metric. */
void tell_nothing(struct teller *t, const struct file_part *file, const uint16_t *metrics,
                  size_t count, unsigned rank);
/* A file with "16.0 GT/s PCIe" in it; of `n` metric, rank and promise count. "Unknown", with or without a word after
 * it, says nothing. */
void tell_speed(struct teller *t, const struct number_file *n, const struct file_part *file);

/* The name of a file of hwmon. "temp2_input": sort "temp", number 2, part "input"; "pwm1": part "". */
struct sensor_name {
    struct span sort;
    struct span part;
    uint8_t number;
};
/* False for a name that no such file has. */
bool sensor_name_of(struct span text, struct sensor_name *out);

/* Trimmed of blanks and line ends. */
struct span text_of_file(struct span bytes);
/* These advance over what they read. */
/* The word (given in lower case) in any case. */
bool text_take_word(struct cursor *c, const char *word);
/* A decimal number times 10^9; *whole without what stands behind the point. */
bool text_take_decimal(struct cursor *c, uint64_t *billionths, uint64_t *whole);
/* "16.0 GT/s", also with more after it, in transfers in a second; `raw` as written, what stands behind a decimal
 * point left out. */
bool text_take_speed(struct cursor *c, int64_t *tps, uint64_t *raw);

#endif
