/*
 * Devices: known by their id text for good, so that one that comes back is the same line; its
 * clients end when it goes. Pure.
 */
#include "work.h"

static const struct span nameless_id = {"unknown", 7};

bool driver_omits_zero(struct span driver) {
    return span_equals(driver, "amdgpu");
}

void device_set_driver(struct acct *a, uint32_t device, struct span driver) {
    if (driver.n == 0)
        return;
    device_at(a, device)->driver_omits_zero = driver_omits_zero(driver);
    (void)name_set(a, &device_at(a, device)->driver, driver);
}

/* By its name a thing is found again: false where there was no memory for it. Devices, engines and regions never
 * end, so that one without is the last of its table, and is taken off again. */
static bool name_first(struct acct *a, struct text_ref *ref, struct span name) {
    (void)name_set(a, ref, name);
    return ref->len == name.n;
}

/* The device of this id, a new one if there is none. Two texts of one hash stand one key apart. */
static uint32_t find_or_create(struct acct *a, struct span id) {
    struct map_key k = {span_hash(id), 0};
    uint32_t index;
    for (; (index = map_get(&a->maps[M_DEVICE], k)) != MAP_NONE; k.lo++)
        if (name_order(0, name_get(a, device_at(a, index)->id), 0, id) == 0)
            return index;
    index = acct_take(a, T_DEVICE);
    if (index == NONE)
        return NONE;
    struct device *d = device_at(a, index);
    *d = (struct device){.engines = NONE,
                         .regions = NONE,
                         .clients = NONE,
                         .oldest_context = NONE,
                         .newest_context = NONE,
                         .activity = NONE,
                         .stray_row = NONE,
                         .energy = {.metric = NONE}};
    if (name_first(a, &d->id, id) && acct_put(a, M_DEVICE, k, index))
        return index;
    a->tables[T_DEVICE].n--;
    return NONE;
}

/* The name for people: what was looked up, else the PCI ids, else the driver, else the id. */
static struct span best_name(const struct subject *s, struct span id) {
    static const char *const keys[] = {"name", "pci", "driver"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct span name = facts_get(s->facts, keys[i]);
        if (name.n > 0)
            return name;
    }
    return id;
}

uint32_t device_open(struct acct *a, const struct subject *s) {
    struct span id = span_of(s->name);
    if (id.n == 0)
        id = nameless_id;
    uint32_t index = find_or_create(a, id);
    if (index == NONE)
        return NONE;
    struct device *d = device_at(a, index);
    d->subject = s->id;
    d->number = s->number;
    d->state = DEVICE_ACTIVE;
    d->counters = COUNTERS_NONE;
    d->has_session = false;
    d->said_asleep = d->passed_over = d->woke = false;
    d->woke_seq = a->now.seq;
    (void)name_set(a, &d->name, best_name(s, id));
    (void)name_set(a, &d->slot, facts_get(s->facts, "slot"));
    (void)name_set(a, &d->nodes, facts_get(s->facts, "node_names"));
    device_set_driver(a, index, facts_get(s->facts, "driver"));
    a->now.devices_changed = true;
    return index;
}

uint32_t device_nameless(struct acct *a) {
    uint32_t index = find_or_create(a, nameless_id);
    if (index == NONE || device_at(a, index)->name.len > 0)
        return index;
    (void)name_set(a, &device_at(a, index)->name, nameless_id);
    device_at(a, index)->number = UINT64_MAX;
    a->now.devices_changed = true;
    return index;
}

/* The one with this slot that is still there, else that is gone. */
static uint32_t find_slot(const struct acct *a, struct span slot) {
    uint32_t found = NONE;
    for (uint32_t i = 0; i < a->tables[T_DEVICE].n; i++) {
        const struct device *d = device_at(a, i);
        if (name_order(0, name_get(a, d->slot), 0, slot) != 0)
            continue;
        if (d->state != DEVICE_REMOVED)
            return i;
        found = i;
    }
    return found;
}

/* Nothing is known of it but what its clients' texts say: awake, so that these count. Texts of words
 * may move with each name that is added. */
