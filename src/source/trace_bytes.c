/*
 * The plain bytes of a trace. The window holds what was read or unpacked and not yet taken; it grows
 * with what arrives, never with what a header promises.
 */
#include "trace_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "input.h"

#define READ_BYTES     ((size_t)64 << 10)
#define WINDOW_LOG_MAX 27
#define MAGIC_BYTES    ((size_t)4)

/* The first byte of skippable frames has 16 values. */
bool trace_bytes_may_be_packed(struct span head) {
    static const unsigned char frame[] = {0x28, 0xB5, 0x2F, 0xFD};
    static const unsigned char skippable[] = {0x50, 0x2A, 0x4D, 0x18};
    size_t n = head.n < sizeof frame ? head.n : sizeof frame;
    if (n == 0 || memcmp(head.p, frame, n) == 0) {
        return true;
    }
    return ((unsigned char)head.p[0] & 0xF0) == skippable[0] &&
           memcmp(head.p + 1, skippable + 1, n - 1) == 0;
}

static bool is_compressed(const char *p, size_t n) {
    return n == MAGIC_BYTES && trace_bytes_may_be_packed((struct span){p, n});
}

enum err trace_bytes_init(struct trace_bytes *b, int fd, uint64_t file_size) {
    *b = (struct trace_bytes){.fd = fd, .file_size = file_size, .start_count = 1};
    char magic[MAGIC_BYTES];
    int64_t got = input_read(fd, magic, sizeof magic, 0);
    if (got < 0) {
        return ERR_IO;
    }
    if (!is_compressed(magic, (size_t)got)) {
        return ERR_OK;
    }
    b->packed = malloc(READ_BYTES);
    b->zstd = ZSTD_createDCtx();
    if (!b->packed || !b->zstd) {
        trace_bytes_finish(b);
        return ERR_NOMEM;
    }
    ZSTD_DCtx_setParameter(b->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    return ERR_OK;
}

void trace_bytes_finish(struct trace_bytes *b) {
    buf_finish(&b->window);
    ZSTD_freeDCtx(b->zstd);
    free(b->packed);
    b->zstd = NULL;
    b->packed = NULL;
}

static void end(struct trace_bytes *b, enum err why, int sys) {
    b->over = true;
    b->fault = why;
    b->sys = sys;
}

static size_t waiting(const struct trace_bytes *b) {
    return b->window.n - b->taken;
}

/* Room for `extra` bytes more at the window's end; what was taken makes way first. */
static bool make_room(struct trace_bytes *b, size_t extra) {
    if (b->taken > 0 && b->window.cap - b->window.n < extra) {
        memmove(b->window.p, b->window.p + b->taken, waiting(b));
        b->window.n -= b->taken;
        b->taken = 0;
    }
    if (!buf_reserve(&b->window, extra)) {
        end(b, ERR_NOMEM, 0);
        return false;
    }
    return true;
}

/* Reads from the file; 0 at its end and on an error, which is then noted. */
static size_t read_file(struct trace_bytes *b, char *to, size_t n) {
    int64_t got = input_read(b->fd, to, n, b->file_at);
    if (got < 0) {
        end(b, ERR_IO, errno);
        return 0;
    }
    b->file_at += (uint64_t)got;
    return (size_t)got;
}

static void fill_plain(struct trace_bytes *b) {
    size_t got = read_file(b, b->window.p + b->window.n, READ_BYTES);
    b->window.n += got;
    if (got == 0 && !b->over) {
        end(b, ERR_OK, 0);
    }
}

/* ---- zstd ------------------------------------------------------------------------------------- */

/* A zstd frame begins with the next byte of the file that zstd sees. */
static void note_start(struct trace_bytes *b) {
    struct trace_start s = {trace_bytes_file_at(b), b->plain_at + waiting(b)};
    struct trace_start *last = &b->starts[b->start_count - 1];
    if (last->plain_at == s.plain_at) {
        *last = s;
    } else if (b->start_count < TRACE_STARTS) {
        b->starts[b->start_count++] = s;
    }
}

/* Bytes gained; what zstd calls an error ends the recording there. */
static size_t unpack(struct trace_bytes *b) {
    ZSTD_inBuffer in = {b->packed, b->packed_n, b->packed_at};
    ZSTD_outBuffer out = {b->window.p + b->window.n, ZSTD_DStreamOutSize(), 0};
    size_t rc = ZSTD_decompressStream(b->zstd, &out, &in);
    b->packed_at = in.pos;
    b->window.n += out.pos;
    if (ZSTD_isError(rc)) {
        end(b, ERR_FORMAT, 0);
        return out.pos;
    }
    b->frame_open = rc != 0;
    if (!b->frame_open) {
        note_start(b);
    }
    return out.pos;
}

static void fill_packed(struct trace_bytes *b) {
    while (!b->over) {
        bool no_more = false;
        if (b->packed_at == b->packed_n) {
            b->packed_at = 0;
            b->packed_n = read_file(b, b->packed, READ_BYTES);
            no_more = b->packed_n == 0;
        }
        if (no_more && !b->frame_open) {
            b->over = true;
            return;
        }
        /* Without input zstd may still hold bytes that did not fit before. */
        if (unpack(b) > 0) {
            return;
        }
        if (no_more && !b->over) {
            end(b, ERR_TRUNCATED, 0);
        }
    }
}

static bool fill(struct trace_bytes *b) {
    if (!b->over && make_room(b, b->zstd ? ZSTD_DStreamOutSize() : READ_BYTES)) {
        if (b->zstd) {
            fill_packed(b);
        } else {
            fill_plain(b);
        }
    }
    return !b->over;
}

/* ---- taking ----------------------------------------------------------------------------------- */

struct span trace_bytes_peek(struct trace_bytes *b, size_t want) {
    while (waiting(b) < want && fill(b)) {
    }
    return waiting(b) > 0 ? (struct span){b->window.p + b->taken, waiting(b)}
                          : (struct span){"", 0};
}

/* Takes bytes that are in the window. */
static void advance(struct trace_bytes *b, size_t n) {
    b->taken += n;
    b->plain_at += n;
    unsigned gone = 0;
    while (gone + 1 < b->start_count && b->starts[gone + 1].plain_at <= b->plain_at) {
        gone++;
    }
    if (gone > 0) {
        b->start_count -= gone;
        memmove(b->starts, b->starts + gone, b->start_count * sizeof b->starts[0]);
    }
}

void trace_bytes_skip(struct trace_bytes *b, uint64_t n) {
    for (;;) {
        size_t step = n < waiting(b) ? (size_t)n : waiting(b);
        advance(b, step);
        n -= step;
        if (n == 0 || b->over) {
            return;
        }
        if (!b->zstd) {
            b->file_at += n;
            b->plain_at += n;
            return;
        }
        fill(b);
    }
}

uint64_t trace_bytes_file_at(const struct trace_bytes *b) {
    uint64_t at = b->zstd ? b->file_at - (b->packed_n - b->packed_at) : b->plain_at;
    return at < b->file_size ? at : b->file_size;
}

struct trace_bytes_place trace_bytes_tell(const struct trace_bytes *b) {
    return (struct trace_bytes_place){b->plain_at, b->starts[0]};
}

void trace_bytes_seek(struct trace_bytes *b, struct trace_bytes_place to) {
    buf_clear(&b->window);
    b->taken = 0;
    b->over = false;
    b->fault = ERR_OK;
    if (!b->zstd) {
        b->file_at = to.plain_at;
        b->plain_at = to.plain_at;
        return;
    }
    ZSTD_DCtx_reset(b->zstd, ZSTD_reset_session_only);
    b->packed_n = 0;
    b->packed_at = 0;
    b->frame_open = false;
    b->file_at = to.start.file_at;
    b->plain_at = to.start.plain_at;
    b->starts[0] = to.start;
    b->start_count = 1;
    trace_bytes_skip(b, to.plain_at - to.start.plain_at);
}
