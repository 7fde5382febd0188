/* A text without the name that its client gave itself; every other byte stays. */
#include "../keyvalue.h"
#include "fdinfo.h"

void fdinfo_scrub(struct span text, struct buf *out) {
    struct cursor c = cursor_over(text);
    struct keyvalue kv;
    enum keyvalue_line line;
    while ((line = keyvalue_next(&c, &kv)) != KEYVALUE_END) {
        if (span_equals(kv.key, "drm-client-name"))
            continue;
        buf_span(out, kv.line);
        if (line != KEYVALUE_CUT)
            buf_char(out, '\n');
    }
}
