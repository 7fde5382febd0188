/* Completions for zsh: a function _gwtop for one of the folders of fpath, which leaves the work to _arguments. */
#include "completions.h"

#include "gwtop/table.h"

#define QUOTE "'\\''"

static void put_quoted(struct buf *out, const char *text, const char *also) {
    completion_put_quoted(out, text, QUOTE, also);
}

/* What stands behind the last colon of a spec: how the words are found. */
static void put_action(struct buf *out, struct completion c) {
    static const char *const actions[] = {
        [COMPLETE_FREE] = " ",
        [COMPLETE_FILE] = "_files",
        [COMPLETE_FOLDER] = "_files -/",
        [COMPLETE_USER] = "_users",
        [COMPLETE_PID] = "_pids",
        [COMPLETE_COMMAND] = "_normal",
        [COMPLETE_WORDS] = "(",
        [COMPLETE_LIST] = "_values -s , word ",
        [COMPLETE_SETTING] = "_gwtop_settings",
    };
    if (c.what == COMPLETE_LIST && c.from == FROM_COLUMNS) {
        buf_text(out, "_gwtop_columns");
        return;
    }
    buf_text(out, actions[c.what]);
    if (c.what == COMPLETE_WORDS || c.what == COMPLETE_LIST)
        completion_put_words(out, c, " ");
    if (c.what == COMPLETE_WORDS)
        buf_char(out, ')');
}

/* The word, what it means in brackets: 'word[meaning] without the end. */
static void put_described(struct buf *out, const char *word, const char *meaning) {
    buf_text(out, word);
    buf_char(out, '[');
    put_quoted(out, meaning, "[]\\");
    buf_char(out, ']');
}

static void put_columns(struct buf *out) {
    buf_text(out, "_gwtop_columns() {\n    _values -s , column");
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const struct column_info *c = column_info((enum column)i);
        buf_text(out, " \\\n        '");
        put_described(out, c->key, c->doc);
        buf_char(out, '\'');
    }
    buf_text(out, "\n}\n");
}

static void put_settings(struct buf *out) {
    buf_text(out, "_gwtop_settings() {\n    _values setting");
    for (int i = 0; i < SETTING_COUNT; i++) {
        const struct setting_info *s = setting_info((enum setting)i);
        struct completion choices = {.what = COMPLETE_WORDS, .text = span_of(s->choices)};
        if (s->kind == SETTING_KIND_BOOL)
            choices.text = span_of("yes|no");
        if (s->kind == SETTING_KIND_DELAY || s->kind == SETTING_KIND_TEXT)
            choices.what = COMPLETE_FREE;
        buf_text(out, " \\\n        '");
        put_described(out, s->key, s->doc);
        buf_text(out, ":value:");
        put_action(out, choices);
        buf_char(out, '\'');
    }
    buf_text(out, "\n}\n");
}

static void put_commands(struct buf *out) {
    buf_text(out, "_gwtop_commands() {\n    local -a commands=(\n");
    for (unsigned i = 0; i < command_count; i++) {
        if (!command_list[i].name[0])
            continue;
        buf_text(out, "        '");
        buf_text(out, command_list[i].name);
        buf_char(out, ':');
        put_quoted(out, command_list[i].doc, "\\");
        buf_text(out, "'\n");
    }
    buf_text(out, "    )\n    _describe -t commands command commands\n}\n");
}

/* '(-s --sort)'{-s+,--sort=}'[meaning]:KEY:action' */
static void put_option(struct buf *out, enum option_id id) {
    const struct option_info *o = &option_list[id];
    buf_text(out, "        ");
    if (o->letter) {
        const char letter[] = {o->letter, '\0'};
        const char *const parts[] = {"'(-",
                                     letter,
                                     " --",
                                     o->name,
                                     ")'{-",
                                     letter,
                                     o->argument ? "+,--" : ",--",
                                     o->name,
                                     o->argument ? "=}'" : "}'"};
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
            buf_text(out, parts[i]);
        put_described(out, "", o->doc);
    } else {
        buf_text(out, "'--");
        buf_text(out, o->name);
        put_described(out, o->argument ? "=" : "", o->doc);
    }
    if (o->argument) {
        buf_char(out, ':');
        put_quoted(out, o->argument, ":\\");
        buf_char(out, ':');
        put_action(out, completion_of_option(id));
    }
    buf_text(out, "'\n");
}

static void put_operands(struct buf *out, const struct command *c) {
    struct completion it;
    buf_text(out, "    ");
    buf_text(out, c->name);
    buf_text(out, ") _arguments -s -S $options");
    for (int i = 0; completion_of_operand(c, i, &it); i++) {
        buf_text(out, it.what == COMPLETE_COMMAND ? " '*::" : " '");
        if (it.what != COMPLETE_COMMAND)
            buf_char(out, (char)('1' + i));
        buf_text(out, it.what == COMPLETE_COMMAND ? "word:" : ":word:");
        put_action(out, it);
        buf_char(out, '\'');
    }
    buf_text(out, " ;;\n");
}

void completions_zsh(struct buf *out) {
    buf_text(out, "#compdef gwtop\n# zsh completions of gwtop, as `gwtop completions zsh` writes "
                  "them.\n");
    put_columns(out);
    put_settings(out);
    put_commands(out);
    buf_text(out, "_gwtop() {\n"
                  "    local context state state_descr line curcontext=$curcontext\n"
                  "    typeset -A opt_args\n"
                  "    local -a options=(\n");
    for (int i = 0; i < OPT_COUNT; i++)
        put_option(out, (enum option_id)i);
    buf_text(out, "    )\n"
                  "    _arguments -C -s $options '1: :_gwtop_commands' '*:: :->operands' && "
                  "return\n"
                  "    case $line[1] in\n");
    for (unsigned i = 0; i < command_count; i++)
        if (command_list[i].name[0])
            put_operands(out, &command_list[i]);
    buf_text(out, "    esac\n}\n_gwtop \"$@\"\n");
}
