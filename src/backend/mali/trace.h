/*
 * Mali trace points, within this folder: the text of trace_pipe, and pages of the kernel's ring
 * buffer. Both yield the events of mali.h. Pure; what is read is hostile.
 */
#ifndef GWTOP_BACKEND_MALI_TRACE_H
#define GWTOP_BACKEND_MALI_TRACE_H

#include "../tracing.h"
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

enum { TRACE_ACTIVE, TRACE_TIMELINE, TRACE_EVENTS };
struct trace_layout {
    struct trace_pages pages;
    struct trace_event_layout events[TRACE_EVENTS];
};
/*
 * Facts: those of trace_pages_read (tracing.h); then of one event or both active.id=N with active.pid, .active,
 * .core_type, .core_id, and timeline.id=N with timeline.event_id, .d0 to .d4. False where one is missing.
 */
bool trace_layout_read(struct trace_layout *l, const char *facts);
/* Says these facts, but for endian, of header_page and the `format` of TRACE_ACTIVE or
 * TRACE_TIMELINE. What they do not tell is left out. */
void trace_layout_say(struct buf *facts, struct span header_page, unsigned event,
                      struct span format);


extern const struct fold mali_trace_page_fold;

#endif
