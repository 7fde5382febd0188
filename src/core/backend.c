/* The backend table as others ask it: by number of a frame, by word of a trace. */
#include <limits.h>

#include "gwtop/core.h"

static const char *const built_in[] = {
    [FRAME_MACHINE] = "machine", [FRAME_BEGIN] = "begin", [FRAME_END] = "end",
    [FRAME_OPEN] = "open",       [FRAME_CLOSE] = "close", [FRAME_STATE] = "state",
};
#define BUILT_IN_COUNT (sizeof(built_in) / sizeof(built_in[0]))

static const struct backend *backend_of(const struct backend_table *t, const struct subject *s) {
    return t && s && s->backend > 0 && s->backend <= t->count ? t->list[s->backend - 1u] : NULL;
}

const struct kind *backend_kind(const struct backend_table *t, const struct subject *s,
                                unsigned frame_kind) {
    const struct backend *b = backend_of(t, s);
    if (!b || frame_kind < FRAME_BACKEND || frame_kind - FRAME_BACKEND >= b->kind_count)
        return NULL;
    return &b->kinds[frame_kind - FRAME_BACKEND];
}

unsigned backend_find(const struct backend_table *t, struct span name) {
    for (size_t i = 0; t && i < t->count; i++)
        if (span_equals(name, t->list[i]->name))
            return (unsigned)i + 1;
    return 0;
}

const char *frame_kind_name(const struct backend_table *t, const struct subject *s, unsigned kind) {
    if (kind < BUILT_IN_COUNT)
        return built_in[kind];
    const struct kind *k = backend_kind(t, s, kind);
    return k ? k->name : NULL;
}

unsigned frame_kind_find(const struct backend_table *t, const struct subject *s, struct span name) {
    for (unsigned i = 0; i < BUILT_IN_COUNT; i++)
        if (span_equals(name, built_in[i]))
            return i;
    const struct backend *b = backend_of(t, s);
    for (size_t i = 0; b && i < b->kind_count; i++)
        if (span_equals(name, b->kinds[i].name))
            return FRAME_BACKEND + (unsigned)i;
    return UINT_MAX;
}
