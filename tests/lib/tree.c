/* Small trees of files, links and nodes. */
#include "tree.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void fail(const char *path) {
    perror(path);
    exit(1);
}

/* The whole path; the folders above it are made. */
static void prepare(char whole[PATH_MAX], const char *root, const char *path) {
    snprintf(whole, PATH_MAX, "%s/%s", root, path);
    for (char *slash = strchr(whole + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(whole, 0755) != 0 && errno != EEXIST)
            fail(whole);
        *slash = '/';
    }
}

void tree_text(const char *root, const char *path, const char *format, ...) {
    char whole[PATH_MAX];
    va_list args;
    FILE *f;
    prepare(whole, root, path);
    f = fopen(whole, "w");
    if (!f)
        fail(whole);
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    if (fclose(f) != 0)
        fail(whole);
}

void tree_link(const char *root, const char *path, const char *to) {
    char whole[PATH_MAX];
    prepare(whole, root, path);
    unlink(whole);
    if (symlink(to, whole) != 0)
        fail(whole);
}

void tree_folder(const char *root, const char *path) {
    char whole[PATH_MAX];
    prepare(whole, root, path);
    if (mkdir(whole, 0755) != 0 && errno != EEXIST)
        fail(whole);
}

bool tree_node(const char *root, const char *path, unsigned major, unsigned minor) {
    char whole[PATH_MAX];
    prepare(whole, root, path);
    unlink(whole);
    return mknod(whole, S_IFCHR | 0666, makedev(major, minor)) == 0;
}

static int drop_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void tree_drop(const char *root, const char *path) {
    char whole[PATH_MAX];
    snprintf(whole, sizeof(whole), "%s/%s", root, path);
    if (nftw(whole, drop_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        fail(whole);
}

void tree_odd(const char *root, const char *path, enum tree_odd odd) {
    static const char *const links[TREE_ODD_COUNT] = {
        [ODD_ZERO] = "/dev/zero", [ODD_NOWHERE] = "nowhere/at/all"};
    char whole[PATH_MAX];
    const char *slash = strrchr(path, '/');
    struct stat st;
    prepare(whole, root, path);
    if (lstat(whole, &st) == 0)
        tree_drop(root, path);
    if (odd == ODD_FOLDER)
        tree_folder(root, path);
    else if (odd != ODD_FIFO)
        tree_link(root, path, odd != ODD_LOOP ? links[odd] : slash ? slash + 1 : path);
    else if (mkfifo(whole, 0666) != 0)
        fail(whole);
}
