/*
 * The process screen's lines of one device: engines, memory, what its work cost, clients and contexts. Behind a
 * number stands what it is or who says it; where there is none, why. Pure.
 */
#include "page.h"
#include "process.h"

#include <string.h>

/* ---- engines and memory ------------------------------------------------------------------------ */

static enum role bar_of(unsigned class) {
    switch (class) {
    case CLASS_COMPUTE:
        return ROLE_BAR_COMPUTE;
    case CLASS_COPY:
        return ROLE_BAR_COPY;
    case CLASS_DECODE:
    case CLASS_ENCODE:
    case CLASS_MEDIA:
        return ROLE_BAR_MEDIA;
    default:
        return ROLE_BAR_GRAPHICS;
    }
}

static void draw_engine(struct sheet *sh, const struct snap_engine *e) {
    struct buf *b = &sh->ui->text;
    struct span name = snapshot_text(sh->s, e->name);
    const char *class = engine_class_name((enum engine_class)e->class);
    struct figure f = {name.n > 0 ? name : span_of(class), FIGURE_SHARE, .v = e->busy_ppm,
                       .bar = bar_of(e->class)};
    bool is_on = page_figure(sh, &f);
    enum role role = page_begin_note(sh, &f);
    if (!span_equals(f.label, class)) {
        buf_text(page_next(b), class);
    }
    if (e->capacity > 1) {
        buf_u64(page_next(b), e->capacity);
        buf_text(b, " engines");
    }
    if (e->busy_ns.state == STATE_VALUE) {
        page_put_duration(page_next(b), e->busy_ns);
        buf_text(b, " busy");
    }
    if (table_real(e->pws).state == STATE_VALUE) {
        (void)table_power_text(e->pws, "PW s", page_next(b));
    }
    if (e->unpriced_ns.state == STATE_VALUE && e->unpriced_ns.v > 0) {
        page_put_duration(page_next(b), e->unpriced_ns);
        buf_text(b, " unpriced");
    }
    page_note(sh, is_on, role);
}

/* "total 3.4G": what is not said at all is left out. */
static void put_part(struct buf *b, const char *word, struct value v) {
    if (v.state != STATE_UNSUPPORTED) {
        buf_text(page_next(b), word);
        buf_char(b, ' ');
        put_size(b, v);
    }
}

static void draw_region(struct sheet *sh, uint32_t at) {
    const struct snap_memory *m = &sh->s->memory[at];
    struct snap_shown shown = table_memory(sh->s, (struct run){at, 1}, (enum region_class)m->class);
    struct figure f = {snapshot_text(sh->s, m->region), FIGURE_SIZE, .v = shown.bytes};
    struct buf *b = &sh->ui->text;
    bool is_on = page_figure(sh, &f);
    enum role role = page_begin_note(sh, &f);
    if (shown.bytes.state == STATE_VALUE) {
        buf_text(page_next(b), shown.mark ? "all, backed by memory or not" : "resident");
    }
    if (!shown.mark) {
        put_part(b, "total", m->total);
    }
    put_part(b, "shared", m->shared);
    put_part(b, "purgeable", m->purgeable);
    page_note(sh, is_on, role);
}

/* Nothing is in it, as somebody said: such regions are named in one line. */
static bool is_empty(const struct snapshot *s, uint32_t at) {
    const struct snap_memory *m = &s->memory[at];
    struct value v = table_memory(s, (struct run){at, 1}, (enum region_class)m->class).bytes;
    return v.state == STATE_VALUE && v.v == 0 && v.doubt == 0 &&
           (m->total.state != STATE_VALUE || m->total.v == 0);
}

/* Without regions what is known of their classes. */
static void draw_memory(struct sheet *sh, const struct snap_process *p) {
    struct figure vram = {span_of("VRAM"), FIGURE_SIZE, .v = p->vram.bytes};
    struct figure gtt = {span_of("GTT"), FIGURE_SIZE, .v = p->gtt.bytes};
    struct buf *b = &sh->ui->text;
    if (p->memory.count == 0) {
        page_number(sh, &vram, "memory of the device");
        page_number(sh, &gtt, "main memory that it uses");
    }
    for (uint32_t i = 0; i < p->memory.count; i++) {
        if (!is_empty(sh->s, p->memory.first + i)) {
            draw_region(sh, p->memory.first + i);
        }
    }
    buf_clear(b);
    for (uint32_t i = 0; i < p->memory.count; i++) {
        if (is_empty(sh->s, p->memory.first + i)) {
            const struct snap_memory *m = &sh->s->memory[p->memory.first + i];
            buf_span(page_next(b), text_cut(snapshot_text(sh->s, m->region), 24));
        }
    }
    page_scratch_fact(sh, "0 in", ROLE_DIM);
}

