/* The text of the configuration file: what it says, and the same text with other values. No I/O. */
#ifndef APP_CONFIG_TEXT_H
#define APP_CONFIG_TEXT_H

#include "gwtop/settings.h"

/* Which lines of a text count, from 1; 0: none. */
struct config_places {
    unsigned of[SETTING_COUNT];     /* the last that sets it */
    unsigned asleep[SETTING_COUNT]; /* the first that would, were it no comment */
    unsigned end[SETTING_COUNT];    /* the last line with text in the section of this setting */
};

/* Sets what the text sets. Each line that is wrong: "NAME:LINE: why" in `warnings`, at most some twenty. */
void config_parse(struct span text, const char *name, struct settings *s, struct buf *warnings,
                  struct config_places *out);
/* Appends a text that config_parse() takes for exactly `s`, whatever the old one is: its lines stay but for values that
 * are others now. Where the old one has no lines it is the whole file of settings_put_file(). */
void config_edit(struct span old, const struct settings *s, struct buf *out);

/* Without the mark that some editors put before it. */
struct span config_body(struct span text);
/* A line by its first `=` or `:`: what stands before the value with its blanks, the value, and the rest with its
 * comment. False where there is none. */
struct config_line {
    struct span key; /* trimmed */
    struct span before;
    struct span value; /* trimmed */
    struct span rest;
};
bool config_split(struct span line, struct config_line *out);

#endif
