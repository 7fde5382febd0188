/* The interactive screen over a feed. */
#ifndef APP_SCREEN_H
#define APP_SCREEN_H

#include "feed.h"

/* Takes the feed over and closes it. Exit status. */
int screen_run(const struct options *o, struct feed *take_feed, bool replay);

#endif
