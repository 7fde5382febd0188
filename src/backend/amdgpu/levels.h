/*
 * pp_dpm_*: the levels of a clock or of the link, one a line, the ones at work starred. All generations of the
 * text. Pure.
 */
#ifndef GWTOP_BACKEND_AMDGPU_LEVELS_H
#define GWTOP_BACKEND_AMDGPU_LEVELS_H

#include "device.h"

struct amd_level {
    int64_t value;  /* Hz, or transfers in a second */
    uint64_t raw;   /* as written, what stands behind a decimal point left out */
    uint32_t lanes; /* of a link; else 0 */
};

/* A line that is no level costs that line only. */
struct amd_levels {
    uint32_t count; /* of lines that are levels */
    uint32_t bad;   /* of other lines that are not empty */
    bool has_now;   /* some line is starred: the last of them counts */
    bool has_limits;
    struct amd_level now;
    struct amd_level least;
    struct amd_level most;
};

/* `is_link`: pp_dpm_pcie. */
void amd_levels_parse(struct span text, bool is_link, struct amd_levels *out);

#endif
