/*
 * The text of a trace, apart from any file: its first line, the line before each body, and the body
 * of an `open` frame. Pure. man/gwtop-trace.5 describes the same for people.
 */
#ifndef GWTOP_SOURCE_TRACE_FORMAT_H
#define GWTOP_SOURCE_TRACE_FORMAT_H

#include "gwtop/core.h"

#define TRACE_VERSION 1
/* What a reader takes at most; a writer keeps below. */
#define TRACE_LINE_MAX ((size_t)256)       /* bytes of a line with its '\n' */
#define TRACE_BODY_MAX ((size_t)16 << 20)  /* bytes of a body */
#define TRACE_ID_MAX   (UINT32_C(1) << 20) /* largest subject id */
#define TRACE_TIME_MAX (INT64_C(1) << 62)  /* so that the difference of two times fits as well */
/* The word for what has no name in the table; a reader takes it for unknown as any other. */
#define TRACE_NO_NAME "?"
/* Of frames and subjects that this version does not know: no table reaches that far. */
#define TRACE_KIND_UNKNOWN    UINT16_MAX
#define TRACE_BACKEND_UNKNOWN UINT16_MAX

void trace_put_first_line(struct buf *b);
/* Whether a trace may begin so, as far as can be seen of it. */
bool trace_may_begin(struct span head);
/* `line` is without its '\n'. ERR_VERSION for a newer version, ERR_FORMAT for anything else that is
 * not a first line of ours. */
enum err trace_read_first_line(struct span line);

struct trace_header {
    uint32_t id;
    struct span kind; /* the word; borrowed from the line */
    int64_t t_ns;
    size_t size;     /* bytes of the body */
    int32_t sys;     /* errno */
    uint8_t outcome; /* enum outcome; FAILED for a word that is not known */
    bool odd;        /* the outcome's word is not known */
};
/* Six words and a '\n'. */
void trace_put_header(struct buf *b, const struct trace_header *h);
/* False for what is no header line, or names more than a reader takes. */
bool trace_read_header(struct span line, struct trace_header *out);

/* The body of an `open` frame: what the subject is, an empty line, its facts. Fields that are 0 or
 * empty are left out. */
void trace_put_open(struct buf *b, const struct backend_table *t, const struct subject *s,
                    struct span name, struct span facts);
/* Reads it; fills all of `out` but id, name and facts. These two are appended to `text` as clean text
 * with a NUL each, the facts from *facts_at on. A field that cannot be read stays 0; false says that
 * there was one. */
bool trace_read_open(struct span body, const struct backend_table *t, struct subject *out,
                     struct buf *text, size_t *facts_at);

#endif
