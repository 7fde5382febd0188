/*
 * /sys and /dev of the synthetic machine: devices, the links between them as the kernel makes them, DRM and
 * accel minors, power state, and a few sensors that follow the work.
 */
#include "synth_gpu.h"

#include <stdio.h>
#include <string.h>

#define PATH_MAX_HERE 320

/* "../" for each folder of `path` below sys/. */
static void climb(char out[64], const char *path) {
    size_t n = 0;
    out[0] = '\0';
    for (const char *p = path; *p; p++)
        if (*p == '/' && n + 3 < 64) {
            memcpy(out + n, "../", 4);
            n += 3;
        }
}

/* A link at `path` (below sys/) to `to` (below sys/, without it). */
static bool link_within(int root, const char *path, const char *to) {
    char up[64], target[PATH_MAX_HERE];
    climb(up, path + strlen("sys/"));
    snprintf(target, sizeof target, "%s%s", up, to);
    return put_link(root, path, target);
}

static const char *bus_name(const struct gpu *g) {
    return g->model->bus == BUS_PLATFORM ? "platform" : "pci";
}

static bool put_pci(int root, const struct gpu *g) {
    const struct gpu_model *m = g->model;
    char modalias[80];
    snprintf(modalias, sizeof modalias, "pci:v%08Xd%08Xsv%08Xsd%08Xbc%02Xsc%02Xi%02X",
             m->ids.vendor, m->ids.device, m->ids.subsystem_vendor, m->ids.subsystem_device,
             m->ids.class >> 16, m->ids.class >> 8 & 0xff, m->ids.class & 0xff);
    const struct {
        const char *file;
        unsigned value;
        int digits;
    } number[] = {{"vendor", m->ids.vendor, 4},
                  {"device", m->ids.device, 4},
                  {"subsystem_vendor", m->ids.subsystem_vendor, 4},
                  {"subsystem_device", m->ids.subsystem_device, 4},
                  {"revision", m->ids.revision, 2},
                  {"class", m->ids.class, 6}};
    char path[PATH_MAX_HERE];
    bool fine = true;
    for (size_t i = 0; i < sizeof number / sizeof number[0] && fine; i++) {
        snprintf(path, sizeof path, "%s/%s", g->path, number[i].file);
        fine = put_line(root, path, "0x%0*x", number[i].digits, number[i].value);
    }
    snprintf(path, sizeof path, "%s/modalias", g->path);
    fine = fine && put_line(root, path, "%s", modalias);
    snprintf(path, sizeof path, "%s/enable", g->path);
    fine = fine && put_line(root, path, "1");
    snprintf(path, sizeof path, "%s/uevent", g->path);
    return fine && put_line(root, path,
                            "DRIVER=%s\nPCI_CLASS=%X\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\n"
                            "PCI_SLOT_NAME=%s\nMODALIAS=%s",
                            strcmp(m->driver, "amdxdna_accel_driver") == 0 ? "amdxdna" : m->driver,
                            m->ids.class, m->ids.vendor, m->ids.device, m->ids.subsystem_vendor,
                            m->ids.subsystem_device, g->name, modalias);
}

static bool put_platform(int root, const struct gpu *g) {
    char path[PATH_MAX_HERE];
    snprintf(path, sizeof path, "%s/modalias", g->path);
    if (!put_line(root, path, "of:NgpuT(null)C%s", g->model->compatible))
        return false;
    if (strncmp(g->model->driver, "pan", 3) == 0) {
        snprintf(path, sizeof path, "%s/profiling", g->path);
        if (!put_line(root, path, "%d", strcmp(g->model->driver, "panthor") == 0 ? 3 : 1))
            return false;
    }
    snprintf(path, sizeof path, "%s/uevent", g->path);
    return put_line(root, path,
                    "DRIVER=%s\nOF_NAME=gpu\nOF_FULLNAME=/gpu@%.*s\nOF_COMPATIBLE_0=%s\n"
                    "OF_COMPATIBLE_N=1\nMODALIAS=of:NgpuT(null)C%s",
                    g->model->driver, (int)strcspn(g->name, "."), g->name, g->model->compatible,
                    g->model->compatible);
}

/* One minor of the device: class is "drm" or "accel", node as in /dev. */
static bool put_minor(int root, const struct gpu *g, const char *class, const char *name,
                      unsigned major, unsigned minor) {
    const char *folder = strcmp(class, "drm") == 0 ? "dri" : "accel";
    char path[PATH_MAX_HERE], to[PATH_MAX_HERE];
    snprintf(path, sizeof path, "%s/%s/%s/dev", g->path, class, name);
    bool fine = put_line(root, path, "%u:%u", major, minor);
    snprintf(path, sizeof path, "%s/%s/%s/uevent", g->path, class, name);
    fine = fine && put_line(root, path, "MAJOR=%u\nMINOR=%u\nDEVNAME=%s/%s\nDEVTYPE=%s_minor",
                            major, minor, folder, name, class);
    snprintf(path, sizeof path, "%s/%s/%s/device", g->path, class, name);
    snprintf(to, sizeof to, "../../../%s", g->name);
    fine = fine && put_link(root, path, to);
    snprintf(path, sizeof path, "%s/%s/%s/subsystem", g->path, class, name);
    snprintf(to, sizeof to, "class/%s", class);
    fine = fine && link_within(root, path, to);
    snprintf(to, sizeof to, "%s/%s/%s", g->path + strlen("sys/"), class, name);
    snprintf(path, sizeof path, "sys/class/%s/%s", class, name);
    fine = fine && link_within(root, path, to);
    snprintf(path, sizeof path, "sys/dev/char/%u:%u", major, minor);
    fine = fine && link_within(root, path, to);
    snprintf(path, sizeof path, "dev/%s/%s", folder, name);
    return fine && put_file(root, path, "", 0);
}

