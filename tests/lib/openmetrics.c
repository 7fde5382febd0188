/* A strict reader of OpenMetrics 1.0. */
#include "openmetrics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/base.h"

/* What the line at hand is read from; `bad` once something was not there. */
struct reader {
    struct expo *e;
    const char *p;
    const char *end;
    bool headed;   /* a family is open */
    unsigned part; /* of its head: 1 TYPE, 2 UNIT, 3 HELP; 4 samples */
};

static bool refuse(struct reader *r, const char *why) {
    if (!r->e->error[0])
        snprintf(r->e->error, sizeof r->e->error, "%s", why);
    return false;
}

static void *grow(void *list, unsigned count, size_t size) {
    if (count & (count - 1))
        return list;
    list = realloc(list, (count ? 2 * (size_t)count : 1) * size);
    if (!list)
        abort();
    return list;
}

static char *copy(const char *p, size_t n) {
    char *text = malloc(n + 1);
    if (!text)
        abort();
    memcpy(text, p, n);
    text[n] = '\0';
    return text;
}

/* ---- words ------------------------------------------------------------------------------------ */

static bool take(struct reader *r, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Colons are for rules of who collects, not for who exposes. */
static char *take_name(struct reader *r) {
    const char *from = r->p;
    if (r->p < r->end && is_letter(*r->p))
        while (r->p < r->end && (is_letter(*r->p) || is_digit(*r->p)))
            r->p++;
    return r->p > from ? copy(from, (size_t)(r->p - from)) : NULL;
}

/* Up to `stop`, or the end of the line for '\0'; backslash, quote and n are all that is escaped. */
static char *take_escaped(struct reader *r, char stop) {
    char *text = copy(r->p, (size_t)(r->end - r->p));
    size_t n = 0;
    for (; r->p < r->end && *r->p != stop; r->p++) {
        char c = *r->p;
        if (c == '"')
            break;
        if (c == '\\') {
            r->p++;
            if (r->p == r->end || !strchr("\\\"n", *r->p) || !*r->p)
                break;
            c = *r->p == 'n' ? '\n' : *r->p;
        }
        text[n++] = c;
    }
    text[n] = '\0';
    if ((stop ? r->p < r->end && *r->p == stop : r->p == r->end) && strlen(text) == n)
        return text;
    free(text);
    return NULL;
}

static unsigned take_digits(struct reader *r) {
    unsigned n = 0;
    for (; r->p < r->end && is_digit(*r->p); r->p++)
        n++;
    return n;
}

/* realnumber of the grammar; what is no number at all is never told. */
static bool take_number(struct reader *r, double *out) {
    char text[64];
    const char *from = r->p;
    (void)(take(r, "-") || take(r, "+"));
    if (take_digits(r) == 0 || (take(r, ".") && take_digits(r) == 0))
        return false;
    if (take(r, "e") || take(r, "E")) {
        (void)(take(r, "-") || take(r, "+"));
        if (take_digits(r) == 0)
            return false;
    }
    size_t n = (size_t)(r->p - from);
    if (n >= sizeof text)
        return false;
    memcpy(text, from, n);
    text[n] = '\0';
    *out = strtod(text, NULL);
    return isfinite(*out);
}

static bool ends_in(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/* ---- heads ------------------------------------------------------------------------------------- */

static struct expo_family *current(struct reader *r) {
    return r->e->family_count > 0 ? &r->e->families[r->e->family_count - 1] : NULL;
}

static bool close_family(struct reader *r) {
    const struct expo_family *f = r->headed ? current(r) : NULL;
    if (!f)
        return true;
    if (f->samples == 0)
        return refuse(r, "a family without samples");
    if (!f->help[0])
        return refuse(r, "a family without help");
    return true;
}

/* Whether `name` is the other one with this suffix. */
static bool is_suffixed(const char *name, const char *other, const char *suffix) {
    size_t n = strlen(other);
    return strncmp(name, other, n) == 0 && strcmp(name + n, suffix) == 0;
}

/* No other family may have a sample of that name: of a counter X_total, of an info X_info are samples. One that is
 * named so itself is refused by its name. */
static bool is_name_free(const struct expo *e, const char *name) {
    static const char *const suffixes[] = {"", "_total", "_created", "_info"};
    for (unsigned i = 0; i < e->family_count; i++)
        for (unsigned k = 0; k < sizeof suffixes / sizeof suffixes[0]; k++)
            if (is_suffixed(name, e->families[i].name, suffixes[k]) ||
                is_suffixed(e->families[i].name, name, suffixes[k]))
                return false;
    return true;
}

static bool read_type(struct reader *r, char *take_family) {
    static const char *const types[] = {"gauge", "counter", "info", "stateset"};
    static const char *const reserved[] = {"_total", "_created", "_info",   "_bucket",
                                           "_count", "_sum",     "_gcount", "_gsum"};
    struct expo *e = r->e;
    bool ok = close_family(r) && (is_name_free(e, take_family) ||
                                  refuse(r, "a family that was there, or whose samples were"));
    for (unsigned i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (ends_in(take_family, reserved[i]))
            ok = refuse(r, "a family named like a sample of another type");
    char *type = take_name(r);
    bool known = false;
    for (unsigned i = 0; type && i < sizeof types / sizeof types[0]; i++)
        known = known || strcmp(type, types[i]) == 0;
    if (!known || r->p != r->end)
        ok = refuse(r, "no type that is known");
    e->families = grow(e->families, e->family_count, sizeof *e->families);
    e->families[e->family_count++] =
        (struct expo_family){take_family, type ? type : copy("", 0), copy("", 0), copy("", 0), 0};
    r->headed = true;
    r->part = 1;
    return ok;
}

static bool read_unit(struct reader *r, struct expo_family *f) {
    char suffix[128];
    free(f->unit);
    f->unit = copy(r->p, (size_t)(r->end - r->p));
    snprintf(suffix, sizeof suffix, "_%s", f->unit);
    if (!f->unit[0])
        return refuse(r, "an empty unit");
    if (!ends_in(f->name, suffix))
        return refuse(r, "a family that does not end in its unit");
    if (strcmp(f->type, "info") == 0 || strcmp(f->type, "stateset") == 0)
        return refuse(r, "a unit where there can be none");
    r->part = 2;
    return true;
}

static bool read_help(struct reader *r, struct expo_family *f) {
    char *help = take_escaped(r, '\0');
    if (!help)
        return refuse(r, "help with a wrong escape");
    free(f->help);
    f->help = help;
    r->part = 3;
    return true;
}

static bool read_head(struct reader *r) {
    unsigned part = take(r, "TYPE ") ? 1 : take(r, "UNIT ") ? 2 : take(r, "HELP ") ? 3 : 0;
    char *name = part ? take_name(r) : NULL;
    if (!name || !take(r, " ")) {
        free(name);
        return refuse(r, "a comment that is none of TYPE, UNIT, HELP, EOF");
    }
    if (part == 1)
        return read_type(r, name);
    struct expo_family *f = current(r);
    bool ok = f && r->headed && strcmp(f->name, name) == 0;
    free(name);
    if (!ok)
        return refuse(r, "a head without its TYPE before");
    if (part <= r->part)
        return refuse(r, "heads out of order, twice, or after samples");
    return part == 2 ? read_unit(r, f) : read_help(r, f);
}

/* ---- samples ------------------------------------------------------------------------------------ */

static bool read_label(struct reader *r, struct expo_sample *s) {
    if (s->label_count == EXPO_LABELS)
        return refuse(r, "too many labels");
    struct expo_label *l = &s->labels[s->label_count];
    l->name = take_name(r);
    if (!l->name || strncmp(l->name, "__", 2) == 0) {
        free(l->name);
        return refuse(r, "a wrong label name");
    }
    l->value = take(r, "=\"") ? take_escaped(r, '"') : NULL;
    if (!l->value) {
        free(l->name);
        return refuse(r, "a wrong label value");
    }
    s->label_count++;
    r->p++;
    if (!l->value[0])
        return refuse(r, "an empty label, which means none");
    for (unsigned i = 0; i + 1 < s->label_count; i++)
        if (strcmp(s->labels[i].name, l->name) == 0)
            return refuse(r, "a label twice");
    return true;
}

static bool read_labels(struct reader *r, struct expo_sample *s) {
    if (!take(r, "{"))
        return true;
    do {
        if (!read_label(r, s))
            return false;
    } while (take(r, ","));
    return take(r, "}") || refuse(r, "labels without an end");
}

static bool check_value(struct reader *r, const struct expo_family *f,
                        const struct expo_sample *s) {
    if (strcmp(f->type, "counter") == 0 && s->value < 0)
        return refuse(r, "a counter below 0");
    if (strcmp(f->type, "info") == 0 && s->value != 1)
        return refuse(r, "an info that is not 1");
    if (strcmp(f->type, "stateset") == 0) {
        if (s->value != 0 && s->value != 1)
            return refuse(r, "a state that is neither 0 nor 1");
        if (!expo_label_of(s, f->name)[0])
            return refuse(r, "a state without the label of its family");
    }
    return true;
}

static bool check_name(struct reader *r, const struct expo_family *f, const char *name) {
    const char *suffix = strcmp(f->type, "counter") == 0 ? "_total"
                         : strcmp(f->type, "info") == 0  ? "_info"
                                                         : "";
    size_t n = strlen(f->name);
    return (strncmp(name, f->name, n) == 0 && strcmp(name + n, suffix) == 0) ||
           refuse(r, "a sample that is not of the family before it, or not named as its type is");
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct expo_label *)a)->name, ((const struct expo_label *)b)->name);
}

