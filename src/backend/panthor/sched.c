/* Records of the GPU scheduler: which fields of which events are read, and what they say. Pure. */
#include "sched.h"

#define SYSTEM      "events/gpu_scheduler/"
#define THREADS_MAX 4194304u

const char *const sched_rings[SCHED_RINGS] = {"gp", "pp"};

const char *const sched_folders[SCHED_DIALECTS][SCHED_EVENTS] = {
    {SYSTEM "drm_sched_job", SYSTEM "drm_run_job", SYSTEM "drm_sched_process_job"},
    {SYSTEM "drm_sched_job_queue", SYSTEM "drm_sched_job_run", SYSTEM "drm_sched_job_done"},
};

/* The fence first, in one field or two; then the ring, the device, the thread. */
#define TEXT(i) (1u << (i))
static const struct trace_event events[SCHED_DIALECTS][SCHED_EVENTS] = {
    {
        {"queue.", {"fence", "name", "common_pid"}, TEXT(1)},
        {"run.", {"fence", "name"}, TEXT(1)},
        {"done.", {"fence"}, 0},
    },
    {
        {"queue.",
         {"fence_context", "fence_seqno", "name", "dev", "common_pid"},
         TEXT(2) | TEXT(3)},
        {"run.", {"fence_context", "fence_seqno", "name", "dev"}, TEXT(2) | TEXT(3)},
        {"done.", {"fence_context", "fence_seqno"}, 0},
    },
};

static bool read_dialect(struct sched_layout *l, const char *facts) {
    for (unsigned i = 0; i < SCHED_EVENTS; i++)
        if (!trace_event_read(&events[l->dialect][i], &l->events[i], facts) || !l->events[i].id)
            return false;
    return true;
}

bool sched_layout_read(struct sched_layout *l, const char *facts) {
    *l = (struct sched_layout){.dialect = SCHED_OLD};
    if (!trace_pages_read(&l->pages, facts))
        return false;
    for (; l->dialect < SCHED_DIALECTS; l->dialect++)
        if (read_dialect(l, facts))
            return true;
    return false;
}

void sched_event_say(struct buf *facts, unsigned dialect, unsigned event, struct span format) {
    trace_event_say(&events[dialect][event], facts, format);
}

/* ---- a record -------------------------------------------------------------------------------- */

static bool read_ring(struct span name, uint8_t *out) {
    for (unsigned i = 0; i < SCHED_RINGS; i++) {
        if (!span_equals(name, sched_rings[i]))
            continue;
        *out = (uint8_t)i;
        return true;
    }
    return false;
}

static bool is_device(struct span said, struct span dev) {
    return dev.n == 0 || (said.n == dev.n && memcmp(said.p, dev.p, dev.n) == 0);
}

bool sched_record_event(const struct sched_layout *l, struct span dev, struct span payload,
                        struct sched_event *out) {
    const bool big = l->pages.big;
    unsigned fences = l->dialect == SCHED_NEW ? 2 : 1;
    unsigned what = trace_record_is(&l->pages, payload, l->events, SCHED_EVENTS);
    if (what == SCHED_EVENTS)
        return false;
    const struct trace_field *f = l->events[what].fields;
    struct span name;
    struct span said;
    uint64_t pid = 0;
    out->what = (uint8_t)what;
    out->fence[1] = 0;
    for (unsigned i = 0; i < fences; i++)
        if (!trace_value_read(payload, f++, big, &out->fence[i]))
            return false;
    if (what == SCHED_DONE)
        return true;
    if (!trace_text_read(payload, f++, big, &name) || !read_ring(name, &out->ring))
        return false;
    if (l->dialect == SCHED_NEW &&
        !(trace_text_read(payload, f++, big, &said) && is_device(said, dev)))
        return false;
    if (what == SCHED_QUEUE && !trace_value_read(payload, f, big, &pid))
        return false;
    out->pid = pid <= THREADS_MAX ? (int32_t)pid : 0;
    return true;
}
