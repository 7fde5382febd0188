/*
 * Processes: pid and start time, what they are called, CPU time and memory. A text once seen is
 * kept, also past the exit. Pure.
 */
#include "work.h"

/* Programs that open device nodes for others and pass them on. `more`: longer names count too. */
static const struct {
    const char *comm;
    bool more;
} managers[] = {
    {"systemd", false},
    {"systemd-", true},
    {"(sd-pam)", false},
    {"elogind", true},
    {"seatd", true},
    {"login", false},
    {"gdm", true},
    {"sddm", true},
    {"lightdm", true},
    {"lxdm", true},
    {"xdm", false},
    {"greetd", false},
    {"ly-dm", false},
    {"ly", false},
    {"slim", false},
    {"nodm", false},
    {"consolekit", true},
    {"console-kit-dae", true},
    {"cosmic-greeter", true},
};

static bool is_manager(struct span comm) {
    for (size_t i = 0; i < sizeof(managers) / sizeof(managers[0]); i++)
        if (managers[i].more ? span_starts(comm, managers[i].comm)
                             : span_equals(comm, managers[i].comm))
            return true;
    return false;
}

static struct map_key key_of(int32_t pid, uint64_t start) {
    return (struct map_key){(uint32_t)pid, start};
}

/* One that was known by its pid alone becomes the one whose start time is now learned. */
static uint32_t adopt(struct acct *a, int32_t pid, uint64_t start) {
    uint32_t index = map_get(&a->maps[M_PROCESS], key_of(pid, 0));
    if (index == MAP_NONE || start == 0 || process_at(a, index)->exited)
        return NONE;
    if (!acct_put(a, M_PROCESS, key_of(pid, start), index))
        return NONE;
    (void)map_remove(&a->maps[M_PROCESS], key_of(pid, 0));
    process_at(a, index)->start = start;
    a->now.rows_changed = true;
    return index;
}

uint32_t process_get(struct acct *a, int32_t pid, uint64_t start) {
    uint32_t index = map_get(&a->maps[M_PROCESS], key_of(pid, start));
    if (index == MAP_NONE)
        index = adopt(a, pid, start);
    if (index != NONE)
        return index;
    index = acct_take(a, T_PROCESS);
    if (index == NONE)
        return NONE;
    struct process *p = process_at(a, index);
    *p = (struct process){.pid = pid, .start = start, .holders = NONE};
    p->manager = pid == 1;
    if (!acct_put(a, M_PROCESS, key_of(pid, start), index)) {
        table_give(&a->tables[T_PROCESS], index);
        return NONE;
    }
    (void)acct_put(a, M_PID, key_of(pid, 0), index);
    return index;
}

void process_exited(struct acct *a, uint32_t process, int64_t t_ns) {
    struct process *p = process_at(a, process);
    if (!p->exited)
        p->exited_ns = t_ns;
    p->exited = true;
    p->rss = value_none(STATE_UNKNOWN);
}

void process_release(struct acct *a, uint32_t process) {
    struct process *p = process_at(a, process);
    if (p->holders != NONE || p->rows > 0 || p->subjects > 0)
        return;
    name_drop(a, &p->name);
    name_drop(a, &p->command);
    name_drop(a, &p->user);
    name_drop(a, &p->container);
    name_drop(a, &p->nspid);
    (void)map_remove(&a->maps[M_PROCESS], key_of(p->pid, p->start));
    if (map_get(&a->maps[M_PID], key_of(p->pid, 0)) == process)
        (void)map_remove(&a->maps[M_PID], key_of(p->pid, 0));
    table_give(&a->tables[T_PROCESS], process);
}

static struct text_ref *ref_of(struct process *p, uint8_t kind) {
    switch (kind) {
    case LABEL_COMM:
        return &p->name;
    case LABEL_COMMAND:
        return &p->command;
    case LABEL_USER:
        return &p->user;
    case LABEL_CONTAINER:
        return &p->container;
    case LABEL_NSPID:
        return &p->nspid;
    default:
        return NULL;
    }
}

