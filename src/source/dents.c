/* Listing folders by the records of getdents64. A record of another form ends the listing; it is never
 * followed out of the buffer. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "gwtop/source.h"

struct dent {
    uint64_t ino;
    int64_t off;
    uint16_t size;
    uint8_t type;
    char name[];
};

enum { NAME_AT = offsetof(struct dent, name) };

/* The records of one call; false where they are not in the form of getdents64. */
static bool hand_over(const char *records, size_t n, void (*name)(void *ctx, struct span name),
                      void *ctx) {
    size_t at = 0;
    while (at < n) {
        const char *record = records + at;
        uint16_t size;
        struct span s;
        if (n - at <= NAME_AT)
            return false;
        memcpy(&size, record + offsetof(struct dent, size), sizeof(size));
        if (size <= NAME_AT || size > n - at)
            return false;
        s = (struct span){record + NAME_AT, strnlen(record + NAME_AT, (size_t)size - NAME_AT)};
        if (!span_equals(s, ".") && !span_equals(s, ".."))
            name(ctx, s);
        at += size;
    }
    return true;
}

int host_list(struct host *h, int fd, void *space, size_t cap,
              void (*name)(void *ctx, struct span name), void *ctx) {
    ssize_t n;
    while ((n = host_getdents(h, fd, space, cap)) > 0)
        if ((size_t)n > cap || !hand_over(space, (size_t)n, name, ctx)) {
            errno = EIO;
            return -1;
        }
    return n < 0 ? -1 : 0;
}
