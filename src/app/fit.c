/* What did not fit in a vendor file, and what may help. */
#include "fit.h"

#include <stdio.h>
#include <string.h>

/* Reasons for which units are malformed; the others are of units that were accepted or ignored as well. */
static const enum reason misfits[] = {
    REASON_NO_COLON,      REASON_BAD_NUMBER,  REASON_OUT_OF_RANGE, REASON_BAD_NAME,
    REASON_TOO_MANY,      REASON_BAD_TEXT,    REASON_TABLE_CUT,    REASON_TABLE_SIZE,
    REASON_TABLE_VERSION, REASON_RECORD_SIZE, REASON_BLOCK_TYPE,
};

/* A stream and the proposal's ring do not say what stands in their records. */
static const char *hint_for(const struct options *o, const struct kind *kind,
                            const struct counts *c) {
    if (c->reasons[REASON_RECORD_SIZE] == 0)
        return NULL;
    if (strcmp(kind->name, "i915-oa-rfc") == 0)
        return o->oa_flags ? "try other --oa-flags, or an --oa-format" : "try --oa-flags pid,tag";
    if (strcmp(kind->name, "i915-oa-stream") == 0)
        return "try an --oa-sample, or an --oa-format";
    return NULL;
}

static void put_misfits(const struct options *o, const struct kind *kind, const struct counts *c,
                        struct buf *out) {
    const char *hint = hint_for(o, kind, c);
    const char *between = " (";
    buf_u64(out, c->malformed);
    buf_text(out, " of ");
    buf_u64(out, c->accepted + c->ignored + c->malformed + c->truncated);
    buf_char(out, ' ');
    buf_text(out, kind->unit);
    buf_text(out, " do not fit");
    for (size_t i = 0; i < sizeof(misfits) / sizeof(misfits[0]); i++) {
        if (c->reasons[misfits[i]] == 0)
            continue;
        buf_text(out, between);
        buf_text(out, reason_word(misfits[i]));
        between = ", ";
    }
    buf_text(out, between[0] == ',' ? ")" : "");
    if (hint) {
        buf_text(out, "; ");
        buf_text(out, hint);
    }
}

/* Units are named in the plural; of a reading that is counted in bytes the whole is cut. */
static void put_cut(const struct kind *kind, struct buf *out) {
    size_t n = strlen(kind->unit);
    if (strcmp(kind->unit, "bytes") == 0) {
        buf_text(out, "cut: the file ends too early");
        return;
    }
    buf_text(out, "cut: the file ends inside a ");
    buf_put(out, kind->unit, n > 0 && kind->unit[n - 1] == 's' ? n - 1 : n);
}

void fit_words(const struct options *o, const struct kind *kind, const struct counts *c,
               const char *between, struct buf *out) {
    if (!kind)
        return;
    if (c->malformed > 0)
        put_misfits(o, kind, c, out);
    if (c->malformed > 0 && c->truncated > 0)
        buf_text(out, between);
    if (c->truncated > 0)
        put_cut(kind, out);
}

void fit_say(const struct options *o, struct player *p) {
    const struct counts *c = player_counts(p);
    struct buf b;
    struct span line;
    if (c->accepted == 0)
        return;
    buf_init(&b);
    fit_words(o, file_kind(player_trace(p)), c, "\n", &b);
    struct cursor lines = cursor_over(buf_span_of(&b));
    while (!b.failed && cursor_line(&lines, &line))
        fprintf(stderr, "gwtop: %.*s\n", (int)line.n, line.p);
    buf_finish(&b);
}

enum err fit_check(const struct options *o, struct player *p, struct err_info *info) {
    const struct kind *kind = file_kind(player_trace(p));
    char text[120];
    if (!player_found_nothing(p))
        return ERR_OK;
    const char *hint = hint_for(o, kind, player_counts(p));
    snprintf(text, sizeof text, "nothing in it is of the kind %s%s%s", kind->name,
             hint ? "; if it is, " : "", hint ? hint : "");
    return err_set(info, ERR_FORMAT, 0, o->operands[0], text);
}
