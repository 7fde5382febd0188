/* Any bytes as each of the files that say who a process is. */
#include "decode_check.h"

static void scrubbed(unsigned kind, const struct checked *c) {
    (void)kind;
    (void)c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    decode_all_kinds("proc", data, size, scrubbed);
    return 0;
}
