/* Which files of a device are read, how often, and where they stand. */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GTS = 16, TILES = 4, HWMON_NAMES = 256 };

struct known {
    const char *name;
    uint8_t pace;
};

/* Below the card's folder, or below "gt/gtN/" of it with another first word. */
static const struct known in_card[] = {
    {"gt_act_freq_mhz", PACE_TICK},  {"gt_cur_freq_mhz", PACE_TICK},
    {"gt_min_freq_mhz", PACE_THIRD}, {"gt_max_freq_mhz", PACE_THIRD},
    {"gt_RP0_freq_mhz", PACE_ONCE},  {"power/rc6_residency_ms", PACE_TICK},
};
static const struct known in_gt[] = {
    {"rps_act_freq_mhz", PACE_TICK},  {"rps_cur_freq_mhz", PACE_TICK},
    {"rps_min_freq_mhz", PACE_THIRD}, {"rps_max_freq_mhz", PACE_THIRD},
    {"rps_RP0_freq_mhz", PACE_ONCE},  {"rc6_residency_ms", PACE_TICK},
};
/* Below "tileN/gtN/". */
static const struct known in_tile[] = {
    {"freq0/act_freq", PACE_TICK},  {"freq0/cur_freq", PACE_TICK},
    {"freq0/min_freq", PACE_THIRD}, {"freq0/max_freq", PACE_THIRD},
    {"freq0/rp0_freq", PACE_ONCE},  {"gtidle/idle_residency_ms", PACE_TICK},
};
static const struct known of_link[] = {
    {"current_link_speed", PACE_THIRD},
    {"current_link_width", PACE_THIRD},
    {"max_link_speed", PACE_ONCE},
    {"max_link_width", PACE_ONCE},
};
static const char *const reasons[] = {"pl1",     "pl2",  "pl4",           "thermal",
                                      "prochot", "ratl", "vr_thermalert", "vr_tdc"};
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- folders -------------------------------------------------------------------------------------------- */

static int open_folder(struct host *h, int dir_fd, const char *path) {
    return host_open(h, dir_fd, path, O_RDONLY | O_DIRECTORY);
}

struct names {
    char name[HWMON_NAMES][LABEL_BYTES];
    uint32_t count;
};

static void note_name(void *ctx, struct span name) {
    struct names *n = ctx;
    if (n->count == HWMON_NAMES || name.n >= LABEL_BYTES)
        return;
    memcpy(n->name[n->count], name.p, name.n);
    n->name[n->count++][name.n] = '\0';
}

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

/* errno; 0: all of them. */
static int list_names(struct host *h, int fd, struct names *out) {
    char space[4096];
    int sys;
    out->count = 0;
    sys = host_list(h, fd, space, sizeof(space), note_name, out) < 0 ? errno : 0;
    qsort(out->name, out->count, sizeof(out->name[0]), by_name);
    return sys;
}

/* *sys: why that could not be told. */
static bool is_of_driver(struct host *h, int fd, const char *driver, int *sys) {
    char text[32];
    ssize_t n = host_slurp(h, fd, "name", text, sizeof(text));
    if (n < 0)
        *sys = errno;
    return n > 0 && span_equals(text_of_file((struct span){text, (size_t)n}), driver);
}

/* The one of the device: those of its GTs bear longer names. -1 with errno. */
static int open_hwmon(struct host *h, int device_fd, const char *driver, struct names *space) {
    int fd = open_folder(h, device_fd, "hwmon");
    int found = -1;
    int sys;
    if (fd < 0)
        return -1;
    sys = list_names(h, fd, space);
    for (uint32_t i = 0; i < space->count && found < 0; i++) {
        found = open_folder(h, fd, space->name[i]);
        if (found < 0) {
            sys = errno;
        } else if (!is_of_driver(h, found, driver, &sys)) {
            host_close(h, found);
            found = -1;
        }
    }
    host_close(h, fd);
    if (found < 0)
        errno = sys != 0 ? sys : ENOENT;
    return found;
}

