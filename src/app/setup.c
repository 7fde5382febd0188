/* Opens what the commands work on, and says on stderr what went wrong. */
#include "setup.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "gwtop/backend.h"
#include "nearest.h"
#include "signals.h"

#define TICK_NS INT64_C(1000000000) /* of a file's own time */

/* What shapes the reading and the output, for the machine frame. */
static void put_machine_facts(const struct options *o, struct buf *facts) {
    facts_put(facts, "version", span_of(GWTOP_VERSION));
    if (o->given[OPT_PCIE_BW])
        facts_put_u64(facts, "option.pcie-bw", 1);
    if (o->assume_voltage_uv > 0)
        facts_put_u64(facts, "option.assume-voltage", o->assume_voltage_uv);
    if (o->given[OPT_LIST])
        return; /* takes nothing and turns nothing: what that would show is not listed */
    if (o->given[OPT_COUNTERS])
        facts_put_u64(facts, "option.counters", 1);
    if (o->given[OPT_SET_PROFILING])
        facts_put_u64(facts, "option.set-profiling", 1);
    if (o->given[OPT_TRACEFS])
        facts_put_u64(facts, "option.tracefs", 1);
    if (o->given[OPT_MALI_PROFILING])
        facts_put_u64(facts, "option.mali-profiling", 1);
    if (!o->given[OPT_MALI_PROFILING] && !o->given[OPT_TRACEFS])
        return;
    facts_put(facts, "option.mali-soc", span_of(o->mali_soc));
    facts_put(facts, "option.mali-dialect", span_of(o->mali_dialect));
    facts_put(facts, "option.mali-end", span_of(o->mali_end));
}

enum err live_start(const struct options *o, int64_t delay_ns, struct live *out,
                    struct err_info *info) {
    struct buf facts;
    enum err e;
    *out = (struct live){0};
    buf_init(&facts);
    put_machine_facts(o, &facts);
    buf_char(&facts, '\0');
    struct host_options options = {.root = o->root,
                                   .delay_ns = delay_ns,
                                   .wake = o->given[OPT_WAKE],
                                   .machine_facts = facts.p};
    e = facts.failed ? err_set(info, ERR_NOMEM, 0, "out of memory", NULL)
                     : host_create(&options, &out->host, info);
    buf_finish(&facts);
    if (e == ERR_OK)
        e = live_create(out->host, &backend_table, &out->source, info);
    if (e != ERR_OK)
        live_stop(out);
    return e;
}

void live_stop(struct live *l) {
    if (l->source)
        l->source->ops->close(l->source);
    host_destroy(l->host);
    *l = (struct live){0};
}

bool vendor_kind_find(const char *name, unsigned *backend, unsigned *kind) {
    for (size_t i = 0; i < backend_table.count; i++)
        for (size_t k = 0; k < backend_table.list[i]->kind_count; k++) {
            const struct kind *candidate = &backend_table.list[i]->kinds[k];
            if (!candidate->file || strcmp(candidate->name, name) != 0)
                continue;
            *backend = (unsigned)i + 1;
            *kind = (unsigned)k;
            return true;
        }
    return false;
}

/* What a file cannot say of itself, as facts of it. */
static void put_vendor_facts(const struct options *o, struct buf *facts) {
    facts_put(facts, "pci", span_of(o->pci_id));
    facts_put(facts, "fw.smc", span_of(o->smu_fw));
    facts_put(facts, "dialect", span_of(o->mali_dialect));
    facts_put(facts, "soc", span_of(o->mali_soc));
    facts_put(facts, "end", span_of(o->mali_end));
    facts_put(facts, "gpu_id", span_of(o->gpu_id));
    facts_put(facts, "l2_features", span_of(o->l2_features));
    facts_put(facts, "timestamp_hz", span_of(o->timestamp_hz));
    facts_put(facts, "clock_hz", span_of(o->clock_hz));
    facts_put(facts, "oa_format", span_of(o->oa_format));
    facts_put(facts, "oa_flags", span_of(o->oa_flags));
    facts_put(facts, "oa_sample", span_of(o->oa_sample));
    if (o->oa_timestamp_hz > 0)
        facts_put_u64(facts, "oa_timestamp_hz", o->oa_timestamp_hz);
    if (o->given[OPT_MALI_DROP_UNPRICED])
        facts_put_u64(facts, "drop_unpriced", 1);
    if (o->given[OPT_MALI_BACKFILL])
        facts_put_u64(facts, "backfill", 1);
    if (o->assume_voltage_uv > 0)
        facts_put_u64(facts, "assume_voltage_uv", o->assume_voltage_uv);
}

