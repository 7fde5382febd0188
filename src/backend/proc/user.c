/* Whose process it is, as looked up where it was read: "uid: 1000\nuser: alice\n". One unit is one
 * line. */
#include "../keyvalue.h"
#include "tell.h"

static bool take_uid(const struct proc_tell *t, struct span value, struct counts *counts) {
    uint64_t number = 0;
    enum err e = span_to_u64(value, &number);
    if (e == ERR_OK && number > UINT32_MAX)
        e = ERR_RANGE;
    proc_tell_value(t, METRIC_PROCESS_UID, e, e == ERR_OK ? (int64_t)number : 0, number);
    if (e == ERR_OK)
        counts->accepted++;
    else
        counts_malformed(counts, keyvalue_reason(e));
    return e == ERR_OK;
}

void proc_user_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                      struct counts *counts) {
    const struct proc_tell t = {s, f, sink};
    struct cursor c = cursor_over(frame_span(f));
    struct span uid = {"", 0};
    struct span user = {"", 0};
    struct keyvalue kv;
    enum keyvalue_line line;
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END) {
        if (line == KEYVALUE_CUT) {
            counts_truncated(counts, REASON_CUT);
        } else if (line == KEYVALUE_OTHER) {
            counts_ignored(counts, REASON_NO_COLON);
        } else if (span_equals(kv.key, "user")) {
            user = kv.value;
            counts->accepted++;
        } else if (!span_equals(kv.key, "uid")) {
            counts_ignored(counts, REASON_OTHER_KEY);
        } else if (take_uid(&t, kv.value, counts)) {
            uid = kv.value;
        }
    }
    if (user.n > 0 || uid.n > 0)
        proc_tell_label(&t, LABEL_USER, user.n > 0 ? user : uid);
}

/* A number would tell as much as the name does. What is left says that neither is known. */
void proc_user_scrub(struct span body, struct buf *out) {
    (void)body;
    (void)out;
}
