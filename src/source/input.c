/*
 * Opening what a user named as input. Sizes in bytes.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool.h"

int64_t input_read(int fd, void *to, size_t n, uint64_t at) {
    size_t done = 0;
    while (done < n && at + done <= INT64_MAX) {
        ssize_t got = pread(fd, (char *)to + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            break;
        }
        done += (size_t)got;
    }
    return (int64_t)done;
}

/* Puts a copy in the place of in->fd. */
static enum err replace(struct input *in, const char *path, const struct input_want *want,
                        struct err_info *info) {
    int copy = -1;
    enum err e = spool(in->fd, path, want, &copy, info);
    if (e != ERR_OK) {
        return e;
    }
    close(in->fd);
    in->fd = copy;
    off_t size = lseek(copy, 0, SEEK_END);
    in->size = size > 0 ? (uint64_t)size : 0;
    return ERR_OK;
}

/* A file of size 0 may well hold something: /proc and debugfs say so of all theirs. One that is given as
 * standard input may stand anywhere but at its start. */
static bool can_be_read_twice(int fd, const struct stat *st) {
    return S_ISREG(st->st_mode) && st->st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0;
}

static enum err look(struct input *in, const char *path, const struct input_want *want,
                     struct err_info *info) {
    struct stat st;
    if (fstat(in->fd, &st) != 0) {
        return err_set(info, err_from_sys(errno), errno, path, strerror(errno));
    }
    if (S_ISDIR(st.st_mode)) {
        return err_set(info, ERR_FORMAT, EISDIR, path, "is a directory");
    }
    if (can_be_read_twice(in->fd, &st)) {
        in->size = (uint64_t)st.st_size;
        return ERR_OK;
    }
    return replace(in, path, want, info);
}

/* Nobody waits in open for who writes into a pipe: a signal could come just before. */
enum err input_open(const char *path, const struct input_want *want, struct input *out,
                    struct err_info *info) {
    bool is_stdin = strcmp(path, "-") == 0;
    struct input in = {0};
    in.fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                     : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    const char *name = is_stdin ? "standard input" : path;
    if (in.fd < 0) {
        return err_set(info, err_from_sys(errno), errno, name, strerror(errno));
    }
    enum err e = look(&in, name, want, info);
    if (e == ERR_OK) {
        *out = in;
    } else {
        close(in.fd);
    }
    return e;
}
