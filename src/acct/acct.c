/*
 * acct's door: creation, copy, and the frames that open, close and date what the others speak of.
 * Pure but for the allocator.
 */
#include <stdlib.h>
#include <string.h>

#include "work.h"

static const uint32_t element_sizes[TABLE_COUNT] = {
    [T_SUBJECT] = sizeof(struct subject_entry),   [T_DEVICE] = sizeof(struct device),
    [T_ENGINE_NAME] = sizeof(struct engine_name), [T_REGION_NAME] = sizeof(struct region_name),
    [T_PROCESS] = sizeof(struct process),         [T_ROW] = sizeof(struct row),
    [T_ROW_ENGINE] = sizeof(struct row_engine),   [T_CLIENT] = sizeof(struct client),
    [T_ENGINE] = sizeof(struct engine),           [T_REGION] = sizeof(struct region),
    [T_HOLDER] = sizeof(struct holder),           [T_METRIC] = sizeof(struct metric_entry),
    [T_TELLER] = sizeof(struct teller),           [T_ORIGIN] = sizeof(struct origin),
    [T_CONTEXT] = sizeof(struct context),         [T_COUNTER] = sizeof(struct context_counter),
    [T_WORD] = sizeof(struct text_ref),           [T_DIRTY] = sizeof(uint32_t),
    [T_DEVICE_ORDER] = sizeof(struct sort_item),  [T_ROW_ORDER] = sizeof(struct sort_item),
    [T_CLIENT_ORDER] = sizeof(struct sort_item),  [T_METRIC_ORDER] = sizeof(struct sort_item),
};

uint32_t acct_take(struct acct *a, enum table_id t) {
    uint32_t index = table_take(&a->tables[t]);
    a->failed = a->failed || index == NONE;
    return index;
}

bool acct_put(struct acct *a, enum map_id m, struct map_key k, uint32_t value) {
    bool done = map_put(&a->maps[m], k, value) == ERR_OK;
    a->failed = a->failed || !done;
    return done;
}

