/*
 * The JSON writer: values with the comma after them, and what an object says of its keys. Pure.
 */
#include "json_parts.h"

#include "double.h"

/* ---- brackets --------------------------------------------------------------------------------- */

void json_begin(struct json_object *o, struct buf *b) {
    o->b = b;
    o->line = b->n == 0 || b->p[b->n - 1] == '\n';
    o->whys = o->doubt = false;
    o->count = 0;
    buf_char(b, '{');
}

static void close_bracket(struct buf *b, char bracket) {
    if (b->n > 0 && b->p[b->n - 1] == ',') {
        b->n--;
    }
    buf_char(b, bracket);
}

void json_array_close(struct buf *b) {
    close_bracket(b, ']');
    buf_char(b, ',');
}

static void close_object(const struct json_object *o) {
    close_bracket(o->b, '}');
    if (!o->line) {
        buf_char(o->b, ',');
    }
}

/* ---- why and doubt ---------------------------------------------------------------------------- */

static void note(struct json_object *o, struct span key, enum state state, uint8_t doubt) {
    if (o->count < sizeof o->notes / sizeof o->notes[0]) {
        o->notes[o->count++] = (struct json_note){key, (uint8_t)state, doubt};
        o->whys = o->whys || state != STATE_VALUE;
        o->doubt = o->doubt || doubt;
    }
}

static void put_whys(const struct json_object *o) {
    struct json_object whys;
    struct span word = {"", 0};
    unsigned state = STATE_VALUE;
    json_open(&whys, o->b, "why");
    for (unsigned i = 0; i < o->count; i++) {
        if (o->notes[i].state != STATE_VALUE) {
            /* Mostly they are all the same. */
            if (o->notes[i].state != state) {
                state = o->notes[i].state;
                word = span_of(state_name(state));
            }
            json_put_quoted(o->b, o->notes[i].key, ':');
            json_put_quoted(o->b, word, ',');
        }
    }
    close_object(&whys);
}

/* As the value of a key that was just written. */
static void put_doubts(struct buf *b, unsigned doubt) {
    buf_char(b, '[');
    for (unsigned bit = 0; doubt_name(bit); bit++) {
        if (doubt & (1u << bit)) {
            json_element(b, doubt_name(bit));
        }
    }
    json_array_close(b);
}

static void put_doubt_map(const struct json_object *o) {
    struct json_object doubts;
    json_open(&doubts, o->b, "doubt");
    for (unsigned i = 0; i < o->count; i++) {
        if (o->notes[i].doubt) {
            json_put_quoted(o->b, o->notes[i].key, ':');
            put_doubts(o->b, o->notes[i].doubt);
        }
    }
    close_object(&doubts);
}

void json_close(struct json_object *o) {
    if (o->whys) {
        put_whys(o);
    }
    if (o->doubt) {
        put_doubt_map(o);
    }
    close_object(o);
}

void json_close_single(struct json_object *o) {
    const struct json_note *why = NULL;
    unsigned doubt = 0;
    for (unsigned i = 0; i < o->count; i++) {
        if (o->notes[i].state != STATE_VALUE && !why) {
            why = &o->notes[i];
        }
        doubt |= o->notes[i].doubt;
    }
    if (why) {
        json_word(o, "why", state_name(why->state));
    }
    if (doubt) {
        json_put_key(o->b, "doubt");
        put_doubts(o->b, doubt);
    }
    close_object(o);
}

/* ---- values ----------------------------------------------------------------------------------- */

void json_put_text(struct buf *b, struct span text) {
    buf_json_string(b, text);
    buf_char(b, ',');
}

void json_put_u64(struct buf *b, uint64_t v) {
    buf_u64(b, v);
    buf_char(b, ',');
}

void json_put_i64(struct buf *b, int64_t v) {
    buf_i64(b, v);
    buf_char(b, ',');
}

void json_put_double(struct buf *b, double v) {
    put_double(b, v);
    buf_char(b, ',');
}

void json_put_bool(struct buf *b, bool v) {
    buf_text(b, v ? "true," : "false,");
}

void json_put_null(struct json_object *o, struct span key, enum state why) {
    buf_text(o->b, "null,");
    note(o, key, why, 0);
}

void json_put_value(struct json_object *o, struct span key, struct value v, unsigned power) {
    if (v.state != STATE_VALUE) {
        json_put_null(o, key, v.state);
        return;
    }
    /* More than half of all numbers are 0. */
    if (v.v == 0 && !v.doubt) {
        buf_text(o->b, "0,");
        return;
    }
    buf_decimal(o->b, v.v, power);
    buf_char(o->b, ',');
    if (v.doubt) {
        note(o, key, STATE_VALUE, v.doubt);
    }
}

void json_put_real(struct json_object *o, struct span key, struct real v) {
    if (v.state == STATE_VALUE && v.v - v.v != 0) {
        v.state = STATE_MALFORMED;
    }
    if (v.state != STATE_VALUE) {
        json_put_null(o, key, v.state);
        return;
    }
    json_put_double(o->b, v.v);
    if (v.doubt) {
        note(o, key, STATE_VALUE, v.doubt);
    }
}

void json_put_metric(struct json_object *o, struct span key, struct value v,
                     const struct metric_info *info) {
    if (info->unit != UNIT_FLAG || v.state != STATE_VALUE) {
        json_put_value(o, key, v, info->power);
        return;
    }
    json_put_bool(o->b, v.v != 0);
    if (v.doubt) {
        note(o, key, STATE_VALUE, v.doubt);
    }
}
