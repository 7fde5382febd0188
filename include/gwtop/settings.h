/*
 * settings: what a user chose for the screen, and keeps in a file. Pure: text in, text out; where the file stands
 * is the app's affair. Door of the room `view`.
 *
 * Of a file, the command line and the keys the later one wins. Text and machine outputs do not look at the file:
 * what a script prints is the same on every machine.
 */
#ifndef GWTOP_SETTINGS_H
#define GWTOP_SETTINGS_H

#include "gwtop/base.h"

enum setting {
#define SETTING(id, ...) SETTING_##id,
#include "gwtop/settings.def"
#undef SETTING
    SETTING_COUNT
};

enum setting_kind { SETTING_KIND_BOOL, SETTING_KIND_CHOICE, SETTING_KIND_DELAY, SETTING_KIND_TEXT };

struct setting_info {
    const char *section;
    const char *key;
    const char *choices;  /* words with bars between; "" but for a choice */
    const char *fallback; /* its default, as it is written */
    const char *doc;
    uint8_t kind; /* enum setting_kind */
};
/* Never NULL for s < SETTING_COUNT. */
const struct setting_info *setting_info(enum setting s);
/* By key, exactly; SETTING_COUNT for none. */
enum setting setting_find(struct span key);
/* The `i`th word of a choice; empty past the last. */
struct span setting_choice(enum setting s, unsigned i);

#define SETTING_TEXT_MAX 512 /* bytes; as long as a filter may be */
#define SETTING_TEXTS    3
/* Flat: a copy is a set of settings of its own. */
struct settings {
    int64_t number[SETTING_COUNT];              /* 0 or 1; which of the choices; ns */
    char text[SETTING_TEXTS][SETTING_TEXT_MAX]; /* of those that are texts; see setting_text() */
};

void settings_init(struct settings *s); /* all defaults */
/* ERR_USAGE with one sentence in info: no such key (and the nearest), or what the value may be; then nothing changed. A
 * value may stand in quotes. A bool takes yes, no, true, false, on, off, 1, 0. Texts are clean UTF-8 and mean something:
 * what is kept is what -s, --fields and -F take. */
enum err settings_set(struct settings *s, struct span key, struct span value,
                      struct err_info *info);
/* Whether a text means something as this setting: ERR_USAGE and a sentence where it does not. */
enum err setting_check(enum setting which, struct span text, struct err_info *info);
/* The value as the file has it: what settings_set() makes the same again, on one line. */
void settings_put(const struct settings *s, enum setting which, struct buf *out);
/* A text setting, NUL-terminated; "" for others. */
const char *setting_text(const struct settings *s, enum setting which);
/* Whatever it means, without blanks at its ends. ERR_RANGE where it is too long, not clean, or `which` is no text: then
 * nothing changed. */
enum err setting_set_text(struct settings *s, enum setting which, struct span text);
void settings_copy(const struct settings *from, enum setting which, struct settings *to);
/* True where both say the same of it. */
bool settings_same(const struct settings *a, const struct settings *b, enum setting which);
/* A comment of one line, "# meaning (choices)", as it stands above a setting in the file. */
void setting_put_comment(enum setting which, struct buf *out);
/* Another of the values that a setting of yes or no, choices or a delay has: `by` steps on (negative: back), around the
 * end but for a delay. Nothing for a text. */
void settings_step(struct settings *s, enum setting which, int by);
/* The whole file: sections, each setting below a comment with its meaning, what is at its default commented out. */
void settings_put_file(const struct settings *s, struct buf *out);

#endif
