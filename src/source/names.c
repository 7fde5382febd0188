/*
 * Names by ids: amdgpu.ids of libdrm (which knows the revision), pci.ids through libpciaccess without a
 * probe of the bus, the OF compatible of platform devices. Both tables belong to the machine that
 * gwtop runs on, also under another root: what they say becomes a fact of the subject.
 */
#include "names.h"

#include <errno.h>
#include <fcntl.h>
#include <pciaccess.h>
#include <stdlib.h>
#include <string.h>

#define AMDGPU_IDS "/usr/share/libdrm/amdgpu.ids"

enum { AMD = 0x1002, IDS_MAX = 1 << 20 };

/* "Navi 32 [Radeon RX 7800 XT]": the brackets hold what is printed on the box. */
static struct span product_of(struct span name) {
    const char *open = name.n > 0 && name.p[name.n - 1] == ']' ? memchr(name.p, '[', name.n) : NULL;
    if (!open)
        return name;
    return (struct span){open + 1, (size_t)(name.p + name.n - open) - 2};
}

/* The vendor stands in the ids; in a narrow column it only takes room. */
static struct span without_vendor(struct span name) {
    return span_starts(name, "AMD ") ? span_skip(name, 4) : name;
}

/* One line of amdgpu.ids: "747E,\tC8,\tAMD Radeon RX 7800 XT". */
static bool amdgpu_line(struct span line, const struct device_found *d, struct span *name) {
    struct cursor c = cursor_over(line);
    struct span device = {0};
    struct span revision = {0};
    uint64_t device_id;
    uint64_t revision_id;
    if (!cursor_field(&c, ',', &device) || !cursor_field(&c, ',', &revision) ||
        span_to_hex64(span_trim(device), &device_id) ||
        span_to_hex64(span_trim(revision), &revision_id))
        return false;
    *name = span_trim((struct span){c.p, cursor_left(&c)});
    return device_id == (uint64_t)d->device && revision_id == (uint64_t)d->revision && name->n > 0;
}

/* Both say in *whole that a table could not be read for now. */
static bool put_amdgpu_name(struct host *h, const struct device_found *d, struct buf *out,
                            bool *whole) {
    char *ids;
    ssize_t n;
    bool found = false;
    if (d->vendor != AMD || d->device < 0 || d->revision < 0)
        return false;
    ids = malloc(IDS_MAX);
    if (!ids)
        return false;
    n = host_slurp(h, AT_FDCWD, AMDGPU_IDS, ids, IDS_MAX);
    if (n < 0 && host_may_pass(errno))
        *whole = false;
    if (n > 0) {
        struct cursor c = cursor_over((struct span){ids, (size_t)n});
        struct span line;
        struct span name;
        while (!found && cursor_line(&c, &line))
            found = amdgpu_line(line, d, &name);
        if (found)
            buf_span(out, without_vendor(name));
    }
    free(ids);
    return found;
}

static bool put_pci_name(const struct device_found *d, struct buf *out, bool *whole) {
    struct pci_id_match match = {
        .vendor_id = (uint32_t)d->vendor,
        .device_id = (uint32_t)d->device,
        .subvendor_id = d->subvendor < 0 ? PCI_MATCH_ANY : (uint32_t)d->subvendor,
        .subdevice_id = d->subdevice < 0 ? PCI_MATCH_ANY : (uint32_t)d->subdevice,
    };
    const char *device = NULL;
    if (d->vendor < 0 || d->device < 0)
        return false;
    errno = 0; /* the one thing that tells whether the table was read */
    pci_get_strings(&match, &device, NULL, NULL, NULL);
    if (!device || !*device) {
        if (host_may_pass(errno))
            *whole = false;
        return false;
    }
    buf_span(out, product_of(span_trim(span_of(device))));
    return true;
}

/* What there is to say without any table: "8086:9a49 (xe)", "rockchip,rk3588-mali (panthor)". */
static void put_plain_name(const struct device_found *d, struct buf *out) {
    if (d->vendor >= 0 && d->device >= 0) {
        buf_hex(out, (uint64_t)d->vendor, 4);
        buf_char(out, ':');
        buf_hex(out, (uint64_t)d->device, 4);
    } else {
        buf_text(out, d->compatible[0] ? d->compatible : d->id);
    }
    if (d->driver[0]) {
        buf_text(out, " (");
        buf_text(out, d->driver);
        buf_char(out, ')');
    }
}

bool names_put_device(struct host *h, const struct device_found *d, struct buf *out) {
    bool whole = true;
    if (!put_amdgpu_name(h, d, out, &whole) && !put_pci_name(d, out, &whole))
        put_plain_name(d, out);
    return whole;
}
