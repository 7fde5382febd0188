/* The device node of an i915 GPU, and what must be known of it before its counters can be read.
 * I/O. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "collect_oa.h"

#define SYSCTL_RATE  "proc/sys/dev/i915/oa_max_sample_rate"
#define USUAL_RATE   UINT64_C(100000)
#define SECOND_NS    UINT64_C(1000000000)
#define PERIOD_NS    UINT64_C(10000000) /* a report at least so often, where it may be */
#define EXPONENT_MAX 31u

/* ---- small files ----------------------------------------------------------------------------- */

bool oa_path(char path[OA_PATH_MAX], const char *folder, const char *a, const char *b) {
    int n = snprintf(path, OA_PATH_MAX, "%s/%s%s%s", folder, a, *b ? "/" : "", b);
    return n > 0 && n < OA_PATH_MAX;
}

bool oa_number(struct host *h, const char *path, uint64_t *out) {
    char text[32];
    ssize_t n = host_slurp(h, h->root_fd, path, text, sizeof(text));
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    return n > 0 && span_to_u64((struct span){text, (size_t)n}, out) == ERR_OK;
}

void oa_find_card(struct intel_oa *oa) {
    struct span card = facts_get(oa->device->facts, "card");
    char name[32] = "";
    struct stat st;
    if (card.n == 0 || card.n >= sizeof(name) || memchr(card.p, '/', card.n))
        return;
    memcpy(name, card.p, card.n);
    if (oa_path(oa->card, oa->sys_path, "drm", name) &&
        host_stat(oa->host, oa->host->root_fd, oa->card, &st) == 0)
        return;
    (void)oa_path(oa->card, "sys/class/drm", name, "");
}

/* ---- the node -------------------------------------------------------------------------------- */

/* The first of the device's nodes whose name begins so. */
static bool find_node(const struct intel_oa *oa, const char *prefix, char path[64]) {
    struct cursor c = cursor_over(facts_get(oa->device->facts, "node_names"));
    struct span name;
    while (cursor_field(&c, ',', &name)) {
        if (!span_starts(name, prefix) || name.n > 32 || memchr(name.p, '/', name.n))
            continue;
        snprintf(path, 64, "dev/dri/%.*s", (int)name.n, name.p);
        return true;
    }
    return false;
}

/* Whoever opens a card's own node first may become the one who sets its modes, so the render
 * node comes first. */
static bool open_node(struct intel_oa *oa) {
    static const char *const prefixes[] = {"renderD", "card"};
    char path[64] = "dev/dri";
    int sys = ENOENT;
    for (size_t i = 0; i < 2 && sys == ENOENT; i++) {
        if (!find_node(oa, prefixes[i], path))
            continue;
        oa->session.node = host_open(oa->host, oa->host->root_fd, path, O_RDWR);
        if (oa->session.node >= 0)
            return true;
        sys = errno;
    }
    return oa_refuse(oa, sys, "/%s cannot be opened: %s", path, strerror(sys));
}

static int32_t param(struct intel_oa *oa, int32_t which) {
    int32_t value = 0;
    struct oa_uapi_param p = {.param = which, .value = (uintptr_t)&value};
    return host_ioctl(oa->host, oa->session.node, OA_IOCTL_GETPARAM, &p) < 0 ? -1 : value;
}

int32_t oa_query(struct intel_oa *oa, uint64_t query, uint32_t flags, void *data, int32_t length) {
    struct oa_uapi_item item = {
        .query = query, .length = length, .flags = flags, .data = (uintptr_t)data};
    struct oa_uapi_query q = {.num_items = 1, .items = (uintptr_t)&item};
    if (host_ioctl(oa->host, oa->session.node, OA_IOCTL_QUERY, &q) < 0)
        return -1;
    if (item.length >= 0)
        return item.length;
    errno = item.length == INT32_MIN ? EINVAL : -item.length;
    return -1;
}

