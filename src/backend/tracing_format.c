/* `format` files of trace points, and header_page, which has fields alike. Pure. */
#include "tracing.h"

/* The number behind "key:" in a line. */
static bool number_of(struct span line, const char *key, uint32_t *out) {
    size_t n = strlen(key);
    for (size_t i = 0; i + n <= line.n; i++) {
        if (memcmp(line.p + i, key, n) != 0)
            continue;
        struct cursor c = cursor_over(span_skip(line, i + n));
        uint64_t v;
        cursor_skip_blanks(&c);
        if (cursor_u64(&c, &v) != ERR_OK || v > 65536)
            return false;
        *out = (uint32_t)v;
        return true;
    }
    return false;
}

/* "field:unsigned int d0;": the last word before the first ';'. */
static bool is_of(struct span line, const char *name) {
    struct span l = span_trim(line);
    const char *end = span_starts(l, "field:") ? memchr(l.p, ';', l.n) : NULL;
    size_t n = strlen(name);
    return end && (size_t)(end - l.p) > n && memcmp(end - n, name, n) == 0 &&
           (end[-(ptrdiff_t)n - 1] == ' ' || end[-(ptrdiff_t)n - 1] == '\t');
}

static bool find(struct span format, const char *name, struct span *line) {
    struct cursor c = cursor_over(format);
    while (cursor_line(&c, line))
        if (is_of(*line, name))
            return true;
    return false;
}

/* Kernels before 2.6.32 say nothing of signs. */
bool trace_format_field(struct span format, const char *name, struct trace_field *out) {
    struct span line;
    uint32_t size;
    uint32_t is_signed = 0;
    if (!find(format, name, &line) || !number_of(line, "offset:", &out->offset) ||
        !number_of(line, "size:", &size))
        return false;
    number_of(line, "signed:", &is_signed);
    out->size = size == 1 || size == 2 || size == 4 || size == 8 ? (uint8_t)size : 0;
    out->is_signed = is_signed != 0;
    return true;
}

bool trace_format_text(struct span format, const char *name, struct trace_field *out) {
    struct span line;
    return find(format, name, &line) &&
           span_starts(span_skip(span_trim(line), strlen("field:")), "__data_loc ") &&
           trace_format_field(line, name, out) && out->size == 4;
}

uint32_t trace_format_end(struct span format, const char *name) {
    struct span line;
    uint32_t offset;
    uint32_t size;
    bool known = find(format, name, &line) && number_of(line, "offset:", &offset) &&
                 number_of(line, "size:", &size);
    return known ? offset + size : 0;
}

bool trace_format_id(struct span format, uint32_t *id) {
    struct cursor c = cursor_over(format);
    struct span line;
    while (cursor_line(&c, &line))
        if (span_starts(line, "ID:"))
            return number_of(line, "ID:", id);
    return false;
}
