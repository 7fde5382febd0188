/*
 * A sink that writes down every frame with all of its subject as text: two runs are the same if their
 * texts are. And a backend table that decodes nothing, for tests of sources.
 */
#ifndef GWTOP_TEST_FRAMELOG_H
#define GWTOP_TEST_FRAMELOG_H

#include "gwtop/core.h"

struct framelog {
    struct buf text;
    unsigned frames;
    unsigned ends; /* `end` frames */
    bool bare;     /* only kind and size of each frame */
};
/* Appends to `log`, which starts zeroed; the caller finishes log->text. */
struct frame_sink framelog_sink(struct framelog *log);

/* Two backends: "alpha" with kinds "text" (one reading; scrub puts "-" in its place), "blob" (one
 * reading, holds nothing personal) and "flow" (a fold without a file), "beta" with "log" (a vendor file
 * of records: a byte that tells its size, then so many bytes less one; the first record of a file is of
 * 'B's, else it says nothing), "lines" (a fold) and "stamps" (a vendor file of lines that begin with their time
 * in ns, or with "-"; recognised by a digit). */
extern const struct backend_table fake_table;
enum { FAKE_ALPHA = 1, FAKE_BETA = 2 };
enum { FAKE_TEXT = FRAME_BACKEND, FAKE_BLOB, FAKE_FLOW };
enum { FAKE_LOG = FRAME_BACKEND, FAKE_LINES, FAKE_STAMPS };

/* A file of these bytes without a name; gives its path, good while *fd is open. */
const char *fake_file(const void *bytes, size_t n, int *fd, char path[64]);

#endif
