/* The table of consumers of a report, and the one of processes that ended. Pure. */
#include "report.h"

/* More rows make no page for people; the sheet has all. */
#define ROWS_SHOWN 250

struct decimals {
    unsigned pws;
    unsigned joules;
    unsigned watts;
    unsigned busy;
};

static void widest(const struct report_work *w, double *pws, double *joules, double *busy) {
    double v = report_within(&w->pws);
    *pws = v > *pws ? v : *pws;
    v = report_within(&w->joules);
    *joules = v > *joules ? v : *joules;
    v = report_within(&w->busy);
    *busy = v > *busy ? v : *busy;
}

static struct decimals decimals_of(const struct report *r) {
    double pws = 0, joules = 0, busy = 0, span = report_span_s(r);
    for (uint32_t i = 0; i < r->order_count; i++) {
        widest(&r->rows[r->order[i]].work, &pws, &joules, &busy);
    }
    for (uint32_t i = 0; i < r->device_count; i++) {
        for (uint32_t k = 0; k < r->devices[i]->loose_count; k++) {
            widest(&r->devices[i]->loose[k].work, &pws, &joules, &busy);
        }
    }
    return (struct decimals){html_decimals(pws), html_decimals(joules),
                             html_decimals(span > 0 ? joules / span : 0), html_decimals(busy)};
}

static void put_share(double part, double whole, bool known, struct buf *b) {
    if (!known || !(whole > 0)) {
        buf_text(b, "<td class=\"n none\">n/a</td>");
        return;
    }
    double share = part / whole * 100;
    share = share > 100 ? 100 : share;
    buf_text(b, "<td class=\"n\">");
    html_number(b, share, 1);
    buf_text(b, "\xC2\xA0%<span class=\"bar\" aria-hidden=\"true\"><i style=\"width:");
    buf_fixed(b, (int64_t)(share * 100), 2, 1);
    buf_text(b, "%\"></i></span></td>");
}

/* From PW s to unpriced time: the cells that rows of every kind have. */
static void put_work(const struct report *r, const struct report_work *w, uint32_t device,
                     struct decimals d, struct buf *b) {
    double span = report_span_s(r);
    struct report_total watts = w->joules;
    bool shares = device < r->device_count;
    html_cell(b, &w->pws, d.pws);
    put_share(report_within(&w->pws), shares ? report_device_pws(r, device) : 0, w->pws.known, b);
    html_cell(b, &w->joules, d.joules);
    watts.base = 0;
    watts.carried = 0;
    watts.last = span > 0 ? report_within(&w->joules) / span : 0;
    html_cell(b, &watts, d.watts);
    buf_text(b, w->method ? "<td>" : "<td class=\"none\">");
    buf_text(b, w->method ? power_method_name(w->method) : "none");
    buf_text(b, "</td>");
    html_cell(b, &w->busy, d.busy);
    html_cell(b, &w->unpriced, d.busy);
}

/* What to call a process that told no name: "[pid]". */
static void put_name(const struct report *r, const struct report_row *row, struct buf *b) {
    if (row->name[0] && !r->options.scrub) {
        buf_text(b, row->name);
        return;
    }
    buf_text(b, r->options.scrub ? "process " : "[");
    buf_i64(b, row->pid);
    buf_text(b, r->options.scrub ? "" : "]");
}

static void put_who(const struct report *r, const struct report_row *row, struct buf *b) {
    buf_text(b, "<th scope=\"row\">");
    struct buf name;
    buf_init(&name);
    put_name(r, row, &name);
    buf_char(&name, '\0');
    html_name(b, name.failed ? "?" : name.p);
    buf_finish(&name);
    if (row->exited) {
        buf_text(b, " <span class=\"tag\">exited</span>");
    }
    if (!r->options.scrub && row->command[0] && strcmp(row->command, row->name) != 0) {
        buf_text(b, "<small>");
        html_name(b, row->command);
        buf_text(b, "</small>");
    }
    buf_text(b, "</th>");
}

static void put_device(const struct report *r, uint32_t device, struct buf *b) {
    buf_text(b, "<td class=\"id\">");
    html_name(b, r->devices[device]->id);
    buf_text(b, "</td>");
}

static void put_row(const struct report *r, const struct report_row *row, struct decimals d,
                    struct buf *b) {
    buf_text(b, "<tr>");
    put_who(r, row, b);
    put_work(r, &row->work, row->device, d, b);
    buf_text(b, "<td class=\"n\">");
    buf_i64(b, row->pid);
    buf_text(b, "</td><td>");
    if (r->options.scrub) {
        buf_text(b, "<span class=\"none\">left out</span>");
    } else if (row->user[0]) {
        html_name(b, row->user);
    } else {
        buf_text(b, "<span class=\"none\">not known</span>");
    }
    buf_text(b, "</td>");
    put_device(r, row->device, b);
    buf_text(b, "</tr>\n");
}

