/* See tracepage.h. */
#include "tracepage.h"

#include <stdio.h>
#include <stdlib.h>

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
    uint64_t above = flags & TRACEPAGE_MISSED ? ~UINT64_C(0) << 32 : 0;
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
