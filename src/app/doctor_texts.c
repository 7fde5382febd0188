/*
 * Texts of the report. Under `scrub` home folders, the user's name, the machine's name and the folder of --root become
 * fixed words, where they stand as whole words.
 */
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor.h"

enum { TEXT_MAX = 1024 };

static void keep_into(char *to, size_t cap, const char *text) {
    snprintf(to, cap, "%s", text ? text : "");
}

static void learn_person(struct doctor_texts *t) {
    const struct passwd *p = getpwuid(getuid());
    const char *home = getenv("HOME");
    struct utsname u;
    keep_into(t->home, sizeof(t->home),
              home && home[0] == '/' && home[1] ? home
              : p                               ? p->pw_dir
                                                : NULL);
    keep_into(t->user, sizeof(t->user), p ? p->pw_name : getenv("USER"));
    if (strcmp(t->user, "root") == 0)
        t->user[0] = '\0'; /* everybody's */
    keep_into(t->host, sizeof(t->host), uname(&u) == 0 ? u.nodename : NULL);
}

void doctor_texts_init(struct doctor_texts *t, bool scrub, const char *root) {
    *t = (struct doctor_texts){.scrub = scrub};
    keep_into(t->root, sizeof(t->root), root);
    if (scrub)
        learn_person(t);
}

void doctor_texts_finish(struct doctor_texts *t) {
    for (uint32_t i = 0; i < t->count; i++)
        free(t->items[i]);
    free(t->items);
    *t = (struct doctor_texts){0};
}

/* Room for a text of so many bytes; NULL: there is none. */
static char *room_for(struct doctor_texts *t, size_t n) {
    char *text = malloc(n + 1);
    if (!text || vec_reserve((void **)&t->items, &t->cap, t->count + 1, sizeof(*t->items))) {
        free(text);
        t->failed = true;
        return NULL;
    }
    t->items[t->count++] = text;
    return text;
}

const char *doctor_keep(struct doctor_texts *t, struct span s) {
    s = span_trim(s);
    char *text = s.n > 0 ? room_for(t, s.n) : NULL;
    if (!text)
        return "";
    text[text_clean(text, s.n, s)] = '\0';
    return text;
}

const char *doctor_keep_lines(struct doctor_texts *t, const char *lines) {
    size_t n = strlen(lines);
    char *text = room_for(t, n);
    return text ? memcpy(text, lines, n + 1) : "";
}

const char *doctor_keep_text(struct doctor_texts *t, const char *text) {
    return doctor_keep(t, span_of(text));
}

const char *doctor_keep_format(struct doctor_texts *t, const char *format, ...) {
    char text[TEXT_MAX];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return n > 0 && (size_t)n < sizeof(text) ? doctor_keep_text(t, text) : "";
}

/* ---- scrubbing --------------------------------------------------------------------------------- */

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* The word begins here, and neither before nor behind it does it go on. */
static bool stands(struct span text, size_t at, const char *word) {
    size_t n = strlen(word);
    if (n == 0 || !span_starts(span_skip(text, at), word))
        return false;
    if (at > 0 && is_word(text.p[at - 1]) && is_word(word[0]))
        return false;
    return at + n == text.n || !is_word(text.p[at + n]) || !is_word(word[n - 1]);
}

static void scrub(const struct doctor_texts *t, struct span text, struct buf *out) {
    const struct {
        const char *word;
        const char *instead;
    } list[] = {{t->root, "ROOT"}, {t->home, "~"}, {t->user, "USER"}, {t->host, "HOST"}};
    for (size_t at = 0; at < text.n;) {
        size_t i = 0;
        while (i < 4 && !stands(text, at, list[i].word))
            i++;
        if (i < 4)
            buf_text(out, list[i].instead);
        else
            buf_char(out, text.p[at]);
        at += i < 4 ? strlen(list[i].word) : 1;
    }
}

const char *doctor_keep_private(struct doctor_texts *t, const char *text) {
    struct buf b = {0};
    if (!t->scrub)
        return doctor_keep_text(t, text);
    scrub(t, span_of(text), &b);
    const char *kept = doctor_keep(t, buf_span_of(&b));
    t->failed |= b.failed;
    buf_finish(&b);
    return kept;
}