static void ask_topology(struct intel_oa *oa) {
    struct oa_device *known = &oa->session.known;
    struct oa_device d = {.platform = known->platform};
    char data[4096] = {0};
    int32_t n = oa_query(oa, OA_QUERY_TOPOLOGY, 0, NULL, 0);
    if (n <= 0 || n > (int32_t)sizeof(data) || oa_query(oa, OA_QUERY_TOPOLOGY, 0, data, n) != n ||
        !oa_device_topology(&d, (struct span){data, (size_t)n}))
        return;
    known->slices = d.slices;
    known->subslices = d.subslices;
    if (known->eu == 0)
        known->eu = d.eu;
}

static void ask_most_clock(struct intel_oa *oa) {
    char path[OA_PATH_MAX];
    uint64_t mhz;
    if (((oa_path(path, oa->card, "gt_RP0_freq_mhz", "") && oa_number(oa->host, path, &mhz)) ||
         (oa_path(path, oa->card, "gt/gt0", "rps_RP0_freq_mhz") &&
          oa_number(oa->host, path, &mhz))) &&
        mhz <= 100000)
        oa->session.known.most_hz = mhz * 1000000;
}

static void ask_pci(struct intel_oa *oa) {
    struct cursor c = cursor_over(facts_get(oa->device->facts, "pci"));
    struct span vendor;
    struct span device;
    uint64_t id;
    if (!cursor_field(&c, ':', &vendor) || !cursor_field(&c, ':', &device) ||
        !span_equals(vendor, "8086") || span_to_hex64(device, &id) != ERR_OK || id > UINT16_MAX)
        return;
    oa->session.known.pci_device = (uint16_t)id;
    oa->session.known.platform = (uint8_t)oa_platform_of((uint16_t)id);
}

bool oa_open_node(struct intel_oa *oa) {
    struct oa_session *s = &oa->session;
    if (!open_node(oa))
        return false;
    ask_pci(oa);
    int32_t revision = param(oa, OA_PARAM_PERF_REVISION);
    int32_t hz = param(oa, OA_PARAM_OA_TIMESTAMP_HZ);
    if (hz <= 0)
        hz = param(oa, OA_PARAM_CS_TIMESTAMP_HZ);
    int32_t eu = param(oa, OA_PARAM_EU_TOTAL);
    s->revision = revision > 0 ? (uint32_t)revision : 1;
    s->known.timestamp_hz = hz > 0 ? (uint64_t)hz : 0;
    s->known.eu = eu > 0 ? (uint32_t)eu : 0;
    ask_topology(oa);
    ask_most_clock(oa);
    return true;
}

/* ---- how often ------------------------------------------------------------------------------- */

static uint64_t period_ns(unsigned exponent, uint64_t hz) {
    return (((uint64_t)2 << exponent) * SECOND_NS + hz - 1) / hz;
}

/* From here on a 32-bit counter may wrap unseen between two reports: Haswell's count the work of
 * up to 40 execution units at once; those of others count clocks. */
static uint64_t longest_ns(enum oa_platform p) {
    return p == OA_HSW ? UINT64_C(42000000) : UINT64_C(1500000000);
}

bool oa_choose_period(struct intel_oa *oa) {
    struct oa_device *known = &oa->session.known;
    unsigned exponent = 0;
    uint64_t rate;
    if (known->timestamp_hz == 0)
        known->timestamp_hz = oa_usual_timestamp_hz(known->platform);
    if (known->timestamp_hz == 0)
        return oa_refuse(oa, ENODEV, "the driver does not tell how fast the GPU's clock ticks");
    while (exponent < EXPONENT_MAX && period_ns(exponent + 1, known->timestamp_hz) <= PERIOD_NS)
        exponent++;
    if (!oa_number(oa->host, SYSCTL_RATE, &rate))
        rate = USUAL_RATE;
    while (exponent < EXPONENT_MAX && known->timestamp_hz / ((uint64_t)2 << exponent) > rate)
        exponent++;
    if (period_ns(exponent, known->timestamp_hz) > longest_ns(known->platform))
        return oa_refuse(oa, EACCES, "dev.i915.oa_max_sample_rate is too low for the counters");
    oa->session.exponent = exponent;
    return true;
}
