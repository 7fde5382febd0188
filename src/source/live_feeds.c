/*
 * The sources of all backends: opened where a backend says that it has something, asked again now and then
 * where it has not, read in the order of the table. One that is lost costs what it showed, nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "roster.h"

#define RETRY_NS INT64_C(10000000000)

/* ---- which there are --------------------------------------------------------------------------------- */

static enum err feed_add(struct live *l, uint16_t number, struct live_device *device) {
    uint32_t at = l->feed_count;
    enum err e =
        vec_reserve((void **)&l->feeds, &l->feed_cap, l->feed_count + 1, sizeof(*l->feeds));
    if (e != ERR_OK)
        return e;
    while (at > 0 && l->feeds[at - 1].number > number)
        at--;
    memmove(&l->feeds[at + 1], &l->feeds[at], (l->feed_count - at) * sizeof(*l->feeds));
    l->feeds[at] = (struct live_feed){
        .backend = l->table->list[number - 1], .device = device, .number = number};
    l->feed_count++;
    return ERR_OK;
}

enum err live_feeds_add(struct live *l, struct live_device *device) {
    enum err e = ERR_OK;
    for (size_t i = 0; i < l->table->count && e == ERR_OK; i++)
        e = feed_add(l, (uint16_t)(i + 1), device);
    return e;
}

static void feed_close(struct live *l, struct live_feed *f, const char *reason,
                       const struct frame_sink *sink) {
    if (!f->source)
        return;
    f->source->ops->close(f->source);
    f->source = NULL;
    roster_close_left(l->host, f->number, f->device ? f->device->subject->id : 0, reason, sink,
                      clock_mono_ns());
}

void live_feeds_drop(struct live *l, const struct live_device *device,
                     const struct frame_sink *sink) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->feed_count; i++) {
        if (l->feeds[i].device == device)
            feed_close(l, &l->feeds[i], "removed", sink);
        else
            l->feeds[kept++] = l->feeds[i];
    }
    l->feed_count = kept;
}

void live_feeds_finish(struct live *l) {
    for (uint32_t i = 0; i < l->feed_count; i++)
        if (l->feeds[i].source)
            l->feeds[i].source->ops->close(l->feeds[i].source);
    free(l->feeds);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* It has something, and no word of it comes: of a source of processes nobody knows how many are not seen. */
static void lack_memory(struct live *l, struct live_feed *f) {
    f->retry_ns = l->now_ns;
    if (!f->device)
        l->host->tally.unreadable[REASON_FAILED_READ]++;
}

static void feed_open(struct live *l, struct live_feed *f) {
    struct device_info info = {0};
    enum err e;
    if (l->now_ns < f->retry_ns)
        return;
    f->retry_ns = l->now_ns + RETRY_NS;
    if (f->device)
        info = (struct device_info){.subject = f->device->subject,
                                    .driver = f->device->found.driver,
                                    .sys_path = f->device->found.sys_path,
                                    .slot = f->device->found.slot};
    if (!f->backend->probe(l->host, f->device ? &info : NULL))
        return;
    e = f->backend->open(l->host, f->device ? &info : NULL, &f->source);
    if (e == ERR_NOMEM)
        lack_memory(l, f);
    if (e != ERR_OK)
        log_line(LOG_DEBUG, "%s: cannot be opened%s%s: %s", f->backend->name,
                 f->device ? " at " : "", f->device ? f->device->found.id : "", err_text(e));
}

/* Lets frames of a device that could fall asleep pass by an eye for signs of work. */
struct tap {
    const struct frame_sink *sink;
    const struct backend_table *table;
    struct quiet *quiet;
};

static void tap_frame(void *ctx, const struct subject *s, const struct frame *f) {
    const struct tap *t = ctx;
    t->sink->frame(t->sink->ctx, s, f);
    quiet_watch(t->quiet, t->table, s, f);
}

static void feed_read(struct live *l, struct live_feed *f, const struct frame_sink *sink) {
    struct want want = {
        .detail_pid = l->detail_pid, .nameless = l->nameless, .nameless_count = l->nameless_count};
    struct tap tap = {.sink = sink, .table = l->table};
    struct frame_sink watched = {.ctx = &tap, .frame = tap_frame};
    bool watch = f->device && f->device->may_sleep;
    enum err e;
    if (f->source->ops->want) {
        want.process_count = roster_processes(l->host->roster, &want.processes);
        f->source->ops->want(f->source, &want);
    }
    if (watch)
        tap.quiet = &f->device->quiet;
    e = f->source->ops->read(f->source, l->now_ns, watch ? &watched : sink);
    if (e == ERR_OK || e == ERR_AGAIN)
        return;
    log_line(LOG_WARN, "%s: lost%s%s: %s", f->backend->name, f->device ? " at " : "",
             f->device ? f->device->found.id : "", err_text(e));
    f->retry_ns = l->now_ns + RETRY_NS;
    feed_close(l, f, "closed", sink);
}

void live_feeds_retry(struct live *l) {
    for (uint32_t i = 0; i < l->feed_count; i++)
        if (!l->feeds[i].device && !l->feeds[i].source)
            l->feeds[i].retry_ns = 0;
}

static bool is_of_part(const struct live *l, const struct live_feed *f) {
    bool walks = f->backend->walks_processes;
    return l->part == LIVE_WHOLE || walks == (l->part == LIVE_REST);
}

void live_feeds_read(struct live *l, const struct frame_sink *sink) {
    for (uint32_t i = 0; i < l->feed_count; i++) {
        struct live_feed *f = &l->feeds[i];
        if (f->device && (f->device->asleep || f->device->alone))
            continue;
        if (!f->source)
            feed_open(l, f);
        if (f->source && is_of_part(l, f))
            feed_read(l, f, sink);
    }
}

void live_feeds_name(struct live *l, const struct frame_sink *sink) {
    const int32_t *pids = NULL;
    size_t count = l->late ? l->late->pids(l->late->ctx, &pids) : 0;
    for (uint32_t i = 0; i < l->feed_count && count > 0; i++) {
        struct source *s = l->feeds[i].source;
        if (s && s->ops->name)
            s->ops->name(s, pids, count, sink);
    }
}
