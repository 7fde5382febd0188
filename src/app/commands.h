/* The commands of gwtop: one function each; each returns the exit status. */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "options.h"

struct command {
    const char *name; /* "" is the default one */
    const char *usage;
    const char *doc;
    int operand_min;
    int operand_max; /* -1: any number, in `words` of the options */
    int (*run)(const struct options *o);
};
extern const struct command command_list[];
extern const unsigned command_count;
/* NULL for none. */
const struct command *command_find(const char *name);

/* EXIT_STAT: any failure of `stat` itself, as timeout(1) has it. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_STAT = 125 };

int command_top(const struct options *o);
int command_record(const struct options *o);
int command_replay(const struct options *o);
int command_stat(const struct options *o);
int command_serve(const struct options *o);
int command_decode(const struct options *o);
int command_report(const struct options *o);
int command_config(const struct options *o);
int command_doctor(const struct options *o);
int command_completions(const struct options *o);

#endif