enum err vendor_file_open(const struct options *o, const char *path, unsigned backend,
                          unsigned kind, int64_t delay_ns, struct source **out,
                          struct err_info *info) {
    struct buf facts;
    buf_init(&facts);
    put_vendor_facts(o, &facts);
    if (delay_ns == 0)
        facts_put_u64(&facts, "each", 1);
    buf_char(&facts, '\0');
    enum err e = facts.failed
                     ? err_set(info, ERR_NOMEM, 0, "out of memory", NULL)
                     : file_open(path, &backend_table, backend, kind, facts.p, delay_ns, out, info);
    buf_finish(&facts);
    return e;
}

/* One snapshot speaks of the whole span, so that is one tick of what is summed up by ticks. */
static int64_t file_tick_ns(const struct options *o) {
    bool once = o->given[OPT_ONCE] || o->given[OPT_OPENMETRICS];
    int64_t usual_ns = once ? INT64_MAX : TICK_NS;
    return o->delay_ns ? o->delay_ns : usual_ns;
}

static enum err guessed_open(const struct options *o, const char *path, struct source **out,
                             struct err_info *info) {
    struct buf facts;
    buf_init(&facts);
    put_vendor_facts(o, &facts);
    buf_char(&facts, '\0');
    const struct recording_as as = {facts.p, file_tick_ns(o)};
    enum err e = facts.failed ? err_set(info, ERR_NOMEM, 0, "out of memory", NULL)
                              : recording_open_as(path, &backend_table, &as, out, info);
    buf_finish(&facts);
    return e;
}

enum err recording_open(const struct options *o, const char *path, struct source **out,
                        struct err_info *info) {
    unsigned backend;
    unsigned kind;
    if (!o->as)
        return guessed_open(o, path, out, info);
    if (!vendor_kind_find(o->as, &backend, &kind))
        return kind_unknown(o->as, info);
    return vendor_file_open(o, path, backend, kind, file_tick_ns(o), out, info);
}

