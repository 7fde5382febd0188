/* See beside.h. */
#include "beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum err path_failed(const char *path, struct err_info *info) {
    int sys = errno;
    return err_set(info, err_from_sys(sys), sys, path, strerror(sys));
}

enum err beside_replace(const char *target, const char *named,
                        enum err (*fill)(void *ctx, int fd, struct err_info *info), void *ctx,
                        struct err_info *info) {
    char beside[BESIDE_PATH_MAX + 8];
    snprintf(beside, sizeof beside, "%s.XXXXXX", target);
    int fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return path_failed(named, info);
    enum err e = fill(ctx, fd, info);
    if (close(fd) != 0 && e == ERR_OK)
        e = path_failed(named, info);
    if (e == ERR_OK && rename(beside, target) != 0)
        e = path_failed(named, info);
    if (e != ERR_OK)
        unlink(beside);
    return e;
}
