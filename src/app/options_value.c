/*
 * What options take: numbers, times, words, checked before they are used, and what is said of a value that an
 * option does not take.
 */
#include "options_value.h"

#include <string.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)
/* Time between ticks, in a vendor's recording. */
#define LEAST_REPLAYED_NS INT64_C(1000)

static bool cut_suffix(struct span *s, const char *suffix) {
    size_t n = strlen(suffix);
    if (s->n <= n || memcmp(s->p + s->n - n, suffix, n) != 0)
        return false;
    s->n -= n;
    return true;
}

enum err options_delay(const char *text, int64_t *out_ns) {
    return span_to_delay(span_of(text), OPTIONS_LEAST_NS, out_ns);
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
    if (span_to_billionths(s, &seconds) != ERR_OK || seconds > INT64_MAX / 2 ||
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
    if (span_to_billionths(s, &v) != ERR_OK || v < NS_PER_MS || v > 1000000 * NS_PER_S)
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
    if (span_to_billionths(span_of(text), &v) != ERR_OK || v < 100 * NS_PER_MS || v > 2 * NS_PER_S)
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

const char *option_words(enum option_id id) {
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
    const char *words = option_words(id);
    struct buf b;
    buf_init(&b);
    buf_text(&b, "--");
    buf_text(&b, option_list[id].name);
    buf_text(&b, " takes");
    buf_text(&b, words ? ": " : " ");
    for (const char *p = words; p && *p; p++) {
        bool bar = *p == '|' || *p == ',';
        buf_put(&b, bar ? ", " : p, bar ? 2 : 1);
    }
    if (!words) {
        buf_text(&b, option_list[id].argument);
        buf_text(&b, " (");
        buf_text(&b, option_list[id].doc);
        buf_char(&b, ')');
    }
    buf_text(&b, "; not");
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
        return parse_choice(option_words(id), arg);
    case OPT_GPU_ID:
    case OPT_L2_FEATURES:
        return parse_number(arg, UINT32_MAX);
    case OPT_TIMESTAMP_HZ:
    case OPT_CLOCK_HZ:
        return parse_number(arg, UINT64_C(10000000000));
    case OPT_OA_FLAGS:
    case OPT_OA_SAMPLE:
        return parse_choices(option_words(id), arg);
    case OPT_OA_TIMESTAMP_HZ:
        return parse_count(arg, 1000000000, &o->oa_timestamp_hz);
    case OPT_ASSUME_VOLTAGE:
        return parse_voltage(arg, &o->assume_voltage_uv);
    case OPT_DELAY:
        return span_to_delay(span_of(arg), LEAST_REPLAYED_NS, &o->delay_ns);
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
        [OPT_BUNDLE] = &o->bundle,
        [OPT_LOG] = &o->log,
        [OPT_LISTEN] = &o->listen,
        [OPT_CONFIG] = &o->config,
    };
    if (slot[id])
        *slot[id] = arg;
}

enum err option_take(struct options *o, enum option_id id, const char *arg, struct err_info *info) {
    o->given[id] = true;
    take_text(o, id, arg);
    return take_value(o, id, arg) == ERR_OK ? ERR_OK : refuse_value(id, arg, info);
}
