/*
 * What is different on some devices, firmwares or versions of the table, in one place (quirks.c).
 */
#ifndef GWTOP_BACKEND_AMDGPU_QUIRKS_H
#define GWTOP_BACKEND_AMDGPU_QUIRKS_H

#include "gwtop/core.h"

/* Chips, as far as the driver treats their tables differently. */
enum amd_asic {
    ASIC_UNKNOWN,
    ASIC_NAVI1X,
    ASIC_NAVI2X,
    ASIC_RDNA3,
    ASIC_RDNA4,
    ASIC_ARCTURUS,
    ASIC_ALDEBARAN,
    ASIC_RENOIR,  /* and Lucienne: SMU 12.0.0 */
    ASIC_CEZANNE, /* and Barcelo: SMU 12.0.1 */
    ASIC_VANGOGH,
    ASIC_CYAN_SKILLFISH,
    ASIC_REMBRANDT, /* and Raphael, Mendocino */
    ASIC_PHOENIX,
    ASIC_STRIX, /* and its relatives: table v3.0 */
    ASIC_COUNT
};

struct amd_device {
    enum amd_asic asic;
    bool fw_known;
    uint32_t fw; /* the whole word, program byte included */
};
/* By the facts `pci` and `fw.smc`. */
struct amd_device amd_device_of(const char *facts);

enum quirk_effect {
    QUIRK_QUANTITY,            /* argument: enum quantity */
    QUIRK_ZERO_ABSENT,         /* 0 is "not measured" */
    QUIRK_ZERO_AVERAGE_ABSENT, /* 0 is "not filled" where the current value is not 0 */
    QUIRK_VALUE_ABSENT,        /* argument: that value is "not measured" */
    QUIRK_DOUBT,               /* argument: bits of enum doubt */
    QUIRK_RANK,                /* argument: another file says it better */
    QUIRK_ALSO                 /* argument: it is this metric too */
};

struct quirk {
    uint32_t asics; /* bits 1 << enum amd_asic; 0: any, known or not */
    uint8_t format;
    uint8_t content_min;
    uint8_t content_max;
    uint8_t effect;
    uint32_t fw_min; /* both 0: any, known or not; else only where the firmware is known */
    uint32_t fw_max;
    uint16_t metric; /* the fields of these metrics, in the order of metrics.def */
    uint16_t metric_last;
    uint32_t argument;
    const char *source;
};
/* NULL past the last. */
const struct quirk *quirk_at(size_t i);

/* Those that hold for one table of one device. A later one outweighs an earlier one. */
enum { QUIRKS_AT_ONCE = 24 };
struct quirk_set {
    const struct quirk *list[QUIRKS_AT_ONCE];
    size_t count;
};
void quirk_set_init(struct quirk_set *q, const struct amd_device *d, unsigned format,
                    unsigned content);
/* A throttle flag that this chip is known to set without cause. */
bool quirk_is_false_bit(enum amd_asic asic, unsigned metric);

#endif
