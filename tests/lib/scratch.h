/* A folder of its own for a test, and whole files. Failures end the test program with a word: there is nothing
 * that a test could do about them. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include <stddef.h>

/* A new folder below TMPDIR that everybody may enter; free() the name after scratch_remove. */
char *scratch_make(void);
/* With all below it, whatever its modes. Accepts NULL and frees it. */
void scratch_remove(char *take_dir);

/* "DIR/rest", to be freed. */
char *path_join(const char *dir, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The whole file with a NUL behind it, to be freed; NULL if it cannot be read. */
char *file_read(const char *path, size_t *n);
/* In place, so that who has it open sees it, and never finds it empty meanwhile. */
void file_write(const char *path, const void *bytes, size_t n);
/* Replaces each `from` in the text of a file; ends the test if there is none. */
void file_replace(const char *path, const char *from, const char *to);

#endif
