/* A tar archive in the form of POSIX (ustar): a header of 512 bytes before each file, and zeros up to whole blocks. */
#include <stdio.h>
#include <string.h>

#include "doctor.h"

enum { BLOCK = 512 };

struct header {
    char name[100];
    char mode[8];
    char uid[8];
    char gid[8];
    char size[12];
    char mtime[12];
    char sum[8];
    char type;
    char link[100];
    char magic[6];
    char version[2];
    char user[32];
    char group[32];
    char major[8];
    char minor[8];
    char prefix[155];
    char rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

/* Octal digits with a NUL behind them. */
static void put_octal(char *to, size_t n, uint64_t v) {
    to[--n] = '\0';
    while (n > 0) {
        to[--n] = (char)('0' + (v & 7));
        v >>= 3;
    }
}

static void put_sum(struct header *h) {
    const unsigned char *p = (const unsigned char *)h;
    unsigned sum = 0;
    memset(h->sum, ' ', sizeof(h->sum));
    for (size_t i = 0; i < sizeof(*h); i++)
        sum += p[i];
    put_octal(h->sum, 7, sum);
}

void tar_put_file(struct buf *b, const char *name, struct span bytes, int64_t time_s) {
    struct header h;
    memset(&h, 0, sizeof(h));
    snprintf(h.name, sizeof(h.name), "%s", name);
    put_octal(h.mode, sizeof(h.mode), 0600);
    put_octal(h.uid, sizeof(h.uid), 0);
    put_octal(h.gid, sizeof(h.gid), 0);
    put_octal(h.size, sizeof(h.size), bytes.n);
    put_octal(h.mtime, sizeof(h.mtime), time_s > 0 ? (uint64_t)time_s : 0);
    h.type = '0';
    memcpy(h.magic, "ustar", 6);
    memcpy(h.version, "00", 2);
    memcpy(h.user, "root", 4);
    memcpy(h.group, "root", 4);
    put_sum(&h);
    buf_put(b, &h, sizeof(h));
    buf_span(b, bytes);
    buf_fill(b, '\0', (BLOCK - bytes.n % BLOCK) % BLOCK);
}

void tar_put_end(struct buf *b) {
    buf_fill(b, '\0', (size_t)2 * BLOCK);
}
