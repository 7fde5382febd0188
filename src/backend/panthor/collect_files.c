/*
 * Where the small files of a Mali GPU stand. Clock: below the device. Voltage: of the regulator that the kernel says the
 * device hangs on; of the table of operating points, which only root may read. Temperature: of thermal zones that are
 * called after the GPU. What cannot be told to be the device's is not used. I/O.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect_sensors.h"

#define REGULATORS "sys/class/regulator"
#define ZONES      "sys/class/thermal"
#define POINTS     "sys/kernel/debug/opp"
#define SUPPLIER   "supplier:regulator:"

enum { NAMES = 96, NAME_BYTES = 64, LIST_BYTES = 4096 };

/* ---- names of a folder ------------------------------------------------------------------------- */

/* Those that begin with `prefix`, without it. */
struct names {
    const char *prefix;
    char name[NAMES][NAME_BYTES];
    uint32_t count;
};

static void note_name(void *ctx, struct span name) {
    struct names *n = ctx;
    if (n->count == NAMES || !span_starts(name, n->prefix))
        return;
    name = span_skip(name, strlen(n->prefix));
    if (name.n == 0 || name.n >= NAME_BYTES)
        return;
    memcpy(n->name[n->count], name.p, name.n);
    n->name[n->count++][name.n] = '\0';
}

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

/* False with errno. */
static bool list(struct host *h, const char *folder, const char *prefix, struct names *out) {
    char space[LIST_BYTES];
    int fd = host_open(h, h->root_fd, folder, O_RDONLY | O_DIRECTORY);
    out->prefix = prefix;
    out->count = 0;
    if (fd < 0)
        return false;
    (void)host_list(h, fd, space, sizeof(space), note_name, out);
    host_close(h, fd);
    qsort(out->name, out->count, sizeof(out->name[0]), by_name);
    return true;
}

/* ---- one file ---------------------------------------------------------------------------------- */