/* The tree's own copy, for a program that was built but not installed: build/gwtop, build/release/gwtop. */
static bool demo_beside(char *path, size_t cap) {
    static const char *const beside[] = {"/../fixtures/demo/demo.gwt.zst",
                                         "/../../fixtures/demo/demo.gwt.zst",
                                         "/../share/gwtop/demo.gwt.zst"};
    ssize_t n = readlink("/proc/self/exe", path, cap - 1);
    char *slash;
    if (n <= 0)
        return false;
    path[n] = '\0';
    slash = strrchr(path, '/');
    for (size_t i = 0; slash && i < sizeof(beside) / sizeof(beside[0]); i++) {
        size_t size = strlen(beside[i]) + 1;
        if ((size_t)(slash - path) + size > cap)
            return false;
        memcpy(slash, beside[i], size);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

enum err demo_open(struct source **out, struct err_info *info) {
    char path[PATH_MAX];
    bool beside = demo_beside(path, sizeof(path));
    enum err e =
        trace_open(beside ? path : GWTOP_DATADIR "/demo.gwt.zst", &backend_table, out, info);
    return e != ERR_NOENT ? e
                          : err_set(info, e, 0,
                                    "the demonstration is not installed (make install, or run "
                                    "build/gwtop in the tree)",
                                    GWTOP_DATADIR "/demo.gwt.zst");
}

enum err query_from_options(const struct options *o, struct table_query *query,
                            struct column_set *columns, struct err_info *info) {
    enum err e = ERR_OK;
    *query = (struct table_query){
        .user = span_of(o->user), .pid = o->pid, .device = span_of(o->device), .top = o->top};
    *columns = (struct column_set){0};
    if (o->sort)
        e = table_sort_parse(span_of(o->sort), query, info);
    if (e == ERR_OK && o->fields)
        e = column_set_parse(span_of(o->fields), columns, info);
    if (e == ERR_OK && o->filter)
        e = filter_parse(span_of(o->filter), &query->filter, info);
    return e;
}

enum err query_check_device(const struct table_query *q, const struct snapshot *s,
                            struct err_info *info) {
    char name[128];
    if (q->device.n == 0)
        return ERR_OK;
    for (uint32_t i = 0; i < s->device_count; i++)
        if (table_device_matches(s, i, q->device))
            return ERR_OK;
    name[text_clean(name, sizeof(name) - 1, q->device)] = '\0';
    return err_set(info, ERR_NOENT, 0, "no such device (gwtop --list names them)", name);
}

enum insight insight_here(bool replayed) {
    if (replayed)
        return INSIGHT_OWN;
    if (host_has_capability(CAP_SYS_PTRACE))
        return INSIGHT_ALL;
    return geteuid() == 0 ? INSIGHT_ROOT : INSIGHT_OWN;
}

bool stdout_unicode(const struct options *o) {
    return !o->given[OPT_NO_UNICODE] && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool color_refused(const struct options *o) {
    const char *none = getenv("NO_COLOR");
    return o->given[OPT_NO_COLOR] || (none && *none);
}

bool stdout_color(const struct options *o) {
    const char *term = getenv("TERM");
    return !color_refused(o) && term && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

/* A pipe that poll calls writable takes this much without blocking, so that a reader who stopped reading
 * cannot keep a signal from ending the program; elsewhere larger pieces save calls. */
static size_t piece_for(int fd) {
    struct stat st;
    bool known = fstat(fd, &st) == 0;
    bool never_blocks = known && (S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(fd)));
    return never_blocks ? SIZE_MAX : PIPE_BUF;
}

/* Waits until fd takes more; false when the end was asked for. */
static bool wait_writable(int fd) {
    struct pollfd fds[] = {{.fd = fd, .events = POLLOUT}, {.fd = signals_fd(), .events = POLLIN}};
    while (!signals_got()) {
        if (poll(fds, 2, -1) >= 0 && fds[0].revents)
            return true;
        if (fds[1].revents)
            break;
    }
    return false;
}

enum err write_all(int fd, struct buf *b, struct err_info *info) {
    size_t done = 0;
    size_t piece = piece_for(fd);
    if (b->failed)
        return err_set(info, ERR_NOMEM, 0, "out of memory", NULL);
    while (done < b->n) {
        size_t left = b->n - done;
        ssize_t n;
        if (piece != SIZE_MAX && !wait_writable(fd))
            return err_set(info, ERR_CLOSED, EINTR, "ended by a signal", NULL);
        n = write(fd, b->p + done, left < piece ? left : piece);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0 && errno == EPIPE)
            return err_set(info, ERR_CLOSED, EPIPE, "the reader went away", NULL);
        if (n < 0)
            return err_set(info, err_from_sys(errno), errno, "writing the output failed",
                           strerror(errno));
        done += (size_t)n;
    }
    buf_clear(b);
    return ERR_OK;
}

int report(const struct err_info *info) {
    fprintf(stderr, "gwtop: %s\n", info->text[0] ? info->text : err_text(info->code));
    return info->code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}
