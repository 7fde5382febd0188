/*
 * tracing: what the kernel's trace ring buffer says, for any event: `format` files, pages, and the facts of a stream
 * that say how its pages are to be read. Private to the backends; pure. What is read is hostile.
 */
#ifndef GWTOP_BACKEND_TRACING_H
#define GWTOP_BACKEND_TRACING_H

#include "gwtop/core.h"

/* ---- format files ---------------------------------------------------------------------------- */

struct trace_field {
    uint32_t offset;
    uint8_t size; /* 1, 2, 4 or 8; 0: not there */
    bool is_signed;
};
/* From a `format` file or header_page: the field of this name. */
bool trace_format_field(struct span format, const char *name, struct trace_field *out);
/* The same, only where it is a text that stands in the record: its 4 bytes tell where (trace_text_read). */
bool trace_format_text(struct span format, const char *name, struct trace_field *out);
/* Where the field of this name ends, whatever its size; 0: it is not there. */
uint32_t trace_format_end(struct span format, const char *name);
/* The number after "ID:". */
bool trace_format_id(struct span format, uint32_t *id);

/* ---- facts ----------------------------------------------------------------------------------- */

/* How pages are laid out. Facts: endian=little|big, page_data=OFFSET, page.timestamp, page.commit and common_type as
 * "offset,size,signed" (signed 0 or 1). */
struct trace_pages {
    bool big;
    uint32_t data; /* where records begin */
    struct trace_field time;
    struct trace_field commit;
    struct trace_field type; /* common_type, of any event */
};
/* False where one is missing. */
bool trace_pages_read(struct trace_pages *p, const char *facts);
/* Says these facts, but for endian, of header_page and the `format` of any event. */
void trace_pages_say(struct buf *facts, struct span header_page, struct span format);

/* One event and the fields of it that are read: facts "PREFIXid=N" and "PREFIXNAME=offset,size,signed". */
#define TRACE_FIELDS 6
struct trace_event {
    const char *prefix;
    const char *names[TRACE_FIELDS]; /* NULL after the last */
    uint8_t texts;                   /* bit per field that is a text */
};
struct trace_event_layout {
    uint32_t id; /* 0: not there */
    struct trace_field fields[TRACE_FIELDS];
};
/* False: there is one that cannot be read. None at all is fine. */
bool trace_event_read(const struct trace_event *e, struct trace_event_layout *out,
                      const char *facts);
/* What the format does not tell is left out. */
void trace_event_say(const struct trace_event *e, struct buf *facts, struct span format);

/* ---- pages ----------------------------------------------------------------------------------- */

struct trace_page {
    const struct trace_pages *layout;
    struct span rest;
    uint64_t t_ns;
    uint64_t missed; /* records before this page, at least 1 where there were any */
};
enum trace_step { TRACE_RECORD, TRACE_END, TRACE_BROKEN };
/* False: it is no page of this layout. */
bool trace_page_open(struct trace_page *p, const struct trace_pages *l, struct span page);
/* How far a page was written; all of it where it is none. */
size_t trace_page_used(const struct trace_pages *l, struct span page);
enum trace_step trace_page_next(struct trace_page *p, int64_t *t_ns, struct span *payload);

/* False: it ends outside. Not sign-extended. */
bool trace_value_read(struct span payload, const struct trace_field *f, bool big, uint64_t *out);
/* Without its NUL; false: it lies outside. */
bool trace_text_read(struct span payload, const struct trace_field *f, bool big, struct span *out);
/* The event of a record among `count` layouts; `count`: another one. */
unsigned trace_record_is(const struct trace_pages *l, struct span payload,
                         const struct trace_event_layout *events, unsigned count);

/* ---- order ----------------------------------------------------------------------------------- */

/* Pages of several processors that were read together, in order of time. */
#define TRACE_SORTED 4096
/* `count` entries of `size` bytes, each of which begins with its stamp (int64_t). Those of one stamp stay as they came.
 * The result is one half of `order`. */
const uint16_t *trace_sort(const void *entries, size_t size, uint32_t count,
                           uint16_t order[2][TRACE_SORTED]);

#endif
