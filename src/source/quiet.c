/*
 * A device that may sleep, with no client and no activity for 5 s, is left alone until somebody opens it, it
 * sleeps, or 30 s have passed; then it is looked at for 5 s again.
 */
#include "quiet.h"

#define IDLE_NS  INT64_C(5000000000)
#define ALONE_NS INT64_C(30000000000)

bool quiet_tick(struct quiet *q, bool may_sleep, int64_t now_ns) {
    bool active = q->active;
    q->active = false;
    if (!may_sleep || active) {
        *q = (struct quiet){0};
        return false;
    }
    if (q->since_ns == 0 || (q->alone && now_ns - q->since_ns >= ALONE_NS)) {
        *q = (struct quiet){.since_ns = now_ns};
        return false;
    }
    if (!q->alone && now_ns - q->since_ns >= IDLE_NS) {
        q->alone = true;
        q->since_ns = now_ns;
    }
    return q->alone;
}

/* Memory that a display is fed from is busy on an idle device too. */
static bool tells_work(unsigned metric) {
    struct span name = span_of(metric_info(metric)->name);
    return metric == METRIC_ENGINE_BUSY ||
           (span_starts(name, "activity.") && !span_equals(name, "activity.mem"));
}

static void watch_sample(void *ctx, const struct sample *s) {
    struct quiet *q = ctx;
    if (s->state == STATE_VALUE && s->value > 0 && tells_work(s->metric))
        q->active = true;
}

void quiet_watch(struct quiet *q, const struct backend_table *table, const struct subject *s,
                 const struct frame *f) {
    const struct kind *kind = backend_kind(table, s, f->kind);
    struct sink sink = {.ctx = q, .sample = watch_sample};
    struct counts counts = {0};
    if (!kind || (kind->fold && kind->passive))
        return;
    if (kind->fold) /* a session that somebody asked for keeps the device busy, unless it was refused */
        q->active = q->active || f->outcome == OUTCOME_OK;
    else if (kind->decode && f->outcome == OUTCOME_OK)
        kind->decode(s, f, &sink, &counts);
}
