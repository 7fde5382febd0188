/* The fdinfo backend's entry in the table. */
#include "fdinfo.h"

/* `gwtop decode fdinfo`: one text is one reading, and says itself whether it is of a GPU. */
static const struct vendor_file file = {.scan = NULL, .cut = NULL};

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
    .check = fdinfo_check,
    .kinds = kinds,
    .kind_count = sizeof(kinds) / sizeof(kinds[0]),
    .walks_processes = true,
};
