/*
 * The live machine as one source. A tick is: [machine] begin, devices that come and go, their states, what
 * the sources say, end. Ticks lie on a grid; one that is late does not move those after it.
 */
#include "live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "host.h"
#include "roster.h"

/* ---- frames of the loop --------------------------------------------------------------------------- */

static void emit_text(struct live *l, const struct frame_sink *sink, unsigned kind) {
    if (!l->text.failed)
        host_emit(sink, roster_machine(l->host->roster), kind, clock_mono_ns(), l->text.p,
                  (ssize_t)l->text.n, 0);
}

/* Real time at boot. Another root has a clock of its own, in /proc/stat. */
static int64_t boot_real_ns(struct host *h) {
    enum { STAT_BYTES = 1 << 16 };
    char *text = h->rooted && h->proc_fd >= 0 ? malloc(STAT_BYTES) : NULL;
    int64_t boot_ns = clock_read_ns(CLOCK_REALTIME) - clock_read_ns(CLOCK_BOOTTIME);
    ssize_t n = text ? host_slurp(h, h->proc_fd, "stat", text, STAT_BYTES) : 0;
    if (n > 0) {
        struct cursor c = cursor_over((struct span){text, (size_t)n});
        struct span line;
        uint64_t seconds;
        while (cursor_line(&c, &line))
            if (span_starts(line, "btime ") && !span_to_u64(span_skip(line, 6), &seconds) &&
                seconds < INT64_MAX / 1000000000)
                boot_ns = (int64_t)seconds * 1000000000;
    }
    free(text);
    return boot_ns;
}

static void emit_machine(struct live *l, const struct frame_sink *sink) {
    buf_clear(&l->text);
    facts_put_u64(&l->text, "clk_tck", (uint64_t)l->host->clk_tck);
    facts_put_u64(&l->text, "page", (uint64_t)l->host->page_size);
    facts_put_u64(&l->text, "boot_ns", (uint64_t)boot_real_ns(l->host));
    buf_text(&l->text, l->host->machine_facts);
    emit_text(l, sink, FRAME_MACHINE);
}

static void emit_begin(struct live *l, const struct frame_sink *sink) {
    buf_clear(&l->text);
    facts_put_u64(&l->text, "real_ns", (uint64_t)clock_read_ns(CLOCK_REALTIME));
    facts_put_u64(&l->text, "boot_ns", (uint64_t)clock_read_ns(CLOCK_BOOTTIME));
    emit_text(l, sink, FRAME_BEGIN);
}

/* "PREFIX.REASON=count" */
static void put_reasons(struct buf *b, const char *prefix, const uint32_t counts[REASON_COUNT]) {
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (counts[i] > 0) {
            buf_text(b, prefix);
            facts_put_u64(b, reason_word(i), counts[i]);
        }
}

/* A /proc that is there and cannot be opened holds nobody knows how many processes: at least one. */
static void count_proc(const struct host *h, struct host_tally *t) {
    enum outcome why = outcome_from_sys(h->proc_sys);
    if (h->proc_fd < 0 && why != OUTCOME_GONE)
        t->unreadable[why == OUTCOME_DENIED ? REASON_DENIED : REASON_FAILED_READ]++;
}

static void emit_end(struct live *l, const struct frame_sink *sink) {
    struct host_tally *t = &l->host->tally;
    int64_t cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    buf_clear(&l->text);
    facts_put_u64(&l->text, "cpu_ns", (uint64_t)(cpu_ns - l->cpu_ns));
    facts_put_u64(&l->text, "syscalls", t->syscalls);
    facts_put_u64(&l->text, "processes", t->processes);
    facts_put_u64(&l->text, "looked", t->looked);
    count_proc(l->host, t);
    live_devices_tally(l, t);
    put_reasons(&l->text, "unreadable.", t->unreadable);
    put_reasons(&l->text, "devices.", t->devices);
    emit_text(l, sink, FRAME_END);
    l->cpu_ns = cpu_ns;
    *t = (struct host_tally){0};
}

/* ---- the source ------------------------------------------------------------------------------------- */

static void live_poll(struct source *s, int64_t now_ns, struct source_wait *out) {
    const struct live *l = (const struct live *)s;
    *out = (struct source_wait){.fd = -1, .due_ns = l->due_ns};
    if (l->part == LIVE_HELD)
        out->due_ns = INT64_MAX;
    else if (l->part == LIVE_REST)
        out->due_ns = now_ns;
}

