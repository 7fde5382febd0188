/*
 * /proc/PID/status: the pid that a process has in its innermost pid namespace. One
 * unit is one line; all others are ignored.
 */
#include "../keyvalue.h"
#include "tell.h"

/* "1234\t7": one number a namespace, the innermost last. */
static bool last_pid(struct span value, struct span *last, unsigned *count) {
    struct cursor c = cursor_over(value);
    struct span word;
    uint64_t number;
    *count = 0;
    while (cursor_word(&c, &word)) {
        if (span_to_u64(word, &number) != ERR_OK || number > INT32_MAX)
            return false;
        *last = word;
        ++*count;
    }
    return *count > 0;
}

static void take_nspid(const struct proc_tell *t, struct span value, struct counts *counts) {
    static const struct span none = {"", 0};
    struct span last;
    unsigned count;
    if (!last_pid(value, &last, &count)) {
        counts_malformed(counts, REASON_BAD_NUMBER);
        return;
    }
    proc_tell_label(t, LABEL_NSPID, count > 1 ? last : none);
    counts->accepted++;
}

void proc_status_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                        struct counts *counts) {
    const struct proc_tell t = {s, f, sink};
    struct cursor c = cursor_over(frame_span(f));
    struct keyvalue kv;
    enum keyvalue_line line;
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END) {
        if (line == KEYVALUE_CUT)
            counts_truncated(counts, REASON_CUT);
        else if (line == KEYVALUE_OTHER)
            counts_ignored(counts, REASON_NO_COLON);
        else if (span_equals(kv.key, "NSpid"))
            take_nspid(&t, kv.value, counts);
        else
            counts_ignored(counts, REASON_OTHER_KEY);
    }
}

/* "real effective saved file-system". */
static bool effective(struct span value, uint32_t *uid) {
    struct cursor c = cursor_over(value);
    struct span word;
    uint64_t number;
    if (!cursor_word(&c, &word) || !cursor_word(&c, &word) ||
        span_to_u64(word, &number) != ERR_OK || number > UINT32_MAX)
        return false;
    *uid = (uint32_t)number;
    return true;
}

bool proc_status_uid(struct span text, uint32_t *uid) {
    struct cursor c = cursor_over(text);
    struct keyvalue kv;
    enum keyvalue_line line;
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END)
        if (line == KEYVALUE_PAIR && span_equals(kv.key, "Uid"))
            return effective(kv.value, uid);
    return false;
}

void proc_status_scrub(struct span body, struct buf *out) {
    struct cursor c = cursor_over(body);
    struct keyvalue kv;
    enum keyvalue_line line;
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END)
        if (line == KEYVALUE_PAIR && span_equals(kv.key, "NSpid")) {
            buf_span(out, kv.line);
            buf_char(out, '\n');
        }
}
