/* Whether processor cores share the chip, by PCI id. */
#include "device.h"
#include "quirks.h"

/* Those whose tables need no other treatment, beside the chips of quirks.c. */
static const uint16_t others[] = {
    0x15d8, 0x15dd,                         /* Picasso, Raven */
    0x98e4,                                 /* Stoney */
    0x9870, 0x9874, 0x9875, 0x9876, 0x9877, /* Carrizo */
    0x74a0,                                 /* MI300A */
};

static const bool apus[ASIC_COUNT] = {
    [ASIC_RENOIR] = true,         [ASIC_CEZANNE] = true,   [ASIC_VANGOGH] = true,
    [ASIC_CYAN_SKILLFISH] = true, [ASIC_REMBRANDT] = true, [ASIC_PHOENIX] = true,
    [ASIC_STRIX] = true,
};

static uint64_t pci_device(const char *facts) {
    struct cursor c = cursor_over(facts_get(facts, "pci"));
    struct span word;
    uint64_t vendor = 0;
    uint64_t device = 0;
    if (!cursor_field(&c, ':', &word) || span_to_hex64(word, &vendor) != ERR_OK ||
        vendor != 0x1002 || !cursor_field(&c, ':', &word) || span_to_hex64(word, &device) != ERR_OK)
        return 0;
    return device;
}

int amdgpu_is_apu(const char *facts) {
    enum amd_asic asic = amd_device_of(facts).asic;
    uint64_t id = pci_device(facts);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (id == others[i])
            return 1;
    return asic == ASIC_UNKNOWN ? -1 : apus[asic];
}
