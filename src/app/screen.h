/* The interactive screen over a feed. */
#ifndef APP_SCREEN_H
#define APP_SCREEN_H

#include "feed.h"
#include "gwtop/settings.h"

/* What the screen was asked for by the command line and the configuration file together. */
struct screen_choice {
    const struct options *options;
    struct settings settings;
    char *save_path; /* where Setup saves; NULL: nowhere */
};
/* Warnings about the file go to stderr and to the log. Comes before the machine is opened: the settings may forbid
 * what options ask of it. screen_choice_finish() also after a failure. */
enum err screen_choose(const struct options *o, struct screen_choice *out, struct err_info *info);
void screen_choice_finish(struct screen_choice *c);

/* Takes the feed over and closes it. Exit status. */
int screen_run(const struct screen_choice *c, struct feed *take_feed, bool replay);

#endif