/* A row that stands for no single process; device MAP_NONE: for all. */
static void put_loose(const struct report *r, const char *name, const struct report_work *w,
                      uint32_t device, struct decimals d, struct buf *b) {
    buf_text(b, "<tr class=\"loose\"><th scope=\"row\">");
    html_name(b, name);
    buf_text(b, "</th>");
    put_work(r, w, device, d, b);
    buf_text(b, "<td></td><td></td>");
    if (device < r->device_count) {
        put_device(r, device, b);
    } else {
        buf_text(b, "<td>all</td>");
    }
    buf_text(b, "</tr>\n");
}

static void put_rest(const struct report *r, uint32_t shown, struct decimals d, struct buf *b) {
    struct report_work rest = r->rest;
    uint32_t count = r->rest_count + r->rows_folded + (r->order_count - shown);
    uint32_t device = r->device_count == 1 ? 0 : MAP_NONE;
    struct buf name;
    report_add_work(&rest, &r->folded);
    for (uint32_t i = shown; i < r->order_count; i++) {
        report_add_work(&rest, &r->rows[r->order[i]].work);
    }
    if (count > 0) {
        buf_init(&name);
        buf_char(&name, '(');
        buf_u64(&name, count);
        buf_text(&name, count == 1 ? " other process)" : " other processes)");
        buf_char(&name, '\0');
        put_loose(r, name.failed ? "(other processes)" : name.p, &rest, device, d, b);
        buf_finish(&name);
    }
    for (uint32_t i = 0; i < r->device_count; i++) {
        for (uint32_t k = 0; k < r->devices[i]->loose_count; k++) {
            put_loose(r, r->devices[i]->loose[k].name, &r->devices[i]->loose[k].work, i, d, b);
        }
    }
}

/* ---- the footnote of ~ ------------------------------------------------------------------------ */

static void put_doubt(const char *column, unsigned doubt, unsigned *any, struct buf *b) {
    if (doubt == 0) {
        return;
    }
    buf_text(b, *any > 0 ? "; " : "<p class=\"dim\">~ Not trusted in full. ");
    *any += 1;
    buf_text(b, column);
    buf_text(b, ": ");
    for (unsigned bit = 0, names = 0; doubt_name(bit); bit++) {
        if (doubt & (1u << bit)) {
            buf_text(b, names++ ? ", " : "");
            buf_text(b, doubt_name(bit));
        }
    }
}

/* A mark that only a pointer can open says nothing on paper. */
static void put_doubts(const struct report *r, uint32_t shown, struct buf *b) {
    struct report_work all = {0};
    unsigned any = 0;
    for (uint32_t i = 0; i < shown; i++) {
        report_add_work(&all, &r->rows[r->order[i]].work);
    }
    for (uint32_t i = 0; i < r->device_count; i++) {
        for (uint32_t k = 0; k < r->devices[i]->loose_count; k++) {
            report_add_work(&all, &r->devices[i]->loose[k].work);
        }
    }
    report_add_work(&all, &r->rest);
    report_add_work(&all, &r->folded);
    put_doubt("PW\xC2\xB7s", all.pws.doubt, &any, b);
    put_doubt("J and mean W", all.joules.doubt, &any, b);
    put_doubt("busy time", all.busy.doubt, &any, b);
    put_doubt("unpriced time", all.unpriced.doubt, &any, b);
    buf_text(b, any > 0 ? ".</p>\n" : "");
}

