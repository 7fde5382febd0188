/*
 * What the emulated devices of this folder have in common: the script that says how the kernel
 * behaves, the log, and the calls of the C library that open a node of a tree.
 *
 * GWTOP_EMUL_SCRIPT: "busy=40;lost=5", GWTOP_EMUL_LOG: a file to which every call, each misuse of the
 * interface and what was delivered are written. Nodes are files of a folder dev/dri of a tree; those
 * of this machine itself (/dev/dri) are left alone.
 */
#ifndef EMUL_H
#define EMUL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- script and log (emul_script.c) ---------------------------------------------------------- */

struct emul_field {
    const char *name;
    uint64_t *value;
};
/* Reads the script. `word` takes the keys that stand for more than a number; false: it does not know
 * the key. One that nobody knows ends the program. */
void emul_script_read(const struct emul_field *fields, size_t count,
                      bool (*word)(const char *key, const char *value));

/* One line; errno stays. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line "MISUSE ...": what a program that knows the interface does not do. */
void misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fail(int sys); /* -1 and errno */

/* ---- nodes (emul_open.c) --------------------------------------------------------------------- */

/* What a device has for them: whether a file of dev/dri with this name ("/card0") is one of its
 * nodes, and how it is opened: as the system call, with the whole path. */
bool device_has(const char *name);
int device_open(const char *whole, int flags);

/* Descriptors of this file are a node's from now on. */
void node_remember(int fd);
bool node_is(int fd);
/* A function of this name in the libraries behind this one. */
void next_function(const char *name, void *to);

#endif
