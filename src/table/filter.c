/*
 * Which rows a filter takes. Pure; allocates nothing. What a row holds comes from the function that cells
 * and sorting stand on, so that a row is judged by what it shows.
 */
#include "filter.h"
#include "field.h"

struct judged {
    const struct snapshot *s;
    struct row row;
    const struct snap_process *process; /* NULL: what belongs to nobody */
    uint32_t device;
};

static struct span text_of(const struct filter *f, const struct filter_node *n) {
    return (struct span){f->text + n->at, n->length};
}

/* ---- texts ------------------------------------------------------------------------------------ */

static bool fits(struct span text, enum filter_relation relation, struct span wanted) {
    return (relation == FILTER_CONTAINS || text.n == wanted.n) && text_contains(text, wanted);
}

/* A device has many names; see table_device_matches(). */
static bool fits_device(const struct judged *o, enum filter_relation relation, struct span wanted) {
    if (table_device_matches(o->s, o->device, wanted)) {
        return true;
    }
    if (relation != FILTER_CONTAINS || o->device >= o->s->device_count) {
        return false;
    }
    const struct snap_device *d = &o->s->devices[o->device];
    return text_contains(snapshot_text(o->s, d->id), wanted) ||
           text_contains(snapshot_text(o->s, d->driver), wanted) ||
           text_contains(snapshot_text(o->s, d->nodes), wanted);
}

static bool is_number(struct value v, struct span digits) {
    uint64_t n;
    return v.state == STATE_VALUE && span_to_u64(digits, &n) == ERR_OK && n <= INT64_MAX &&
           (int64_t)n == v.v;
}

/* The text of a column of one row; its state is STATE_VALUE where there is one. */
static struct field read_text(const struct judged *o, enum column c) {
    if (c != FILTER_NAME) {
        return table_field(o->s, o->row, c);
    }
    struct field f = {.value = {.state = STATE_UNKNOWN}};
    if (o->process) {
        f.text = snapshot_text(o->s, o->process->name);
        f.value.state = f.text.n > 0 ? STATE_VALUE : STATE_UNKNOWN;
    }
    return f;
}

static bool string_holds(const struct judged *o, const struct filter_node *n, struct span wanted) {
    enum filter_relation relation = (enum filter_relation)n->relation;
    enum column c = (enum column)n->column;
    struct field f = read_text(o, c);
    bool is_known = f.value.state == STATE_VALUE;
    bool found = is_known && fits(f.text, relation, wanted);
    if (c == COLUMN_DEV) {
        found = fits_device(o, relation, wanted);
    } else if (c == COLUMN_USER && o->process) {
        is_known = is_known || o->process->uid.state == STATE_VALUE;
        found = found || is_number(o->process->uid, wanted);
    } else if (c == COLUMN_TYPE && o->process && is_known) {
        found = found || fits(span_of(process_type_name(o->process->type)), relation, wanted);
    }
    return relation == FILTER_UNEQUAL ? is_known && !found : found;
}

/* By name, command, user, or part of the process id. */
static bool word_holds(const struct judged *o, struct span word) {
    const struct snap_process *p = o->process;
    if (!p) {
        return false;
    }
    if (text_contains(snapshot_text(o->s, p->name), word) ||
        text_contains(snapshot_text(o->s, p->command), word) ||
        text_contains(snapshot_text(o->s, p->user), word)) {
        return true;
    }
    char digits[12];
    size_t at = sizeof digits;
    for (uint32_t left = p->pid > 0 ? (uint32_t)p->pid : 0; left > 0; left /= 10) {
        digits[--at] = (char)('0' + left % 10);
    }
    return text_contains((struct span){digits + at, sizeof digits - at}, word);
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* False where the row holds none. */
static bool read_number(const struct judged *o, enum column c, double *out) {
    const char *unused;
    struct field f = table_field(o->s, o->row, c);
    if (table_field_state(o->s, c, &f) != STATE_VALUE) {
        return false;
    }
    if (table_format(c) == FORMAT_DIGITS) {
        return filter_number(f.text, c, out, &unused);
    }
    *out = table_format(c) == FORMAT_AMOUNT ? f.amount : (double)table_field_number(o->s, c, &f);
    return true;
}

static bool number_holds(const struct judged *o, const struct filter_node *n) {
    double v;
    if (!read_number(o, (enum column)n->column, &v)) {
        return false;
    }
    switch (n->relation) {
    case FILTER_EQUAL:
        return v >= n->number && v <= n->number;
    case FILTER_UNEQUAL:
        return v < n->number || v > n->number;
    case FILTER_ABOVE:
        return v > n->number;
    case FILTER_AT_LEAST:
        return v >= n->number;
    case FILTER_BELOW:
        return v < n->number;
    default:
        return v <= n->number;
    }
}

/* ---- the whole -------------------------------------------------------------------------------- */

static bool is_absent(const struct judged *o, enum column c) {
    struct field f = read_text(o, c);
    return (c == FILTER_NAME ? f.value.state : table_field_state(o->s, c, &f)) != STATE_VALUE;
}

/* As deep as there are nodes at most, since those that a node joins stand before it. */
static bool holds(const struct filter *f, unsigned at, const struct judged *o) {
    const struct filter_node *n = &f->nodes[at];
    switch (n->kind) {
    case FILTER_AND:
        return holds(f, n->left, o) && holds(f, n->right, o);
    case FILTER_OR:
        return holds(f, n->left, o) || holds(f, n->right, o);
    case FILTER_NOT:
        return !holds(f, n->left, o);
    case FILTER_WORD:
        return word_holds(o, text_of(f, n));
    case FILTER_STRING:
        return string_holds(o, n, text_of(f, n));
    case FILTER_NUMBER:
        return number_holds(o, n);
    default:
        return is_absent(o, (enum column)n->column) == (n->relation == FILTER_EQUAL);
    }
}

bool filter_matches(const struct filter *f, const struct snapshot *s, uint32_t process) {
    if (f->count == 0) {
        return true;
    }
    if (process >= s->process_count) {
        return false;
    }
    const struct snap_process *p = &s->processes[process];
    struct judged o = {s, {.index = process}, p, p->device};
    return holds(f, f->count - 1u, &o);
}

bool filter_matches_loose(const struct filter *f, const struct snapshot *s, uint32_t loose) {
    if (f->count == 0 || !f->of_device || loose >= s->unattributed_count) {
        return f->count == 0;
    }
    uint32_t device = s->unattributed[loose].device;
    struct judged o = {s, {.index = loose, .unattributed = true}, NULL, device};
    return holds(f, f->count - 1u, &o);
}
