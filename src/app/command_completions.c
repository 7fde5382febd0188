/* `gwtop completions SHELL`: the script for a shell on stdout. `make install` puts them to their places. */
#include <string.h>
#include <unistd.h>

#include "completions.h"
#include "setup.h"

static const struct {
    const char *shell;
    void (*put)(struct buf *out);
} shells[] = {
    {"bash", completions_bash},
    {"zsh", completions_zsh},
    {"fish", completions_fish},
};

int command_completions(const struct options *o) {
    struct err_info info = {0};
    for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
        struct buf b;
        if (strcmp(o->operands[0], shells[i].shell) != 0)
            continue;
        buf_init(&b);
        shells[i].put(&b);
        enum err e = write_all(STDOUT_FILENO, &b, &info);
        buf_finish(&b);
        return e == ERR_OK || e == ERR_CLOSED ? EXIT_DONE : report(&info);
    }
    err_set(&info, ERR_USAGE, 0, "completions are for bash, zsh and fish; not", o->operands[0]);
    return report(&info);
}
