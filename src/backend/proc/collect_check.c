/* What names, users and times of processes take; for `gwtop doctor`. */
#include "gwtop/source.h"

#include "proc.h"

/* /proc itself is told of with fdinfo; its other files everybody may read. */
void proc_check(struct host *host, const struct device_info *device,
                const struct check_sink *sink) {
    if (device || host->proc_fd < 0)
        return;
    struct check c =
        check_of_kind(&backend_proc.kinds[PROC_STAT - FRAME_BACKEND], CHECK_OK, "proc");
    c.source = "processes";
    c.lost = "names, users, containers, processor use of processes";
    sink->check(sink->ctx, &c);
}
