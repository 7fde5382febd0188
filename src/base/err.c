/*
 * Errors: their words, the detail record, and errno to enum err. Pure; <errno.h> is read for its
 * constants only, never for `errno`.
 */
#include "gwtop/base.h"

#include <errno.h>
#include <string.h>

static const char *const err_texts[] = {
#define ERR_TEXT(name, text) [ERR_##name] = (text),
    ERR_LIST(ERR_TEXT)
#undef ERR_TEXT
};

const char *err_text(enum err e) {
    unsigned at = (unsigned)e;
    return at < ERR_COUNT ? err_texts[at] : "unknown error";
}

/* Appends to a NUL-terminated text of `n` bytes; gives its new length. Subjects are paths and names
 * from outside, so they are cleaned before they can reach a terminal; that also cuts at a code
 * point. */
static size_t text_append(char *text, size_t cap, size_t n, const char *more) {
    n += text_clean(text + n, cap - 1 - n, span_of(more));
    text[n] = '\0';
    return n;
}

enum err err_set(struct err_info *info, enum err code, int sys, const char *what,
                 const char *subject) {
    if (!info) {
        return code;
    }
    info->code = code;
    info->sys = sys;
    size_t n = text_append(info->text, sizeof info->text, 0, what);
    if (subject) {
        n = text_append(info->text, sizeof info->text, n, ": ");
        text_append(info->text, sizeof info->text, n, subject);
    }
    return code;
}

/* ERR_NOENT is "was never there", ERR_GONE "was there when we looked": a process that exited
 * (ESRCH), a device that was unplugged (ENODEV, ENXIO, ESTALE). */
enum err err_from_sys(int sys) {
    static const struct {
        int sys;
        enum err err;
    } table[] = {
        {0, ERR_OK},
        {ENOMEM, ERR_NOMEM},
        {ENOENT, ERR_NOENT},
        {ENOTDIR, ERR_NOENT},
        {EACCES, ERR_ACCESS},
        {EPERM, ERR_ACCESS},
        {EROFS, ERR_ACCESS},
        {ESRCH, ERR_GONE},
        {ENODEV, ERR_GONE},
        {ENXIO, ERR_GONE},
        {ESTALE, ERR_GONE},
        {EAGAIN, ERR_AGAIN},
        {EWOULDBLOCK, ERR_AGAIN},
        {EINTR, ERR_AGAIN},
        {EBUSY, ERR_AGAIN},
        {EILSEQ, ERR_FORMAT},
        {ERANGE, ERR_RANGE},
        {EOVERFLOW, ERR_RANGE},
        {EINVAL, ERR_USAGE},
        {ENOTTY, ERR_UNSUPPORTED},
        {ENOSYS, ERR_UNSUPPORTED},
        {EOPNOTSUPP, ERR_UNSUPPORTED},
        {ENOTSUP, ERR_UNSUPPORTED},
        {ENOSPC, ERR_NOSPACE},
        {EDQUOT, ERR_NOSPACE},
        {EFBIG, ERR_NOSPACE},
        {EPIPE, ERR_CLOSED},
        {ECONNRESET, ERR_CLOSED},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].sys == sys) {
            return table[i].err;
        }
    }
    return ERR_IO;
}

enum err err_unknown(struct err_info *info, const char *what, struct span word,
                     const char *nearest) {
    struct buf b = {0};
    buf_span(&b, text_cut(word, 40));
    buf_text(&b, " (nearest: ");
    buf_text(&b, nearest);
    buf_text(&b, ")");
    buf_char(&b, '\0');
    err_set(info, ERR_USAGE, 0, what, b.failed ? NULL : b.p);
    buf_finish(&b);
    return ERR_USAGE;
}
