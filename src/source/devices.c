/*
 * Finding devices. A device is the parent of its nodes in /sys/class/drm and /sys/class/accel, told by its
 * PCI address, else its name in sysfs, else the node's name. Trees that were copied without their
 * links work as well: `device` is then a plain folder, and what a link would say is left out.
 */
#include "devices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

enum { DRM_MAJOR = 226, ACCEL_MAJOR = 261, FILE_MAX_BYTES = 4096, LIST_BYTES = 16384 };

static const char *const classes[] = {"sys/class/drm", "sys/class/accel"};

/* The names of nodes that stand for a device: a prefix and a number, nothing behind it (connectors, for
 * instance card0-HDMI-A-1, have more). Where no `dev` file says otherwise the number is the minor. */
static const struct node_kind {
    const char *prefix;
    uint32_t major;
    bool card;
} node_kinds[] = {
    {"card", DRM_MAJOR, true},
    {"renderD", DRM_MAJOR, false},
    {"accel", ACCEL_MAJOR, true},
};

/* One node on its way to its device. */
struct node_seen {
    const struct node_kind *kind;
    uint32_t number;
    char name[32];
    char path[96]; /* "sys/class/drm/card0" */
};

static bool node_parse(struct span name, struct node_seen *out) {
    for (size_t i = 0; i < sizeof(node_kinds) / sizeof(node_kinds[0]); i++) {
        uint64_t number;
        if (!span_starts(name, node_kinds[i].prefix) || name.n >= sizeof(out->name) ||
            span_to_u64(span_skip(name, strlen(node_kinds[i].prefix)), &number) ||
            number > UINT32_MAX >> 12)
            continue;
        *out = (struct node_seen){.kind = &node_kinds[i], .number = (uint32_t)number};
        memcpy(out->name, name.p, name.n);
        return true;
    }
    return false;
}

/* ---- small texts ------------------------------------------------------------------------------- */

/* Joins up to three parts; false (and an empty text) where they do not fit. */
static bool join(char *out, size_t cap, const char *a, const char *b, const char *c) {
    size_t na = strlen(a);
    size_t nb = strlen(b);
    size_t nc = strlen(c);
    out[0] = '\0';
    if (na + nb + nc >= cap)
        return false;
    memcpy(out, a, na);
    memcpy(out + na, b, nb);
    memcpy(out + na + nb, c, nc + 1);
    return true;
}

/* Untrusted text, cleaned and cut. */
static void keep(char *out, size_t cap, struct span s) {
    out[text_clean(out, cap - 1, span_trim(s))] = '\0';
}

/* Reads a file below the node; the span lies in `to`. Empty where it cannot be read. */
static struct span read_below(struct host *h, const char *path, const char *file,
                              char to[FILE_MAX_BYTES]) {
    char whole[192];
    ssize_t n = -1;
    if (join(whole, sizeof(whole), path, file, ""))
        n = host_slurp(h, h->root_fd, whole, to, FILE_MAX_BYTES);
    return (struct span){to, n > 0 ? (size_t)n : 0};
}

/* The first line of a file below the node. */
static struct span line_below(struct host *h, const char *path, const char *file,
                              char to[FILE_MAX_BYTES]) {
    struct cursor c = cursor_over(read_below(h, path, file, to));
    struct span line = {to, 0};
    (void)cursor_line(&c, &line);
    return span_trim(line);
}

/* The target of a link below the node. Empty where there is none. */
static struct span link_below(struct host *h, const char *path, const char *link,
                              char to[FILE_MAX_BYTES]) {
    char whole[192];
    ssize_t n = -1;
    if (join(whole, sizeof(whole), path, link, ""))
        n = host_readlink(h, h->root_fd, whole, to, FILE_MAX_BYTES);
    return (struct span){to, n > 0 && n < FILE_MAX_BYTES ? (size_t)n : 0};
}

static struct span last_part(struct span path) {
    while (path.n > 0 && path.p[path.n - 1] == '/')
        path.n--;
    for (size_t i = path.n; i > 0; i--)
        if (path.p[i - 1] == '/')
            return span_skip(path, i);
    return path;
}

static struct span without_last_part(struct span path) {
    path.n -= last_part(path).n;
    while (path.n > 0 && path.p[path.n - 1] == '/')
        path.n--;
    return path;
}

