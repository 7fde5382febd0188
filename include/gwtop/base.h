/*
 * base: what every room stands on. Errors, spans and the bounds-checked cursor, a growable output
 * buffer that formats numbers without a locale, a flat map, a text pool, UTF-8, and the log ring.
 *
 * Pure but for log_write_fd(). Nothing here knows what a GPU is.
 */
#ifndef GWTOP_BASE_H
#define GWTOP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Short functions that run by the ten thousand in each tick stand here in full: with a literal as
 * argument, lengths are then known when the caller is compiled. */

/* ---- errors ------------------------------------------------------------------------------- */

/* Every failure that a function of gwtop can return; the second column is what a person reads. */
#define ERR_LIST(X)                                                                                \
    X(OK, "no error")                                                                              \
    X(NOMEM, "out of memory")                                                                      \
    X(IO, "input or output failed")                                                                \
    X(NOENT, "not there")                                                                          \
    X(ACCESS, "permission denied")                                                                 \
    X(GONE, "went away")                                                                           \
    X(AGAIN, "nothing ready yet")                                                                  \
    X(FORMAT, "not in a form that gwtop reads")                                                    \
    X(VERSION, "written by a newer version")                                                       \
    X(TRUNCATED, "ends in the middle")                                                             \
    X(RANGE, "number out of range")                                                                \
    X(USAGE, "wrong usage")                                                                        \
    X(UNSUPPORTED, "not supported here")                                                           \
    X(NOSPACE, "no space left")                                                                    \
    X(CLOSED, "the reader went away")                                                              \
    X(END, "end of input")

enum err {
#define ERR_ENUM(name, text) ERR_##name,
    ERR_LIST(ERR_ENUM)
#undef ERR_ENUM
        ERR_COUNT
};

/* The person's word for an error; never NULL, also for a value out of range. */
const char *err_text(enum err e);

/* Detail for a caller who wants to say more than the code. Owned by the caller; text is always
 * NUL-terminated. `sys` is an errno value or 0. */
struct err_info {
    enum err code;
    int sys;
    char text[240];
};

/* Fills `info` (which may be NULL) with `what` and, if not NULL, ": " and `subject`; cuts what does
 * not fit at a character boundary. Returns `code`, so that a caller can `return err_set(...)`. */
enum err err_set(struct err_info *info, enum err code, int sys, const char *what,
                 const char *subject);

/* The libc-free translation of an errno value to the nearest enum err (ENOENT and ESRCH differ:
 * ESRCH and ENODEV are ERR_GONE). 0 is ERR_OK; anything not listed is ERR_IO. */
enum err err_from_sys(int sys);

/* ---- spans and the cursor ------------------------------------------------------------------ */

/* A borrowed stretch of bytes; not NUL-terminated. */
struct span {
    const char *p;
    size_t n;
};

/* A span over a C string (NULL gives an empty span). */
static inline struct span span_of(const char *text) {
    return text ? (struct span){text, strlen(text)} : (struct span){"", 0};
}
static inline bool span_equals(struct span s, const char *text) {
    size_t n = strlen(text);
    return s.n == n && (n == 0 || memcmp(s.p, text, n) == 0);
}
static inline bool span_starts(struct span s, const char *prefix) {
    size_t n = strlen(prefix);
    return s.n >= n && (n == 0 || memcmp(s.p, prefix, n) == 0);
}
static inline bool span_ends(struct span s, const char *suffix) {
    size_t n = strlen(suffix);
    return s.n >= n && (n == 0 || memcmp(s.p + s.n - n, suffix, n) == 0);
}
static inline bool span_same(struct span a, struct span b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
/* FNV-1a. */
static inline uint64_t span_hash(struct span s) {
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < s.n; i++) {
        h = (h ^ (unsigned char)s.p[i]) * UINT64_C(1099511628211);
    }
    return h;
}
/* Without blanks and tabs (and '\r') at either end. */
struct span span_trim(struct span s);
/* Cuts the first `n` bytes off (all, if fewer). */
static inline struct span span_skip(struct span s, size_t n) {
    size_t cut = n < s.n ? n : s.n;
    return cut > 0 ? (struct span){s.p + cut, s.n - cut} : s;
}

/* Whole-span numbers: no sign unless i64, no blanks, no empty text. ERR_FORMAT for anything that is
 * not a digit, ERR_RANGE for what does not fit; `*out` is set only on ERR_OK. */
enum err span_to_u64(struct span s, uint64_t *out);
enum err span_to_i64(struct span s, int64_t *out);
/* Hexadecimal with or without 0x. */
enum err span_to_hex64(struct span s, uint64_t *out);
/* A number that is not negative, with at most nine decimals, as billionths. ERR_USAGE for others. */
enum err span_to_billionths(struct span s, int64_t *out);
/* "250ms", "2s", "1.5s", "500us", or tenths of a second as a whole number; as ns, up to a day. ERR_USAGE for what is none
 * of these, ERR_RANGE below least_ns or above a day. */
enum err span_to_delay(struct span s, int64_t least_ns, int64_t *out_ns);

