/* What a report gathers tick by tick, in bounded memory, and the pieces that write it out. */
#ifndef OUT_REPORT_H
#define OUT_REPORT_H

#include "gwtop/out.h"

#define REPORT_POINTS  600  /* of a series; when they do not suffice, pairs are merged */
#define REPORT_LANES   64   /* processes with a series of their own */
#define REPORT_ROWS    4096 /* processes that are told apart */
#define REPORT_DEVICES 64
#define REPORT_ENGINES 32 /* of a device */
#define REPORT_LOOSE   4  /* rows of a device that belong to no process */

/* A running total as the newest snapshot that told it had it; what the first tick showed lies
 * before the report. seconds, PW s or J. */
struct report_total {
    double base;
    double carried; /* of totals that began anew */
    double last;
    bool known;
    uint8_t state; /* enum state, while not known */
    uint8_t doubt;
};

/* Means over equal steps of time: the sum of value x seconds, and the seconds when it was known. */
struct report_series {
    double *sum; /* NULL: nothing was ever known */
    double *seconds;
};

struct report_work {
    struct report_total busy;
    struct report_total pws;
    struct report_total unpriced;
    struct report_total joules;
    uint8_t method;
};

struct report_row {
    int32_t pid;
    uint64_t start;
    uint32_t device; /* in report->devices */
    struct value start_ns;
    struct value uid;
    int64_t exited_ns; /* monotonic */
    uint64_t seen;     /* number of the newest tick that had it */
    bool exited;
    bool before; /* had ended when the report began */
    char name[96];
    char user[64];
    char container[80];
    char command[320];
    struct report_work work;
    uint32_t lane; /* index + 1; 0: none */
};

struct report_lane {
    struct report_series busy; /* % of the busiest engine */
    double total;
    uint32_t row;
};

struct report_engine {
    char name[64];
    uint8_t class;
    uint32_t capacity;
    struct report_work work;
    struct report_series busy;
};

struct report_loose {
    char name[64];
    uint64_t reasons;
    struct report_work work;
};

struct report_device {
    char id[64];
    char name[128];
    char driver[48];
    uint8_t state;
    uint32_t clients; /* most at once */
    bool asleep_once;
    struct report_work work;
    struct report_engine engines[REPORT_ENGINES];
    uint32_t engine_count;
    struct report_loose loose[REPORT_LOOSE];
    uint32_t loose_count;
    struct report_series busy;   /* % */
    struct report_series watts;  /* of the device alone */
    struct report_series socket; /* of what it is a part of, or its board */
    struct report_series pw;
    struct report_series vram;     /* bytes */
    struct report_series gtt;      /* bytes, with system memory */
    struct report_series coverage; /* % */
    double coverage_least;
    int64_t vram_total; /* 0: not told */
    double pws_all;     /* of all its rows, once they are arranged */
    bool vram_by_clients;
};

struct report {
    struct out_options options;
    uint64_t ticks; /* seen, the first (which only says where totals stand) among them */
    int64_t first_ns;
    int64_t last_ns;
    int64_t first_real_ns;
    int64_t last_real_ns;
    int64_t step_ns; /* of all series */
    struct report_device *devices[REPORT_DEVICES];
    uint32_t device_count;
    uint32_t devices_more;
    struct report_row *rows;
    uint32_t row_count;
    uint32_t row_cap;
    struct map row_at;
    uint32_t rows_more;   /* most processes at once that found no row */
    uint32_t rows_folded; /* in `folded`, since no row was left */
    struct report_work folded;
    struct report_lane lanes[REPORT_LANES];
    uint32_t lane_count;
    struct report_series other; /* % of an engine, summed over processes without a lane */
    uint32_t unreadable;        /* most at once */
    uint32_t unreadable_reasons[REASON_COUNT];
    uint32_t devices_denied;
    uint32_t *order; /* rows to show, most PW s first */
    uint32_t order_count;
    uint32_t order_cap;
    struct report_work rest; /* chosen out, or past -N */
    uint32_t rest_count;
    bool failed; /* out of memory: something is missing */
};

void report_tick(struct report *r, const struct snapshot *s);
void report_html(struct report *r, struct buf *b);
void report_csv(struct report *r, struct buf *b);

/* ---- figures ------------------------------------------------------------------------------- */

/* What came to pass within the report; never below 0. */
double report_within(const struct report_total *t);
void report_see(struct report_total *t, double v, unsigned state, unsigned doubt, bool first);
/* The same of what remains of others' totals: it may fall, which is no new beginning. */
void report_see_rest(struct report_total *t, double v, unsigned state, unsigned doubt, bool first);
/* Adds a total; what is not known in both stays so. */
void report_add(struct report_total *to, const struct report_total *from);
void report_add_work(struct report_work *to, const struct report_work *from);
double report_span_s(const struct report *r);
/* All PW s of a device that anything in the report was told; 0: none. Once the rows are arranged. */
double report_device_pws(const struct report *r, uint32_t device);

/* The value `v` was true from from_ns to to_ns (since the report began). False: out of memory. */
bool series_put(struct report_series *s, int64_t step_ns, int64_t from_ns, int64_t to_ns, double v);
void series_halve(struct report_series *s);
void series_merge(struct report_series *to, struct report_series *from);
void series_finish(struct report_series *s);
bool series_known(const struct report_series *s, unsigned i, double *v);
struct series_summary {
    bool any;
    double mean;
    double least;
    double peak;
    unsigned peak_at;
    double known_s;
};
struct series_summary series_summary(const struct report_series *s);

/* ---- text ---------------------------------------------------------------------------------- */

/* `in` as clean text in a field of `cap` bytes, NUL-terminated; a cut ends in an ellipsis. */
void report_keep(char *out, size_t cap, struct span in);
/* Text from outside, escaped for content and attribute values alike. */
void html_text(struct buf *b, struct span s);
/* The same, its direction kept from what stands around it. */
void html_name(struct buf *b, const char *name);
/* A number with so many decimals; one that is above 0 and would show as 0 is "<0.01". */
void html_number(struct buf *b, double v, unsigned decimals);
unsigned html_decimals(double largest);
/* "1:02:03", "12.5 s" */
void html_time(struct buf *b, int64_t ns);
void html_bytes(struct buf *b, double bytes);
/* A right-aligned cell with the total, or with the word for why there is none. */
void html_cell(struct buf *b, const struct report_total *t, unsigned decimals);

/* A figure with one curve. `percent`: 0..100 on the left. */
enum chart_scale { SCALE_PERCENT, SCALE_PLAIN, SCALE_BYTES };
struct chart {
    const char *title;
    const char *unit; /* of SCALE_PLAIN: "W" */
    const char *look; /* class: colour of the curve */
    uint8_t scale;
    bool name; /* the title is a name from outside */
};
void chart_write(const struct report *r, const struct chart *c, const struct report_series *s,
                 struct buf *b);
/* One low lane, for many under one another; no figure of its own. */
void chart_lane(const struct report *r, const struct chart *c, const struct report_series *s,
                struct buf *b);
void chart_axis(const struct report *r, struct buf *b);

extern const char report_style[];

void page_overview(const struct report *r, struct buf *b);
void page_devices(const struct report *r, struct buf *b);
void page_timeline(const struct report *r, struct buf *b);
void page_rest(const struct report *r, struct buf *b);

#endif
