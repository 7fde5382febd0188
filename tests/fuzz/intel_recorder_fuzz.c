/* Any bytes as a recording of i915-perf-recorder, looked through before and not. */
#include "intel_folds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const options[] = {
        "oa_file=1\n",
        "oa_file=1\neach=1\n",
        "oa_file=1\noa_format=A32u40_A4u32_B8_C8\npci=8086:1912\neach=1\n",
    };
    struct span file = {(const char *)data, size};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        for (int scan = 0; scan < 2; scan++)
            fold_any_way(&intel_perf_fold, &intel_perf_file, options[i], scan, file);
    walk_units(&intel_perf_file, file);
    intel_perf_file.recognise(file, true);
    return 0;
}