static uint32_t stranger(struct acct *a, struct span id, struct span slot, uint32_t driver) {
    uint32_t index = find_or_create(a, id);
    if (index == NONE)
        return NONE;
    struct device *d = device_at(a, index);
    if (d->name.len == 0) {
        (void)name_set(a, &d->slot, slot);
        (void)name_set(a, &d->name, name_get(a, driver == NONE ? d->id : word_ref(a, driver)));
        d->number = UINT64_MAX;
        a->now.devices_changed = true;
    }
    if (d->driver.len == 0)
        device_set_driver(a, index, name_get(a, word_ref(a, driver)));
    return index;
}

uint32_t device_of_slot(struct acct *a, struct span slot, uint32_t driver) {
    uint32_t index = find_slot(a, slot);
    return index == NONE ? stranger(a, slot, slot, driver) : index;
}

uint32_t device_of_node(struct acct *a, uint32_t node, uint32_t driver) {
    return stranger(a, name_get(a, word_ref(a, node)), (struct span){"", 0}, driver);
}

void device_close(struct acct *a, uint32_t device) {
    while (device_at(a, device)->clients != NONE)
        client_end(a, device_at(a, device)->clients);
    device_at(a, device)->state = DEVICE_REMOVED;
}

/* ---- sleep ----------------------------------------------------------------------------------- */

void device_set_state(struct acct *a, uint32_t device, enum device_state state, int64_t t_ns) {
    struct device *d = device_at(a, device);
    if (d->state == DEVICE_ASLEEP && state == DEVICE_ACTIVE) {
        d->woke = true;
        d->woke_ns = t_ns;
        d->woke_seq = a->now.seq;
        d->said_asleep = false;
    }
    d->state = (uint8_t)state;
}

void device_was_read(struct acct *a, uint32_t device, uint8_t outcome) {
    device_at(a, device)->said_asleep = outcome == OUTCOME_ASLEEP;
}

/* ---- names of engines and regions ------------------------------------------------------------ */

uint32_t device_engine(struct acct *a, uint32_t device, struct span name, uint8_t class) {
    uint32_t before = NONE;
    uint32_t at = device_at(a, device)->engines;
    for (; at != NONE; before = at, at = engine_name_at(a, at)->link) {
        const struct engine_name *e = engine_name_at(a, at);
        int order = name_order(e->class, name_get(a, e->name), class, name);
        if (order == 0)
            return at;
        if (order > 0)
            break;
    }
    uint32_t added =
        device_at(a, device)->engine_count < NAMES_MAX ? acct_take(a, T_ENGINE_NAME) : NONE;
    if (added == NONE)
        return NONE;
    struct engine_name *e = engine_name_at(a, added);
    *e = (struct engine_name){.link = at, .class = class, .capacity = 1};
    if (!name_first(a, &e->name, name)) {
        a->tables[T_ENGINE_NAME].n--;
        return NONE;
    }
    e->slot = device_at(a, device)->engine_count++;
    *(before == NONE ? &device_at(a, device)->engines : &engine_name_at(a, before)->link) = added;
    return added;
}

uint32_t device_region(struct acct *a, uint32_t device, struct span name, uint8_t class) {
    uint32_t before = NONE;
    uint32_t at = device_at(a, device)->regions;
    for (; at != NONE; before = at, at = region_name_at(a, at)->link) {
        const struct region_name *r = region_name_at(a, at);
        int order = name_order(r->class, name_get(a, r->name), class, name);
        if (order == 0)
            return at;
        if (order > 0)
            break;
    }
    uint32_t added =
        device_at(a, device)->region_count < NAMES_MAX ? acct_take(a, T_REGION_NAME) : NONE;
    if (added == NONE)
        return NONE;
    struct region_name *r = region_name_at(a, added);
    *r = (struct region_name){.link = at, .class = class, .row = NONE};
    if (!name_first(a, &r->name, name)) {
        a->tables[T_REGION_NAME].n--;
        return NONE;
    }
    r->slot = device_at(a, device)->region_count++;
    *(before == NONE ? &device_at(a, device)->regions : &region_name_at(a, before)->link) = added;
    return added;
}
