/*
 * One reading function per column: what a row holds there. Pure; units as in enum format.
 */
#include "field.h"

/* The parts that processes, unattributed rows and clients have in common; a NULL pointer says which
 * of these a row is not. */
struct owner {
    const struct snapshot *s;
    const struct snap_process *process;
    const struct snap_unattributed *loose;
    const struct snap_client *client;
    const struct snap_engine *engine; /* of the process whose engines are listed below it */
    const struct snap_memory *region; /* likewise */
    struct run engines;
    bool total; /* `process` is a sum of processes */
};

static const struct value unsupported = {.state = STATE_UNSUPPORTED};

static struct field number(int64_t v) {
    return (struct field){.value = {.v = v, .state = STATE_VALUE}};
}

static struct field of_value(struct value v) {
    return (struct field){.value = v};
}

static struct field of_real(struct real r) {
    struct field f = {.amount = r.v, .value = {.state = r.state, .doubt = r.doubt}};
    return f;
}

static struct field blank(void) {
    return (struct field){.value = unsupported, .is_blank = true};
}

static struct field of_text(const struct owner *o, struct text_ref r, enum state if_empty) {
    struct field f = {.text = snapshot_text(o->s, r)};
    f.value.state = (uint8_t)(f.text.n > 0 ? STATE_VALUE : if_empty);
    return f;
}

/* Of a sum what all have. */
static struct field of_common(const struct owner *o, struct text_ref r, enum state if_empty) {
    return o->total && r.len == 0 ? blank() : of_text(o, r, if_empty);
}

static struct field word(const char *text) {
    return (struct field){.text = span_of(text), .value = {.state = STATE_VALUE}};
}

static struct field engine(const struct owner *o, enum engine_class class) {
    return of_value(table_engines(o->s, o->engines, class));
}

static struct field shown(struct snap_shown m) {
    struct field f = of_value(m.bytes);
    f.is_rough = m.mark != 0;
    return f;
}

/* ---- one function per line of columns.def ---------------------------------------------------- */

static struct field read_PID(const struct owner *o) {
    if (o->client || o->total) {
        return blank();
    }
    return o->process && o->process->pid > 0 ? number(o->process->pid) : of_value(unsupported);
}

static struct field read_USER(const struct owner *o) {
    return o->process ? of_common(o, o->process->user, STATE_UNKNOWN) : blank();
}

static struct field read_DEV(const struct owner *o) {
    if (o->client) {
        return blank();
    }
    return number(o->process ? o->process->device : o->loose->device);
}

static struct field read_TYPE(const struct owner *o) {
    static const char *const words[] = {
        [TYPE_GRAPHICS] = "gfx", [TYPE_COMPUTE] = "comp", [TYPE_MEDIA] = "media"};
    if (!o->process) {
        return blank();
    }
    unsigned type = o->process->type;
    bool known = type < sizeof words / sizeof words[0] && words[type];
    return known ? word(words[type]) : of_value(unsupported);
}

static struct field read_GPU(const struct owner *o) {
    if (o->client || o->engine) {
        return engine(o, CLASS_NONE);
    }
    return of_value(o->process ? o->process->busy_ppm : o->loose->busy_ppm);
}

static struct field read_GRAPHICS(const struct owner *o) {
    return engine(o, CLASS_GRAPHICS);
}

static struct field read_COMPUTE(const struct owner *o) {
    return engine(o, CLASS_COMPUTE);
}

static struct field read_COPY(const struct owner *o) {
    return engine(o, CLASS_COPY);
}

static struct field read_DECODE(const struct owner *o) {
    return engine(o, CLASS_DECODE);
}

static struct field read_ENCODE(const struct owner *o) {
    return engine(o, CLASS_ENCODE);
}

static struct field read_MEDIA(const struct owner *o) {
    return engine(o, CLASS_MEDIA);
}

static struct field read_OTHER(const struct owner *o) {
    return engine(o, CLASS_OTHER);
}

static struct field read_TIME(const struct owner *o) {
    struct value total = unsupported;
    if (!o->client && !o->engine) {
        return of_value(o->process ? o->process->busy_ns : o->loose->busy_ns);
    }
    for (uint32_t i = 0; i < o->engines.count; i++) {
        total = value_sum(total, o->s->engines[o->engines.first + i].busy_ns);
    }
    return of_value(total);
}

