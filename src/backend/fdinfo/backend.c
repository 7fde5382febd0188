/* The fdinfo backend's entry in the table. */
#include "../keyvalue.h"
#include "fdinfo.h"

/* A text in the form of /proc/PID/fdinfo/FD, of a GPU or not: decoding says which. */
static bool scan(struct span file, struct buf *facts) {
    static const char *const known[] = {"drm-driver", "pdev", "pos", "flags", "mnt_id"};
    struct cursor c = cursor_over(file);
    struct keyvalue kv;
    (void)facts;
    while (keyvalue_next(&c, &kv) != KEYVALUE_END)
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
            if (span_equals(kv.key, known[i]))
                return true;
    return false;
}

/* One text is one unit: who it speaks of stands in it once. */
static size_t cut(struct span rest) {
    return rest.n;
}

static const struct vendor_file file = {.scan = scan, .cut = cut};

static const uint16_t gives[] = {METRIC_ENGINE_TIME, METRIC_MEMORY_TOTAL, METRIC_MEMORY_SHARED,
                                 METRIC_MEMORY_RESIDENT};

static const struct kind kinds[] = {
    [FDINFO_FDINFO - FRAME_BACKEND] =
        {
            .name = "fdinfo",
            .unit = "lines",
            .gives = gives,
            .give_count = sizeof(gives) / sizeof(gives[0]),
            .right = "root or CAP_SYS_PTRACE, for processes of other users",
            .lost = "their use of GPUs",
            .decode = fdinfo_decode,
            .scrub = fdinfo_scrub,
            .file = &file,
        },
};

const struct backend backend_fdinfo = {
    .name = "fdinfo",
    .probe = fdinfo_probe,
    .open = fdinfo_open,
    .kinds = kinds,
    .kind_count = sizeof(kinds) / sizeof(kinds[0]),
};
