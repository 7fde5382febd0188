/*
 * The lines of the process screen: who it is, then what it does on each device and at what cost, then what there is
 * to say at length. Pure.
 */
#include "page.h"
#include "process.h"

#define SHORT_MOST 3 /* lines of a command that stand above all else */
#define NS_PER_S   INT64_C(1000000000)

/* ---- who ------------------------------------------------------------------------------------- */

static bool is_leap(int64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* "2026-11-30 14:20:01" of ns since 1970. */
static void put_moment(struct buf *b, int64_t ns, int64_t offset_s) {
    static const int64_t months[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t s = ns / NS_PER_S + offset_s % 86400;
    int64_t day = s > 0 ? s / 86400 : 0, of_day = s > 0 ? s % 86400 : 0;
    int64_t year = 1970;
    unsigned m = 0;
    for (; day >= 365 + is_leap(year); year++) {
        day -= 365 + is_leap(year);
    }
    while (m < 11 && day >= months[m] + (m == 1 && is_leap(year))) {
        day -= months[m] + (m == 1 && is_leap(year));
        m++;
    }
    buf_i64(b, year);
    buf_char(b, '-');
    put_two(b, m + 1);
    buf_char(b, '-');
    put_two(b, day + 1);
    buf_char(b, ' ');
    put_time_of_day(b, of_day);
}

static void put_ago(struct buf *b, int64_t ns) {
    if (ns < 86400 * NS_PER_S) {
        put_clock(b, ns);
    } else {
        page_put_duration(b, (struct value){.v = ns, .state = STATE_VALUE});
    }
    buf_text(b, " ago");
}

static void draw_times(struct sheet *sh, const struct snap_process *p) {
    struct buf *b = &sh->ui->text;
    buf_clear(b);
    if (p->start_ns.state == STATE_VALUE && p->start_ns.v > 0) {
        put_moment(b, p->start_ns.v, sh->ui->play.utc_offset_s);
        if (sh->s->real_ns > p->start_ns.v) {
            put_ago(page_next(b), sh->s->real_ns - p->start_ns.v);
        }
    }
    page_scratch_fact(sh, "started", ROLE_VALUE);
    if (p->exited) {
        buf_clear(b);
        put_ago(b, sh->s->t_ns - p->exited_ns);
        buf_text(b, ": these are its last numbers");
        page_scratch_fact(sh, "ended", ROLE_WARN);
    }
}

static void draw_user(struct sheet *sh, const struct snap_process *p) {
    struct buf *b = &sh->ui->text;
    buf_clear(b);
    buf_span(b, text_cut(snapshot_text(sh->s, p->user), 64));
    if (p->uid.state == STATE_VALUE) {
        buf_text(b, b->n > 0 ? " (" : "(");
        buf_i64(b, p->uid.v);
        buf_char(b, ')');
    }
    page_scratch_fact(sh, "user", ROLE_VALUE);
    page_known_fact(sh, "container", snapshot_text(sh->s, p->container));
    page_known_fact(sh, "pid in it", snapshot_text(sh->s, p->nspid));
}

/* Of several with that number the one that started last. */
static struct span name_of(const struct snapshot *s, int32_t pid) {
    struct span name = {"", 0};
    for (uint32_t i = 0; i < s->process_count && s->processes[i].pid <= pid; i++) {
        if (s->processes[i].pid == pid) {
            name = snapshot_text(s, s->processes[i].name);
        }
    }
    return name;
}

static void draw_parent(struct sheet *sh, const struct snap_process *p) {
    struct buf *b = &sh->ui->text;
    buf_clear(b);
    if (p->ppid > 0) {
        buf_i64(b, p->ppid);
        buf_char(b, ' ');
        buf_span(b, name_of(sh->s, p->ppid));
    }
    page_scratch_fact(sh, "parent", ROLE_VALUE);
}

/* As its file says, which may be longer, else as the snapshot does. */
static struct span command_of(const struct sheet *sh, const struct snap_process *p) {
    const struct process_text *f = &sh->ui->process.files[PROCESS_COMMAND];
    return process_why_not(sh->ui, PROCESS_COMMAND) ? snapshot_text(sh->s, p->command)
                                                    : span_trim(buf_span_of(&f->text));
}

static void draw_who(struct sheet *sh, const struct snap_process *p) {
    struct span command = command_of(sh, p);
    page_fact(sh, "command", command.n > 0 ? ROLE_VALUE : ROLE_DIM,
              command.n > 0 ? command : span_of("none, or not known"), SHORT_MOST);
    draw_user(sh, p);
    draw_parent(sh, p);
    draw_times(sh, p);
    if (p->by_thread) {
        page_known_fact(sh, "pid", span_of("of one of its threads: nothing says more"));
    }
    struct figure cpu = {span_of("CPU"), FIGURE_SHARE, .v = p->cpu_ppm, .bar = ROLE_BAR_COMPUTE};
    struct figure rss = {span_of("RSS"), FIGURE_SIZE, .v = p->rss};
    page_number(sh, &cpu, "of a CPU, by /proc/PID/stat");
    page_number(sh, &rss, "in memory, by /proc/PID/stat");
}

/* ---- at length ------------------------------------------------------------------------------- */

static void draw_file(struct sheet *sh, const char *label, enum process_file file) {
    const char *why = process_why_not(sh->ui, file);
    const struct process_text *f = &sh->ui->process.files[file];
    struct cursor c = cursor_over(why ? span_of(why) : buf_span_of(&f->text));
    struct span line;
    while (cursor_line(&c, &line)) {
        page_fact(sh, label, why ? ROLE_DIM : ROLE_VALUE, line, PAGE_ALL);
        label = "";
    }
}

static void draw_environment(struct sheet *sh) {
    struct buf *b = &sh->ui->text;
    const struct process_text *f = &sh->ui->process.files[PROCESS_ENVIRONMENT];
    const char *why = process_why_not(sh->ui, PROCESS_ENVIRONMENT);
    buf_clear(b);
    if (why) {
        buf_text(b, why);
    } else {
        put_count(b, f->lines, "variable", "variables");
        buf_text(b, ": e shows them");
    }
    page_scratch_fact(sh, "environment", why ? ROLE_DIM : ROLE_VALUE);
}

static void draw_files(struct sheet *sh, const struct snap_process *p) {
    static const enum process_file files[] = {PROCESS_EXECUTABLE, PROCESS_DIRECTORY, PROCESS_CGROUP,
                                              PROCESS_ENVIRONMENT};
    const char *why = process_why_not(sh->ui, files[0]);
    bool is_all = why != NULL;
    for (size_t i = 1; i < sizeof files / sizeof files[0]; i++) {
        is_all = is_all && process_why_not(sh->ui, files[i]) == why;
    }
    sheet_heading(sh, "Files",
                  span_of(is_all ? "program, directory, cgroup, environment" : "by /proc/PID"));
    if (is_all) {
        page_fact(sh, "", ROLE_DIM, span_of(why), PAGE_ALL);
    } else {
        draw_file(sh, "executable", PROCESS_EXECUTABLE);
        draw_file(sh, "directory", PROCESS_DIRECTORY);
        draw_file(sh, "cgroup", PROCESS_CGROUP);
        draw_environment(sh);
    }
    struct span command = command_of(sh, p);
    if (page_is_long(sh, command, SHORT_MOST)) {
        sheet_heading(sh, "Whole command", span_of(""));
        bool is_on = sheet_next(sh);
        page_flow(sh, is_on, 2, ROLE_VALUE, command, PAGE_ALL);
    }
}

void process_lines(struct sheet *sh, uint32_t first, uint32_t count) {
    const struct snap_process *p = &sh->s->processes[first];
    draw_who(sh, p);
    for (uint32_t i = first; i < first + count; i++) {
        process_row(sh, &sh->s->processes[i]);
    }
    draw_files(sh, p);
}
