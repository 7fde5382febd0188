/*
 * See acct_feed.h. The frames are those of a bus, in its order: frame, samples and labels, done.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acct_feed.h"

static const struct subject machine = {.type = SUBJECT_MACHINE, .name = "", .facts = ""};

struct acct_feed *feed_create(const struct acct_options *o) {
    struct acct_feed *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    assert_int_equal(acct_create(o, &f->acct), ERR_OK);
    f->out = acct_subscriber(f->acct);
    return f;
}

void feed_destroy(struct acct_feed *f) {
    acct_destroy(f->acct);
    free(f);
}

const struct snapshot *feed_snapshot(const struct acct_feed *f) {
    const struct snapshot *s = acct_snapshot(f->acct);
    assert_non_null(s);
    return s;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void frame(struct acct_feed *f, const struct subject *s, unsigned kind, int64_t t_ns,
                  const char *body) {
    const struct counts none = {0};
    struct frame fr = {.t_ns = t_ns,
                       .bytes = body,
                       .size = strlen(body),
                       .subject = s->id,
                       .kind = (uint16_t)kind};
    f->out.frame(f->out.sink.ctx, s, &fr);
    f->out.done(f->out.sink.ctx, s, &fr, &none);
}

void feed_machine(struct acct_feed *f) {
    frame(f, &machine, FRAME_MACHINE, 0, "clk_tck=100\npage=4096\nboot_ns=1000000000000\n");
}

void feed_option(struct acct_feed *f, const char *line) {
    frame(f, &machine, FRAME_MACHINE, 0, line);
}

void feed_begin(struct acct_feed *f, int64_t t_ns) {
    frame(f, &machine, FRAME_BEGIN, t_ns, "real_ns=1700000000000000000\nboot_ns=5\n");
}

void feed_begin_at(struct acct_feed *f, int64_t t_ns, int64_t real_ns, int64_t boot_ns) {
    char body[80];
    snprintf(body, sizeof body, "real_ns=%lld\nboot_ns=%lld\n", (long long)real_ns,
             (long long)boot_ns);
    frame(f, &machine, FRAME_BEGIN, t_ns, body);
}

void feed_end(struct acct_feed *f, int64_t t_ns, const char *body) {
    frame(f, &machine, FRAME_END, t_ns, body);
}

static void open_subject(struct acct_feed *f, const struct subject *s) {
    assert_true(s->id < FEED_SUBJECTS);
    f->subjects[s->id] = *s;
    frame(f, s, FRAME_OPEN, 0, s->facts);
}

void feed_device(struct acct_feed *f, uint32_t id, const char *name, const char *facts) {
    struct subject s = {
        .id = id, .type = SUBJECT_DEVICE, .number = id, .name = name, .facts = facts};
    open_subject(f, &s);
}

void feed_process(struct acct_feed *f, uint32_t id, int32_t pid, uint64_t start) {
    struct subject s = {.id = id,
                        .type = SUBJECT_PROCESS,
                        .pid = pid,
                        .start = start,
                        .name = "",
                        .facts = "clk_tck=100\npage=4096\n"};
    open_subject(f, &s);
}

static void open_holder(struct acct_feed *f, uint32_t id, uint32_t process, uint32_t device,
                        const char *facts) {
    struct subject s = {.id = id,
                        .type = SUBJECT_HOLDER,
                        .parent = process,
                        .device = device,
                        .pid = f->subjects[process].pid,
                        .start = f->subjects[process].start,
                        .number = id,
                        .name = "",
                        .facts = facts};
    open_subject(f, &s);
}

void feed_holder(struct acct_feed *f, uint32_t id, uint32_t process, uint32_t device) {
    open_holder(f, id, process, device, "");
}

void feed_stray_holder(struct acct_feed *f, uint32_t id, uint32_t process, const char *facts) {
    open_holder(f, id, process, 0, facts);
}

void feed_stream(struct acct_feed *f, uint32_t id, uint32_t device, int32_t pid, uint16_t backend) {
    struct subject s = {.id = id,
                        .type = SUBJECT_STREAM,
                        .device = device,
                        .backend = backend,
                        .pid = pid,
                        .name = "",
                        .facts = ""};
    open_subject(f, &s);
}

void feed_stream_facts(struct acct_feed *f, uint32_t id, uint32_t device, const char *facts) {
    struct subject s = {.id = id,
                        .type = SUBJECT_STREAM,
                        .device = device,
                        .backend = 1,
                        .name = "",
                        .facts = facts};
    open_subject(f, &s);
}

void feed_close(struct acct_feed *f, uint32_t id, int64_t t_ns, const char *reason) {
    char body[64] = "reason=";
    strncat(body, reason, sizeof(body) - 9);
    strcat(body, "\n");
    frame(f, &f->subjects[id], FRAME_CLOSE, t_ns, body);
}

void feed_state(struct acct_feed *f, uint32_t id, int64_t t_ns, const char *status) {
    frame(f, &f->subjects[id], FRAME_STATE, t_ns, status);
}

void feed_left_alone(struct acct_feed *f, uint32_t id, int64_t t_ns) {
    const struct counts none = {0};
    struct frame fr = {.t_ns = t_ns, .subject = id, .kind = FRAME_STATE, .outcome = OUTCOME_ASLEEP};
    f->out.frame(f->out.sink.ctx, &f->subjects[id], &fr);
    f->out.done(f->out.sink.ctx, &f->subjects[id], &fr, &none);
}

static void begin_kind(struct acct_feed *f, uint32_t id, int64_t t_ns, unsigned kind,
                       enum outcome outcome, struct frame *out) {
    *out = (struct frame){.t_ns = t_ns,
                          .subject = id,
                          .kind = (uint16_t)(FRAME_BACKEND + kind),
                          .outcome = (uint8_t)outcome};
    f->out.frame(f->out.sink.ctx, &f->subjects[id], out);
}

static void begin_read(struct acct_feed *f, uint32_t id, int64_t t_ns, enum outcome outcome,
                       struct frame *out) {
    begin_kind(f, id, t_ns, 0, outcome, out);
}

static void end_read(struct acct_feed *f, uint32_t id, const struct frame *fr,
                     const struct counts *c) {
    f->out.done(f->out.sink.ctx, &f->subjects[id], fr, c);
}

void feed_failed_kind(struct acct_feed *f, uint32_t id, int64_t t_ns, unsigned kind,
                      enum outcome outcome) {
    const struct counts counts = {.ignored = 1};
    struct frame fr;
    begin_kind(f, id, t_ns, kind, outcome, &fr);
    end_read(f, id, &fr, &counts);
}

void feed_failed(struct acct_feed *f, uint32_t id, int64_t t_ns, enum outcome outcome) {
    feed_failed_kind(f, id, t_ns, 0, outcome);
}

void feed_refused(struct acct_feed *f, uint32_t id, int64_t t_ns, int sys) {
    const struct counts counts = {.ignored = 1};
    struct frame fr = {.t_ns = t_ns,
                       .subject = id,
                       .sys = sys,
                       .kind = FRAME_BACKEND,
                       .outcome = (uint8_t)outcome_from_sys(sys)};
    f->out.frame(f->out.sink.ctx, &f->subjects[id], &fr);
    end_read(f, id, &fr, &counts);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static bool is_memory(unsigned metric) {
    return metric >= METRIC_MEMORY_TOTAL && metric <= METRIC_MEMORY_LEGACY;
}

static void say(struct acct_feed *f, const struct subject *s, int64_t t_ns, uint8_t space,
                uint64_t client, const struct say *what) {
    struct span name = span_of(what->name);
    struct sample sample = {.t_ns = t_ns,
                            .value = what->value,
                            .raw = (uint64_t)what->value,
                            .client = client,
                            .name = what->name,
                            .subject = s->id,
                            .device = s->type == SUBJECT_DEVICE ? s->id : s->device,
                            .pid = s->pid,
                            .metric = what->metric,
                            .index = INDEX_NONE,
                            .name_len = (uint8_t)name.n,
                            .space = space,
                            .state = what->state ? what->state : STATE_VALUE};
    sample.class = (uint8_t)(is_memory(what->metric) ? (unsigned)region_class_of(name)
                                                     : (unsigned)engine_class_of(name));
    f->out.sink.sample(f->out.sink.ctx, &sample);
}

static void name_client(struct acct_feed *f, const struct subject *s, int64_t t_ns, uint8_t space,
                        uint64_t client, enum label_kind kind, const char *text) {
    struct label l = {.t_ns = t_ns,
                      .client = client,
                      .text = text,
                      .len = (uint32_t)(text ? strlen(text) : 0),
                      .subject = s->id,
                      .device = s->device,
                      .pid = s->pid,
                      .kind = (uint8_t)kind,
                      .space = space};
    if (text)
        f->out.sink.label(f->out.sink.ctx, &l);
}

void feed_read_named(struct acct_feed *f, uint32_t id, int64_t t_ns, uint64_t client,
                     const char *driver, const char *pdev, const struct say *says) {
    const struct counts counts = {.accepted = 3};
    const struct subject *s = &f->subjects[id];
    struct frame fr;
    begin_read(f, id, t_ns, OUTCOME_OK, &fr);
    name_client(f, s, t_ns, SPACE_DRM, client, LABEL_DRIVER, driver);
    name_client(f, s, t_ns, SPACE_DRM, client, LABEL_PCI, pdev);
    for (const struct say *w = says; w->name; w++)
        say(f, s, t_ns, SPACE_DRM, client, w);
    end_read(f, id, &fr, &counts);
}

void feed_read_as(struct acct_feed *f, uint32_t id, int64_t t_ns, uint8_t space, uint64_t client,
                  const char *driver, const struct say *says, const struct counts *counts) {
    const struct subject *s = &f->subjects[id];
    struct frame fr;
    begin_read(f, id, t_ns, OUTCOME_OK, &fr);
    name_client(f, s, t_ns, space, client, LABEL_DRIVER, driver);
    for (const struct say *w = says; w->name; w++)
        say(f, s, t_ns, space, client, w);
    end_read(f, id, &fr, counts);
}

void feed_read(struct acct_feed *f, uint32_t id, int64_t t_ns, uint64_t client,
               const struct say *says) {
    const struct counts counts = {.accepted = 1};
    feed_read_as(f, id, t_ns, SPACE_DRM, client, NULL, says, &counts);
}

void feed_not_drm(struct acct_feed *f, uint32_t id, int64_t t_ns) {
    struct counts counts = {.ignored = 1};
    struct frame fr;
    counts.reasons[REASON_NOT_DRM] = 1;
    begin_read(f, id, t_ns, OUTCOME_OK, &fr);
    end_read(f, id, &fr, &counts);
}

void feed_label(struct acct_feed *f, uint32_t id, enum label_kind kind, const char *text) {
    const struct subject *s = &f->subjects[id];
    const struct counts counts = {.accepted = 1};
    struct frame fr;
    struct label l = {.text = text,
                      .len = (uint32_t)strlen(text),
                      .subject = id,
                      .device = s->device,
                      .pid = s->pid,
                      .kind = (uint8_t)kind};
    begin_read(f, id, 0, OUTCOME_OK, &fr);
    f->out.sink.label(f->out.sink.ctx, &l);
    end_read(f, id, &fr, &counts);
}

void feed_tell(struct acct_feed *f, uint32_t id, int64_t t_ns, const struct tell *what) {
    const struct subject *s = &f->subjects[id];
    const struct counts counts = {.accepted = 1};
    struct frame fr;
    struct sample sample = {.t_ns = t_ns,
                            .value = what->value,
                            .name = what->name,
                            .name_len = (uint8_t)(what->name ? strlen(what->name) : 0),
                            .subject = id,
                            .device = s->type == SUBJECT_DEVICE ? id : s->device,
                            .pid = s->pid,
                            .metric = what->metric,
                            .index = what->part ? (uint16_t)(what->part - 1) : INDEX_NONE,
                            .state = what->state ? what->state : STATE_VALUE,
                            .rank = what->rank,
                            .doubt = what->doubt};
    begin_kind(f, id, t_ns, what->kind, OUTCOME_OK, &fr);
    f->out.sink.sample(f->out.sink.ctx, &sample);
    end_read(f, id, &fr, &counts);
}

void feed_sample(struct acct_feed *f, uint32_t id, int64_t t_ns, enum metric metric,
                 int64_t value) {
    TELL(f, id, t_ns, .metric = (uint16_t)metric, .value = value);
}

void feed_job(struct acct_feed *f, const struct job *j) {
    const struct subject *s = &f->subjects[j->subject];
    struct job job = *j;
    job.device = j->device ? j->device : s->device;
    job.space = j->space ? j->space : SPACE_PID;
    job.client = j->client || j->space ? j->client : (uint64_t)(uint32_t)j->pid;
    job.name_len = (uint8_t)strlen(j->name);
    job.class = j->class ? j->class : CLASS_GRAPHICS;
    f->out.sink.job(f->out.sink.ctx, &job);
}

void feed_counter(struct acct_feed *f, uint32_t id, const struct job *of, enum metric metric,
                  int64_t value, enum state state) {
    const struct subject *s = &f->subjects[id];
    struct sample sample = {.t_ns = of->end_ns,
                            .value = value,
                            .client = of->client,
                            .name = "",
                            .subject = id,
                            .device = s->device,
                            .pid = of->pid,
                            .metric = (uint16_t)metric,
                            .index = INDEX_NONE,
                            .space = of->space,
                            .state = (uint8_t)state};
    f->out.sink.sample(f->out.sink.ctx, &sample);
}

/* ---- what a snapshot holds ------------------------------------------------------------------- */

