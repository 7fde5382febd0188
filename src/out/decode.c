/*
 * `gwtop decode`: a subscriber of the bus that prints each sample and each job as one JSON object a
 * line (NDJSON), and last a summary of what became of the units read. Which client a text speaks of is
 * known from labels of the same frame; they come before its samples. Pure.
 */
#include "json_parts.h"

#include <stdlib.h>

#include "gwtop/out.h"

/* Names of the devices met, by the id of their subject. */
struct device_name {
    uint32_t subject;
    struct text_ref name;
};

struct out_decode {
    const struct backend_table *table;
    const char *unit;
    struct buf *b;
    struct counts counts;
    unsigned backend;  /* of the frame at hand or the last one: index + 1 */
    struct buf driver; /* of the client at hand; empty: not said */
    struct buf pci;
    struct buf name;
    struct device_name *devices;
    uint32_t device_count;
    uint32_t device_cap;
    struct text_pool texts;
};

/* ---- what stands before and after the value --------------------------------------------------- */

static struct span device_name(const struct out_decode *d, uint32_t subject) {
    for (uint32_t i = 0; i < d->device_count && subject != 0; i++) {
        if (d->devices[i].subject == subject) {
            return pool_get(&d->texts, d->devices[i].name);
        }
    }
    /* A device is known by its PCI address, which the text itself may name. */
    return buf_span_of(&d->pci);
}

static void text_if(struct json_object *o, const char *key, struct span text) {
    if (text.n > 0) {
        json_text(o, key, text);
    }
}

static void put_client(struct json_object *o, unsigned space, uint64_t client) {
    if (space == SPACE_DRM || space == SPACE_KFD) {
        json_u64(o, "client", client);
    } else if (space == SPACE_CONTEXT) {
        json_u64(o, "context", client);
    } else if (space == SPACE_TAGGED) {
        json_u64(o, "context", client_context(client));
        json_u64(o, "tag", client_tag(client));
    }
}

/* What names a context's owner names a thread of it: which process that is of was not said. */
static void put_pid(struct json_object *o, unsigned space, int32_t pid) {
    bool thread = space == SPACE_CONTEXT || space == SPACE_TAGGED;
    if (pid == 0) {
        return;
    }
    json_value(o, "pid",
               (struct value){
                   .v = pid, .state = STATE_VALUE, .doubt = thread ? DOUBT_ESTIMATED : DOUBT_NONE},
               0);
    if (thread) {
        json_i64(o, "tid", pid);
    }
}

static void put_head(struct out_decode *d, struct json_object *o, int64_t t_ns, uint32_t device,
                     unsigned space, uint64_t client) {
    json_open(o, d->b, NULL);
    json_i64(o, "t_ns", t_ns);
    if (d->backend > 0 && d->backend <= d->table->count) {
        json_word(o, "backend", d->table->list[d->backend - 1]->name);
    }
    text_if(o, "device", device_name(d, device));
    text_if(o, "driver", buf_span_of(&d->driver));
    put_client(o, space, client);
    text_if(o, "pci", buf_span_of(&d->pci));
    text_if(o, "name", buf_span_of(&d->name));
}

static const char *engine_word(unsigned class) {
    return class == CLASS_NONE ? NULL : engine_class_name(class);
}

static const char *region_word(unsigned class) {
    return class == REGION_NONE ? NULL : region_class_name(class);
}

/* What the name and class of a sample are, by the family of its metric. Regions are of clients: a
 * device's memory.* has no name, or that of a field; likewise counters. */
static const struct family {
    const char *prefix;
    const char *key;
    const char *(*class_word)(unsigned class);
    bool of_client;
} families[] = {
    {"engine.", "engine", engine_word, false},
    {"memory.", "region", region_word, true},
    {"counter.", "engine", engine_word, true},
};

static const struct family *family_of(const struct sample *s, const struct metric_info *info) {
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        bool fits = !families[i].of_client || s->space != SPACE_NONE;
        if (fits && span_starts(span_of(info->name), families[i].prefix)) {
            return &families[i];
        }
    }
    return NULL;
}

