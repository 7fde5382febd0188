/*
 * Lines of trace_pipe. Pure.
 *
 * "            comm-pid   (tgid) [cpu] flags seconds.micros: event: its text". The name of a task
 * is anything of at most 15 bytes, so all that can be relied on is that the '-' behind it is no
 * further than byte 16, and that the last one there with a whole header behind it is that one.
 */
#include "trace.h"

#define DASH_LAST 16

static void skip_blanks(struct cursor *c) {
    while (c->p != c->end && *c->p == ' ')
        c->p++;
}

static bool take_char(struct cursor *c, char what) {
    bool is = c->p != c->end && *c->p == what;
    c->p += is;
    return is;
}

static bool take_text(struct cursor *c, const char *text) {
    size_t n = strlen(text);
    bool is = (size_t)(c->end - c->p) >= n && memcmp(c->p, text, n) == 0;
    c->p += is ? n : 0;
    return is;
}

/* At most 18 digits, so that none wraps. Returns how many there are, 0 for too many. */
static unsigned take_digits(struct cursor *c, unsigned base, uint64_t *out) {
    unsigned n = 0;
    for (*out = 0; c->p != c->end && n <= 18; c->p++, n++) {
        unsigned char ch = (unsigned char)*c->p;
        unsigned lower = ch | 0x20u;
        if (ch >= '0' && ch <= '9')
            *out = *out * base + (ch - '0');
        else if (base == 16 && lower >= 'a' && lower <= 'f')
            *out = *out * base + (lower - 'a' + 10);
        else
            break;
    }
    return n <= (base == 16 ? 16 : 18) ? n : 0;
}

static bool take_stamp(struct cursor *c, int64_t *t_ns) {
    uint64_t seconds;
    uint64_t micros;
    if (!take_digits(c, 10, &seconds) || seconds > INT64_MAX / 1000000000 - 1)
        return false;
    if (!take_char(c, '.') || take_digits(c, 10, &micros) != 6 || !take_text(c, ": "))
        return false;
    *t_ns = (int64_t)(seconds * 1000000000 + micros * 1000);
    return true;
}

/* Behind the '-': up to the name of the event. Kernels before 2.6.38 write no flags. */
static bool take_header(struct cursor *c, int64_t *t_ns) {
    uint64_t number;
    if (!take_digits(c, 10, &number))
        return false;
    skip_blanks(c);
    if (take_char(c, '(')) {
        while (c->p != c->end && *c->p != ')')
            c->p++;
        if (!take_char(c, ')'))
            return false;
        skip_blanks(c);
    }
    if (!take_char(c, '[') || !take_digits(c, 10, &number) || !take_char(c, ']'))
        return false;
    skip_blanks(c);
    struct cursor flags = *c;
    if (take_stamp(c, t_ns))
        return true;
    *c = flags;
    while (c->p != c->end && *c->p != ' ')
        c->p++;
    skip_blanks(c);
    return take_stamp(c, t_ns);
}

static bool find_event(struct span line, struct cursor *at, int64_t *t_ns) {
    size_t end = DASH_LAST + 1; /* and blanks, which some put before what they print */
    while (end < line.n && line.p[end - DASH_LAST - 1] == ' ')
        end++;
    for (size_t i = line.n < end ? line.n : end; i-- > 0;) {
        *at = cursor_over(span_skip(line, i + 1));
        if (line.p[i] == '-' && take_header(at, t_ns))
            return true;
    }
    return false;
}

static bool at_tail(struct cursor *c) {
    skip_blanks(c);
    take_char(c, '\r');
    return c->p == c->end;
}

/* "S|pid|PP0:hex|dec", F where it ends. */
static enum trace_text parse_active(struct cursor *c, struct mali_event *out) {
    bool starts = take_text(c, "S|");
    uint64_t pid;
    uint64_t core;
    uint64_t id;
    if (!starts && !take_text(c, "F|"))
        return TRACE_TEXT_BAD;
    if (!take_digits(c, 10, &pid) || pid > UINT32_MAX || !take_char(c, '|'))
        return TRACE_TEXT_BAD;
    bool pp = take_text(c, "PP");
    if ((!pp && !take_text(c, "GP")) || !take_digits(c, 10, &core) || core >= (pp ? 8 : 4))
        return TRACE_TEXT_BAD;
    if (!take_char(c, ':') || !take_digits(c, 16, &id) || !take_char(c, '|') ||
        !take_digits(c, 10, &id) || !at_tail(c))
        return TRACE_TEXT_BAD;
    out->id = (starts ? 1u : 2u) << 24 | (uint32_t)(core + (pp ? 5 : 1)) << 16;
    out->d[0] = (uint32_t)pid;
    out->d[2] = starts ? 0 : UINT32_MAX; /* no counters */
    return TRACE_TEXT_EVENT;
}

/* "event=N", as a signed number, and not d0 to d4: without these only a stop for want of memory
 * and its end mean something, and that the rate is another. */
static enum trace_text parse_timeline(struct cursor *c, struct mali_event *out) {
    uint64_t id;
    if (!take_text(c, "event="))
        return TRACE_TEXT_BAD;
    bool negative = take_char(c, '-');
    if (!take_digits(c, 10, &id) || id > UINT32_MAX || !at_tail(c))
        return TRACE_TEXT_BAD;
    out->id = negative ? 0u - (uint32_t)id : (uint32_t)id;
    enum mali_act act = mali_event_act(out, MALI_DIALECT_ARM);
    if (act == MALI_RATE)
        return TRACE_TEXT_RATE;
    bool waits = act == MALI_SUSPEND || act == MALI_RESUME;
    return waits && mali_event_unit(out) == 0 ? TRACE_TEXT_EVENT : TRACE_TEXT_OTHER;
}

