/* Which files of a device are read, how often, and where they stand. */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "../tell.h"

struct known {
    const char *name;
    uint8_t pace;
    bool awaited;
};

static const struct known in_device[] = {
    {"gpu_busy_percent", PACE_TICK, true},
    {"mem_busy_percent", PACE_TICK, false},
    {"vcn_busy_percent", PACE_TICK, false},
    {"mem_info_vram_used", PACE_TICK, true},
    {"mem_info_gtt_used", PACE_TICK, true},
    {"mem_info_vis_vram_used", PACE_THIRD, false},
    {"mem_info_vram_total", PACE_ONCE, true},
    {"mem_info_gtt_total", PACE_ONCE, true},
    {"mem_info_vis_vram_total", PACE_ONCE, false},
    {"pp_dpm_sclk", PACE_TICK, false},
    {"pp_dpm_mclk", PACE_TICK, false},
    {"pp_dpm_socclk", PACE_TICK, false},
    {"pp_dpm_fclk", PACE_TICK, false},
    {"pp_dpm_vclk", PACE_TICK, false},
    {"pp_dpm_vclk1", PACE_TICK, false},
    {"pp_dpm_dclk", PACE_TICK, false},
    {"pp_dpm_dclk1", PACE_TICK, false},
    {"current_link_speed", PACE_THIRD, true},
    {"current_link_width", PACE_THIRD, true},
    {"max_link_speed", PACE_ONCE, false},
    {"max_link_width", PACE_ONCE, false},
    {"power_dpm_force_performance_level", PACE_ONCE, false},
};

static const struct known in_hwmon[] = {
    {"temp1_input", PACE_TICK, true},     {"temp2_input", PACE_TICK, false},
    {"temp3_input", PACE_TICK, false},    {"temp1_crit", PACE_ONCE, false},
    {"temp2_crit", PACE_ONCE, false},     {"temp3_crit", PACE_ONCE, false},
    {"power1_average", PACE_TICK, true},  {"power1_input", PACE_TICK, true},
    {"power1_cap", PACE_THIRD, false},    {"power1_cap_min", PACE_ONCE, false},
    {"power1_cap_max", PACE_ONCE, false}, {"power1_cap_default", PACE_ONCE, false},
    {"power2_average", PACE_TICK, false}, {"power2_cap", PACE_THIRD, false},
    {"in0_input", PACE_TICK, true},       {"in1_input", PACE_TICK, false},
    {"freq1_input", PACE_TICK, true},     {"freq2_input", PACE_TICK, false},
    {"fan1_input", PACE_TICK, true},      {"pwm1", PACE_TICK, false},
};

_Static_assert(sizeof(in_device) / sizeof(in_device[0]) + sizeof(in_hwmon) / sizeof(in_hwmon[0]) +
                       1 <=
                   DEVICE_FILES,
               "every file has a place");

/* ---- folders -------------------------------------------------------------------------------------------- */

static int open_folder(struct host *h, int dir_fd, const char *path) {
    return host_open(h, dir_fd, path, O_RDONLY | O_DIRECTORY);
}

/* The names in device/hwmon that may be the device's. */
struct hwmon_names {
    char name[8][NAME_BYTES];
    uint32_t count;
};

static void note_name(void *ctx, struct span name) {
    struct hwmon_names *names = ctx;
    if (names->count < 8 && name.n < NAME_BYTES && span_starts(name, "hwmon")) {
        memcpy(names->name[names->count], name.p, name.n);
        names->name[names->count++][name.n] = '\0';
    }
}

/* *sys: why that could not be told. */
static bool is_amdgpu(struct host *h, int fd, int *sys) {
    char text[32];
    ssize_t n = host_slurp(h, fd, "name", text, sizeof(text));
    if (n < 0)
        *sys = errno;
    return n > 0 && span_equals(text_of_file((struct span){text, (size_t)n}), "amdgpu");
}

/* -1 with errno. */
static int open_hwmon(struct host *h, int device_fd) {
    struct hwmon_names names = {.count = 0};
    char space[4096];
    int fd = open_folder(h, device_fd, "hwmon");
    int found = -1;
    int sys;
    if (fd < 0)
        return -1;
    sys = host_list(h, fd, space, sizeof(space), note_name, &names) < 0 ? errno : ENOENT;
    for (uint32_t i = 0; i < names.count && found < 0; i++) {
        found = open_folder(h, fd, names.name[i]);
        if (found < 0) {
            sys = errno;
        } else if (!is_amdgpu(h, found, &sys)) {
            host_close(h, found);
            found = -1;
        }
    }
    host_close(h, fd);
    errno = found < 0 ? sys : 0;
    return found;
}

