/*
 * What a device says of itself, as a person reads it: a metric of a device out of all that the
 * snapshot holds of it, and any metric's value by its unit. Appends to the caller's buffer only.
 * Pure.
 */
#include "gwtop/table.h"

#define DOUBT_MARK   '~'
#define NS_PER_S     INT64_C(1000000000)
#define LONG_S       600 /* from here on a stretch of time is written as on a clock */
#define POWER_MOST   18  /* of ten, of a number that is written */
#define PREFIX_LEAST (-3)
#define PREFIX_MOST  4

/* ---- which value ----------------------------------------------------------------------------- */

/* Better ones are larger. */
static unsigned trust_in(struct value v) {
    return v.state != STATE_VALUE ? 0 : v.doubt ? 1 : 2;
}

static int64_t sum_capped(int64_t a, int64_t b) {
    if (b > 0 && a > INT64_MAX - b) {
        return INT64_MAX;
    }
    return b < 0 && a < INT64_MIN - b ? INT64_MIN : a + b;
}

/* Parts of a device, folded as metrics.def says; of shares of time the mean. */
struct parts {
    struct value value;
    uint32_t count;
    bool is_mean;
    uint8_t fold;
};

static void parts_add(struct parts *p, struct value v) {
    if (v.state != STATE_VALUE) {
        p->value.state = p->count ? (uint8_t)STATE_VALUE : v.state;
        return;
    }
    if (p->count++ == 0) {
        p->value = v;
        return;
    }
    p->value.doubt |= v.doubt;
    if (p->fold == FOLD_SUM || p->is_mean) {
        p->value.v = sum_capped(p->value.v, v.v);
    } else if (p->fold == FOLD_MAX && v.v > p->value.v) {
        p->value.v = v.v;
    }
}

struct value table_metric(const struct snapshot *s, struct run metrics, unsigned metric) {
    const struct metric_info *info = metric_info(metric);
    struct value whole = {.state = STATE_UNSUPPORTED};
    struct parts parts = {.value = whole, .fold = info->fold};
    bool has_whole = false;
    parts.is_mean = info->unit == UNIT_PERCENT && info->fold == FOLD_LAST;
    for (uint32_t i = 0; i < metrics.count; i++) {
        const struct snap_metric *m = &s->metrics[metrics.first + i];
        if (m->metric != metric) {
            continue;
        }
        if (m->index != INDEX_NONE) {
            parts_add(&parts, m->value);
        } else if (!has_whole || trust_in(m->value) > trust_in(whole)) {
            whole = m->value;
            has_whole = true;
        }
    }
    if (parts.is_mean && parts.count > 1) {
        parts.value.v /= parts.count;
    }
    return has_whole && trust_in(whole) >= trust_in(parts.value) ? whole : parts.value;
}

/* ---- how it is written ----------------------------------------------------------------------- */

enum form {
    FORM_EXACT,    /* all digits that there are */
    FORM_FIXED,    /* so many decimals of 10^up units */
    FORM_THREE,    /* one decimal below a hundred, else none */
    FORM_PREFIXED, /* three digits and a prefix: k, M, G */
    FORM_PLAIN,    /* the same without zeros at its end */
    FORM_BYTES,
    FORM_TIME,
    FORM_FLAG
};

static const struct unit_form {
    const char *unit;  /* behind a blank; "" for none */
    const char *ascii; /* where there is no Unicode; NULL: the same */
    uint8_t form;
    uint8_t up;
    uint8_t decimals;
    bool negative; /* a value below 0 is one */
} forms[UNIT_COUNT] = {
    [UNIT_ONE] = {"", NULL, FORM_EXACT, 0, 0, true},
    [UNIT_S] = {"s", NULL, FORM_TIME, 0, 0, false},
    [UNIT_B] = {"B", NULL, FORM_BYTES, 0, 0, false},
    [UNIT_HZ] = {"MHz", NULL, FORM_FIXED, 6, 0, false},
    [UNIT_V] = {"V", NULL, FORM_FIXED, 0, 3, true},
    [UNIT_A] = {"A", NULL, FORM_THREE, 0, 0, true},
    [UNIT_W] = {"W", NULL, FORM_THREE, 0, 0, true},
    [UNIT_J] = {"J", NULL, FORM_PREFIXED, 0, 0, true},
    [UNIT_DEGC] = {"°C", "C", FORM_FIXED, 0, 0, true},
    [UNIT_RPM] = {"rpm", NULL, FORM_FIXED, 0, 0, false},
    [UNIT_PERCENT] = {"%", NULL, FORM_FIXED, 0, 1, false},
    [UNIT_PW] = {"PW", NULL, FORM_FIXED, 0, 1, false},
    [UNIT_PWS] = {"PW·s", "PWs", FORM_FIXED, 0, 1, false},
    [UNIT_BPS] = {"B/s", NULL, FORM_PREFIXED, 0, 0, false},
    [UNIT_TPS] = {"T/s", NULL, FORM_PLAIN, 0, 0, false},
    [UNIT_CYCLES] = {"cycles", NULL, FORM_PREFIXED, 0, 0, false},
    [UNIT_FLAG] = {"", NULL, FORM_FLAG, 0, 0, false},
};

