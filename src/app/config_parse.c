/*
 * What the configuration file says. inih tells sections and keys; it holds lines of some 200 bytes and drops their
 * numbers, so lines are handed to it one by one from here, and values are taken from the line as it is.
 */
#include <ini.h>
#include <string.h>

#include "config_text.h"

#define WARNINGS_MOST 20

struct reading {
    struct cursor lines;
    struct span line; /* the one that inih has */
    unsigned number;
    bool is_open;        /* it has to be a setting, and inih has not said that it is */
    bool is_aside;       /* in a section that there is not */
    const char *section; /* NULL: before the first, or aside */
    struct settings *out;
    struct config_places *places;
    struct buf *warnings;
    const char *name;
    unsigned warned;
};

static void warn(struct reading *r, const char *text) {
    char name[256];
    if (++r->warned > WARNINGS_MOST)
        return;
    name[text_clean(name, sizeof name - 1, span_of(r->name))] = '\0';
    buf_text(r->warnings, name);
    buf_char(r->warnings, ':');
    buf_u64(r->warnings, r->number);
    buf_text(r->warnings, ": ");
    buf_text(r->warnings, r->warned == WARNINGS_MOST ? "and more like this" : text);
    buf_char(r->warnings, '\n');
}

static void warn_of(struct reading *r, const char *what, struct span subject) {
    struct err_info info;
    char text[64];
    text[text_clean(text, sizeof text - 1, subject)] = '\0';
    err_set(&info, ERR_USAGE, 0, what, text);
    warn(r, info.text);
}

struct span config_body(struct span text) {
    while (span_starts(text, "\xef\xbb\xbf"))
        text = span_skip(text, 3);
    return text;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* What is asked for in a text may hold any sign; elsewhere a blank and one of these begins a comment. */
static struct span without_comment(struct span v) {
    for (size_t i = 0; i + 1 < v.n; i++)
        if ((v.p[i] == ' ' || v.p[i] == '\t') && (v.p[i + 1] == ';' || v.p[i + 1] == '#'))
            return span_trim((struct span){v.p, i});
    return v;
}

bool config_split(struct span line, struct config_line *out) {
    size_t at = 0;
    while (at < line.n && line.p[at] != '=' && line.p[at] != ':')
        at++;
    if (at == line.n)
        return false;
    out->key = span_trim((struct span){line.p, at});
    struct span value = span_trim(span_skip(line, at + 1));
    if (setting_find(out->key) != SETTING_FILTER)
        value = without_comment(value);
    if (value.n == 0)
        value = (struct span){line.p + at + 1, 0};
    out->before = (struct span){line.p, (size_t)(value.p - line.p)};
    out->value = value;
    out->rest = span_skip(line, out->before.n + value.n);
    return true;
}

static const char *section_known(struct span name) {
    for (unsigned i = 0; i < SETTING_COUNT; i++)
        if (span_equals(name, setting_info((enum setting)i)->section))
            return setting_info((enum setting)i)->section;
    return NULL;
}

static void take_section(struct reading *r) {
    const char *end = memchr(r->line.p, ']', r->line.n);
    if (!end) {
        warn_of(r, "a section without its ]", r->line);
        return;
    }
    struct span name = {r->line.p + 1, (size_t)(end - r->line.p) - 1};
    r->section = section_known(name);
    r->is_aside = !r->section;
    if (r->is_aside)
        warn_of(r, "unknown section, what is in it is left out", name);
}

/* A setting behind one `#`, as settings_put_file() writes what is at its default. */
static void note_asleep(struct reading *r) {
    struct config_line l;
    struct span text = span_skip(r->line, 1);
    if (r->is_aside || r->line.p[0] != '#' || span_starts(text, " ") || !config_split(text, &l))
        return;
    enum setting s = setting_find(l.key);
    if (s != SETTING_COUNT && r->places->asleep[s] == 0)
        r->places->asleep[s] = r->number;
}

static bool is_text(struct span line) {
    for (size_t i = 0; i < line.n; i++)
        if ((unsigned char)line.p[i] < ' ' && line.p[i] != '\t')
            return false;
    return true;
}

/* Whether inih has to see the line. */
static bool take_line(struct reading *r) {
    if (r->line.n == 0)
        return false;
    if (r->line.p[0] == '#' || r->line.p[0] == ';') {
        note_asleep(r);
        return false;
    }
    if (!is_text(r->line)) {
        warn(r, "this line is no text");
        return false;
    }
    if (r->line.p[0] == '[')
        take_section(r);
    else
        r->is_open = true;
    return true;
}

static void note_end(struct reading *r) {
    for (unsigned i = 0; r->section && r->line.n > 0 && i < SETTING_COUNT; i++)
        if (strcmp(setting_info((enum setting)i)->section, r->section) == 0)
            r->places->end[i] = r->number;
}

static void close_line(struct reading *r) {
    if (r->is_open && !r->is_aside)
        warn_of(r, "this is no KEY = VALUE", r->line);
    r->is_open = false;
}

/* As fgets: always a whole line for inih, cut where it is too long for it: it needs the key alone. */
static char *next_line(char *out, int room, void *stream) {
    struct reading *r = stream;
    struct span line;
    close_line(r);
    if (room < 8 || !cursor_line(&r->lines, &line))
        return NULL;
    r->number++;
    r->line = span_trim(line);
    bool is_shown = take_line(r);
    note_end(r);
    size_t n = !is_shown ? 0 : r->line.n < (size_t)room - 2 ? r->line.n : (size_t)room - 2;
    memcpy(out, r->line.p, n);
    memcpy(out + n, "\n", 2);
    return out;
}

/* ---- settings -------------------------------------------------------------------------------- */

static void take_setting(struct reading *r, struct span key, struct span value) {
    struct err_info info = {0};
    enum setting s = setting_find(key);
    if (s != SETTING_COUNT && r->places->of[s] > 0)
        warn_of(r, "set before; this one counts", key);
    if (s != SETTING_COUNT)
        r->places->of[s] = r->number;
    if (settings_set(r->out, key, value, &info) != ERR_OK)
        warn(r, info.text);
}

#if INI_HANDLER_LINENO
static int on_pair(void *user, const char *section, const char *key, const char *value, int line) {
    (void)line;
#else
static int on_pair(void *user, const char *section, const char *key, const char *value) {
#endif
    struct reading *r = user;
    struct config_line l;
    (void)section;
    (void)value;
    /* Of a line that goes on with the one before, or has too long a key, the two differ. */
    bool is_told = r->is_open && config_split(r->line, &l) && span_equals(l.key, key);
    r->is_open = r->is_open && !is_told;
    if (is_told && !r->is_aside)
        take_setting(r, l.key, l.value);
    return 1;
}

void config_parse(struct span text, const char *name, struct settings *s, struct buf *warnings,
                  struct config_places *out) {
    struct reading r = {.lines = cursor_over(config_body(text)),
                        .out = s,
                        .places = out,
                        .warnings = warnings,
                        .name = name};
    *out = (struct config_places){0};
    (void)ini_parse_stream(next_line, &r, on_pair, &r);
}
