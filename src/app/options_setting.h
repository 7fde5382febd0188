/* Options that are settings of the screen. */
#ifndef APP_OPTIONS_SETTING_H
#define APP_OPTIONS_SETTING_H

#include "options.h"

/* "KEY=VALUE" of --set: as the option of that setting, where it has one. ERR_USAGE with a sentence. */
enum err options_set(struct options *o, const char *text, struct err_info *info);
/* What an option that was taken says to the settings. */
enum err options_overlay(struct options *o, enum option_id id, const char *arg,
                         struct err_info *info);
/* Refuses what turns a knob of the machine or writes a file, where nothing but the screen may be written. `why`: who
 * says so. */
enum err options_check_readonly(const struct options *o, const char *why, struct err_info *info);

#endif
