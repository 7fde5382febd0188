/*
 * Random streams of Intel's observation unit: schedules of contexts, threads and tags, as records of the model
 * (oamodel.h) and as bytes. Of one seed always the same.
 */
#ifndef TEST_OASTREAM_H
#define TEST_OASTREAM_H

#include "backend/intel/intel.h"
#include "oamodel.h"

/* Fields before each report, of the streams of 2016 and 2017. */
enum { OAS_SOURCE = 1, OAS_CTX = 2, OAS_PID = 4, OAS_TAG = 8, OAS_TS = 16 };

struct oas {
    struct oam m;
    struct buf bytes;
    struct buf facts; /* with a NUL behind them */
    const struct fold *fold;
    const struct vendor_file *file; /* looked through first; NULL */
    size_t ends[OAM_RECORDS];       /* of the records, in bytes */
    unsigned fields;                /* of a stream: bits as above */
    bool head;   /* the records of the recorder stand first, and pairs of clocks among the others */
    bool broken; /* the last record has a size that none has; what follows it is none */
    uint64_t lost, overrun, missed; /* records of the ring, buffers, reports */
    /* as the next report will have it */
    struct oam_record now;
    uint64_t first; /* the GPU's time before all */
    uint64_t ticks; /* since then */
    uint64_t ahead; /* of these before the first report */
    unsigned depth; /* of batches that have begun */
    uint32_t open[4][4];
};

/* What the CPU's clock showed at `first`, in ns, of streams with a head. */
#define OAS_CPU_NS INT64_C(1000000000000)

void oas_seed(uint64_t number);
uint32_t oas_chance(uint32_t below);

/* Records of the ring as the proposal of 2015 has them, of a perf stream or the recorder, of a stream with fields. `s`
 * begins anew; it starts zeroed. */
void oas_rfc(struct oas *s);
void oas_perf(struct oas *s);
void oas_stream(struct oas *s);
/* With all labels, on Haswell, at 12.5 MHz. */
void oas_capture(struct oas *s);
void oas_finish(struct oas *s);

#endif
