/*
 * The command line. getopt_long does the walking, so that options may stand anywhere; the tables here say
 * what there is. Numbers are checked before they are used; a misspelt option names its neighbour.
 */
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "commands.h"
#include "nearest.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)
/* Time between ticks: of a machine that is looked at, and in a vendor's recording. */
#define LEAST_LIVE_NS     (100 * NS_PER_MS)
#define LEAST_REPLAYED_NS INT64_C(1000)
#define LONG_ONLY         256 /* getopt's value of an option without a letter: this plus its id */

const struct option_info option_list[OPT_COUNT] = {
#define OPTION(id, letter, name, argument, doc) [OPT_##id] = {letter, name, argument, doc},
#include "options.def"
#undef OPTION
};

/* A decimal number with at most nine decimals, as billionths. */
static enum err parse_billionths(struct span s, int64_t *out) {
    struct cursor c = cursor_over(s);
    uint64_t whole = 0;
    uint64_t part = 0;
    uint64_t scale = NS_PER_S;
    if (cursor_u64(&c, &whole) != ERR_OK || whole > INT64_MAX / NS_PER_S - 1)
        return ERR_USAGE;
    if (!cursor_at_end(&c) && *c.p == '.') {
        c.p++;
        for (; !cursor_at_end(&c) && *c.p >= '0' && *c.p <= '9' && scale > 1; c.p++) {
            scale /= 10;
            part += (uint64_t)(*c.p - '0') * scale;
        }
    }
    if (!cursor_at_end(&c))
        return ERR_USAGE;
    *out = (int64_t)(whole * NS_PER_S + part);
    return ERR_OK;
}

static bool cut_suffix(struct span *s, const char *suffix) {
    size_t n = strlen(suffix);
    if (s->n <= n || memcmp(s->p + s->n - n, suffix, n) != 0)
        return false;
    s->n -= n;
    return true;
}

static enum err parse_delay(const char *text, int64_t least_ns, int64_t *out_ns) {
    struct span s = span_of(text);
    int64_t v = 0;
    uint64_t tenths;
    int64_t parts = cut_suffix(&s, "us") ? 1000000 : cut_suffix(&s, "ms") ? 1000 : 1;
    if (parts > 1) {
        if (parse_billionths(s, &v) != ERR_OK)
            return ERR_USAGE;
        v /= parts;
    } else if (cut_suffix(&s, "s")) {
        if (parse_billionths(s, &v) != ERR_OK)
            return ERR_USAGE;
    } else {
        if (span_to_u64(s, &tenths) != ERR_OK || tenths > 864000)
            return ERR_USAGE;
        v = (int64_t)tenths * 100 * NS_PER_MS;
    }
    if (v < least_ns || v > 86400 * NS_PER_S)
        return ERR_RANGE;
    *out_ns = v;
    return ERR_OK;
}

enum err options_delay(const char *text, int64_t *out_ns) {
    return parse_delay(text, LEAST_LIVE_NS, out_ns);
}

enum err options_time(const char *text, int64_t *out_ns) {
    struct span s = span_of(text);
    uint64_t minutes = 0;
    const char *colon;
    int parts = 0;
    cut_suffix(&s, "s");
    while ((colon = memchr(s.p, ':', s.n)) != NULL) {
        uint64_t v;
        struct span field = {s.p, (size_t)(colon - s.p)};
        if (++parts > 2 || span_to_u64(field, &v) != ERR_OK || v > 1000000)
            return ERR_USAGE;
        minutes = minutes * 60 + v;
        s = span_skip(s, field.n + 1);
    }
    int64_t seconds;
    if (parse_billionths(s, &seconds) != ERR_OK || seconds > INT64_MAX / 2 ||
        (parts > 0 && seconds >= 60 * NS_PER_S))
        return ERR_USAGE;
    *out_ns = (int64_t)minutes * 60 * NS_PER_S + seconds;
    return ERR_OK;
}

static enum err parse_speed(const char *text, int *out) {
    int64_t v;
    struct span s = span_of(text);
    if (span_equals(s, "max")) {
        *out = 0;
        return ERR_OK;
    }
    cut_suffix(&s, "x");
    if (parse_billionths(s, &v) != ERR_OK || v < NS_PER_MS || v > 1000000 * NS_PER_S)
        return ERR_USAGE;
    *out = (int)(v / NS_PER_MS);
    return ERR_OK;
}

static enum err parse_count(const char *text, uint64_t max, uint64_t *out) {
    uint64_t v;
    if (span_to_u64(span_of(text), &v) != ERR_OK || v == 0 || v > max)
        return ERR_USAGE;
    *out = v;
    return ERR_OK;
}

