/* What the sources of i915 and xe take, and whether they can be read; for `gwtop doctor`. No counter is opened. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"

#include "intel.h"

enum { CHECK_BYTES = 512, SYS_BYTES = 384 };

#define EVENTS        "sys/bus/event_source/devices/"
#define PERF_PARANOID "proc/sys/kernel/perf_event_paranoid"
#define OA_PARANOID   "proc/sys/dev/i915/perf_stream_paranoid"
#define RAPL_FILE     "sys/class/powercap/intel-rapl:0/energy_uj"

struct look {
    struct host *host;
    const struct device_info *device;
    const struct check_sink *sink;
};

static const struct kind *kind_of(unsigned kind) {
    return &backend_intel.kinds[kind - FRAME_BACKEND];
}

/* `otherwise` where the number cannot be read. */
static int64_t number_in(struct host *h, const char *path, int64_t otherwise) {
    char text[32];
    int64_t v = otherwise;
    ssize_t n = host_slurp(h, h->root_fd, path, text, sizeof(text));
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    if (n <= 0 || span_to_i64((struct span){text, (size_t)n}, &v) != ERR_OK)
        return otherwise;
    return v;
}

/* ---- files ------------------------------------------------------------------------------------ */

static void check_clocks(const struct look *l) {
    char card[32] = "";
    char path[CHECK_BYTES];
    struct span name = facts_get(l->device->subject->facts, "card");
    int sys;
    if (name.n < sizeof(card))
        memcpy(card, name.p, name.n);
    snprintf(path, sizeof(path), "%s/tile0/gt0/freq0/act_freq", l->device->sys_path);
    sys = host_may(l->host, path, R_OK);
    if (sys == ENOENT) {
        snprintf(path, sizeof(path), "sys/class/drm/%s/gt_act_freq_mhz", card);
        sys = host_may(l->host, path, R_OK);
    }
    struct check c = check_of_kind(kind_of(INTEL_SYSFS), check_state_of_feature(sys), path);
    if (c.state == CHECK_UNSUPPORTED)
        c.need = "a kernel whose driver shows the clocks";
    check_tell(l->sink, c, 5);
}

static void check_hwmon(const struct look *l) {
    static const char *const files[] = {"energy1_input", "energy2_input", "temp2_input", "name"};
    char folder[SYS_BYTES + 64];
    char path[CHECK_BYTES];
    char name[32];
    int sys = ENOENT;
    snprintf(folder, sizeof(folder), "%s/hwmon", l->device->sys_path);
    snprintf(path, sizeof(path), "%s", folder);
    if (!host_first_name(l->host, folder, "hwmon", name, sizeof(name)))
        sys = errno;
    for (unsigned i = 0; i < 4 && name[0] && sys == ENOENT; i++) {
        snprintf(path, sizeof(path), "%s/%s/%s", folder, name, files[i]);
        sys = host_may(l->host, path, R_OK);
    }
    struct check c = check_of_kind(kind_of(INTEL_HWMON), check_state_of_feature(sys), path);
    if (c.state == CHECK_UNSUPPORTED)
        c.need = "a card with sensors of its own, and a kernel that reads them";
    check_tell(l->sink, c, 6);
}

/* ---- perf events ------------------------------------------------------------------------------ */

static const char perf_unsafe[] = "energy and engine counters tell how busy others are, and fine "
                                  "energy readings have leaked secrets; with the "
                                  "sysctl every user may count everything on the machine";

static struct check perf_check(const struct look *l, unsigned kind, const char *path) {
    int sys = host_may(l->host, path, F_OK);
    struct check c = check_of_kind(kind_of(kind), check_state_of_feature(sys), path);
    if (c.state == CHECK_UNSUPPORTED)
        c.need = "a kernel that counts such events of this device";
    if (c.state == CHECK_OK && !host_may_count() && number_in(l->host, PERF_PARANOID, 2) > 0)
        c.state = CHECK_DENIED;
    if (c.state == CHECK_DENIED) {
        c.capability = "cap_perfmon";
        c.command = "sudo sysctl kernel.perf_event_paranoid=0";
        c.unsafe = perf_unsafe;
    }
    return c;
}

/* An integrated GPU of i915 gives its events the driver's name alone. */
static void check_pmu(const struct look *l) {
    char path[CHECK_BYTES];
    bool alone =
        strcmp(l->device->driver, "i915") == 0 && strcmp(l->device->slot, "0000:00:02.0") == 0;
    snprintf(path, sizeof(path), EVENTS "%s%s%s", l->device->driver, alone ? "" : "_",
             alone ? "" : l->device->slot);
    for (char *p = path + strlen(EVENTS); *p; p++)
        if (*p == ':')
            *p = '_';
    check_tell(l->sink, perf_check(l, INTEL_PMU, path), 4);
}

/* Of a chip that holds the processor as well; its file does where events may not be counted. */
static void check_rapl(const struct look *l) {
    struct check c = perf_check(l, INTEL_RAPL, EVENTS "power");
    int file = host_may(l->host, RAPL_FILE, R_OK);
    if (c.state != CHECK_OK && file == 0) {
        c = check_of_kind(kind_of(INTEL_RAPL), CHECK_OK, RAPL_FILE);
    } else if (c.state == CHECK_UNSUPPORTED && check_state_of_feature(file) == CHECK_DENIED) {
        c = check_of_kind(kind_of(INTEL_RAPL), CHECK_DENIED, RAPL_FILE);
        c.need = "the right to read its file";
        c.command = "sudo chmod a+r /" RAPL_FILE;
        c.unsafe =
            "fine energy readings have leaked secrets of other programs; lasts until the next boot";
    }
    check_tell(l->sink, c, 6);
}

/* ---- hardware counters ------------------------------------------------------------------------- */

static void check_oa(const struct look *l) {
    struct check c = check_of_kind(kind_of(INTEL_PERF), CHECK_OFF, OA_PARANOID);
    bool there = host_may(l->host, OA_PARANOID, F_OK) == 0;
    bool allowed = host_may_count() || number_in(l->host, OA_PARANOID, 1) == 0;
    if (!there) {
        c.state = CHECK_UNSUPPORTED;
        c.need = "a kernel whose i915 has counters (i915 perf)";
    } else if (!allowed) {
        c.state = CHECK_DENIED;
        c.capability = "cap_perfmon";
        c.command = "sudo sysctl dev.i915.perf_stream_paranoid=0";
        c.unsafe = "counters of the whole GPU tell about the work of others; with the sysctl every "
                   "user sees it";
    } else if (host_may_render(l->host, l->device) != 0) {
        c.state = CHECK_DENIED;
        c.need = "the render node of the device, see nodes";
    } else {
        c.need = "the option --counters";
        c.command = "gwtop --counters";
        c.unsafe = "keeps the GPU awake, and no other program gets the counters meanwhile";
    }
    check_tell(l->sink, c, c.state == CHECK_OFF ? 2 : 3);
}

void intel_check(struct host *host, const struct device_info *device,
                 const struct check_sink *sink) {
    const struct look l = {host, device, sink};
    if (!device || strlen(device->sys_path) >= SYS_BYTES)
        return;
    bool i915 = strcmp(device->driver, "i915") == 0;
    if (!i915 && strcmp(device->driver, "xe") != 0)
        return;
    check_clocks(&l);
    check_hwmon(&l);
    if (strncmp(device->slot, "0000:00:", 8) == 0)
        check_rapl(&l);
    check_pmu(&l);
    if (i915)
        check_oa(&l);
}
