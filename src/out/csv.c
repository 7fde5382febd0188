/*
 * `--csv`: a header line, then one line per process and tick (RFC 4180, CRLF). The columns never
 * change within a run. A number that is not there is an empty field; the column `why` says which
 * ones and why, `doubt` which of the others are not trusted. Text that a spreadsheet would take for
 * a formula is disarmed. Pure.
 */
#include "double.h"
#include "outputs.h"
#include "state.h"

enum field_kind { FIELD_TEXT, FIELD_VALUE, FIELD_REAL, FIELD_SHOWN, FIELD_CLASS, FIELD_OTHER };

struct field {
    const char *name;
    const char *key; /* of the table's column that --fields names */
    uint8_t kind;    /* enum field_kind */
    uint8_t detail;  /* power of ten of a value; class of an engine column */
    bool asked;      /* not there without --fields */
    uint16_t offset; /* in struct snap_process */
    void (*put)(const struct snapshot *s, const struct snap_process *p, struct buf *b); /* OTHER */
};

static void put_pid(const struct snapshot *s, const struct snap_process *p, struct buf *b) {
    (void)s;
    buf_i64(b, p->pid);
}

static void put_exited(const struct snapshot *s, const struct snap_process *p, struct buf *b) {
    (void)s;
    buf_text(b, p->exited ? "true" : "false");
}

static void put_device(const struct snapshot *s, const struct snap_process *p, struct buf *b) {
    buf_csv_field(b, snapshot_text(s, s->devices[p->device].id));
}

static void put_type(const struct snapshot *s, const struct snap_process *p, struct buf *b) {
    (void)s;
    if (p->type != TYPE_NONE) {
        buf_text(b, process_type_name(p->type));
    }
}

static void put_clients(const struct snapshot *s, const struct snap_process *p, struct buf *b) {
    (void)s;
    buf_u64(b, p->clients);
}

static void put_method(const struct snapshot *s, const struct snap_process *p, struct buf *b) {
    (void)s;
    buf_text(b, power_method_name(p->power.method));
}

#define AT(member) .offset = offsetof(struct snap_process, member)
static const struct field fields[] = {
    {"pid", "pid", FIELD_OTHER, .put = put_pid},
    {"start_s", "start", FIELD_VALUE, .detail = 9, AT(start_ns)},
    {"name", "", FIELD_TEXT, AT(name)},
    {"command", "command", FIELD_TEXT, AT(command)},
    {"user", "user", FIELD_TEXT, AT(user)},
    {"container", "container", FIELD_TEXT, AT(container)},
    {"exited", "", FIELD_OTHER, .put = put_exited},
    {"device", "dev", FIELD_OTHER, .put = put_device},
    {"type", "type", FIELD_OTHER, .put = put_type},
    {"clients", "", FIELD_OTHER, .put = put_clients},
    {"busy_pct", "gpu", FIELD_VALUE, .detail = 4, AT(busy_ppm)},
    {"busy_s", "time", FIELD_VALUE, .detail = 9, AT(busy_ns)},
    {"cpu_pct", "cpu", FIELD_VALUE, .detail = 4, AT(cpu_ppm)},
    {"rss_B", "rss", FIELD_VALUE, .detail = 0, AT(rss)},
    {"vram_B", "vram", FIELD_SHOWN, .detail = 0, AT(vram)},
    {"gtt_B", "gtt", FIELD_SHOWN, .detail = 0, AT(gtt)},
    {"shared_B", "shared", FIELD_VALUE, .detail = 0, AT(shared)},
    {"gfx_pct", "gfx", FIELD_CLASS, .detail = CLASS_GRAPHICS},
    {"compute_pct", "compute", FIELD_CLASS, .detail = CLASS_COMPUTE},
    {"copy_pct", "copy", FIELD_CLASS, .detail = CLASS_COPY},
    {"decode_pct", "decode", FIELD_CLASS, .detail = CLASS_DECODE},
    {"encode_pct", "encode", FIELD_CLASS, .detail = CLASS_ENCODE},
    {"media_pct", "media", FIELD_CLASS, .detail = CLASS_MEDIA},
    {"other_pct", "other", FIELD_CLASS, .detail = CLASS_OTHER},
    {"PW", "pw", FIELD_REAL, AT(power.pw)},
    {"PWs", "pws", FIELD_REAL, AT(power.pws)},
    {"unpriced_s", "", FIELD_VALUE, .detail = 9, AT(power.unpriced_ns)},
    {"W", "w", FIELD_REAL, AT(power.watts)},
    {"J", "j", FIELD_REAL, AT(power.joules)},
    {"method", "method", FIELD_OTHER, .put = put_method},
    {"nspid", "nspid", FIELD_TEXT, AT(nspid), .asked = true},
};
#undef AT
#define FIELDS (sizeof fields / sizeof fields[0])

/* One line being written: the fields, and what is said of them in the last two. */
struct line {
    struct buf *b;
    struct buf *why;
    struct buf *doubt;
};

static void put_note(struct buf *to, const char *name, const char *word) {
    if (to->n > 0) {
        buf_char(to, ' ');
    }
    buf_text(to, name);
    buf_char(to, '=');
    buf_text(to, word);
}