static struct field of_region(const struct owner *o, bool is_meant) {
    return is_meant ? shown(table_region(o->region)) : blank();
}

static struct field read_VRAM(const struct owner *o) {
    if (o->region) {
        return of_region(o, o->region->class == REGION_VRAM);
    }
    if (o->client) {
        return shown(table_memory(o->s, o->client->memory, REGION_VRAM));
    }
    return o->process ? shown(o->process->vram) : of_value(unsupported);
}

static struct field read_GTT(const struct owner *o) {
    if (o->region) {
        return of_region(o, o->region->class == REGION_GTT || o->region->class == REGION_SYSTEM);
    }
    if (!o->client) {
        return o->process ? shown(o->process->gtt) : of_value(unsupported);
    }
    struct snap_shown gtt = table_memory(o->s, o->client->memory, REGION_GTT);
    struct snap_shown system = table_memory(o->s, o->client->memory, REGION_SYSTEM);
    gtt.bytes = value_sum(gtt.bytes, system.bytes);
    gtt.mark |= system.mark;
    return shown(gtt);
}

static struct field read_SHARED(const struct owner *o) {
    struct value total = unsupported;
    if (o->region) {
        return of_value(o->region->shared);
    }
    if (!o->client) {
        return of_value(o->process ? o->process->shared : unsupported);
    }
    for (uint32_t i = 0; i < o->client->memory.count; i++) {
        total = value_sum(total, o->s->memory[o->client->memory.first + i].shared);
    }
    return of_value(total);
}

static struct field read_CPU(const struct owner *o) {
    return o->process ? of_value(o->process->cpu_ppm) : blank();
}

static struct field read_RSS(const struct owner *o) {
    return o->process ? of_value(o->process->rss) : blank();
}

/* NULL for a client: what its process cost is not told by clients. */
static const struct snap_power *power_of(const struct owner *o) {
    return o->process ? &o->process->power : o->loose ? &o->loose->power : NULL;
}

static struct field read_WATT(const struct owner *o) {
    const struct snap_power *p = power_of(o);
    return p ? of_real(table_real(p->watts)) : blank();
}

/* The priced part of several engines; the state of the first where none is priced. */
static struct real sum_pws(const struct owner *o) {
    struct real all = {.state = STATE_UNSUPPORTED};
    for (uint32_t i = 0; i < o->engines.count; i++) {
        struct real r = table_real(o->s->engines[o->engines.first + i].pws);
        if (r.state == STATE_VALUE && all.state == STATE_VALUE) {
            all.v += r.v;
            all.doubt |= r.doubt;
        } else if (r.state == STATE_VALUE || all.state == STATE_UNSUPPORTED) {
            all = r;
        }
    }
    return all;
}

static bool has_unpriced(const struct owner *o, const struct snap_power *p) {
    if (p)
        return p->unpriced_ns.state == STATE_VALUE && p->unpriced_ns.v > 0;
    for (uint32_t i = 0; i < o->engines.count; i++) {
        const struct value *v = &o->s->engines[o->engines.first + i].unpriced_ns;
        if (v->state == STATE_VALUE && v->v > 0)
            return true;
    }
    return false;
}

/* Doubted where it is the price of a part of the time. */
static struct field read_PWS(const struct owner *o) {
    const struct snap_power *p = power_of(o);
    struct field f = of_real(table_real(p ? p->pws : sum_pws(o)));
    if (f.value.state == STATE_VALUE && has_unpriced(o, p))
        f.value.doubt |= DOUBT_ESTIMATED;
    return f;
}

static struct field read_PW(const struct owner *o) {
    const struct snap_power *p = power_of(o);
    return p ? of_real(table_real(p->pw)) : blank();
}

static struct field read_JOULE(const struct owner *o) {
    const struct snap_power *p = power_of(o);
    return p ? of_real(table_real(p->joules)) : blank();
}

static struct field read_METHOD(const struct owner *o) {
    const struct snap_power *p = power_of(o);
    if (!p) {
        return blank();
    }
    const char *name = power_method_name(p->method);
    return name[0] ? word(name) : of_value(unsupported);
}

static struct field read_CONTAINER(const struct owner *o) {
    return o->process ? of_common(o, o->process->container, STATE_UNSUPPORTED) : blank();
}

