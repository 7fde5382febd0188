/*
 * Reading and writing the configuration file. What is no regular file is refused before a byte is read, so that no
 * pipe is waited for. Writing is all or nothing: a file beside it takes its place once it is on the disk.
 */
#include "config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beside.h"
#include "config.h"
#include "config_text.h"

/* ---- reading --------------------------------------------------------------------------------- */

static enum err check_kind(int fd, const char *path, struct err_info *info) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return path_failed(path, info);
    if (!S_ISREG(st.st_mode))
        return err_set(info, ERR_FORMAT, 0, path, "not a file");
    if (st.st_size > (off_t)CONFIG_SIZE_MAX)
        return err_set(info, ERR_RANGE, 0, path, "too large for a configuration (256 KiB)");
    return ERR_OK;
}

static enum err read_all(int fd, const char *path, struct buf *out, struct err_info *info) {
    ssize_t n;
    do {
        if (!buf_reserve(out, 4096))
            return err_set(info, ERR_NOMEM, 0, "out of memory", NULL);
        n = read(fd, out->p + out->n, 4096);
        if (n < 0 && errno != EINTR)
            return path_failed(path, info);
        out->n += n > 0 ? (size_t)n : 0;
    } while (n != 0 && out->n <= CONFIG_SIZE_MAX);
    return ERR_OK;
}

enum err config_read(const char *path, struct buf *out, struct err_info *info) {
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return path_failed(path, info);
    enum err e = check_kind(fd, path, info);
    if (e == ERR_OK)
        e = read_all(fd, path, out, info);
    close(fd);
    return e;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* All folders above a file, as far as they are not there. */
static enum err make_folders(const char *path, struct err_info *info) {
    char folder[CONFIG_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *p = folder + 1; (p = strchr(p, '/')) != NULL; p++) {
        *p = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST && access(folder, F_OK) != 0)
            return path_failed(folder, info);
        *p = '/';
    }
    return ERR_OK;
}

static enum err write_text(int fd, const struct buf *b) {
    for (size_t done = 0; done < b->n;) {
        ssize_t n = write(fd, b->p + done, b->n - done);
        if (n < 0 && errno != EINTR)
            return ERR_IO;
        done += n > 0 ? (size_t)n : 0;
    }
    return fsync(fd) == 0 ? ERR_OK : ERR_IO;
}

/* The name is on the disk once its folder is; where that cannot be asked for, later. */
static void sync_folder(const char *path) {
    char folder[CONFIG_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

struct content {
    const struct buf *text;
    const struct stat *old; /* of the file that is there; NULL: none is */
    const char *target;
};

/* With the mode and, as far as that is allowed, the owner of the file that was there; else for its owner alone. */
static enum err fill(void *ctx, int fd, struct err_info *info) {
    const struct content *c = ctx;
    bool is_right = write_text(fd, c->text) == ERR_OK;
    if (c->old && is_right) {
        if (fchown(fd, c->old->st_uid, c->old->st_gid) != 0)
            is_right = errno == EPERM;
        is_right = is_right && fchmod(fd, c->old->st_mode & 0777) == 0;
    }
    return is_right ? ERR_OK : path_failed(c->target, info);
}

static enum err replace(const char *target, const struct stat *old, const struct buf *b,
                        struct err_info *info) {
    struct content content = {b, old, target};
    enum err e = beside_replace(target, target, fill, &content, info);
    if (e == ERR_OK)
        sync_folder(target);
    return e;
}

/* What a link leads to; a link to nothing is left alone. */
static enum err resolve(const char *path, char target[CONFIG_PATH_MAX], bool *is_there,
                        struct err_info *info) {
    struct stat st;
    *is_there = realpath(path, target) != NULL;
    if (*is_there)
        return ERR_OK;
    if (errno != ENOENT || lstat(path, &st) == 0)
        return path_failed(path, info);
    size_t n = strlen(path) + 1;
    if (n > CONFIG_PATH_MAX)
        return err_set(info, ERR_RANGE, 0, "the configuration file has too long a path", NULL);
    memcpy(target, path, n);
    return ERR_OK;
}

enum err config_save(const char *path, const struct settings *s, struct err_info *info) {
    char target[CONFIG_PATH_MAX];
    struct buf old = {0};
    struct buf now = {0};
    struct stat st;
    bool is_there;
    if (s->number[SETTING_READONLY])
        return err_set(info, ERR_ACCESS, 0, "read-only: nothing is written", NULL);
    enum err e = resolve(path, target, &is_there, info);
    if (e == ERR_OK && is_there)
        e = stat(target, &st) == 0 ? config_read(target, &old, info) : path_failed(path, info);
    else if (e == ERR_OK)
        e = make_folders(target, info);
    if (e == ERR_OK) {
        config_edit(buf_span_of(&old), s, &now);
        e = now.failed ? err_set(info, ERR_NOMEM, 0, "out of memory", NULL)
                       : replace(target, is_there ? &st : NULL, &now, info);
    }
    buf_finish(&old);
    buf_finish(&now);
    return e;
}
