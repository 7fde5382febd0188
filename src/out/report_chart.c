/*
 * Charts of a report as inline SVG. A curve is drawn in steps of the series over a box that
 * stretches with the page; words and numbers of axes are text beside it, so that they stay readable
 * at any width. What is not known is a dashed line, never a 0. Pure.
 */
#include <math.h>

#include "report.h"

#define HEIGHT 100

static void coordinate(struct buf *b, double v) {
    buf_fixed(b, llround(v * 100), 2, 2);
}

static double steps_of(const struct report *r) {
    return r->step_ns > 0 ? (double)(r->last_ns - r->first_ns) / (double)r->step_ns : 0;
}

/* Where the step `i` ends: the last one may be cut short. */
static double end_of(double steps, unsigned i) {
    return i + 1 < steps ? i + 1 : steps;
}

static double height_of(double v, double top) {
    double y = top > 0 ? HEIGHT - v / top * HEIGHT : HEIGHT;
    return y < 0 ? 0 : y;
}

/* Each run of known steps: the filled area, or the line above it. */
static void put_path(struct buf *b, const struct report_series *s, double steps, double top,
                     bool area) {
    bool inside = false;
    double v;
    buf_text(b, area ? "<path class=\"a\" d=\"" : "<path class=\"l\" d=\"");
    for (unsigned i = 0; i < REPORT_POINTS && i < steps; i++) {
        bool known = series_known(s, i, &v);
        if (known) {
            if (!inside) {
                buf_char(b, 'M');
                buf_u64(b, i);
                buf_char(b, ' ');
                coordinate(b, area ? HEIGHT : height_of(v, top));
            }
            buf_char(b, 'V');
            coordinate(b, height_of(v, top));
            buf_char(b, 'H');
            coordinate(b, end_of(steps, i));
        } else if (inside && area) {
            buf_text(b, "V100Z");
        }
        inside = known;
    }
    buf_text(b, inside && area ? "V100Z\"/>" : "\"/>");
}

static void put_gaps(struct buf *b, const struct report_series *s, double steps) {
    double v;
    buf_text(b, "<path class=\"g\" d=\"");
    for (unsigned i = 0; i < REPORT_POINTS && i < steps; i++) {
        if (series_known(s, i, &v)) {
            continue;
        }
        buf_char(b, 'M');
        buf_u64(b, i);
        while (i + 1 < REPORT_POINTS && i + 1 < steps && !series_known(s, i + 1, &v)) {
            i++;
        }
        buf_text(b, " 97H");
        coordinate(b, end_of(steps, i));
    }
    buf_text(b, "\"/>");
}

/* ---- time ---------------------------------------------------------------------------------- */

static int64_t tick_of(int64_t span_ns) {
    static const int64_t seconds[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                      600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400};
    int64_t step = 1000000;
    for (unsigned i = 0; step < 1000000000; i++) {
        if (span_ns / step <= 5) {
            return step;
        }
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    }
    for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
        if (span_ns / (seconds[i] * 1000000000) <= 5) {
            return seconds[i] * 1000000000;
        }
    }
    step = INT64_C(86400000000000);
    while (span_ns / step > 5) {
        step *= 2;
    }
    return step;
}

static void put_grid(const struct report *r, struct buf *b) {
    int64_t span = r->last_ns - r->first_ns;
    int64_t tick = tick_of(span);
    buf_text(b, "<path class=\"r\" d=\"");
    for (int64_t t = tick; t < span; t += tick) {
        buf_char(b, 'M');
        coordinate(b, (double)t / (double)r->step_ns);
        buf_text(b, " 0V100");
    }
    buf_text(b, "M0 50H");
    coordinate(b, steps_of(r));
    buf_text(b, "\"/>");
}

void chart_axis(const struct report *r, struct buf *b) {
    int64_t span = r->last_ns - r->first_ns;
    int64_t tick = tick_of(span);
    buf_text(b, "<div class=\"x\" aria-hidden=\"true\">");
    for (int64_t t = 0; t <= span; t += tick) {
        double at = span > 0 ? (double)t / (double)span * 100 : 0;
        buf_text(b, at > 92 ? "<span class=\"e\" style=\"left:" : "<span style=\"left:");
        coordinate(b, at);
        buf_text(b, "%\">");
        html_time(b, t);
        buf_text(b, "</span>");
        if (span == 0) {
            break;
        }
    }
    buf_text(b, "</div>");
}

/* ---- values -------------------------------------------------------------------------------- */

