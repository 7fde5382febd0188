/* See tracepage.h. */
#include "tracepage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD 16u

static const char *const active_fields[] = {
    "pid", "active", "core_type", "core_id", "frame_builder_id", "flush_id", NULL};
static const char *const timeline_fields[] = {"event_id", "d0", "d1", "d2", "d3", "d4", NULL};

void tracepage_put(struct tracepage *p, size_t at, uint64_t v, unsigned size) {
    if (at + size > sizeof(p->bytes))
        abort();
    for (unsigned i = 0; i < size; i++)
        p->bytes[at + i] = (char)(v >> 8 * (p->big ? size - 1 - i : i));
}

void tracepage_word(struct tracepage *p, uint32_t v) {
    tracepage_put(p, p->n, v, 4);
    p->n += 4;
}

void tracepage_head(struct tracepage *p, uint32_t type, uint32_t delta_ns) {
    tracepage_word(p, p->big ? type << 27 | delta_ns : delta_ns << 5 | type);
}

struct tracepage tracepage_begin(bool big, unsigned shift, uint64_t t_ns) {
    struct tracepage p = {.n = HEAD, .big = big, .shift = shift};
    tracepage_put(&p, 0, t_ns, 8);
    return p;
}

static void record(struct tracepage *p, uint32_t delta_ns, bool long_form, unsigned id,
                   const uint32_t v[6]) {
    uint32_t n = 32 + p->shift;
    tracepage_head(p, long_form ? 0 : n / 4, delta_ns);
    if (long_form)
        tracepage_word(p, n + 4);
    tracepage_put(p, p->n, id, 2);
    for (unsigned i = 0; i < 6; i++)
        tracepage_put(p, p->n + 8 + p->shift + 4 * i, v[i], 4);
    p->n += n;
}

void tracepage_active(struct tracepage *p, uint32_t delta_ns, bool on, bool long_form) {
    record(p, delta_ns, long_form, TRACEPAGE_ACTIVE, (const uint32_t[6]){9, on, 0, 2, 3, 4});
}

void tracepage_timeline(struct tracepage *p, uint32_t delta_ns, uint32_t id, uint32_t d0,
                        uint32_t d1, uint32_t d2) {
    record(p, delta_ns, false, TRACEPAGE_TIMELINE, (const uint32_t[6]){id, d0, d1, d2, 0, 0});
}

struct span tracepage_end(struct tracepage *p, uint64_t flags) {
    uint64_t above = (flags & TRACEPAGE_MISSED) != 0 ? ~UINT64_C(0) << 32 : 0;
    tracepage_put(p, 8, (p->n - HEAD) | flags | above, 8);
    return (struct span){p->bytes, p->n};
}

