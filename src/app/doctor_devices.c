/* Devices as the live source met them, with their nodes and how they sleep; and GPUs on PCI that no driver has. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "doctor.h"

#define PCI "sys/bus/pci/devices"

/* ---- where it lies ------------------------------------------------------------------------------- */

/* "../../devices/pci0000:00/.../drm/card0" without its last two parts, below "sys/". */
static bool folder_of_link(struct span link, char *to, size_t cap) {
    static const char up[] = "../../";
    if (!span_starts(link, up))
        return false;
    link = span_skip(link, sizeof(up) - 1);
    for (unsigned parts = 0; parts < 2 && link.n > 0;)
        parts += link.p[--link.n] == '/';
    if (link.n == 0 || link.n + sizeof("sys/") > cap)
        return false;
    snprintf(to, cap, "sys/%.*s", (int)link.n, link.p);
    return true;
}

/* Its folder below the root. */
static const char *find_folder(struct doctor_work *w, const struct subject *device) {
    struct host *h = w->live.host;
    struct span card = facts_get(device->facts, "card");
    char path[128];
    char link[512];
    char folder[512];
    if (card.n == 0 || card.n > 32)
        return "";
    snprintf(path, sizeof(path), "sys/class/%s/%.*s", span_starts(card, "accel") ? "accel" : "drm",
             (int)card.n, card.p);
    ssize_t n = host_readlink(h, h->root_fd, path, link, sizeof(link));
    if (n > 0 && folder_of_link((struct span){link, (size_t)n}, folder, sizeof(folder)) &&
        host_may(h, folder, F_OK) == 0)
        return doctor_keep_text(&w->texts, folder);
    return doctor_keep_format(&w->texts, "%s/device", path);
}

/* ---- nodes --------------------------------------------------------------------------------------- */

static void look_node(struct doctor_work *w, uint32_t device, struct span name) {
    struct host *h = w->live.host;
    struct doctor_node *n = doctor_add_node(w);
    char path[96];
    struct stat st;
    if (!n || name.n > 32)
        return;
    snprintf(path, sizeof(path), "dev/%s/%.*s", span_starts(name, "accel") ? "accel" : "dri",
             (int)name.n, name.p);
    n->device = device;
    n->path = doctor_keep_format(&w->texts, "/%s", path);
    n->there = host_stat(h, h->root_fd, path, &st) == 0;
    if (!n->there)
        return;
    n->mode = st.st_mode & 0777;
    n->user = doctor_user(w, st.st_uid);
    n->group = doctor_group(w, st.st_gid);
    n->usable = host_may(h, path, R_OK | W_OK) == 0;
}

static void look_nodes(struct doctor_work *w, uint32_t device, struct span names) {
    struct cursor c = cursor_over(names);
    struct span name;
    while (cursor_field(&c, ',', &name))
        look_node(w, device, name);
}

/* ---- devices that are shown ------------------------------------------------------------------------ */

static void look_device(struct doctor_work *w, const struct snapshot *s,
                        const struct snap_device *d) {
    const struct doctor_heard *heard = doctor_watch_device(&w->watch, d->subject);
    struct doctor_device *v = doctor_add_device(w);
    if (!v)
        return;
    v->id = doctor_keep(&w->texts, snapshot_text(s, d->id));
    v->name = doctor_keep(&w->texts, snapshot_text(s, d->name));
    v->driver = doctor_keep(&w->texts, snapshot_text(s, d->driver));
    v->state = device_state_name((enum device_state)d->state);
    v->clients = d->clients;
    if (!heard)
        return;
    v->engines = heard->engines;
    v->memory = heard->memory;
    v->keys = doctor_keep(&w->texts, buf_span_of(&heard->keys));
    const char *folder = find_folder(w, &heard->as);
    v->folder = doctor_keep_format(&w->texts, "/%s", folder);
    v->control = doctor_line(w, "%s/power/control", folder);
    v->status = doctor_line(w, "%s/power/runtime_status", folder);
    look_nodes(w, w->report.device_count - 1, facts_get(heard->as.facts, "node_names"));
}

/* ---- devices that nobody drives -------------------------------------------------------------------- */

static bool is_known(const struct doctor_work *w, struct span slot) {
    for (uint32_t i = 0; i < w->report.device_count; i++)
        if (span_equals(slot, w->devices[i].id))
            return true;
    return false;
}

/* The PCI core answers for its identity files; they wake nothing. */
static void look_pci(void *ctx, struct span slot) {
    struct doctor_work *w = ctx;
    char driver[96];
    char link[256];
    if (slot.n > 32 || is_known(w, slot))
        return;
    const char *class = doctor_line(w, PCI "/%.*s/class", (int)slot.n, slot.p);
    if (!span_starts(span_of(class), "0x03"))
        return;
    struct doctor_device *v = doctor_add_device(w);
    if (!v)
        return;
    snprintf(driver, sizeof(driver), PCI "/%.*s/driver", (int)slot.n, slot.p);
    ssize_t n = host_readlink(w->live.host, w->live.host->root_fd, driver, link, sizeof(link));
    struct span name = {link, n > 0 ? (size_t)n : 0};
    for (size_t i = name.n; i > 0; i--)
        if (name.p[i - 1] == '/') {
            name = span_skip(name, i);
            break;
        }
    v->id = doctor_keep(&w->texts, slot);
    v->driver = doctor_keep(&w->texts, name);
    v->state = name.n > 0 ? "no DRM device" : "no driver";
    v->folder = doctor_keep_format(&w->texts, "/" PCI "/%s", v->id);
    const char *vendor = doctor_line(w, PCI "/%s/vendor", v->id);
    v->name =
        doctor_keep_format(&w->texts, "%s %s", vendor, doctor_line(w, PCI "/%s/device", v->id));
    v->status = doctor_line(w, PCI "/%s/power/runtime_status", v->id);
}

void doctor_look_devices(struct doctor_work *w) {
    _Alignas(8) char space[8192];
    const struct snapshot *s = acct_snapshot(w->watch.pipe.acct);
    struct host *h = w->live.host;
    for (uint32_t i = 0; s && i < s->device_count; i++)
        look_device(w, s, &s->devices[i]);
    int fd = host_open(h, h->root_fd, PCI, O_RDONLY | O_DIRECTORY);
    if (fd >= 0)
        (void)host_list(h, fd, space, sizeof(space), look_pci, w);
    host_close(h, fd);
}