/* The value of KEY=value in a uevent text. */
static struct span uevent_get(struct span text, const char *key) {
    struct cursor c = cursor_over(text);
    size_t n = strlen(key);
    struct span line;
    while (cursor_line(&c, &line))
        if (line.n > n && line.p[n] == '=' && memcmp(line.p, key, n) == 0)
            return span_trim(span_skip(line, n + 1));
    return (struct span){"", 0};
}

/* ---- identity -------------------------------------------------------------------------------------- */

static int32_t hex_below(struct host *h, const char *path, const char *file) {
    char text[FILE_MAX_BYTES];
    uint64_t v;
    if (span_to_hex64(line_below(h, path, file, text), &v) || v > UINT16_MAX)
        return DEVICE_ID_NONE;
    return (int32_t)v;
}

/* "1002:747E" */
static void pci_pair(struct span text, int32_t *first, int32_t *second) {
    struct cursor c = cursor_over(text);
    struct span a;
    struct span b;
    uint64_t va;
    uint64_t vb;
    if (cursor_field(&c, ':', &a) && cursor_field(&c, ':', &b) && !span_to_hex64(a, &va) &&
        !span_to_hex64(b, &vb) && va <= UINT16_MAX && vb <= UINT16_MAX) {
        *first = (int32_t)va;
        *second = (int32_t)vb;
    }
}

static void or_file(struct host *h, int32_t *id, const char *path, const char *file) {
    if (*id == DEVICE_ID_NONE)
        *id = hex_below(h, path, file);
}

static void read_pci_ids(struct host *h, struct device_found *d, struct span uevent,
                         const char *path) {
    pci_pair(uevent_get(uevent, "PCI_ID"), &d->vendor, &d->device);
    pci_pair(uevent_get(uevent, "PCI_SUBSYS_ID"), &d->subvendor, &d->subdevice);
    if (!d->slot[0])
        return;
    or_file(h, &d->vendor, path, "/device/vendor");
    or_file(h, &d->device, path, "/device/device");
    or_file(h, &d->subvendor, path, "/device/subsystem_vendor");
    or_file(h, &d->subdevice, path, "/device/subsystem_device");
    or_file(h, &d->revision, path, "/device/revision");
}

/* Where the device lies, by the link of its node: ".../0000:03:00.0/drm/card0". Empty where there is no
 * such link. */
static struct span parent_of(struct host *h, const struct node_seen *n, char to[FILE_MAX_BYTES]) {
    static const char up[] = "../../";
    struct span target = link_below(h, n->path, "", to);
    if (!span_starts(target, up))
        return (struct span){to, 0};
    return without_last_part(without_last_part(span_skip(target, sizeof(up) - 1)));
}

static void find_sys_path(struct host *h, struct device_found *d, const struct node_seen *n) {
    char text[FILE_MAX_BYTES];
    struct span parent = parent_of(h, n, text);
    struct stat st;
    if (parent.n > 0 && parent.n + 5 < sizeof(d->sys_path)) {
        memcpy(d->sys_path, "sys/", 4);
        memcpy(d->sys_path + 4, parent.p, parent.n);
        d->sys_path[4 + parent.n] = '\0';
        if (text_is_clean(span_of(d->sys_path)) &&
            host_stat(h, h->root_fd, d->sys_path, &st) == 0 && S_ISDIR(st.st_mode))
            return;
    }
    memset(d->sys_path, 0, sizeof(d->sys_path));
    join(d->sys_path, sizeof(d->sys_path), n->path, "/device", "");
}

/* The device's name in sysfs: the last part of its link, or of where the node says that it lies. */
static struct span sys_name(struct host *h, const struct node_seen *n, char to[FILE_MAX_BYTES]) {
    struct span name = last_part(link_below(h, n->path, "/device", to));
    if (name.n > 0 && !span_equals(name, ".."))
        return name;
    return last_part(parent_of(h, n, to));
}

/* What can be said of the device from one node of it; its id is enough to meet its other nodes. */
static void describe(struct host *h, const struct node_seen *n, struct device_found *d,
                     struct span uevent) {
    char text[FILE_MAX_BYTES];
    *d = (struct device_found){.vendor = DEVICE_ID_NONE,
                               .device = DEVICE_ID_NONE,
                               .subvendor = DEVICE_ID_NONE,
                               .subdevice = DEVICE_ID_NONE,
                               .revision = DEVICE_ID_NONE};
    keep(d->slot, sizeof(d->slot), uevent_get(uevent, "PCI_SLOT_NAME"));
    if (!d->slot[0])
        keep(d->platform, sizeof(d->platform), sys_name(h, n, text));
    if (d->slot[0])
        memcpy(d->id, d->slot, sizeof(d->slot));
    else if (d->platform[0])
        memcpy(d->id, d->platform, sizeof(d->platform));
    else
        memcpy(d->id, n->name, sizeof(n->name));
}

