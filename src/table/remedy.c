/* What would show more of other users' processes, in the words of each place. Pure. */
#include "gwtop/table.h"

const char *remedy_text(enum remedy how, enum insight has) {
    static const char *const texts[][INSIGHT_ALL + 1] = {
        [REMEDY_ONE] = {"needs root or CAP_SYS_PTRACE", "needs CAP_SYS_PTRACE",
                        "withheld even from root"},
        [REMEDY_SEVERAL] = {"need root or CAP_SYS_PTRACE", "need CAP_SYS_PTRACE",
                            "withheld even from root"},
        [REMEDY_OWN] = {"yours, but they forbid it: need root or CAP_SYS_PTRACE",
                        "yours, but they forbid it: need CAP_SYS_PTRACE",
                        "yours, but withheld even from root"},
        [REMEDY_TEXT] = {"denied: needs root or CAP_SYS_PTRACE", "denied: needs CAP_SYS_PTRACE",
                         "denied: withheld even from root"},
    };
    return texts[how][has];
}