int files_show_apu(struct host *h, const char *sys_path) {
    struct stat st;
    int device = open_folder(h, h->root_fd, sys_path);
    int hwmon = device < 0 ? -1 : open_hwmon(h, device);
    bool shows = hwmon >= 0 && host_stat(h, hwmon, "in1_label", &st) == 0;
    int sys = shows ? 0 : errno;
    host_close(h, hwmon);
    host_close(h, device);
    return host_may_pass(sys) ? -1 : shows;
}

/* ---- files ---------------------------------------------------------------------------------------------- */

/* The index of the label of this sensor, read at first sight; -1 where it has none. */
static int8_t label_of(struct device_files *f, struct host *h, const char *file) {
    char name[LABEL_BYTES];
    struct label_file *l;
    ssize_t n;
    if (amdgpu_hwmon_label(span_of(file), name).n == 0)
        return -1;
    for (uint32_t i = 0; i < f->label_count; i++)
        if (strcmp(f->label[i].name, name) == 0)
            return (int8_t)i;
    l = f->label_count < LABELS ? &f->label[f->label_count] : NULL;
    n = l ? host_slurp(h, f->dir[FOLDER_HWMON], name, l->text, sizeof(l->text)) : 0;
    if (n < 0 && host_may_pass(errno))
        f->hwmon_sys = errno;
    if (n <= 0)
        return -1;
    memcpy(l->name, name, sizeof(name));
    l->n = (uint8_t)n;
    return (int8_t)f->label_count++;
}

static struct span text_of(const struct device_files *f, int8_t label) {
    if (label < 0)
        return (struct span){"", 0};
    return text_of_file((struct span){f->label[label].text, f->label[label].n});
}

static void add(struct device_files *f, struct host *h, const struct known *k, enum folder folder) {
    struct device_file *d = &f->file[f->count++];
    struct span name = span_of(k->name);
    *d = (struct device_file){
        .folder = (uint8_t)folder, .pace = k->pace, .awaited = k->awaited, .label = -1, .fd = -1};
    memcpy(d->name, name.p, name.n + 1);
    if (folder == FOLDER_DEVICE) {
        d->metric = (uint16_t)amdgpu_sysfs_metric(name);
        d->rank = span_starts(name, "pp_dpm") ? AMD_RANK_LEVELS : AMD_RANK_SYSFS;
    } else {
        d->label = label_of(f, h, k->name);
        d->metric = (uint16_t)amdgpu_hwmon_metric(name, text_of(f, d->label));
        d->rank = AMD_RANK_HWMON;
    }
}

/* What the bus says of the link is better than what the driver asked for. */
static void add_link_levels(struct device_files *f, struct host *h) {
    static const struct known levels = {"pp_dpm_pcie", PACE_THIRD, false};
    struct stat st;
    if (host_stat(h, f->dir[FOLDER_DEVICE], "current_link_speed", &st) != 0)
        add(f, h, &levels, FOLDER_DEVICE);
}

/* A sensor without its label would be taken for another: all of them are there, or none. */
static void add_hwmon(struct device_files *f, struct host *h) {
    uint32_t others = f->count;
    for (size_t i = 0; i < sizeof(in_hwmon) / sizeof(in_hwmon[0]) && f->hwmon_sys == 0; i++)
        add(f, h, &in_hwmon[i], FOLDER_HWMON);
    if (f->hwmon_sys == 0)
        return;
    f->count = others;
    f->label_count = 0;
    host_close(h, f->dir[FOLDER_HWMON]);
    f->dir[FOLDER_HWMON] = -1;
}

bool files_find(struct device_files *f, struct host *h, const char *sys_path) {
    *f = (struct device_files){.dir = {-1, -1}};
    f->dir[FOLDER_DEVICE] = open_folder(h, h->root_fd, sys_path);
    if (f->dir[FOLDER_DEVICE] < 0)
        return false;
    for (size_t i = 0; i < sizeof(in_device) / sizeof(in_device[0]); i++)
        add(f, h, &in_device[i], FOLDER_DEVICE);
    add_link_levels(f, h);
    f->dir[FOLDER_HWMON] = open_hwmon(h, f->dir[FOLDER_DEVICE]);
    f->hwmon_sys = f->dir[FOLDER_HWMON] < 0 ? errno : 0;
    add_hwmon(f, h);
    return true;
}

void files_close(struct device_files *f, struct host *h) {
    for (uint32_t i = 0; i < f->count; i++)
        host_close(h, f->file[i].fd);
    for (unsigned i = 0; i < FOLDERS; i++)
        host_close(h, f->dir[i]);
    *f = (struct device_files){.dir = {-1, -1}};
}
