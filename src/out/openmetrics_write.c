/*
 * How OpenMetrics 1.0 writes families and samples: "# TYPE", "# UNIT" and "# HELP" once before the first sample,
 * counters with "_total", infos with "_info". Pure.
 */
#include "double.h"
#include "openmetrics.h"

static const char *const types[] = {"gauge", "counter", "info", "stateset"};
static const char *const suffixes[] = {"", "_total", "_info", ""};

const char *om_type_name(unsigned type) {
    return types[type];
}

/* ---- families --------------------------------------------------------------------------------- */

static const struct om_family own[] = {
#define FAMILY(id, name, unit, type, since, doc)                                                   \
    [OM_##id] = {name, NULL, unit, doc, OM_##type, since},
#include "openmetrics.def"
#undef FAMILY
};

/* A share is one of 1, and not of 100. */
static const char *const units[UNIT_COUNT] = {
    [UNIT_ONE] = "",
    [UNIT_S] = "seconds",
    [UNIT_B] = "bytes",
    [UNIT_HZ] = "hertz",
    [UNIT_V] = "volts",
    [UNIT_A] = "amperes",
    [UNIT_W] = "watts",
    [UNIT_J] = "joules",
    [UNIT_DEGC] = "celsius",
    [UNIT_RPM] = "rpm",
    [UNIT_PERCENT] = "ratio",
    [UNIT_PW] = "pseudowatts",
    [UNIT_PWS] = "pseudowatt_seconds",
    [UNIT_BPS] = "bytes_per_second",
    [UNIT_TPS] = "transfers_per_second",
    [UNIT_CYCLES] = "cycles",
    [UNIT_FLAG] = "",
};

bool om_family_at(unsigned i, struct om_family *out) {
    if (i < OM_OWN) {
        *out = own[i];
        return true;
    }
    if (i - OM_OWN >= METRIC_COUNT) {
        return false;
    }
    const struct metric_info *info = metric_info(i - OM_OWN);
    *out = (struct om_family){
        .metric = info,
        .unit = units[info->unit],
        .doc = info->doc,
        .type = info->kind == KIND_COUNTER ? OM_COUNTER : OM_GAUGE,
        .since = i - OM_OWN == METRIC_INTERRUPTS,
    };
    return true;
}

static bool ends_in(const struct buf *b, const char *word) {
    size_t n = strlen(word);
    return b->n > n && memcmp(b->p + b->n - n, word, n) == 0 && b->p[b->n - n - 1] == '_';
}

void om_put_family_name(struct buf *b, const struct om_family *f) {
    if (f->name) {
        buf_text(b, f->name);
        return;
    }
    buf_text(b, "gwtop_");
    for (const char *c = f->metric->name; *c; c++) {
        buf_char(b, *c == '.' ? '_' : *c);
    }
    if (f->unit[0] && !ends_in(b, f->unit)) {
        buf_char(b, '_');
        buf_text(b, f->unit);
    }
}

bool om_begin(struct om *o, unsigned family) {
    o->headed = false;
    return om_family_at(family, &o->family) && !(o->brief && o->family.since);
}

/* ---- samples ----------------------------------------------------------------------------------- */

static void put_escaped(struct buf *b, struct span text) {
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\\' || c == '"' || c == '\n') {
            buf_char(b, '\\');
        }
        buf_char(b, c == '\n' ? 'n' : c);
    }
}

static void put_line_start(struct om *o, const char *word) {
    buf_text(o->b, word);
    om_put_family_name(o->b, &o->family);
    buf_char(o->b, ' ');
}

static void put_head(struct om *o) {
    put_line_start(o, "# TYPE ");
    buf_text(o->b, om_type_name(o->family.type));
    buf_char(o->b, '\n');
    if (o->family.unit[0]) {
        put_line_start(o, "# UNIT ");
        buf_text(o->b, o->family.unit);
        buf_char(o->b, '\n');
    }
    put_line_start(o, "# HELP ");
    put_escaped(o->b, span_of(o->family.doc));
    buf_char(o->b, '\n');
    o->headed = true;
}

void om_sample(struct om *o) {
    if (!o->headed) {
        put_head(o);
    }
    om_put_family_name(o->b, &o->family);
    buf_text(o->b, suffixes[o->family.type]);
    o->labelled = false;
}

/* Texts are clean UTF-8 as decoders made them; a byte that is not is replaced all the same, since a scrape
 * is refused as a whole. */
static void put_value(struct buf *b, struct span value) {
    char clean[256];
    if (text_is_clean(value)) {
        put_escaped(b, value);
        return;
    }
    size_t n = text_clean(clean, sizeof clean, value);
    put_escaped(b, (struct span){clean, n});
}

void om_label(struct om *o, const char *name, struct span value) {
    if (value.n == 0) {
        return;
    }
    buf_char(o->b, o->labelled ? ',' : '{');
    buf_text(o->b, name);
    buf_text(o->b, "=\"");
    put_value(o->b, value);
    buf_char(o->b, '"');
    o->labelled = true;
}

void om_label_u64(struct om *o, const char *name, uint64_t value) {
    buf_char(o->b, o->labelled ? ',' : '{');
    buf_text(o->b, name);
    buf_text(o->b, "=\"");
    buf_u64(o->b, value);
    buf_char(o->b, '"');
    o->labelled = true;
}

static void end_labels(struct om *o) {
    buf_text(o->b, o->labelled ? "} " : " ");
}

void om_decimal(struct om *o, int64_t v, unsigned power) {
    end_labels(o);
    buf_decimal(o->b, v, power);
    buf_char(o->b, '\n');
}

void om_double(struct om *o, double v) {
    end_labels(o);
    put_double(o->b, v);
    buf_char(o->b, '\n');
}

bool om_has(const struct om *o, struct value v) {
    return v.state == STATE_VALUE && (o->family.type != OM_COUNTER || v.v >= 0);
}

bool om_has_real(struct real r) {
    return table_real(r).state == STATE_VALUE;
}
