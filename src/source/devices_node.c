/*
 * Who a device is, by one of its nodes. A device is the parent of its nodes, told by its PCI address, else its
 * name in sysfs, else the node's name. Trees that were copied without their links work as well:
 * `device` is then a plain folder, and what a link would say is left out.
 *
 * What could not be read is told apart from what is not there: see device_found.sys.
 */
#include "devices_node.h"

#include <errno.h>
#include <string.h>

enum { DRM_MAJOR = 226, ACCEL_MAJOR = 261 };

static const struct node_kind node_kinds[] = {
    {"card", DRM_MAJOR, 0, 0, true},
    {"renderD", DRM_MAJOR, 0, 128, false},
    {"accel", ACCEL_MAJOR, 1, 0, true},
};

const char *const devices_classes[DEVICE_CLASSES] = {"sys/class/drm", "sys/class/accel"};

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

/* One look at a node, and what came of it for its device. */
struct look {
    struct host *host;
    const struct node_seen *node;
    struct device_found *found;
};

/* What fails for now says nothing; it weighs more than what is not there. */
static void note_failure(struct look *l, int sys) {
    if (l->found->sys == 0 || (host_may_pass(sys) && !host_may_pass(l->found->sys)))
        l->found->sys = sys;
}

/* Reads a file below the node; the span lies in `to`. Empty where it cannot be read. */
static struct span read_below(struct look *l, const char *file, char to[NODE_FILE_BYTES]) {
    char whole[192];
    ssize_t n = -1;
    errno = 0;
    if (join(whole, sizeof(whole), l->node->path, file, ""))
        n = host_slurp(l->host, l->host->root_fd, whole, to, NODE_FILE_BYTES);
    if (n < 0 && host_may_pass(errno))
        note_failure(l, errno);
    return (struct span){to, n > 0 ? (size_t)n : 0};
}

/* The first line of a file below the node. */
static struct span line_below(struct look *l, const char *file, char to[NODE_FILE_BYTES]) {
    struct cursor c = cursor_over(read_below(l, file, to));
    struct span line = {to, 0};
    (void)cursor_line(&c, &line);
    return span_trim(line);
}

/* The target of a link below the node. Empty where there is none. */
static struct span link_below(struct look *l, const char *link, char to[NODE_FILE_BYTES]) {
    char whole[192];
    ssize_t n = -1;
    errno = 0;
    if (join(whole, sizeof(whole), l->node->path, link, ""))
        n = host_readlink(l->host, l->host->root_fd, whole, to, NODE_FILE_BYTES);
    if (n < 0 && host_may_pass(errno))
        note_failure(l, errno);
    return (struct span){to, n > 0 && n < NODE_FILE_BYTES ? (size_t)n : 0};
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

uint64_t node_slot_number(const char *slot) {
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

static void or_file(struct look *l, int32_t *id, const char *file) {
    char text[NODE_FILE_BYTES];
    uint64_t v;
    if (*id == DEVICE_ID_NONE && !span_to_hex64(line_below(l, file, text), &v) && v <= UINT16_MAX)
        *id = (int32_t)v;
}

static void read_pci_ids(struct look *l, struct span uevent) {
    struct device_found *d = l->found;
    pci_pair(uevent_get(uevent, "PCI_ID"), &d->vendor, &d->device);
    pci_pair(uevent_get(uevent, "PCI_SUBSYS_ID"), &d->subvendor, &d->subdevice);
    if (!d->slot[0])
        return;
    or_file(l, &d->vendor, "/device/vendor");
    or_file(l, &d->device, "/device/device");
    or_file(l, &d->subvendor, "/device/subsystem_vendor");
    or_file(l, &d->subdevice, "/device/subsystem_device");
    or_file(l, &d->revision, "/device/revision");
}

/* Where the device lies, by the link of its node: ".../0000:03:00.0/drm/card0". Empty where there is no
 * such link. */
static struct span parent_of(struct look *l, char to[NODE_FILE_BYTES]) {
    static const char up[] = "../../";
    struct span target = link_below(l, "", to);
    if (!span_starts(target, up))
        return (struct span){to, 0};
    return without_last_part(without_last_part(span_skip(target, sizeof(up) - 1)));
}

static bool is_folder(struct look *l, const char *path) {
    struct stat st;
    if (host_stat(l->host, l->host->root_fd, path, &st) == 0)
        return S_ISDIR(st.st_mode);
    if (host_may_pass(errno))
        note_failure(l, errno);
    return false;
}

static void find_sys_path(struct look *l) {
    struct device_found *d = l->found;
    char text[NODE_FILE_BYTES];
    struct span parent = parent_of(l, text);
    if (parent.n > 0 && parent.n + 5 < sizeof(d->sys_path)) {
        memcpy(d->sys_path, "sys/", 4);
        memcpy(d->sys_path + 4, parent.p, parent.n);
        d->sys_path[4 + parent.n] = '\0';
        if (text_is_clean(span_of(d->sys_path)) && is_folder(l, d->sys_path))
            return;
    }
    join(d->sys_path, sizeof(d->sys_path), l->node->path, "/device", "");
}

/* The device's name in sysfs: the last part of its link, or of where the node says that it lies. */
static struct span sys_name(struct look *l, char to[NODE_FILE_BYTES]) {
    struct span name = last_part(link_below(l, "/device", to));
    if (name.n > 0 && !span_equals(name, ".."))
        return name;
    return last_part(parent_of(l, to));
}

/* FNV-1a; never 0 for a text. */
static uint64_t fingerprint_of(struct span s) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < s.n; i++)
        hash = (hash ^ (uint8_t)s.p[i]) * UINT64_C(1099511628211);
    return s.n > 0 ? hash | 1 : 0;
}

