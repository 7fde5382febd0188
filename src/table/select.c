/*
 * Which rows, in which order. Pure; grows its list only at new highs.
 *
 * The sort is a stable merge of indices: since a snapshot is in key order, rows that compare equal
 * stay in the order of pid, start and device, and the order is total. What is not known comes last,
 * also when the order is turned round.
 */
#include "field.h"
#include "filter.h"

#include <stdlib.h>
#include <string.h>

void row_list_finish(struct row_list *l) {
    if (l) {
        free(l->rows);
        free(l->order);
        free(l->values);
        free(l->spare);
        free(l->links);
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

void table_sort_put(const struct table_query *q, struct buf *out) {
    for (unsigned i = 0; i < q->sort_count; i++) {
        buf_text(out, i > 0 ? "," : "");
        buf_text(out, q->sort[i].reverse != q->invert ? "-" : "");
        buf_text(out, column_info((enum column)q->sort[i].column)->key);
    }
    if (q->sort_count == 0 && q->invert) {
        buf_char(out, '-');
        buf_text(out, column_info(COLUMN_GPU)->key);
    }
}

/* -1, 0, 1 without regard to ASCII case. */
static int compare_texts(struct span a, struct span b) {
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        unsigned char x = (unsigned char)char_lower(a.p[i]);
        unsigned char y = (unsigned char)char_lower(b.p[i]);
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

static bool is_idle(struct value busy) {
    return busy.state == STATE_VALUE && busy.v <= 0;
}

/* By name, or by number also where the name is known. */
static bool is_user(const struct snapshot *s, const struct snap_process *p, struct span wanted) {
    uint64_t number;
    if (wanted.n == 0 || span_same(snapshot_text(s, p->user), wanted)) {
        return true;
    }
    return p->uid.state == STATE_VALUE && span_to_u64(wanted, &number) == ERR_OK &&
           number <= UINT32_MAX && (int64_t)number == p->uid.v;
}

static bool passes(const struct snapshot *s, uint32_t index, const struct table_query *q) {
    const struct snap_process *p = &s->processes[index];
    return !(q->hide_idle && is_idle(p->busy_ppm)) && !(q->hide_exited && p->exited) &&
           (q->pid == 0 || p->pid == q->pid) && is_user(s, p, q->user) &&
           table_device_matches(s, p->device, q->device) &&
           (q->search.n == 0 || text_contains(snapshot_text(s, p->name), q->search) ||
            text_contains(snapshot_text(s, p->command), q->search)) &&
           filter_matches(&q->filter, s, index);
}

/* What belongs to nobody is no part of a user's or a process's share. */
static bool passes_loose(const struct snapshot *s, uint32_t index, const struct table_query *q) {
    const struct snap_unattributed *u = &s->unattributed[index];
    return q->pid == 0 && q->user.n == 0 && table_device_matches(s, u->device, q->device) &&
           text_contains(snapshot_text(s, u->name), q->search) &&
           filter_matches_loose(&q->filter, s, index);
}

/* ---- in which order -------------------------------------------------------------------------- */

static uint64_t digits(struct span text) {
    uint64_t n = 0;
    return span_to_u64(text, &n) == ERR_OK ? n : UINT64_MAX;
}

/* What a row sorts by in one column, read once. Where both are known the smaller rank goes first; that of a text
 * is of its beginning. */
struct sort_value {
    uint64_t rank;
    struct span text; /* behind that */
    bool is_unknown;  /* goes last, also when the order is turned round */
};

struct order {
    const struct snapshot *s;
    struct sort_key keys[TABLE_SORT_MAX];
    unsigned count;
    bool invert;
    struct sort_value *values; /* `count` of each process */
};

static bool is_text(enum format format) {
    return format == FORMAT_TEXT || format == FORMAT_COMMAND;
}

/* In the order of compare_texts(). */
static uint64_t rank_of_text(struct span text) {
    uint64_t rank = 0;
    for (size_t i = 0; i < sizeof rank; i++) {
        rank = rank << 8 | (i < text.n ? (unsigned char)char_lower(text.p[i]) : 0u);
    }
    return rank;
}

/* Finite, as all amounts are; 0 and -0 are the same. */
static uint64_t rank_of_amount(double v) {
    uint64_t bits;
    v += 0.0;
    memcpy(&bits, &v, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t rank_of(const struct field *f, enum format format) {
    if (format == FORMAT_DIGITS) {
        return digits(f->text);
    }
    if (is_text(format)) {
        return rank_of_text(f->text);
    }
    return format == FORMAT_AMOUNT ? rank_of_amount(f->amount)
                                   : (uint64_t)f->value.v ^ UINT64_C(1) << 63;
}

static enum column column_of(struct sort_key key) {
    return key.column < COLUMN_COUNT ? (enum column)key.column : COLUMN_GPU;
}

static bool is_downwards(const struct order *o, struct sort_key key) {
    return (column_info(column_of(key))->ascending == key.reverse) != o->invert;
}

static void read_values(const struct order *o, uint32_t process) {
    for (unsigned i = 0; i < o->count; i++) {
        enum column c = column_of(o->keys[i]);
        struct field f = table_field(o->s, (struct row){.index = process}, c);
        struct sort_value v = {.is_unknown = f.value.state != STATE_VALUE};
        if (!v.is_unknown) {
            v.rank = rank_of(&f, table_format(c));
            v.rank = is_downwards(o, o->keys[i]) ? ~v.rank : v.rank;
            v.text = is_text(table_format(c)) ? span_skip(f.text, sizeof v.rank) : v.text;
        }
        o->values[(size_t)process * o->count + i] = v;
    }
}

static int compare(const struct order *o, uint32_t a, uint32_t b) {
    const struct sort_value *x = &o->values[(size_t)a * o->count];
    const struct sort_value *y = &o->values[(size_t)b * o->count];
    int result = 0;
    for (unsigned i = 0; result == 0 && i < o->count; i++) {
        if (x[i].is_unknown || y[i].is_unknown) {
            result = (int)x[i].is_unknown - (int)y[i].is_unknown;
        } else if (x[i].rank != y[i].rank) {
            result = x[i].rank < y[i].rank ? -1 : 1;
        } else {
            result = compare_texts(x[i].text, y[i].text);
            result = is_downwards(o, o->keys[i]) ? -result : result;
        }
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

static bool reserve(struct row_list *l, uint32_t processes, uint32_t rows, uint32_t keys) {
    void *list = l->rows;
    void *order = l->order;
    void *values = l->values;
    bool enough = processes <= UINT32_MAX / TABLE_SORT_MAX && rows >= processes &&
                  vec_reserve(&list, &l->cap, rows, sizeof *l->rows) == ERR_OK;
    l->rows = list;
    enough =
        enough && vec_reserve(&order, &l->order_cap, processes * 2, sizeof *l->order) == ERR_OK;
    l->order = order;
    enough = enough &&
             vec_reserve(&values, &l->value_cap, processes * keys, sizeof *l->values) == ERR_OK;
    l->values = values;
    return enough;
}

static void add_loose(const struct snapshot *s, const struct table_query *q, struct row_list *l) {
    for (uint32_t d = 0; d < s->device_count; d++) {
        for (uint32_t i = 0; i < s->unattributed_count; i++) {
            if (s->unattributed[i].device == d && passes_loose(s, i, q)) {
                l->rows[l->count++] = (struct row){.index = i, .unattributed = true};
            }
        }
    }
}

enum err table_select(const struct snapshot *s, const struct table_query *q, struct row_list *l) {
    struct order o = order_of(s, q);
    uint32_t n = 0;
    l->count = 0;
    if (!reserve(l, s->process_count, s->process_count + s->unattributed_count, o.count)) {
        return ERR_NOMEM;
    }
    o.values = l->values;
    for (uint32_t i = 0; i < s->process_count; i++) {
        if (passes(s, i, q)) {
            read_values(&o, i);
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
