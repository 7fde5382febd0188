/*
 * Lines of `events` and `events_human_readable`, and what each event means. Pure; lines are
 * hostile. Stamps in ns.
 *
 * Event id: 4 bits that are 0, 4 bits type, 8 bits channel, 16 bits subtype. Releases agree on
 * what they post, but for software events 4 and 5, so all that any of them posts is known in
 * every dialect.
 */
#include "mali.h"

/* ---- lines ----------------------------------------------------------------------------------- */

/* More digits are more than 64 bits, or begin with zeros, which the driver does not write. */
#define DIGITS_MAX 19

static enum mali_line take_number(struct cursor *c, uint64_t max, uint64_t *out) {
    const char *start = c->p;
    uint64_t v = 0;
    while (c->p != c->end && *c->p >= '0' && *c->p <= '9')
        v = v * 10 + (uint64_t)(*c->p++ - '0'); /* wraps only past DIGITS_MAX */
    size_t digits = (size_t)(c->p - start);
    if (digits == 0)
        return c->p == c->end ? MALI_LINE_CUT : MALI_LINE_BAD_TEXT;
    if (digits > DIGITS_MAX || v > max)
        return MALI_LINE_OUT_OF_RANGE;
    *out = v;
    return MALI_LINE_EVENT;
}

static enum mali_line take_blank(struct cursor *c) {
    if (c->p == c->end)
        return MALI_LINE_CUT;
    return *c->p++ == ' ' ? MALI_LINE_EVENT : MALI_LINE_BAD_TEXT;
}

/* Behind the last number: nothing, blanks, or a tail for people. */
static enum mali_line take_tail(struct cursor *c, bool whole) {
    if (c->p == c->end)
        return whole ? MALI_LINE_EVENT : MALI_LINE_CUT;
    cursor_skip_blanks(c);
    if (c->p != c->end && *c->p == '\r')
        c->p++;
    return c->p == c->end || *c->p == '#' ? MALI_LINE_EVENT : MALI_LINE_BAD_TEXT;
}

static enum mali_line take_fields(struct cursor *c, struct mali_event *out) {
    uint64_t v = 0;
    enum mali_line is = take_number(c, INT64_MAX, &v);
    out->t_ns = (int64_t)v;
    for (int i = -1; i < 5 && is == MALI_LINE_EVENT; i++) {
        is = take_blank(c);
        if (is == MALI_LINE_EVENT)
            is = take_number(c, UINT32_MAX, &v);
        *(i < 0 ? &out->id : &out->d[i]) = (uint32_t)v;
    }
    return is;
}

int64_t mali_line_stamp(struct span line) {
    uint64_t t = 0;
    size_t n = 0;
    for (; n < line.n && n < 19 && line.p[n] >= '0' && line.p[n] <= '9'; n++)
        t = t * 10 + (uint64_t)(line.p[n] - '0');
    return n > 0 && n < line.n && line.p[n] == ' ' && t <= INT64_MAX ? (int64_t)t : -1;
}

enum mali_line mali_line_parse(struct span line, bool whole, struct mali_event *out) {
    struct cursor c = cursor_over(line);
    if (line.n > MALI_LINE_MAX)
        return MALI_LINE_BAD_TEXT;
    enum mali_line is = take_fields(&c, out);
    if (is == MALI_LINE_EVENT)
        is = take_tail(&c, whole);
    return is == MALI_LINE_CUT && whole ? MALI_LINE_BAD_TEXT : is;
}

/* ---- meaning --------------------------------------------------------------------------------- */

enum type { SINGLE, START, STOP, SUSPEND, RESUME, TYPES };
enum place { SOFTWARE, GP, PP, GPU, PLACES };

#define FIRST_GP 1u
#define CHANNELS 22u

const char *const mali_unit_names[MALI_UNITS] = {"GP0", "GP1", "GP2", "GP3", "PP0", "PP1",
                                                 "PP2", "PP3", "PP4", "PP5", "PP6", "PP7"};

/* Channels 2 to 4 are reserved for more GPs; 13 to 20 are nobody's. */
static const uint8_t place_of[CHANNELS] = {
    SOFTWARE, GP, GP,     GP,     GP,     PP,     PP,     PP,     PP,     PP,     PP,
    PP,       PP, PLACES, PLACES, PLACES, PLACES, PLACES, PLACES, PLACES, PLACES, GPU};

struct subtype {
    uint16_t first;
    uint16_t last;
    uint8_t act;
    uint8_t dialect; /* UNKNOWN: in all */
};