/* Control characters stand between, which no text of gwtop has. */
static char *key_of(const struct expo_sample *s) {
    struct expo_label sorted[EXPO_LABELS];
    struct buf b = {0};
    memcpy(sorted, s->labels, s->label_count * sizeof *sorted);
    qsort(sorted, s->label_count, sizeof *sorted, by_name);
    buf_text(&b, s->name);
    for (unsigned i = 0; i < s->label_count; i++) {
        buf_char(&b, '\1');
        buf_text(&b, sorted[i].name);
        buf_char(&b, '\2');
        buf_text(&b, sorted[i].value);
    }
    char *key = copy(b.p, b.n);
    buf_finish(&b);
    return key;
}

static bool read_sample(struct reader *r) {
    struct expo *e = r->e;
    struct expo_family *f = current(r);
    e->samples = grow(e->samples, e->sample_count, sizeof *e->samples);
    struct expo_sample *s = &e->samples[e->sample_count++];
    *s = (struct expo_sample){0};
    s->name = take_name(r);
    if (!s->name)
        return refuse(r, "a line that is no sample");
    if (!f)
        return refuse(r, "a sample without a family");
    s->family = copy(f->name, strlen(f->name));
    if (!check_name(r, f, s->name) || !read_labels(r, s))
        return false;
    if (!take(r, " ") || !take_number(r, &s->value))
        return refuse(r, "a wrong number");
    if (r->p != r->end)
        return refuse(r, "something behind the number");
    f->samples++;
    r->part = 4;
    s->key = key_of(s);
    return check_value(r, f, s);
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool check_unique(struct reader *r) {
    struct expo *e = r->e;
    char **keys = calloc(e->sample_count + 1u, sizeof *keys);
    bool ok = true;
    if (!keys)
        abort();
    for (unsigned i = 0; i < e->sample_count; i++)
        keys[i] = e->samples[i].key;
    qsort(keys, e->sample_count, sizeof *keys, by_key);
    for (unsigned i = 1; i < e->sample_count; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0) {
            ok = refuse(r, "a series twice");
            snprintf(e->error + strlen(e->error), sizeof e->error - strlen(e->error), ": %.100s",
                     keys[i]);
        }
    free(keys);
    return ok;
}

static bool read_lines(struct reader *r, struct cursor *c) {
    struct span line;
    while (cursor_line(c, &line)) {
        r->e->line++;
        r->p = line.p;
        r->end = line.p + line.n;
        if (span_equals(line, "# EOF"))
            return close_family(r) && (cursor_at_end(c) || refuse(r, "something behind the end"));
        if (line.n == 0)
            return refuse(r, "an empty line");
        if (!(take(r, "# ") ? read_head(r) : read_sample(r)))
            return refuse(r, "refused");
    }
    return refuse(r, "no # EOF at the end");
}

bool expo_read(const char *text, size_t n, struct expo *out) {
    struct reader r = {.e = out};
    struct cursor c = cursor_over((struct span){text, n});
    *out = (struct expo){0};
    if (n == 0 || text[n - 1] != '\n')
        return refuse(&r, "no line end at the end");
    struct cursor lines = c;
    struct span line;
    while (cursor_line(&lines, &line))
        if (!text_is_clean(line))
            return refuse(&r, "a line that is not clean UTF-8");
    return read_lines(&r, &c) && check_unique(&r);
}

void expo_finish(struct expo *e) {
    for (unsigned i = 0; i < e->family_count; i++) {
        free(e->families[i].name);
        free(e->families[i].type);
        free(e->families[i].unit);
        free(e->families[i].help);
    }
    for (unsigned i = 0; i < e->sample_count; i++) {
        struct expo_sample *s = &e->samples[i];
        for (unsigned k = 0; k < s->label_count; k++) {
            free(s->labels[k].name);
            free(s->labels[k].value);
        }
        free(s->name);
        free(s->family);
        free(s->key);
    }
    free(e->families);
    free(e->samples);
    *e = (struct expo){0};
}

/* ---- what was read ------------------------------------------------------------------------------- */

const char *expo_label_of(const struct expo_sample *s, const char *name) {
    for (unsigned i = 0; i < s->label_count; i++)
        if (strcmp(s->labels[i].name, name) == 0)
            return s->labels[i].value;
    return "";
}

const struct expo_family *expo_family_of(const struct expo *e, const char *name) {
    for (unsigned i = 0; i < e->family_count; i++)
        if (strcmp(e->families[i].name, name) == 0)
            return &e->families[i];
    return NULL;
}

static bool matches(const struct expo_sample *s, const char *name, va_list pairs) {
    bool ok = strcmp(s->name, name) == 0;
    const char *label;
    while (ok && (label = va_arg(pairs, const char *)) != NULL)
        ok = strcmp(expo_label_of(s, label), va_arg(pairs, const char *)) == 0;
    return ok;
}

const struct expo_sample *expo_find(const struct expo *e, const char *name, ...) {
    const struct expo_sample *found = NULL;
    for (unsigned i = 0; i < e->sample_count; i++) {
        va_list pairs;
        va_start(pairs, name);
        if (matches(&e->samples[i], name, pairs)) {
            if (found)
                abort(); /* the test asks for less than it means */
            found = &e->samples[i];
        }
        va_end(pairs);
    }
    return found;
}

double expo_sum(const struct expo *e, unsigned *count, const char *name, ...) {
    double sum = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < e->sample_count; i++) {
        va_list pairs;
        va_start(pairs, name);
        if (matches(&e->samples[i], name, pairs)) {
            sum += e->samples[i].value;
            n++;
        }
        va_end(pairs);
    }
    if (count)
        *count = n;
    return sum;
}
