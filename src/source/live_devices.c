/*
 * Devices as they come and go. Their folders in /sys/class are listed every 5 s, at once where their own times
 * say that they changed or somebody met an unknown node; a scan follows where names changed.
 *
 * A scan that could not see all says nothing about what it did not see: what was known stands, and the next
 * ticks look again. A device is its parent in /sys: it stays as long as one node of it is there.
 */
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "roster.h"

#define LIST_NS INT64_C(5000000000)

enum { UNSETTLED_SOON = 3 }; /* so many ticks in a row look again at once, then each listing does */

/* ---- come and go ----------------------------------------------------------------------------------- */

static void device_free(struct live *l, struct live_device *d) {
    live_state_finish(l, d);
    free(d);
}

static void device_remove(struct live *l, uint32_t at, const struct frame_sink *sink) {
    struct live_device *d = l->devices.items[at];
    live_feeds_drop(l, d, sink);
    log_line(LOG_WARN, "%s: the device is gone", d->found.id);
    roster_close(l->host, d->subject, "removed", sink, clock_mono_ns());
    device_free(l, d);
    l->devices.count--;
    memmove(&l->devices.items[at], &l->devices.items[at + 1],
            (l->devices.count - at) * sizeof(*l->devices.items));
}

/* The least index that no device has. */
static uint64_t free_number(const struct live_devices *all) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i]->subject->number == number) {
            number++;
            i = UINT32_MAX; /* from the start */
        }
    return number;
}

/* The device's numbers stay its own when a node goes: who holds that node still holds the device. */
static void take_nodes(struct live *l, const struct live_device *d) {
    for (uint32_t i = 0; i < d->found.node_count; i++)
        if (roster_add_node(l->host->roster, d->subject, d->found.nodes[i].major,
                            d->found.nodes[i].minor) != ERR_OK)
            roster_want_rescan(l->host);
}

/* The facts of the device, with a NUL, in l->devices.facts; false for lack of memory. */
static bool write_facts(struct live *l, struct live_device *d) {
    buf_clear(&l->devices.facts);
    d->nameless = !devices_facts(l->host, &d->found, &l->devices.facts);
    buf_char(&l->devices.facts, '\0');
    return !l->devices.facts.failed;
}

static bool device_declare(struct live *l, struct live_device *d, const struct frame_sink *sink) {
    struct subject like = {.type = SUBJECT_DEVICE, .name = d->found.id};
    like.number = free_number(&l->devices);
    if (!write_facts(l, d))
        return false;
    like.facts = l->devices.facts.p;
    d->subject = roster_open(l->host, &like, sink, clock_mono_ns());
    if (!d->subject)
        return false;
    take_nodes(l, d);
    return true;
}

static enum err device_add(struct live *l, const struct device_found *found,
                           const struct frame_sink *sink) {
    struct live_devices *all = &l->devices;
    struct live_device *d;
    enum err e = vec_reserve((void **)&all->items, &all->cap, all->count + 1, sizeof(*all->items));
    if (e != ERR_OK)
        return e;
    d = calloc(1, sizeof(*d));
    if (!d)
        return ERR_NOMEM;
    d->found = *found;
    d->status_fd = -1;
    d->kept = true;
    if (!device_declare(l, d, sink)) {
        device_free(l, d);
        return ERR_NOMEM;
    }
    all->items[all->count++] = d;
    return ERR_OK;
}

/* Feeds are not added while they are read: a device that was met in a tick has its own from the next on. */
static void feed_all(struct live *l, const struct frame_sink *sink) {
    for (uint32_t i = 0; i < l->devices.count; i++) {
        struct live_device *d = l->devices.items[i];
        if (d->fed)
            continue;
        d->fed = live_feeds_add(l, d) == ERR_OK;
        if (!d->fed)
            live_feeds_drop(l, d, sink);
    }
}

/* ---- what was found and what is known ----------------------------------------------------------------- */

static bool has_node_of(struct live *l, const struct device_found *f, const struct live_device *d) {
    for (uint32_t i = 0; i < f->node_count; i++)
        if (roster_device(l->host, f->nodes[i].major, f->nodes[i].minor) == d->subject)
            return true;
    return false;
}

/* What was found of it; NULL: nothing. */
static const struct device_found *found_of(struct live *l, const struct live_device *d) {
    const struct device_list *found = &l->devices.found;
    for (uint32_t i = 0; i < found->count; i++)
        if (strcmp(found->items[i].id, d->found.id) == 0)
            return &found->items[i];
    for (uint32_t i = 0; i < found->count; i++)
        if (has_node_of(l, &found->items[i], d))
            return &found->items[i];
    return NULL;
}