int64_t mul_div_long(int64_t a, int64_t b, int64_t c) {
    uint64_t v =
        a <= 0 || b <= 0 || c <= 0 ? 0 : mul_div_u64((uint64_t)a, (uint64_t)b, (uint64_t)c);
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

uint8_t state_without_value(unsigned bits) {
    static const uint8_t order[] = {STATE_DENIED, STATE_MALFORMED, STATE_UNKNOWN,
                                    STATE_UNSUPPORTED};
    for (size_t i = 0; i < sizeof(order); i++)
        if (bits & STATE_BIT(order[i]))
            return order[i];
    return STATE_UNKNOWN;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Everything forgotten, memory kept. */
static void clear(struct acct *a) {
    for (unsigned i = 0; i < TABLE_COUNT; i++)
        table_clear(&a->tables[i]);
    for (unsigned i = 0; i < MAP_COUNT; i++)
        map_clear(&a->maps[i]);
    pool_clear(&a->names.pool);
    a->names.waste = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        a->blocks[i].generation = 0;
    a->names.generation = 1;
    a->now = (struct acct_now){.seq = 1};
    a->newest = NONE;
    a->job_number++;
    (void)name_set(a, &a->now.unattributed_name, span_of("(not attributed)"));
    (void)name_set(a, &a->now.floor_name, span_of("(idle floor)"));
    (void)name_set(a, &a->now.stray_name, span_of("(unknown pid)"));
}

enum err acct_create(const struct acct_options *o, struct acct **out) {
    struct acct *a = calloc(1, sizeof(*a));
    if (!a)
        return ERR_NOMEM;
    if (o)
        a->options = *o;
    for (unsigned i = 0; i < TABLE_COUNT; i++)
        a->tables[i].size = element_sizes[i];
    clear(a);
    *out = a;
    return ERR_OK;
}

void acct_destroy(struct acct *a) {
    if (!a)
        return;
    for (unsigned i = 0; i < TABLE_COUNT; i++)
        table_finish(&a->tables[i]);
    for (unsigned i = 0; i < MAP_COUNT; i++)
        map_finish(&a->maps[i]);
    pool_finish(&a->names.pool);
    pool_finish(&a->names.spare);
    for (unsigned i = 0; i < BLOCKS; i++)
        block_finish(&a->blocks[i]);
    free(a);
}

static enum err copy_state(struct acct *to, const struct acct *from) {
    enum err e = pool_copy(&to->names.pool, &from->names.pool);
    for (unsigned i = 0; i < TABLE_COUNT && e == ERR_OK; i++)
        e = table_copy(&to->tables[i], &from->tables[i]);
    for (unsigned i = 0; i < MAP_COUNT && e == ERR_OK; i++)
        e = map_copy(&to->maps[i], &from->maps[i]);
    return e;
}

/* The newest snapshot goes into the block after to's own newest, so that what was handed out before
 * stays as long as it would have. */
enum err acct_copy(struct acct *to, const struct acct *from) {
    if (to == from)
        return ERR_OK;
    uint32_t next = to->newest == NONE ? 0 : (to->newest + 1) % BLOCKS;
    enum err e = copy_state(to, from);
    if (e == ERR_OK && from->newest != NONE)
        e = block_copy(&to->blocks[next], &from->blocks[from->newest]);
    if (e != ERR_OK) {
        clear(to);
        return e;
    }
    /* What the blocks hold of texts belongs to another past. */
    for (unsigned i = 0; i < BLOCKS; i++)
        to->blocks[i].generation = 0;
    /* Nor do the readings that were under way. */
    memset(to->engine_repeats, 0, sizeof(to->engine_repeats));
    memset(to->region_repeats, 0, sizeof(to->region_repeats));
    to->names.waste = from->names.waste;
    to->names.generation = from->names.generation;
    to->options = from->options;
    to->now = from->now;
    to->job_number++;
    to->failed = from->failed;
    to->newest = from->newest == NONE ? NONE : next;
    return ERR_OK;
}

void acct_count_from_zero(struct acct *a, uint64_t start) {
    a->now.from_zero = true;
    a->now.from_zero_start = start;
}

const struct snapshot *acct_snapshot(const struct acct *a) {
    return a->newest == NONE ? NULL : &a->blocks[a->newest].s;
}

bool acct_failed(const struct acct *a) {
    return a->failed;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* The next "key=value" line that has both. */
static bool next_pair(struct cursor *c, struct span *key, struct span *value) {
    struct span line;
    while (cursor_line(c, &line)) {
        struct cursor in = cursor_over(line);
        if (cursor_field(&in, '=', key) && key->n < line.n) {
            *value = span_skip(line, key->n + 1);
            return true;
        }
    }
    return false;
}

static bool number_in(struct span value, int64_t *out) {
    uint64_t v;
    if (span_to_u64(value, &v) != ERR_OK || v > INT64_MAX)
        return false;
    *out = (int64_t)v;
    return true;
}

static void frame_machine(struct acct *a, const struct frame *f) {
    struct cursor c = cursor_over(frame_span(f));
    struct span key, value;
    while (next_pair(&c, &key, &value)) {
        int64_t v;
        if (!number_in(value, &v))
            continue;
        if (span_equals(key, "clk_tck"))
            a->now.clk_tck = (uint64_t)v;
        /* As it was priced where it was recorded, unless told otherwise here. */
        if (span_equals(key, "option.assume-voltage") && a->options.assume_voltage_uv == 0 &&
            v <= UINT32_MAX)
            a->options.assume_voltage_uv = (uint32_t)v;
        if (span_equals(key, "option.counters"))
            a->now.counters_asked = v == 1;
        if (span_equals(key, "boot_ns")) {
            a->now.boot_ns = v;
            a->now.has_boot = v > 0;
        }
    }
}

/* How long the machine is up is said by the first tick's wall clock; from there on it goes by one that nobody sets. */
static void follow_uptime(struct acct *a, bool is_first, int64_t clock_ns) {
    if (is_first)
        a->now.up_ns = a->now.has_boot ? span_ns(a->now.boot_ns, a->now.real_ns) : 0;
    else if (a->now.up_ns > 0)
        a->now.up_ns = add_sat(a->now.up_ns, span_ns(a->now.up_clock_ns, clock_ns));
    a->now.up_clock_ns = clock_ns;
}

static void frame_begin(struct acct *a, const struct frame *f) {
    bool is_first = !a->now.has_first;
    int64_t clock_ns = f->t_ns;
    struct cursor c = cursor_over(frame_span(f));
    struct span key, value;
    acct_finish(a);
    a->now.has_previous = a->now.has_first;
    a->now.previous_ns = a->now.begin_ns;
    a->now.begin_ns = f->t_ns;
    if (is_first)
        a->now.first_ns = f->t_ns;
    a->now.has_first = true;
    a->now.tick_open = true;
    a->now.real_ns = 0;
    a->now.cost_cpu_ns = value_none(STATE_UNKNOWN);
    a->now.cost_syscalls = value_none(STATE_UNKNOWN);
    while (next_pair(&c, &key, &value))
        if (span_equals(key, "real_ns"))
            (void)number_in(value, &a->now.real_ns);
        else if (span_equals(key, "boot_ns"))
            (void)number_in(value, &clock_ns);
    follow_uptime(a, is_first, clock_ns);
}

static uint32_t add_u32(uint32_t a, int64_t b) {
    return b > UINT32_MAX - (int64_t)a ? UINT32_MAX : a + (uint32_t)b;
}

static void count_unreadable(struct acct *a, struct span word, int64_t n) {
    a->now.unreadable = add_u32(a->now.unreadable, n);
    for (unsigned i = 0; i < REASON_COUNT; i++)
        if (span_equals(word, reason_word(i)))
            a->now.unreadable_reasons[i] = add_u32(a->now.unreadable_reasons[i], n);
}

static void frame_end(struct acct *a, const struct frame *f) {
    static const char prefix[] = "unreadable.";
    struct cursor c = cursor_over(frame_span(f));
    struct span key, value;
    if (!a->now.tick_open)
        return;
    /* Only here: a tick that is cut before its end has those of the tick before. */
    a->now.unreadable = a->now.devices_denied = 0;
    memset(a->now.unreadable_reasons, 0, sizeof(a->now.unreadable_reasons));
    while (next_pair(&c, &key, &value)) {
        int64_t v;
        if (!number_in(value, &v))
            continue;
        if (span_equals(key, "cpu_ns"))
            a->now.cost_cpu_ns = value_of(v, 0);
        else if (span_equals(key, "syscalls"))
            a->now.cost_syscalls = value_of(v, 0);
        else if (span_equals(key, "devices.denied"))
            a->now.devices_denied = add_u32(a->now.devices_denied, v);
        else if (span_starts(key, prefix))
            count_unreadable(a, span_skip(key, sizeof(prefix) - 1), v);
    }
    acct_finish(a);
}

static void frame_close(struct acct *a, const struct subject *s, const struct frame *f) {
    struct cursor c = cursor_over(frame_span(f));
    struct span key, value;
    enum ending how = ENDED_CLOSED;
    while (next_pair(&c, &key, &value)) {
        bool exited = span_equals(value, "exited") ||
                      (s->type == SUBJECT_PROCESS && span_equals(value, "reused"));
        if (span_equals(key, "reason") && exited)
            how = ENDED_EXITED;
    }
    subject_close(a, s->id, how, f->t_ns);
}

/* A device on its way to sleep is not touched any more. */
static enum device_state state_in(const struct frame *f, enum device_state before) {
    struct cursor c = cursor_over(frame_span(f));
    struct span line = {"", 0};
    (void)cursor_line(&c, &line);
    line = span_trim(line);
    switch ((enum outcome)f->outcome) {
    case OUTCOME_OK:
        if (line.n == 0)
            return before;
        return span_equals(line, "suspended") || span_equals(line, "suspending") ? DEVICE_ASLEEP
                                                                                 : DEVICE_ACTIVE;
    case OUTCOME_GONE:
        return DEVICE_ACTIVE;
    case OUTCOME_DENIED:
        return DEVICE_DENIED;
    default:
        return before;
    }
}

static void frame_state(struct acct *a, const struct subject *s, const struct frame *f) {
    uint32_t entry = subject_see(a, s);
    uint32_t device = entry == NONE ? NONE : subject_at(a, entry)->device;
    if (device == NONE || s->type != SUBJECT_DEVICE)
        return;
    enum device_state before = (enum device_state)device_at(a, device)->state;
    device_set_state(a, device, state_in(f, before), f->t_ns);
    /* Its state was told before, this says that nothing else is read. */
    device_at(a, device)->passed_over = f->outcome == OUTCOME_ASLEEP;
}

static void take_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct acct *a = ctx;
    reading_end(a, NULL);
    switch (f->kind) {
    case FRAME_MACHINE:
        frame_machine(a, f);
        break;
    case FRAME_BEGIN:
        frame_begin(a, f);
        break;
    case FRAME_END:
        frame_end(a, f);
        break;
    case FRAME_OPEN:
        subject_open(a, s);
        break;
    case FRAME_CLOSE:
        frame_close(a, s, f);
        break;
    case FRAME_STATE:
        frame_state(a, s, f);
        break;
    default:
        reading_begin(a, s, f);
        break;
    }
}

static void take_done(void *ctx, const struct subject *s, const struct frame *f,
                      const struct counts *counts) {
    (void)s;
    if (f->kind > FRAME_STATE)
        reading_end(ctx, counts);
}

static void take_sample(void *ctx, const struct sample *s) {
    reading_sample(ctx, s);
}

static void take_label(void *ctx, const struct label *l) {
    reading_label(ctx, l);
}

static void take_job(void *ctx, const struct job *j) {
    job_take(ctx, j);
}

struct subscriber acct_subscriber(struct acct *a) {
    return (struct subscriber){
        .sink = {.ctx = a, .sample = take_sample, .job = take_job, .label = take_label},
        .frame = take_frame,
        .done = take_done};
}

void acct_finish(struct acct *a) {
    if (!a->now.tick_open)
        return;
    reading_end(a, NULL);
    a->now.tick_open = false;
    acct_build(a);
    a->now.seq++;
}
