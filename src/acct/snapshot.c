/*
 * Snapshots apart from acct: words, texts, and copies that stay. Pure but for the allocator.
 */
#include <stdlib.h>
#include <string.h>

#include "gwtop/snapshot.h"

const char *device_state_name(enum device_state s) {
    static const char *const names[] = {
        [DEVICE_ACTIVE] = "active",
        [DEVICE_ASLEEP] = "asleep",
        [DEVICE_REMOVED] = "removed",
        [DEVICE_DENIED] = "denied",
    };
    return (unsigned)s < sizeof(names) / sizeof(names[0]) ? names[s] : "?";
}

const char *counters_state_name(unsigned state) {
    static const char *const words[] = {
#define COUNTERS_WORD(name, word, text) [COUNTERS_##name] = word,
        COUNTERS_LIST(COUNTERS_WORD)
#undef COUNTERS_WORD
    };
    return state < COUNTERS_COUNT ? words[state] : "";
}

const char *counters_state_text(unsigned state) {
    static const char *const texts[] = {
#define COUNTERS_TEXT(name, word, text) [COUNTERS_##name] = text,
        COUNTERS_LIST(COUNTERS_TEXT)
#undef COUNTERS_TEXT
    };
    return state < COUNTERS_COUNT ? texts[state] : "";
}

const char *power_method_name(unsigned method) {
    static const char *const names[] = {
        [METHOD_NONE] = "",         [METHOD_MEASURED] = "measured",
        [METHOD_SHARED] = "shared", [METHOD_MODELLED] = "modelled",
        [METHOD_PSEUDO] = "pseudo",
    };
    return method < sizeof(names) / sizeof(names[0]) ? names[method] : "";
}

const char *process_type_name(enum process_type t) {
    static const char *const names[] = {
        [TYPE_NONE] = "",
        [TYPE_GRAPHICS] = "graphics",
        [TYPE_COMPUTE] = "compute",
        [TYPE_MEDIA] = "media",
    };
    return (unsigned)t < sizeof(names) / sizeof(names[0]) ? names[t] : "?";
}

struct span snapshot_text(const struct snapshot *s, struct text_ref r) {
    return pool_get(&s->text, r);
}

/* ---- copies ---------------------------------------------------------------------------------- */

#define ALIGNMENT sizeof(int64_t)

/* One block of memory, handed out from the front. Without memory it only counts. */
struct place {
    char *p;
    size_t used;
    bool overflow;
};

static void *put(struct place *at, const void *from, size_t count, size_t size) {
    size_t room = at->overflow ? 0 : SIZE_MAX - at->used - ALIGNMENT;
    if (count > room / size) {
        at->overflow = true;
        return NULL;
    }
    size_t bytes = count * size;
    void *to = at->p ? at->p + at->used : NULL;
    if (to && bytes > 0)
        memcpy(to, from, bytes);
    at->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return to;
}

/* Copies all of it to `at`, the struct first. */
static struct snapshot *put_all(struct place *at, const struct snapshot *from) {
    struct snapshot s = *from;
    struct snapshot *to = put(at, &s, 1, sizeof(s));
    s.devices = put(at, from->devices, from->device_count, sizeof(*from->devices));
    s.processes = put(at, from->processes, from->process_count, sizeof(*from->processes));
    s.unattributed =
        put(at, from->unattributed, from->unattributed_count, sizeof(*from->unattributed));
    s.clients = put(at, from->clients, from->client_count, sizeof(*from->clients));
    s.engines = put(at, from->engines, from->engine_count, sizeof(*from->engines));
    s.memory = put(at, from->memory, from->memory_count, sizeof(*from->memory));
    s.metrics = put(at, from->metrics, from->metric_count, sizeof(*from->metrics));
    s.contexts = put(at, from->contexts, from->context_count, sizeof(*from->contexts));
    s.text.p = put(at, from->text.p, from->text.n, 1);
    s.text.cap = s.text.n;
    if (to)
        *to = s;
    return to;
}

enum err snapshot_dup(const struct snapshot *from, struct snapshot **out) {
    struct place at = {NULL, 0, false};
    (void)put_all(&at, from);
    if (at.overflow)
        return ERR_NOMEM;
    at.p = malloc(at.used);
    if (!at.p)
        return ERR_NOMEM;
    at.used = 0;
    *out = put_all(&at, from);
    return ERR_OK;
}

void snapshot_free(struct snapshot *s) {
    free(s);
}
