/*
 * Files of the synthetic machine. What exists is written in place, in one call, and never renamed over:
 * a program that keeps a file open sees what comes later, as it does in a real /proc.
 */
#include "synth_machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void text_put(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->p + t->n, sizeof t->p - t->n, format, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof t->p - t->n)
        t->n += (size_t)n;
}

static bool complain(const char *path) {
    fprintf(stderr, "synth: %s: %s\n", path, strerror(errno));
    return false;
}

bool put_dirs(int root, const char *path) {
    char part[512];
    size_t n = strlen(path);
    if (n >= sizeof part)
        return errno = ENAMETOOLONG, complain(path);
    if (mkdirat(root, path, 0755) == 0 || errno == EEXIST)
        return true;
    for (size_t i = 1; i <= n; i++)
        if (i == n || path[i] == '/') {
            memcpy(part, path, i);
            part[i] = '\0';
            if (mkdirat(root, part, 0755) != 0 && errno != EEXIST)
                return complain(part);
        }
    return true;
}

static bool put_parent(int root, const char *path) {
    char dir[512];
    const char *slash = strrchr(path, '/');
    if (!slash)
        return true;
    snprintf(dir, sizeof dir, "%.*s", (int)(slash - path), path);
    return put_dirs(root, dir);
}

bool put_file(int root, const char *path, const void *bytes, size_t n) {
    struct stat st;
    int fd = openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0 && errno == ENOENT && put_parent(root, path))
        fd = openat(root, path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return complain(path);
    bool fine = n == 0 || pwrite(fd, bytes, n, 0) == (ssize_t)n;
    if (fine && fstat(fd, &st) == 0 && (size_t)st.st_size > n)
        fine = ftruncate(fd, (off_t)n) == 0;
    if (!fine)
        complain(path);
    close(fd);
    return fine;
}

bool put_text(int root, const char *path, const struct text *t) {
    return put_file(root, path, t->p, t->n);
}

bool put_line(int root, const char *path, const char *format, ...) {
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof line - 1)
        return errno = E2BIG, complain(path);
    line[n] = '\n';
    return put_file(root, path, line, (size_t)n + 1);
}

bool put_link(int root, const char *path, const char *to) {
    if (symlinkat(to, root, path) == 0)
        return true;
    if (errno == ENOENT && put_parent(root, path) && symlinkat(to, root, path) == 0)
        return true;
    if (errno == EEXIST && unlinkat(root, path, 0) == 0 && symlinkat(to, root, path) == 0)
        return true;
    return complain(path);
}

bool drop_tree(int root, const char *path) {
    if (unlinkat(root, path, 0) == 0 || errno == ENOENT)
        return true;
    if (errno != EISDIR && errno != EPERM)
        return complain(path);
    /* A mode is changed of folders only: fchmodat would follow a link out of the tree. */
    struct stat st;
    if (fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
        fchmodat(root, path, 0755, 0) != 0)
        return complain(path);
    int fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d)
        return complain(path);
    bool fine = true;
    for (struct dirent *e = readdir(d); e && fine; e = readdir(d))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            fine = drop_tree(dirfd(d), e->d_name);
    closedir(d);
    return fine && (unlinkat(root, path, AT_REMOVEDIR) == 0 || complain(path));
}