/* Walks a span; never reads outside it. Once something was not there `bad` holds, and every later
 * read gives 0 or an empty span: check once, at the end. */
struct cursor {
    const char *p;
    const char *end;
    bool bad;
};

struct cursor cursor_over(struct span s);
bool cursor_at_end(const struct cursor *c);
size_t cursor_left(const struct cursor *c);
/* The next line without its '\n'; the last line needs none. False at the end. A NUL is a byte like
 * any other. */
bool cursor_line(struct cursor *c, struct span *line);
/* Bytes up to the next `stop` (which is skipped) or to the end. False at the end. */
bool cursor_field(struct cursor *c, char stop, struct span *field);
/* The next word of non-blanks (space, tab); blanks before it are skipped. False at the end. */
bool cursor_word(struct cursor *c, struct span *word);
/* Leading decimal digits as a number. ERR_FORMAT where there is no digit, ERR_RANGE over 64 bits
 * (the digits are consumed all the same). Does not set `bad`. */
enum err cursor_u64(struct cursor *c, uint64_t *out);
void cursor_skip_blanks(struct cursor *c);
/* Exactly n bytes; sets `bad` and gives an empty span where they are not there. */
struct span cursor_bytes(struct cursor *c, size_t n);
/* Little-endian integers, for binary tables. */
uint8_t cursor_le8(struct cursor *c);
uint16_t cursor_le16(struct cursor *c);
uint32_t cursor_le32(struct cursor *c);
uint64_t cursor_le64(struct cursor *c);

/* ---- output buffer -------------------------------------------------------------------------- */

/* A growable byte buffer. It keeps its capacity over buf_clear, so that a steady tick allocates
 * nothing. When memory runs out `failed` holds and later puts do nothing: check once, at the end. */
struct buf {
    char *p;
    size_t n;
    size_t cap; /* `n` once it failed */
    bool failed;
};

void buf_init(struct buf *b);
void buf_finish(struct buf *b); /* accepts a zeroed one, leaves a zeroed one */
void buf_clear(struct buf *b);  /* `failed` as well: a new text starts */
/* The half of buf_reserve() that is rarely needed. */
bool buf_grow(struct buf *b, size_t extra);
/* Room for at least `extra` (> 0) more bytes; false when memory runs out. */
static inline bool buf_reserve(struct buf *b, size_t extra) {
    return b->cap - b->n >= extra || buf_grow(b, extra);
}
static inline void buf_put(struct buf *b, const void *bytes, size_t n) {
    if (n > 0 && buf_reserve(b, n)) {
        memcpy(b->p + b->n, bytes, n);
        b->n += n;
    }
}
static inline void buf_span(struct buf *b, struct span s) {
    buf_put(b, s.p, s.n);
}
static inline void buf_text(struct buf *b, const char *text) {
    if (text) {
        buf_put(b, text, strlen(text));
    }
}
static inline void buf_char(struct buf *b, char c) {
    if (buf_reserve(b, 1)) {
        b->p[b->n++] = c;
    }
}
/* `n` times the same character. */
void buf_fill(struct buf *b, char c, size_t n);
void buf_u64(struct buf *b, uint64_t v);
void buf_i64(struct buf *b, int64_t v);
/* `v` with at least `digits` hexadecimal digits, lower case, no prefix. */
void buf_hex(struct buf *b, uint64_t v, unsigned digits);
/* `v` x 10^-power exactly, as few decimals as that needs: (1500,3) is "1.5", (-5,2) "-0.05". This
 * is how machine outputs write every number; power 0..18. */
void buf_decimal(struct buf *b, int64_t v, unsigned power);
/* The same with exactly `decimals` decimals, rounded half away from zero: (1250,3,1) is "1.3". */
void buf_fixed(struct buf *b, int64_t v, unsigned power, unsigned decimals);
/* A double as the shortest of up to 9 significant digits that a JSON reader takes; "null" for NaN
 * and infinities. */
void buf_double(struct buf *b, double v);
/* Quoted JSON string of valid UTF-8: escapes quotes, backslash, controls; a byte that is not UTF-8
 * becomes U+FFFD. */
void buf_json_string(struct buf *b, struct span s);
/* One RFC 4180 field: quoted where it must be; text that a spreadsheet would take for a formula
 * (first character one of = + - @ tab CR) gets a ' before it. Numbers are not passed through here. */
void buf_csv_field(struct buf *b, struct span s);
struct span buf_span_of(const struct buf *b);

/* ---- numbers for people ----------------------------------------------------------------------- */

/* Bytes in at most 5 columns with a binary unit (B K M G T P E): "0", "812K", "5.1G", "1023M". One
 * decimal below 10 units from K on, none otherwise, rounded half up; what rounds to 10.0 is "10K",
 * what rounds to 1024K is "1.0M". Writes a NUL-terminated text and returns its length. */
size_t human_bytes(char out[8], uint64_t bytes);
/* Nanoseconds as a duration of at most 8 columns, cut, never rounded up: below 10 min "0:03.25",
 * below 1 h "12:41", below 1 day "3h05", below 10,000 days "12d04h", then "213503d". */