/* Whether something found is a device that is open; what cannot say who it is goes by its nodes. */
static bool is_known(struct live *l, const struct device_found *f) {
    for (uint32_t i = 0; i < l->devices.count; i++) {
        const struct live_device *d = l->devices.items[i];
        if (strcmp(f->id, d->found.id) == 0 ||
            ((f->sys != 0 || f->anonymous) && has_node_of(l, f, d)))
            return true;
    }
    return false;
}

/* The same device: its nodes may be others, its name is what it was opened under. */
static void renew(struct live *l, struct live_device *d, const struct device_found *f) {
    char id[sizeof(d->found.id)];
    memcpy(id, d->found.id, sizeof(id));
    d->found = *f;
    memcpy(d->found.id, id, sizeof(id));
    d->doubted = false;
    take_nodes(l, d);
}

/* Whether its name, which could not be looked up, is another one now. */
static bool is_renamed(struct live *l, struct live_device *d) {
    struct span before = facts_get(d->subject->facts, "name");
    struct span now;
    if (!d->nameless || !write_facts(l, d))
        return false;
    now = facts_get(l->devices.facts.p, "name");
    return now.n != before.n || memcmp(now.p, before.p, now.n) != 0;
}

/* Nodes of a folder that could not be listed may be there. */
static bool may_be_there(const struct live *l, const struct live_device *d) {
    for (uint32_t i = 0; i < d->found.node_count; i++)
        if (l->devices.doubts[d->found.nodes[i].class].unsure)
            return true;
    return false;
}

static bool stays(struct live *l, struct live_device *d) {
    const struct device_found *f = d->gone ? NULL : found_of(l, d);
    bool first;
    if (!f)
        return !d->gone && may_be_there(l, d);
    if (devices_same(f, &d->found)) {
        renew(l, d, f);
        return !is_renamed(l, d);
    }
    /* Another one now, unless it could not be read who it is: then that has to be so twice, or for good. */
    first = !d->doubted;
    d->doubted = f->sys != 0;
    return f->sys != 0 && (first || host_may_pass(f->sys));
}

static enum err add_unknown(struct live *l, const struct frame_sink *sink) {
    const struct device_list *found = &l->devices.found;
    enum err e = ERR_OK;
    for (uint32_t i = 0; i < found->count && e == ERR_OK; i++)
        if (!is_known(l, &found->items[i]))
            e = device_add(l, &found->items[i], sink);
    return e;
}

/* Makes what is open equal to what was found. */
static enum err apply(struct live *l, const struct frame_sink *sink) {
    struct live_devices *all = &l->devices;
    for (uint32_t i = 0; i < all->count; i++)
        all->items[i]->kept = stays(l, all->items[i]);
    for (uint32_t i = all->count; i > 0; i--)
        if (!all->items[i - 1]->kept)
            device_remove(l, i - 1, sink);
    return add_unknown(l, sink);
}

/* ---- what stays open -------------------------------------------------------------------------------------- */

static bool has_devices(const struct live *l, uint32_t class) {
    for (uint32_t i = 0; i < l->devices.count; i++)
        for (uint32_t k = 0; k < l->devices.items[i]->found.node_count; k++)
            if (l->devices.items[i]->found.nodes[k].class == class)
                return true;
    return false;
}

static bool is_failure(int sys) {
    return sys != 0 && outcome_from_sys(sys) != OUTCOME_GONE;
}

/* A folder that held devices, or was there a moment ago, and is not there is looked for once more. */
static void doubt_class(struct live *l, uint32_t class) {
    struct class_doubt *doubt = &l->devices.doubts[class];
    int sys = l->devices.found.sys[class];
    bool gone = sys != 0 && !is_failure(sys);
    bool was_there = l->devices.marks[class].ino != 0 || has_devices(l, class);
    doubt->unsure = is_failure(sys) || (gone && !doubt->absent && was_there);
    doubt->absent = gone;
    if (is_failure(sys) && sys != doubt->logged)
        log_line(LOG_WARN, "%s: cannot be listed (%s): devices may be missing",
                 devices_classes[class], strerror(sys));
    doubt->logged = is_failure(sys) ? sys : 0;
}

static unsigned reason_of(int sys) {
    return outcome_from_sys(sys) == OUTCOME_DENIED ? REASON_DENIED : REASON_FAILED_READ;
}