int sensor_files_apu(struct host *h, const struct device_place *at) {
    struct names *space;
    int device;
    int hwmon;
    int sys;
    if (strcmp(at->slot, "0000:00:02.0") != 0)
        return 0;
    space = malloc(sizeof(*space));
    device = open_folder(h, h->root_fd, at->sys_path);
    hwmon = device >= 0 && space ? open_hwmon(h, device, at->driver, space) : -1;
    sys = hwmon < 0 ? errno : 0;
    host_close(h, hwmon);
    host_close(h, device);
    free(space);
    return sys != 0 && outcome_from_sys(sys) != OUTCOME_GONE ? -1 : hwmon < 0;
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static struct sensor_file *add(struct sensor_files *f, enum folder folder, enum pace pace,
                               const char *a, const char *b) {
    struct sensor_file *d;
    int n;
    if (f->count == SENSOR_FILES)
        return NULL;
    d = &f->file[f->count];
    *d = (struct sensor_file){.folder = (uint8_t)folder, .pace = (uint8_t)pace, .fd = -1};
    n = snprintf(d->name, sizeof(d->name), "%s%s", a, b);
    if (n < 0 || (size_t)n >= sizeof(d->name))
        return NULL;
    f->count++;
    return d;
}

static void add_all(struct sensor_files *f, enum folder folder, const char *before,
                    const struct known *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        (void)add(f, folder, (enum pace)list[i].pace, before, list[i].name);
}

/* Reasons stand behind the status that says whether there is one. */
static void add_reasons(struct sensor_files *f, enum folder folder, const char *before,
                        const char *each) {
    char path[SENSOR_NAME_BYTES];
    struct sensor_file *d = add(f, folder, PACE_TICK, before, "status");
    if (d)
        d->is_status = true;
    snprintf(path, sizeof(path), "%s%s", before, each);
    for (size_t i = 0; i < COUNT(reasons); i++) {
        d = add(f, folder, PACE_TICK, path, reasons[i]);
        if (d)
            d->is_reason = true;
    }
}

static bool is_there(struct host *h, int dir_fd, const char *path) {
    struct stat st;
    return host_stat(h, dir_fd, path, &st) == 0;
}

static void add_i915(struct sensor_files *f, struct host *h) {
    char path[SENSOR_NAME_BYTES];
    for (unsigned gt = 0; gt < GTS; gt++) {
        snprintf(path, sizeof(path), "gt/gt%u/", gt);
        if (!is_there(h, f->dir[FOLDER_CARD], path))
            break;
        f->gts |= 1u << gt;
        add_all(f, FOLDER_CARD, path, in_gt, COUNT(in_gt));
        snprintf(path, sizeof(path), "gt/gt%u/throttle_reason_", gt);
        add_reasons(f, FOLDER_CARD, path, "");
    }
    if (f->gts == 0)
        add_all(f, FOLDER_CARD, "", in_card, COUNT(in_card));
}

static void add_tile(struct sensor_files *f, struct host *h, unsigned tile) {
    char path[SENSOR_NAME_BYTES];
    for (unsigned gt = 0; gt < GTS; gt++) {
        snprintf(path, sizeof(path), "tile%u/gt%u/", tile, gt);
        if (!is_there(h, f->dir[FOLDER_DEVICE], path))
            continue;
        f->gts |= 1u << gt;
        add_all(f, FOLDER_DEVICE, path, in_tile, COUNT(in_tile));
        snprintf(path, sizeof(path), "tile%u/gt%u/freq0/throttle/", tile, gt);
        add_reasons(f, FOLDER_DEVICE, path, "reason_");
    }
}

static void add_xe(struct sensor_files *f, struct host *h) {
    char path[16];
    for (unsigned tile = 0; tile < TILES; tile++) {
        snprintf(path, sizeof(path), "tile%u", tile);
        if (!is_there(h, f->dir[FOLDER_DEVICE], path))
            break;
        add_tile(f, h, tile);
    }
}

/* ---- hwmon ------------------------------------------------------------------------------------------------ */

static enum pace pace_of(struct span part, struct span label) {
    if (span_equals(part, "rated_max"))
        return PACE_ONCE;
    return span_equals(part, "input") && !span_starts(label, "vram_ch_") ? PACE_TICK : PACE_THIRD;
}

/* errno. */
static int read_label(struct sensor_file *d, struct host *h, int dir_fd, const char *name) {
    ssize_t n = host_slurp(h, dir_fd, name, d->label, sizeof(d->label));
    d->label_n = n > 0 ? (uint8_t)n : 0;
    return n < 0 ? errno : 0;
}

static void add_sensor(struct sensor_files *f, struct host *h, const struct names *all,
                       const char *name) {
    struct sensor_name n;
    char label[LABEL_BYTES + 8];
    struct sensor_file *d = add(f, FOLDER_HWMON, PACE_TICK, name, "");
    if (!d || !sensor_name_of(span_of(d->name), &n))
        return;
    snprintf(label, sizeof(label), "%.*s%u_label", (int)n.sort.n, n.sort.p, n.number);
    for (uint32_t i = 0; i < all->count; i++)
        if (strcmp(all->name[i], label) == 0)
            f->hwmon_sys = read_label(d, h, f->dir[FOLDER_HWMON], label);
    d->pace = (uint8_t)pace_of(n.part, (struct span){d->label, d->label_n});
}

/* A sensor without its label would be taken for another: all of them are there, or none. */
static void add_hwmon(struct sensor_files *f, struct host *h, struct names *names) {
    uint32_t others = f->count;
    f->hwmon_sys = list_names(h, f->dir[FOLDER_HWMON], names);
    for (uint32_t i = 0; i < names->count && f->hwmon_sys == 0; i++)
        if (intel_hwmon_wanted(span_of(names->name[i])))
            add_sensor(f, h, names, names->name[i]);
    if (f->hwmon_sys == 0)
        return;
    f->count = others;
    host_close(h, f->dir[FOLDER_HWMON]);
    f->dir[FOLDER_HWMON] = -1;
}

/* ---- the port above ------------------------------------------------------------------------------------------ */

static bool is_pci_address(const char *name, size_t n) {
    return n == 12 && name[4] == ':' && name[7] == ':' && name[10] == '.';
}

/* Cuts the last folder off; false where that is not one of a PCI device. */
static bool cut_address(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || !is_pci_address(slash + 1, strlen(slash + 1)))
        return false;
    *slash = '\0';
    return true;
}

