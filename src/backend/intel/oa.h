/*
 * Intel's observation unit (OA), within this folder: reports of hardware counters, how much the counters grew
 * between two of them, and what is derived from that. Pure, without memory of its own; little-endian in any case.
 *
 * Sources: the kernel's include/uapi/drm/i915_drm.h (formats, properties) and drivers/gpu/drm/i915/i915_perf.c; metric
 * sets as the IGT test suite describes them.
 */
#ifndef GWTOP_BACKEND_INTEL_OA_H
#define GWTOP_BACKEND_INTEL_OA_H

#include "gwtop/core.h"

/* ---- counters -------------------------------------------------------------------------------- */

/* All counters that a report may have, in the order of the metrics counter.A0 and on. */
enum {
    OA_A = 0,
    OA_A_COUNT = 45,
    OA_B = OA_A + OA_A_COUNT,
    OA_B_COUNT = 8,
    OA_C = OA_B + OA_B_COUNT
};
enum {
    OA_C_COUNT = 8,
    OA_MPEC = OA_C + OA_C_COUNT,
    OA_MPEC_COUNT = 8,
    OA_COUNTERS = OA_MPEC + OA_MPEC_COUNT
};

/* ---- formats --------------------------------------------------------------------------------- */

/* Numbers of the kernel's interface (enum drm_i915_oa_format). */
enum oa_format {
    OA_FORMAT_NONE,
    OA_FORMAT_A13,
    OA_FORMAT_A29,
    OA_FORMAT_A13_B8_C8,
    OA_FORMAT_B4_C8,
    OA_FORMAT_A45_B8_C8,
    OA_FORMAT_B4_C8_A16,
    OA_FORMAT_C4_B8,     /* never offered: sources disagree where its counters stand */
    OA_FORMAT_A12,       /* has no clock, so nothing can be derived */
    OA_FORMAT_A12_B8_C8, /* likewise */
    OA_FORMAT_A32U40_A4U32_B8_C8,
    OA_FORMAT_OAR_A32U40_A4U32_B8_C8,
    OA_FORMAT_A24U40_A14U32_B8_C8,
    OA_FORMAT_OAM_MPEC8U64_B8_C8,
    OA_FORMAT_OAM_MPEC8U32_B8_C8,
    OA_FORMAT_COUNT
};

/* A stretch of counters of equal width that stand side by side. */
struct oa_run_of {
    uint8_t first; /* counter: OA_A + 4, ... */
    uint8_t count;
    uint8_t bits;  /* 32, 40 or 64 */
    uint16_t at;   /* byte of the first; of 40 bits: of its low 32 */
    uint16_t high; /* byte of the first one's bits 32 to 39; only of 40 bits */
};
#define OA_RUNS 10
struct oa_layout {
    const char *name; /* as --oa-format takes it */
    uint16_t size;    /* bytes of a report; 0: no such format, or one that is not read */
    /* No reason, no context, and counter C2 is the clock (in the sets that gwtop knows). */
    bool haswell;
    bool wide;                      /* 64-bit header */
    bool clock;                     /* its header has one */
    struct oa_run_of runs[OA_RUNS]; /* up to the first of count 0 */
};
/* Never NULL; size 0 for a number that is no format that gwtop reads. */
const struct oa_layout *oa_layout_of(unsigned format);
/* Whether its reports have the counter (OA_A + 41, ...). */
bool oa_layout_has(const struct oa_layout *l, unsigned counter);
/* Whether anybody said what it counts; some of Haswell's count nothing that is known. */
bool oa_counter_is_defined(const struct oa_layout *l, unsigned counter);
/* By its name, whatever the case of its letters; also those that are not read. OA_FORMAT_NONE for an unknown name. */
enum oa_format oa_format_find(struct span name);
/* Equal but for the case of ASCII letters. */
bool oa_same_text(struct span s, const char *text);

/* ---- devices --------------------------------------------------------------------------------- */

enum oa_platform {
    OA_UNKNOWN,
    OA_HSW,
    OA_BDW,
    OA_CHV,
    OA_SKL,
    OA_BXT,
    OA_GLK,
    OA_KBL,
    OA_CFL,
    OA_CNL,
    OA_ICL,
    OA_EHL,
    OA_TGL,
    OA_RKL,
    OA_DG1,
    OA_ADL,
    OA_DG2,
    OA_MTL,
    OA_PLATFORMS
};
const char *oa_platform_name(enum oa_platform p); /* "Haswell", ... */
/* By PCI device id; OA_UNKNOWN for one that has no unit that gwtop can read. */
enum oa_platform oa_platform_of(uint16_t pci_device);

/* What is programmed into the unit decides what counters mean. SMALL: its B, C and EU-flex registers without the
 * multiplexer, as gwtop uploads it where no set is there. */
enum oa_set {
    OA_SET_UNKNOWN,
    OA_SET_RENDER_BASIC,
    OA_SET_COMPUTE_BASIC,
    OA_SET_TEST_OA,
    OA_SET_SMALL
};
struct oa_guid {
    const char *uuid; /* 36 characters, lower case */
    uint8_t platform;
    uint8_t set;
    uint8_t gt; /* 0: any */
};
/* NULL for a UUID that is not known. */
const struct oa_guid *oa_guid_find(struct span uuid);
/* All of them, one after another; NULL past the last. */
const struct oa_guid *oa_guid_at(size_t i);
/* The register lists of SET_SMALL: pairs of address and value; false where there are none for the platform. */
struct oa_register {
    uint32_t address;
    uint32_t value;
};
struct oa_small {
    const struct oa_register *boolean;
    uint32_t boolean_count;
    const struct oa_register *flex;
    uint32_t flex_count;
};
bool oa_small_set(enum oa_platform p, struct oa_small *out);
/* The UUID under which gwtop uploads it, one for each platform, of our own making; NULL where there is no such set. */
const char *oa_small_uuid(enum oa_platform p);

