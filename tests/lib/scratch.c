/* Folders and files of tests. */
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(int fine, const char *what) {
    if (fine)
        return;
    fprintf(stderr, "test: %s: %s\n", what, strerror(errno));
    exit(1);
}

char *scratch_make(void) {
    const char *base = getenv("TMPDIR");
    char *dir = path_join(base && *base ? base : "/tmp", "gwtop-XXXXXX");
    must(mkdtemp(dir) != NULL, dir);
    must(chmod(dir, 0755) == 0, dir);
    return dir;
}

static void remove_tree(int at, const char *name) {
    if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
        return;
    /* A mode is changed of folders only: fchmodat would follow a link out of the tree. */
    struct stat st;
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
        fchmodat(at, name, 0755, 0) != 0)
        return; /* left behind; the folder of all tests goes later */
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            remove_tree(fd, e->d_name);
    if (d)
        closedir(d);
    unlinkat(at, name, AT_REMOVEDIR);
}

void scratch_remove(char *take_dir) {
    if (take_dir)
        remove_tree(AT_FDCWD, take_dir);
    free(take_dir);
}

char *path_join(const char *dir, const char *format, ...) {
    char *path = malloc(4096);
    must(path != NULL, "memory");
    int n = snprintf(path, 4096, "%s/", dir);
    va_list args;
    va_start(args, format);
    vsnprintf(path + n, 4096 - (size_t)n, format, args);
    va_end(args);
    return path;
}

char *file_read(const char *path, size_t *n) {
    FILE *f = fopen(path, "re");
    if (!f)
        return NULL;
    size_t cap = 65536, have = 0;
    char *bytes = malloc(cap);
    must(bytes != NULL, "memory");
    for (size_t got; (got = fread(bytes + have, 1, cap - have - 1, f)) > 0;) {
        have += got;
        if (cap - have < 2) {
            cap *= 2;
            bytes = realloc(bytes, cap);
            must(bytes != NULL, "memory");
        }
    }
    fclose(f);
    bytes[have] = '\0';
    if (n)
        *n = have;
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t n) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    must(fd >= 0, path);
    for (size_t done = 0; done < n;) {
        ssize_t k = write(fd, (const char *)bytes + done, n - done);
        must(k > 0, path);
        done += (size_t)k;
    }
    must(ftruncate(fd, (off_t)n) == 0, path); /* last: no reader meets an empty file */
    close(fd);
}

void file_replace(const char *path, const char *from, const char *to) {
    size_t n = 0, out_n = 0, found = 0;
    char *text = file_read(path, &n);
    must(text != NULL, path);
    char *out = malloc(n * (strlen(to) + 1) + 1);
    must(out != NULL, "memory");
    for (const char *p = text; p < text + n;)
        if (strncmp(p, from, strlen(from)) == 0) {
            memcpy(out + out_n, to, strlen(to));
            out_n += strlen(to);
            p += strlen(from);
            found++;
        } else {
            out[out_n++] = *p++;
        }
    errno = ENOENT;
    must(found > 0, from);
    file_write(path, out, out_n);
    free(out);
    free(text);
}