static const struct subtype single_software[] = {
    {0, 3, MALI_NOTHING, 0}, /* none, EGL new frame, flush, EGL swap buffers */
    {4, 4, MALI_CLOCK, MALI_DIALECT_SAMSUNG},
    {5, 5, MALI_VOLTAGE, MALI_DIALECT_SAMSUNG},
    {4, 5, MALI_NOTHING, MALI_DIALECT_ARM}, /* frame builder event, GP enqueue */
    {6, 8, MALI_NOTHING, 0},   /* global lock tried, taken, left; PP enqueue, readback, writeback */
    {9, 11, MALI_NOTHING, 0},  /* vertical blank, API function entered, left */
    {13, 13, MALI_NOTHING, 0}, /* attachments discarded */
    {53, 56, MALI_NOTHING, 0}, /* UMP lock tried, taken, left; lock contended */
    {57, 63, MALI_NOTHING, 0}, /* fences and syncs */
};
/* Work of the CPU: MALI, bottom half or callback thread, worker thread, bottom half, upper half. */
static const struct subtype run_software[] = {{0, 5, MALI_NOTHING, 0}};
static const struct subtype wait_software[] = {
    {0, 1, MALI_NOTHING, 0},   /* none, pipeline full */
    {26, 36, MALI_NOTHING, 0}, /* vsync, frame builder, textures, readpixels, queues, UMP lock */
    {37, 39, MALI_NOTHING, 0}, /* X11 lock, X11 swap, EGL image */
    {40, 49, MALI_NOTHING, 0}, /* job handling, fences, waits for jobs, submit limiter */
};
static const struct subtype single_unit[] = {
    {0, 0, MALI_NOTHING, 0}, /* none */
    {1, 1, MALI_INTERRUPT, 0},
    {2, 2, MALI_NOTHING, 0}, /* flush: frame and flush id of the job that comes */
};
/* Subtype 1: one of several cores of a job that was given to a group. */
static const struct subtype start_unit[] = {{0, 1, MALI_START, 0}};
static const struct subtype stop_unit[] = {{0, 1, MALI_STOP, 0}};
static const struct subtype suspend_unit[] = {{0, 0, MALI_SUSPEND, 0}}; /* heap is full */
static const struct subtype resume_unit[] = {{0, 0, MALI_RESUME, 0}};
static const struct subtype single_gpu[] = {
    {0, 0, MALI_NOTHING, 0},
    {1, 1, MALI_RATE, 0},
    {2, 4, MALI_NOTHING, 0}, /* counters of three L2 caches */
    {10, 10, MALI_RATE, 0},  /* the same by another numbering */
};

#define LIST(name)                                                                                 \
    { name, sizeof(name) / sizeof(name[0]) }
static const struct {
    const struct subtype *list;
    size_t count;
} subtypes[TYPES][PLACES] = {
    [SINGLE] = {LIST(single_software), LIST(single_unit), LIST(single_unit), LIST(single_gpu)},
    [START] = {LIST(run_software), LIST(start_unit), LIST(start_unit), {NULL, 0}},
    [STOP] = {LIST(run_software), LIST(stop_unit), LIST(stop_unit), {NULL, 0}},
    [SUSPEND] = {LIST(wait_software), LIST(suspend_unit), LIST(suspend_unit), {NULL, 0}},
    [RESUME] = {LIST(wait_software), LIST(resume_unit), LIST(resume_unit), {NULL, 0}},
};
#undef LIST

static unsigned channel_of(const struct mali_event *e) {
    return e->id >> 16 & 0xff;
}

/* Of a pair of software events the driver's own differ from all that programs can post under
 * their number: there the driver puts the thread's id, which is never 0 or 1, into d1. Of
 * voltages only results count. */
static enum mali_act as_posted(enum mali_act act, const struct mali_event *e) {
    if (act == MALI_CLOCK && e->d[1] > 1)
        return MALI_UNKNOWN;
    return act == MALI_VOLTAGE && e->d[1] != 0 ? MALI_NOTHING : act;
}

enum mali_act mali_event_act(const struct mali_event *e, enum mali_dialect dialect) {
    uint32_t type = e->id >> 24; /* the 4 bits that are 0 make it none that is known */
    unsigned channel = channel_of(e);
    uint32_t subtype = e->id & 0xffff;
    unsigned place = channel < CHANNELS ? place_of[channel] : PLACES;
    if (type >= TYPES || place >= PLACES)
        return MALI_UNKNOWN;
    for (size_t i = 0; i < subtypes[type][place].count; i++) {
        const struct subtype *s = &subtypes[type][place].list[i];
        bool here = s->dialect == MALI_DIALECT_UNKNOWN || s->dialect == dialect;
        if (here && subtype >= s->first && subtype <= s->last)
            return as_posted((enum mali_act)s->act, e);
    }
    return MALI_UNKNOWN;
}

unsigned mali_event_unit(const struct mali_event *e) {
    unsigned channel = channel_of(e);
    return channel >= FIRST_GP && channel < FIRST_GP + MALI_UNITS ? channel - FIRST_GP : MALI_UNITS;
}