/* The one file that says who it is: that it is not there is noted too. */
static struct span read_uevent(struct look *l, char text[NODE_FILE_BYTES]) {
    struct span uevent = read_below(l, "/device/uevent", text);
    if (uevent.n == 0 && errno != 0)
        note_failure(l, errno);
    return uevent;
}

void node_describe(struct host *h, const struct node_seen *n, struct device_found *d,
                   char text[NODE_FILE_BYTES], struct span *uevent) {
    struct look l = {h, n, d};
    char link[NODE_FILE_BYTES];
    *d = (struct device_found){.vendor = DEVICE_ID_NONE,
                               .device = DEVICE_ID_NONE,
                               .subvendor = DEVICE_ID_NONE,
                               .subdevice = DEVICE_ID_NONE,
                               .revision = DEVICE_ID_NONE};
    *uevent = read_uevent(&l, text);
    d->uevent = fingerprint_of(*uevent);
    d->index = n->number - n->kind->first;
    keep(d->slot, sizeof(d->slot), uevent_get(*uevent, "PCI_SLOT_NAME"));
    if (!d->slot[0])
        keep(d->platform, sizeof(d->platform), sys_name(&l, link));
    if (node_slot_number(d->platform) != UINT64_MAX && strlen(d->platform) < sizeof(d->slot)) {
        memcpy(d->slot, d->platform, sizeof(d->slot));
        memset(d->platform, 0, sizeof(d->platform));
    }
    if (d->slot[0])
        memcpy(d->id, d->slot, sizeof(d->slot));
    else if (d->platform[0])
        memcpy(d->id, d->platform, sizeof(d->platform));
    else
        memcpy(d->id, n->name, sizeof(n->name));
    d->anonymous = !d->slot[0] && !d->platform[0];
}

void node_complete(struct host *h, const struct node_seen *n, struct device_found *d,
                   struct span uevent) {
    struct look l = {h, n, d};
    char text[NODE_FILE_BYTES];
    keep(d->driver, sizeof(d->driver), uevent_get(uevent, "DRIVER"));
    if (!d->driver[0])
        keep(d->driver, sizeof(d->driver), last_part(link_below(&l, "/device/driver", text)));
    keep(d->compatible, sizeof(d->compatible), uevent_get(uevent, "OF_COMPATIBLE_0"));
    read_pci_ids(&l, uevent);
    find_sys_path(&l);
}

/* ---- nodes ------------------------------------------------------------------------------------------- */

bool node_parse(struct span name, uint32_t class, struct node_seen *out) {
    for (size_t i = 0; i < sizeof(node_kinds) / sizeof(node_kinds[0]); i++) {
        const struct node_kind *kind = &node_kinds[i];
        uint64_t number;
        if (kind->class != class || !span_starts(name, kind->prefix) ||
            name.n >= sizeof(out->name) ||
            span_to_u64(span_skip(name, strlen(kind->prefix)), &number) ||
            number > UINT32_MAX >> 12)
            continue;
        *out = (struct node_seen){.kind = kind, .number = (uint32_t)number};
        memcpy(out->name, name.p, name.n);
        return join(out->path, sizeof(out->path), devices_classes[class], "/", out->name);
    }
    return false;
}

static struct device_node node_number(struct look *l) {
    char text[NODE_FILE_BYTES];
    struct cursor c = cursor_over(line_below(l, "/dev", text));
    struct span major;
    struct span minor;
    uint64_t a;
    uint64_t b;
    if (cursor_field(&c, ':', &major) && cursor_field(&c, ':', &minor) && !span_to_u64(major, &a) &&
        !span_to_u64(minor, &b) && a <= UINT32_MAX && b <= UINT32_MAX)
        return (struct device_node){.major = (uint32_t)a, .minor = (uint32_t)b};
    return (struct device_node){.major = l->node->kind->major, .minor = l->node->number};
}

static uint32_t trailing_number(const char *name) {
    uint64_t v = 0;
    while (*name && (*name < '0' || *name > '9'))
        name++;
    (void)span_to_u64(span_of(name), &v);
    return (uint32_t)v;
}

static bool stands_before(const struct device_node *a, const struct device_node *b) {
    return a->major != b->major ? a->major < b->major : a->minor < b->minor;
}

void node_add(struct host *h, const struct node_seen *n, struct device_found *d) {
    struct look l = {h, n, d};
    struct device_node node = node_number(&l);
    uint32_t at = d->node_count;
    node.class = n->kind->class;
    memcpy(node.name, n->name, sizeof(node.name));
    if (n->kind->card && (!d->card[0] || n->number < trailing_number(d->card)))
        memcpy(d->card, n->name, sizeof(n->name));
    if (d->node_count == DEVICE_NODES)
        return;
    /* In order, whatever the order of the listing. */
    for (; at > 0 && stands_before(&node, &d->nodes[at - 1]); at--)
        d->nodes[at] = d->nodes[at - 1];
    d->nodes[at] = node;
    d->node_count++;
}
