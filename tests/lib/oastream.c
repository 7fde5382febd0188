/* See oastream.h. */
#include "oastream.h"

#include <stdlib.h>
#include <string.h>

/* ---- chance ---------------------------------------------------------------------------------- */

static uint64_t seed;

void oas_seed(uint64_t number) {
    seed = number * 2654435761u + 88172645463325252u;
}

static uint64_t wild(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

uint32_t oas_chance(uint32_t below) {
    return (uint32_t)(wild() >> 11) % below;
}

static struct oam_record *add_record(struct oas *s, uint8_t what, uint8_t fate) {
    struct oam_record *r = &s->m.records[s->m.count];
    *r = what == OAM_REPORT ? s->now : (struct oam_record){0};
    r->what = what;
    r->fate = fate;
    return r;
}

static void added(struct oas *s) {
    s->ends[s->m.count++] = s->bytes.n;
}

static uint64_t low_bits(uint64_t v, unsigned bits) {
    return v & (((uint64_t)1 << bits) - 1);
}

/* Any value, or one close to the wrap. */
static uint64_t some_start(unsigned bits) {
    return low_bits(oas_chance(2) ? wild() : UINT64_MAX - oas_chance(1000000), bits);
}

static uint64_t some_growth(unsigned bits) {
    switch (oas_chance(8)) {
    case 0:
        return 0;
    case 1:
        return low_bits(wild(), bits);
    case 2:
        return low_bits(UINT64_MAX, bits);
    default:
        return oas_chance(1000000);
    }
}

static void start_counters(struct oas *s) {
    s->now.timestamp = ((uint32_t)some_start(32) & ~UINT32_C(1)) | 2;
    s->now.clock = (uint32_t)some_start(32);
    for (unsigned c = 0; c < OAM_COUNTERS; c++)
        if (oam_bits(s->m.format, c))
            s->now.v[c] = some_start(oam_bits(s->m.format, c));
}

/* Of some 12 to 1500 MHz, or of any. */
static uint32_t clock_growth(uint32_t step) {
    return oas_chance(10) ? step * (4 + oas_chance(36)) : (uint32_t)some_growth(32) / 2;
}

/* Time and counters go on; at times no time passes, or the clock stands still. */
static void go_on(struct oas *s) {
    struct oam_record *r = &s->now;
    uint32_t kind = oas_chance(40), step = 2 + oas_chance(1500000) * 2;
    if (kind < 2)
        step = 0;
    else if (kind < 4 && !s->head)
        step = (uint32_t)wild();
    if (r->timestamp + step == 0)
        step += 2;
    r->timestamp += step;
    s->ticks += step;
    bool still = kind == 5 || kind == 6;
    r->clock += still ? 0 : 1 + clock_growth(step);
    for (unsigned c = 0; c < OAM_COUNTERS; c++) {
        unsigned bits = oam_bits(s->m.format, c);
        if (bits && kind != 5)
            r->v[c] = low_bits(r->v[c] + some_growth(bits), bits);
    }
    if (s->m.format->haswell)
        r->context = (uint32_t)wild(); /* of no meaning */
}

/* ---- records of the three kinds -------------------------------------------------------------- */

static void put_rfc_stamp(struct oas *s, const struct oam_record *r) {
    oam_put_head(&s->bytes, 9, 32);
    oam_put(&s->bytes, 20, 4);
    oam_put(&s->bytes, s->first + s->ticks, 8);
    oam_put(&s->bytes, r->label[0], 8);
    oam_put(&s->bytes, wild(), 4);
}

static void put_rfc(struct oas *s, const struct oam_record *r) {
    size_t raw = s->m.format->size + 4;
    raw += r->capture ? 8u * (1u + s->m.pid + s->m.tag) : 0;
    oam_put_head(&s->bytes, 9, 12 + raw);
    oam_put(&s->bytes, raw, 4);
    oam_put_report(&s->bytes, s->m.format, r);
    for (unsigned i = 0; i < 3 && r->capture; i++)
        if (i == 0 || (i == 1 ? s->m.pid : s->m.tag))
            oam_put(&s->bytes, (uint64_t)oas_chance(3) << 32 | r->label[i], 8);
    oam_put(&s->bytes, wild(), 4);
}

static size_t fields_size(unsigned fields) {
    size_t n = (fields & OAS_TS) != 0 ? 8 : 0;
    for (unsigned bit = OAS_SOURCE; bit < OAS_TS; bit *= 2)
        n += (fields & bit) != 0 ? 4 : 0;
    return n;
}

static void put_stream(struct oas *s, const struct oam_record *r) {
    oam_put_head(&s->bytes, 1, 8 + fields_size(s->fields) + s->m.format->size);
    if (s->fields & OAS_SOURCE)
        oam_put(&s->bytes, r->capture ? 3 : 1 + oas_chance(2), 4);
    for (unsigned i = 0; i < 3; i++)
        if (s->fields & ((unsigned)OAS_CTX << i))
            oam_put(&s->bytes, r->label[i], 4);
    if (s->fields & OAS_TS)
        oam_put(&s->bytes, s->first + s->ticks, 8);
    oam_put_report(&s->bytes, s->m.format, r);
}

static void put_perf(struct oas *s, const struct oam_record *r) {
    oam_put_head(&s->bytes, 1, 8 + s->m.format->size);
    oam_put_report(&s->bytes, s->m.format, r);
}

static void put_report(struct oas *s, struct oam_record *r) {
    if (s->ahead > 0 && s->m.format->size > 0 && oas_chance(60) == 0) {
        r->timestamp = 0;
        r->what = OAM_SPURIOUS;
    }
    if (s->fold == &intel_rfc_fold)
        (s->m.format->size ? put_rfc : put_rfc_stamp)(s, r);
    else if (s->fold == &intel_stream_fold)
        put_stream(s, r);
    else
        put_perf(s, r);
    added(s);
}

/* What dword 0 of a report of the ring says, and whose it is. */
static void draw_header(struct oas *s, struct oam_record *r) {
    static const uint32_t some[] = {0xa0, 0, 0x160, 0x7fffe0, 0x1fffff, UINT32_MAX, 0xffe0, 0x80};
    uint32_t none = UINT32_C(1) << 25 | UINT32_C(1) << 16;
    r->id = (uint32_t)wild() & ~none;
    if (s->m.format->reasons == 7)
        r->id |= (uint32_t)wild() & UINT32_C(1) << 25;
    if (s->m.format->haswell || s->m.format->always)
        r->id |= (uint32_t)wild() & UINT32_C(1) << 16;
    else if (oas_chance(5))
        r->id |= UINT32_C(1) << s->m.format->valid;
    if (!s->m.format->haswell)
        r->context = some[oas_chance(8)];
    r->named = oam_named(s->m.format, r);
}

/* Fields that say whose a report is, where no source says what it is. */
static void name_by_fields(struct oas *s, struct oam_record *r) {
    bool idle = !s->m.format->haswell && !r->named.is;
    if (!(s->fields & OAS_CTX))
        return;
    r->named = (struct oam_owner){.is = !idle, .context = idle ? 0 : r->label[0]};
    if (!idle && s->fields & OAS_PID && r->label[1] <= 4194304)
        r->named.pid = (int32_t)r->label[1];
    if (!idle && s->fields & OAS_TAG) {
        r->named.tagged = true;
        r->named.tag = r->label[2];
    }
}

static void draw_labels(uint32_t l[4]) {
    static const uint32_t pids[] = {4242, 4243, 4244, 4194304, 4194305, UINT32_MAX, 1};
    l[0] = oas_chance(4);
    l[1] = oas_chance(8) ? 7 + oas_chance(3) : (uint32_t)wild();
    l[2] = pids[oas_chance(20) ? oas_chance(3) : oas_chance(7)];
    l[3] = oas_chance(8) ? oas_chance(3) : (uint32_t)wild();
}

static void put_capture(struct oas *s, const uint32_t l[4]) {
    struct oam_record *r;
    go_on(s);
    r = add_record(s, OAM_REPORT, 'a');
    r->capture = true;
    r->id = s->m.format->size ? l[0] : 0;
    r->label[0] = s->m.context ? l[1] : 0;
    r->label[1] = s->m.pid ? l[2] : 0;
    r->label[2] = s->m.tag ? l[3] : 0;
    put_report(s, r);
}

static void put_begin(struct oas *s) {
    if (s->depth == 4)
        s->depth = 0;
    draw_labels(s->open[s->depth]);
    put_capture(s, s->open[s->depth++]);
}

static void put_periodic(struct oas *s) {
    struct oam_record *r;
    if (s->m.format->size == 0) {
        put_begin(s);
        return;
    }
    go_on(s);
    r = add_record(s, OAM_REPORT, 'a');
    r->capture = false;
    draw_header(s, r);
    for (unsigned i = 0; i < 3; i++)
        r->label[i] = s->open[0][1 + i];
    if (s->fold == &intel_stream_fold && !s->m.captures)
        name_by_fields(s, r);
    put_report(s, r);
}

/* Of the batch that began last; at times of one that never did. */
static void put_end(struct oas *s) {
    uint32_t l[4];
    if (s->depth == 0) {
        put_begin(s);
        return;
    }
    memcpy(l, s->open[--s->depth], sizeof l);
    if (oas_chance(8) == 0)
        l[oas_chance(4)] ^= 1;
    put_capture(s, l);
}

/* Byte by byte what stood there before. */
static void put_again(struct oas *s) {
    unsigned n = s->m.count;
    if (n == 0)
        return;
    size_t from = n > 1 ? s->ends[n - 2] : 0, size = s->ends[n - 1] - from;
    char copy[512];
    if (s->m.records[n - 1].what == OAM_LOSS || s->m.records[n - 1].what == OAM_OTHER ||
        size > sizeof copy)
        return;
    memcpy(copy, s->bytes.p + from, size);
    s->m.records[n] = s->m.records[n - 1];
    buf_put(&s->bytes, copy, size);
    added(s);
}

static void put_loss(struct oas *s) {
    bool rfc = s->fold == &intel_rfc_fold;
    uint32_t kind = oas_chance(rfc ? 3 : 2), lost = 1 + oas_chance(9);
    add_record(s, OAM_LOSS, 'a');
    if (rfc && kind == 2) {
        oam_put_head(&s->bytes, 2, 24);
        oam_put(&s->bytes, wild(), 8);
        oam_put(&s->bytes, lost, 8);
        s->lost += lost;
    } else if (rfc) {
        oam_put_head(&s->bytes, 14, 16);
        oam_put(&s->bytes, kind == 0 ? 1 : 2, 8);
    } else {
        oam_put_head(&s->bytes, kind == 0 ? 3 : 2, 8);
    }
    s->overrun += kind == 0;
    s->missed += kind == 1;
    added(s);
}

static void put_odd(struct oas *s) {
    static const uint32_t types[] = {0, 4, 8, 10, 77, 65535, 70000, UINT32_MAX};
    size_t size = 8 + oas_chance(300);
    add_record(s, OAM_OTHER, 'i');
    oam_put_head(&s->bytes, types[oas_chance(8)], size);
    for (size_t i = 8; i < size; i++)
        oam_put(&s->bytes, wild(), 1);
    added(s);
}

/* A sample of a size that none has; of the ring also one that differs from what stands inside it. */
static void put_bad(struct oas *s) {
    bool rfc = s->fold == &intel_rfc_fold, inside = rfc && oas_chance(2);
    size_t good = s->m.format->size + (rfc ? 16 : 8 + fields_size(s->fields));
    size_t size = inside ? good : s->m.format->size + oas_chance(60);
    if (s->m.format->size == 0 &&
        !inside) /* longer ones may be reports of a format that nobody told */
        size = 12 + oas_chance((uint32_t)good - 12);
    if (size >= good && size <= good + (rfc ? 24 : 0) && (size - good) % 8 == 0 && !inside)
        size++;
    add_record(s, OAM_OTHER, 'm');
    oam_put_head(&s->bytes, rfc ? 9 : 1, size);
    oam_put(&s->bytes, inside ? size - 11 + oas_chance(400) : size - 12, 4);
    for (size_t i = 12; i < size; i++)
        oam_put(&s->bytes, wild(), 1);
    added(s);
}

/* A size that no record has: where the next one begins nobody can tell. */
static void put_broken(struct oas *s) {
    add_record(s, OAM_OTHER, 'm');
    oam_put_head(&s->bytes, oas_chance(4), oas_chance(8));
    added(s);
    s->broken = true;
    for (uint32_t i = oas_chance(600); i > 0; i--)
        oam_put(&s->bytes, wild(), 1);
}

/* Both clocks at the time of the last report. */
static void put_pair(struct oas *s) {
    add_record(s, OAM_OTHER, 'a');
    oam_put_head(&s->bytes, 65539, 24);
    oam_put(&s->bytes, (uint64_t)(OAS_CPU_NS + oam_ns(s->m.hz, s->ticks)), 8);
    bool half = s->m.format == &oam_formats[OAM_DG2]; /* of the reports' clock */
    oam_put(&s->bytes, low_bits((s->first + s->ticks) >> half, 36), 8);
    added(s);
}

/* ---- whole streams --------------------------------------------------------------------------- */

static void text_fact(struct oas *s, const char *key, const char *value) {
    facts_put(&s->facts, key, span_of(value));
}

static void renew(struct oas *s) {
    buf_clear(&s->bytes);
    buf_clear(&s->facts);
    s->m.count = 0;
    s->fields = 0;
    s->head = s->broken = false;
    s->file = NULL;
    s->lost = s->overrun = s->missed = 0;
    s->ticks = s->ahead = 0;
    s->depth = 0;
    s->now = (struct oam_record){0};
    memset(s->open, 0, sizeof s->open);
}

static void choose_device(struct oas *s, unsigned format, bool kernel_number) {
    static const uint64_t rates[] = {12500000, 12000000, 19200000, 38400000};
    static const char *const numbers[] = {"5", "1", "2", "3", "4", "10", "10", "10", "12"};
    s->m.format = &oam_formats[format];
    s->m.hz = rates[oas_chance(4)];
    text_fact(s, "oa_format", kernel_number ? numbers[format] : s->m.format->name);
    if (s->m.format->pci)
        text_fact(s, "pci", s->m.format->pci);
    facts_put_u64(&s->facts, "oa_timestamp_hz", s->m.hz);
}

/* Of an engine without counters. */
static void choose_stamps(struct oas *s) {
    s->m.format = &oam_formats[OAM_STAMPS];
    s->m.hz = 12500000;
    text_fact(s, "oa_engine", "video");
    facts_put_u64(&s->facts, "oa_timestamp_hz", s->m.hz);
    s->m.captures = true;
}

static void choose_rfc(struct oas *s) {
    static const char *const flags[] = {"", "pid", "tag", "pid,tag"};
    unsigned asked = oas_chance(4);
    s->fold = &intel_rfc_fold;
    if (oas_chance(10) == 0) {
        choose_stamps(s);
        s->m.context = true;
        s->m.pid = s->m.tag = false;
        return;
    }
    choose_device(s, oas_chance(3) ? OAM_HSW_A45 : oas_chance(5), oas_chance(2));
    text_fact(s, "oa_flags", flags[asked]);
    s->m.captures = s->m.context = true;
    s->m.pid = asked & 1;
    s->m.tag = asked & 2;
}

static void choose_stream(struct oas *s) {
    static const char *const names[] = {"source", "ctx", "pid", "tag", "ts"};
    char list[40] = "";
    bool stamps = oas_chance(10) == 0;
    s->fold = &intel_stream_fold;
    s->fields = oas_chance(32);
    if (stamps) {
        choose_stamps(s);
        s->fields |= OAS_SOURCE | OAS_TS;
    } else {
        choose_device(s, oas_chance(2) ? OAM_HSW_A45 : OAM_SKL, oas_chance(2));
    }
    if (!(s->fields & (OAS_SOURCE | OAS_CTX)))
        s->fields &= ~(unsigned)(OAS_PID | OAS_TAG);
    for (unsigned i = 0; i < 5; i++)
        if (s->fields & 1u << i) {
            strcat(list, *list ? "," : "");
            strcat(list, names[i]);
        }
    text_fact(s, "oa_sample", list);
    s->m.captures = s->fields & OAS_SOURCE;
    s->m.context = s->fields & OAS_CTX;
    s->m.pid = s->fields & OAS_PID;
    s->m.tag = s->fields & OAS_TAG;
}

static void put_head_records(struct oas *s) {
    static const char text[296] = "RenderBasic";
    s->head = true;
    s->file = &intel_perf_file;
    s->m.hz = 12500000; /* so that pairs are true to the ns */
    buf_clear(&s->facts);
    add_record(s, OAM_OTHER, 'a');
    oam_put_head(&s->bytes, 65536, 16);
    oam_put(&s->bytes, 1, 8);
    added(s);
    add_record(s, OAM_OTHER, 'a');
    oam_put_head(&s->bytes, 65537, 344);
    oam_put(&s->bytes, s->m.hz, 8);
    oam_put(&s->bytes, strtoul(s->m.format->pci + 5, NULL, 16), 4);
    for (unsigned i = 0; i < 5; i++)
        oam_put(&s->bytes, 0, 4);
    oam_put(&s->bytes, s->m.format == &oam_formats[OAM_DG2] ? 12 : 10, 4);
    buf_put(&s->bytes, text, sizeof text);
    oam_put(&s->bytes, 0, 4);
    added(s);
}

static void choose_perf(struct oas *s) {
    s->fold = &intel_perf_fold;
    choose_device(s, OAM_BDW + oas_chance(4), oas_chance(2));
    text_fact(s, "oa_file", "1");
    s->m.captures = s->m.context = s->m.pid = s->m.tag = false;
    if (oas_chance(3) == 0)
        put_head_records(s);
}

static void put_something(struct oas *s) {
    uint32_t kind = oas_chance(100);
    bool perf = s->fold == &intel_perf_fold, captures = s->m.captures;
    if (kind < 3)
        put_loss(s);
    else if (kind < 6)
        put_odd(s);
    else if (kind < 8)
        put_bad(s);
    else if (kind < 13)
        put_again(s);
    else if (kind < 20 && s->head)
        put_pair(s);
    else if (kind < 45 && captures)
        put_begin(s);
    else if (kind < 75 && captures)
        put_end(s);
    else {
        if (!perf && !captures && oas_chance(3) == 0)
            draw_labels(s->open[0]);
        put_periodic(s);
    }
}

static void build(struct oas *s) {
    unsigned records = 5 + oas_chance(OAM_RECORDS - 10);
    start_counters(s);
    s->first = (uint64_t)oas_chance(16) << 32 | s->now.timestamp;
    put_periodic(s);
    s->ahead = s->ticks;
    if (s->head)
        put_pair(s);
    while (s->m.count < records)
        put_something(s);
    if (oas_chance(16) == 0)
        put_broken(s);
    buf_char(&s->facts, '\0');
}

void oas_rfc(struct oas *s) {
    renew(s);
    choose_rfc(s);
    build(s);
}

void oas_perf(struct oas *s) {
    renew(s);
    choose_perf(s);
    build(s);
}

void oas_stream(struct oas *s) {
    renew(s);
    choose_stream(s);
    build(s);
}

void oas_capture(struct oas *s) {
    renew(s);
    s->fold = &intel_rfc_fold;
    s->m.format = &oam_formats[OAM_HSW_A45];
    s->m.hz = 12500000;
    s->m.captures = s->m.context = s->m.pid = s->m.tag = true;
    build(s);
}

void oas_finish(struct oas *s) {
    buf_finish(&s->bytes);
    buf_finish(&s->facts);
}