static void set(struct panthor_files *f, unsigned which, const char *name, const char *folder,
                const char *leaf) {
    struct panthor_small_file *d = &f->file[which];
    int n = snprintf(d->path, sizeof(d->path), "%s/%s", folder, leaf);
    if (n < 0 || (size_t)n >= sizeof(d->path))
        d->path[0] = '\0'; /* none that anybody has */
    snprintf(d->name, sizeof(d->name), "%s", name);
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- the clock --------------------------------------------------------------------------------- */

static void find_clock(struct panthor_files *f, struct host *h, const char *sys_path,
                       struct names *names) {
    static const char *const of[] = {[PANTHOR_CUR] = "devfreq/cur_freq",
                                     [PANTHOR_TARGET] = "devfreq/target_freq",
                                     [PANTHOR_MIN] = "devfreq/min_freq",
                                     [PANTHOR_MAX] = "devfreq/max_freq",
                                     [PANTHOR_AVAILABLE] = "devfreq/available_frequencies"};
    char folder[PANTHOR_SENSOR_PATH];
    snprintf(folder, sizeof(folder), "%s/devfreq", sys_path);
    if (!list(h, folder, "", names) || names->count == 0)
        return;
    snprintf(folder, sizeof(folder), "%s/devfreq/%s", sys_path, names->name[0]);
    for (unsigned i = PANTHOR_CUR; i <= PANTHOR_AVAILABLE; i++)
        set(f, i, of[i], folder, last_part(of[i]));
}

/* ---- the voltage ------------------------------------------------------------------------------- */

/* Whether the kernel gave the device this regulator as the one that its drivers call "mali". */
static bool is_mali_supply(struct host *h, const char *regulator, const char *device) {
    char path[PANTHOR_SENSOR_PATH];
    char to[PANTHOR_SENSOR_PATH];
    int n = snprintf(path, sizeof(path), REGULATORS "/%s/%s-mali", regulator, device);
    return n > 0 && (size_t)n < sizeof(path) &&
           host_readlink(h, h->root_fd, path, to, sizeof(to)) >= 0;
}

/* The only supplier; of several, or where older kernels name none, the one that says so itself. */
static void find_regulator(struct panthor_files *f, struct host *h, const char *sys_path,
                           const char *device, struct names *names) {
    char folder[PANTHOR_SENSOR_PATH];
    uint32_t found = NAMES;
    bool listed = list(h, sys_path, SUPPLIER, names) && names->count > 0;
    if (!listed && !list(h, REGULATORS, "regulator.", names))
        return;
    for (uint32_t i = 0; i < names->count && found == NAMES; i++) {
        snprintf(folder, sizeof(folder), "%s%s", listed ? "" : "regulator.", names->name[i]);
        if ((listed && names->count == 1) || is_mali_supply(h, folder, device))
            found = i;
    }
    if (found == NAMES)
        return;
    snprintf(folder, sizeof(folder), REGULATORS "/%s%s", listed ? "" : "regulator.",
             names->name[found]);
    set(f, PANTHOR_REGULATOR, "regulator/microvolts", folder, "microvolts");
}

/* The kernel calls the table PARENT-DEVICE, or DEVICE where there is no parent. */
static bool is_table_of(const char *table, const char *device) {
    size_t n = strlen(table);
    size_t tail = strlen(device);
    if (n < tail || strcmp(table + n - tail, device) != 0)
        return false;
    return n == tail || table[n - tail - 1] == '-';
}

static void take_rates(struct panthor_files *f, const struct names *names) {
    for (uint32_t i = 0; i < names->count && f->rates < PANTHOR_POINTS; i++) {
        uint64_t hz;
        if (span_to_u64(span_of(names->name[i]), &hz) == ERR_OK && hz > 0)
            f->rate_hz[f->rates++] = hz;
    }
}

static void find_points(struct panthor_files *f, struct host *h, const char *device,
                        struct names *names) {
    bool fine = list(h, POINTS, "", names);
    f->points_sys = !fine && (errno == EACCES || errno == EPERM) ? errno : 0;
    if (!fine)
        return;
    for (uint32_t i = 0; i < names->count && !f->points[0]; i++)
        if (is_table_of(names->name[i], device))
            snprintf(f->points, sizeof(f->points), POINTS "/%.*s", NAME_BYTES, names->name[i]);
    if (!f->points[0] || !list(h, f->points, "opp:", names))
        return;
    take_rates(f, names);
}

/* ---- the temperature --------------------------------------------------------------------------- */

static bool is_gpu_zone(struct host *h, const char *zone) {
    char path[PANTHOR_SENSOR_PATH];
    char text[64];
    ssize_t n;
    snprintf(path, sizeof(path), ZONES "/thermal_zone%s/type", zone);
    n = host_slurp(h, h->root_fd, path, text, sizeof(text));
    return n > 0 && panthor_is_gpu_zone((struct span){text, (size_t)n});
}

static unsigned find_zones(struct panthor_files *f, struct host *h, struct names *names) {
    unsigned found = 0;
    if (!list(h, ZONES, "thermal_zone", names))
        return 0;
    for (uint32_t i = 0; i < names->count && found < PANTHOR_ZONES; i++) {
        char folder[PANTHOR_SENSOR_PATH];
        char name[sizeof "thermal_zone9999/temp"];
        uint64_t number;
        if (span_to_u64(span_of(names->name[i]), &number) != ERR_OK || strlen(names->name[i]) > 4 ||
            !is_gpu_zone(h, names->name[i]))
            continue;
        snprintf(folder, sizeof(folder), ZONES "/thermal_zone%s", names->name[i]);
        snprintf(name, sizeof(name), "thermal_zone%.4s/temp", names->name[i]);
        set(f, PANTHOR_ZONE + found++, name, folder, "temp");
    }
    return found;
}

/* ---- all --------------------------------------------------------------------------------------- */

bool panthor_files_find(struct panthor_files *f, struct host *h, const char *sys_path,
                        const char *device) {
    struct names *names = malloc(sizeof(*names));
    unsigned zones = 0;
    *f = (struct panthor_files){.rates = 0};
    for (unsigned i = 0; i < PANTHOR_FILES; i++)
        f->file[i].fd = -1;
    if (!names)
        return false;
    find_clock(f, h, sys_path, names);
    find_regulator(f, h, sys_path, device, names);
    find_points(f, h, device, names);
    zones = find_zones(f, h, names);
    free(names);
    return f->file[PANTHOR_CUR].path[0] && zones > 0;
}
