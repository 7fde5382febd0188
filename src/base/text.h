/* What the text files of this room share: decoding, and which code points must not pass. */
#ifndef GWTOP_BASE_TEXT_H
#define GWTOP_BASE_TEXT_H

#include "gwtop/base.h"

/* Bytes of the code point at the start of `s`, or 0 where that is not valid UTF-8 (overlong forms,
 * surrogates, beyond U+10FFFF, cut short, empty). `*code` is set only where it is. */
size_t text_decode(struct span s, int32_t *code);
/* Printable ASCII (space to tilde) at the start of `s`, in bytes. */
size_t text_ascii_run(struct span s);
/* True for a code point that a terminal or an editor acts on instead of showing it: controls (C0,
 * DEL, C1), bidirectional embeddings, overrides and isolates, line and paragraph separators. */
bool text_code_acts(int32_t code);

#endif
