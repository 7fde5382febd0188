/*
 * Devices as they come, go and sleep. Their folders in /sys/class are listed every 5 s, at once where their
 * own times say that they changed or somebody met an unknown node; a scan follows where names changed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "roster.h"

#define LIST_NS INT64_C(5000000000)

/* ---- come and go ----------------------------------------------------------------------------------- */

static void device_free(struct live *l, struct live_device *d) {
    host_close(l->host, d->status_fd);
    free(d);
}

static void device_remove(struct live *l, uint32_t at, const struct frame_sink *sink) {
    struct live_device *d = l->devices.items[at];
    live_feeds_drop(l, d, sink);
    roster_close(l->host, d->subject, "removed", sink, clock_mono_ns());
    device_free(l, d);
    l->devices.count--;
    memmove(&l->devices.items[at], &l->devices.items[at + 1],
            (l->devices.count - at) * sizeof(*l->devices.items));
}

/* The least index that no device has. */
static uint64_t free_number(const struct live_devices *all) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i]->subject->number == number) {
            number++;
            i = UINT32_MAX; /* from the start */
        }
    return number;
}

static bool device_declare(struct live *l, struct live_device *d, const struct frame_sink *sink) {
    struct subject like = {.type = SUBJECT_DEVICE, .name = d->found.id};
    like.number = free_number(&l->devices);
    buf_clear(&l->devices.facts);
    devices_facts(l->host, &d->found, &l->devices.facts);
    buf_char(&l->devices.facts, '\0');
    if (l->devices.facts.failed)
        return false;
    like.facts = l->devices.facts.p;
    d->subject = roster_open(l->host, &like, sink, clock_mono_ns());
    if (!d->subject)
        return false;
    for (uint32_t i = 0; i < d->found.node_count; i++)
        if (roster_add_node(l->host->roster, d->subject, d->found.nodes[i].major,
                            d->found.nodes[i].minor) != ERR_OK)
            roster_want_rescan(l->host);
    return true;
}

static enum err device_add(struct live *l, const struct device_found *found,
                           const struct frame_sink *sink) {
    struct live_devices *all = &l->devices;
    struct live_device *d;
    enum err e = vec_reserve((void **)&all->items, &all->cap, all->count + 1, sizeof(*all->items));
    if (e != ERR_OK)
        return e;
    d = calloc(1, sizeof(*d));
    if (!d)
        return ERR_NOMEM;
    d->found = *found;
    d->status_fd = -1;
    d->kept = true;
    if (!device_declare(l, d, sink)) {
        device_free(l, d);
        return ERR_NOMEM;
    }
    all->items[all->count++] = d;
    return live_feeds_add(l, d);
}

static struct live_device *device_find(const struct live_devices *all,
                                       const struct device_found *found) {
    for (uint32_t i = 0; i < all->count; i++)
        if (memcmp(&all->items[i]->found, found, sizeof(*found)) == 0)
            return all->items[i];
    return NULL;
}

/* Makes what is open equal to what was found. */
static enum err devices_apply(struct live *l, const struct frame_sink *sink) {
    struct live_devices *all = &l->devices;
    enum err e = ERR_OK;
    for (uint32_t i = 0; i < all->count; i++)
        all->items[i]->kept = false;
    for (uint32_t i = 0; i < all->found.count; i++) {
        struct live_device *d = device_find(all, &all->found.items[i]);
        if (d && !d->gone)
            d->kept = true;
    }
    for (uint32_t i = all->count; i > 0; i--)
        if (!all->items[i - 1]->kept)
            device_remove(l, i - 1, sink);
    for (uint32_t i = 0; i < all->found.count && e == ERR_OK; i++)
        if (!device_find(all, &all->found.items[i]))
            e = device_add(l, &all->found.items[i], sink);
    return e;
}

/* ---- when to look ----------------------------------------------------------------------------------------- */

