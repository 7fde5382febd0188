/* What the text files of this room share: decoding, and which code points must not pass. */
#ifndef GWTOP_BASE_TEXT_H
#define GWTOP_BASE_TEXT_H

#include "gwtop/base.h"

#define TEXT_ONES  UINT64_C(0x0101010101010101)
#define TEXT_HIGHS (TEXT_ONES * 0x80)

/* Bytes of the code point at the start of `s`, or 0 where that is not valid UTF-8 (overlong forms,
 * surrogates, beyond U+10FFFF, cut short, empty). `*code` is set only where it is. */
size_t text_decode(struct span s, int32_t *code);
/* Printable ASCII (space to tilde) at the start of `s`, in bytes. */
size_t text_ascii_run(struct span s);
/* True for a code point that a terminal or an editor acts on instead of showing it: controls (C0,
 * DEL, C1), bidirectional embeddings, overrides and isolates, line and paragraph separators. */
bool text_code_acts(int32_t code);

/* Text eight bytes at a time: those at the start of `s`, which is not empty. Where there are fewer,
 * some stand twice or a blank stands for them: what holds for all of these holds for all of them. */
static inline uint64_t text_word(struct span s) {
    uint64_t word;
    uint32_t first, last;
    if (s.n >= 8) {
        memcpy(&word, s.p, 8);
    } else if (s.n >= 4) {
        memcpy(&first, s.p, 4);
        memcpy(&last, s.p + s.n - 4, 4);
        word = (uint64_t)first << 32 | last;
    } else {
        unsigned char bytes[8] = "        ";
        bytes[0] = (unsigned char)s.p[0];
        bytes[1] = (unsigned char)s.p[s.n / 2];
        bytes[2] = (unsigned char)s.p[s.n - 1];
        memcpy(&word, bytes, 8);
    }
    return word;
}
/* Each byte from 0x20 to 0x7e. With no high bit set, adding 1 sets one for 0x7f only; with all high
 * bits set, taking 0x20 keeps one only where the byte is at least that. */
static inline bool text_word_is_printable(uint64_t x) {
    return ((x | (x + TEXT_ONES)) & TEXT_HIGHS) == 0 &&
           (((x | TEXT_HIGHS) - TEXT_ONES * 0x20) & TEXT_HIGHS) == TEXT_HIGHS;
}
/* Whether any byte of a printable word is `c`: all that differ keep the high bit that they are
 * lent. */
static inline bool text_word_has(uint64_t x, char c) {
    uint64_t lent = (x ^ TEXT_ONES * (unsigned char)c) | TEXT_HIGHS;
    return ((lent - TEXT_ONES) & TEXT_HIGHS) != TEXT_HIGHS;
}

#endif
