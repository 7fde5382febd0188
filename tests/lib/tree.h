/*
 * Writing small /proc, /sys and /dev trees. Folders on the way are made as needed. Failures end the test
 * program with a word.
 */
#ifndef TEST_TREE_H
#define TEST_TREE_H

#include <stdbool.h>

void tree_text(const char *root, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Replaces a link that is there. */
void tree_link(const char *root, const char *path, const char *to);
void tree_folder(const char *root, const char *path);
/* A character device node; false where one may not be made. */
bool tree_node(const char *root, const char *path, unsigned major, unsigned minor);
/* With all below it. */
void tree_drop(const char *root, const char *path);

#endif