static const struct unit_form *form_of(const struct metric_info *info) {
    return &forms[info->unit < UNIT_COUNT ? info->unit : UNIT_ONE];
}

static uint64_t magnitude(int64_t v) {
    return v < 0 ? UINT64_C(0) - (uint64_t)v : (uint64_t)v;
}

static const char *prefix_text(int prefix, bool unicode) {
    static const char *const up[PREFIX_MOST + 1] = {"", "k", "M", "G", "T"};
    static const char *const down[] = {"", "m", "u", "n"};
    return prefix == -2 && unicode ? "µ" : prefix < 0 ? down[-prefix] : up[prefix];
}

/* Steps of a thousand to the prefix under which `v` x 10^-power has one to three digits. */
static int prefix_of(int64_t v, unsigned power, int *digits) {
    int exponent = -1 - (int)power;
    int prefix;
    for (uint64_t left = magnitude(v); left > 0; left /= 10) {
        exponent++;
    }
    exponent = v == 0 ? 0 : exponent;
    prefix = exponent >= 0 ? exponent / 3 : -((2 - exponent) / 3);
    prefix = prefix < PREFIX_LEAST ? PREFIX_LEAST : prefix > PREFIX_MOST ? PREFIX_MOST : prefix;
    while ((int)power + 3 * prefix < 0) {
        prefix++;
    }
    while ((int)power + 3 * prefix > POWER_MOST) {
        prefix--;
    }
    *digits = exponent - 3 * prefix + 1;
    return prefix;
}

/* Takes zeros back that say nothing, and the point if none is left. */
static void trim_zeros(struct buf *b, size_t start) {
    bool has_point = false;
    for (size_t i = start; i < b->n; i++) {
        has_point = has_point || b->p[i] == '.';
    }
    while (has_point && b->n > start && b->p[b->n - 1] == '0') {
        b->n--;
    }
    if (b->n > start && b->p[b->n - 1] == '.') {
        b->n--;
    }
}

static void put_prefixed(struct buf *b, int64_t v, unsigned power, const char *unit, bool unicode,
                         bool plain) {
    int digits;
    size_t start = b->n;
    int prefix = prefix_of(v, power, &digits);
    int decimals = v == 0 || digits >= 3 ? 0 : 3 - digits;
    buf_fixed(b, v, (unsigned)((int)power + 3 * prefix), decimals > 2 ? 2 : (unsigned)decimals);
    if (plain) {
        trim_zeros(b, start);
    }
    buf_char(b, ' ');
    buf_text(b, prefix_text(prefix, unicode));
    buf_text(b, unit);
}

/* The unit, as a power of 1024, in which `bytes` have one to four digits. */
static unsigned byte_unit(int64_t bytes) {
    unsigned unit = 0;
    while (unit < 6 && bytes >> (10 * unit) >= 1024) {
        unit++;
    }
    return unit;
}

