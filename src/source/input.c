/*
 * Opening what a user named as input. Sizes in bytes.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES 65536

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

static int open_unnamed(const char *dir) {
    int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) {
        return fd;
    }
    /* Not every file system knows files without a name. */
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/gwtop-XXXXXX", dir);
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path);
    }
    return fd;
}

static bool write_all(int fd, const char *p, size_t n) {
    while (n > 0) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno != EINTR) {
            return false;
        }
        p += put > 0 ? put : 0;
        n -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool copy_to(int from, int to) {
    char block[COPY_BYTES];
    for (;;) {
        ssize_t got = read(from, block, sizeof block);
        if (got == 0) {
            return true;
        }
        if ((got < 0 && errno != EINTR) || (got > 0 && !write_all(to, block, (size_t)got))) {
            return false;
        }
    }
}

/* Puts a copy in the place of in->fd, which is closed in any case. */
static enum err spool(struct input *in, const char *path, struct err_info *info) {
    const char *dir = getenv("TMPDIR");
    int copy = open_unnamed(dir && dir[0] ? dir : "/tmp");
    bool copied = copy >= 0 && copy_to(in->fd, copy);
    int sys = errno;
    close(in->fd);
    in->fd = copy;
    if (!copied) {
        err_set(info, err_from_sys(sys), sys, copy < 0 ? "no temporary file" : path, strerror(sys));
        return err_from_sys(sys);
    }
    off_t size = lseek(copy, 0, SEEK_END);
    in->size = size > 0 ? (uint64_t)size : 0;
    return ERR_OK;
}

/* A file of size 0 may well hold something: /proc and debugfs say so of all theirs. One that is given as
 * standard input may stand anywhere but at its start. */
static bool can_be_read_twice(int fd, const struct stat *st) {
    return S_ISREG(st->st_mode) && st->st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0;
}

static enum err look(struct input *in, const char *path, struct err_info *info) {
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
    enum err e = spool(in, path, info);
    return e == ERR_OK && in->size == 0 ? err_set(info, ERR_FORMAT, 0, path, "is empty") : e;
}

enum err input_open(const char *path, struct input *out, struct err_info *info) {
    bool is_stdin = strcmp(path, "-") == 0;
    struct input in = {0};
    in.fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                     : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const char *name = is_stdin ? "standard input" : path;
    if (in.fd < 0) {
        return err_set(info, err_from_sys(errno), errno, name, strerror(errno));
    }
    enum err e = look(&in, name, info);
    if (e == ERR_OK) {
        *out = in;
    } else if (in.fd >= 0) {
        close(in.fd);
    }
    return e;
}
