/* What the synthetic machine knows of a GPU model; for synth_gpu.c and synth_sys.c. */
#ifndef TEST_SYNTH_GPU_H
#define TEST_SYNTH_GPU_H

#include "synth_machine.h"

struct engine {
    const char *name;
    unsigned capacity;
    uint16_t per_mille[ROLE_COUNT]; /* of the busy time of each role */
};

enum gpu_bus { BUS_DISCRETE, BUS_INTEGRATED, BUS_PLATFORM };

struct gpu_model {
    const char *spec; /* in `-g` */
    const char *driver;
    const char *title; /* for people; NULL for none */
    enum gpu_bus bus;
    bool accel;
    struct {
        unsigned vendor, device, subsystem_vendor, subsystem_device, revision, class;
    } ids;
    const char *platform; /* device name and compatible string, where there is no PCI */
    const char *compatible;
    uint64_t vram_kib; /* 0: none of its own */
    unsigned cap_w;
    void (*write)(struct text *t, const struct reading *r);
    struct engine engines[8]; /* ends with one without a name */
};

/* The sensors of an amdgpu card at a moment: sysfs, hwmonN, gpu_metrics. */
bool amdgpu_update(int root, const struct gpu *g, unsigned index, const struct usage *used,
                   const uint32_t duty_ppm[ROLE_COUNT], int64_t t_ms);

#endif
