/*
 * A small JSON writer. It takes no memory of its own and knows the one rule that all objects of gwtop
 * keep: a key is null exactly where a sibling says why.
 *
 * What a key begins with stands here in full: keys are literals, and so their lengths cost nothing.
 * After each value stands a comma; the bracket that closes takes the place of the last one.
 */
#ifndef OUT_JSON_PARTS_H
#define OUT_JSON_PARTS_H

#include "gwtop/core.h"
#include "gwtop/snapshot.h"

/* Name and version of the promise; first key of each object. */
#define JSON_SCHEMA "gwtop/1"

/* Which key is not there or not trusted. */
struct json_note {
    struct span key;
    uint8_t state; /* enum state; VALUE: it is there */
    uint8_t doubt;
};

/* As many as keys of one object may have something to say: the hardware counters of a context. */
#define JSON_NOTES 128

/* An object being written. Keys are literals, words are gwtop's own: neither needs escapes. */
struct json_object {
    struct buf *b;
    bool line;  /* it is not part of another one: no comma after it */
    bool whys;  /* of the notes, some say why */
    bool doubt; /* ... some bear a doubt */
    unsigned count;
    struct json_note notes[JSON_NOTES];
};

/* ---- how values are written; for the functions below ------------------------------------------ */

/* Text that needs no escapes, in quotes, and `after` it. */
static inline void json_put_quoted(struct buf *b, struct span text, char after) {
    if (buf_reserve(b, text.n + 3)) {
        char *to = b->p + b->n;
        to[0] = '"';
        memcpy(to + 1, text.p, text.n);
        to[text.n + 1] = '"';
        to[text.n + 2] = after;
        b->n += text.n + 3;
    }
}
static inline void json_put_key(struct buf *b, const char *key) {
    json_put_quoted(b, span_of(key), ':');
}
void json_put_text(struct buf *b, struct span text);
void json_put_u64(struct buf *b, uint64_t v);
void json_put_i64(struct buf *b, int64_t v);
void json_put_double(struct buf *b, double v);
void json_put_bool(struct buf *b, bool v);
/* These note what there is to say of the key. */
void json_put_null(struct json_object *o, struct span key, enum state why);
void json_put_value(struct json_object *o, struct span key, struct value v, unsigned power);
void json_put_real(struct json_object *o, struct span key, struct real v);
void json_put_metric(struct json_object *o, struct span key, struct value v,
                     const struct metric_info *info);
void json_begin(struct json_object *o, struct buf *b);

/* ---- objects and arrays ----------------------------------------------------------------------- */

/* Begins an object as the value of `key`, or (NULL) as an element or a whole line. */
static inline void json_open(struct json_object *o, struct buf *b, const char *key) {
    if (key) {
        json_put_key(b, key);
    }
    json_begin(o, b);
}
/* Writes "why":{key:word} and "doubt":{key:[word]} where there is something to say, and ends it. */
void json_close(struct json_object *o);
/* The same for an object with one value: "why":word, "doubt":[word]. */
void json_close_single(struct json_object *o);

static inline void json_array_open(struct buf *b, const char *key) {
    json_put_key(b, key);
    buf_char(b, '[');
}
void json_array_close(struct buf *b);
/* An element of an array. */
static inline void json_element(struct buf *b, const char *word) {
    json_put_quoted(b, span_of(word), ',');
}

/* ---- keys with their values ------------------------------------------------------------------- */

static inline void json_text(struct json_object *o, const char *key, struct span text) {
    json_put_key(o->b, key);
    json_put_text(o->b, text);
}
static inline void json_word(struct json_object *o, const char *key, const char *word) {
    json_put_key(o->b, key);
    json_put_quoted(o->b, span_of(word), ',');
}
static inline void json_u64(struct json_object *o, const char *key, uint64_t v) {
    json_put_key(o->b, key);
    json_put_u64(o->b, v);
}
static inline void json_i64(struct json_object *o, const char *key, int64_t v) {
    json_put_key(o->b, key);
    json_put_i64(o->b, v);
}
static inline void json_double(struct json_object *o, const char *key, double v) {
    json_put_key(o->b, key);
    json_put_double(o->b, v);
}
static inline void json_bool(struct json_object *o, const char *key, bool v) {
    json_put_key(o->b, key);
    json_put_bool(o->b, v);
}
static inline void json_null(struct json_object *o, const char *key, enum state why) {
    json_put_key(o->b, key);
    json_put_null(o, span_of(key), why);
}
/* Null with this reason where the text is empty. */
static inline void json_text_or(struct json_object *o, const char *key, struct span text,
                                enum state empty) {
    if (text.n > 0) {
        json_text(o, key, text);
    } else {
        json_null(o, key, empty);
    }
}
/* Malformed where it is no number that JSON can hold. */
static inline void json_real(struct json_object *o, const char *key, struct real v) {
    json_put_key(o->b, key);
    json_put_real(o, span_of(key), v);
}
/* v x 10^-power. */
static inline void json_value(struct json_object *o, const char *key, struct value v,
                              unsigned power) {
    json_put_key(o->b, key);
    json_put_value(o, span_of(key), v, power);
}
/* A metric's value: by its power, as true or false where it is a flag. */
static inline void json_metric(struct json_object *o, const char *key, struct value v,
                               const struct metric_info *info) {
    json_put_key(o->b, key);
    json_put_metric(o, span_of(key), v, info);
}

#endif
