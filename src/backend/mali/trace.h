/*
 * Mali trace points, within this folder: the text of trace_pipe, and pages of the kernel's ring
 * buffer. Both yield the events of mali.h. Pure; what is read is hostile.
 */
#ifndef GWTOP_BACKEND_MALI_TRACE_H
#define GWTOP_BACKEND_MALI_TRACE_H

#include "mali.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* A longer line is none of these events. */
#define TRACE_LINE_MAX 512

enum trace_text {
    TRACE_TEXT_EVENT,
    TRACE_TEXT_RATE, /* the rate changed: the text hides to what; only the stamp is set */
    TRACE_TEXT_LOST,
    TRACE_TEXT_OTHER, /* a comment, an empty line, another event */
    TRACE_TEXT_BAD
};
/* A line without its '\n'. lost: records, at least 1, of TRACE_TEXT_LOST. */
enum trace_text trace_text_parse(struct span line, struct mali_event *out, uint64_t *lost);
/* Where a line stands, of any event; false: it tells no time. */
bool trace_text_time(struct span line, int64_t *t_ns);
extern const struct fold mali_trace_text_fold;

/* ---- pages ----------------------------------------------------------------------------------- */

struct trace_field {
    uint32_t offset;
    uint8_t size; /* 1, 2, 4 or 8; 0: not there */
    bool is_signed;
};
/* From a `format` file or header_page: the field of this name. */
bool trace_format_field(struct span format, const char *name, struct trace_field *out);
/* Where the field of this name ends, whatever its size; 0: it is not there. */
uint32_t trace_format_end(struct span format, const char *name);
/* The number after "ID:". */
bool trace_format_id(struct span format, uint32_t *id);

enum { TRACE_ACTIVE, TRACE_TIMELINE, TRACE_EVENTS };
#define TRACE_FIELDS 6
struct trace_layout {
    bool big;
    uint32_t data; /* where records begin */
    struct trace_field time;
    struct trace_field commit;
    struct trace_field type;   /* common_type, of any event */
    uint32_t id[TRACE_EVENTS]; /* 0: not there */
    struct trace_field fields[TRACE_EVENTS][TRACE_FIELDS];
};
/*
 * Facts: endian=little|big, page_data=OFFSET, page.timestamp, page.commit and common_type as
 * "offset,size,signed" (signed 0 or 1); then of one event or both active.id=N with active.pid,
 * .active, .core_type, .core_id, and timeline.id=N with timeline.event_id, .d0 to .d4.
 * False where one is missing.
 */
bool trace_layout_read(struct trace_layout *l, const char *facts);
/* Says these facts, but for endian, of header_page and the `format` of TRACE_ACTIVE or
 * TRACE_TIMELINE. What they do not tell is left out. */
void trace_layout_say(struct buf *facts, struct span header_page, unsigned event,
                      struct span format);

struct trace_page {
    const struct trace_layout *layout;
    struct span rest;
    uint64_t t_ns;
    uint64_t missed; /* records before this page, at least 1 where there were any */
};
enum trace_step { TRACE_RECORD, TRACE_END, TRACE_BROKEN };
/* False: it is no page of this layout. */
bool trace_page_open(struct trace_page *p, const struct trace_layout *l, struct span page);
/* How far a page was written; all of it where it is none. */
size_t trace_page_used(const struct trace_layout *l, struct span page);
enum trace_step trace_page_next(struct trace_page *p, int64_t *t_ns, struct span *payload);
/* False: of another event, or too short for its fields. */
bool trace_record_event(const struct trace_layout *l, struct span payload, struct mali_event *out);

#define TRACE_SORTED 4096
extern const struct fold mali_trace_page_fold;

#endif
