/* Words about words: which may have been meant, and what kinds of files there are. */
#include "nearest.h"

#include <string.h>

#include "gwtop/backend.h"

#define KINDS_MAX 32

bool word_is_near(const char *word, unsigned distance) {
    size_t n = strlen(word);
    return distance < n && (distance <= 2 || distance <= n / 3);
}

/* How many there are. */
static size_t kinds_list(const char *names[KINDS_MAX]) {
    size_t n = 0;
    for (size_t i = 0; i < backend_table.count; i++)
        for (size_t k = 0; k < backend_table.list[i]->kind_count && n < KINDS_MAX; k++)
            if (backend_table.list[i]->kinds[k].file)
                names[n++] = backend_table.list[i]->kinds[k].name;
    return n;
}

void kinds_put(struct buf *out, const char *between) {
    const char *names[KINDS_MAX];
    size_t n = kinds_list(names);
    for (size_t i = 0; i < n; i++) {
        buf_text(out, i > 0 ? between : "");
        buf_text(out, names[i]);
    }
}

/* What holds the whole word is nearest. */
static unsigned kind_distance(const char *word, const char *kind) {
    return word[0] && strstr(kind, word) ? 0 : text_distance(span_of(word), kind);
}

/* Those that are as far keep their order. */
static void sort_by_distance(const char **names, size_t n, const char *from) {
    for (size_t i = 1; i < n; i++) {
        const char *name = names[i];
        unsigned d = kind_distance(from, name);
        size_t at = i;
        for (; at > 0 && kind_distance(from, names[at - 1]) > d; at--)
            names[at] = names[at - 1];
        names[at] = name;
    }
}

enum err kind_unknown(const char *name, struct err_info *info) {
    const char *names[KINDS_MAX];
    size_t n = kinds_list(names);
    struct buf b;
    buf_init(&b);
    sort_by_distance(names, n, name);
    buf_text(&b, "no such kind of file; there are:");
    for (size_t i = 0; i < n; i++) {
        buf_char(&b, ' ');
        buf_text(&b, names[i]);
    }
    buf_text(&b, "; not");
    buf_char(&b, '\0');
    err_set(info, ERR_USAGE, 0, b.failed ? "no such kind of file" : b.p, name);
    buf_finish(&b);
    return ERR_USAGE;
}
