/* What a report says of each device, and of what it could not attribute. Pure. */
#include "report.h"

static void put_engine(const struct report_engine *e, double span, unsigned busy, unsigned pws,
                       struct buf *b) {
    double whole = span * (e->capacity ? e->capacity : 1);
    buf_text(b, "<tr><th scope=\"row\">");
    html_name(b, e->name);
    buf_text(b, "</th><td>");
    buf_text(b, engine_class_name((enum engine_class)e->class));
    buf_text(b, "</td><td class=\"n\">");
    buf_u64(b, e->capacity);
    buf_text(b, "</td>");
    html_cell(b, &e->work.busy, busy);
    if (e->work.busy.known && whole > 0) {
        double use = report_within(&e->work.busy) / whole * 100;
        buf_text(b, "<td class=\"n\">");
        html_number(b, use > 100 ? 100 : use, 1);
        buf_text(b, "\xC2\xA0%</td>");
    } else {
        buf_text(b, "<td class=\"n none\">n/a</td>");
    }
    html_cell(b, &e->work.pws, pws);
    html_cell(b, &e->work.unpriced, busy);
    buf_text(b, "</tr>\n");
}

static void put_engines(const struct report *r, const struct report_device *d, struct buf *b) {
    double span = report_span_s(r), busy = 0, pws = 0;
    if (d->engine_count == 0) {
        buf_text(b, "<p>Its driver told no engine time in this time.</p>\n");
        return;
    }
    for (uint32_t i = 0; i < d->engine_count; i++) {
        double v = report_within(&d->engines[i].work.busy);
        busy = v > busy ? v : busy;
        v = report_within(&d->engines[i].work.pws);
        pws = v > pws ? v : pws;
    }
    buf_text(
        b,
        "<div class=\"wide\"><table>\n<caption>Engines. Use: busy time over the span and all units "
        "behind the name.</caption>\n<thead><tr><th scope=\"col\">Engine</th><th "
        "scope=\"col\">Class</th>"
        "<th scope=\"col\" class=\"n\">Units</th><th scope=\"col\" class=\"n\">Busy s</th>"
        "<th scope=\"col\" class=\"n\">Use</th><th scope=\"col\" class=\"n\">PW\xC2\xB7s</th>"
        "<th scope=\"col\" class=\"n\">Unpriced s</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < d->engine_count; i++) {
        put_engine(&d->engines[i], span, html_decimals(busy), html_decimals(pws), b);
    }
    buf_text(b, "</tbody></table></div>\n");
}

static void put_charts(const struct report *r, const struct report_device *d, struct buf *b) {
    static const struct chart busy = {"Device in use", "", "busy", SCALE_PERCENT, false};
    static const struct chart watts = {"Power of the device", "W", "power", SCALE_PLAIN, false};
    static const struct chart socket = {"Power of the whole card or chip", "W", "power",
                                        SCALE_PLAIN, false};
    static const struct chart pw = {"PseudoWatts of all work", "PW", "power", SCALE_PLAIN, false};
    static const struct chart vram = {"Device memory in use", "", "memory", SCALE_BYTES, false};
    static const struct chart held = {"Device memory held by processes", "", "memory", SCALE_BYTES,
                                      false};
    static const struct chart gtt = {"Main memory in use", "", "memory", SCALE_BYTES, false};
    buf_text(b, "<div class=\"charts\">\n");
    chart_write(r, &busy, &d->busy, b);
    chart_write(r, d->watts.sum ? &watts : &socket, d->watts.sum ? &d->watts : &d->socket, b);
    chart_write(r, &pw, &d->pw, b);
    chart_write(r, d->vram_by_clients ? &held : &vram, &d->vram, b);
    chart_write(r, &gtt, &d->gtt, b);
    buf_text(b, "</div>\n");
    if (d->engine_count == 0) {
        return;
    }
    buf_text(b, "<div class=\"lanes\">\n");
    for (uint32_t i = 0; i < d->engine_count; i++) {
        struct chart c = {
            .title = d->engines[i].name, .look = "busy", .scale = SCALE_PERCENT, .name = true};
        chart_lane(r, &c, &d->engines[i].busy, b);
    }
    chart_axis(r, b);
    buf_text(b, "</div>\n");
}

static void put_facts(const struct report_device *d, struct buf *b) {
    buf_text(b, "<p class=\"dim\">");
    html_name(b, d->id);
    buf_text(b, ", driver ");
    html_name(b, d->driver[0] ? d->driver : "not known");
    buf_text(b, ", ");
    buf_text(b, device_state_name((enum device_state)d->state));
    buf_text(b, " at the end");
    if (d->asleep_once && d->state != DEVICE_ASLEEP) {
        buf_text(b, ", asleep for a part of the time");
    }
    if (d->clients > 0) {
        buf_text(b, ", at most ");
        buf_u64(b, d->clients);
        buf_text(b, d->clients == 1 ? " client" : " clients");
    }
    if (d->vram_total > 0) {
        buf_text(b, ", ");
        html_bytes(b, (double)d->vram_total);
        buf_text(b, " of device memory");
    }
    buf_text(b, ".</p>\n");
}

