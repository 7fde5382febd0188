/* Completions for fish: one `complete` line for each option, command and operand. */
#include "completions.h"

static void put_quoted(struct buf *out, const char *text) {
    buf_char(out, '\'');
    completion_put_quoted(out, text, "\\'", "\\");
    buf_char(out, '\'');
}

/* The flags that say what an argument may be. */
static void put_values(struct buf *out, struct completion c) {
    static const char *const flags[] = {
        [COMPLETE_FREE] = "-x",
        [COMPLETE_FILE] = "-r -F",
        [COMPLETE_FOLDER] = "-x -a '(__fish_complete_directories)'",
        [COMPLETE_USER] = "-x -a '(__fish_complete_users)'",
        [COMPLETE_PID] = "-x -a '(__fish_complete_pids)'",
        [COMPLETE_COMMAND] = "-a '(__fish_complete_command)'",
        [COMPLETE_WORDS] = "-x -a '",
        [COMPLETE_LIST] = "-x -a '(__fish_append , ",
        [COMPLETE_SETTING] = "-x -a '",
    };
    buf_text(out, flags[c.what]);
    if (c.what < COMPLETE_WORDS)
        return;
    completion_put_words(out, c, " ");
    buf_text(out, c.what == COMPLETE_LIST ? ")'" : "'");
}

static void put_option(struct buf *out, enum option_id id) {
    const struct option_info *o = &option_list[id];
    buf_text(out, "complete -c gwtop");
    if (o->letter) {
        buf_text(out, " -s ");
        buf_char(out, o->letter);
    }
    buf_text(out, " -l ");
    buf_text(out, o->name);
    if (o->argument) {
        buf_char(out, ' ');
        put_values(out, completion_of_option(id));
    }
    buf_text(out, " -d ");
    put_quoted(out, o->doc);
    buf_char(out, '\n');
}

static void put_command(struct buf *out, const struct command *c) {
    struct completion it;
    buf_text(out, "complete -c gwtop -n \"not __fish_seen_subcommand_from $commands\" -a ");
    buf_text(out, c->name);
    buf_text(out, " -d ");
    put_quoted(out, c->doc);
    buf_char(out, '\n');
    for (int i = 0; completion_of_operand(c, i, &it); i++) {
        if (it.what == COMPLETE_FREE)
            continue;
        buf_text(out, "complete -c gwtop -n '__fish_seen_subcommand_from ");
        buf_text(out, c->name);
        buf_text(out, "' ");
        put_values(out, it);
        buf_char(out, '\n');
    }
}

void completions_fish(struct buf *out) {
    buf_text(out, "# fish completions of gwtop, as `gwtop completions fish` writes them.\n"
                  "set -l commands ");
    completion_put_commands(out, " ");
    buf_text(out, "\ncomplete -c gwtop -f\n");
    for (int i = 0; i < OPT_COUNT; i++)
        put_option(out, (enum option_id)i);
    for (unsigned i = 0; i < command_count; i++)
        if (command_list[i].name[0])
            put_command(out, &command_list[i]);
}
