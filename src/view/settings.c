/*
 * Settings as text and back: the table of settings.def, one value, the whole file. Pure.
 */
#include "gwtop/settings.h"

#include <limits.h>
#include <string.h>

#include "gwtop/table.h"

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
/* As for -d. */
#define DELAY_LEAST (100 * NS_PER_MS)

static const struct setting_info list[SETTING_COUNT] = {
#define SETTING(id, section, key, kind, choices, fallback, doc)                                    \
    [SETTING_##id] = {section, key, choices, fallback, doc, SETTING_KIND_##kind},
#include "gwtop/settings.def"
#undef SETTING
};

/* Which of the texts a setting is. */
static const uint8_t text_places[SETTING_COUNT] = {
    [SETTING_SORT] = 1, [SETTING_FIELDS] = 2, [SETTING_FILTER] = 3};

const struct setting_info *setting_info(enum setting s) {
    return &list[(unsigned)s < SETTING_COUNT ? s : 0];
}

enum setting setting_find(struct span key) {
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        if (span_equals(key, list[i].key)) {
            return (enum setting)i;
        }
    }
    return SETTING_COUNT;
}

/* The key nearest to a misspelt one; never NULL. */
static const char *nearest_key(struct span key) {
    const char *nearest = list[0].key;
    unsigned best = UINT_MAX;
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        unsigned d = text_distance(key, list[i].key);
        nearest = d < best ? list[i].key : nearest;
        best = d < best ? d : best;
    }
    return nearest;
}

struct span setting_choice(enum setting s, unsigned i) {
    struct cursor c = cursor_over(span_of(setting_info(s)->choices));
    struct span word;
    while (cursor_field(&c, '|', &word)) {
        if (i-- == 0) {
            return word;
        }
    }
    return (struct span){"", 0};
}

/* ---- texts ----------------------------------------------------------------------------------- */

static unsigned text_place(enum setting s) {
    return (unsigned)s < SETTING_COUNT ? text_places[s] : 0;
}

const char *setting_text(const struct settings *s, enum setting which) {
    unsigned place = text_place(which);
    return place > 0 ? s->text[place - 1] : "";
}

enum err setting_set_text(struct settings *s, enum setting which, struct span text) {
    unsigned place = text_place(which);
    text = span_trim(text);
    if (place == 0 || text.n >= SETTING_TEXT_MAX || !text_is_clean(text)) {
        return ERR_RANGE;
    }
    memcpy(s->text[place - 1], text.p, text.n);
    s->text[place - 1][text.n] = '\0';
    return ERR_OK;
}

/* ---- one value ------------------------------------------------------------------------------- */