size_t human_time(char out[12], uint64_t ns);

/* a * b / c without overflow in the middle, rounded to nearest; saturates. c == 0 gives 0: callers
 * must have asked first. */
uint64_t mul_div_u64(uint64_t a, uint64_t b, uint64_t c);

/* ---- text: UTF-8, width --------------------------------------------------------------------------- */

/* Writes `in` to `out` as valid UTF-8 without control characters, escape sequences, bidirectional
 * overrides or line separators: each such code point or invalid byte becomes '?' (a run of invalid
 * bytes one '?'). Writes at most `cap` bytes, cut at a code point, no NUL; returns the length.
 * out may be NULL only with cap 0. Every text from outside passes here once, in decode. */
size_t text_clean(char *out, size_t cap, struct span in);
/* True if text_clean would change nothing. */
bool text_is_clean(struct span s);

/* One grapheme cluster of valid UTF-8 at the start of `s`: its bytes, and its columns (0, 1 or 2). An
 * invalid byte is a cluster of one byte and one column. Empty input gives 0 bytes. */
struct grapheme {
    size_t bytes;
    int columns;
};
struct grapheme text_grapheme(struct span s);
/* Columns that `s` takes on a terminal. */
size_t text_columns(struct span s);
/* The longest prefix of whole graphemes that fits in `columns`. */
struct span text_cut(struct span s, size_t columns);
/* Of ASCII letters alone, whatever the locale. */
static inline char char_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}
/* Bytes before the first place of `needle`, ASCII case aside; haystack.n where there is none, or `needle` is empty. */
size_t text_find(struct span haystack, struct span needle);
/* The same search; true where `needle` is empty. */
bool text_contains(struct span haystack, struct span needle);
/* ERR_USAGE: "WHAT: WORD (nearest: NEAREST)", the word as far as it fits. */
enum err err_unknown(struct err_info *info, const char *what, struct span word,
                     const char *nearest);
/* Letters to change, add or take away to make `key` of `s`, any case; the first 32 of each count. */
unsigned text_distance(struct span s, const char *key);

/* ---- flat map ------------------------------------------------------------------------------------- */

/* 128-bit key to 32-bit index, open addressing, no pointers inside the table: a copy of the arrays
 * is a copy of the map. Grows only at new highs. A zeroed map is an empty map. */
struct map_key {
    uint64_t hi;
    uint64_t lo;
};
struct map {
    struct map_slot *slots; /* `cap` of them */
    uint32_t cap;           /* 0 or a power of two */
    uint32_t used;          /* entries in use */
    uint32_t dead;          /* removed, not yet reclaimed */
};
#define MAP_NONE UINT32_MAX

void map_finish(struct map *m);
/* The value, or MAP_NONE. */
uint32_t map_get(const struct map *m, struct map_key k);
/* Inserts or replaces. value must not be MAP_NONE. ERR_NOMEM leaves the map as it was. */
enum err map_put(struct map *m, struct map_key k, uint32_t value);
/* The removed value, or MAP_NONE. */
uint32_t map_remove(struct map *m, struct map_key k);
void map_clear(struct map *m); /* keeps the memory */
/* Makes `to` equal to `from`, reusing to's memory where it suffices. */
enum err map_copy(struct map *to, const struct map *from);

/* ---- vectors ------------------------------------------------------------------------------------------ */

/* Makes room for `want` elements of `size` bytes in *items (capacity *cap), doubling; the new part is
 * zeroed. ERR_NOMEM leaves both as they were. All flat arrays of gwtop grow through this. */
enum err vec_reserve(void **items, uint32_t *cap, uint32_t want, size_t size);

/* ---- text pool ---------------------------------------------------------------------------------------- */

/* Texts one after another in one block, named by offset and length: flat, so that copying the block
 * copies every text. Offset 0 with length 0 is the empty text. A zeroed pool is an empty one. */
struct text_ref {
    uint32_t at;
    uint32_t len;
};
struct text_pool {
    char *p;
    uint32_t n;
    uint32_t cap;
};

void pool_finish(struct text_pool *p);
void pool_clear(struct text_pool *p); /* keeps the memory */
/* Appends; on lack of memory gives the empty text and ERR_NOMEM. */
enum err pool_add(struct text_pool *p, struct span s, struct text_ref *out);
struct span pool_get(const struct text_pool *p, struct text_ref r);
enum err pool_copy(struct text_pool *to, const struct text_pool *from);

/* ---- log ring ------------------------------------------------------------------------------------------ */

/* Four levels into a ring of the newest 256 lines; shown in a pane, written out by the app once the
 * screen is gone. One of the few file-scope states; safe from any thread. */
enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* printf-like; one line, control characters replaced, cut at 200 bytes. Not called from pure rooms. */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Copies line `back` (0 the newest) to out, NUL-terminated; false if there is none. */
bool log_get(unsigned back, enum log_level *level, char *out, size_t cap);
/* Lines ever written. */
unsigned long log_count(void);
/* Also writes every later line to this descriptor (-1: stop). */
void log_write_fd(int fd);

#endif
