/* Which words can stand where on gwtop's command line: from how options and usages name what they take. */
#include "completions.h"

#include <string.h>

#include "gwtop/table.h"
#include "nearest.h"
#include "options_value.h"

/* Names of arguments, in options.def and in usages. */
static const struct {
    const char *name;
    struct completion it;
} names[] = {
    {"FILE", {.what = COMPLETE_FILE}},
    {"OUT.html", {.what = COMPLETE_FILE}},
    {"DIR", {.what = COMPLETE_FOLDER}},
    {"USER", {.what = COMPLETE_USER}},
    {"PID", {.what = COMPLETE_PID}},
    {"COMMAND", {.what = COMPLETE_COMMAND}},
    {"KIND", {.what = COMPLETE_WORDS, .from = FROM_KINDS}},
    {"KEY[,KEY]", {.what = COMPLETE_LIST, .from = FROM_COLUMNS}},
    {"A,B,C", {.what = COMPLETE_LIST, .from = FROM_COLUMNS}},
    {"KEY=VALUE", {.what = COMPLETE_SETTING, .from = FROM_SETTINGS}},
};

static bool is_word(struct span s) {
    return s.n > 0 && s.p[0] >= 'a' && s.p[0] <= 'z';
}

static struct completion of_argument(struct span name) {
    struct completion c = {.text = name};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (span_equals(name, names[i].name))
            return names[i].it;
    if (memchr(name.p, '|', name.n))
        c.what = COMPLETE_WORDS;
    else if (is_word(name) && memchr(name.p, ',', name.n))
        c.what = COMPLETE_LIST;
    return c;
}

struct completion completion_of_option(enum option_id id) {
    struct completion c = {.what = COMPLETE_WORDS};
    const char *argument = option_list[id].argument;
    const char *words = option_words(id);
    if (!argument)
        return (struct completion){0};
    if (id == OPT_THEME)
        words = setting_info(SETTING_THEME)->choices;
    if (!words || strcmp(words, argument) == 0)
        return of_argument(span_of(argument));
    c.text = span_of(words);
    return c;
}

/* "[FILE]" as FILE. */
static struct span without_brackets(struct span s) {
    if (span_starts(s, "["))
        s = span_skip(s, 1);
    if (s.n > 0 && s.p[s.n - 1] == ']')
        s.n--;
    return s;
}

bool completion_of_operand(const struct command *c, int i, struct completion *out) {
    struct cursor words = cursor_over(span_of(c->usage));
    struct span word;
    bool skip = false; /* what the option before takes */
    int at = -2;       /* the program and the command stand before */
    while (cursor_field(&words, ' ', &word)) {
        bool option = span_starts(word, "-") || span_equals(word, "[options]");
        if (!option && !skip && at++ == i) {
            *out = of_argument(without_brackets(word));
            return true;
        }
        skip = span_starts(word, "-") && !span_equals(word, "--");
    }
    return false;
}

static void put_text(struct buf *out, struct span text, const char *between) {
    bool first = true;
    while (text.n > 0) {
        size_t n = 0;
        while (n < text.n && text.p[n] != '|' && text.p[n] != ',')
            n++;
        /* A format's name is all capitals and digits; a lone X stands for a number. */
        if (n > 1) {
            buf_text(out, first ? "" : between);
            buf_put(out, text.p, n);
            first = false;
        }
        text = span_skip(text, n < text.n ? n + 1 : n);
    }
}

static void put_columns(struct buf *out, const char *between) {
    for (int i = 0; i < COLUMN_COUNT; i++) {
        buf_text(out, i > 0 ? between : "");
        buf_text(out, column_info((enum column)i)->key);
    }
}

/* `key=` alone where any text may follow. */
static void put_settings(struct buf *out, const char *between) {
    for (int i = 0; i < SETTING_COUNT; i++) {
        const struct setting_info *s = setting_info((enum setting)i);
        bool open = s->kind == SETTING_KIND_DELAY || s->kind == SETTING_KIND_TEXT;
        struct cursor words =
            cursor_over(span_of(s->kind == SETTING_KIND_BOOL ? "yes|no" : s->choices));
        struct span word = {0};
        for (int n = 0; (open && n == 0) || (!open && cursor_field(&words, '|', &word)); n++) {
            buf_text(out, i > 0 || n > 0 ? between : "");
            buf_text(out, s->key);
            buf_char(out, '=');
            buf_span(out, word);
        }
    }
}

void completion_put_words(struct buf *out, struct completion c, const char *between) {
    switch (c.from) {
    case FROM_TEXT:
        put_text(out, c.text, between);
        break;
    case FROM_COLUMNS:
        put_columns(out, between);
        break;
    case FROM_KINDS:
        kinds_put(out, between);
        break;
    case FROM_SETTINGS:
        put_settings(out, between);
        break;
    }
}

void completion_put_commands(struct buf *out, const char *between) {
    bool first = true;
    for (unsigned i = 0; i < command_count; i++) {
        if (!command_list[i].name[0])
            continue;
        buf_text(out, first ? "" : between);
        buf_text(out, command_list[i].name);
        first = false;
    }
}

void completion_put_quoted(struct buf *out, const char *text, const char *quote, const char *also) {
    for (; *text; text++) {
        if (*text == '\'') {
            buf_text(out, quote);
            continue;
        }
        if (strchr(also, *text))
            buf_char(out, '\\');
        buf_char(out, *text);
    }
}
