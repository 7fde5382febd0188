/* The configuration file as a file. */
#ifndef APP_CONFIG_FILE_H
#define APP_CONFIG_FILE_H

#include "gwtop/base.h"

/* All of it, at most CONFIG_SIZE_MAX; never waits for a pipe. */
enum err config_read(const char *path, struct buf *out, struct err_info *info);

#endif