/* What the value belongs to, beside the client: the one place that knows families of metrics. */
static void put_owner(struct json_object *o, const struct sample *s,
                      const struct metric_info *info) {
    const struct family *f = family_of(s, info);
    const char *class = f ? f->class_word(s->class) : NULL;
    struct span name = {s->name, s->name_len};
    if (s->metric == METRIC_COUNTER_REPORT_REASON) {
        text_if(o, "label", name);
        return;
    }
    if (name.n > 0) {
        json_text(o, f ? f->key : "field", name);
    }
    if (class) {
        json_word(o, "class", class);
    }
    if (s->index != INDEX_NONE) {
        json_u64(o, "index", s->index);
    }
    if (!f && name.n > 0) {
        json_u64(o, "raw", s->raw);
    }
}

static void on_sample(void *ctx, const struct sample *s) {
    struct out_decode *d = ctx;
    const struct metric_info *info = metric_info(s->metric);
    struct value value = {.v = s->value, .state = s->state, .doubt = s->doubt};
    struct json_object o;
    put_head(d, &o, s->t_ns, s->device, s->space, s->client);
    json_word(&o, "metric", info->name);
    json_metric(&o, "value", value, info);
    json_word(&o, "unit", unit_name(info->unit));
    put_pid(&o, s->space, s->pid);
    put_owner(&o, s, info);
    json_close_single(&o);
    buf_char(d->b, '\n');
}

/* ---- jobs ------------------------------------------------------------------------------------- */

/* Zero is a clock or voltage that nobody said, but where there was no power. */
static struct value said(const struct job *j, uint64_t v, uint8_t doubt) {
    return (struct value){.v = v <= INT64_MAX ? (int64_t)v : INT64_MAX,
                          .state = v > 0 || j->off ? STATE_VALUE : STATE_UNKNOWN,
                          .doubt = v > 0 ? doubt : 0};
}

#define PRICE_DIGITS 15

/* A price to 15 decimals, to fewer where it is so large that they do not fit. */
static struct value price_of(double pws, unsigned *power) {
    double scaled = pws * 1e15;
    *power = PRICE_DIGITS;
    for (; scaled >= 9e18 && *power > 0; (*power)--) {
        scaled /= 10;
    }
    return (struct value){.v = scaled < 9e18 ? (int64_t)(scaled + 0.5) : INT64_MAX,
                          .state = STATE_VALUE};
}

static void put_price(struct json_object *o, const struct job *j, int64_t busy_ns) {
    bool priced = j->off || (j->clock_hz > 0 && j->voltage_uv > 0);
    unsigned power = 0;
    struct value price = {.state = STATE_UNKNOWN};
    if (priced) {
        price = price_of(pseudowatt_seconds(j->clock_hz, j->voltage_uv, busy_ns), &power);
        price.doubt = j->doubt;
    }
    json_value(o, "clock_Hz", said(j, j->clock_hz, 0), 0);
    json_value(o, "voltage_V", said(j, j->voltage_uv, j->doubt), 6);
    json_value(o, "PWs", price, power);
}

static int64_t job_busy_ns(const struct job *j) {
    uint64_t ns = (uint64_t)j->end_ns - (uint64_t)j->start_ns;
    return j->end_ns <= j->start_ns ? 0 : ns <= INT64_MAX ? (int64_t)ns : INT64_MAX;
}

static void on_job(void *ctx, const struct job *j) {
    struct out_decode *d = ctx;
    int64_t busy_ns = job_busy_ns(j);
    struct json_object o;
    put_head(d, &o, j->end_ns, j->device, j->space, j->client);
    json_word(&o, "metric", "job.busy");
    json_value(&o, "value", (struct value){.v = busy_ns, .state = STATE_VALUE}, 9);
    json_word(&o, "unit", unit_name(UNIT_S));
    if (j->pid == 0 && j->space == SPACE_PID) {
        json_null(&o, "pid", STATE_UNKNOWN);
    }
    put_pid(&o, j->space, j->pid);
    text_if(&o, "engine", (struct span){j->name, j->name_len});
    if (j->class != CLASS_NONE) {
        json_word(&o, "class", engine_class_name(j->class));
    }
    json_i64(&o, "start_ns", j->start_ns);
    json_i64(&o, "end_ns", j->end_ns);
    put_price(&o, j, busy_ns);
    json_bool(&o, "open", j->open != 0);
    json_close_single(&o);
    buf_char(d->b, '\n');
}

