/*
 * Whether devices sleep, and whether they should be left alone so that they can.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "live.h"
#include "roster.h"

static int open_power(struct live *l, const struct live_device *d, const char *file) {
    char path[sizeof(d->found.sys_path) + 32];
    size_t n = strlen(d->found.sys_path);
    memcpy(path, d->found.sys_path, n);
    memcpy(path + n, file, strlen(file) + 1);
    return host_open(l->host, l->host->root_fd, path, O_RDONLY);
}

/* What the kernel ends its lines with. */
static struct span without_newline(const char *text, ssize_t n) {
    while (n > 0 && text[n - 1] == '\n')
        n--;
    return (struct span){text, n > 0 ? (size_t)n : 0};
}

/* Whether the device's power is managed by use: then looking at it keeps it awake. */
static bool sleeps_by_itself(struct live *l, const struct live_device *d) {
    char text[16];
    int fd = open_power(l, d, "/power/control");
    ssize_t n;
    if (fd < 0)
        return false;
    n = host_pread(l->host, fd, text, sizeof(text), 0);
    host_close(l->host, fd);
    return span_equals(without_newline(text, n), "auto");
}

/* The file is kept open where that is a view of the kernel's: so that it tells when the device has gone. */
static ssize_t read_status_file(struct live *l, struct live_device *d, char text[64]) {
    int fd = d->status_fd >= 0 ? d->status_fd : open_power(l, d, "/power/runtime_status");
    ssize_t n = fd >= 0 ? host_pread(l->host, fd, text, 64, 0) : -1;
    if (fd < 0 || fd == d->status_fd)
        return n;
    if (n >= 0 && !l->host->rooted && l->host->keep_left > 0) {
        l->host->keep_left--;
        d->status_fd = fd;
    } else {
        host_close(l->host, fd);
    }
    return n;
}

static void let_go(struct live *l, struct live_device *d) {
    if (d->status_fd < 0)
        return;
    host_close(l->host, d->status_fd);
    d->status_fd = -1;
    l->host->keep_left++;
}

/* No such file: no power management, so awake. Any other failure says nothing new; of a device of which nothing
 * is known, and may be in a moment, it says that one had better wait. */
static void take_failure(struct live *l, struct live_device *d, int sys) {
    d->gone = d->status_fd >= 0 && outcome_from_sys(sys) == OUTCOME_GONE;
    let_go(l, d);
    if (sys == ENOENT)
        d->asleep = false;
    else if (!d->told)
        d->asleep = host_may_pass(sys);
}

/* Reads and tells the state; the text without its newline, empty where there is none. */
static struct span read_status(struct live *l, struct live_device *d, const struct frame_sink *sink,
                               char text[64]) {
    ssize_t n = read_status_file(l, d, text);
    int sys = n < 0 ? errno : 0;
    host_emit(sink, d->subject, FRAME_STATE, clock_mono_ns(), text, n, sys);
    if (n < 0)
        take_failure(l, d, sys);
    d->told |= n >= 0;
    return without_newline(text, n);
}

/* Says that the device is not read in this tick though it is awake. */
static void tell_left_alone(const struct live_device *d, const struct frame_sink *sink) {
    struct frame f = {.t_ns = clock_mono_ns(),
                      .subject = d->subject->id,
                      .kind = FRAME_STATE,
                      .outcome = OUTCOME_ASLEEP};
    sink->frame(sink->ctx, d->subject, &f);
}

void live_state_tell(struct live *l, struct live_device *d, const struct frame_sink *sink) {
    char text[64];
    struct span status = read_status(l, d, sink, text);
    if (status.n > 0)
        d->asleep = span_equals(status, "suspended") || span_equals(status, "suspending");
    if (l->host->wake)
        d->asleep = false;
    roster_set_asleep(l->host->roster, d->subject, d->asleep);
    d->may_sleep = span_equals(status, "active") && !l->host->wake &&
                   roster_holders(l->host->roster, d->subject) == 0 && sleeps_by_itself(l, d);
    d->alone = quiet_tick(&d->quiet, d->may_sleep, l->now_ns);
    if (d->alone)
        tell_left_alone(d, sink);
}

void live_state_tell_all(struct live *l, const struct frame_sink *sink) {
    for (uint32_t i = 0; i < l->devices.count; i++)
        live_state_tell(l, l->devices.items[i], sink);
}

void live_state_finish(struct live *l, struct live_device *d) {
    let_go(l, d);
}
