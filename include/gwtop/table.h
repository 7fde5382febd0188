/*
 * table: the process table without a screen: its columns, which rows are chosen, in which order, and
 * what each cell says. The screen and the text outputs share it. Pure.
 */
#ifndef GWTOP_TABLE_H
#define GWTOP_TABLE_H

#include "gwtop/grid.h"
#include "gwtop/snapshot.h"

/* One entry per line of columns.def. */
enum column {
#define COLUMN(id, ...) COLUMN_##id,
#include "gwtop/columns.def"
#undef COLUMN
    COLUMN_COUNT
};

/* What gwtop itself may see of other users' processes, for who is told what would show more. */
enum insight {
    INSIGHT_OWN,  /* its user's alone, or not known: a recording is of another gwtop */
    INSIGHT_ROOT, /* it is root without CAP_SYS_PTRACE, as in a container */
    INSIGHT_ALL   /* it has CAP_SYS_PTRACE: there is no more to be had */
};
/* How it is said what would show more to who has that much. */
enum remedy {
    REMEDY_ONE,     /* "needs ..." */
    REMEDY_SEVERAL, /* "need ..." */
    REMEDY_OWN,     /* of one's own processes that forbid it */
    REMEDY_TEXT     /* of a text that was denied, alone */
};
const char *remedy_text(enum remedy how, enum insight has);

struct column_info {
    const char *key;   /* in --fields, --sort, the configuration */
    const char *title; /* header; fits `width` */
    const char *doc;   /* one sentence: what it is and where it comes from */
    uint8_t width;     /* columns; COMMAND takes what is left, and at least this if it can */
    uint8_t rank;      /* where there is no room the highest is left out first */
    bool left;         /* aligned left */
    bool ascending;    /* sorts the smallest first by default */
    bool shown;        /* part of the default set */
    bool when_used;    /* of the default set only while some row has a value above 0 */
    bool engine;       /* share of one engine class */
};
const struct column_info *column_info(enum column c);
/* By key, without regard to case; COLUMN_COUNT for none. */
enum column column_find(struct span key);
/* The header as it is written: in ASCII without unicode. */
const char *column_title(enum column c, bool unicode);
/* The key nearest to a misspelt one, for "did you mean"; never NULL. */
const char *column_nearest(struct span key);

#define TABLE_COLUMNS_MAX 32
#define COLUMN_WIDTH_LEAST 3
#define COLUMN_WIDTH_MOST  80
struct column_set {
    uint8_t list[TABLE_COLUMNS_MAX];
    uint8_t width[TABLE_COLUMNS_MAX]; /* of the same place in `list`; 0: the column's own */
    uint8_t count;
};
/* "A,B:12,C": names, each with a width if it is to be another than its own. ERR_USAGE with the unknown name (and
 * the nearest known) in info. */
enum err column_set_parse(struct span text, struct column_set *out, struct err_info *info);
/* Appends what column_set_parse() reads. */
void column_set_put(const struct column_set *set, struct buf *out);
/* Columns that the `i`th takes; COMMAND without a width of its own takes what is left, see column_info. */
size_t column_set_width(const struct column_set *set, unsigned i);
/* True for COMMAND without a width: it takes what the others leave. */
bool column_set_stretches(const struct column_set *set, unsigned i);
/* The default set for what is in the snapshot (NULL: without those that show only when used). */
void column_set_default(const struct snapshot *s, struct column_set *out);
/* Leaves columns out by rank until all fit in `width` and COMMAND has some room; keeps the last one. */
void column_set_fit(struct column_set *set, size_t width);

#define FILTER_TEXT_MAX  512 /* bytes */
#define FILTER_NODES_MAX 64
#define FILTER_DEPTH_MAX 16 /* of parentheses and `not` */
/* One test, or what joins two; see src/table/filter.h. */
struct filter_node {
    uint8_t kind;
    uint8_t relation;
    uint8_t column; /* COLUMN_COUNT: the process name */
    uint8_t left;   /* nodes before this one */
    uint8_t right;
    uint16_t at; /* its text, in filter->text */
    uint16_t length;
    double number; /* in the unit of the column */
};
/* Which rows are wanted, as a person writes it: "blender", "gpu>5 and not user=root". Flat: a copy is a filter
 * of its own. Zeroed: all rows. */