/* A connector: a folder in class/drm that is no minor. */
static bool put_connector(int root, const struct gpu *g) {
    char path[PATH_MAX_HERE], to[PATH_MAX_HERE];
    snprintf(path, sizeof path, "%s/drm/card%u/card%u-DP-1/status", g->path, g->card, g->card);
    bool fine = put_line(root, path, "connected");
    snprintf(path, sizeof path, "sys/class/drm/card%u-DP-1", g->card);
    snprintf(to, sizeof to, "%s/drm/card%u/card%u-DP-1", g->path + strlen("sys/"), g->card,
             g->card);
    return fine && link_within(root, path, to);
}

static bool put_minors(int root, const struct gpu *g) {
    char name[32];
    if (g->model->accel) {
        snprintf(name, sizeof name, "accel%u", g->card);
        return put_minor(root, g, "accel", name, 261, g->card);
    }
    snprintf(name, sizeof name, "card%u", g->card);
    if (!put_minor(root, g, "drm", name, 226, g->card) || !put_connector(root, g))
        return false;
    snprintf(name, sizeof name, "renderD%u", g->render);
    return put_minor(root, g, "drm", name, 226, g->render);
}

static bool put_discrete(int root, const struct gpu *g, unsigned index) {
    char path[PATH_MAX_HERE], to[PATH_MAX_HERE];
    snprintf(path, sizeof path, "%s/current_link_speed", g->path);
    bool fine = put_line(root, path, "16.0 GT/s PCIe");
    snprintf(path, sizeof path, "%s/current_link_width", g->path);
    fine = fine && put_line(root, path, "16");
    snprintf(path, sizeof path, "%s/hwmon/hwmon%u/name", g->path, index);
    fine = fine && put_line(root, path, "%s", g->model->driver);
    snprintf(path, sizeof path, "sys/class/hwmon/hwmon%u", index);
    snprintf(to, sizeof to, "%s/hwmon/hwmon%u", g->path + strlen("sys/"), index);
    return fine && link_within(root, path, to);
}

bool sys_create(int root, const struct gpu *g, unsigned index) {
    char path[PATH_MAX_HERE], to[PATH_MAX_HERE];
    bool pci = g->model->bus != BUS_PLATFORM;
    bool fine = pci ? put_pci(root, g) : put_platform(root, g);
    snprintf(path, sizeof path, "%s/subsystem", g->path);
    snprintf(to, sizeof to, "bus/%s", bus_name(g));
    fine = fine && link_within(root, path, to);
    snprintf(to, sizeof to, "sys/bus/%s/drivers/%s/bind", bus_name(g), g->model->driver);
    fine = fine && put_file(root, to, "", 0);
    snprintf(path, sizeof path, "%s/driver", g->path);
    snprintf(to, sizeof to, "bus/%s/drivers/%s", bus_name(g), g->model->driver);
    fine = fine && link_within(root, path, to);
    snprintf(path, sizeof path, "sys/bus/%s/devices/%s", bus_name(g), g->name);
    fine = fine && link_within(root, path, g->path + strlen("sys/"));
    snprintf(path, sizeof path, "%s/power/control", g->path);
    fine = fine && put_line(root, path, "auto") && put_minors(root, g);
    return fine && (g->model->bus != BUS_DISCRETE || put_discrete(root, g, index));
}

bool sys_create_common(int root) {
    return put_line(root, "sys/class/drm/version", "drm 1.1.0 20060810") &&
           put_file(root, "dev/null", "", 0);
}

static bool update_platform(int root, const struct gpu *g) {
    char path[PATH_MAX_HERE];
    if (strncmp(g->model->driver, "pan", 3) != 0)
        return true;
    snprintf(path, sizeof path, "%s/devfreq/%s/max_freq", g->path, g->name);
    if (!put_line(root, path, "1000000000"))
        return false;
    snprintf(path, sizeof path, "%s/devfreq/%s/cur_freq", g->path, g->name);
    return put_line(root, path, "850000000");
}

bool sys_update(int root, const struct gpu *g, unsigned index, const struct usage *used,
                const uint32_t duty_ppm[ROLE_COUNT], int64_t t_ms) {
    char path[PATH_MAX_HERE];
    bool asleep = t_ms >= g->asleep_from_ms;
    snprintf(path, sizeof path, "%s/power/runtime_status", g->path);
    if (!put_line(root, path, "%s", asleep ? "suspended" : "active"))
        return false;
    snprintf(path, sizeof path, "%s/power_state", g->path);
    if (g->model->bus != BUS_PLATFORM && !put_line(root, path, "%s", asleep ? "D3cold" : "D0"))
        return false;
    if (strcmp(g->model->driver, "amdgpu") == 0)
        return amdgpu_update(root, g, index, used, duty_ppm, t_ms);
    return g->model->bus != BUS_PLATFORM || update_platform(root, g);
}
