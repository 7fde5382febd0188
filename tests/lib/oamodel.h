/*
 * A slow model of what streams of Intel's observation unit say, and the bytes of such streams, of the test's own:
 * nothing of the code under test is in it.
 *
 * A stream is a list of records. The model looks at all of it at once: which two captures make a batch, what lies
 * between each two reports, whose that is. Times are in ns since the first report.
 */
#ifndef TEST_OAMODEL_H
#define TEST_OAMODEL_H

#include "gwtop/core.h"

enum { OAM_A = 0, OAM_B = 45, OAM_C = 53, OAM_COUNTERS = 61 };
enum { OAM_RECORDS = 96, OAM_OWNERS = OAM_RECORDS };

/* ---- reports --------------------------------------------------------------------------------- */

/* Counters of one width, side by side. */
struct oam_stretch {
    uint8_t first;
    uint8_t count;
    uint8_t bits;
    uint16_t at;
    uint16_t high; /* of 40 bits: byte of the first one's upper 8 */
};
/* What a report of a platform looks like. */
struct oam_format {
    const char *name; /* of its layout */
    const char *pci;
    size_t size;
    bool haswell; /* no reason, no context; counter C2 is the clock */
    bool always;  /* the context stands in every report; else where bit `valid` of dword 0 is set */
    uint8_t valid;
    uint8_t reasons;                 /* bits from bit 19 on */
    uint32_t mask;                   /* of the context; all ones: nobody */
    uint32_t idle;                   /* in the mask: nobody; 0 none */
    uint8_t busy;                    /* counter of busy clocks */
    struct oam_stretch stretches[9]; /* up to the first of count 0 */
};
extern const struct oam_format oam_formats[];
enum {
    OAM_HSW_A45,
    OAM_HSW_A13,
    OAM_HSW_A29,
    OAM_HSW_A13_BC,
    OAM_HSW_B4_C8,
    OAM_BDW,
    OAM_SKL,
    OAM_TGL,
    OAM_DG2,
    OAM_STAMPS, /* no report at all */
    OAM_FORMATS
};
/* 0: the format does not have it. */
unsigned oam_bits(const struct oam_format *f, unsigned counter);
bool oam_has_clock(const struct oam_format *f);

/* ---- records --------------------------------------------------------------------------------- */

/* Spurious: a report whose stamp is 0. */
enum oam_what { OAM_REPORT, OAM_SPURIOUS, OAM_LOSS, OAM_OTHER };

struct oam_owner {
    bool is;
    bool tagged;
    uint32_t context;
    uint32_t tag;
    int32_t pid;
};

struct oam_record {
    uint8_t what;
    bool capture; /* of the command stream */
    uint8_t fate; /* 'a'ccepted, 'i'gnored, 'm'alformed */
    uint32_t id;  /* dword 0 */
    uint32_t timestamp;
    uint32_t context; /* of the report */
    uint32_t clock;
    uint32_t label[3];      /* context, pid, tag beside it */
    struct oam_owner named; /* what follows it is this owner's, where captures do not tell */
    uint64_t v[OAM_COUNTERS];
};
/* A report of this format; r->id, timestamp, context, clock, v. */
void oam_put_report(struct buf *b, const struct oam_format *f, const struct oam_record *r);
void oam_put(struct buf *b, uint64_t v, unsigned bytes);
void oam_put_head(struct buf *b, uint32_t type, size_t size);
/* Whose a report says that it is. */
struct oam_owner oam_named(const struct oam_format *f, const struct oam_record *r);

/* ---- the model ------------------------------------------------------------------------------- */

struct oam_sum {
    struct oam_owner owner;
    int64_t busy_ns;
    uint64_t ticks;
    uint64_t clock;
    uint64_t v[OAM_COUNTERS];
};
struct oam_interval {
    struct oam_sum sum; /* busy_ns: none */
    int64_t end_ns;
    unsigned reasons;
};

struct oam {
    const struct oam_format *format;
    uint64_t hz;
    bool captures;          /* batches tell whose intervals are; else the report before */
    bool pid, tag, context; /* which labels were asked for */
    unsigned count;
    struct oam_record records[OAM_RECORDS];
    /* what comes of it */
    unsigned interval_count;
    struct oam_interval intervals[OAM_RECORDS];
    unsigned owner_count; /* the first is nobody */
    struct oam_sum owners[OAM_OWNERS + 1];
    struct oam_sum whole;
    uint64_t accepted, ignored, malformed;
    uint64_t bad_pair, bad_delta, open_at_end;
};
/* Of the first `n` records. */
void oam_work_out(struct oam *m, unsigned n);
/* To the nearest. */
int64_t oam_ns(uint64_t hz, uint64_t ticks);
bool oam_same_owner(struct oam_owner a, struct oam_owner b);

#endif
