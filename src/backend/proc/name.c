/*
 * What is left to say of a process that ended before anybody read its names: "parent=NUMBER\nparent_name=TEXT\n",
 * written where its fork was heard of. It is named by its number. One unit is one record.
 */
#include <string.h>

#include "tell.h"

static struct span value_of(struct span text, const char *key) {
    size_t k = strlen(key);
    while (text.n > 0) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) : text.n;
        if (end && n > k && memcmp(text.p, key, k) == 0 && text.p[k] == '=')
            return (struct span){text.p + k + 1, n - k - 1};
        n += end ? 1 : 0;
        text = (struct span){text.p + n, text.n - n};
    }
    return (struct span){NULL, 0};
}

void proc_name_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                      struct counts *counts) {
    const struct proc_tell t = {s, f, sink};
    struct span parent = value_of(frame_span(f), "parent_name");
    struct span by;
    struct buf b;
    buf_init(&b);
    buf_char(&b, '[');
    buf_u64(&b, s->pid > 0 ? (uint64_t)s->pid : 0);
    buf_char(&b, ']');
    if (!b.failed)
        proc_tell_label(&t, LABEL_COMM, (struct span){b.p, b.n});
    by = parent.n > 0 ? parent : value_of(frame_span(f), "parent");
    if (by.n > 0) {
        buf_text(&b, " (child of ");
        buf_span(&b, by);
        buf_char(&b, ')');
    }
    if (!b.failed)
        proc_tell_label(&t, LABEL_COMMAND, (struct span){b.p, b.n});
    buf_finish(&b);
    counts->accepted++;
}

void proc_name_scrub(struct span body, struct buf *out) {
    (void)body;
    (void)out;
}