static double top_of(const struct chart *c, double peak) {
    static const double nice[] = {1, 1.5, 2, 3, 4, 5, 6, 8, 10};
    double base = 1;
    if (c->scale == SCALE_PERCENT) {
        return peak > 100 ? peak : 100;
    }
    if (!(peak > 0)) {
        return 1;
    }
    if (c->scale == SCALE_BYTES) {
        while (base < peak) {
            base *= 2;
        }
        return base * 0.75 >= peak ? base * 0.75 : base;
    }
    base = pow(10, floor(log10(peak)));
    for (size_t i = 0; i < sizeof nice / sizeof nice[0]; i++) {
        if (nice[i] * base >= peak) {
            return nice[i] * base;
        }
    }
    return peak;
}

static void put_amount(const struct chart *c, double v, struct buf *b) {
    if (c->scale == SCALE_BYTES) {
        html_bytes(b, v);
        return;
    }
    html_number(b, v, v >= 100 || v == 0 ? 0 : v >= 1 ? 1 : 3);
    buf_text(b, "\xC2\xA0");
    buf_text(b, c->scale == SCALE_PERCENT ? "%" : c->unit);
}

/* The middle of an axis: whole per cents need no decimals. */
static void put_half(const struct chart *c, double v, struct buf *b) {
    if (c->scale == SCALE_PERCENT && v == 50) {
        buf_text(b, "50\xC2\xA0%");
    } else {
        put_amount(c, v, b);
    }
}

static void put_summary(const struct report *r, const struct chart *c, struct series_summary m,
                        bool whole, struct buf *b) {
    double span = report_span_s(r);
    buf_text(b, "mean ");
    put_amount(c, m.mean, b);
    buf_text(b, whole ? ", lowest " : " \xC2\xB7 peak ");
    put_amount(c, whole ? m.least : m.peak, b);
    if (whole) {
        buf_text(b, ", highest ");
        put_amount(c, m.peak, b);
        buf_text(b, " at ");
        html_time(b, (int64_t)m.peak_at * r->step_ns);
    }
    if (span > 0 && m.known_s < span * 0.995) {
        buf_text(b, whole ? "; not known for " : " \xC2\xB7 not known ");
        html_number(b, (1 - m.known_s / span) * 100, 0);
        buf_text(b, whole ? " % of the time" : "\xC2\xA0%");
    }
}

static void put_title(const struct chart *c, bool plain, struct buf *b) {
    if (c->name && !plain) {
        html_name(b, c->title);
    } else {
        html_text(b, span_of(c->title));
    }
}

static void put_svg(const struct report *r, const struct chart *c, const struct report_series *s,
                    struct series_summary m, struct buf *b) {
    double top = top_of(c, m.peak);
    buf_text(b, "<svg class=\"");
    buf_text(b, c->look);
    buf_text(b, "\" role=\"img\" preserveAspectRatio=\"none\" viewBox=\"0 0 ");
    coordinate(b, steps_of(r));
    buf_text(b, " 100\"><title>");
    put_title(c, true, b);
    buf_text(b, "</title><desc>");
    put_summary(r, c, m, true, b);
    buf_text(b, "</desc>");
    put_grid(r, b);
    put_gaps(b, s, steps_of(r));
    put_path(b, s, steps_of(r), top, true);
    put_path(b, s, steps_of(r), top, false);
    buf_text(b, "</svg>");
}

void chart_write(const struct report *r, const struct chart *c, const struct report_series *s,
                 struct buf *b) {
    struct series_summary m = series_summary(s);
    if (!m.any) {
        return;
    }
    double top = top_of(c, m.peak);
    buf_text(b, "<figure><figcaption><b>");
    put_title(c, false, b);
    buf_text(b, "</b> <span>");
    put_summary(r, c, m, false, b);
    buf_text(
        b, "</span></figcaption><div class=\"plot\"><div class=\"y\" aria-hidden=\"true\"><span>");
    put_amount(c, top, b);
    buf_text(b, "</span><span>");
    put_half(c, top / 2, b);
    buf_text(b, "</span><span>0</span></div>");
    put_svg(r, c, s, m, b);
    chart_axis(r, b);
    buf_text(b, "</div></figure>\n");
}

void chart_lane(const struct report *r, const struct chart *c, const struct report_series *s,
                struct buf *b) {
    struct series_summary m = series_summary(s);
    buf_text(b, "<div class=\"lane\"><div class=\"who\"><b>");
    put_title(c, false, b);
    buf_text(b, "</b> <span>");
    if (m.any) {
        put_summary(r, c, m, false, b);
    } else {
        buf_text(b, "not known");
    }
    buf_text(b, "</span></div>");
    put_svg(r, c, s, m, b);
    buf_text(b, "</div>\n");
}