void page_overview(const struct report *r, struct buf *b) {
    struct decimals d = decimals_of(r);
    uint32_t shown = r->order_count < ROWS_SHOWN ? r->order_count : ROWS_SHOWN;
    buf_text(b, "<section aria-labelledby=\"overview\">\n<h2 id=\"overview\">Overview of GPU power "
                "consumers</h2>\n");
    if (r->order_count + r->rest_count + r->rows_folded == 0) {
        buf_text(b, "<p>No process used a GPU in this time.</p>\n");
    }
    buf_text(
        b,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-labelledby=\"consumers\"><table>\n"
        "<caption id=\"consumers\">What each process cost, most PW\xC2\xB7s first. Share: of all "
        "PW\xC2\xB7s of its device. Mean W: joules over the whole span.</caption>\n<thead><tr>"
        "<th scope=\"col\">Process</th><th scope=\"col\" class=\"n\">PW\xC2\xB7s</th>"
        "<th scope=\"col\" class=\"n\">Share</th><th scope=\"col\" class=\"n\">J</th>"
        "<th scope=\"col\" class=\"n\">Mean W</th><th scope=\"col\">Method</th>"
        "<th scope=\"col\" class=\"n\">Busy s</th><th scope=\"col\" class=\"n\">Unpriced s</th>"
        "<th scope=\"col\" class=\"n\">PID</th><th scope=\"col\">User</th>"
        "<th scope=\"col\">Device</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < shown; i++) {
        put_row(r, &r->rows[r->order[i]], d, b);
    }
    put_rest(r, shown, d, b);
    buf_text(b, "</tbody></table></div>\n");
    put_doubts(r, shown, b);
    buf_text(b, "</section>\n");
}

/* ---- time of processes ----------------------------------------------------------------------- */

static void put_ended(const struct report *r, struct buf *b) {
    struct decimals d = decimals_of(r);
    unsigned count = 0;
    for (uint32_t i = 0; i < r->order_count && count < ROWS_SHOWN; i++) {
        const struct report_row *row = &r->rows[r->order[i]];
        if (!row->exited) {
            continue;
        }
        if (count++ == 0) {
            buf_text(
                b, "<div class=\"wide\"><table>\n<caption>Processes that exited, most PW\xC2\xB7s "
                   "first."
                   "</caption>\n<thead><tr><th scope=\"col\">Process</th>"
                   "<th scope=\"col\" class=\"n\">PID</th><th scope=\"col\" class=\"n\">Seen gone "
                   "at</th>"
                   "<th scope=\"col\" class=\"n\">Busy s</th>"
                   "<th scope=\"col\" class=\"n\">PW\xC2\xB7s</th></tr></thead>\n<tbody>\n");
        }
        buf_text(b, "<tr>");
        put_who(r, row, b);
        buf_text(b, "<td class=\"n\">");
        buf_i64(b, row->pid);
        buf_text(b, "</td><td class=\"n\">");
        html_time(b, row->exited_ns > r->first_ns ? row->exited_ns - r->first_ns : 0);
        buf_text(b, "</td>");
        html_cell(b, &row->work.busy, d.busy);
        html_cell(b, &row->work.pws, d.pws);
        buf_text(b, "</tr>\n");
    }
    buf_text(b, count > 0 ? "</tbody></table></div>\n"
                          : "<p class=\"dim\">No process exited in this time.</p>\n");
}

static void put_lane(const struct report *r, const struct report_row *row, struct buf *b) {
    struct buf name;
    struct chart c = {.look = "busy", .scale = SCALE_PERCENT, .name = true};
    buf_init(&name);
    put_name(r, row, &name);
    if (row->name[0] && !r->options.scrub) {
        buf_char(&name, ' ');
        buf_i64(&name, row->pid);
    }
    buf_text(&name, row->exited ? " (exited)" : "");
    buf_char(&name, '\0');
    c.title = name.failed ? "" : name.p;
    chart_lane(r, &c, &r->lanes[row->lane - 1].busy, b);
    buf_finish(&name);
}

static void open_lanes(struct buf *b) {
    buf_text(b,
             "<p class=\"dim\">Use of the busiest engine of each process, 0 to 100 % in each lane. "
             "Dashed: not there, or not known.</p>\n<div class=\"lanes\">\n");
}

void page_timeline(const struct report *r, struct buf *b) {
    static const struct chart other = {
        .title = "all other processes", .look = "busy", .scale = SCALE_PERCENT};
    unsigned count = 0;
    buf_text(
        b,
        "<section aria-labelledby=\"timeline\">\n<h2 id=\"timeline\">Processes over time</h2>\n");
    for (uint32_t i = 0; i < r->order_count && count < REPORT_LANES; i++) {
        const struct report_row *row = &r->rows[r->order[i]];
        if (row->lane == 0) {
            continue;
        }
        if (count++ == 0) {
            open_lanes(b);
        }
        put_lane(r, row, b);
    }
    if (r->other.sum) {
        if (count++ == 0) {
            open_lanes(b);
        }
        chart_lane(r, &other, &r->other, b);
    }
    if (count > 0) {
        chart_axis(r, b);
        buf_text(b, "</div>\n");
    } else {
        buf_text(b, "<p>No process worked on a GPU while it was watched.</p>\n");
    }
    put_ended(r, b);
    buf_text(b, "</section>\n");
}
