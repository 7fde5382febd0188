/*
 * The configuration file: where it stands, what it says, and how Setup writes it. It is for the screen alone; see
 * gwtop/settings.h.
 */
#ifndef APP_CONFIG_H
#define APP_CONFIG_H

#include "beside.h"
#include "gwtop/table.h"
#include "options.h"

#define CONFIG_PATH_MAX BESIDE_PATH_MAX
#define CONFIG_SIZE_MAX ((size_t)256 << 10)
#define CONFIG_SYSTEM   "/etc/gwtop.conf"

/* "" for none. */
struct config_paths {
    char read[CONFIG_PATH_MAX]; /* the first that is there */
    char save[CONFIG_PATH_MAX]; /* never the system's */
};
/* By -c, else XDG_CONFIG_HOME and HOME, else the system's. ERR_RANGE for a path that is too long. */
enum err config_find(const struct options *o, struct config_paths *out, struct err_info *info);

/* Defaults, then the file, then the command line. What is wrong in the file is a line "FILE:LINE: why" in `warnings` each
 * and costs that line alone. An error only where -c names what cannot be read. */
enum err config_load(const struct options *o, const struct config_paths *paths,
                     struct settings *out, struct buf *warnings, struct err_info *info);
/* Writes the settings there: what is in the file stays, but for the values that are others now. The folder is made where
 * there is none; the file takes its place whole, behind a link its target. */
enum err config_save(const char *path, const struct settings *s, struct err_info *info);

/* ---- the door for the screen ----------------------------------------------------------------- */

/* All of the above. *save_path is where UI_SAVE writes, to be freed; NULL: nowhere. ERR_USAGE where settings say
 * "readonly" and options turn a knob of the machine: so this comes before the machine is opened. */
enum err settings_from_options(const struct options *o, struct settings *out, struct buf *warnings,
                               char **save_path, struct err_info *info);
/* Which rows and columns, in which order: query_from_options() with what the settings say beside it. */
enum err query_from_settings(const struct options *o, const struct settings *s,
                             struct table_query *query, struct column_set *columns,
                             struct err_info *info);
/* What -c names has to be there, also for a command that nothing of it is for. */
enum err config_check_named(const struct options *o, struct err_info *info);
/* The warnings on stderr and in the log. */
void config_warn(const struct buf *warnings);

#endif
