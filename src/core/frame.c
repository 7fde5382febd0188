/* Frames, what became of their units, and the sizes that the nouns keep: these cross rooms by the
 * thousand in each tick, so a member that makes one grow is seen here. */
#include <errno.h>

#include "gwtop/core.h"

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(struct sample) == 64, "a sample fills one cache line");
_Static_assert(sizeof(struct job) == 64, "a job fills one cache line");
_Static_assert(sizeof(struct frame) == 40, "size of a frame");
_Static_assert(sizeof(struct subject) == 56, "size of a subject");
_Static_assert(sizeof(struct label) == 48, "size of a label");
#endif
_Static_assert(METRIC_COUNT <= UINT16_MAX, "metric ids are 16 bits wide");
_Static_assert(STATE_UNKNOWN == 0, "what is zeroed is not known, and no number");
_Static_assert(DOUBT_ESTIMATED <= UINT8_MAX, "doubts are bits of one byte");

struct span frame_span(const struct frame *f) {
    return (struct span){f->bytes ? f->bytes : "", f->bytes ? f->size : 0};
}

enum outcome outcome_from_sys(int sys) {
    static const struct {
        int sys;
        enum outcome outcome;
    } known[] = {
        {0, OUTCOME_OK},        {EACCES, OUTCOME_DENIED}, {EPERM, OUTCOME_DENIED},
        {ENOENT, OUTCOME_GONE}, {ESRCH, OUTCOME_GONE},    {ENODEV, OUTCOME_GONE},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].sys == sys)
            return known[i].outcome;
    return OUTCOME_FAILED;
}

void counts_add(struct counts *to, const struct counts *more) {
    to->accepted += more->accepted;
    to->ignored += more->ignored;
    to->malformed += more->malformed;
    to->truncated += more->truncated;
    for (unsigned i = 0; i < REASON_COUNT; i++)
        to->reasons[i] += more->reasons[i];
}

void counts_ignored(struct counts *c, enum reason why) {
    c->ignored++;
    c->reasons[why]++;
}

void counts_malformed(struct counts *c, enum reason why) {
    c->malformed++;
    c->reasons[why]++;
}

void counts_truncated(struct counts *c, enum reason why) {
    c->truncated++;
    c->reasons[why]++;
}