struct oa_device {
    uint8_t platform; /* enum oa_platform */
    uint8_t set;      /* enum oa_set */
    uint8_t format;   /* enum oa_format */
    uint8_t gt;       /* size of its graphics by the vendor's number, where it matters; 0 unknown */
    uint16_t pci_device; /* 0 unknown */
    uint32_t eu;         /* execution units; 0 unknown */
    uint32_t slices;     /* 0 unknown */
    /* Bit per present subslice of all slices, first slice lowest, 8 bits each (where there can be more than 8 in
     * one, as many as there can be); 0 unknown. */
    uint64_t subslices;
    uint64_t timestamp_hz; /* 0 unknown */
    uint64_t most_hz;      /* highest core clock; 0 unknown */
};
/*
 * From facts of a stream's subject, none of which must be there:
 *   pci=8086:3e9b  oa_format=A45_B8_C8 or the kernel's number  oa_timestamp_hz=12000000  oa_set=UUID
 *   oa_eu=24  oa_slices=1  oa_subslices=7 (hexadecimal)  oa_most_hz=1150000000  oa_exponent=16
 * The platform is the UUID's, else the PCI id's, else (a format that only Haswell has) Haswell. Where the timestamp's
 * rate is not told it is the platform's usual one, if that is one for all.
 */
void oa_device_from_facts(struct oa_device *d, const char *facts);
/* Fills in what follows from what is known, for one whose platform, PCI id or format came from elsewhere. */
void oa_device_settle(struct oa_device *d);
/* Units, slices and subslices from the kernel's topology structure (query 1, and records of the recorder). False: no such. */
bool oa_device_topology(struct oa_device *d, struct span topology);
/* Ticks in a second that the platform usually has; 0: differs from machine to machine. */
uint64_t oa_usual_timestamp_hz(enum oa_platform p);
/* Whether any unit can count so many ticks in a second; what cannot be is as good as untold. */
bool oa_timestamp_can_be(uint64_t hz);
/* Threads that one execution unit holds; 0 unknown. */
uint32_t oa_eu_threads(enum oa_platform p);

/* ---- reports --------------------------------------------------------------------------------- */

/* Why a report was written: bits of dword 0, shifted to bit 0; none on Haswell. */
enum oa_reason {
    OA_TIMER = 1 << 0,
    OA_TRIGGER1 = 1 << 1,
    OA_TRIGGER2 = 1 << 2,
    OA_CONTEXT_SWITCH = 1 << 3,
    OA_GO = 1 << 4, /* on the way into RC6 */
    OA_CLOCK_CHANGE = 1 << 5,
    OA_MMIO = 1 << 6 /* Gen12 only */
};
/* "timer,context_switch"; "none". Returns the length. */
size_t oa_reason_words(unsigned reasons, char *to, size_t cap);

#define OA_NO_CONTEXT UINT32_C(0xffffffff) /* idle, or nobody that can be told */

struct oa_report {
    uint64_t timestamp; /* as wide as the header has it */
    uint64_t clock;     /* core clock ticks; 0 where the format has none */
    uint32_t id;        /* dword 0: of a command-stream report of Haswell its request's number */
    uint32_t context;   /* masked as the platform has it; OA_NO_CONTEXT */
    uint8_t reasons;    /* bits of enum oa_reason */
    bool context_valid;
    uint64_t v[OA_COUNTERS]; /* 0 for those that the format does not have */
};
/* False: fewer bytes than a report has, or a format that is not read. */
bool oa_report_read(const struct oa_device *d, struct span bytes, struct oa_report *out);

/* ---- growth ---------------------------------------------------------------------------------- */

struct oa_delta {
    uint64_t ticks; /* of the timestamp */
    uint64_t clock;
    uint64_t v[OA_COUNTERS];
};
/* What lies between two successive reports, by the width of each counter. False: it cannot be believed (a stamp of 0, no
 * time between or a step back, a clock that stood still or crept while counters moved), and is to be left out. */
bool oa_delta_between(const struct oa_device *d, const struct oa_report *from,
                      const struct oa_report *to, struct oa_delta *out);
void oa_delta_add(const struct oa_device *d, struct oa_delta *to, const struct oa_delta *more);

/* ---- meaning --------------------------------------------------------------------------------- */

/* ns of so many ticks, to the nearest; -1: the rate is not known. */
int64_t oa_ticks_ns(const struct oa_device *d, uint64_t ticks);

struct oa_value {
    uint16_t metric;
    /* Unknown: what it is worked out from is not known (EUs, topology, the set), or nothing passed; unsupported:
     * the set or the format does not have it. */
    uint8_t state;
    uint8_t doubt; /* clamped */
    int64_t value;
};
#define OA_DERIVED 16
/* Everything that is derived of a platform, in a fixed order; how many. A metric that its platform does not have at all
 * is left out. */
size_t oa_derive(const struct oa_device *d, const struct oa_delta *delta,
                 struct oa_value out[OA_DERIVED]);
/* The timestamp's rate as a delta shows it: half of timestamp_hz where DG2 or Meteor Lake would else have run at
 * twice the highest clock that it has; such rates stand in some recordings. */
uint64_t oa_shown_timestamp_hz(const struct oa_device *d, const struct oa_delta *delta);
/* The mean core clock in Hz; 0 unknown. */
uint64_t oa_mean_hz(const struct oa_device *d, const struct oa_delta *delta);

#endif