static bool parse_bool(struct span v, int64_t *out) {
    static const char *const words[][2] = {
        {"no", "yes"}, {"false", "true"}, {"off", "on"}, {"0", "1"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (int is_set = 0; is_set < 2; is_set++) {
            if (span_equals(v, words[i][is_set])) {
                *out = is_set;
                return true;
            }
        }
    }
    return false;
}

static bool parse_choice(enum setting s, struct span v, int64_t *out) {
    struct span word;
    for (unsigned i = 0; (word = setting_choice(s, i)).n > 0; i++) {
        if (word.n == v.n && memcmp(word.p, v.p, v.n) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool is_between(struct span v, char mark) {
    return v.n >= 2 && v.p[0] == mark && v.p[v.n - 1] == mark;
}

/* Takes away one pair of quotes around the whole: `"a b"`, but not `"a" or "b"`, which a filter may be. What has a
 * quote in it too is whole where another pair stands just inside: `'"a" or "it's"'`. */
static struct span unquote(struct span v) {
    char mark = v.n > 0 ? v.p[0] : '\0';
    if ((mark != '"' && mark != '\'') || !is_between(v, mark)) {
        return v;
    }
    struct span inner = {v.p + 1, v.n - 2};
    bool is_whole =
        memchr(inner.p, mark, inner.n) == NULL || is_between(inner, mark == '"' ? '\'' : '"');
    return is_whole ? inner : v;
}

/* So that unquote() gives it back: what would lose its own quotes gets others around. */
static void put_text(struct span v, struct buf *out) {
    bool is_safe = unquote(v).n == v.n;
    char mark = !is_safe && v.p[0] == '"' ? '\'' : '"';
    buf_put(out, &mark, is_safe ? 0 : 1);
    buf_span(out, v);
    buf_put(out, &mark, is_safe ? 0 : 1);
}

/* ---- what texts mean ------------------------------------------------------------------------- */

static enum err check_sort(struct span v, struct err_info *info) {
    struct table_query q;
    return table_sort_parse(v, &q, info);
}

static enum err check_fields(struct span v, struct err_info *info) {
    struct column_set set;
    return v.n > 0 ? column_set_parse(v, &set, info) : ERR_OK;
}

static enum err check_filter(struct span v, struct err_info *info) {
    struct filter f;
    return filter_parse(v, &f, info);
}

enum err setting_check(enum setting which, struct span text, struct err_info *info) {
    static enum err (*const checks[SETTING_COUNT])(struct span, struct err_info *) = {
        [SETTING_SORT] = check_sort,
        [SETTING_FIELDS] = check_fields,
        [SETTING_FILTER] = check_filter};
    return text_place(which) > 0 ? checks[which](text, info) : ERR_OK;
}

static bool take(struct settings *s, enum setting which, struct span v) {
    switch (list[which].kind) {
    case SETTING_KIND_BOOL:
        return parse_bool(v, &s->number[which]);
    case SETTING_KIND_CHOICE:
        return parse_choice(which, v, &s->number[which]);
    case SETTING_KIND_DELAY:
        return span_to_delay(v, DELAY_LEAST, &s->number[which]) == ERR_OK;
    default:
        return setting_set_text(s, which, v) == ERR_OK;
    }
}

void settings_init(struct settings *s) {
    *s = (struct settings){0};
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        (void)take(s, (enum setting)i, span_of(list[i].fallback));
    }
}

/* "theme takes: default, light, mono, colour-blind" */
static enum err refuse(enum setting which, struct span value, struct err_info *info) {
    static const char *const words[] = {[SETTING_KIND_BOOL] = "yes|no",
                                        [SETTING_KIND_DELAY] = "100ms to 86400s",
                                        [SETTING_KIND_TEXT] = "a text of at most 511 bytes"};
    const struct setting_info *i = &list[which];
    struct buf b = {0};
    buf_text(&b, i->key);
    buf_text(&b, " takes: ");
    const char *choices = i->kind == SETTING_KIND_CHOICE ? i->choices : words[i->kind];
    for (const char *p = choices; *p; p++) {
        buf_put(&b, *p == '|' ? ", " : p, *p == '|' ? 2 : 1);
    }
    char text[64];
    text[text_clean(text, sizeof text - 1, value)] = '\0';
    buf_text(&b, "; not");
    buf_char(&b, '\0');
    err_set(info, ERR_USAGE, 0, b.failed ? i->key : b.p, text);
    buf_finish(&b);
    return ERR_USAGE;
}

enum err settings_set(struct settings *s, struct span key, struct span value,
                      struct err_info *info) {
    enum setting which = setting_find(key);
    if (which == SETTING_COUNT) {
        return err_unknown(info, "unknown setting", key, nearest_key(key));
    }
    value = span_trim(unquote(span_trim(value)));
    if (list[which].kind == SETTING_KIND_TEXT && value.n < SETTING_TEXT_MAX &&
        text_is_clean(value) && setting_check(which, value, info) != ERR_OK) {
        return ERR_USAGE;
    }
    return take(s, which, value) ? ERR_OK : refuse(which, value, info);
}

void settings_put(const struct settings *s, enum setting which, struct buf *out) {
    int64_t v = s->number[which];
    switch (setting_info(which)->kind) {
    case SETTING_KIND_BOOL:
        buf_text(out, v ? "yes" : "no");
        break;
    case SETTING_KIND_CHOICE:
        buf_span(out, setting_choice(which, (unsigned)v));
        break;
    case SETTING_KIND_DELAY:
        buf_decimal(out, v, 9);
        buf_char(out, 's');
        break;
    default:
        put_text(span_of(setting_text(s, which)), out);
    }
}

void settings_copy(const struct settings *from, enum setting which, struct settings *to) {
    unsigned place = text_place(which);
    if ((unsigned)which >= SETTING_COUNT) {
        return;
    }
    to->number[which] = from->number[which];
    if (place > 0) {
        memcpy(to->text[place - 1], from->text[place - 1], sizeof to->text[place - 1]);
    }
}

bool settings_same(const struct settings *a, const struct settings *b, enum setting which) {
    return a->number[which] == b->number[which] &&
           strcmp(setting_text(a, which), setting_text(b, which)) == 0;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static unsigned count_choices(enum setting which) {
    unsigned n = 0;
    while (setting_choice(which, n).n > 0) {
        n++;
    }
    return n;
}

/* To the next of some usual ones. */
static int64_t step_delay(int64_t ns, int by) {
    static const int64_t usual[] = {100 * NS_PER_MS, 200 * NS_PER_MS, 500 * NS_PER_MS,
                                    NS_PER_S,        2 * NS_PER_S,    5 * NS_PER_S,
                                    10 * NS_PER_S,   30 * NS_PER_S,   60 * NS_PER_S};
    enum { COUNT = sizeof usual / sizeof usual[0] };
    for (int i = 0; i < COUNT; i++) {
        int at = by > 0 ? i : COUNT - 1 - i;
        if (by > 0 ? usual[at] > ns : usual[at] < ns) {
            return usual[at];
        }
    }
    return ns;
}

void settings_step(struct settings *s, enum setting which, int by) {
    int64_t *v = &s->number[which];
    int64_t count = setting_info(which)->kind == SETTING_KIND_BOOL ? 2 : count_choices(which);
    if (setting_info(which)->kind == SETTING_KIND_DELAY) {
        *v = step_delay(*v, by);
    } else if (count > 0) {
        *v = ((*v + by) % count + count) % count;
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

void setting_put_comment(enum setting which, struct buf *out) {
    const struct setting_info *i = setting_info(which);
    const char *choices = i->kind == SETTING_KIND_BOOL ? "yes|no" : i->choices;
    buf_text(out, "# ");
    buf_text(out, i->doc);
    if (choices[0]) {
        buf_text(out, " (");
        buf_text(out, choices);
        buf_char(out, ')');
    }
}

static void put_setting(const struct settings *s, enum setting i, bool is_unchanged,
                        struct buf *out) {
    setting_put_comment(i, out);
    buf_text(out, is_unchanged ? "\n#" : "\n");
    buf_text(out, list[i].key);
    buf_text(out, " = ");
    settings_put(s, i, out);
    buf_char(out, '\n');
}

void settings_put_file(const struct settings *s, struct buf *out) {
    struct settings defaults;
    const char *section = "";
    settings_init(&defaults);
    buf_text(out, "# gwtop: what the screen looks like. A line that begins with # is a default.\n");
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(section, list[i].section) != 0) {
            section = list[i].section;
            buf_text(out, "\n[");
            buf_text(out, section);
            buf_text(out, "]\n");
        }
        put_setting(s, (enum setting)i, settings_same(s, &defaults, (enum setting)i), out);
    }
}