const struct snap_process *find_process(const struct snapshot *s, int32_t pid) {
    for (uint32_t i = 0; i < s->process_count; i++)
        if (s->processes[i].pid == pid)
            return &s->processes[i];
    return NULL;
}

const struct snap_engine *find_engine(const struct snapshot *s, struct run run, const char *name) {
    for (uint32_t i = run.first; i < run.first + run.count; i++)
        if (span_equals(snapshot_text(s, s->engines[i].name), name))
            return &s->engines[i];
    return NULL;
}

const struct snap_memory *find_memory(const struct snapshot *s, struct run run,
                                      const char *region) {
    for (uint32_t i = run.first; i < run.first + run.count; i++)
        if (span_equals(snapshot_text(s, s->memory[i].region), region))
            return &s->memory[i];
    return NULL;
}

const struct snap_metric *find_metric(const struct snapshot *s, struct run run,
                                      enum metric metric) {
    for (uint32_t i = run.first; i < run.first + run.count; i++)
        if (s->metrics[i].metric == metric)
            return &s->metrics[i];
    return NULL;
}

const struct snap_unattributed *find_loose(const struct snapshot *s, const char *name) {
    for (uint32_t i = 0; i < s->unattributed_count; i++)
        if (span_equals(snapshot_text(s, s->unattributed[i].name), name))
            return &s->unattributed[i];
    return NULL;
}