/* ---- cost ------------------------------------------------------------------------------------ */

static const char *method_words(unsigned method) {
    static const char *const words[] = {
        [METHOD_NONE] = "",
        [METHOD_MEASURED] = "by a sensor of the device",
        [METHOD_SHARED] = "shared by busy PW s of the device's sensor",
        [METHOD_MODELLED] = "no sensor of the device alone, and a voltage that is assumed",
        [METHOD_PSEUDO] = "by clock and voltage: no sensor of the device alone"};
    return method < sizeof words / sizeof words[0] ? words[method] : "";
}

static void draw_cost(struct sheet *sh, const char *label, struct real r, const char *unit,
                      const char *note) {
    struct figure f = {span_of(label), FIGURE_POWER, .r = table_real(r), .unit = unit};
    page_number(sh, &f, note);
}

static void draw_power(struct sheet *sh, const struct snap_power *p) {
    const char *shared = p->method == METHOD_SHARED ? method_words(METHOD_SHARED) : "";
    struct figure unpriced = {span_of("unpriced"), FIGURE_TIME, .v = p->unpriced_ns};
    sheet_heading(sh, "Power", span_of(power_method_name(p->method)));
    draw_cost(sh, "W", p->watts, "W", shared);
    draw_cost(sh, "J", p->joules, "J", "since gwtop began to watch");
    draw_cost(sh, "PW", p->pw, "PW", "1 PW: a unit at 266 MHz, 1 V");
    draw_cost(sh, "PW s", p->pws, "PW s",
              p->method == METHOD_MODELLED || p->method == METHOD_PSEUDO
                  ? method_words(p->method)
                  : "since gwtop began to watch");
    page_number(sh, &unpriced, "clock or voltage not known");
}

/* ---- clients and contexts -------------------------------------------------------------------- */

static void put_engines(struct buf *b, const struct snapshot *s, struct run run) {
    for (uint32_t i = 0; i < run.count; i++) {
        const struct snap_engine *e = &s->engines[run.first + i];
        struct span name = text_cut(snapshot_text(s, e->name), 24);
        if (name.n > 0) {
            buf_span(page_next(b), name);
        } else {
            buf_text(page_next(b), engine_class_name((enum engine_class)e->class));
        }
        buf_char(b, ' ');
        put_share(b, e->busy_ppm);
    }
}

static void put_regions(struct buf *b, const struct snapshot *s, struct run run) {
    for (uint32_t i = 0; i < run.count; i++) {
        const struct snap_memory *m = &s->memory[run.first + i];
        if (is_empty(s, run.first + i)) {
            continue;
        }
        buf_span(page_next(b), text_cut(snapshot_text(s, m->region), 24));
        buf_char(b, ' ');
        put_size(
            b, table_memory(s, (struct run){run.first + i, 1}, (enum region_class)m->class).bytes);
    }
}

static const char *space_word(unsigned space) {
    static const char *const words[] = {
        [SPACE_NONE] = "client",  [SPACE_DRM] = "DRM client",  [SPACE_HOLDER] = "descriptor",
        [SPACE_PID] = "process",  [SPACE_CONTEXT] = "context", [SPACE_KFD] = "ROCm",
        [SPACE_TAGGED] = "tagged"};
    return space < sizeof words / sizeof words[0] ? words[space] : "client";
}

static void draw_client(struct sheet *sh, const struct snap_client *c) {
    struct buf *b = &sh->ui->text;
    struct span name = text_cut(snapshot_text(sh->s, c->name), 64);
    buf_clear(b);
    buf_u64(b, c->id);
    if (name.n > 0) {
        buf_char(b, ' ');
        buf_span(b, name);
    }
    put_count(page_next(b), c->holders, "descriptor", "descriptors");
    put_engines(b, sh->s, c->engines);
    put_regions(b, sh->s, c->memory);
    page_scratch_fact(sh, space_word(c->space), ROLE_VALUE);
}