static void put_doubts(struct line *l, const char *name, unsigned doubt) {
    for (unsigned bit = 0; doubt_name(bit); bit++) {
        if (doubt & (1u << bit)) {
            put_note(l->doubt, name, doubt_name(bit));
        }
    }
}

static void put_real(struct line *l, const char *name, struct real r) {
    if (r.state == STATE_VALUE && r.v - r.v != 0) { /* no number at all, or infinite */
        r.state = STATE_MALFORMED;
    }
    if (r.state != STATE_VALUE) {
        put_note(l->why, name, state_name(r.state));
        return;
    }
    put_double(l->b, r.v);
    put_doubts(l, name, r.doubt);
}

static void put_value(struct line *l, const char *name, struct value v, unsigned power) {
    if (v.state != STATE_VALUE) {
        put_note(l->why, name, state_name(v.state));
        return;
    }
    buf_decimal(l->b, v.v, power);
    put_doubts(l, name, v.doubt);
}

/* Empty and without a word where the process has no engine of the class. */
static void put_class(struct line *l, const struct snapshot *s, const struct snap_process *p,
                      const struct field *f) {
    struct value busiest = table_engines(s, p->engines, f->detail);
    if (busiest.state != STATE_UNSUPPORTED) {
        put_value(l, f->name, busiest, 4);
    }
}

static void put_field(struct line *l, const struct snapshot *s, const struct snap_process *p,
                      const struct field *f) {
    const void *at = (const char *)p + f->offset;
    struct value v;
    struct real r;
    switch ((enum field_kind)f->kind) {
    case FIELD_TEXT:
        buf_csv_field(l->b, snapshot_text(s, *(const struct text_ref *)at));
        break;
    case FIELD_VALUE:
        put_value(l, f->name, *(const struct value *)at, f->detail);
        break;
    case FIELD_REAL:
        r = *(const struct real *)at;
        /* The price of a part of the time. */
        if (at == (const void *)&p->power.pws && r.state == STATE_VALUE &&
            p->power.unpriced_ns.v > 0 && p->power.unpriced_ns.state == STATE_VALUE)
            r.doubt |= DOUBT_ESTIMATED;
        put_real(l, f->name, r);
        break;
    case FIELD_SHOWN:
        v = ((const struct snap_shown *)at)->bytes;
        v.doubt |= ((const struct snap_shown *)at)->mark ? DOUBT_ESTIMATED : 0;
        put_value(l, f->name, v, 0);
        break;
    case FIELD_CLASS:
        put_class(l, s, p, f);
        break;
    case FIELD_OTHER:
        f->put(s, p, l->b);
        break;
    }
}

/* ---- the output ---------------------------------------------------------------------------- */

/* The fields that --fields asks for, in its order; all without it. */
static void choose_fields(struct out_state *st) {
    const struct column_set *set = &st->options.columns;
    st->field_count = 0;
    if (set->count == 0) {
        for (size_t f = 0; f < FIELDS; f++) {
            if (!fields[f].asked) {
                st->fields[st->field_count++] = (uint8_t)f;
            }
        }
    }
    for (unsigned i = 0; i < set->count; i++) {
        for (size_t f = 0; f < FIELDS; f++) {
            if (column_find(span_of(fields[f].key)) == set->list[i] &&
                st->field_count < sizeof st->fields) {
                st->fields[st->field_count++] = (uint8_t)f;
            }
        }
    }
}

static enum err open_csv(const struct out_options *o, struct out_state **out) {
    enum err e = out_state_open(o, out);
    if (e == ERR_OK) {
        choose_fields(*out);
    }
    return e;
}

static void begin(struct out_state *st, struct buf *b) {
    buf_text(b, "t_s,interval_s");
    for (unsigned i = 0; i < st->field_count; i++) {
        buf_char(b, ',');
        buf_text(b, fields[st->fields[i]].name);
    }
    buf_text(b, ",why,doubt\r\n");
}

static void put_line(struct out_state *st, const struct snapshot *s, const struct snap_process *p,
                     struct buf *b) {
    struct line l = {b, &st->why, &st->doubt};
    struct value real = {.v = s->real_ns, .state = s->real_ns ? STATE_VALUE : STATE_UNKNOWN};
    buf_clear(l.why);
    buf_clear(l.doubt);
    put_value(&l, "t_s", real, 9);
    buf_char(b, ',');
    put_value(&l, "interval_s", s->interval_ns, 9);
    for (unsigned i = 0; i < st->field_count; i++) {
        buf_char(b, ',');
        put_field(&l, s, p, &fields[st->fields[i]]);
    }
    buf_char(b, ',');
    buf_span(b, buf_span_of(l.why));
    buf_char(b, ',');
    buf_span(b, buf_span_of(l.doubt));
    buf_text(b, "\r\n");
}

static void tick(struct out_state *st, const struct snapshot *s, struct buf *b) {
    out_state_rows(st, s, true);
    for (uint32_t i = 0; i < st->rows.count && !st->rows.rows[i].unattributed; i++) {
        put_line(st, s, &s->processes[st->rows.rows[i].index], b);
    }
}

const struct output output_csv = {
    .name = "csv",
    .doc = "one line of comma-separated values for each process and tick (RFC 4180)",
    .open = open_csv,
    .begin = begin,
    .tick = tick,
    .end = out_state_nothing,
    .close = out_state_close,
};
