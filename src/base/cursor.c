/*
 * The cursor: walks a span and cannot leave it. Pure. A cursor that went bad stays at its end, so
 * that loops over it end as well.
 */
#include "gwtop/base.h"

#include <string.h>

static const struct span nothing = {"", 0};

struct cursor cursor_over(struct span s) {
    if (!s.p) {
        s = nothing;
    }
    return (struct cursor){s.p, s.p + s.n, false};
}

bool cursor_at_end(const struct cursor *c) {
    return c->p == c->end;
}

size_t cursor_left(const struct cursor *c) {
    return (size_t)(c->end - c->p);
}

static void go_bad(struct cursor *c) {
    c->bad = true;
    c->p = c->end;
}

bool cursor_field(struct cursor *c, char stop, struct span *field) {
    size_t left = cursor_left(c);
    if (left == 0) {
        *field = nothing;
        return false;
    }
    const char *at = memchr(c->p, (unsigned char)stop, left);
    *field = (struct span){c->p, at ? (size_t)(at - c->p) : left};
    c->p = at ? at + 1 : c->end;
    return true;
}

bool cursor_line(struct cursor *c, struct span *line) {
    return cursor_field(c, '\n', line);
}

static bool is_blank(char ch) {
    return ch == ' ' || ch == '\t';
}

void cursor_skip_blanks(struct cursor *c) {
    while (c->p != c->end && is_blank(*c->p)) {
        c->p++;
    }
}

bool cursor_word(struct cursor *c, struct span *word) {
    cursor_skip_blanks(c);
    const char *start = c->p;
    while (c->p != c->end && !is_blank(*c->p)) {
        c->p++;
    }
    *word = start == c->p ? nothing : (struct span){start, (size_t)(c->p - start)};
    return word->n > 0;
}

enum err cursor_u64(struct cursor *c, uint64_t *out) {
    const char *start = c->p;
    uint64_t v = 0;
    while (c->p != c->end && *c->p >= '0' && *c->p <= '9') {
        v = v * 10 + (uint64_t)(*c->p++ - '0');
    }
    size_t digits = (size_t)(c->p - start);
    /* 19 digits always fit in 64 bits. */
    if (digits == 0 || digits > 19) {
        return span_to_u64((struct span){start, digits}, out);
    }
    *out = v;
    return ERR_OK;
}

struct span cursor_bytes(struct cursor *c, size_t n) {
    if (cursor_left(c) < n) {
        go_bad(c);
        return nothing;
    }
    struct span s = {c->p, n};
    c->p += n;
    return s;
}

/* Byte by byte, so that neither alignment nor the machine's byte order matters. */
static uint64_t little_endian(struct cursor *c, size_t n) {
    struct span s = cursor_bytes(c, n);
    uint64_t v = 0;
    for (size_t i = s.n; i > 0; i--) {
        v = v << 8 | (unsigned char)s.p[i - 1];
    }
    return v;
}

uint8_t cursor_le8(struct cursor *c) {
    return (uint8_t)little_endian(c, 1);
}

uint16_t cursor_le16(struct cursor *c) {
    return (uint16_t)little_endian(c, 2);
}

uint32_t cursor_le32(struct cursor *c) {
    return (uint32_t)little_endian(c, 4);
}

uint64_t cursor_le64(struct cursor *c) {
    return little_endian(c, 8);
}