void check_value(struct value v, int64_t want) {
    assert_string_equal(state_name(v.state), "value");
    assert_int_equal(v.v, want);
}

void check_state(struct value v, enum state want) {
    assert_string_equal(state_name(v.state), state_name(want));
}

void check_real(struct real v, double want) {
    double apart = v.v > want ? v.v - want : want - v.v;
    assert_string_equal(state_name(v.state), "value");
    if (apart > 1e-12 * (want < 0 ? -want : want))
        fail_msg("%.17g is not %.17g", v.v, want);
}

void check_real_state(struct real v, enum state want) {
    assert_string_equal(state_name(v.state), state_name(want));
}

/* ---- all of it as text ----------------------------------------------------------------------- */

static void put_number(struct buf *b, const char *key, uint64_t v) {
    buf_char(b, ' ');
    buf_text(b, key);
    buf_char(b, '=');
    buf_u64(b, v);
}

static void put_text(struct buf *b, const struct snapshot *s, const char *key, struct text_ref r) {
    buf_char(b, ' ');
    buf_text(b, key);
    buf_char(b, '=');
    buf_json_string(b, snapshot_text(s, r));
}

static void put_value(struct buf *b, const char *key, struct value v) {
    buf_char(b, ' ');
    buf_text(b, key);
    buf_char(b, '=');
    if (v.state == STATE_VALUE)
        buf_i64(b, v.v);
    else
        buf_text(b, state_name(v.state));
    for (unsigned bit = 0; bit < 8; bit++)
        if (v.state == STATE_VALUE && (v.doubt & (1u << bit))) {
            buf_char(b, '~');
            buf_text(b, doubt_name(bit));
        }
}

