/* Any bytes as records of the proposal's ring and of the streams after it. */
#include "intel_folds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const ring[] = {
        "",
        "oa_flags=pid,tag\neach=1\n",
        "oa_flags=tag\noa_format=A13\n",
        "oa_format=C4_B8\n",
    };
    static const char *const stream[] = {
        "",
        "oa_sample=source,ctx,pid,tag,ts\noa_format=A45_B8_C8\neach=1\n",
        "oa_sample=ctx,tag\noa_format=A32u40_A4u32_B8_C8\npci=8086:1912\n",
        "oa_sample=source,ctx,ts\noa_timestamp_hz=12000000\n",
    };
    struct span file = {(const char *)data, size};
    for (size_t i = 0; i < sizeof ring / sizeof ring[0]; i++)
        fold_any_way(&intel_rfc_fold, &intel_rfc_file, ring[i], false, file);
    for (size_t i = 0; i < sizeof stream / sizeof stream[0]; i++)
        fold_any_way(&intel_stream_fold, &intel_stream_file, stream[i], false, file);
    walk_units(&intel_rfc_file, file);
    return 0;
}
