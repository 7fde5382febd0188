/*
 * Options that are settings of the screen: one table says which. The later one on the command line wins, whichever
 * way it was written.
 */
#include "options_setting.h"

#include <string.h>

#include "commands.h"
#include "options_value.h"

static const struct row {
    uint16_t option;
    uint16_t setting;
    const char *value; /* NULL: what the option takes */
} rows[] = {
    {OPT_DELAY, SETTING_DELAY, NULL},           {OPT_SORT, SETTING_SORT, NULL},
    {OPT_FILTER, SETTING_FILTER, NULL},         {OPT_FIELDS, SETTING_FIELDS, NULL},
    {OPT_THEME, SETTING_THEME, NULL},           {OPT_TREE, SETTING_TREE, "yes"},
    {OPT_NO_MOUSE, SETTING_MOUSE, "no"},        {OPT_PLAIN, SETTING_PLAIN, "yes"},
    {OPT_READONLY, SETTING_READONLY, "yes"},    {OPT_NO_COLOR, SETTING_COLOR, "never"},
    {OPT_NO_UNICODE, SETTING_UNICODE, "never"},
};

/* Turn a knob of the machine, or hold something of it. */
static const uint16_t knobs[] = {OPT_SET_PROFILING, OPT_MALI_PROFILING, OPT_TRACEFS, OPT_COUNTERS};

static const struct row *row_of_option(enum option_id id) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].option == id)
            return &rows[i];
    return NULL;
}

static const struct row *row_of_setting(enum setting s) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].setting == s)
            return &rows[i];
    return NULL;
}

enum err options_overlay(struct options *o, enum option_id id, const char *arg,
                         struct err_info *info) {
    const struct row *r = row_of_option(id);
    if (!r)
        return ERR_OK;
    const struct setting_info *s = setting_info((enum setting)r->setting);
    struct span value = span_of(r->value ? r->value : arg);
    /* A recording may have a delay that no screen has, and what -s, -F and --fields take is told where it is used. */
    bool may_differ = s->kind == SETTING_KIND_DELAY || s->kind == SETTING_KIND_TEXT;
    enum err e = settings_set(&o->settings, span_of(s->key), value, may_differ ? NULL : info);
    o->is_set[r->setting] = e == ERR_OK || o->is_set[r->setting];
    return may_differ ? ERR_OK : e;
}

/* The option of the setting says what the setting does. */
static enum err follow(struct options *o, const struct row *r, const char *value,
                       struct err_info *info) {
    enum setting s = (enum setting)r->setting;
    struct settings wanted;
    if (setting_info(s)->kind == SETTING_KIND_TEXT)
        value = setting_text(&o->settings, s);
    if (!*value)
        value = NULL; /* as if the option was not there */
    if (!r->value)
        return option_take(o, (enum option_id)r->option, value, info);
    settings_init(&wanted);
    (void)settings_set(&wanted, span_of(setting_info(s)->key), span_of(r->value), NULL);
    o->given[r->option] = wanted.number[s] == o->settings.number[s];
    return ERR_OK;
}

enum err options_set(struct options *o, const char *text, struct err_info *info) {
    const char *equals = strchr(text, '=');
    if (!equals)
        return err_set(info, ERR_USAGE, 0, "--set takes KEY=VALUE; not", text);
    struct span key = span_trim((struct span){text, (size_t)(equals - text)});
    enum err e = settings_set(&o->settings, key, span_of(equals + 1), info);
    if (e != ERR_OK)
        return e;
    enum setting s = setting_find(key);
    o->given[OPT_SET] = true;
    o->is_set[s] = true;
    const struct row *r = row_of_setting(s);
    return r ? follow(o, r, equals + 1, info) : ERR_OK;
}

enum err options_check_readonly(const struct options *o, const char *why, struct err_info *info) {
    if (o->command->run == command_record)
        return err_set(info, ERR_USAGE, 0, "record writes a file: not with", why);
    if (o->command->run == command_report)
        return err_set(info, ERR_USAGE, 0, "report writes a file: not with", why);
    if (o->given[OPT_BUNDLE])
        return err_set(info, ERR_USAGE, 0, "--bundle writes a file: not with", why);
    for (size_t i = 0; i < sizeof(knobs) / sizeof(*knobs); i++) {
        if (o->given[knobs[i]]) {
            struct buf b = {0};
            buf_text(&b, "--");
            buf_text(&b, option_list[knobs[i]].name);
            buf_text(&b, " changes the machine: not with");
            buf_char(&b, '\0');
            err_set(info, ERR_USAGE, 0, b.failed ? "not with" : b.p, why);
            buf_finish(&b);
            return ERR_USAGE;
        }
    }
    return ERR_OK;
}
