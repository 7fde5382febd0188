/*
 * Totals of the processes without series of their own. Which processes have one changes from tick to tick, so a
 * plain sum over the others would go back, and who reads a counter would take that for a new start and see a rate
 * that nobody had. So what the device's total grows by is theirs, less the growth of those that were told both
 * times. At the first tick it is the plain difference. Pure.
 */
#include "openmetrics_ledger.h"

#include <stdlib.h>

/* What lies above is no time, no energy and no work. */
#define MOST 1e300

/* FNV-1a. */
static uint64_t hash(uint64_t h, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * UINT64_C(1099511628211);
    }
    return h;
}

static uint64_t hash_u64(uint64_t h, uint64_t v) {
    return hash(h, &v, sizeof v);
}

struct map_key om_key(struct span device, const struct snap_process *p, enum om_total total,
                      struct span name) {
    uint64_t hi = hash(UINT64_C(14695981039346656037), device.p, device.n);
    if (p) {
        hi = hash_u64(hash_u64(hi, (uint64_t)p->pid), p->start + 1);
    }
    uint64_t lo = hash_u64(UINT64_C(14695981039346656037), total);
    return (struct map_key){hi, hash(lo, name.p, name.n)};
}

void om_ledger_turn(struct om_ledger *l) {
    l->now = !l->now;
    l->count[l->now] = 0;
    map_clear(&l->map[l->now]);
}

void om_ledger_finish(struct om_ledger *l) {
    for (int i = 0; i < 2; i++) {
        map_finish(&l->map[i]);
        free(l->entries[i]);
    }
}

static const struct om_entry *before(const struct om_ledger *l, struct map_key k) {
    uint32_t at = map_get(&l->map[!l->now], k);
    return at == MAP_NONE ? NULL : &l->entries[!l->now][at];
}

static enum err put(struct om_ledger *l, struct map_key k, struct om_entry entry) {
    void *entries = l->entries[l->now];
    enum err e = vec_reserve(&entries, &l->cap[l->now], l->count[l->now] + 1, sizeof entry);
    l->entries[l->now] = entries;
    if (e == ERR_OK) {
        e = map_put(&l->map[l->now], k, l->count[l->now]);
    }
    if (e == ERR_OK) {
        l->entries[l->now][l->count[l->now]++] = entry;
    }
    return e;
}

enum err om_ledger_told(struct om_ledger *l, struct map_key k, double total,
                        struct om_share *share) {
    const struct om_entry *last = before(l, k);
    share->total += total;
    if (last && total > last->whole) {
        share->growth += total - last->whole;
    }
    return put(l, k, (struct om_entry){.whole = total});
}

enum err om_ledger_settle(struct om_ledger *l, struct map_key k, double whole,
                          struct om_share *share) {
    const struct om_entry *last = before(l, k);
    double growth = last ? whole - last->whole - share->growth : whole - share->total;
    share->rest = (last ? last->rest : 0) + (growth > 0 ? growth : 0);
    share->known = share->rest < MOST;
    return put(l, k, (struct om_entry){.whole = whole, .rest = share->rest});
}
