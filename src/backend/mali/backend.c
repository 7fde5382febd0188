/*
 * The mali backend's entry in the table. It reads recordings of the driver's internal profiling
 * that were saved to a file; it does not control the driver's `record` file, and so finds nothing
 * on a live machine.
 */
#include <string.h>

#include "mali.h"

/* Facts are all that the whole tells beforehand: what is no event is counted line by line. */
static bool scan(struct span file, struct buf *facts) {
    mali_dialect_scan(file, facts);
    return true;
}

static size_t cut(struct span rest) {
    size_t n = rest.n;
    while (n > 0 && rest.p[n - 1] != '\n')
        n--;
    return n;
}

/* Only the stamp is read: what else is odd about a line is for the fold to count. */
static size_t next_event(struct span rest, int64_t *t_ns) {
    const char *end = memchr(rest.p, '\n', rest.n);
    uint64_t t = 0;
    size_t n = 0;
    *t_ns = INT64_MIN;
    if (!end)
        return 0;
    for (; n < 19 && rest.p[n] >= '0' && rest.p[n] <= '9'; n++)
        t = t * 10 + (uint64_t)(rest.p[n] - '0');
    if (n > 0 && rest.p[n] == ' ' && t <= INT64_MAX)
        *t_ns = (int64_t)t;
    return (size_t)(end - rest.p) + 1;
}

static const struct vendor_file events_file = {
    .scan = scan,
    .cut = cut,
    .next = next_event,
    .device = "mali",
    .device_facts = "driver=mali\nname=Mali-400/450\n",
};

static bool probe(const struct host *host, const struct device_info *device) {
    (void)host;
    (void)device;
    return false;
}

static enum err open_source(struct host *host, const struct device_info *device,
                            struct source **out) {
    (void)host;
    (void)device;
    (void)out;
    return ERR_UNSUPPORTED;
}

static const struct kind kinds[] = {
    [MALI_EVENTS - FRAME_BACKEND] =
        {
            .name = "mali-events",
            .unit = "lines",
            .right = "root, for the profiling files in debugfs",
            .lost = "who ran on which unit of a Mali-400 or 450, and at which clock and voltage",
            .fold = &mali_events_fold,
            .file = &events_file,
        },
};

const struct backend backend_mali = {
    .name = "mali",
    .probe = probe,
    .open = open_source,
    .kinds = kinds,
    .kind_count = sizeof(kinds) / sizeof(kinds[0]),
};