static const char *byte_word(unsigned unit) {
    static const char *const words[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    return words[unit];
}

/* With a decimal where `whole`, of which it is a part, has less than a hundred units. */
static void put_byte_number(struct buf *b, int64_t v, int64_t whole, unsigned unit) {
    uint64_t size = UINT64_C(1) << (10 * unit);
    unsigned decimals = unit == 0 || (uint64_t)whole / 100 >= size ? 0 : 1;
    buf_fixed(b, (int64_t)mul_div_u64((uint64_t)v, 10, size), 1, decimals);
}

static void put_bytes(struct buf *b, int64_t v) {
    unsigned unit = byte_unit(v);
    put_byte_number(b, v, v, unit);
    buf_char(b, ' ');
    buf_text(b, byte_word(unit));
}

static void put_time(struct buf *b, int64_t v, unsigned power, bool unicode) {
    char text[12];
    if (power == 9 && v >= LONG_S * NS_PER_S) {
        buf_put(b, text, human_time(text, (uint64_t)v));
    } else {
        put_prefixed(b, v, power, "s", unicode, false);
    }
}

/* The number alone, of the forms that have the unit apart. */
static void put_number(struct buf *b, const struct unit_form *f, int64_t v, unsigned power) {
    uint64_t hundred = 100;
    switch (f->form) {
    case FORM_FIXED:
        buf_fixed(b, v, power + f->up, v == 0 ? 0 : f->decimals);
        break;
    case FORM_THREE:
        for (unsigned i = 0; i < power; i++) {
            hundred *= 10;
        }
        /* What would be rounded to a hundred counts as one. */
        buf_fixed(b, v, power, v == 0 || magnitude(v) >= hundred - hundred / 2000 ? 0 : 1);
        break;
    default:
        buf_decimal(b, v, power);
    }
}

static void put_unit(struct buf *b, const struct unit_form *f, bool unicode) {
    if (f->unit[0]) {
        buf_char(b, ' ');
        buf_text(b, unicode || !f->ascii ? f->unit : f->ascii);
    }
}

static void put_value(struct buf *b, const struct metric_info *info, int64_t v, bool unicode) {
    const struct unit_form *f = form_of(info);
    switch (f->form) {
    case FORM_PREFIXED:
    case FORM_PLAIN:
        put_prefixed(b, v, info->power, f->unit, unicode, f->form == FORM_PLAIN);
        break;
    case FORM_BYTES:
        put_bytes(b, v);
        break;
    case FORM_TIME:
        put_time(b, v, info->power, unicode);
        break;
    case FORM_FLAG:
        buf_text(b, v ? "yes" : "no");
        break;
    default:
        put_number(b, f, v, info->power);
        put_unit(b, f, unicode);
    }
}

/* A number that cannot be is none. */
static unsigned state_of(const struct metric_info *info, struct value v) {
    bool can_be = v.v >= 0 || form_of(info)->negative;
    return v.state != STATE_VALUE || can_be ? v.state : (unsigned)STATE_MALFORMED;
}

static enum role role_of(unsigned state, struct value v) {
    if (state == STATE_VALUE) {
        return v.doubt ? ROLE_WARN : ROLE_VALUE;
    }
    return state == STATE_DENIED || state == STATE_MALFORMED ? ROLE_WARN : ROLE_DIM;
}

enum role table_metric_text(unsigned metric, struct value v, bool unicode, struct buf *out) {
    const struct metric_info *info = metric_info(metric);
    unsigned state = state_of(info, v);
    if (state != STATE_VALUE) {
        buf_text(out, table_word(state));
        return role_of(state, v);
    }
    put_value(out, info, v.v, unicode);
    if (v.doubt) {
        buf_char(out, DOUBT_MARK);
    }
    return role_of(state, v);
}

/* ---- a part of a whole ----------------------------------------------------------------------- */

/* Both in the unit of the whole. */
static void put_bytes_of(struct buf *b, unsigned state, struct value v, int64_t whole) {
    unsigned unit = byte_unit(whole);
    if (state == STATE_VALUE) {
        put_byte_number(b, v.v, whole, unit);
    } else {
        buf_text(b, table_word(state));
    }
    buf_char(b, '/');
    put_byte_number(b, whole, whole, unit);
    buf_char(b, ' ');
    buf_text(b, byte_word(unit));
}

enum role table_metric_of(unsigned metric, struct value v, struct value whole, bool unicode,
                          struct buf *out) {
    const struct metric_info *info = metric_info(metric);
    const struct unit_form *f = form_of(info);
    unsigned state = state_of(info, v);
    bool is_apart = f->form == FORM_EXACT || f->form == FORM_FIXED || f->form == FORM_THREE;
    if (whole.state != STATE_VALUE || whole.v <= 0 || (!is_apart && f->form != FORM_BYTES)) {
        return table_metric_text(metric, v, unicode, out);
    }
    if (f->form == FORM_BYTES) {
        put_bytes_of(out, state, v, whole.v);
    } else {
        if (state == STATE_VALUE) {
            put_number(out, f, v.v, info->power);
        } else {
            buf_text(out, table_word(state));
        }
        buf_char(out, '/');
        put_number(out, f, whole.v, info->power);
        put_unit(out, f, unicode);
    }
    if (state == STATE_VALUE && (v.doubt || whole.doubt)) {
        buf_char(out, DOUBT_MARK);
    }
    return state == STATE_VALUE && whole.doubt ? ROLE_WARN : role_of(state, v);
}