static void live_want(struct source *s, const struct want *w) {
    struct live *l = (struct live *)s;
    l->detail_pid = w->detail_pid;
    l->late = w->late;
    l->nameless_count = 0;
    if (w->nameless_count == 0 || w->nameless_count > UINT32_MAX / 2 ||
        vec_reserve((void **)&l->nameless, &l->nameless_cap, (uint32_t)w->nameless_count,
                    sizeof(*l->nameless)) != ERR_OK)
        return;
    l->nameless_count = (uint32_t)w->nameless_count;
    memcpy(l->nameless, w->nameless, l->nameless_count * sizeof(*l->nameless));
}

/* After a tick before its time the grid starts anew. */
static int64_t next_due(const struct live *l, int64_t now_ns) {
    int64_t delay_ns = l->host->delay_ns;
    if (!l->started || now_ns < l->due_ns)
        return now_ns + delay_ns;
    return l->due_ns + delay_ns * (1 + (now_ns - l->due_ns) / delay_ns);
}

static void begin(struct live *l, int64_t now_ns, const struct frame_sink *sink) {
    l->due_ns = next_due(l, now_ns);
    roster_begin_tick(l->host->roster);
    if (!l->started)
        emit_machine(l, sink);
    l->started = true;
    l->now_ns = now_ns;
    emit_begin(l, sink);
    if (host_find_proc(l->host))
        live_feeds_retry(l);
    live_devices_follow(l, sink);
    live_state_tell_all(l, sink);
}

static void hold(struct live *l) {
    const uint64_t one = 1;
    l->part = LIVE_HELD;
    while (write(l->opened_fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static enum err live_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct live *l = (struct live *)s;
    bool opening = l->part == LIVE_OPENING;
    bool raised;
    if (l->part == LIVE_HELD)
        return ERR_AGAIN;
    if (l->part != LIVE_REST)
        begin(l, now_ns, sink);
    raised = !l->host->rooted && rights_raise(true);
    live_feeds_read(l, sink);
    if (!opening)
        live_feeds_name(l, sink);
    if (raised)
        rights_lower();
    if (opening) {
        hold(l);
        return ERR_AGAIN;
    }
    l->part = LIVE_WHOLE;
    emit_end(l, sink);
    return ERR_OK;
}

static void find_device(void *ctx, const struct frame_sink *sink) {
    live_devices_meet(ctx, sink);
}

static void live_close(struct source *s) {
    struct live *l = (struct live *)s;
    if (!l)
        return;
    roster_set_finder(l->host->roster, NULL, NULL);
    live_feeds_finish(l);
    live_devices_finish(l);
    buf_finish(&l->text);
    if (l->opened_fd >= 0)
        close(l->opened_fd);
    free(l->nameless);
    free(l);
}

static const struct source_ops ops = {
    .poll = live_poll,
    .read = live_read,
    .want = live_want,
    .close = live_close,
};

enum err live_create(struct host *h, const struct backend_table *table, struct source **out,
                     struct err_info *info) {
    struct live *l = calloc(1, sizeof(*l));
    if (!l)
        return err_set(info, ERR_NOMEM, 0, err_text(ERR_NOMEM), NULL);
    l->source.ops = &ops;
    l->host = h;
    l->table = table;
    l->opened_fd = -1;
    buf_init(&l->text);
    buf_init(&l->devices.facts);
    roster_set_table(h->roster, table);
    roster_set_finder(h->roster, find_device, l);
    bool raised = !h->rooted && rights_raise(true);
    enum err e = live_feeds_add(l, NULL);
    if (raised)
        rights_lower();
    if (e != ERR_OK) {
        live_close(&l->source);
        return err_set(info, ERR_NOMEM, 0, err_text(ERR_NOMEM), NULL);
    }
    l->cpu_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    l->due_ns = clock_mono_ns();
    *out = &l->source;
    return ERR_OK;
}

void live_delay(struct source *live, int64_t delay_ns) {
    struct live *l = (struct live *)live;
    if (delay_ns <= 0)
        return;
    l->due_ns += delay_ns - l->host->delay_ns;
    l->host->delay_ns = delay_ns;
}

int live_split(struct source *live) {
    struct live *l = (struct live *)live;
    l->opened_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->opened_fd >= 0)
        l->part = LIVE_OPENING;
    return l->opened_fd;
}

void live_go(struct source *live, int64_t nothing) {
    struct live *l = (struct live *)live;
    (void)nothing;
    if (l->part == LIVE_OPENING)
        l->part = LIVE_WHOLE;
    else if (l->part == LIVE_HELD)
        l->part = LIVE_REST;
}