static void print_engines(struct buf *b, const struct snapshot *s, struct run run) {
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct snap_engine *e = &s->engines[i];
        buf_text(b, "\n   ");
        put_text(b, s, "engine", e->name);
        put_number(b, "class", e->class);
        put_number(b, "capacity", e->capacity);
        put_value(b, "busy_ppm", e->busy_ppm);
        put_value(b, "busy_ns", e->busy_ns);
    }
}

static void print_memory(struct buf *b, const struct snapshot *s, struct run run) {
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct snap_memory *m = &s->memory[i];
        buf_text(b, "\n   ");
        put_text(b, s, "region", m->region);
        put_number(b, "class", m->class);
        put_value(b, "total", m->total);
        put_value(b, "resident", m->resident);
        put_value(b, "shared", m->shared);
        put_value(b, "purgeable", m->purgeable);
        put_value(b, "legacy", m->legacy);
    }
}

static void print_metrics(struct buf *b, const struct snapshot *s, struct run run) {
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct snap_metric *m = &s->metrics[i];
        buf_text(b, "\n    ");
        buf_text(b, metric_info(m->metric)->name);
        put_text(b, s, "name", m->name);
        put_text(b, s, "source", m->source);
        put_number(b, "index", m->index);
        put_value(b, "value", m->value);
    }
}

