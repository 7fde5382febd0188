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
/* Something in the place of a file from which nothing should be read, or not for ever. Replaces what is there,
 * with all below it. */
enum tree_odd { ODD_FIFO, ODD_FOLDER, ODD_LOOP, ODD_ZERO, ODD_NOWHERE, TREE_ODD_COUNT };
void tree_odd(const char *root, const char *path, enum tree_odd odd);
/* A character device node; false where one may not be made. */
bool tree_node(const char *root, const char *path, unsigned major, unsigned minor);
/* With all below it. */
void tree_drop(const char *root, const char *path);

#endif
