/* What the sources of an AMD GPU take, and whether they can be read; for `gwtop doctor`. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"

#include "amdgpu.h"
#include "device.h"

enum { PATH_BYTES = 512, SYS_BYTES = 384 };

static const struct kind *kind_of(unsigned kind) {
    return &backend_amdgpu.kinds[kind - FRAME_BACKEND];
}

/* The first of these files that is there. */
static int may_read(struct host *h, const char *folder, const char *const *files, size_t count,
                    char path[PATH_BYTES]) {
    int sys = ENOENT;
    for (size_t i = 0; i < count && sys == ENOENT; i++) {
        snprintf(path, PATH_BYTES, "%s/%s", folder, files[i]);
        sys = host_may(h, path, R_OK);
    }
    return sys;
}

static void check_files(struct host *h, const char *sys_path, unsigned kind, uint8_t gain,
                        const char *const *files, size_t count, const struct check_sink *sink) {
    char path[PATH_BYTES] = "";
    int sys = may_read(h, sys_path, files, count, path);
    struct check c = check_of_kind(kind_of(kind), check_state_of_feature(sys), path);
    if (c.state == CHECK_UNSUPPORTED)
        c.need = "a chip and a kernel that have it";
    check_tell(sink, c, gain);
}

static void check_hwmon(struct host *h, const char *sys_path, const struct check_sink *sink) {
    static const char *const files[] = {"power1_average", "power1_input", "temp1_input"};
    char folder[SYS_BYTES + 64];
    char name[32];
    snprintf(folder, sizeof(folder), "%s/hwmon", sys_path);
    if (host_first_name(h, folder, "hwmon", name, sizeof(name)))
        snprintf(folder + strlen(folder), sizeof(folder) - strlen(folder), "/%s", name);
    check_files(h, folder, AMDGPU_HWMON, 6, files, sizeof(files) / sizeof(files[0]), sink);
}

/* The file that sleeps for a second in the kernel is read on request alone. */
static void check_pcie(struct host *h, const char *sys_path, const struct check_sink *sink) {
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "%s/pcie_bw", sys_path);
    struct check c = check_of_kind(kind_of(AMDGPU_PCIE_BW),
                                   check_state_of_feature(host_may(h, path, R_OK)), path);
    if (c.state == CHECK_OK) {
        c.state = CHECK_OFF;
        c.need = "the option --pcie-bw";
        c.command = "gwtop --pcie-bw";
        c.unsafe = "each read takes a second in the kernel, off the screen's path";
    }
    check_tell(sink, c, c.state == CHECK_OFF ? 1 : 0);
}

static void check_kfd(struct host *h, const struct check_sink *sink) {
    static const char path[] = "sys/class/kfd/kfd/proc";
    int sys = host_may(h, path, R_OK | X_OK);
    if (sys == ENOENT)
        return;
    struct check c = check_of_kind(kind_of(AMDGPU_KFD), check_state_of_feature(sys), path);
    check_tell(sink, c, 4);
}

void amdgpu_check(struct host *host, const struct device_info *device,
                  const struct check_sink *sink) {
    static const char *const table[] = {"gpu_metrics"};
    static const char *const files[] = {"mem_info_vram_used", "gpu_busy_percent"};
    if (!device) {
        check_kfd(host, sink);
        return;
    }
    if (strcmp(device->driver, "amdgpu") != 0 || strlen(device->sys_path) >= SYS_BYTES)
        return;
    check_files(host, device->sys_path, AMDGPU_GPU_METRICS, 5, table, 1, sink);
    check_files(host, device->sys_path, AMDGPU_SYSFS, 7, files, 2, sink);
    check_hwmon(host, device->sys_path, sink);
    check_pcie(host, device->sys_path, sink);
}
