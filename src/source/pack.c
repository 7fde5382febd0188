/* Whole texts made small. */
#include <zstd.h>

#include "gwtop/source.h"

enum { LEVEL = 3 };

enum err zstd_pack(struct span bytes, struct buf *out) {
    size_t most = ZSTD_compressBound(bytes.n);
    if (ZSTD_isError(most) || !buf_reserve(out, most))
        return ERR_NOMEM;
    size_t n = ZSTD_compress(out->p + out->n, most, bytes.p, bytes.n, LEVEL);
    if (ZSTD_isError(n))
        return ERR_NOMEM;
    out->n += n;
    return ERR_OK;
}
