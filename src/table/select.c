/*
 * Which rows, in which order. Pure; grows its list only at new highs.
 *
 * The sort is a stable merge of indices: since a snapshot is in key order, rows that compare equal
 * stay in the order of pid, start and device, and the order is total. What is not known comes last,
 * also when the order is turned round.
 */
#include "field.h"

#include <stdlib.h>
#include <string.h>

void row_list_finish(struct row_list *l) {
    if (l) {
        free(l->rows);
        free(l->order);
        *l = (struct row_list){0};
    }
}

/* ---- what the user wrote --------------------------------------------------------------------- */

static enum err parse_key(struct span word, struct sort_key *out, struct err_info *info) {
    bool reverse = span_starts(word, "-");
    if (reverse || span_starts(word, "+")) {
        word = span_skip(word, 1);
    }
    enum column c = column_find(word);
    if (c == COLUMN_COUNT) {
        struct column_set unused;
        return word.n ? column_set_parse(word, &unused, info)
                      : err_set(info, ERR_USAGE, 0, "no sort key named", NULL);
    }
    *out = (struct sort_key){.column = (uint8_t)c, .reverse = reverse};
    return ERR_OK;
}

enum err table_sort_parse(struct span text, struct table_query *q, struct err_info *info) {
    struct sort_key keys[TABLE_SORT_MAX] = {{0}};
    struct cursor c = cursor_over(text);
    struct span word;
    uint8_t n = 0;
    while (cursor_field(&c, ',', &word)) {
        if (n == TABLE_SORT_MAX) {
            return err_set(info, ERR_USAGE, 0, "more than four sort keys", NULL);
        }
        enum err e = parse_key(span_trim(word), &keys[n], info);
        if (e != ERR_OK) {
            return e;
        }
        n++;
    }
    if (n == 0) {
        return err_set(info, ERR_USAGE, 0, "no sort key named", NULL);
    }
    memcpy(q->sort, keys, sizeof keys);
    q->sort_count = n;
    return ERR_OK;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* -1, 0, 1 without regard to ASCII case. */
static int compare_texts(struct span a, struct span b) {
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        unsigned char x = (unsigned char)lower(a.p[i]);
        unsigned char y = (unsigned char)lower(b.p[i]);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return a.n == b.n ? 0 : a.n < b.n ? -1 : 1;
}

/* A PCI address may be given without its domain, as lspci prints it. */
static bool is_id(struct span id, struct span wanted) {
    bool is_tail = id.n > wanted.n && wanted.n >= 7 && id.p[id.n - wanted.n - 1] == ':';
    return compare_texts(id, wanted) == 0 ||
           (is_tail && compare_texts(span_skip(id, id.n - wanted.n), wanted) == 0);
}

/* Whether it is one of the names in a list as "card1,renderD129"; as such, or as a path in /dev. */
static bool is_node(struct span nodes, struct span wanted) {
    static const char *const folders[] = {"/dev/dri/", "/dev/accel/"};
    struct cursor c = cursor_over(nodes);
    struct span name;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (span_starts(wanted, folders[i])) {
            wanted = span_skip(wanted, strlen(folders[i]));
            break;
        }
    }
    while (wanted.n > 0 && cursor_field(&c, ',', &name)) {
        if (name.n == wanted.n && memcmp(name.p, wanted.p, name.n) == 0) {
            return true;
        }
    }
    return false;
}

bool table_device_matches(const struct snapshot *s, uint32_t device, struct span wanted) {
    uint64_t index;
    if (wanted.n == 0) {
        return true;
    }
    if (device >= s->device_count) {
        return false;
    }
    const struct snap_device *d = &s->devices[device];
    if (span_to_u64(wanted, &index) == ERR_OK) {
        return index == device;
    }
    return is_id(snapshot_text(s, d->id), wanted) || is_id(snapshot_text(s, d->slot), wanted) ||
           compare_texts(snapshot_text(s, d->driver), wanted) == 0 ||
           is_node(snapshot_text(s, d->nodes), wanted) ||
           text_contains(snapshot_text(s, d->name), wanted);
}

/* ---- which rows ------------------------------------------------------------------------------ */