static void complete(struct host *h, const struct node_seen *n, struct device_found *d,
                     struct span uevent) {
    char text[FILE_MAX_BYTES];
    keep(d->driver, sizeof(d->driver), uevent_get(uevent, "DRIVER"));
    if (!d->driver[0])
        keep(d->driver, sizeof(d->driver),
             last_part(link_below(h, n->path, "/device/driver", text)));
    keep(d->compatible, sizeof(d->compatible), uevent_get(uevent, "OF_COMPATIBLE_0"));
    read_pci_ids(h, d, uevent, n->path);
    find_sys_path(h, d, n);
}

static struct device_node node_number(struct host *h, const struct node_seen *n) {
    char text[FILE_MAX_BYTES];
    struct cursor c = cursor_over(line_below(h, n->path, "/dev", text));
    struct span major;
    struct span minor;
    uint64_t a;
    uint64_t b;
    if (cursor_field(&c, ':', &major) && cursor_field(&c, ':', &minor) && !span_to_u64(major, &a) &&
        !span_to_u64(minor, &b) && a <= UINT32_MAX && b <= UINT32_MAX)
        return (struct device_node){.major = (uint32_t)a, .minor = (uint32_t)b};
    return (struct device_node){.major = n->kind->major, .minor = n->number};
}

static uint32_t trailing_number(const char *name) {
    uint64_t v = 0;
    while (*name && (*name < '0' || *name > '9'))
        name++;
    (void)span_to_u64(span_of(name), &v);
    return (uint32_t)v;
}

static void add_node(struct host *h, const struct node_seen *n, struct device_found *d) {
    struct device_node node = node_number(h, n);
    uint32_t at = d->node_count;
    memcpy(node.name, n->name, sizeof(node.name));
    if (n->kind->card && (!d->card[0] || n->number < trailing_number(d->card))) {
        memset(d->card, 0, sizeof(d->card));
        memcpy(d->card, n->name, sizeof(n->name));
    }
    if (d->node_count == DEVICE_NODES)
        return;
    /* In order, so that the order of the listing does not make a device look changed. */
    while (at > 0 &&
           (d->nodes[at - 1].major > node.major ||
            (d->nodes[at - 1].major == node.major && d->nodes[at - 1].minor > node.minor))) {
        d->nodes[at] = d->nodes[at - 1];
        at--;
    }
    d->nodes[at] = node;
    d->node_count++;
}

/* Lists one class; 0 or an errno. A class that is not there has no devices. */
static int list_class(struct host *h, const char *class, void (*name)(void *ctx, struct span name),
                      void *ctx) {
    _Alignas(8) char space[LIST_BYTES];
    int fd = host_open(h, h->root_fd, class, O_RDONLY | O_DIRECTORY);
    int sys = 0;
    if (fd < 0)
        return errno == ENOENT ? 0 : errno;
    if (host_list(h, fd, space, sizeof(space), name, ctx) < 0)
        sys = errno;
    host_close(h, fd);
    return sys;
}

/* ---- the scan ------------------------------------------------------------------------------------------ */

static enum err add_seen(struct host *h, const struct node_seen *n, struct device_list *list) {
    char text[FILE_MAX_BYTES];
    struct span uevent = read_below(h, n->path, "/device/uevent", text);
    struct device_found d;
    enum err e;
    describe(h, n, &d, uevent);
    for (uint32_t i = 0; i < list->count; i++)
        if (memcmp(list->items[i].id, d.id, sizeof(d.id)) == 0) {
            add_node(h, n, &list->items[i]);
            return ERR_OK;
        }
    complete(h, n, &d, uevent);
    add_node(h, n, &d);
    e = vec_reserve((void **)&list->items, &list->cap, list->count + 1, sizeof(*list->items));
    if (e == ERR_OK)
        list->items[list->count++] = d;
    return e;
}

struct scan {
    struct host *host;
    struct device_list *list;
    const char *class;
    enum err err;
};

