/*
 * Text: UTF-8 made safe, and how wide it stands on a terminal. utf8proc decides, never a locale.
 * Pure. Printable ASCII, nearly all there is, goes eight bytes at a time.
 */
#include "text.h"

#include <string.h>
#include <utf8proc.h>

size_t text_ascii_run(struct span s) {
    struct span rest = s;
    while (rest.n > 0 && text_word_is_printable(text_word(rest))) {
        rest = span_skip(rest, sizeof(uint64_t));
    }
    size_t i = s.n - rest.n;
    while (i < s.n && s.p[i] >= 0x20 && s.p[i] < 0x7f) {
        i++;
    }
    return i;
}

size_t text_decode(struct span s, int32_t *code) {
    utf8proc_int32_t c;
    /* Four bytes are the most a code point takes; a smaller bound also keeps the cast honest. */
    utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)s.p, (utf8proc_ssize_t)(s.n < 4 ? s.n : 4), &c);
    if (n <= 0 || c < 0) {
        return 0;
    }
    *code = c;
    return (size_t)n;
}

bool text_code_acts(int32_t code) {
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* Bytes at the start of `s` that are not valid UTF-8, before the next that are. */
static size_t invalid_run(struct span s) {
    size_t n = 0;
    int32_t code;
    while (n < s.n && text_decode(span_skip(s, n), &code) == 0) {
        n++;
    }
    return n;
}

size_t text_clean(char *out, size_t cap, struct span in) {
    size_t n = 0;
    while (in.n > 0 && n < cap) {
        size_t take = text_ascii_run(in);
        take = take < cap - n ? take : cap - n;
        if (take == 0) {
            int32_t code;
            take = text_decode(in, &code);
            if (take == 0 || text_code_acts(code)) {
                out[n++] = '?';
                in = span_skip(in, take ? take : invalid_run(in));
                continue;
            }
            if (take > cap - n) {
                break;
            }
        }
        memcpy(out + n, in.p, take);
        n += take;
        in = span_skip(in, take);
    }
    return n;
}

bool text_is_clean(struct span s) {
    for (;;) {
        int32_t code;
        s = span_skip(s, text_ascii_run(s));
        if (s.n == 0) {
            return true;
        }
        size_t n = text_decode(s, &code);
        if (n == 0 || text_code_acts(code)) {
            return false;
        }
        s = span_skip(s, n);
    }
}
