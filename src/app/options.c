/*
 * The command line. getopt_long does the walking, so that options may stand anywhere; the tables here say
 * what there is. A misspelt option names its neighbour.
 */
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "commands.h"
#include "nearest.h"
#include "options_setting.h"
#include "options_value.h"

#define LONG_ONLY 256 /* getopt's value of an option without a letter: this plus its id */

const struct option_info option_list[OPT_COUNT] = {
#define OPTION(id, letter, name, argument, doc) [OPT_##id] = {letter, name, argument, doc},
#include "options.def"
#undef OPTION
};

static void complain(const char *word, struct err_info *info) {
    struct buf b;
    buf_init(&b);
    buf_text(&b, "unknown option ");
    buf_text(&b, word);
    if (strncmp(word, "--", 2) == 0) {
        const char *nearest = NULL;
        unsigned least = UINT_MAX;
        for (int i = 0; i < OPT_COUNT; i++) {
            unsigned d = text_distance(span_of(word + 2), option_list[i].name);
            if (d < least) {
                least = d;
                nearest = option_list[i].name;
            }
        }
        if (nearest && word_is_near(word + 2, least)) {
            buf_text(&b, "; did you mean --");
            buf_text(&b, nearest);
            buf_text(&b, "?");
        }
    }
    buf_char(&b, '\0');
    err_set(info, ERR_USAGE, 0, b.failed ? "unknown option" : b.p, NULL);
    buf_finish(&b);
}

static void build_getopt(struct option *longs, char *shorts) {
    size_t n = 0;
    shorts[n++] = ':';
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option_info *o = &option_list[i];
        longs[i] = (struct option){o->name, o->argument ? required_argument : no_argument, NULL,
                                   LONG_ONLY + i};
        if (!o->letter)
            continue;
        shorts[n++] = o->letter;
        if (o->argument)
            shorts[n++] = ':';
    }
    longs[OPT_COUNT] = (struct option){NULL, 0, NULL, 0};
    shorts[n] = '\0';
}

static int id_of(int got) {
    if (got >= LONG_ONLY)
        return got - LONG_ONLY;
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_list[i].letter == got)
            return i;
    return -1;
}

static bool is_replayed(const struct options *o) {
    return o->operand_count > 0 &&
           (strcmp(o->command->name, "replay") == 0 || strcmp(o->command->name, "report") == 0);
}

/* A file holds one exposition, which is of one look. */
static enum err check_openmetrics(const struct options *o, struct err_info *info) {
    if (o->given[OPT_JSON] || o->given[OPT_CSV])
        return err_set(info, ERR_USAGE, 0, "--openmetrics, --json and --csv: one of them", NULL);
    if (o->given[OPT_BATCH] || o->iterations > 1)
        return err_set(info, ERR_USAGE, 0,
                       "--openmetrics is one snapshot: without -b and -n (gwtop serve shows each)",
                       NULL);
    if (o->given[OPT_FROM])
        return err_set(info, ERR_USAGE, 0, "--openmetrics speaks of the whole span: without --from",
                       NULL);
    return ERR_OK;
}

static enum err take_operands(int count, char **words, struct options *out, struct err_info *info) {
    int i = 0;
    out->command = command_find("");
    if (count > 0) {
        out->command = command_find(words[0]);
        if (!out->command)
            return err_set(info, ERR_USAGE, 0, "no such command (gwtop --help names them)",
                           words[0]);
        i = 1;
    }
    out->words = words + i;
    for (; i < count && out->operand_count < OPERANDS_MAX; i++)
        out->operands[out->operand_count++] = words[i];
    if (out->given[OPT_HELP] || out->given[OPT_VERSION])
        return ERR_OK;
    if (out->given[OPT_READONLY] && options_check_readonly(out, "--readonly", info) != ERR_OK)
        return ERR_USAGE;
    if (out->command->operand_max >= 0 &&
        (i < count || out->operand_count > out->command->operand_max))
        return err_set(info, ERR_USAGE, 0, "one word too many",
                       out->operands[out->operand_count - 1]);
    if (out->given[OPT_BUNDLE] && strcmp(out->command->name, "doctor") != 0)
        return err_set(info, ERR_USAGE, 0, "--bundle is for doctor", NULL);
    if (out->given[OPT_DELAY] && out->delay_ns < OPTIONS_LEAST_NS && !is_replayed(out))
        return err_set(info, ERR_USAGE, 0, "--delay below 100ms is for recordings only", NULL);
    if (out->from_ns > out->to_ns)
        return err_set(info, ERR_USAGE, 0, "--to is before --from", NULL);
    if (out->given[OPT_FROM] && out->given[OPT_ONCE])
        return err_set(info, ERR_USAGE, 0, "--once speaks of the whole span: without --from", NULL);
    if (out->operand_count < out->command->operand_min)
        return err_set(info, ERR_USAGE, 0, "usage", out->command->usage);
    return out->given[OPT_OPENMETRICS] ? check_openmetrics(out, info) : ERR_OK;
}

static enum err take(struct options *out, enum option_id id, const char *arg,
                     struct err_info *info) {
    if (id == OPT_SET)
        return options_set(out, arg, info);
    enum err e = option_take(out, id, arg, info);
    return e == ERR_OK ? options_overlay(out, id, arg, info) : e;
}

enum err options_parse(int argc, char **argv, struct options *out, struct err_info *info) {
    struct option longs[OPT_COUNT + 1];
    char shorts[3 * OPT_COUNT + 2];
    *out = (struct options){.speed_milli = -1, .to_ns = INT64_MAX};
    settings_init(&out->settings);
    /* Whose failure it is, should the words not parse. */
    out->command = argc > 1 ? command_find(argv[1]) : NULL;
    build_getopt(longs, shorts);
    opterr = 0;
    optind = 1;
    while (optind <= argc) {
        int at = optind;
        int got = getopt_long(argc, argv, shorts, longs, NULL);
        if (got == -1)
            break;
        if (got == ':')
            return err_set(info, ERR_USAGE, 0, "needs a value", argv[optind - 1]);
        int id = got == '?' ? -1 : id_of(got);
        if (id < 0) {
            char letter[3] = {'-', (char)optopt, '\0'};
            bool by_letter = optopt > 0 && optopt < LONG_ONLY && argv[at][1] != '-';
            complain(by_letter ? letter : argv[optind - 1], info);
            return ERR_USAGE;
        }
        if (take(out, (enum option_id)id, optarg, info) != ERR_OK)
            return ERR_USAGE;
    }
    return take_operands(argc - optind, argv + optind, out, info);
}
