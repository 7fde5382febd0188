/*
 * Bytes of Intel's observation unit for tests, as the kernel's interface and the formats have them: numbers and offsets
 * stand here once more, of the test's own. Haswell's format is A45_B8_C8 (5), the others' A32u40_A4u32_B8_C8 (10).
 */
#ifndef TEST_OABYTES_H
#define TEST_OABYTES_H

#include "gwtop/base.h"

#define OAB_REPORT 256

struct oab_report {
    uint32_t id; /* dword 0 */
    uint32_t timestamp;
    uint32_t context; /* not Haswell */
    uint32_t clock;   /* Haswell: C2 */
    uint64_t a[45];
    uint32_t b[8];
    uint32_t c[8];
};

/* dword 0 of Gen9: the context is valid; why it was written. */
#define OAB_VALID  (UINT32_C(1) << 16)
#define OAB_TIMER  (UINT32_C(1) << 19)
#define OAB_SWITCH (UINT32_C(1) << 22)

void oab_le(struct buf *b, uint64_t v, unsigned bytes);
void oab_head(struct buf *b, uint32_t type, uint16_t middle, size_t size);

void oab_haswell(struct buf *b, const struct oab_report *r);
void oab_gen9(struct buf *b, const struct oab_report *r);

/* Records of a perf stream. */
void oab_sample(struct buf *b, const struct oab_report *r); /* Gen9 */
void oab_status(struct buf *b, uint32_t type);

/* Records of the recorder. released: in the version of today, else the one before. */
struct oab_device {
    uint64_t timestamp_hz;
    uint32_t pci_device;
    uint32_t most_hz;
    uint32_t engine_class;
    uint32_t format;
    const char *uuid;
};
void oab_version(struct buf *b);
void oab_info(struct buf *b, const struct oab_device *d, bool released);
void oab_topology(struct buf *b, bool released); /* 1 slice, 3 subslices of 8 */
void oab_pair(struct buf *b, uint64_t cpu_ns, uint64_t gpu, bool released);

/* Records of the proposal's ring. */
struct oab_footer {
    bool ctx; /* a capture of the command stream */
    bool pid;
    bool tag;
    uint32_t v[3];
};
void oab_ring_sample(struct buf *b, const struct oab_report *r, const struct oab_footer *f);
void oab_ring_lost(struct buf *b, uint64_t count);
void oab_ring_device(struct buf *b, uint32_t what);

#endif
