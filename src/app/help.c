/* The help: what each command and option does, in two columns that fit a window of 80. */
#include <string.h>

#include "commands.h"
#include "nearest.h"
#include "options.h"

#define WIDTH       80
#define COMMANDS_AT 38 /* column of the text beside a command */
#define OPTIONS_AT  28

/* Words from column `at` on, the line standing at `column`; what is too long goes on below. */
static void put_wrapped(struct buf *out, size_t column, size_t at, struct span text) {
    struct cursor words = cursor_over(text);
    struct span word;
    bool first = true;
    if (column >= at) {
        buf_char(out, '\n');
        column = 0;
    }
    buf_fill(out, ' ', at - column);
    column = at;
    while (cursor_field(&words, ' ', &word)) {
        if (!first && column + 1 + word.n > WIDTH) {
            buf_char(out, '\n');
            buf_fill(out, ' ', at);
            column = at;
        } else if (!first) {
            buf_char(out, ' ');
            column++;
        }
        buf_span(out, word);
        column += word.n;
        first = false;
    }
    buf_char(out, '\n');
}

static void put_command(struct buf *out, const struct command *c) {
    struct buf doc;
    size_t start = out->n;
    buf_init(&doc);
    buf_text(&doc, c->doc);
    if (c->run == command_decode) {
        buf_char(&doc, ' ');
        kinds_put(&doc, ", ");
    }
    buf_text(out, "  ");
    buf_text(out, c->usage);
    put_wrapped(out, out->n - start, COMMANDS_AT, buf_span_of(&doc));
    buf_finish(&doc);
}

static void put_option(struct buf *out, const struct option_info *o) {
    size_t start = out->n;
    buf_text(out, "  ");
    if (o->letter) {
        buf_char(out, '-');
        buf_char(out, o->letter);
        buf_text(out, ", --");
    } else {
        buf_text(out, "    --");
    }
    buf_text(out, o->name);
    if (o->argument) {
        buf_char(out, ' ');
        buf_text(out, o->argument);
    }
    put_wrapped(out, out->n - start, OPTIONS_AT, span_of(o->doc));
}

/* Headings, each above the option that it begins with: in the order of options.def. */
static const struct {
    enum option_id first;
    const char *title;
} parts[] = {
    {OPT_ONCE, "Output"},
    {OPT_DELAY, "Which ticks, devices, processes, columns"},
    {OPT_NO_COLOR, "Looks and settings"},
    {OPT_ROOT, "What is read, and what is switched on meanwhile"},
    {OPT_OUTPUT, "record, report, stat, doctor"},
    {OPT_SPEED, "replay"},
    {OPT_PCI_ID, "What a driver's file does not say of itself (decode, replay)"},
    {OPT_ASSUME_VOLTAGE, "Other"},
};

static void put_title(struct buf *out, int option) {
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if ((int)parts[i].first == option) {
            buf_char(out, '\n');
            buf_text(out, parts[i].title);
            buf_text(out, ":\n");
        }
}

void options_help(struct buf *out) {
    buf_text(out, "gwtop: who is using my GPU, how much of it, and what does that cost?\n\n");
    for (unsigned i = 0; i < command_count; i++)
        put_command(out, &command_list[i]);
    for (int i = 0; i < OPT_COUNT; i++) {
        put_title(out, i);
        put_option(out, &option_list[i]);
    }
    buf_text(out, "\nKeys on the screen: F1 or h. Manual: gwtop(1).\n");
}