static bool equal(struct span a, struct span b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static bool is_idle(struct value busy) {
    return busy.state == STATE_VALUE && busy.v <= 0;
}

/* By name, or by number also where the name is known. */
static bool is_user(const struct snapshot *s, const struct snap_process *p, struct span wanted) {
    uint64_t number;
    if (wanted.n == 0 || equal(snapshot_text(s, p->user), wanted)) {
        return true;
    }
    return p->uid.state == STATE_VALUE && span_to_u64(wanted, &number) == ERR_OK &&
           number <= UINT32_MAX && (int64_t)number == p->uid.v;
}

static bool passes(const struct snapshot *s, const struct snap_process *p,
                   const struct table_query *q) {
    return !(q->hide_idle && is_idle(p->busy_ppm)) && !(q->hide_exited && p->exited) &&
           (q->pid == 0 || p->pid == q->pid) && is_user(s, p, q->user) &&
           table_device_matches(s, p->device, q->device) &&
           (q->search.n == 0 || text_contains(snapshot_text(s, p->name), q->search) ||
            text_contains(snapshot_text(s, p->command), q->search));
}

/* What belongs to nobody is no part of a user's or a process's share. */
static bool passes_loose(const struct snapshot *s, const struct snap_unattributed *u,
                         const struct table_query *q) {
    return q->pid == 0 && q->user.n == 0 && table_device_matches(s, u->device, q->device) &&
           text_contains(snapshot_text(s, u->name), q->search);
}

/* ---- in which order -------------------------------------------------------------------------- */

static uint64_t digits(struct span text) {
    uint64_t n = 0;
    return span_to_u64(text, &n) == ERR_OK ? n : UINT64_MAX;
}

static int compare_numbers(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

static int compare_fields(const struct field *a, const struct field *b, enum format format) {
    if (format == FORMAT_DIGITS) {
        return compare_numbers(digits(a->text), digits(b->text));
    }
    if (format == FORMAT_TEXT || format == FORMAT_COMMAND) {
        return compare_texts(a->text, b->text);
    }
    if (format == FORMAT_AMOUNT) {
        return a->amount < b->amount ? -1 : a->amount > b->amount ? 1 : 0;
    }
    return a->value.v < b->value.v ? -1 : a->value.v > b->value.v ? 1 : 0;
}

struct order {
    const struct snapshot *s;
    struct sort_key keys[TABLE_SORT_MAX];
    unsigned count;
    bool invert;
};

static int compare_by(const struct order *o, struct sort_key key, uint32_t a, uint32_t b) {
    enum column c = key.column < COLUMN_COUNT ? (enum column)key.column : COLUMN_GPU;
    struct field x = table_field(o->s, (struct row){.index = a}, c);
    struct field y = table_field(o->s, (struct row){.index = b}, c);
    bool x_known = x.value.state == STATE_VALUE;
    bool y_known = y.value.state == STATE_VALUE;
    if (!x_known || !y_known) {
        return x_known ? -1 : y_known ? 1 : 0;
    }
    int way = column_info(c)->ascending != key.reverse ? 1 : -1;
    return compare_fields(&x, &y, table_format(c)) * (o->invert ? -way : way);
}

static int compare(const struct order *o, uint32_t a, uint32_t b) {
    int result = 0;
    for (unsigned i = 0; result == 0 && i < o->count; i++) {
        result = compare_by(o, o->keys[i], a, b);
    }
    return result;
}

/* Merges from[a, middle) and from[middle, end) into to[a, end); on a tie the left goes first. */
static void merge(const struct order *o, const uint32_t *from, uint32_t *to, uint32_t a,
                  uint32_t middle, uint32_t end) {
    uint32_t b = middle;
    for (uint32_t at = a, left = a; at < end; at++) {
        bool take_left = left < middle && (b == end || compare(o, from[left], from[b]) <= 0);
        to[at] = take_left ? from[left++] : from[b++];
    }
}

/* Sorts items[0, n) with as many behind them for scratch; gives where the result stands. */
static const uint32_t *sort(const struct order *o, uint32_t *items, uint32_t n) {
    if (n < 2) {
        return items;
    }
    uint32_t *from = items;
    uint32_t *to = items + n;
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t a = 0; a < n; a += 2 * width) {
            uint32_t middle = (uint32_t)(a + width < n ? a + width : n);
            uint32_t end = (uint32_t)(a + 2 * width < n ? a + 2 * width : n);
            merge(o, from, to, (uint32_t)a, middle, end);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static struct order order_of(const struct snapshot *s, const struct table_query *q) {
    struct order o = {.s = s, .count = q->sort_count, .invert = q->invert};
    memcpy(o.keys, q->sort, sizeof o.keys);
    if (o.count == 0) {
        o.keys[0] = (struct sort_key){.column = COLUMN_GPU};
        o.count = 1;
    }
    o.count = o.count > TABLE_SORT_MAX ? TABLE_SORT_MAX : o.count;
    return o;
}

static bool reserve(struct row_list *l, uint32_t processes, uint32_t rows) {
    void *list = l->rows;
    void *order = l->order;
    bool enough = processes <= UINT32_MAX / 2 && rows >= processes &&
                  vec_reserve(&list, &l->cap, rows, sizeof *l->rows) == ERR_OK;
    l->rows = list;
    enough =
        enough && vec_reserve(&order, &l->order_cap, processes * 2, sizeof *l->order) == ERR_OK;
    l->order = order;
    return enough;
}

static void add_loose(const struct snapshot *s, const struct table_query *q, struct row_list *l) {
    for (uint32_t d = 0; d < s->device_count; d++) {
        for (uint32_t i = 0; i < s->unattributed_count; i++) {
            if (s->unattributed[i].device == d && passes_loose(s, &s->unattributed[i], q)) {
                l->rows[l->count++] = (struct row){.index = i, .unattributed = true};
            }
        }
    }
}

enum err table_select(const struct snapshot *s, const struct table_query *q, struct row_list *l) {
    struct order o = order_of(s, q);
    uint32_t n = 0;
    l->count = 0;
    if (!reserve(l, s->process_count, s->process_count + s->unattributed_count)) {
        return ERR_NOMEM;
    }
    for (uint32_t i = 0; i < s->process_count; i++) {
        if (passes(s, &s->processes[i], q)) {
            l->order[n++] = i;
        }
    }
    const uint32_t *sorted = sort(&o, l->order, n);
    uint32_t shown = q->top && q->top < n ? q->top : n;
    for (uint32_t i = 0; i < shown; i++) {
        l->rows[l->count++] = (struct row){.index = sorted[i]};
    }
    add_loose(s, q, l);
    return ERR_OK;
}
