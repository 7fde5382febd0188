/*
 * Quoting for JSON and CSV. Pure. What leaves here is safe to show on a terminal as well: JSON
 * escapes every code point that text_clean() would replace, so nothing is lost and nothing acts.
 */
#include "gwtop/base.h"

#include <string.h>

#include "text.h"

/* The short escape's letter, or 0. */
static char json_short(int32_t code) {
    switch (code) {
    case '"':
        return '"';
    case '\\':
        return '\\';
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

static void json_code(struct buf *b, const char *p, size_t n, int32_t code) {
    char letter = json_short(code);
    if (letter) {
        buf_char(b, '\\');
        buf_char(b, letter);
    } else if (text_code_acts(code)) {
        buf_text(b, "\\u");
        buf_hex(b, (uint64_t)code, 4);
    } else {
        buf_put(b, p, n);
    }
}

/* Nearly every text: nothing in it needs an escape. */
static bool is_plain(struct span s) {
    while (s.n > 0) {
        uint64_t word = text_word(s);
        if (!text_word_is_printable(word) || text_word_has(word, '"') ||
            text_word_has(word, '\\')) {
            return false;
        }
        s = span_skip(s, sizeof word);
    }
    return true;
}

static void put_escaped(struct buf *b, struct span s) {
    while (s.n > 0) {
        size_t plain = 0;
        size_t run = text_ascii_run(s);
        while (plain < run && s.p[plain] != '"' && s.p[plain] != '\\') {
            plain++;
        }
        buf_put(b, s.p, plain);
        s = span_skip(s, plain);
        if (s.n == 0) {
            break;
        }
        int32_t code;
        size_t n = text_decode(s, &code);
        if (n == 0) {
            buf_text(b, "\xef\xbf\xbd");
            n = 1;
        } else {
            json_code(b, s.p, n, code);
        }
        s = span_skip(s, n);
    }
}

void buf_json_string(struct buf *b, struct span s) {
    if (is_plain(s) && buf_reserve(b, s.n + 2)) {
        char *to = b->p + b->n;
        to[0] = '"';
        if (s.n > 0) {
            memcpy(to + 1, s.p, s.n);
        }
        to[s.n + 1] = '"';
        b->n += s.n + 2;
    } else {
        buf_char(b, '"');
        put_escaped(b, s);
        buf_char(b, '"');
    }
}

static bool has_any(struct span s, const char *set) {
    for (; *set; set++) {
        if (s.n > 0 && memchr(s.p, *set, s.n)) {
            return true;
        }
    }
    return false;
}

void buf_csv_field(struct buf *b, struct span s) {
    bool quoted = has_any(s, ",\"\r\n");
    bool formula = s.n > 0 && memchr("=+-@\t\r", s.p[0], 6);
    if (quoted) {
        buf_char(b, '"');
    }
    if (formula) {
        buf_char(b, '\'');
    }
    if (!quoted) {
        buf_span(b, s);
        return;
    }
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"') {
            buf_char(b, '"');
        }
        buf_char(b, s.p[i]);
    }
    buf_char(b, '"');
}