void page_devices(const struct report *r, struct buf *b) {
    buf_text(b, "<section aria-labelledby=\"devices\">\n<h2 id=\"devices\">Devices</h2>\n");
    if (r->device_count == 0) {
        buf_text(b, r->devices_denied > 0
                        ? "<p>Devices could not be listed: permission denied.</p>\n"
                        : "<p>No GPU was found.</p>\n");
    }
    for (uint32_t i = 0; i < r->device_count; i++) {
        const struct report_device *d = r->devices[i];
        buf_text(b, "<h3>");
        html_name(b, d->name[0] ? d->name : d->id);
        buf_text(b, "</h3>\n");
        put_facts(d, b);
        put_charts(r, d, b);
        put_engines(r, d, b);
    }
    if (r->devices_more > 0) {
        buf_text(b,
                 "<p>There were more devices than a report holds: the others are left out.</p>\n");
    }
    buf_text(b, "</section>\n");
}

/* ---- what was not attributed ------------------------------------------------------------------ */

_Static_assert(REASON_COUNT <= 64, "a bit for each reason");

static void put_reasons(uint64_t reasons, struct buf *b) {
    unsigned any = 0;
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        if (reasons & (UINT64_C(1) << i)) {
            buf_text(b, any++ ? "; " : "");
            html_text(b, span_of(reason_text(i)));
        }
    }
    buf_text(b, any ? "" : "<span class=\"none\">none named</span>");
}

static void put_loose(const struct report *r, struct buf *b) {
    buf_text(
        b, "<div class=\"wide\"><table>\n<caption>Busy time and energy of no process, by device."
           "</caption>\n<thead><tr><th scope=\"col\">Row</th><th scope=\"col\">Device</th>"
           "<th scope=\"col\" class=\"n\">Busy s</th><th scope=\"col\" class=\"n\">PW\xC2\xB7s</th>"
           "<th scope=\"col\" class=\"n\">J</th><th "
           "scope=\"col\">Reasons</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < r->device_count; i++) {
        for (uint32_t k = 0; k < r->devices[i]->loose_count; k++) {
            const struct report_loose *l = &r->devices[i]->loose[k];
            buf_text(b, "<tr><th scope=\"row\">");
            html_name(b, l->name);
            buf_text(b, "</th><td>");
            html_name(b, r->devices[i]->id);
            buf_text(b, "</td>");
            html_cell(b, &l->work.busy, 2);
            html_cell(b, &l->work.pws, 2);
            html_cell(b, &l->work.joules, 2);
            buf_text(b, "<td>");
            put_reasons(l->reasons, b);
            buf_text(b, "</td></tr>\n");
        }
    }
    buf_text(b, "</tbody></table></div>\n");
}

static void put_unreadable(const struct report *r, struct buf *b) {
    if (r->unreadable == 0) {
        buf_text(b, "<p>Every process that there was could be read.</p>\n");
        return;
    }
    buf_text(b, "<p>Processes that could not be read, at most at once: ");
    buf_u64(b, r->unreadable);
    buf_text(b, ".</p>\n<ul>\n");
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        if (r->unreadable_reasons[i] > 0) {
            buf_text(b, "<li>");
            buf_u64(b, r->unreadable_reasons[i]);
            buf_text(b, ": ");
            html_text(b, span_of(reason_text(i)));
            buf_text(b, "</li>\n");
        }
    }
    buf_text(b, "</ul>\n");
}

static void put_coverage(const struct report_device *d, struct buf *b) {
    struct series_summary m = series_summary(&d->coverage);
    if (m.any) {
        buf_text(b, "<p>");
        html_name(b, d->name[0] ? d->name : d->id);
        buf_text(b, ": its driver recorded jobs in ");
        html_number(b, m.mean, 1);
        buf_text(b, " % of the time on the mean, in ");
        html_number(b, d->coverage_least, 1);
        buf_text(b, " % at the least; what ran in the rest is not known.</p>\n");
    }
    if (report_within(&d->work.unpriced) > 0) {
        buf_text(b, "<p>");
        html_name(b, d->name[0] ? d->name : d->id);
        buf_text(b, ": ");
        html_number(b, report_within(&d->work.unpriced),
                    html_decimals(report_within(&d->work.unpriced)));
        buf_text(b, " s of busy time have no price, since clock or voltage was not known.</p>\n");
    }
}

void page_rest(const struct report *r, struct buf *b) {
    bool any = false;
    buf_text(b, "<section aria-labelledby=\"rest\">\n<h2 id=\"rest\">What was not attributed, and "
                "why</h2>\n");
    for (uint32_t i = 0; i < r->device_count; i++) {
        any = any || r->devices[i]->loose_count > 0;
    }
    if (any) {
        put_loose(r, b);
    }
    put_unreadable(r, b);
    for (uint32_t i = 0; i < r->device_count; i++) {
        put_coverage(r->devices[i], b);
    }
    if (r->rows_more > 0) {
        buf_text(b, "<p>Up to ");
        buf_u64(b, r->rows_more);
        buf_text(b,
                 " processes at once were more than a report tells apart, and have no row.</p>\n");
    }
    buf_text(b, "</section>\n");
}
