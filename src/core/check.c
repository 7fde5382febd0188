/* What a source needs and has: words, and what follows from an errno and from a kind. */
#include "gwtop/core.h"

const char *check_state_name(enum check_state s) {
    static const char *const names[] = {
#define CHECK_NAME(name, text) text,
        CHECK_STATE_LIST(CHECK_NAME)
#undef CHECK_NAME
    };
    return (unsigned)s < CHECK_STATE_COUNT ? names[s] : "?";
}

enum check_state check_state_from_sys(int sys) {
    if (sys == 0)
        return CHECK_OK;
    return outcome_from_sys(sys) == OUTCOME_DENIED ? CHECK_DENIED : CHECK_MISSING;
}

enum check_state check_state_of_feature(int sys) {
    enum check_state s = check_state_from_sys(sys);
    return s == CHECK_MISSING ? CHECK_UNSUPPORTED : s;
}

struct check check_of_kind(const struct kind *k, enum check_state state, const char *path) {
    return (struct check){.source = k->name,
                          .path = path,
                          .need = k->right,
                          .lost = k->lost,
                          .state = (uint8_t)state};
}

void check_tell(const struct check_sink *sink, struct check c, uint8_t gain) {
    c.gain = gain;
    sink->check(sink->ctx, &c);
}
