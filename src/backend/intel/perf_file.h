/* Records of perf streams and of the recorder, within this folder. Pure. */
#ifndef GWTOP_BACKEND_INTEL_PERF_FILE_H
#define GWTOP_BACKEND_INTEL_PERF_FILE_H

#include "run.h"

enum perf_record_kind {
    PERF_RECORD_SAMPLE,
    PERF_RECORD_REPORT_LOST,
    PERF_RECORD_BUFFER_LOST,
    PERF_RECORD_VERSION,
    PERF_RECORD_OTHER_VERSION, /* of the format: one that gwtop does not know */
    PERF_RECORD_INFO,
    PERF_RECORD_TOPOLOGY,
    PERF_RECORD_PAIR,
    PERF_RECORD_UNKNOWN,
    PERF_RECORD_BAD /* of a size that its type does not have */
};

/* What the recorder says of the device. */
struct perf_info {
    uint64_t timestamp_hz;
    uint64_t most_hz; /* 0 unknown, as all of these */
    uint16_t pci_device;
    uint32_t engine_class;
    uint32_t format;
    struct span uuid; /* of the metric set; borrowed */
};

struct perf_record {
    enum perf_record_kind kind;
    struct perf_info info;
    struct span topology;
    int64_t cpu_ns;
    uint64_t gpu;
};

/* Two versions of the recorder number their records differently; its first record tells which one it is. */
struct perf_file {
    uint8_t version; /* 0: nothing seen yet */
};
void perf_file_read(struct perf_file *f, struct span record, struct perf_record *out);
/* A pair of readings, whichever version it is of. False: it is none. */
bool perf_file_pair(struct span record, struct perf_record *out);
/* Takes over into `d` what facts do not tell. */
void perf_file_describe(const struct perf_record *r, const char *facts, struct oa_device *d);

/* All that a recording says of its device, zeroed at its beginning. */
struct perf_about {
    struct oa_device device;
    uint32_t engine_class;
    bool told;
    char uuid[40];
};
void perf_about_take(struct perf_about *a, const struct perf_record *r);
/* As facts of the stream's subject. */
void perf_about_say(const struct perf_about *a, struct buf *facts);

#endif