/* ---- what the samples of a frame share ---------------------------------------------------------- */

static void keep(struct buf *to, const struct label *l) {
    buf_clear(to);
    buf_put(to, l->text, l->len);
}

static void on_label(void *ctx, const struct label *l) {
    struct out_decode *d = ctx;
    if (l->kind == LABEL_DRIVER) {
        keep(&d->driver, l);
    } else if (l->kind == LABEL_PCI) {
        keep(&d->pci, l);
    } else if (l->kind == LABEL_CLIENT_NAME) {
        keep(&d->name, l);
    }
}

/* Without memory the device stays without a name. */
static void device_open(struct out_decode *d, const struct subject *s) {
    struct text_ref name;
    void *devices = d->devices;
    enum err e = vec_reserve(&devices, &d->device_cap, d->device_count + 1, sizeof *d->devices);
    d->devices = devices;
    if (e == ERR_OK && pool_add(&d->texts, span_of(s->name), &name) == ERR_OK) {
        d->devices[d->device_count++] = (struct device_name){s->id, name};
    }
}

static void device_close(struct out_decode *d, const struct subject *s) {
    for (uint32_t i = 0; i < d->device_count; i++) {
        if (d->devices[i].subject == s->id) {
            d->devices[i] = d->devices[--d->device_count];
            return;
        }
    }
}

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct out_decode *d = ctx;
    if (s->type == SUBJECT_DEVICE && f->kind == FRAME_OPEN) {
        device_open(d, s);
    } else if (s->type == SUBJECT_DEVICE && f->kind == FRAME_CLOSE) {
        device_close(d, s);
    }
    if (f->kind >= FRAME_BACKEND) {
        d->backend = s->backend;
        buf_clear(&d->driver);
        buf_clear(&d->pci);
        buf_clear(&d->name);
    }
}

/* Frames of the loop hold nothing that the file said. */
static void on_done(void *ctx, const struct subject *s, const struct frame *f,
                    const struct counts *counts) {
    struct out_decode *d = ctx;
    (void)s;
    if (counts && f->kind >= FRAME_BACKEND) {
        counts_add(&d->counts, counts);
    }
}

/* ---- door --------------------------------------------------------------------------------------- */

enum err out_decode_create(const struct backend_table *t, const char *unit, struct buf *b,
                           struct out_decode **out) {
    struct out_decode *d = calloc(1, sizeof *d);
    if (!d) {
        return ERR_NOMEM;
    }
    d->table = t;
    d->unit = unit;
    d->b = b;
    *out = d;
    return ERR_OK;
}

void out_decode_destroy(struct out_decode *d) {
    if (!d) {
        return;
    }
    buf_finish(&d->driver);
    buf_finish(&d->pci);
    buf_finish(&d->name);
    pool_finish(&d->texts);
    free(d->devices);
    free(d);
}

struct subscriber out_decode_subscriber(struct out_decode *d) {
    return (struct subscriber){
        .sink = {.ctx = d, .sample = on_sample, .job = on_job, .label = on_label},
        .frame = on_frame,
        .done = on_done,
    };
}

void out_decode_summary(struct out_decode *d) {
    const struct counts *c = &d->counts;
    struct json_object line, o, reasons;
    json_open(&line, d->b, NULL);
    json_open(&o, d->b, "summary");
    json_u64(&o, d->unit, c->accepted + c->ignored + c->malformed + c->truncated);
    json_u64(&o, "accepted", c->accepted);
    json_u64(&o, "ignored", c->ignored);
    json_u64(&o, "malformed", c->malformed);
    json_u64(&o, "truncated", c->truncated);
    json_open(&reasons, d->b, "reasons");
    for (unsigned r = 0; r < REASON_COUNT; r++) {
        if (c->reasons[r] > 0) {
            json_u64(&reasons, reason_word(r), c->reasons[r]);
        }
    }
    json_close(&reasons);
    json_close(&o);
    json_close(&line);
    buf_char(d->b, '\n');
}

uint64_t out_decode_accepted(const struct out_decode *d) {
    return d->counts.accepted;
}
