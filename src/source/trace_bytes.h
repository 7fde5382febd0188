/*
 * The plain bytes of a trace, one after another, whether the file is compressed or not, and a way
 * back to where one was.
 *
 * Nothing here depends on a size that the file claims: memory is bounded by what the caller peeks at,
 * plus zstd's window, which is refused above 128 MiB.
 */
#ifndef GWTOP_SOURCE_TRACE_BYTES_H
#define GWTOP_SOURCE_TRACE_BYTES_H

#include "gwtop/base.h"

struct ZSTD_DCtx_s;

/* Where a zstd frame begins: bytes of the file before it, and bytes of the recording before it. */
struct trace_start {
    uint64_t file_at;
    uint64_t plain_at;
};
/* Frames may begin within the bytes that were unpacked and not yet taken. Starts beyond this many are
 * forgotten, which makes a return slower and nothing else. */
#define TRACE_STARTS 16

struct trace_bytes {
    int fd;
    uint64_t file_size;
    uint64_t file_at;  /* next byte of the file to read */
    uint64_t plain_at; /* offset, in the plain recording, of the next byte to take */
    struct buf window; /* bytes from `taken` on wait to be taken */
    size_t taken;
    bool over;      /* no more bytes come */
    enum err fault; /* and that is why; OK: the file ends here */
    int sys;

    struct ZSTD_DCtx_s *zstd; /* NULL: the file is plain */
    char *packed;             /* as read from the file */
    size_t packed_n;
    size_t packed_at;
    bool frame_open;                         /* within a zstd frame */
    struct trace_start starts[TRACE_STARTS]; /* [0] is that of the next byte to take */
    unsigned start_count;
};

/* Whether what begins so may be compressed; a prefix of what tells is enough. */
bool trace_bytes_may_be_packed(struct span head);
/* Looks whether fd (borrowed until finish) is compressed. ERR_OK or ERR_NOMEM or ERR_IO. */
enum err trace_bytes_init(struct trace_bytes *b, int fd, uint64_t file_size);
void trace_bytes_finish(struct trace_bytes *b);

/* All bytes at hand, at least `want` of them unless the recording ends before. Valid until the next peek
 * or seek. */
struct span trace_bytes_peek(struct trace_bytes *b, size_t want);
/* Takes n bytes, also such as were never peeked at. Past the end of a plain file nothing is checked: the
 * next peek will be empty. */
void trace_bytes_skip(struct trace_bytes *b, uint64_t n);
/* Bytes of the file used so far; of a compressed one up to a block more than were taken. */
uint64_t trace_bytes_file_at(const struct trace_bytes *b);

struct trace_bytes_place {
    uint64_t plain_at;
    struct trace_start start;
};
struct trace_bytes_place trace_bytes_tell(const struct trace_bytes *b);
/* Back (or on) to a place once told: unpacks from the start of its zstd frame. */
void trace_bytes_seek(struct trace_bytes *b, struct trace_bytes_place to);

#endif
