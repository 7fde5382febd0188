/*
 * Text of a report: the one escaper, and numbers and times as people read them. Pure.
 */
#include <math.h>

#include "report.h"

void report_keep(char *out, size_t cap, struct span in) {
    static const char ellipsis[] = "\xE2\x80\xA6";
    size_t room = cap - sizeof ellipsis;
    size_t n;
    if (in.n < cap) {
        n = text_clean(out, cap - 1, in);
        out[n] = '\0';
        return;
    }
    n = text_clean(out, room, (struct span){in.p, in.n});
    memcpy(out + n, ellipsis, sizeof ellipsis);
}

void html_text(struct buf *b, struct span s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        switch (c) {
        case '&':
            buf_text(b, "&amp;");
            break;
        case '<':
            buf_text(b, "&lt;");
            break;
        case '>':
            buf_text(b, "&gt;");
            break;
        case '"':
            buf_text(b, "&quot;");
            break;
        case '\'':
            buf_text(b, "&#39;");
            break;
        default:
            buf_char(b, (unsigned char)c < 0x20 || c == 0x7f ? '?' : c);
        }
    }
}

void html_name(struct buf *b, const char *name) {
    buf_text(b, "<bdi>");
    html_text(b, span_of(name));
    buf_text(b, "</bdi>");
}

unsigned html_decimals(double largest) {
    return largest >= 1000 ? 0 : largest >= 100 ? 1 : largest >= 1 ? 2 : 4;
}

void html_number(struct buf *b, double v, unsigned decimals) {
    static const double least[] = {1, 0.1, 0.01, 0.001, 0.0001};
    static const int64_t scales[] = {1, 10, 100, 1000, 10000};
    if (!(v >= 0 && v < 1e14)) {
        buf_double(b, v);
        return;
    }
    if (v > 0 && v < least[decimals] / 2) {
        buf_text(b, "&lt;");
        buf_fixed(b, 1, decimals, decimals);
        return;
    }
    buf_fixed(b, llround(v * (double)scales[decimals]), decimals, decimals);
}

void html_time(struct buf *b, int64_t ns) {
    int64_t s = (ns + 500000000) / 1000000000;
    if (ns < 1000000000) {
        buf_decimal(b, (ns + 50000) / 100000, 4);
        buf_text(b, "\xC2\xA0s");
        return;
    }
    if (s < 120) {
        buf_decimal(b, (ns + 500000) / 1000000, 3);
        buf_text(b, "\xC2\xA0s");
        return;
    }
    if (s >= 3600) {
        buf_i64(b, s / 3600);
        buf_char(b, ':');
        buf_char(b, (char)('0' + s / 600 % 6));
    } else if (s >= 600) {
        buf_char(b, (char)('0' + s / 600));
    }
    buf_char(b, (char)('0' + s / 60 % 10));
    buf_char(b, ':');
    buf_char(b, (char)('0' + s % 60 / 10));
    buf_char(b, (char)('0' + s % 10));
}

void html_bytes(struct buf *b, double bytes) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    unsigned u = 0;
    while (bytes >= 1024 && u < 6) {
        bytes /= 1024;
        u++;
    }
    html_number(b, bytes, u == 0 || bytes >= 100 ? 0 : 1);
    buf_text(b, "\xC2\xA0");
    buf_text(b, units[u]);
}

static const char *const words[STATE_COUNT] = {[STATE_UNKNOWN] = "not known",
                                               [STATE_VALUE] = "",
                                               [STATE_UNSUPPORTED] = "n/a",
                                               [STATE_DENIED] = "denied",
                                               [STATE_MALFORMED] = "garbled"};

void html_cell(struct buf *b, const struct report_total *t, unsigned decimals) {
    if (!t->known) {
        buf_text(b, "<td class=\"n none\">");
        buf_text(b, words[t->state < STATE_COUNT ? t->state : STATE_UNKNOWN]);
        buf_text(b, "</td>");
        return;
    }
    buf_text(b, "<td class=\"n\">");
    html_number(b, report_within(t), decimals);
    if (t->doubt) {
        buf_text(b, "<abbr title=\"");
        for (unsigned bit = 0, any = 0; doubt_name(bit); bit++) {
            if (t->doubt & (1u << bit)) {
                buf_text(b, any++ ? ", " : "");
                buf_text(b, doubt_name(bit));
            }
        }
        buf_text(b, "\">~</abbr>");
    }
    buf_text(b, "</td>");
}
