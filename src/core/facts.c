/* Facts: "key=value\n" lines of a subject. A key that is not known is not there, and a line without
 * '=' is nobody's key. */
#include <string.h>

#include "gwtop/core.h"

static const struct span nothing = {"", 0};

struct span facts_get(const char *facts, const char *key) {
    struct cursor c = cursor_over(span_of(facts));
    size_t n = strlen(key);
    struct span line;
    while (cursor_line(&c, &line))
        if (line.n > n && line.p[n] == '=' && memcmp(line.p, key, n) == 0)
            return span_skip(line, n + 1);
    return nothing;
}

uint64_t facts_u64(const char *facts, const char *key, uint64_t otherwise) {
    struct span value = facts_get(facts, key);
    uint64_t number = otherwise;
    if (span_starts(value, "0x"))
        (void)span_to_hex64(value, &number);
    else
        (void)span_to_u64(value, &number);
    return number;
}

void facts_put(struct buf *b, const char *key, struct span value) {
    if (value.n == 0)
        return;
    buf_text(b, key);
    buf_char(b, '=');
    for (size_t i = 0; i < value.n; i++)
        buf_char(b, value.p[i] == '\n' || value.p[i] == '\r' ? ' ' : value.p[i]);
    buf_char(b, '\n');
}

void facts_put_u64(struct buf *b, const char *key, uint64_t value) {
    buf_text(b, key);
    buf_char(b, '=');
    buf_u64(b, value);
    buf_char(b, '\n');
}
