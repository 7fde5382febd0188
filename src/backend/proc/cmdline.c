/*
 * /proc/PID/cmdline: arguments, each ended by a NUL; or, where a program wrote its own title, a
 * text with NULs or blanks after it. Empty for kernel threads and for what has exited. One unit is
 * one record.
 */
#include "tell.h"

static bool is_gap(char c) {
    return c == '\0' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void proc_cmdline_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                         struct counts *counts) {
    const struct proc_tell t = {s, f, sink};
    /* More than a label holds, so that a character at its end is not cut. */
    char line[LABEL_MAX + 4];
    size_t n = 0;
    struct span body = frame_span(f);
    for (size_t i = 0; i < body.n && n < sizeof(line); i++) {
        if (!is_gap(body.p[i]))
            line[n++] = body.p[i];
        else if (n > 0 && line[n - 1] != ' ')
            line[n++] = ' ';
    }
    while (n > 0 && line[n - 1] == ' ')
        n--;
    proc_tell_label(&t, LABEL_COMMAND, (struct span){line, n});
    counts->accepted++;
}

void proc_cmdline_scrub(struct span body, struct buf *out) {
    (void)body;
    (void)out;
}