static void print_contexts(struct buf *b, const struct snapshot *s, struct run run) {
    for (uint32_t i = run.first; i < run.first + run.count; i++) {
        const struct snap_context *c = &s->contexts[i];
        buf_text(b, "\n  context");
        put_number(b, "id", c->context);
        put_number(b, "tag", c->tag);
        put_number(b, "tagged", c->tagged);
        put_number(b, "device", c->device);
        put_number(b, "process", c->process);
        put_value(b, "busy_ppm", c->busy_ppm);
        put_value(b, "busy_ns", c->busy_ns);
        print_metrics(b, s, c->counters);
    }
}

static void print_device(struct buf *b, const struct snapshot *s, const struct snap_device *d) {
    buf_text(b, "\ndevice");
    put_number(b, "subject", d->subject);
    put_text(b, s, "id", d->id);
    put_text(b, s, "name", d->name);
    put_text(b, s, "driver", d->driver);
    put_text(b, s, "slot", d->slot);
    put_text(b, s, "nodes", d->nodes);
    put_number(b, "state", d->state);
    put_number(b, "left_alone", d->left_alone);
    put_number(b, "counters", d->counters);
    put_number(b, "clients", d->clients);
    put_number(b, "kept_awake", d->kept_awake);
    put_value(b, "busy_ppm", d->busy_ppm);
    print_engines(b, s, d->engines);
    print_memory(b, s, d->memory);
    print_metrics(b, s, d->metrics);
}