struct filter {
    char text[FILTER_TEXT_MAX]; /* as it was written, clean UTF-8, no NUL at its end */
    uint16_t length;
    uint8_t count;  /* the last node is the whole; 0: all rows */
    bool of_device; /* speaks of nothing but the device */
    struct filter_node nodes[FILTER_NODES_MAX];
};
/* `*out` is set only on ERR_OK; nothing but blanks is all rows. ERR_USAGE says in info where (in characters, from 1)
 * and what was expected there. The language stands in gwtop(1). */
enum err filter_parse(struct span text, struct filter *out, struct err_info *info);
/* A number that is not there matches no comparison, neither = nor !=. `process`: index in snapshot->processes. */
bool filter_matches(const struct filter *f, const struct snapshot *s, uint32_t process);

#define TABLE_SORT_MAX 4
struct sort_key {
    uint8_t column;
    bool reverse; /* against the column's own direction */
};
/* What is chosen; zeroed: everything, by GPU %. */
struct table_query {
    struct sort_key sort[TABLE_SORT_MAX];
    uint8_t sort_count;
    bool invert;           /* the whole order */
    bool hide_idle;        /* only rows with engine time in this interval, or unknown */
    bool hide_exited;
    struct span user;      /* exact login name, or the number also where a name is known; empty: all */
    int32_t pid;           /* 0: all */
    struct span device;    /* as for table_device_matches; empty: all */
    struct span search;    /* substring of name or command, any case; empty: all */
    struct filter filter;  /* beside all that; what belongs to nobody only by a filter of devices */
    uint32_t top;          /* at most so many process rows; 0: all */
};
/* "KEY[,KEY...]", each optionally with - (reverse) or + before it. */
enum err table_sort_parse(struct span text, struct table_query *q, struct err_info *info);
/* Appends the same order as table_sort_parse() reads it; nothing where no key is set. */
void table_sort_put(const struct table_query *q, struct buf *out);
/* True if the device is meant: by its index, id (with or without the PCI domain), node ("card1",
 * "renderD129", "/dev/dri/card1"), driver, or part of its name. An empty text means every device. */
bool table_device_matches(const struct snapshot *s, uint32_t device, struct span wanted);

/* Busy share of the busiest engine of a class (CLASS_NONE: of any) in a run of snapshot->engines. */
struct value table_engines(const struct snapshot *s, struct run engines, enum engine_class class);
/* Memory of a class in a run of snapshot->memory: resident, else legacy, else total. */
struct snap_shown table_memory(const struct snapshot *s, struct run memory,
                               enum region_class class);

struct row {
    uint32_t index;      /* in snapshot->processes, ->unattributed or ->clients */
    bool unattributed;   /* these come last, in device order, whatever the sort */
    bool client;         /* a client of a process; never made by table_select */
    bool engine;         /* an engine of such a row: `index` in snapshot->engines; never made by table_select */
    uint32_t owner;      /* of an engine or region: index of its process, or (unattributed too) in ->unattributed */
    bool region;         /* a memory region of such a row: `index` in snapshot->memory; never made by table_select */
    bool total;          /* a sum of rows: `index` in processes of a snapshot of sums; never made by table_select */
    uint8_t depth;       /* below how many others it stands in the tree; at most TABLE_DEPTH_MAX */
    bool last;           /* the last child of its parent there */
    uint16_t trunk;      /* bit n: the one it stands below in depth n + 1 has siblings after it */
};
#define TABLE_DEPTH_MAX 12
struct row_list {
    struct row *rows;
    uint32_t count;
    uint32_t cap;
    uint32_t *order;     /* scratch */
    uint32_t order_cap;
    struct sort_value *values; /* scratch */
    uint32_t value_cap;
    struct row *spare; /* scratch: rows in their new places */
    uint32_t spare_cap;
    struct tree_link *links; /* scratch */
    uint32_t link_cap;
};
void row_list_finish(struct row_list *l);
/* Fills `l` (keeping its memory). Order is total: ties go by pid, start, device, so that equal rows do not
 * jump. ERR_NOMEM leaves it empty. */
enum err table_select(const struct snapshot *s, const struct table_query *q, struct row_list *l);

