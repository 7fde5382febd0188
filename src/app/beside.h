/* A file that takes its place whole: written beside it, then put there. */
#ifndef APP_BESIDE_H
#define APP_BESIDE_H

#include "gwtop/base.h"

#define BESIDE_PATH_MAX 4096 /* bytes of a path, with its NUL */

/* errno as an error that names the path. */
enum err path_failed(const char *path, struct err_info *info);
/* `fill` writes the file, and gives it its mode; what it says is what is said. On any failure the file at `target`
 * (shorter than BESIDE_PATH_MAX) is as it was. `named`: what the user calls it. */
enum err beside_replace(const char *target, const char *named,
                        enum err (*fill)(void *ctx, int fd, struct err_info *info), void *ctx,
                        struct err_info *info);

#endif
