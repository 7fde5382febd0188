/*
 * Records as the recorder of IGT writes them, in the version that was released and in the one before. Pure.
 *
 * Source: lib/i915/perf_data.h of IGT; the version before was under review in 2019 and has no VERSION record.
 */
#include "perf_file.h"

enum { BEFORE_RELEASE = 1, RELEASED };

#define RECORDER_TYPE  UINT32_C(65536)
#define VERSION_SIZE   16
#define INFO_SIZE      344
#define OLD_INFO_SIZE  64
#define TOPOLOGY_LEAST 24
#define PAIR_SIZE      24
#define UUID_CHARS     36

/* ---- records ----------------------------------------------------------------------------------- */

static struct span text_at(struct span record, size_t at, size_t cap) {
    struct span field = {record.p + at, cap};
    const char *end = memchr(field.p, '\0', cap);
    return (struct span){field.p, end ? (size_t)(end - field.p) : cap};
}

static void read_info(struct span r, struct perf_record *out) {
    const char *p = r.p + RECORD_HEAD;
    if (r.n < INFO_SIZE) {
        out->kind = PERF_RECORD_BAD;
        return;
    }
    out->info = (struct perf_info){.timestamp_hz = record_le64(p),
                                   .pci_device = (uint16_t)record_le32(p + 8),
                                   .most_hz = record_le32(p + 20),
                                   .engine_class = record_le32(p + 24),
                                   .format = record_le32(p + 32),
                                   .uuid = text_at(r, RECORD_HEAD + 292, 40)};
}

static void read_old_info(struct span r, struct perf_record *out) {
    const char *p = r.p + RECORD_HEAD;
    if (r.n < OLD_INFO_SIZE) {
        out->kind = PERF_RECORD_BAD;
        return;
    }
    out->info = (struct perf_info){.timestamp_hz = record_le64(p),
                                   .pci_device = (uint16_t)record_le32(p + 8),
                                   .format = record_le32(p + 12),
                                   .uuid = text_at(r, RECORD_HEAD + 16, 40)};
}

/* A time beyond what fits in both directions is none. */
static void read_pair(struct span r, struct perf_record *out) {
    if (r.n != PAIR_SIZE || record_le64(r.p + 8) > INT64_MAX / 4) {
        out->kind = PERF_RECORD_BAD;
        return;
    }
    out->cpu_ns = (int64_t)record_le64(r.p + 8);
    out->gpu = record_le64(r.p + 16);
}

static void read_topology(struct span r, struct perf_record *out) {
    out->topology = span_skip(r, RECORD_HEAD);
    if (r.n < TOPOLOGY_LEAST)
        out->kind = PERF_RECORD_BAD;
}

static enum perf_record_kind kind_of(const struct perf_file *f, uint32_t type) {
    static const enum perf_record_kind driver[] = {
        PERF_RECORD_UNKNOWN, PERF_RECORD_SAMPLE, PERF_RECORD_REPORT_LOST, PERF_RECORD_BUFFER_LOST};
    static const enum perf_record_kind recorder[] = {PERF_RECORD_VERSION, PERF_RECORD_INFO,
                                                     PERF_RECORD_TOPOLOGY, PERF_RECORD_PAIR};
    unsigned skip = f->version == BEFORE_RELEASE;
    if (type < sizeof driver / sizeof driver[0])
        return driver[type];
    if (type < RECORDER_TYPE || type - RECORDER_TYPE + skip > 3)
        return PERF_RECORD_UNKNOWN;
    return recorder[type - RECORDER_TYPE + skip];
}

void perf_file_read(struct perf_file *f, struct span record, struct perf_record *out) {
    uint32_t type = record_type(record);
    if (f->version == 0 && type >= RECORDER_TYPE)
        f->version = type == RECORDER_TYPE && record.n == OLD_INFO_SIZE ? BEFORE_RELEASE : RELEASED;
    *out = (struct perf_record){.kind = kind_of(f, type)};
    switch (out->kind) {
    case PERF_RECORD_REPORT_LOST:
    case PERF_RECORD_BUFFER_LOST:
        if (record.n != RECORD_HEAD)
            out->kind = PERF_RECORD_BAD;
        break;
    case PERF_RECORD_VERSION:
        if (record.n != VERSION_SIZE)
            out->kind = PERF_RECORD_BAD;
        else if (record_le32(record.p + RECORD_HEAD) != 1)
            out->kind = PERF_RECORD_OTHER_VERSION;
        break;
    case PERF_RECORD_INFO:
        (f->version == BEFORE_RELEASE ? read_old_info : read_info)(record, out);
        break;
    case PERF_RECORD_TOPOLOGY:
        read_topology(record, out);
        break;
    case PERF_RECORD_PAIR:
        read_pair(record, out);
        break;
    default:
        break;
    }
}