enum table_group { TABLE_GROUP_NONE, TABLE_GROUP_USER, TABLE_GROUP_CONTAINER };
/* How the rows of table_select() stand. Zeroed: as they are. */
struct table_shape {
    bool tree;     /* processes below their parents that have a row on the same device, and of the same group */
    bool totals;   /* of groups their sums alone; without groups a sum of each device above all rows */
    uint8_t group; /* enum table_group: of a device the rows of one user or container below their sum */
};
/* Sums of rows, as a snapshot with texts of its own that outlives the one summed. Each of its `processes` is the sum
 * of the rows of one group on one device: its pid is 0, `clients` open of all, user and container those that all
 * have; its name is the group's, its command that and how many processes. It has no devices.
 * A sum that lacks a part which is not known is doubted `estimated`; where nothing of a sum is known, or what is
 * known of it is 0, it says why the rest is not. A process that ended lacks nothing but its totals. Shares of
 * an engine are cut at all there is, and doubted. Memory that several can reach counts once, as in a device. Zeroed: no
 * sums. */
struct table_totals {
    struct snapshot s;
    struct snap_process *processes;
    struct snap_engine *engines;
    struct snap_memory *memory;
    uint32_t process_cap;
    uint32_t engine_cap;
    uint32_t memory_cap;
    struct row_list order; /* of the sums, by what the rows are sorted by */
    uint32_t *of;          /* by process of the snapshot: its sum; UINT32_MAX for none */
    struct map names;      /* scratch, as all below */
    uint32_t of_cap;
    uint32_t *starts;
    uint32_t start_cap;
    struct engine_sum *engine_sums;
    uint32_t engine_sum_cap;
    struct memory_sum *memory_sums;
    uint32_t memory_sum_cap;
    struct buf text;
};
void table_totals_finish(struct table_totals *t);
/* Puts the rows that table_select() chose by `q` where they belong, with those of the sums between. What belongs to
 * nobody stays last, each other row is there once unless sums alone are asked for. ERR_NOMEM leaves the rows as they
 * were, without sums. */
enum err table_arrange(const struct snapshot *s, const struct table_query *q,
                       const struct table_shape *shape, struct row_list *l,
                       struct table_totals *t);

/* The share that an engine column or GPU % tells of a row; unsupported where it tells none. */
struct value table_share(const struct snapshot *s, struct row r, enum column c);

/* Appends the cell's text, unpadded, at most `columns` wide, and gives its role. n/a is "-" ("·" is for 0
 * in engine columns with unicode), denied "deny", not yet known "?", malformed "bad"; a value that is
 * shown though not trusted ends in "~". What does not apply to a row is an empty text. */
enum role table_cell(const struct snapshot *s, struct row r, enum column c, bool unicode, size_t columns,
                     struct buf *out);
/* Appends an amount of 0 or more in at most `room` (5 or more) columns: 3 or 4 significant digits as far as there is
 * room, never an exponent: "0.0073", "44.1", "812.4", "12346", "1.23M". What is too little to show is "0.0000". */
void table_amount(double v, size_t room, struct buf *out);
/* Appends a figure of power with its unit: "44.1 W", "1.24 PW~"; or table_word(). */
enum role table_power_text(struct real r, const char *unit, struct buf *out);
/* A figure as it may be shown: below 0, infinite or no number at all is malformed. */
struct real table_real(struct real r);
/* What stands in place of a number that is not there (enum state): "?", "-", "deny", "bad". */
const char *table_word(unsigned state);

/* What is shown of a metric in a run of snapshot->metrics: the whole device's value where it is said, else
 * that of its parts folded as metrics.def says (of shares of time the mean); of several sources one without
 * doubt. Unsupported where nobody speaks of it. */
struct value table_metric(const struct snapshot *s, struct run metrics, unsigned metric);
/* Appends a metric's value with its unit as a person reads it: "61 °C" (without unicode "61 C"), "2165 MHz",
 * "5.1 GiB", "yes"; or table_word(). Doubt is "~" at the end. */
enum role table_metric_text(unsigned metric, struct value v, bool unicode, struct buf *out);
/* The same of a part of a whole in one unit: "112/236 W", "5.1/16.0 GiB". Where the whole is not known or not
 * above 0: the part alone. */
enum role table_metric_of(unsigned metric, struct value v, struct value whole, bool unicode,
                          struct buf *out);
/* The cell of the set's column number `at`, `width` columns wide, and in *lead the blanks before it. A "~" at
 * the end of a number hangs into the blank after the column, so that digits stay in line; where the column after
 * that leaves no blank the number has fewer digits instead, so that columns never touch. */
enum role table_place(const struct snapshot *s, struct row r, const struct column_set *set, unsigned at,
                      size_t width, bool unicode, struct buf *out, size_t *lead);

#endif
