/*
 * The title of the terminal's window, by the sequences of xterm. Told only to terminals known to take them for
 * that: others would print them. I/O.
 */
#include "screen.h"
#include "type.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* How the names of those begin that take a title, whatever terminfo says. */
static const char *const takers[] = {"xterm", "screen",  "tmux",    "rxvt",    "alacritty", "kitty",
                                     "foot",  "putty",   "st-",     "wezterm", "konsole",   "vte",
                                     "gnome", "contour", "ghostty", "mlterm",  "Eterm"};

void title_init(struct term *t, const char *terminal) {
    t->title.can = type_has_title();
    for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++) {
        t->title.can |= span_starts(span_of(terminal), takers[i]);
    }
}

static void send(const char *p, size_t n) {
    while (n > 0) {
        ssize_t done = write(STDOUT_FILENO, p, n);
        if (done < 0 && errno != EINTR) {
            return;
        }
        p += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
}

static size_t put(char *out, size_t n, const char *text) {
    size_t more = strlen(text);
    memcpy(out + n, text, more);
    return n + more;
}

void term_title(struct term *t, struct span title) {
    struct title *all = &t->title;
    char clean[TITLE_MOST];
    if (!all->can) {
        return;
    }
    size_t n = text_clean(clean, sizeof clean, title);
    for (size_t i = 0; i < n && !t->is_unicode; i++) {
        clean[i] = (unsigned char)clean[i] < 0x80 ? clean[i] : '?';
    }
    if (n == all->n && memcmp(clean, all->text, n) == 0) {
        return;
    }
    memcpy(all->text, clean, n);
    all->n = n;
    all->is_new = true;
}

void title_tell(struct term *t) {
    struct title *all = &t->title;
    char out[TITLE_MOST + 32];
    size_t n = 0;
    if (!all->is_new) {
        return;
    }
    if (!all->is_taken) {
        n = put(out, n, "\033[22;0t"); /* keep the one before */
    }
    n = put(out, n, "\033]2;");
    memcpy(out + n, all->text, all->n);
    n = put(out, n + all->n, "\033\\");
    send(out, n);
    all->is_taken = true;
    all->is_new = false;
}

void title_leave(struct term *t) {
    struct title *all = &t->title;
    if (all->is_taken) {
        send("\033[23;0t", 7);
        all->is_taken = false;
        all->is_new = true; /* for who comes back */
    }
}
