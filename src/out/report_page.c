/*
 * The page of a report: its head, what it is about, what was not attributed, and how to read it.
 * One file that needs nothing else. Pure.
 */
#include "lines.h"
#include "report.h"

static void card(struct buf *b, const char *what) {
    buf_text(b, "<div><dt>");
    buf_text(b, what);
    buf_text(b, "</dt><dd>");
}

static void card_end(struct buf *b, const char *small) {
    if (small) {
        buf_text(b, " <small>");
        buf_text(b, small);
        buf_text(b, "</small>");
    }
    buf_text(b, "</dd></div>\n");
}

static void put_sums(const struct report *r, struct buf *b) {
    struct report_work sum = {0};
    for (uint32_t i = 0; i < r->device_count; i++) {
        report_add(&sum.joules, &r->devices[i]->work.joules);
    }
    if (r->device_count == 1 && report_device_pws(r, 0) > 0) {
        double pws = report_device_pws(r, 0);
        card(b, "Work priced");
        html_number(b, pws, html_decimals(pws));
        card_end(b, "PW\xC2\xB7s");
    }
    if (sum.joules.known) {
        double joules = report_within(&sum.joules);
        card(b, "Energy measured");
        html_number(b, joules, html_decimals(joules));
        card_end(b, "J");
    }
}

static void put_cards(const struct report *r, struct buf *b) {
    uint64_t intervals = r->ticks > 0 ? r->ticks - 1 : 0;
    buf_text(b, "<dl class=\"cards\">\n");
    card(b, "Span");
    html_time(b, r->last_ns - r->first_ns);
    card_end(b, NULL);
    card(b, "Ticks");
    buf_u64(b, intervals);
    card_end(b, intervals == 0 ? "nothing measured" : NULL);
    card(b, "Mean interval");
    if (intervals > 0) {
        html_time(b, (int64_t)((uint64_t)(r->last_ns - r->first_ns) / intervals));
        card_end(b, NULL);
    } else {
        card_end(b, "none");
    }
    card(b, "Devices");
    buf_u64(b, r->device_count);
    card_end(b, NULL);
    card(b, "Processes");
    buf_u64(b, (uint64_t)r->order_count + r->rest_count + r->rows_folded);
    card_end(b, NULL);
    put_sums(r, b);
    buf_text(b, "</dl>\n");
}

static void put_names(const struct report *r, struct buf *b) {
    if (r->device_count == 0) {
        buf_text(b, "no device");
    }
    for (uint32_t i = 0; i < r->device_count; i++) {
        buf_text(b, i > 0 ? ", " : "");
        html_text(b, span_of(r->devices[i]->name[0] ? r->devices[i]->name : r->devices[i]->id));
    }
}

static void put_filter(const struct report *r, struct buf *b) {
    const struct table_query *q = &r->options.query;
    char text[96];
    if (q->user.n > 0) {
        report_keep(text, sizeof text, q->user);
        buf_text(b, " Only processes of user ");
        html_name(b, r->options.scrub ? "(left out)" : text);
        buf_text(b, " have rows of their own.");
    }
    if (q->pid != 0) {
        buf_text(b, " Only process ");
        buf_i64(b, q->pid);
        buf_text(b, " has a row of its own.");
    }
    if (q->device.n > 0) {
        report_keep(text, sizeof text, q->device);
        buf_text(b, " Only the device ");
        html_name(b, text);
        buf_text(b, " is reported.");
    }
    if (r->options.scrub) {
        buf_text(b, " Names, users and command lines were left out on request.");
    }
}

static void put_head(const struct report *r, struct buf *b) {
    buf_text(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" "
                "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<title>GPU power report: ");
    put_names(r, b);
    buf_text(b, "</title>\n<style>\n");
    buf_text(b, report_style);
    buf_text(b, "</style>\n</head>\n<body>\n<header>\n<h1>GPU power report</h1>\n<p>");
    put_names(r, b);
    buf_text(b, "<br>");
    if (r->first_real_ns > 0 && r->last_real_ns >= r->first_real_ns) {
        line_utc(b, r->first_real_ns);
        buf_text(b, " to ");
        line_utc(b, r->last_real_ns);
        buf_char(b, '.');
    } else {
        buf_text(b, "Time of day not known: times count from the start.");
    }
    put_filter(r, b);
    buf_text(b, "</p>\n</header>\n<main>\n");
}

/* ---- how to read it ------------------------------------------------------------------------- */

static const struct {
    const char *word;
    const char *means;
} methods[] = {
    {"PW\xC2\xB7s (PseudoWatt seconds)", "One PW is one GPU unit busy at 266 MHz and 1 V; work "
                                         "costs V\xC2\xB2 \xC2\xB7 f \xC2\xB7 t / 266 MHz. "
                                         "It weighs the work of one device fairly, but is no watt, "
                                         "and figures of two devices do not compare."},
    {"measured", "A sensor of the device alone said these watts and joules. It holds for the "
                 "device as a whole and for "
                 "its idle floor."},
    {"shared", "A part of what was measured, dealt out by each process's part of the PW\xC2\xB7s "
               "of the same interval. What the "
               "device draws while idle is set apart first, in a row of its own."},
    {"modelled", "No sensor of the device alone; PW\xC2\xB7s by a voltage that was assumed, from a "
                 "table of the chip or an "
                 "option. A single chip may differ by a tenth or more."},
    {"pseudo", "No sensor of the device alone; PW\xC2\xB7s by clock and voltage as the device told "
               "them. Joules and watts are "
               "then n/a."},
    {"unpriced", "Busy time whose clock or voltage is not known. It is in no PW\xC2\xB7s, and is "
                 "never taken for 0."},
    {"n/a, denied, not known, garbled", "The driver does not say; a right was missing; nobody told "
                                        "it yet; what was said could not be read. A 0 is "
                                        "a measured 0."},
    {"~", "Shown, though not trusted in full: assumed voltage, an estimate, or a value that was "
          "cut. The mark's own "
          "text names which."},
};

static void put_methods(struct buf *b) {
    buf_text(b, "<section aria-labelledby=\"how\">\n<h2 id=\"how\">How to read the figures</h2>\n"
                "<dl class=\"words\">\n");
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        buf_text(b, "<dt>");
        buf_text(b, methods[i].word);
        buf_text(b, "</dt><dd>");
        buf_text(b, methods[i].means);
        buf_text(b, "</dd>\n");
    }
    buf_text(b, "</dl>\n</section>\n");
}

void report_html(struct report *r, struct buf *b) {
    put_head(r, b);
    put_cards(r, b);
    page_overview(r, b);
    page_devices(r, b);
    page_timeline(r, b);
    page_rest(r, b);
    put_methods(b);
    buf_text(b, "<footer>Written by gwtop. This page holds all that it shows and fetches "
                "nothing.</footer>\n"
                "</main>\n</body>\n</html>\n");
}