static void scan_name(void *ctx, struct span name) {
    struct scan *s = ctx;
    struct node_seen n;
    if (s->err != ERR_OK || !node_parse(name, &n))
        return;
    if (join(n.path, sizeof(n.path), s->class, "/", n.name))
        s->err = add_seen(s->host, &n, s->list);
}

/* The number of a PCI address; UINT64_MAX (behind all) for other text. */
static uint64_t slot_number(const char *slot) {
    struct cursor c = cursor_over(span_of(slot));
    static const struct {
        char stop;
        unsigned bits;
    } parts[] = {{':', 32}, {':', 8}, {'.', 5}, {'\0', 3}};
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        struct span part;
        uint64_t v;
        if (!cursor_field(&c, parts[i].stop, &part) || span_to_hex64(part, &v) ||
            v >> parts[i].bits)
            return UINT64_MAX;
        number = number << parts[i].bits | v;
    }
    return number;
}

static int by_address(const void *a, const void *b) {
    const struct device_found *x = a;
    const struct device_found *y = b;
    uint64_t nx = slot_number(x->slot);
    uint64_t ny = slot_number(y->slot);
    if (nx != ny)
        return nx < ny ? -1 : 1;
    return strcmp(x->id, y->id);
}

enum err devices_scan(struct host *h, struct device_list *out) {
    out->count = 0;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        struct scan s = {.host = h, .list = out, .class = classes[i]};
        int sys = list_class(h, classes[i], scan_name, &s);
        if (s.err != ERR_OK)
            return s.err;
        if (sys != 0)
            return err_from_sys(sys);
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof(*out->items), by_address);
    return ERR_OK;
}

void devices_finish(struct device_list *list) {
    free(list->items);
    *list = (struct device_list){0};
}

/* Names may come in any order: each is hashed by itself (FNV-1a) and the sums are added. */
static void hash_name(void *ctx, struct span name) {
    uint64_t hash = UINT64_C(14695981039346656037);
    struct node_seen n;
    if (!node_parse(name, &n))
        return;
    for (size_t i = 0; i < name.n; i++)
        hash = (hash ^ (uint8_t)name.p[i]) * UINT64_C(1099511628211);
    *(uint64_t *)ctx += hash;
}

enum err devices_fingerprint(struct host *h, uint64_t *out) {
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        int sys = list_class(h, classes[i], hash_name, &sum);
        if (sys != 0)
            return err_from_sys(sys);
    }
    *out = sum;
    return ERR_OK;
}

/* ---- facts -------------------------------------------------------------------------------------------------- */

static void put_ids(struct buf *out, const char *key, int32_t a, int32_t b) {
    if (a < 0 || b < 0)
        return;
    buf_text(out, key);
    buf_char(out, '=');
    buf_hex(out, (uint64_t)a, 4);
    buf_char(out, ':');
    buf_hex(out, (uint64_t)b, 4);
    buf_char(out, '\n');
}

static void put_nodes(struct buf *out, const struct device_found *d) {
    buf_text(out, "nodes=");
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (i > 0)
            buf_char(out, ',');
        buf_u64(out, d->nodes[i].major);
        buf_char(out, ':');
        buf_u64(out, d->nodes[i].minor);
    }
    buf_text(out, "\nnode_names=");
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (i > 0)
            buf_char(out, ',');
        buf_text(out, d->nodes[i].name);
    }
    buf_char(out, '\n');
}

static void put_name(struct host *h, const struct device_found *d, struct buf *out) {
    struct buf name;
    char clean[256];
    buf_init(&name);
    names_put_device(h, d, &name);
    facts_put(out, "name",
              (struct span){clean, text_clean(clean, sizeof(clean), buf_span_of(&name))});
    buf_finish(&name);
}

void devices_facts(struct host *h, const struct device_found *d, struct buf *out) {
    facts_put(out, "slot", span_of(d->slot));
    put_ids(out, "pci", d->vendor, d->device);
    put_ids(out, "subsystem", d->subvendor, d->subdevice);
    if (d->revision >= 0) {
        buf_text(out, "revision=");
        buf_hex(out, (uint64_t)d->revision, 2);
        buf_char(out, '\n');
    }
    facts_put(out, "driver", span_of(d->driver));
    put_name(h, d, out);
    facts_put(out, "card", span_of(d->card));
    put_nodes(out, d);
    facts_put(out, "platform", span_of(d->platform));
    facts_put(out, "compatible", span_of(d->compatible));
}