static void count_unread(struct live *l) {
    struct live_devices *all = &l->devices;
    memset(all->unread, 0, sizeof(all->unread));
    for (uint32_t i = 0; i < all->found.count; i++)
        if (is_failure(all->found.items[i].sys))
            all->unread[reason_of(all->found.items[i].sys)]++;
}

static bool is_settled(const struct live *l) {
    const struct live_devices *all = &l->devices;
    for (uint32_t i = 0; i < DEVICE_CLASSES; i++)
        if (all->doubts[i].unsure)
            return false;
    for (uint32_t i = 0; i < all->found.count; i++)
        if (all->found.items[i].sys != 0)
            return false;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i]->nameless || all->items[i]->doubted)
            return false;
    return true;
}

void live_devices_tally(const struct live *l, struct host_tally *t) {
    memcpy(t->devices, l->devices.unread, sizeof(t->devices));
    for (uint32_t i = 0; i < DEVICE_CLASSES; i++)
        if (is_failure(l->devices.found.sys[i]))
            t->devices[reason_of(l->devices.found.sys[i])]++;
}

/* ---- when to look ----------------------------------------------------------------------------------------- */

static bool marks_changed(struct live *l) {
    bool changed = false;
    for (size_t i = 0; i < DEVICE_CLASSES; i++) {
        struct class_mark now = {0};
        struct stat st;
        if (host_stat(l->host, l->host->root_fd, devices_classes[i], &st) == 0) {
            now.mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
            now.ino = st.st_ino;
            now.links = st.st_nlink;
        }
        if (memcmp(&now, &l->devices.marks[i], sizeof(now)) != 0)
            changed = true;
        l->devices.marks[i] = now;
    }
    return changed;
}

/* Whether a scan is due whatever the names are. */
static bool scan_wanted(struct live *l, bool listed) {
    const struct live_devices *all = &l->devices;
    bool due = roster_take_rescan(l->host->roster) || !all->known;
    for (uint32_t i = 0; i < all->count; i++)
        due |= all->items[i]->gone;
    return due || (all->unsettled > 0 && (listed || all->unsettled <= UNSETTLED_SOON));
}

static void scan(struct live *l, const struct frame_sink *sink) {
    struct live_devices *all = &l->devices;
    all->fingerprint = all->found.fingerprint;
    all->known = devices_read(l->host, &all->found) == ERR_OK && apply(l, sink) == ERR_OK;
    count_unread(l);
    if (is_settled(l))
        all->unsettled = 0;
    else if (all->unsettled <= UNSETTLED_SOON)
        all->unsettled++;
}

static void look(struct live *l, const struct frame_sink *sink) {
    struct live_devices *all = &l->devices;
    bool listed = marks_changed(l) || l->now_ns >= all->list_due_ns;
    bool wanted = scan_wanted(l, listed);
    bool unsure = false;
    if (!listed && !wanted)
        return;
    all->list_due_ns = l->now_ns + LIST_NS;
    if (devices_list(l->host, &all->found) != ERR_OK) {
        all->known = false;
        return;
    }
    for (uint32_t i = 0; i < DEVICE_CLASSES; i++) {
        doubt_class(l, i);
        unsure |= all->doubts[i].unsure;
    }
    if (wanted || unsure || all->found.fingerprint != all->fingerprint)
        scan(l, sink);
}

void live_devices_follow(struct live *l, const struct frame_sink *sink) {
    l->devices.met = false;
    look(l, sink);
    feed_all(l, sink);
}

void live_devices_meet(struct live *l, const struct frame_sink *sink) {
    struct live_devices *all = &l->devices;
    uint32_t before = all->count;
    if (all->met)
        return;
    all->met = true;
    if (devices_list(l->host, &all->found) != ERR_OK ||
        devices_read(l->host, &all->found) != ERR_OK)
        return;
    for (uint32_t i = 0; i < before; i++) {
        const struct device_found *f = found_of(l, all->items[i]);
        if (f && devices_same(f, &all->items[i]->found))
            renew(l, all->items[i], f);
    }
    if (add_unknown(l, sink) != ERR_OK)
        roster_want_rescan(l->host);
    for (uint32_t i = before; i < all->count; i++)
        live_state_tell(l, all->items[i], sink);
}

void live_devices_finish(struct live *l) {
    for (uint32_t i = 0; i < l->devices.count; i++)
        device_free(l, l->devices.items[i]);
    free(l->devices.items);
    devices_finish(&l->devices.found);
    buf_finish(&l->devices.facts);
}
