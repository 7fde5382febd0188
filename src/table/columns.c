/*
 * The list of columns: what each is called, which are shown, which fit. Pure.
 */
#include "field.h"

#include <string.h>

/* COMMAND gets a fifth of the line at least, within these. */
#define COMMAND_LEAST  4
#define COMMAND_ENOUGH 16

struct column_row {
    struct column_info info;
    const char *other; /* a second key, or "" */
};

enum { SIDE_RIGHT, SIDE_LEFT };
enum { DIRECTION_DOWN, DIRECTION_UP };
enum { USE_ASKED, USE_USED, USE_SHOWN };

static const struct column_row columns[COLUMN_COUNT] = {
#define COLUMN(id, name, second, head, room, form, side, way, use, place, text)                    \
    {.info = {.key = name,                                                                         \
              .title = head,                                                                       \
              .doc = text,                                                                         \
              .width = room,                                                                       \
              .rank = place,                                                                       \
              .left = SIDE_##side == SIDE_LEFT,                                                    \
              .ascending = DIRECTION_##way == DIRECTION_UP,                                        \
              .shown = USE_##use != USE_ASKED,                                                     \
              .when_used = USE_##use == USE_USED,                                                  \
              .engine = FORMAT_##form == FORMAT_WHOLE},                                            \
     .other = second},
#include "gwtop/columns.def"
#undef COLUMN
};

const struct column_info *column_info(enum column c) {
    return &columns[(unsigned)c < COLUMN_COUNT ? c : COLUMN_COMMAND].info;
}

const char *column_title(enum column c, bool unicode) {
    return c == COLUMN_PWS && !unicode ? "PW*s" : column_info(c)->title;
}

static bool same(struct span s, const char *key) {
    size_t n = strlen(key);
    if (s.n != n || n == 0) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (char_lower(s.p[i]) != key[i]) {
            return false;
        }
    }
    return true;
}

enum column column_find(struct span key) {
    for (unsigned c = 0; c < COLUMN_COUNT; c++) {
        if (same(key, columns[c].info.key) || same(key, columns[c].other)) {
            return (enum column)c;
        }
    }
    return COLUMN_COUNT;
}

const char *column_nearest(struct span key) {
    const char *nearest = columns[0].info.key;
    unsigned best = text_distance(key, nearest);
    for (unsigned c = 1; c < COLUMN_COUNT; c++) {
        unsigned d = text_distance(key, columns[c].info.key);
        if (d < best) {
            best = d;
            nearest = columns[c].info.key;
        }
    }
    return nearest;
}

static void add(struct column_set *set, unsigned c) {
    if (set->count < TABLE_COLUMNS_MAX) {
        set->width[set->count] = 0;
        set->list[set->count++] = (uint8_t)c;
    }
}

static bool has(const struct column_set *set, unsigned c) {
    return memchr(set->list, (int)c, set->count) != NULL;
}

/* What stands behind the colon; 0: nothing does. */
static enum err parse_width(struct span word, uint8_t *out, struct err_info *info) {
    uint64_t n;
    if (word.n == 0) {
        *out = 0;
        return ERR_OK;
    }
    if (span_to_u64(span_skip(word, 1), &n) != ERR_OK || n < COLUMN_WIDTH_LEAST ||
        n > COLUMN_WIDTH_MOST) {
        char said[24];
        said[text_clean(said, sizeof said - 1, span_skip(word, 1))] = '\0';
        return err_set(info, ERR_USAGE, 0, "a column is 3 to 80 wide; not", said);
    }
    *out = (uint8_t)n;
    return ERR_OK;
}

enum err column_set_parse(struct span text, struct column_set *out, struct err_info *info) {
    struct column_set set = {.count = 0};
    struct cursor c = cursor_over(text);
    struct span word;
    while (cursor_field(&c, ',', &word)) {
        struct cursor parts = cursor_over(word);
        struct span name = {"", 0};
        uint8_t width = 0;
        (void)cursor_field(&parts, ':', &name);
        enum column found = column_find(span_trim(name));
        if (found == COLUMN_COUNT) {
            return err_unknown(info, "unknown column", span_trim(name),
                               column_nearest(span_trim(name)));
        }
        if (parse_width(span_trim(span_skip(word, name.n)), &width, info) != ERR_OK) {
            return ERR_USAGE;
        }
        if (!has(&set, found)) {
            add(&set, found);
            set.width[set.count - 1] = width;
        }
    }
    if (set.count == 0) {
        return err_set(info, ERR_USAGE, 0, "no column named", NULL);
    }
    *out = set;
    return ERR_OK;
}

void column_set_put(const struct column_set *set, struct buf *out) {
    for (unsigned i = 0; i < set->count; i++) {
        buf_text(out, i > 0 ? "," : "");
        buf_text(out, column_info((enum column)set->list[i])->key);
        if (set->width[i] > 0) {
            buf_char(out, ':');
            buf_u64(out, set->width[i]);
        }
    }
}

size_t column_set_width(const struct column_set *set, unsigned i) {
    return set->width[i] > 0 ? set->width[i] : column_info((enum column)set->list[i])->width;
}

bool column_set_stretches(const struct column_set *set, unsigned i) {
    return set->list[i] == COLUMN_COMMAND && set->width[i] == 0;
}

static bool has_some(const struct snapshot *s, struct row r, enum column c) {
    struct field f = table_field(s, r, c);
    bool above = table_format(c) == FORMAT_AMOUNT ? f.amount > 0 : f.value.v > 0;
    return f.value.state == STATE_VALUE && above;
}

static bool is_used(const struct snapshot *s, enum column c) {
    for (uint32_t i = 0; s && i < s->process_count; i++) {
        if (has_some(s, (struct row){.index = i}, c)) {
            return true;
        }
    }
    for (uint32_t i = 0; s && i < s->unattributed_count; i++) {
        if (has_some(s, (struct row){.index = i, .unattributed = true}, c)) {
            return true;
        }
    }
    return false;
}

void column_set_default(const struct snapshot *s, struct column_set *out) {
    *out = (struct column_set){.count = 0};
    for (unsigned c = 0; c < COLUMN_COUNT; c++) {
        const struct column_info *i = &columns[c].info;
        if (i->shown && (!i->when_used || is_used(s, (enum column)c))) {
            add(out, c);
        }
    }
}

/* Columns that the set takes with one blank between, COMMAND with the least it should have. */
static size_t wanted(const struct column_set *set, size_t command) {
    size_t n = set->count ? set->count - 1u : 0;
    for (unsigned i = 0; i < set->count; i++) {
        n += column_set_stretches(set, i) ? command : column_set_width(set, i);
    }
    return n;
}

void column_set_fit(struct column_set *set, size_t width) {
    size_t command = width / 5;
    command = command < COMMAND_LEAST ? COMMAND_LEAST : command;
    command = command > COMMAND_ENOUGH ? COMMAND_ENOUGH : command;
    while (set->count > 1 && wanted(set, command) > width) {
        unsigned last = 0;
        for (unsigned i = 1; i < set->count; i++) {
            uint8_t rank = column_info((enum column)set->list[i])->rank;
            last = rank >= column_info((enum column)set->list[last])->rank ? i : last;
        }
        memmove(set->list + last, set->list + last + 1, set->count - last - 1u);
        memmove(set->width + last, set->width + last + 1, set->count - last - 1u);
        set->count--;
    }
}