static void draw_context(struct sheet *sh, const struct snap_context *c) {
    struct buf *b = &sh->ui->text;
    buf_clear(b);
    buf_u64(b, c->context);
    if (c->tagged) {
        buf_text(b, ", tag ");
        buf_u64(b, c->tag);
    }
    if (c->busy_ppm.state != STATE_UNSUPPORTED) {
        put_share(page_next(b), c->busy_ppm);
    }
    if (c->busy_ns.state == STATE_VALUE) {
        page_put_duration(page_next(b), c->busy_ns);
        buf_text(b, " busy");
    }
    if (c->counters.count > 0) {
        put_count(page_next(b), c->counters.count, "counter", "counters");
    }
    page_scratch_fact(sh, "context", ROLE_VALUE);
}

static void draw_parts(struct sheet *sh, const struct snap_process *p) {
    struct buf *b = &sh->ui->text;
    if (p->client_run.count > 0) {
        buf_clear(b);
        buf_u64(b, p->client_run.count);
        sheet_heading(sh, "Clients", buf_span_of(b));
    }
    for (uint32_t i = 0; i < p->client_run.count; i++) {
        draw_client(sh, &sh->s->clients[p->client_run.first + i]);
    }
    if (p->contexts.count > 0) {
        sheet_heading(sh, "Hardware contexts", span_of("c shows their counters"));
    }
    for (uint32_t i = 0; i < p->contexts.count; i++) {
        draw_context(sh, &sh->s->contexts[p->contexts.first + i]);
    }
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* Who says what stands below: "by fdinfo and KFD". */
static void put_sources(struct buf *b, const struct snapshot *s, const struct snap_process *p) {
    unsigned seen = 0;
    for (uint32_t i = 0; i < p->client_run.count; i++) {
        unsigned space = s->clients[p->client_run.first + i].space;
        seen |= 1u << (space == SPACE_HOLDER ? SPACE_DRM : space < 31 ? space : 0);
    }
    if (seen >> SPACE_DRM & 1) {
        buf_text(b, "  by fdinfo");
    }
    if (seen >> SPACE_KFD & 1) {
        buf_text(b, seen >> SPACE_DRM & 1 ? " and KFD" : "  by KFD");
    }
    if (p->engines.count > 0 && s->engines[p->engines.first].jobs) {
        buf_text(b, "  by recorded jobs");
    } else if (seen == 0 && p->contexts.count > 0) {
        buf_text(b, "  by hardware reports");
    }
}

static void draw_device_heading(struct sheet *sh, const struct snap_process *p) {
    const struct snapshot *s = sh->s;
    const struct snap_device *d = p->device < s->device_count ? &s->devices[p->device] : NULL;
    struct buf *b = &sh->ui->text;
    char title[32];
    buf_clear(b);
    buf_text(b, "GPU ");
    buf_u64(b, p->device);
    size_t n = b->n < sizeof title - 1 ? b->n : sizeof title - 1;
    memcpy(title, b->p ? b->p : "", n);
    title[n] = '\0';
    buf_clear(b);
    if (d) {
        buf_span(b, text_cut(snapshot_text(s, d->name), 40));
        if (d->state != DEVICE_ACTIVE) {
            buf_text(b, "  ");
            buf_text(b, device_state_name((enum device_state)d->state));
        }
    }
    put_sources(b, s, p);
    sheet_heading(sh, title, buf_span_of(b));
}

void process_row(struct sheet *sh, const struct snap_process *p) {
    struct figure busy = {span_of("busy"), FIGURE_SHARE, .v = p->busy_ppm,
                          .bar = ROLE_BAR_GRAPHICS};
    struct figure time = {span_of("GPU time"), FIGURE_TIME, .v = p->busy_ns};
    draw_device_heading(sh, p);
    page_number(sh, &busy, "its busiest engine");
    page_number(sh, &time, "all engines together");
    for (uint32_t i = 0; i < p->engines.count; i++) {
        draw_engine(sh, &sh->s->engines[p->engines.first + i]);
    }
    draw_memory(sh, p);
    if (p->idle_holder) {
        page_known_fact(sh, "!", span_of("keeps the device awake: open, without engine time"));
    }
    draw_power(sh, &p->power);
    draw_parts(sh, p);
}
