/*
 * The mali backend's entry in the table. It reads recordings of the driver's internal profiling
 * that were saved to a file; it does not control the driver's `record` file, and so finds nothing
 * on a live machine.
 */
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

static const struct vendor_file events_file = {.scan = scan, .cut = cut};

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
