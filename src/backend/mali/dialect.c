/*
 * Whose release of the driver wrote a recording, told from the whole of it. Pure.
 *
 * Software events 4 and 5 are what tells: Samsung's clocks and voltages, or ARM's events with
 * process and thread ids. A program that uses the GPU may post the latter as often as it likes, but
 * not the former, where a thread's id would stand; so these prevail. No single line decides for
 * Samsung all the same, since an entry may be garbage; the driver posts them in pairs. The file for
 * people, with a tail behind each line, is newer than Samsung's dialect.
 */
#include "mali.h"

#define SOFTWARE_4 4u
#define SOFTWARE_5 5u

#define PID_MAX 4194304u

static bool within(uint32_t v, uint32_t from, uint32_t to) {
    return v >= from && v <= to;
}

/* Ids of a process and of one of its threads, which are given out one after another. */
static bool are_ids(const struct mali_event *e) {
    uint32_t pid = e->d[0];
    uint32_t tid = e->d[1];
    return within(pid, 1, PID_MAX) && tid > 1 && (tid > pid ? tid - pid : pid - tid) <= 5000;
}

static bool is_clock(const struct mali_event *e) {
    return within(e->d[0], 10000000, 2000000000) && e->d[1] <= 1 && e->d[2] == 0 && e->d[3] == 0 &&
           e->d[4] == 0;
}

static bool is_voltage(const struct mali_event *e) {
    return within(e->d[0], 500000, 2000000) && e->d[3] == 0 && e->d[4] == 0;
}

/* What came of a request, which itself has the range that is asked for. */
static bool is_result(const struct mali_event *e) {
    return is_voltage(e) && e->d[1] == 0 && within(e->d[2], 1, 2);
}

static bool is_request(const struct mali_event *e) {
    return is_voltage(e) && within(e->d[1], 500000, 2000000) && e->d[2] <= 1;
}

static void look_at_clock(struct mali_look *l, const struct mali_event *e) {
    bool clock = is_clock(e);
    l->samsung += clock;
    l->arm += !clock && are_ids(e);
    l->before_is_said |= clock && e->d[1] == 1;
    if (!l->clock_seen && clock && e->d[1] == 0)
        l->clock_before = e->d[0];
    l->clock_seen |= clock;
}

static void look_at_voltage(struct mali_look *l, const struct mali_event *e) {
    bool result = is_result(e);
    bool request = is_request(e);
    l->samsung += result;
    l->requests += request;
    l->arm += !result && !request && are_ids(e) && (e->d[2] != 0 || e->d[3] != 0);
    l->before_is_said |= result && e->d[2] == 2;
}

/* Whether the line may be of an event that tells: its second number begins like one of theirs. Of
 * all others, which are nearly all, no more is read. */
static bool may_tell(struct span line) {
    const char *blank = memchr(line.p, ' ', line.n);
    struct span id = blank ? span_skip(line, (size_t)(blank - line.p) + 1) : (struct span){"", 0};
    return span_starts(id, "4 ") || span_starts(id, "5 ") || span_starts(id, "13762");
}

static void look_at(struct mali_look *l, struct span line) {
    struct mali_event e;
    if (!may_tell(line) || mali_line_parse(line, true, &e) != MALI_LINE_EVENT)
        return;
    l->clock_seen |= mali_event_act(&e, MALI_DIALECT_UNKNOWN) == MALI_RATE;
    if (e.id != SOFTWARE_4 && e.id != SOFTWARE_5)
        return;
    l->events++;
    l->tails += memchr(line.p, '#', line.n) != NULL;
    if (e.id == SOFTWARE_4)
        look_at_clock(l, &e);
    else
        look_at_voltage(l, &e);
}

static enum mali_dialect decide(const struct mali_look *l) {
    if (l->tails * 2 > l->events)
        return MALI_DIALECT_ARM;
    if (l->samsung >= 2 || (l->samsung == 1 && l->requests > l->arm))
        return MALI_DIALECT_SAMSUNG;
    return l->arm > 0 ? MALI_DIALECT_ARM : MALI_DIALECT_UNKNOWN;
}

static const char *const words[] = {[MALI_DIALECT_SAMSUNG] = "samsung", [MALI_DIALECT_ARM] = "arm"};

void mali_dialect_look(struct mali_look *l, struct span lines) {
    struct cursor c = cursor_over(lines);
    struct span line;
    while (cursor_line(&c, &line))
        look_at(l, line);
}

void mali_dialect_say(const struct mali_look *l, struct buf *facts) {
    enum mali_dialect dialect = decide(l);
    if (dialect != MALI_DIALECT_UNKNOWN)
        facts_put(facts, "dialect", span_of(words[dialect]));
    if (l->before_is_said && l->clock_before > 0)
        facts_put_u64(facts, "clock_before", l->clock_before);
}

void mali_dialect_scan(struct span file, struct buf *facts) {
    struct mali_look l = {0};
    mali_dialect_look(&l, file);
    mali_dialect_say(&l, facts);
}

enum mali_dialect mali_dialect_of(const char *facts) {
    struct span word = facts_get(facts, "dialect");
    for (unsigned d = MALI_DIALECT_SAMSUNG; d <= MALI_DIALECT_ARM; d++)
        if (span_equals(word, words[d]))
            return (enum mali_dialect)d;
    return MALI_DIALECT_UNKNOWN;
}
