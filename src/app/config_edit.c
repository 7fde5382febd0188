/*
 * The text of the configuration file with other values: lines that a person wrote stay as they are. A setting is
 * changed where it stands, else where it stands as a comment, else it is added to the end of its section.
 */
#include <string.h>

#include "config_text.h"

struct editing {
    const struct settings *wanted;
    struct config_places places;
    bool is_wrong[SETTING_COUNT]; /* the text says something else */
    struct buf *out;
};

static void put_pair(const struct editing *e, enum setting s) {
    buf_text(e->out, setting_info(s)->key);
    buf_text(e->out, " = ");
    settings_put(e->wanted, s, e->out);
}

/* The value alone; what stands around it stays. */
static void put_changed(const struct editing *e, enum setting s, struct span line) {
    struct config_line l;
    if (!config_split(line, &l))
        return;
    buf_span(e->out, l.before);
    buf_text(e->out, l.value.p == line.p || l.value.p[-1] == ' ' ? "" : " ");
    settings_put(e->wanted, s, e->out);
    buf_span(e->out, l.rest);
}

/* Which setting is changed in this line; SETTING_COUNT for none. */
static enum setting changed_at(const struct editing *e, unsigned number, bool *is_asleep) {
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        *is_asleep = e->places.of[i] == 0;
        if (e->is_wrong[i] && number == (*is_asleep ? e->places.asleep[i] : e->places.of[i]))
            return (enum setting)i;
    }
    return SETTING_COUNT;
}

static void put_line(const struct editing *e, unsigned number, struct span line) {
    bool is_asleep;
    enum setting s = changed_at(e, number, &is_asleep);
    if (s == SETTING_COUNT)
        buf_span(e->out, line);
    else if (is_asleep)
        put_pair(e, s);
    else
        put_changed(e, s, line);
    buf_char(e->out, '\n');
}

static bool is_missing(const struct editing *e, unsigned i) {
    return e->is_wrong[i] && e->places.of[i] == 0 && e->places.asleep[i] == 0;
}

static void put_missing(const struct editing *e, unsigned i) {
    setting_put_comment((enum setting)i, e->out);
    buf_char(e->out, '\n');
    put_pair(e, (enum setting)i);
    buf_char(e->out, '\n');
}

/* What is added below a line, which ends the section of it. */
static void put_added(const struct editing *e, unsigned number) {
    for (unsigned i = 0; i < SETTING_COUNT; i++)
        if (is_missing(e, i) && e->places.end[i] == number)
            put_missing(e, i);
}

/* What has no section yet. */
static void put_sections(const struct editing *e) {
    const char *section = "";
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        if (!is_missing(e, i) || e->places.end[i] > 0)
            continue;
        const char *own = setting_info((enum setting)i)->section;
        if (strcmp(section, own) != 0) {
            buf_text(e->out, "\n[");
            buf_text(e->out, own);
            buf_text(e->out, "]\n");
            section = own;
        }
        put_missing(e, i);
    }
}

void config_edit(struct span old, const struct settings *s, struct buf *out) {
    struct editing e = {.wanted = s, .out = out};
    struct buf unused = {0};
    struct settings said;
    struct cursor lines = cursor_over(config_body(old));
    struct span line;
    if (config_body(old).n == 0) {
        settings_put_file(s, out);
        return;
    }
    settings_init(&said);
    config_parse(old, "", &said, &unused, &e.places);
    buf_finish(&unused);
    for (unsigned i = 0; i < SETTING_COUNT; i++)
        e.is_wrong[i] = !settings_same(&said, s, (enum setting)i);
    for (unsigned number = 1; cursor_line(&lines, &line); number++) {
        put_line(&e, number, line);
        put_added(&e, number);
    }
    put_sections(&e);
}