/* The port above the device's parent: of a card with a switch the one that looks at the host. -1: there is none. */
static int open_port(struct host *h, const char *sys_path) {
    char path[PATH_BYTES];
    const char *slash;
    memcpy(path, sys_path, strlen(sys_path) + 1);
    if (!cut_address(path) || !cut_address(path))
        return -1;
    slash = strrchr(path, '/');
    if (!slash || !is_pci_address(slash + 1, strlen(slash + 1)))
        return -1;
    return open_folder(h, h->root_fd, path);
}

static void open_others(struct sensor_files *f, struct host *h, const struct device_place *at,
                        bool is_apu) {
    char path[PATH_BYTES];
    snprintf(path, sizeof(path), "sys/class/drm/%s", at->card);
    if (at->card[0] && strcmp(at->driver, "i915") == 0)
        f->dir[FOLDER_CARD] = open_folder(h, h->root_fd, path);
    if (!is_apu)
        f->dir[FOLDER_PORT] = open_port(h, at->sys_path);
}

bool sensor_files_find(struct sensor_files *f, struct host *h, const struct device_place *at,
                       bool is_apu) {
    struct names *names = malloc(sizeof(*names));
    *f = (struct sensor_files){.dir = {-1, -1, -1, -1}};
    f->dir[FOLDER_DEVICE] = names ? open_folder(h, h->root_fd, at->sys_path) : -1;
    if (f->dir[FOLDER_DEVICE] < 0) {
        free(names);
        return false;
    }
    open_others(f, h, at, is_apu);
    if (f->dir[FOLDER_CARD] >= 0)
        add_i915(f, h);
    else
        add_xe(f, h);
    if (!is_apu)
        add_all(f, FOLDER_DEVICE, "", of_link, COUNT(of_link));
    if (f->dir[FOLDER_PORT] >= 0)
        add_all(f, FOLDER_PORT, "port/", of_link, COUNT(of_link));
    f->dir[FOLDER_HWMON] = open_hwmon(h, f->dir[FOLDER_DEVICE], at->driver, names);
    f->hwmon_sys = f->dir[FOLDER_HWMON] < 0 ? errno : 0;
    f->is_card = is_apu && f->dir[FOLDER_HWMON] >= 0;
    if (f->dir[FOLDER_HWMON] >= 0 && !is_apu)
        add_hwmon(f, h, names);
    free(names);
    return true;
}

void sensor_files_close(struct sensor_files *f, struct host *h) {
    for (uint32_t i = 0; i < f->count; i++)
        host_close(h, f->file[i].fd);
    for (unsigned i = 0; i < FOLDERS; i++)
        host_close(h, f->dir[i]);
    f->count = 0;
    for (unsigned i = 0; i < FOLDERS; i++)
        f->dir[i] = -1;
}