/* Who may own a client depends on its name: what it holds has to be decided again. */
static void name_changed(struct acct *a, uint32_t process) {
    struct process *p = process_at(a, process);
    bool manager = p->pid == 1 || is_manager(name_get(a, p->name));
    if (manager == p->manager)
        return;
    p->manager = manager;
    for (uint32_t h = p->holders; h != NONE; h = holder_at(a, h)->next[BY_PROCESS]) {
        uint32_t client = holder_at(a, h)->of[BY_CLIENT];
        if (client == NONE)
            continue;
        client_at(a, client)->owner_dirty = true;
        client_mark(a, client);
    }
}

void process_label(struct acct *a, uint32_t process, const struct label *l) {
    struct text_ref *ref = ref_of(process_at(a, process), l->kind);
    if (!ref || l->len == 0 || !l->text)
        return;
    if (name_set(a, ref, (struct span){l->text, l->len}) && l->kind == LABEL_COMM)
        name_changed(a, process);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void cpu_sample(struct cpu *c, uint64_t seq, const struct sample *s) {
    c->state = s->state;
    if (s->state != STATE_VALUE || s->value < 0)
        return;
    bool first = c->seq == 0;
    if (first) {
        c->first_ns = s->value;
        c->first_t_ns = s->t_ns;
    } else if (c->seq != seq) {
        c->base_ns = c->last_ns;
        c->base_t_ns = c->last_t_ns;
        c->has_base = true;
    }
    /* Like every counter it holds its mark. */
    c->last_ns = first || s->value > c->last_ns ? s->value : c->last_ns;
    c->last_t_ns = first || s->t_ns > c->last_t_ns ? s->t_ns : c->last_t_ns;
    c->seq = seq;
}

void process_sample(struct acct *a, uint32_t process, const struct sample *s) {
    struct process *p = process_at(a, process);
    bool value = s->state == STATE_VALUE;
    if (p->exited)
        return;
    switch (s->metric) {
    case METRIC_PROCESS_CPU_TIME:
        cpu_sample(&p->cpu, a->now.seq, s);
        break;
    case METRIC_PROCESS_RSS:
        if (value && s->value < 0)
            p->rss = value_none(STATE_MALFORMED);
        else
            p->rss = value ? value_of(s->value, s->doubt) : value_none(s->state);
        break;
    case METRIC_PROCESS_PPID:
        if (value && s->value >= 0 && s->value <= INT32_MAX)
            p->ppid = (int32_t)s->value;
        break;
    case METRIC_PROCESS_UID:
        if (value && (s->value < 0 || s->value > UINT32_MAX))
            p->uid = value_none(STATE_MALFORMED);
        else if (value)
            p->uid = value_of(s->value, s->doubt);
        else if (p->uid.state != STATE_VALUE)
            p->uid = value_none(s->state);
        break;
    default:
        break;
    }
}

struct value process_cpu_ppm(const struct acct *a, const struct process *p) {
    const struct cpu *c = &p->cpu;
    if (c->state != STATE_VALUE)
        return value_none(c->state);
    if (p->exited && !a->options.whole_span)
        return value_none(STATE_UNKNOWN);
    if (!a->options.whole_span && (c->seq != a->now.seq || !c->has_base))
        return value_none(STATE_UNKNOWN);
    int64_t from_ns = a->options.whole_span ? c->first_ns : c->base_ns;
    int64_t from_t_ns = a->options.whole_span ? c->first_t_ns : c->base_t_ns;
    int64_t t = span_ns(from_t_ns, c->last_t_ns);
    if (t == 0)
        return value_none(STATE_UNKNOWN);
    return value_of(mul_div(c->last_ns - from_ns, PPM, t), 0);
}

struct value process_start_ns(const struct acct *a, const struct process *p) {
    uint64_t tck = p->clk_tck ? p->clk_tck : a->now.clk_tck;
    if (p->start == 0 || tck == 0 || !a->now.has_boot)
        return value_none(STATE_UNKNOWN);
    bool fits = p->start <= UINT64_MAX / 1000000000;
    uint64_t since_boot =
        fits ? p->start * 1000000000 / tck : mul_div_u64(p->start, 1000000000, tck);
    if (since_boot > INT64_MAX)
        return value_none(STATE_UNKNOWN);
    return value_of(add_sat(a->now.boot_ns, (int64_t)since_boot), 0);
}
