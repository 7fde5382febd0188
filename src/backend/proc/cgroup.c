/*
 * /proc/PID/cgroup: "hierarchy:controllers:path" lines; "0::path" is the unified hierarchy. Says
 * where a process lies, and in which container or unit that is. One unit is one line.
 */
#include "../keyvalue.h"
#include "tell.h"

struct place {
    struct span unified; /* p NULL where there is none */
    struct span longest; /* of the other hierarchies */
    struct proc_container_name container;
};

/* The path may hold colons of its own. */
static bool split(struct span line, bool *unified, struct span *path) {
    struct cursor c = cursor_over(line);
    struct span hierarchy;
    struct span controllers;
    uint64_t number;
    if (!cursor_field(&c, ':', &hierarchy) || !cursor_field(&c, ':', &controllers) ||
        span_to_u64(hierarchy, &number) != ERR_OK || cursor_left(&c) == 0 || *c.p != '/')
        return false;
    *unified = number == 0 && controllers.n == 0;
    *path = (struct span){c.p, cursor_left(&c)};
    return true;
}

/* A container named by any hierarchy stands before a unit; else the unified one, else the first. */
static void take(struct place *p, bool unified, struct span path) {
    struct proc_container_name found;
    proc_container_of(path, &found);
    if (found.what > p->container.what || (unified && found.what == p->container.what))
        p->container = found;
    if (unified)
        p->unified = path;
    else if (path.n > p->longest.n)
        p->longest = path;
}

/* On a machine without the unified hierarchy in use all processes lie in its root. */
static struct span path_of(const struct place *p) {
    return p->unified.n > 1 || p->longest.n == 0 ? p->unified : p->longest;
}

void proc_cgroup_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                        struct counts *counts) {
    const struct proc_tell t = {s, f, sink};
    struct place place = {.unified = {"", 0}, .longest = {"", 0}};
    struct cursor c = cursor_over(frame_span(f));
    struct keyvalue kv;
    enum keyvalue_line line;
    uint64_t seen = 0;
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END) {
        bool unified;
        struct span path;
        if (line == KEYVALUE_CUT) {
            counts_truncated(counts, REASON_CUT);
        } else if (split(kv.line, &unified, &path)) {
            take(&place, unified, path);
            counts->accepted++;
            seen++;
        } else {
            counts_malformed(counts, REASON_BAD_TEXT);
        }
    }
    if (seen == 0)
        return;
    proc_tell_label(&t, LABEL_CGROUP, path_of(&place));
    proc_tell_label(&t, LABEL_CONTAINER, (struct span){place.container.text, place.container.n});
}

void proc_cgroup_scrub(struct span body, struct buf *out) {
    (void)body;
    (void)out;
}
