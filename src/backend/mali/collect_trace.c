/*
 * The driver's trace points. One event is on: the timeline, which tells starts, stops and rates, or
 * where there is none the one about busy cores; with both on each job would be there twice.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect.h"

#define PREFIX     "gwtop-"
#define FORMAT_MAX 8192

/* 0: pages of this event can be read. */
static int learn_event(struct mali_tracer *t, unsigned event, const char *folder,
                       struct span header) {
    char file[64];
    char format[FORMAT_MAX];
    snprintf(file, sizeof(file), "%s/format", folder);
    ssize_t n = tracefs_slurp(&t->fs, file, format, sizeof(format));
    if (n < 0)
        return errno;
    buf_clear(&t->facts);
    facts_put(&t->facts, "endian", span_of(tracefs_endian(t->fs.host)));
    trace_layout_say(&t->facts, header, event, (struct span){format, (size_t)n});
    buf_char(&t->facts, '\0');
    if (t->facts.failed)
        return ENOMEM;
    t->facts.n--;
    t->event = folder;
    return trace_layout_read(&t->layout, t->facts.p) ? 0 : EPROTO;
}

static int learn_pages(struct mali_tracer *t) {
    char header[FORMAT_MAX];
    ssize_t n = tracefs_slurp(&t->fs, "events/header_page", header, sizeof(header));
    if (n < 0)
        return errno;
    struct span s = {header, (size_t)n};
    int sys = learn_event(t, TRACE_TIMELINE, MALI_TRACE_TIMELINE, s);
    if ((sys == ENOENT || sys == EPROTO) && learn_event(t, TRACE_ACTIVE, MALI_TRACE_ACTIVE, s) == 0)
        sys = 0;
    return sys != 0 ? sys : tracefs_pipes(&t->fs, trace_format_end(s, "data"));
}

int mali_tracer_open(struct mali_tracer *t, struct host *h) {
    char mount[TRACEFS_MOUNT_MAX];
    *t = (struct mali_tracer){.event = NULL};
    if (!mali_trace_find(h, mount))
        return ENOENT;
    int sys = tracefs_open(&t->fs, h, mount, PREFIX);
    if (sys != 0)
        return sys;
    sys = learn_pages(t);
    if (sys != 0)
        mali_tracer_close(t);
    return sys;
}

int mali_tracer_start(struct mali_tracer *t) {
    return tracefs_enable(&t->fs, t->event);
}

bool mali_tracer_there(struct mali_tracer *t) {
    return tracefs_has(&t->fs, t->event);
}

struct reading {
    const struct mali_tracer *tracer;
    const struct subject *stream;
    const struct frame_sink *sink;
};

static void take_page(void *ctx, struct span page) {
    const struct reading *r = ctx;
    size_t used = trace_page_used(&r->tracer->layout.pages, page);
    host_emit(r->sink, r->stream, MALI_TRACE_PAGE, clock_mono_ns(), page.p, (ssize_t)used, 0);
}

int mali_tracer_read(struct mali_tracer *t, const struct subject *stream,
                     const struct frame_sink *sink) {
    struct reading r = {t, stream, sink};
    return tracefs_read(&t->fs, take_page, &r);
}

void mali_tracer_close(struct mali_tracer *t) {
    tracefs_close(&t->fs);
    buf_finish(&t->facts);
    *t = (struct mali_tracer){.event = NULL};
}