/* No topology is as short as a pair, which has its number in the older version. */
bool perf_file_pair(struct span record, struct perf_record *out) {
    struct perf_file f = {.version =
                              record_type(record) == RECORDER_TYPE + 3 ? RELEASED : BEFORE_RELEASE};
    perf_file_read(&f, record, out);
    return out->kind == PERF_RECORD_PAIR;
}

/* ---- what they say of the device --------------------------------------------------------------- */

static void take_set(struct oa_device *d, struct span uuid) {
    const struct oa_guid *guid = oa_guid_find(uuid);
    if (!guid)
        return;
    d->platform = guid->platform;
    d->set = guid->set;
    d->gt = guid->gt;
}

static void take_info(struct oa_device *d, const struct perf_info *info) {
    d->pci_device = info->pci_device;
    d->format = oa_layout_of(info->format)->size > 0 ? (uint8_t)info->format : OA_FORMAT_NONE;
    d->timestamp_hz = info->timestamp_hz;
    d->most_hz = info->most_hz;
    take_set(d, info->uuid);
    oa_device_settle(d);
}

static bool tells(const char *facts, const char *key) {
    return facts_get(facts, key).n > 0;
}

static void take_untold(struct oa_device *d, const struct perf_info *info, const char *facts) {
    struct oa_device more = {0};
    take_info(&more, info);
    if (!tells(facts, "pci"))
        d->pci_device = more.pci_device;
    if (!tells(facts, "oa_format"))
        d->format = more.format;
    if (!tells(facts, "oa_timestamp_hz"))
        d->timestamp_hz = more.timestamp_hz;
    if (!tells(facts, "oa_most_hz"))
        d->most_hz = more.most_hz;
    if (!tells(facts, "oa_set") && !tells(facts, "pci")) {
        d->platform = more.platform;
        d->set = more.set;
        d->gt = more.gt;
    }
    oa_device_settle(d);
}

void perf_file_describe(const struct perf_record *r, const char *facts, struct oa_device *d) {
    if (r->kind == PERF_RECORD_INFO)
        take_untold(d, &r->info, facts);
    else if (!tells(facts, "oa_eu"))
        oa_device_topology(d, r->topology);
}

void perf_about_take(struct perf_about *a, const struct perf_record *r) {
    if (r->kind == PERF_RECORD_TOPOLOGY) {
        oa_device_topology(&a->device, r->topology);
        return;
    }
    if (a->told)
        return;
    a->told = true;
    a->engine_class = r->info.engine_class;
    take_info(&a->device, &r->info);
    if (r->info.uuid.n == UUID_CHARS)
        a->uuid[text_clean(a->uuid, sizeof a->uuid - 1, r->info.uuid)] = '\0';
}

static void put_hex(struct buf *b, const char *key, uint64_t v) {
    buf_text(b, key);
    buf_char(b, '=');
    buf_hex(b, v, 1);
    buf_char(b, '\n');
}

static void put_number(struct buf *b, const char *key, uint64_t v) {
    if (v > 0)
        facts_put_u64(b, key, v);
}

void perf_about_say(const struct perf_about *a, struct buf *facts) {
    const struct oa_device *d = &a->device;
    if (a->told && d->pci_device) {
        buf_text(facts, "pci=8086:");
        buf_hex(facts, d->pci_device, 4);
        buf_char(facts, '\n');
    }
    put_number(facts, "oa_format", d->format);
    put_number(facts, "oa_timestamp_hz", d->timestamp_hz);
    put_number(facts, "oa_most_hz", d->most_hz);
    facts_put(facts, "oa_set", span_of(a->uuid));
    if (a->engine_class > 0)
        facts_put(facts, "oa_engine", span_of(run_engine_name(a->engine_class)));
    put_number(facts, "oa_eu", d->eu);
    put_number(facts, "oa_slices", d->slices);
    if (d->subslices)
        put_hex(facts, "oa_subslices", d->subslices);
}
