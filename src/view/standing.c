/*
 * The order of who worked on a device, so that a reader's eye can follow it: a line moves when its busy share was far
 * from the one that it is sorted by for two ticks, not at each small change. Pure.
 */
#include "counters.h"

#define FAR_PPM   50000
#define FAR_TICKS 2
#define IDLE_MOST 5 /* ticks without work until a line may be left out */

/* The lists have the order of the snapshot: what is not found where it should be counts as new. */
static int order_of(const struct standing *a, const struct standing *b) {
    if (a->is_nobody != b->is_nobody) {
        return a->is_nobody ? 1 : -1;
    }
    if (a->pid != b->pid) {
        return a->pid < b->pid ? -1 : 1;
    }
    if (a->start != b->start) {
        return a->start < b->start ? -1 : 1;
    }
    if ((a->kind == WORKER_CONTEXT) != (b->kind == WORKER_CONTEXT)) {
        return a->kind == WORKER_CONTEXT ? 1 : -1;
    }
    if (a->context != b->context) {
        return a->context < b->context ? -1 : 1;
    }
    if (a->tag != b->tag) {
        return a->tag < b->tag ? -1 : 1;
    }
    return (int)a->tagged - (int)b->tagged;
}

void standings_begin(struct ui *ui, const struct snapshot *s, uint32_t device) {
    struct standings *t = &ui->counters.standings;
    uint32_t subject = s->devices[device].subject;
    if (t->device != subject || s->tick < t->tick) {
        t->count[0] = t->count[1] = 0;
    }
    t->is_new = t->device != subject || s->tick != t->tick;
    t->device = subject;
    t->tick = s->tick;
    t->now = !t->now;
    t->count[t->now] = 0;
    t->at = 0;
}

static const struct standing *find(struct standings *t, const struct standing *who) {
    const struct standing *list = t->list[!t->now];
    uint32_t count = t->count[!t->now];
    while (t->at < count && order_of(&list[t->at], who) < 0) {
        t->at++;
    }
    return t->at < count && order_of(&list[t->at], who) == 0 ? &list[t->at] : NULL;
}

static uint8_t count_up(uint8_t n) {
    return n < UINT8_MAX ? (uint8_t)(n + 1) : n;
}

/* Where it stands in a new tick. What is not known moves nothing. */
static void move(struct standing *it, struct value busy) {
    if (busy.state != STATE_VALUE) {
        return;
    }
    int64_t v = busy.v > 0 ? busy.v : 0;
    it->busy = it->is_known ? it->busy : v;
    it->is_known = true;
    int64_t way = v > it->busy ? v - it->busy : it->busy - v;
    it->away = way > FAR_PPM ? count_up(it->away) : 0;
    it->idle = v == 0 ? count_up(it->idle) : 0;
    if (it->away >= FAR_TICKS) {
        it->busy = v;
        it->away = 0;
    }
}

/* Both lists grow together, so that it does not matter in which a tick is. */
static void keep(struct standings *t, const struct standing *it) {
    uint32_t want = t->count[t->now] + 1;
    for (unsigned i = 0; i < 2; i++) {
        void *p = t->list[i];
        if (vec_reserve(&p, &t->cap[i], want, sizeof *it) != ERR_OK) {
            return;
        }
        t->list[i] = p;
    }
    t->list[t->now][t->count[t->now]++] = *it;
}

int64_t standing_of(struct ui *ui, const struct standing *who, struct value busy, bool *is_idle) {
    struct standings *t = &ui->counters.standings;
    const struct standing *before = find(t, who);
    struct standing it = before ? *before : *who;
    if (!before || t->is_new) {
        move(&it, busy);
    }
    if (!before && it.busy == 0) {
        it.idle = IDLE_MOST;
    }
    *is_idle = it.idle >= IDLE_MOST;
    keep(t, &it);
    return it.busy;
}