/* "CPU:1 [LOST 12 EVENTS]", without the number where the kernel does not know it. */
static enum trace_text parse_lost(struct cursor *c, uint64_t *lost) {
    uint64_t number;
    if (!take_digits(c, 10, &number) || !take_text(c, " [LOST "))
        return TRACE_TEXT_BAD;
    *lost = 1;
    if (take_digits(c, 10, &number)) {
        if (number == 0 || number > UINT32_MAX || !take_char(c, ' '))
            return TRACE_TEXT_BAD;
        *lost = number;
    }
    if (take_text(c, "EVENTS]") && at_tail(c))
        return TRACE_TEXT_LOST;
    *lost = 0;
    return TRACE_TEXT_BAD;
}

enum trace_text trace_text_parse(struct span line, struct mali_event *out, uint64_t *lost) {
    struct cursor c = cursor_over(line);
    *out = (struct mali_event){0};
    *lost = 0;
    if (line.n > TRACE_LINE_MAX)
        return TRACE_TEXT_BAD;
    if (take_text(&c, "CPU:") && memchr(line.p, '[', line.n) && !find_event(line, &c, &out->t_ns)) {
        c = cursor_over(span_skip(line, 4));
        return parse_lost(&c, lost);
    }
    if (find_event(line, &c, &out->t_ns)) {
        if (take_text(&c, "mali_core_active: "))
            return parse_active(&c, out);
        return take_text(&c, "mali_timeline_event: ") ? parse_timeline(&c, out) : TRACE_TEXT_OTHER;
    }
    c = cursor_over(line);
    return at_tail(&c) || *c.p == '#' ? TRACE_TEXT_OTHER : TRACE_TEXT_BAD;
}

bool trace_text_time(struct span line, int64_t *t_ns) {
    struct cursor c;
    return find_event(line, &c, t_ns);
}

/* ---- fold ------------------------------------------------------------------------------------ */

struct text_state {
    struct mali_run run;
    uint32_t waiting; /* bytes of `line` */
    bool too_long;
    char line[TRACE_LINE_MAX];
};

static void take_line(struct mali_flow *f, struct span line) {
    struct mali_event e;
    uint64_t lost;
    switch (trace_text_parse(line, &e, &lost)) {
    case TRACE_TEXT_EVENT:
        mali_flow_event(f, &e);
        break;
    case TRACE_TEXT_RATE:
        f->counts->accepted++;
        mali_flow_rate_unknown(f, e.t_ns);
        break;
    case TRACE_TEXT_LOST:
        f->counts->accepted++;
        mali_flow_lost(f, lost);
        break;
    case TRACE_TEXT_OTHER:
        counts_ignored(f->counts, REASON_OTHER_EVENT);
        break;
    case TRACE_TEXT_BAD:
        counts_malformed(f->counts, REASON_BAD_TEXT);
        break;
    }
}

static void keep(struct text_state *s, struct span part) {
    s->too_long = s->too_long || part.n > sizeof s->line - s->waiting;
    if (s->too_long)
        return;
    memcpy(s->line + s->waiting, part.p, part.n);
    s->waiting += (uint32_t)part.n;
}

static void take_kept(struct text_state *s, struct mali_flow *f) {
    if (s->too_long)
        counts_malformed(f->counts, REASON_BAD_TEXT);
    else
        take_line(f, (struct span){s->line, s->waiting});
    s->waiting = 0;
    s->too_long = false;
}

static void feed(void *state, const struct subject *subject, const struct frame *frame,
                 const struct sink *sink, struct counts *counts) {
    struct text_state *s = state;
    struct span rest = frame_span(frame);
    struct mali_flow f;
    mali_flow_init(&f, &s->run, subject, sink, counts);
    while (rest.n > 0) {
        const char *end = memchr(rest.p, '\n', rest.n);
        struct span line = {rest.p, end ? (size_t)(end - rest.p) : rest.n};
        if (end && s->waiting == 0 && !s->too_long) {
            take_line(&f, line);
        } else {
            keep(s, line);
            if (end)
                take_kept(s, &f);
        }
        rest = span_skip(rest, line.n + (end != NULL));
    }
}

/* A line without its end may lack digits, so it is none. */
static void tick(void *state, const struct subject *subject, int64_t t_ns, const struct sink *sink,
                 struct counts *counts) {
    struct text_state *s = state;
    struct mali_flow f;
    (void)t_ns; /* of the reading; the jobs have a clock of their own */
    mali_flow_init(&f, &s->run, subject, sink, counts);
    if (s->too_long || s->waiting > 0)
        counts_truncated(counts, REASON_CUT);
    s->waiting = 0;
    s->too_long = false;
    mali_flow_cut(&f);
}

static void init(void *state, const struct subject *s) {
    struct text_state *it = state;
    *it = (struct text_state){0};
    mali_run_init(&it->run, s);
}

const struct fold mali_trace_text_fold = {
    .size = sizeof(struct text_state), .init = init, .feed = feed, .tick = tick};
