/* Where the configuration file stands, and how it becomes the settings of the screen. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config_file.h"
#include "config_text.h"
#include "options_setting.h"
#include "setup.h"

/* ---- where ----------------------------------------------------------------------------------- */

static bool join(char out[CONFIG_PATH_MAX], const char *folder, const char *name) {
    int n = snprintf(out, CONFIG_PATH_MAX, "%s%s", folder, name);
    return n >= 0 && n < CONFIG_PATH_MAX;
}

/* A relative XDG_CONFIG_HOME counts as not set: so the specification of it has it. */
static bool own_path(char out[CONFIG_PATH_MAX]) {
    const char *xdg = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    if (xdg && xdg[0] == '/')
        return join(out, xdg, "/gwtop/config");
    out[0] = '\0';
    return !home || home[0] != '/' || join(out, home, "/.config/gwtop/config");
}

/* What cannot be looked at is there too: reading it says why it cannot be read. */
static bool is_there(const char *path) {
    struct stat st;
    return path[0] && (stat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR));
}

enum err config_find(const struct options *o, struct config_paths *out, struct err_info *info) {
    *out = (struct config_paths){0};
    bool fits = o->config ? join(out->save, o->config, "") : own_path(out->save);
    if (!fits)
        return err_set(info, ERR_RANGE, 0, "the configuration file has too long a path", NULL);
    if (o->config || is_there(out->save))
        memcpy(out->read, out->save, sizeof out->read);
    else if (is_there(CONFIG_SYSTEM))
        memcpy(out->read, CONFIG_SYSTEM, sizeof CONFIG_SYSTEM);
    return ERR_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum err read_file(const struct config_paths *paths, struct settings *out,
                          struct buf *warnings, struct err_info *info) {
    struct config_places places;
    struct buf text = {0};
    enum err e = config_read(paths->read, &text, info);
    if (e == ERR_OK)
        config_parse(buf_span_of(&text), paths->read, out, warnings, &places);
    buf_finish(&text);
    return e;
}

/* What -c names has to be there; of the others a word that they cannot be read is enough. */
enum err config_load(const struct options *o, const struct config_paths *paths,
                     struct settings *out, struct buf *warnings, struct err_info *info) {
    struct err_info why = {0};
    settings_init(out);
    if (paths->read[0] && read_file(paths, out, warnings, &why) != ERR_OK) {
        if (o->config) {
            if (info)
                *info = why;
            return why.code;
        }
        buf_text(warnings, why.text);
        buf_char(warnings, '\n');
    }
    for (unsigned i = 0; i < SETTING_COUNT; i++)
        if (o->is_set[i])
            settings_copy(&o->settings, (enum setting)i, out);
    return ERR_OK;
}

enum err config_check_named(const struct options *o, struct err_info *info) {
    struct config_paths paths;
    struct settings settings;
    struct buf warnings = {0};
    enum err e = o->config ? config_find(o, &paths, info) : ERR_OK;
    if (e == ERR_OK && o->config)
        e = config_load(o, &paths, &settings, &warnings, info);
    buf_finish(&warnings);
    return e;
}

/* ---- the door -------------------------------------------------------------------------------- */

static enum err check_readonly(const struct options *o, const char *path, struct err_info *info) {
    struct buf b = {0};
    buf_text(&b, "readonly in ");
    buf_text(&b, path);
    buf_char(&b, '\0');
    const char *why = o->is_set[SETTING_READONLY] || b.failed ? "--readonly" : b.p;
    enum err e = options_check_readonly(o, why, info);
    buf_finish(&b);
    return e;
}

enum err settings_from_options(const struct options *o, struct settings *out, struct buf *warnings,
                               char **save_path, struct err_info *info) {
    struct config_paths paths;
    *save_path = NULL;
    settings_init(out);
    enum err e = config_find(o, &paths, info);
    if (e == ERR_OK)
        e = config_load(o, &paths, out, warnings, info);
    if (e != ERR_OK)
        return e;
    if (out->number[SETTING_READONLY])
        return check_readonly(o, paths.read, info);
    if (paths.save[0] && !(*save_path = strdup(paths.save)))
        return err_set(info, ERR_NOMEM, 0, "out of memory", NULL);
    return ERR_OK;
}

/* What the settings say was looked at when they were set, so of these nothing is wrong any more. */
enum err query_from_settings(const struct options *o, const struct settings *s,
                             struct table_query *query, struct column_set *columns,
                             struct err_info *info) {
    enum err e = query_from_options(o, query, columns, info);
    struct span sort = span_of(setting_text(s, SETTING_SORT));
    struct span fields = span_of(setting_text(s, SETTING_FIELDS));
    struct span filter = span_of(setting_text(s, SETTING_FILTER));
    if (e == ERR_OK && !o->sort && sort.n > 0)
        e = table_sort_parse(sort, query, info);
    if (e == ERR_OK && !o->fields && fields.n > 0)
        e = column_set_parse(fields, columns, info);
    if (e == ERR_OK && !o->filter)
        e = filter_parse(filter, &query->filter, info);
    query->hide_idle = s->number[SETTING_IDLE] != 0;
    query->hide_exited = s->number[SETTING_EXITED] != 0;
    return e;
}

void config_warn(const struct buf *warnings) {
    struct cursor c = cursor_over(buf_span_of(warnings));
    struct span line;
    while (cursor_line(&c, &line)) {
        fprintf(stderr, "gwtop: %.*s\n", (int)line.n, line.p);
        log_line(LOG_WARN, "%.*s", (int)line.n, line.p);
    }
}