static bool marks_changed(struct live *l) {
    static const char *const paths[] = {"sys/class/drm", "sys/class/accel"};
    bool changed = false;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct class_mark now = {0};
        struct stat st;
        if (host_stat(l->host, l->host->root_fd, paths[i], &st) == 0) {
            now.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
            now.ino = st.st_ino;
            now.links = st.st_nlink;
        }
        if (memcmp(&now, &l->devices.marks[i], sizeof(now)) != 0)
            changed = true;
        l->devices.marks[i] = now;
    }
    return changed;
}

static bool names_changed(struct live *l) {
    uint64_t fingerprint = 0;
    if (devices_fingerprint(l->host, &fingerprint) != ERR_OK)
        return true;
    if (l->devices.known && fingerprint == l->devices.fingerprint)
        return false;
    l->devices.fingerprint = fingerprint;
    return true;
}

static bool scan_due(struct live *l, int64_t now_ns) {
    bool listed = marks_changed(l) || now_ns >= l->devices.list_due_ns;
    bool due = roster_take_rescan(l->host->roster) || !l->devices.known;
    for (uint32_t i = 0; i < l->devices.count; i++)
        due |= l->devices.items[i]->gone;
    if (!listed && !due)
        return false;
    l->devices.list_due_ns = now_ns + LIST_NS;
    return names_changed(l) || due;
}

void live_devices_follow(struct live *l, const struct frame_sink *sink, int64_t now_ns) {
    if (!scan_due(l, now_ns))
        return;
    /* A scan that failed says nothing about what is there: what was known stands, and the next tick
     * looks again. */
    l->devices.known =
        devices_scan(l->host, &l->devices.found) == ERR_OK && devices_apply(l, sink) == ERR_OK;
}

/* ---- sleep ---------------------------------------------------------------------------------------------------- */

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

/* Reads and tells the state; the text without its newline, empty where there is none. */
static struct span read_status(struct live *l, struct live_device *d, const struct frame_sink *sink,
                               char text[64]) {
    ssize_t n = -1;
    int sys;
    if (d->status_fd < 0)
        d->status_fd = open_power(l, d, "/power/runtime_status");
    if (d->status_fd >= 0)
        n = host_pread(l->host, d->status_fd, text, 64, 0);
    sys = n < 0 ? errno : 0;
    host_emit(sink, d->subject, FRAME_STATE, clock_mono_ns(), text, n, sys);
    if (n < 0) {
        d->gone = d->status_fd >= 0 && outcome_from_sys(sys) == OUTCOME_GONE;
        host_close(l->host, d->status_fd);
        d->status_fd = -1;
        /* No such file: no power management, so awake. Any other failure says nothing new. */
        if (sys == ENOENT)
            d->asleep = false;
        return (struct span){text, 0};
    }
    return without_newline(text, n);
}

static void device_state(struct live *l, struct live_device *d, const struct frame_sink *sink,
                         int64_t now_ns) {
    char text[64];
    struct span status = read_status(l, d, sink, text);
    if (status.n > 0)
        d->asleep = span_equals(status, "suspended") || span_equals(status, "suspending");
    if (l->host->wake)
        d->asleep = false;
    roster_set_asleep(l->host->roster, d->subject, d->asleep);
    d->may_sleep = span_equals(status, "active") && !l->host->wake &&
                   roster_holders(l->host->roster, d->subject) == 0 && sleeps_by_itself(l, d);
    d->alone = quiet_tick(&d->quiet, d->may_sleep, now_ns);
}

void live_devices_state(struct live *l, const struct frame_sink *sink, int64_t now_ns) {
    for (uint32_t i = 0; i < l->devices.count; i++)
        device_state(l, l->devices.items[i], sink, now_ns);
}

void live_devices_finish(struct live *l) {
    for (uint32_t i = 0; i < l->devices.count; i++)
        device_free(l, l->devices.items[i]);
    free(l->devices.items);
    devices_finish(&l->devices.found);
    buf_finish(&l->devices.facts);
}