/* Volts as microvolts; what no GPU runs at is a slip. */
static enum err parse_voltage(const char *text, uint32_t *out) {
    int64_t v;
    if (parse_billionths(span_of(text), &v) != ERR_OK || v < 100 * NS_PER_MS || v > 2 * NS_PER_S)
        return ERR_USAGE;
    *out = (uint32_t)(v / 1000);
    return ERR_OK;
}

/* One of the words between the bars. */
static enum err parse_choice(const char *choices, const char *text) {
    struct cursor c = cursor_over(span_of(choices));
    struct span word;
    while (cursor_field(&c, '|', &word))
        if (span_equals(word, text))
            return ERR_OK;
    return ERR_USAGE;
}

/* Decimal, or hexadecimal after "0x". */
static enum err parse_number(const char *text, uint64_t most) {
    uint64_t n = 0;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    enum err e = hex ? span_to_hex64(span_of(text), &n) : span_to_u64(span_of(text), &n);
    return e == ERR_OK && n <= most ? ERR_OK : ERR_USAGE;
}

/* Some of the words between the commas, in any order. */
static enum err parse_choices(const char *choices, const char *text) {
    struct cursor chosen = cursor_over(span_of(text));
    struct span word;
    enum err e = ERR_USAGE;
    while (cursor_field(&chosen, ',', &word)) {
        struct cursor c = cursor_over(span_of(choices));
        struct span choice;
        bool found = false;
        while (!found && cursor_field(&c, ',', &choice))
            found = choice.n == word.n && memcmp(choice.p, word.p, word.n) == 0;
        if (!found)
            return ERR_USAGE;
        e = ERR_OK;
    }
    return e;
}

/* Vendor and device, four hexadecimal digits each. */
static enum err parse_pci_id(const char *text) {
    struct span s = span_of(text);
    uint64_t id;
    if (s.n != 9 || s.p[4] != ':' || span_to_hex64((struct span){s.p, 4}, &id) != ERR_OK ||
        span_to_hex64((struct span){s.p + 5, 4}, &id) != ERR_OK)
        return ERR_USAGE;
    return ERR_OK;
}

/* The words that an option takes; NULL where they are not counted. */
static const char *words_of(enum option_id id) {
    switch (id) {
    case OPT_MALI_SOC:
        return OPTIONS_MALI_SOCS;
    case OPT_OA_FORMAT:
        return OPTIONS_OA_FORMATS;
    case OPT_MALI_DIALECT:
    case OPT_MALI_END:
    case OPT_OA_FLAGS:
    case OPT_OA_SAMPLE:
        return option_list[id].argument;
    default:
        return NULL;
    }
}

static enum err refuse_value(enum option_id id, const char *arg, struct err_info *info) {
    const char *words = words_of(id);
    struct buf b;
    buf_init(&b);
    buf_text(&b, "--");
    buf_text(&b, option_list[id].name);
    buf_text(&b, words ? " takes: " : " does not take");
    for (const char *p = words; p && *p; p++) {
        bool bar = *p == '|' || *p == ',';
        buf_put(&b, bar ? ", " : p, bar ? 2 : 1);
    }
    buf_text(&b, words ? "; not" : "");
    buf_char(&b, '\0');
    err_set(info, ERR_USAGE, 0, b.failed ? "a value that an option does not take" : b.p, arg);
    buf_finish(&b);
    return ERR_USAGE;
}

/* The parts of an option that need more than keeping its text. */
static enum err take_value(struct options *o, enum option_id id, const char *arg) {
    uint64_t n = 0;
    enum err e;
    switch (id) {
    case OPT_MALI_DIALECT:
    case OPT_MALI_END:
    case OPT_MALI_SOC:
    case OPT_OA_FORMAT:
        return parse_choice(words_of(id), arg);
    case OPT_GPU_ID:
    case OPT_L2_FEATURES:
        return parse_number(arg, UINT32_MAX);
    case OPT_TIMESTAMP_HZ:
    case OPT_CLOCK_HZ:
        return parse_number(arg, UINT64_C(10000000000));
    case OPT_OA_FLAGS:
    case OPT_OA_SAMPLE:
        return parse_choices(words_of(id), arg);
    case OPT_OA_TIMESTAMP_HZ:
        return parse_count(arg, 1000000000, &o->oa_timestamp_hz);
    case OPT_ASSUME_VOLTAGE:
        return parse_voltage(arg, &o->assume_voltage_uv);
    case OPT_DELAY:
        return parse_delay(arg, LEAST_REPLAYED_NS, &o->delay_ns);
    case OPT_ITERATIONS:
        return parse_count(arg, UINT64_MAX, &o->iterations);
    case OPT_REPEAT:
        return parse_count(arg, 10000, &o->repeat);
    case OPT_PID:
        e = parse_count(arg, INT32_MAX, &n);
        o->pid = (int32_t)n;
        return e;
    case OPT_TOP:
        e = parse_count(arg, UINT32_MAX, &n);
        o->top = (uint32_t)n;
        return e;
    case OPT_SPEED:
        return parse_speed(arg, &o->speed_milli);
    case OPT_PCI_ID:
        return parse_pci_id(arg);
    case OPT_SMU_FW:
        e = span_to_hex64(span_of(arg), &n);
        return e == ERR_OK && n <= UINT32_MAX ? ERR_OK : ERR_USAGE;
    case OPT_FROM:
        return options_time(arg, &o->from_ns);
    case OPT_TO:
        return options_time(arg, &o->to_ns);
    default:
        return ERR_OK;
    }
}

