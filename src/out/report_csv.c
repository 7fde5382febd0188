/*
 * The tables of a report as one sheet (RFC 4180, CRLF): the column `table` says which one a line is
 * of. A number that is not there is an empty field; `why` says which and why, `doubt` which of the
 * others are not trusted. Pure.
 */
#include "report.h"

static const char head[] = "table,device,name,pid,start_s,command,user,container,exited,class,busy_"
                           "s,busy_pct,share_pct,PWs,"
                           "unpriced_s,J,W,method,count,reasons,why,doubt\r\n";

/* What a line says beside its numbers; NULL: nothing. */
struct line {
    const char *table;
    const char *device;
    const char *name;
    const struct report_row *row;
    const char *class;
    const struct report_work *work;
    double capacity; /* 0: no share of capacity */
    double whole;    /* PW s of the device; 0: no share of it */
    uint64_t count;
    uint64_t reasons;
    bool counted;
};

static void text(struct buf *b, const char *t) {
    buf_csv_field(b, span_of(t));
    buf_char(b, ',');
}

static void note(struct buf *to, const char *name, const char *word) {
    buf_text(to, to->n > 0 ? " " : "");
    buf_text(to, name);
    buf_char(to, '=');
    buf_text(to, word);
}

static void total(struct buf *b, const char *name, const struct report_total *t, double scale,
                  struct buf *why, struct buf *doubt) {
    if (t->known) {
        buf_double(b, report_within(t) * scale);
        for (unsigned bit = 0; doubt_name(bit); bit++) {
            if (t->doubt & (1u << bit)) {
                note(doubt, name, doubt_name(bit));
            }
        }
    } else {
        note(why, name, state_name((enum state)t->state));
    }
    buf_char(b, ',');
}

static void put_identity(const struct report *r, const struct line *l, struct buf *b) {
    const struct report_row *row = l->row;
    bool bare = r->options.scrub;
    text(b, l->table);
    text(b, l->device);
    text(b, l->name);
    if (row) {
        buf_i64(b, row->pid);
    }
    buf_char(b, ',');
    if (row && row->start_ns.state == STATE_VALUE) {
        buf_decimal(b, row->start_ns.v, 9);
    }
    buf_char(b, ',');
    text(b, row && !bare ? row->command : NULL);
    text(b, row && !bare ? row->user : NULL);
    text(b, row && !bare ? row->container : NULL);
    text(b, !row ? NULL : row->exited ? "true" : "false");
    text(b, l->class);
}

static void put_work(const struct report *r, const struct line *l, struct buf *b, struct buf *why,
                     struct buf *doubt) {
    const struct report_work *w = l->work;
    double span = report_span_s(r);
    total(b, "busy_s", &w->busy, 1, why, doubt);
    if (l->capacity > 0 && span > 0 && w->busy.known) {
        double use = report_within(&w->busy) / span / l->capacity * 100;
        buf_double(b, use > 100 ? 100 : use);
    }
    buf_char(b, ',');
    if (l->whole > 0 && w->pws.known) {
        buf_double(b, report_within(&w->pws) / l->whole * 100);
    }
    buf_char(b, ',');
    total(b, "PWs", &w->pws, 1, why, doubt);
    total(b, "unpriced_s", &w->unpriced, 1, why, doubt);
    total(b, "J", &w->joules, 1, why, doubt);
    if (span > 0) {
        total(b, "W", &w->joules, 1 / span, why, doubt);
    } else {
        note(why, "W", state_name(STATE_UNKNOWN));
        buf_char(b, ',');
    }
    text(b, power_method_name(w->method));
}

static void put_line(const struct report *r, const struct line *l, struct buf *b) {
    struct buf why, doubt;
    unsigned any = 0;
    buf_init(&why);
    buf_init(&doubt);
    put_identity(r, l, b);
    if (l->work) {
        put_work(r, l, b, &why, &doubt);
    } else {
        buf_fill(b, ',', 8);
    }
    if (l->counted) {
        buf_u64(b, l->count);
    }
    buf_char(b, ',');
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        if (l->reasons & (UINT64_C(1) << i)) {
            buf_text(b, any++ ? " " : "");
            buf_text(b, reason_word(i));
        }
    }
    buf_char(b, ',');
    buf_span(b, buf_span_of(&why));
    buf_char(b, ',');
    buf_span(b, buf_span_of(&doubt));
    buf_text(b, "\r\n");
    b->failed |= why.failed || doubt.failed;
    buf_finish(&why);
    buf_finish(&doubt);
}

static void put_device(const struct report *r, uint32_t i, struct buf *b) {
    const struct report_device *d = r->devices[i];
    double whole = report_device_pws(r, i);
    put_line(r,
             &(struct line){.table = "device", .device = d->id, .name = d->name, .work = &d->work},
             b);
    for (uint32_t k = 0; k < d->engine_count; k++) {
        const struct report_engine *e = &d->engines[k];
        put_line(r,
                 &(struct line){.table = "engine",
                                .device = d->id,
                                .name = e->name,
                                .class = engine_class_name((enum engine_class)e->class),
                                .work = &e->work,
                                .capacity = e->capacity ? e->capacity : 1,
                                .whole = whole},
                 b);
    }
    for (uint32_t k = 0; k < d->loose_count; k++) {
        put_line(r,
                 &(struct line){.table = "unattributed",
                                .device = d->id,
                                .name = d->loose[k].name,
                                .work = &d->loose[k].work,
                                .reasons = d->loose[k].reasons,
                                .whole = whole},
                 b);
    }
}

void report_csv(struct report *r, struct buf *b) {
    struct report_work rest = r->rest;
    uint32_t others = r->rest_count + r->rows_folded;
    buf_text(b, head);
    for (uint32_t i = 0; i < r->order_count; i++) {
        const struct report_row *row = &r->rows[r->order[i]];
        put_line(r,
                 &(struct line){.table = "process",
                                .device = r->devices[row->device]->id,
                                .name = r->options.scrub ? NULL : row->name,
                                .row = row,
                                .work = &row->work,
                                .whole = report_device_pws(r, row->device)},
                 b);
    }
    report_add_work(&rest, &r->folded);
    if (others > 0) {
        put_line(r,
                 &(struct line){.table = "other", .work = &rest, .count = others, .counted = true},
                 b);
    }
    for (uint32_t i = 0; i < r->device_count; i++) {
        put_device(r, i, b);
    }
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        if (r->unreadable_reasons[i] > 0) {
            put_line(r,
                     &(struct line){.table = "unreadable",
                                    .count = r->unreadable_reasons[i],
                                    .counted = true,
                                    .reasons = UINT64_C(1) << i},
                     b);
        }
    }
}
