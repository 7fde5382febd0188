/* What shells complete: every option, command and word that gwtop knows, from the tables that say so. */
#ifndef APP_COMPLETIONS_H
#define APP_COMPLETIONS_H

#include "commands.h"

enum complete {
    COMPLETE_FREE, /* nothing that could be offered */
    COMPLETE_FILE,
    COMPLETE_FOLDER,
    COMPLETE_USER,
    COMPLETE_PID,
    COMPLETE_COMMAND, /* a program and its words: the rest of the line */
    COMPLETE_WORDS,   /* one of the words */
    COMPLETE_LIST,    /* some, with commas between */
    COMPLETE_SETTING, /* words of the form key=value, some without the value */
};

/* What may stand in one place. */
struct completion {
    enum complete what;
    enum { FROM_TEXT, FROM_COLUMNS, FROM_KINDS, FROM_SETTINGS } from;
    struct span text; /* FROM_TEXT: the words with | or , between; a single letter is none */
};

struct completion completion_of_option(enum option_id id);
/* The `i`th operand of a command as its usage has it; false past the last. */
bool completion_of_operand(const struct command *c, int i, struct completion *out);
/* All its words with `between` between two. */
void completion_put_words(struct buf *out, struct completion c, const char *between);
/* All commands with a name. */
void completion_put_commands(struct buf *out, const char *between);
/* The text as it stands between single quotes: of bash and zsh, and of fish. Each of `also` gets a backslash. */
void completion_put_quoted(struct buf *out, const char *text, const char *quote, const char *also);

/* The whole script of a shell. */
void completions_bash(struct buf *out);
void completions_zsh(struct buf *out);
void completions_fish(struct buf *out);

#endif