static void take_text(struct options *o, enum option_id id, const char *arg) {
    const char **slot[OPT_COUNT] = {
        [OPT_SORT] = &o->sort,
        [OPT_FILTER] = &o->filter,
        [OPT_USER] = &o->user,
        [OPT_DEVICE] = &o->device,
        [OPT_FIELDS] = &o->fields,
        [OPT_ROOT] = &o->root,
        [OPT_OUTPUT] = &o->output,
        [OPT_AS] = &o->as,
        [OPT_PCI_ID] = &o->pci_id,
        [OPT_SMU_FW] = &o->smu_fw,
        [OPT_MALI_DIALECT] = &o->mali_dialect,
        [OPT_MALI_SOC] = &o->mali_soc,
        [OPT_MALI_END] = &o->mali_end,
        [OPT_GPU_ID] = &o->gpu_id,
        [OPT_L2_FEATURES] = &o->l2_features,
        [OPT_TIMESTAMP_HZ] = &o->timestamp_hz,
        [OPT_CLOCK_HZ] = &o->clock_hz,
        [OPT_OA_FORMAT] = &o->oa_format,
        [OPT_OA_FLAGS] = &o->oa_flags,
        [OPT_OA_SAMPLE] = &o->oa_sample,
        [OPT_LOG] = &o->log,
    };
    if (slot[id])
        *slot[id] = arg;
}

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

static enum err take_operands(int count, char **words, struct options *out, struct err_info *info) {
    int i = 0;
    out->command = command_find("");
    if (count > 0) {
        out->command = command_find(words[0]);
        if (!out->command)
            return err_set(info, ERR_USAGE, 0, "no such command", words[0]);
        i = 1;
    }
    out->words = words + i;
    for (; i < count && out->operand_count < OPERANDS_MAX; i++)
        out->operands[out->operand_count++] = words[i];
    if (out->given[OPT_HELP] || out->given[OPT_VERSION])
        return ERR_OK;
    if (out->command->operand_max >= 0 &&
        (i < count || out->operand_count > out->command->operand_max))
        return err_set(info, ERR_USAGE, 0, "one word too many",
                       out->operands[out->operand_count - 1]);
    if (out->given[OPT_DELAY] && out->delay_ns < LEAST_LIVE_NS && !is_replayed(out))
        return err_set(info, ERR_USAGE, 0, "--delay below 100ms is for recordings only", NULL);
    if (out->from_ns > out->to_ns)
        return err_set(info, ERR_USAGE, 0, "--to is before --from", NULL);
    if (out->given[OPT_FROM] && out->given[OPT_ONCE])
        return err_set(info, ERR_USAGE, 0, "--once speaks of the whole span: without --from", NULL);
    if (out->operand_count < out->command->operand_min)
        return err_set(info, ERR_USAGE, 0, "usage", out->command->usage);
    return ERR_OK;
}

enum err options_parse(int argc, char **argv, struct options *out, struct err_info *info) {
    struct option longs[OPT_COUNT + 1];
    char shorts[3 * OPT_COUNT + 2];
    int got;
    *out = (struct options){.speed_milli = -1, .to_ns = INT64_MAX};
    /* Whose failure it is, should the words not parse. */
    out->command = argc > 1 ? command_find(argv[1]) : NULL;
    build_getopt(longs, shorts);
    opterr = 0;
    optind = 1;
    while (optind <= argc) {
        int at = optind;
        got = getopt_long(argc, argv, shorts, longs, NULL);
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
        out->given[id] = true;
        take_text(out, (enum option_id)id, optarg);
        if (take_value(out, (enum option_id)id, optarg) != ERR_OK)
            return refuse_value((enum option_id)id, optarg, info);
    }
    return take_operands(argc - optind, argv + optind, out, info);
}