static void print_process(struct buf *b, const struct snapshot *s, const struct snap_process *p) {
    buf_text(b, "\nprocess");
    put_number(b, "pid", (uint64_t)p->pid);
    put_number(b, "ppid", (uint64_t)p->ppid);
    put_number(b, "start", p->start);
    put_number(b, "device", p->device);
    put_text(b, s, "name", p->name);
    put_text(b, s, "command", p->command);
    put_text(b, s, "user", p->user);
    put_text(b, s, "container", p->container);
    put_text(b, s, "nspid", p->nspid);
    put_number(b, "exited", p->exited);
    put_number(b, "exited_ns", (uint64_t)p->exited_ns);
    put_number(b, "type", p->type);
    put_number(b, "idle_holder", p->idle_holder);
    put_number(b, "clients", p->clients);
    put_number(b, "by_thread", p->by_thread);
    put_value(b, "start_ns", p->start_ns);
    put_value(b, "busy_ppm", p->busy_ppm);
    put_value(b, "busy_ns", p->busy_ns);
    put_value(b, "cpu_ppm", p->cpu_ppm);
    put_value(b, "rss", p->rss);
    put_value(b, "uid", p->uid);
    put_value(b, "vram", p->vram.bytes);
    put_number(b, "mark", p->vram.mark);
    put_value(b, "gtt", p->gtt.bytes);
    put_number(b, "mark", p->gtt.mark);
    put_value(b, "shared", p->shared);
    print_engines(b, s, p->engines);
    print_memory(b, s, p->memory);
    for (uint32_t i = p->client_run.first; i < p->client_run.first + p->client_run.count; i++) {
        const struct snap_client *c = &s->clients[i];
        buf_text(b, "\n  client");
        put_number(b, "id", c->id);
        put_number(b, "space", c->space);
        put_number(b, "process", c->process);
        put_number(b, "holders", c->holders);
        put_text(b, s, "name", c->name);
        print_engines(b, s, c->engines);
        print_memory(b, s, c->memory);
    }
    print_contexts(b, s, p->contexts);
}

void snapshot_print(struct buf *b, const struct snapshot *s) {
    buf_text(b, "tick");
    put_number(b, "tick", s->tick);
    put_number(b, "t_ns", (uint64_t)s->t_ns);
    put_value(b, "interval_ns", s->interval_ns);
    put_number(b, "unreadable", s->unreadable);
    put_number(b, "devices_denied", s->devices_denied);
    put_value(b, "cost_cpu_ns", s->cost_cpu_ns);
    for (uint32_t i = 0; i < s->device_count; i++)
        print_device(b, s, &s->devices[i]);
    for (uint32_t i = 0; i < s->process_count; i++)
        print_process(b, s, &s->processes[i]);
    for (uint32_t i = 0; i < s->unattributed_count; i++) {
        const struct snap_unattributed *u = &s->unattributed[i];
        buf_text(b, "\nunattributed");
        put_number(b, "device", u->device);
        put_text(b, s, "name", u->name);
        put_value(b, "busy_ppm", u->busy_ppm);
        put_value(b, "busy_ns", u->busy_ns);
        put_number(b, "reasons", u->reasons);
        print_contexts(b, s, u->contexts);
    }
    buf_char(b, '\n');
}

void check_same(const struct snapshot *a, const struct snapshot *b) {
    struct buf x, y;
    buf_init(&x);
    buf_init(&y);
    snapshot_print(&x, a);
    snapshot_print(&y, b);
    buf_char(&x, '\0');
    buf_char(&y, '\0');
    assert_false(x.failed || y.failed);
    assert_string_equal(x.p, y.p);
    buf_finish(&x);
    buf_finish(&y);
}
