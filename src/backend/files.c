/* Several small files in one frame: reading and writing of the form. Sizes come from input and are checked
 * before any arithmetic; linear, allocates nothing but what the written buffer needs. */
#include "files.h"

#include <errno.h>

#define ERRNO_MAX 4095

static enum files_step give_up(struct cursor *c, enum files_step how) {
    c->p = c->end;
    return how;
}

static bool take_number(struct cursor *line, uint64_t most, uint64_t *out) {
    struct span word;
    return cursor_word(line, &word) && span_to_u64(word, out) == ERR_OK && *out <= most;
}

static bool take_head(struct span head, struct file_part *out, uint64_t *size) {
    struct cursor line = cursor_over(head);
    struct span more;
    uint64_t sys;
    if (!cursor_word(&line, &out->name) || !take_number(&line, SIZE_MAX, size) ||
        !take_number(&line, ERRNO_MAX, &sys) || cursor_word(&line, &more))
        return false;
    out->sys = (int)sys;
    return sys == 0 || *size == 0;
}

enum files_step files_next(struct cursor *c, struct file_part *out) {
    struct file_part part = {.sys = 0};
    struct span head;
    uint64_t size;
    if (!cursor_line(c, &head))
        return FILES_END;
    if (c->p == head.p + head.n) /* the line has no end */
        return give_up(c, FILES_CUT);
    if (!take_head(head, &part, &size))
        return give_up(c, FILES_BAD);
    if (size >= cursor_left(c))
        return give_up(c, FILES_CUT);
    part.bytes = cursor_bytes(c, (size_t)size);
    if (*cursor_bytes(c, 1).p != '\n')
        return give_up(c, FILES_BAD);
    *out = part;
    return FILES_PART;
}

static bool is_name(struct span name) {
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == ' ' || name.p[i] == '\t' || name.p[i] == '\r' || name.p[i] == '\n')
            return false;
    return name.n > 0;
}

void files_put(struct buf *b, struct span name, struct span bytes, int sys) {
    if (!is_name(name))
        return;
    if (sys != 0)
        bytes.n = 0;
    buf_span(b, name);
    buf_char(b, ' ');
    buf_u64(b, bytes.n);
    buf_char(b, ' ');
    buf_u64(b, sys > 0 && sys <= ERRNO_MAX ? (uint64_t)sys : sys != 0 ? EIO : 0);
    buf_char(b, '\n');
    buf_span(b, bytes);
    buf_char(b, '\n');
}

enum state files_state(int sys) {
    switch (outcome_from_sys(sys)) {
    case OUTCOME_DENIED:
        return STATE_DENIED;
    case OUTCOME_GONE:
        return STATE_UNSUPPORTED;
    default:
        break;
    }
    /* What a driver answers for a sensor that its device has not got. */
    return sys == EOPNOTSUPP || sys == EINVAL || sys == ENODATA ? STATE_UNSUPPORTED : STATE_UNKNOWN;
}
