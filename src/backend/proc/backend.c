/* The proc backend's entry in the table. */
#include "proc.h"

static const uint16_t stat_gives[] = {METRIC_PROCESS_CPU_TIME, METRIC_PROCESS_RSS,
                                      METRIC_PROCESS_PPID};

static const uint16_t user_gives[] = {METRIC_PROCESS_UID};

static const struct kind kinds[] = {
    [PROC_STAT - FRAME_BACKEND] =
        {
            .name = "stat",
            .unit = "records",
            .gives = stat_gives,
            .give_count = sizeof(stat_gives) / sizeof(stat_gives[0]),
            .decode = proc_stat_decode,
            .scrub = proc_stat_scrub,
        },
    [PROC_CMDLINE - FRAME_BACKEND] =
        {
            .name = "cmdline",
            .unit = "records",
            .decode = proc_cmdline_decode,
            .scrub = proc_cmdline_scrub,
        },
    [PROC_CGROUP - FRAME_BACKEND] =
        {
            .name = "cgroup",
            .unit = "lines",
            .decode = proc_cgroup_decode,
            .scrub = proc_cgroup_scrub,
        },
    [PROC_STATUS - FRAME_BACKEND] =
        {
            .name = "status",
            .unit = "lines",
            .decode = proc_status_decode,
            .scrub = proc_status_scrub,
        },
    [PROC_USER - FRAME_BACKEND] =
        {
            .name = "user",
            .unit = "lines",
            .gives = user_gives,
            .give_count = sizeof(user_gives) / sizeof(user_gives[0]),
            .decode = proc_user_decode,
            .scrub = proc_user_scrub,
        },
    [PROC_NAME - FRAME_BACKEND] =
        {
            .name = "proc-name",
            .unit = "records",
            .decode = proc_name_decode,
            .scrub = proc_name_scrub,
        },
};

const struct backend backend_proc = {
    .name = "proc",
    .probe = proc_probe,
    .open = proc_open,
    .check = proc_check,
    .kinds = kinds,
    .kind_count = sizeof(kinds) / sizeof(kinds[0]),
    .owns_processes = true,
    .walks_processes = true,
};
