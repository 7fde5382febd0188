/*
 * pcie_bw: packets received and sent in the second that the read took, and the most that one may hold in bytes.
 * Packets may hold less: the traffic is an upper estimate. One unit is the file.
 */
#include "../tell.h"
#include "device.h"

static bool take_numbers(struct span text, uint64_t out[3]) {
    struct cursor c = cursor_over(text);
    struct span word;
    for (size_t i = 0; i < 3; i++)
        if (!cursor_word(&c, &word) || span_to_u64(word, &out[i]) != ERR_OK)
            return false;
    return !cursor_word(&c, &word);
}

void amdgpu_pcie_bw_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                           struct counts *counts) {
    static const uint16_t metrics[] = {METRIC_BANDWIDTH_LINK_RECEIVED, METRIC_BANDWIDTH_LINK_SENT};
    struct teller t = teller_of(s, f, sink, counts);
    struct span text = text_of_file(frame_span(f));
    uint64_t number[3] = {0};
    bool fits = take_numbers(text, number) && number[0] <= UINT32_MAX && number[1] <= UINT32_MAX &&
                number[2] <= UINT16_MAX;
    tell_name(&t, span_of("pcie_bw"));
    for (size_t i = 0; i < 2; i++) {
        if (fits)
            tell_value(&t, metrics[i], (int64_t)(number[i] * number[2]), number[i], DOUBT_ESTIMATED,
                       AMD_RANK_SYSFS);
        else
            tell_state(&t, metrics[i], STATE_MALFORMED, AMD_RANK_SYSFS);
    }
    if (fits)
        counts->accepted++;
    else
        counts_malformed(counts, REASON_BAD_TEXT);
}
