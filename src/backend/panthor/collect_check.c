/* What the sources of a Mali GPU under panthor, panfrost or lima take; for `gwtop doctor`. No knob is turned. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"

#include "panthor.h"
#include "sched.h"

enum { CHECK_BYTES = 512, SYS_BYTES = 384, COMMAND_BYTES = CHECK_BYTES + 64 };

#define POINTS "sys/kernel/debug/opp"

struct look {
    struct host *host;
    const struct device_info *device;
    const struct check_sink *sink;
};

static const struct kind *kind_of(unsigned kind) {
    return &backend_panthor.kinds[kind - FRAME_BACKEND];
}

static bool is_driver(const struct look *l, const char *name) {
    return strcmp(l->device->driver, name) == 0;
}

static void check_clock(const struct look *l) {
    char path[CHECK_BYTES];
    char name[64];
    int sys;
    snprintf(path, sizeof(path), "%s/devfreq", l->device->sys_path);
    if (host_first_name(l->host, path, "", name, sizeof(name))) {
        snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s/cur_freq", name);
        sys = host_may(l->host, path, R_OK);
    } else {
        sys = errno;
    }
    struct check c = check_of_kind(kind_of(PANTHOR_SYSFS), check_state_of_feature(sys), path);
    if (c.state == CHECK_UNSUPPORTED)
        c.need = "a kernel with devfreq for this device";
    check_tell(l->sink, c, 5);
}

/* ---- the knob ---------------------------------------------------------------------------------- */

static bool says_zero(struct host *h, const char *path) {
    char text[16];
    ssize_t n = host_slurp(h, h->root_fd, path, text, sizeof(text));
    return n > 0 && text[0] == '0' && (n == 1 || text[1] == '\n');
}

static void check_knob(const struct look *l) {
    char path[CHECK_BYTES];
    char command[COMMAND_BYTES];
    snprintf(path, sizeof(path), "%s/profiling", l->device->sys_path);
    struct check c = {.source = "profiling",
                      .path = path,
                      .lost = "engine time of processes: GPU %, GPU TIME, PW, W and J",
                      .state = (uint8_t)check_state_of_feature(host_may(l->host, path, R_OK))};
    if (c.state == CHECK_OK && says_zero(l->host, path)) {
        c.state = CHECK_OFF;
        c.need = "the driver's profiling switched on, or the option --set-profiling as root";
        snprintf(command, sizeof(command), "echo %s | sudo tee /%s",
                 is_driver(l, "panthor") ? "3" : "1", path);
        c.command = command;
        c.unsafe = "the driver reads counters around each job, which costs time and power; lasts "
                   "until the next boot";
    } else if (c.state == CHECK_UNSUPPORTED) {
        c.need = "a kernel whose driver has the knob";
    }
    check_tell(l->sink, c, 9);
}

/* ---- hardware counters ------------------------------------------------------------------------- */

static void check_counters(const struct look *l) {
    struct check c = check_of_kind(kind_of(PANTHOR_RING), CHECK_OFF, NULL);
    if (!host_may_count()) {
        c.state = CHECK_DENIED;
        c.capability = "cap_perfmon";
        c.unsafe = "counters of the whole GPU tell about the work of others";
    } else if (host_may_render(l->host, l->device) != 0) {
        c.state = CHECK_DENIED;
        c.need = "the render node of the device, see nodes";
    } else {
        c.need = "the option --counters, and a kernel whose panthor has them";
        c.command = "gwtop --counters";
        c.unsafe = "keeps the GPU awake";
    }
    check_tell(l->sink, c, c.state == CHECK_OFF ? 2 : 3);
}

/* ---- what only root may enter -------------------------------------------------------------------- */

static const char debugfs_unsafe[] = "every user may look into what all drivers show for finding "
                                     "their faults; lasts until the next mount";

static void check_points(const struct look *l) {
    struct check c = {
        .source = "opp",
        .path = POINTS,
        .lost = "the voltage of each clock where no regulator tells it: the price in PW",
        .state = (uint8_t)check_state_from_sys(host_may(l->host, POINTS, R_OK | X_OK))};
    if (c.state == CHECK_DENIED) {
        c.need = "root, for the table of operating points in debugfs";
        c.command = "sudo mount -o remount,mode=755 /sys/kernel/debug";
        c.unsafe = debugfs_unsafe;
    } else if (c.state == CHECK_MISSING) {
        c.need = "debugfs, mounted";
        c.command = "sudo mount -t debugfs debugfs /sys/kernel/debug";
        c.unsafe = "root alone may enter it";
    }
    check_tell(l->sink, c, 2);
}

static void check_sched(const struct look *l) {
    const char *const events[] = {sched_folders[SCHED_NEW][SCHED_QUEUE],
                                  sched_folders[SCHED_OLD][SCHED_QUEUE]};
    char mount[TRACEFS_MOUNT_MAX] = "sys/kernel/tracing";
    bool found = tracefs_find(l->host, events, 2, "sys/module/lima", mount);
    if (!found)
        snprintf(mount, sizeof(mount), "sys/kernel/tracing");
    struct check c = check_of_kind(kind_of(PANTHOR_SCHED), CHECK_OFF, mount);
    if (!found) {
        c.state = CHECK_MISSING;
        c.need = "tracefs, mounted, and a kernel with the events of its GPU scheduler";
        c.command = "sudo mount -t tracefs tracefs /sys/kernel/tracing";
        c.unsafe = "root alone may enter it";
    } else {
        tracefs_check(l->host, mount, "each job of every GPU costs three trace records meanwhile",
                      &c);
    }
    check_tell(l->sink, c, 3);
}

void panthor_check(struct host *host, const struct device_info *device,
                   const struct check_sink *sink) {
    const struct look l = {host, device, sink};
    if (!panthor_probe(host, device) || strlen(device->sys_path) >= SYS_BYTES)
        return;
    check_clock(&l);
    if (!is_driver(&l, "lima"))
        check_knob(&l);
    if (is_driver(&l, "panthor"))
        check_counters(&l);
    if (is_driver(&l, "lima"))
        check_sched(&l);
    check_points(&l);
}
