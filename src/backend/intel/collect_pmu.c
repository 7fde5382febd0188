/*
 * Perf events of one PMU, opened by the names that sysfs gives them and read with one call. The text of an event is
 * terms, "event=0x02,gt=0x1" or "config=0x100000"; which bits of which word a term stands in says format/TERM:
 * "config:0-11", "config1:0-7,32-35".
 */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 3 };

void pmu_init(struct pmu_group *g) {
    g->count = 0;
    g->dir = -1;
}

/* ---- terms -------------------------------------------------------------------------------------------------- */

/* The text of a file of the PMU's folder, in `to`; n 0 where it cannot be read. */
static struct span text_of(const struct pmu_group *g, struct host *h, const char *folder,
                           struct span name, const char *tail, char to[64]) {
    char path[PMU_NAME_BYTES + 32];
    int m = snprintf(path, sizeof(path), "%s%.*s%s", folder, (int)name.n, name.p, tail);
    ssize_t n = m > 0 && (size_t)m < sizeof(path) ? host_slurp(h, g->dir, path, to, 64) : -1;
    return text_of_file((struct span){to, n > 0 ? (size_t)n : 0});
}

/* "config", "config1", "config2", and ":" behind it. */
static int take_word(struct cursor *c) {
    static const char *const words[WORDS] = {"config:", "config1:", "config2:"};
    struct span rest = {c->p, cursor_left(c)};
    for (int i = 0; i < WORDS; i++)
        if (span_starts(rest, words[i])) {
            c->p += strlen(words[i]);
            return i;
        }
    return -1;
}

/* "3" or "0-11". */
static bool take_range(struct span text, unsigned *low, unsigned *high) {
    struct cursor c = cursor_over(text);
    uint64_t a;
    uint64_t b;
    if (cursor_u64(&c, &a) != ERR_OK || a > 63)
        return false;
    b = a;
    if (c.p < c.end && (*c.p++ != '-' || cursor_u64(&c, &b) != ERR_OK || b > 63))
        return false;
    *low = (unsigned)a;
    *high = (unsigned)b;
    return c.p == c.end && a <= b;
}

/* Puts the value into the bits that the format names, the lowest first. False: it does not fit. */
static bool place(struct span format, uint64_t value, uint64_t config[WORDS]) {
    struct cursor c = cursor_over(format);
    int word = take_word(&c);
    struct span range;
    while (word >= 0 && cursor_field(&c, ',', &range)) {
        unsigned low;
        unsigned high;
        if (!take_range(range, &low, &high))
            return false;
        for (unsigned bit = low; bit <= high; bit++, value >>= 1)
            config[word] |= (value & 1) << bit;
    }
    return word >= 0 && value == 0;
}

static bool take_term(const struct pmu_group *g, struct host *h, struct span name, uint64_t value,
                      uint64_t config[WORDS]) {
    char format[64];
    if (span_equals(name, "config")) {
        config[0] |= value;
        return true;
    }
    return place(text_of(g, h, "format/", name, "", format), value, config);
}

static bool take_terms(const struct pmu_group *g, struct host *h, struct span text,
                       uint64_t config[WORDS]) {
    struct cursor c = cursor_over(text);
    struct span term;
    bool some = false;
    while (cursor_field(&c, ',', &term)) {
        struct cursor parts = cursor_over(term);
        struct span name;
        struct span number;
        uint64_t value = 1;
        if (!cursor_field(&parts, '=', &name) ||
            (cursor_field(&parts, '=', &number) && span_to_hex64(number, &value) != ERR_OK) ||
            !take_term(g, h, name, value, config))
            return false;
        some = true;
    }
    return some;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

static bool number_in(const struct pmu_group *g, struct host *h, const char *file, uint64_t *out) {
    char text[64];
    struct span s = text_of(g, h, "", span_of(file), "", text);
    struct cursor c = cursor_over(s);
    return cursor_u64(&c, out) == ERR_OK; /* of cpumask the first */
}

bool pmu_find(struct pmu_group *g, struct host *h, const char *path) {
    uint64_t type = 0;
    uint64_t cpu = 0;
    pmu_init(g);
    g->dir = host_open(h, h->root_fd, path, O_RDONLY | O_DIRECTORY);
    if (g->dir < 0)
        return false;
    if (!number_in(g, h, "type", &type) || type > UINT32_MAX || !number_in(g, h, "cpumask", &cpu) ||
        cpu > INT16_MAX) {
        pmu_found(g, h);
        errno = ENODEV;
        return false;
    }
    g->type = (uint32_t)type;
    g->cpu = (int)cpu;
    return true;
}

static int open_event(const struct pmu_group *g, struct host *h, const uint64_t config[WORDS]) {
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof(attr));
    attr.type = g->type;
    attr.size = sizeof(attr);
    attr.config = config[0];
    attr.config1 = config[1];
    attr.config2 = config[2];
    attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED;
    return host_perf_open(h, &attr, g->cpu, g->count > 0 ? g->event[0].fd : -1);
}

bool pmu_add(struct pmu_group *g, struct host *h, const char *event, const char *as, unsigned gt) {
    struct pmu_event *e = g->count < PMU_EVENTS ? &g->event[g->count] : NULL;
    uint64_t config[WORDS] = {0};
    char text[64];
    struct span terms = text_of(g, h, "events/", span_of(event), "", text);
    struct span scale;
    if (!e || strlen(as) >= sizeof(e->name) || !take_terms(g, h, terms, config) ||
        (gt > 0 && !take_term(g, h, span_of("gt"), gt, config)))
        return true;
    e->fd = open_event(g, h, config);
    if (e->fd < 0)
        return errno != EACCES && errno != EPERM;
    memcpy(e->name, as, strlen(as) + 1);
    scale = text_of(g, h, "events/", span_of(event), ".scale", text);
    if (scale.n >= sizeof(e->scale))
        scale.n = 0;
    memcpy(e->scale, scale.p, scale.n);
    e->scale[scale.n] = '\0';
    g->count++;
    return true;
}

void pmu_list(struct pmu_group *g, struct host *h, void (*name)(void *ctx, struct span name),
              void *ctx) {
    char space[4096];
    int fd = host_open(h, g->dir, "events", O_RDONLY | O_DIRECTORY);
    if (fd >= 0)
        (void)host_list(h, fd, space, sizeof(space), name, ctx);
    host_close(h, fd);
}

void pmu_found(struct pmu_group *g, struct host *h) {
    host_close(h, g->dir);
    g->dir = -1;
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

bool pmu_read(struct pmu_group *g, struct host *h, struct pmu_reading *out) {
    /* As the kernel lays it out: how many, the time, the counts in the order of opening. */
    uint64_t raw[2 + PMU_EVENTS];
    size_t want = (2 + g->count) * sizeof(raw[0]);
    ssize_t n = host_read(h, g->event[0].fd, raw, want);
    if (n < 0)
        return false;
    if ((size_t)n != want || raw[0] != g->count) {
        errno = ENODEV; /* the device went away */
        return false;
    }
    out->time_ns = raw[1];
    memcpy(out->value, raw + 2, g->count * sizeof(raw[0]));
    return true;
}

void pmu_close(struct pmu_group *g, struct host *h) {
    /* The first one leads the others. */
    for (uint32_t i = g->count; i > 0; i--)
        host_close(h, g->event[i - 1].fd);
    pmu_found(g, h);
    g->count = 0;
}