static struct field read_NSPID(const struct owner *o) {
    return o->process ? of_common(o, o->process->nspid, STATE_UNSUPPORTED) : blank();
}

static struct field read_START(const struct owner *o) {
    return o->process && !o->total ? of_value(o->process->start_ns) : blank();
}

/* One snapshot does not know it: the screen draws it. */
static struct field read_HISTORY(const struct owner *o) {
    (void)o;
    return blank();
}

static struct field read_COMMAND(const struct owner *o) {
    if (o->engine) {
        return of_text(o, o->engine->name, STATE_UNKNOWN);
    }
    if (o->region) {
        return of_text(o, o->region->region, STATE_UNKNOWN);
    }
    if (o->client) {
        return of_text(o, o->client->name, STATE_UNSUPPORTED);
    }
    if (o->loose) {
        return of_text(o, o->loose->name, STATE_UNKNOWN);
    }
    struct field f = of_text(o, o->process->command, STATE_UNKNOWN);
    return f.text.n > 0 ? f : of_text(o, o->process->name, STATE_UNKNOWN);
}

/* ---------------------------------------------------------------------------------------------- */

struct reader {
    struct field (*read)(const struct owner *o);
    enum format format;
};

static const struct reader readers[COLUMN_COUNT] = {
#define COLUMN(id, key, other, title, width, format, ...) {read_##id, FORMAT_##format},
#include "gwtop/columns.def"
#undef COLUMN
};

enum format table_format(enum column c) {
    return readers[c].format;
}

unsigned table_field_state(const struct snapshot *s, enum column c, const struct field *f) {
    if (f->value.state != STATE_VALUE) {
        return f->value.state;
    }
    if (f->value.v < 0) {
        return STATE_MALFORMED;
    }
    return table_format(c) == FORMAT_AGO && s->real_ns <= 0 ? STATE_UNKNOWN : STATE_VALUE;
}

int64_t table_field_number(const struct snapshot *s, enum column c, const struct field *f) {
    if (table_format(c) != FORMAT_AGO) {
        return f->value.v;
    }
    return s->real_ns > f->value.v ? s->real_ns - f->value.v : 0;
}

/* What an engine has of its own. */
static bool is_of_engine(enum column c) {
    return c == COLUMN_GPU || c == COLUMN_TIME || c == COLUMN_PWS || c == COLUMN_COMMAND ||
           column_info(c)->engine;
}

static bool is_of_region(enum column c) {
    return c == COLUMN_VRAM || c == COLUMN_GTT || c == COLUMN_SHARED || c == COLUMN_COMMAND;
}

/* What stands below a row. */
static bool find_part(struct owner *o, struct row r, enum column c) {
    if (r.engine && r.index < o->s->engine_count && is_of_engine(c)) {
        o->engine = &o->s->engines[r.index];
        o->engines = (struct run){r.index, 1};
    } else if (r.region && r.index < o->s->memory_count && is_of_region(c)) {
        o->region = &o->s->memory[r.index];
    }
    return o->engine || o->region;
}

static bool find_owner(struct owner *o, struct row r, enum column c) {
    if (r.engine || r.region) {
        return find_part(o, r, c);
    }
    if (r.client && r.index < o->s->client_count) {
        o->client = &o->s->clients[r.index];
        o->engines = o->client->engines;
    } else if (!r.client && r.unattributed && r.index < o->s->unattributed_count) {
        o->loose = &o->s->unattributed[r.index];
        o->engines = o->loose->engines;
    } else if (!r.client && !r.unattributed && r.index < o->s->process_count) {
        o->process = &o->s->processes[r.index];
        o->engines = o->process->engines;
        o->total = r.total;
    } else {
        return false;
    }
    return true;
}

struct field table_field(const struct snapshot *s, struct row r, enum column c) {
    struct owner o = {.s = s};
    return (unsigned)c < COLUMN_COUNT && find_owner(&o, r, c) ? readers[c].read(&o) : blank();
}

struct value table_share(const struct snapshot *s, struct row r, enum column c) {
    struct field f = table_field(s, r, c);
    if (f.is_blank || (c != COLUMN_GPU && !column_info(c)->engine)) {
        return unsupported;
    }
    f.value.state = (uint8_t)table_field_state(s, c, &f);
    return f.value;
}