struct span tracepage_end_missed(struct tracepage *p, uint64_t missed) {
    struct span s = tracepage_end(p, TRACEPAGE_MISSED | TRACEPAGE_STORED);
    tracepage_put(p, p->n, missed, 8);
    s.n += 8;
    return s;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *const *fields_of(unsigned event) {
    return event == TRACEPAGE_ACTIVE ? active_fields : timeline_fields;
}

static char *add(char *to, const char *end, int n) {
    if (n < 0 || n >= end - to)
        abort();
    return to + n;
}

const char *tracepage_facts(bool big, unsigned shift, unsigned event) {
    static char out[1024];
    const char *const *fields = fields_of(event);
    const char *prefix = event == TRACEPAGE_ACTIVE ? "active" : "timeline";
    const char *end = out + sizeof(out);
    char *p = add(out, end,
                  snprintf(out, sizeof(out),
                           "endian=%s\npage_data=16\npage.timestamp=0,8,0\npage.commit=8,8,1\n"
                           "common_type=0,2,0\n%s.id=%u\n",
                           big ? "big" : "little", prefix, event));
    for (unsigned i = 0; fields[i]; i++)
        p = add(
            p, end,
            snprintf(p, (size_t)(end - p), "%s.%s=%u,4,0\n", prefix, fields[i], 8 + shift + 4 * i));
    return out;
}

const char *tracepage_header(void) {
    return "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
           "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
           "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
           "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
}

const char *tracepage_format(unsigned event, unsigned shift) {
    static char out[2048];
    const char *const *fields = fields_of(event);
    const char *name = event == TRACEPAGE_ACTIVE ? "mali_core_active" : "mali_timeline_event";
    const char *end = out + sizeof(out);
    char *p = add(out, end,
                  snprintf(out, sizeof(out),
                           "name: %s\nID: %u\nformat:\n"
                           "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                           "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                           "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
                           "\tsigned:0;\n"
                           "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
                           name, event));
    for (unsigned i = 0; fields[i]; i++)
        p = add(p, end,
                snprintf(p, (size_t)(end - p),
                         "\tfield:unsigned int %s;\toffset:%u;\tsize:4;\tsigned:0;\n", fields[i],
                         8 + shift + 4 * i));
    add(p, end, snprintf(p, (size_t)(end - p), "\nprint fmt: \"event=%%d\", REC->event_id\n"));
    return out;
}

/* ---- GPU scheduler --------------------------------------------------------------------------- */

struct sched_field {
    const char *name;
    const char *type;
    unsigned offset;
    unsigned size;
    bool read; /* stands in the facts */
};
#define TEXT  "__data_loc char[]"
#define TEXTS 48u /* where they begin */

static const struct sched_field old_job[] = {{"entity", "struct drm_sched_entity *", 8, 8, false},
                                             {"fence", "struct dma_fence *", 16, 8, true},
                                             {"name", TEXT, 24, 4, true},
                                             {"id", "uint64_t", 32, 8, false},
                                             {"job_count", "u32", 40, 4, false},
                                             {"hw_job_count", "int", 44, 4, false},
                                             {NULL, NULL, 0, 0, false}};
static const struct sched_field old_done[] = {{"fence", "struct dma_fence *", 8, 8, true},
                                              {NULL, NULL, 0, 0, false}};
static const struct sched_field new_job[] = {{"name", TEXT, 8, 4, true},
                                             {"job_count", "u32", 12, 4, false},
                                             {"hw_job_count", "int", 16, 4, false},
                                             {"dev", TEXT, 20, 4, true},
                                             {"fence_context", "u64", 24, 8, true},
                                             {"fence_seqno", "u64", 32, 8, true},
                                             {"client_id", "u64", 40, 8, false},
                                             {NULL, NULL, 0, 0, false}};
static const struct sched_field new_done[] = {{"fence_context", "u64", 8, 8, true},
                                              {"fence_seqno", "u64", 16, 8, true},
                                              {NULL, NULL, 0, 0, false}};

static const struct sched_field *sched_fields(bool is_new, unsigned what) {
    if (what == 2)
        return is_new ? new_done : old_done;
    return is_new ? new_job : old_job;
}

/* Where it stands in the record, and how long it is with its NUL. */
static size_t put_text(struct tracepage *p, size_t begin, size_t word, size_t at, const char *s) {
    size_t n = strlen(s) + 1;
    if (begin + at + n > sizeof(p->bytes))
        abort();
    memcpy(p->bytes + begin + at, s, n);
    tracepage_put(p, begin + word, n << 16 | at, 4);
    return at + n;
}

void tracepage_sched(struct tracepage *p, bool is_new, uint32_t delta_ns,
                     const struct tracepage_sched *e) {
    size_t head = p->n;
    p->n += 4;
    size_t begin = p->n;
    size_t n = is_new ? 24 : 16;
    size_t fence = e->what == 2 ? 8 : is_new ? 24 : 16;
    tracepage_put(p, begin, TRACEPAGE_SCHED + e->what, 2);
    tracepage_put(p, begin + 4, (uint32_t)e->pid, 4);
    if (is_new)
        tracepage_put(p, begin + fence, 7, 8); /* its context */
    tracepage_put(p, begin + fence + (is_new ? 8 : 0), e->fence, 8);
    if (e->what != 2) {
        n = put_text(p, begin, is_new ? 8 : 24, TEXTS, e->ring);
        if (is_new)
            n = put_text(p, begin, 20, n, e->dev ? e->dev : "1c40000.gpu");
    }
    n = (n + 3) / 4 * 4;
    p->n = head;
    tracepage_head(p, (uint32_t)n / 4, delta_ns);
    p->n = begin + n;
}

const char *tracepage_sched_facts(bool big, bool is_new) {
    static const char *const prefixes[] = {"queue", "run", "done"};
    static char out[2048];
    const char *end = out + sizeof(out);
    char *p = add(out, end,
                  snprintf(out, sizeof(out),
                           "endian=%s\npage_data=16\npage.timestamp=0,8,0\npage.commit=8,8,1\n"
                           "common_type=0,2,0\nqueue.common_pid=4,4,1\n",
                           big ? "big" : "little"));
    for (unsigned what = 0; what < 3; what++) {
        p = add(
            p, end,
            snprintf(p, (size_t)(end - p), "%s.id=%u\n", prefixes[what], TRACEPAGE_SCHED + what));
        for (const struct sched_field *f = sched_fields(is_new, what); f->name; f++)
            if (f->read)
                p = add(p, end,
                        snprintf(p, (size_t)(end - p), "%s.%s=%u,%u,0\n", prefixes[what], f->name,
                                 f->offset, f->size));
    }
    return out;
}

const char *tracepage_sched_format(bool is_new, unsigned what) {
    static char out[2048];
    const char *end = out + sizeof(out);
    char *p = add(out, end,
                  snprintf(out, sizeof(out),
                           "name: of a scheduler\nID: %u\nformat:\n"
                           "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                           "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
                           TRACEPAGE_SCHED + what));
    for (const struct sched_field *f = sched_fields(is_new, what); f->name; f++)
        p = add(p, end,
                snprintf(p, (size_t)(end - p), "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:0;\n",
                         f->type, f->name, f->offset, f->size));
    return out;
}
