/* Any bytes as the text of a DRM client. */
#include "decode_check.h"

static void scrubbed(unsigned kind, const struct checked *c) {
    (void)kind;
    check(c->labels[LABEL_CLIENT_NAME] == 0, "a scrubbed text names nobody");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    decode_all_kinds("fdinfo", data, size, scrubbed);
    return 0;
}
