/*
 * The mali backend's entry in the table: recordings of the driver's internal profiling, saved to a
 * file or, where that was asked for, made on the live machine.
 */
#include <string.h>

#include "mali.h"
#include "trace.h"

/* Facts are all that the whole tells beforehand: what is no event is counted line by line. */
static void scan(void *state, struct span piece) {
    mali_dialect_look(state, piece);
}

static void say_facts(const void *state, struct buf *facts) {
    mali_dialect_say(state, facts);
}

/* Most whole lines are events. Where a pipe has not brought a whole one yet, what is there may become one. */
static bool recognise(struct span head, bool more) {
    struct mali_event e;
    const char *end;
    unsigned good = 0;
    unsigned bad = 0;
    while (head.n > 0 && (end = memchr(head.p, '\n', head.n)) != NULL) {
        struct span line = {head.p, (size_t)(end - head.p)};
        bool is = mali_line_parse(line, true, &e) == MALI_LINE_EVENT;
        good += is;
        bad += !is;
        head = span_skip(head, line.n + 1);
    }
    if (good > 0)
        return good > bad;
    enum mali_line rest = mali_line_parse(head, false, &e);
    return bad == 0 && more && (rest == MALI_LINE_CUT || rest == MALI_LINE_EVENT);
}

static size_t cut(struct span rest) {
    size_t n = rest.n;
    while (n > 0 && rest.p[n - 1] != '\n')
        n--;
    return n;
}

/* Only the stamp is read: what else is odd about a line is for the fold to count. */
static size_t next_event(struct span rest, int64_t *t_ns) {
    const char *end = memchr(rest.p, '\n', rest.n);
    *t_ns = INT64_MIN;
    if (!end)
        return 0;
    int64_t stamp = mali_line_stamp((struct span){rest.p, (size_t)(end - rest.p)});
    if (stamp >= 0)
        *t_ns = stamp;
    return (size_t)(end - rest.p) + 1;
}

static const struct vendor_file events_file = {
    .scan_size = sizeof(struct mali_look),
    .scan = scan,
    .say_facts = say_facts,
    .recognise = recognise,
    .cut = cut,
    .next = next_event,
    .device = "mali",
    .device_facts = "driver=mali\nname=Mali-400/450\n",
};

/* A line that tells no time stands where the one before it does. */
static size_t next_trace_line(struct span rest, int64_t *t_ns) {
    const char *end = memchr(rest.p, '\n', rest.n);
    *t_ns = INT64_MIN;
    if (!end)
        return 0;
    trace_text_time((struct span){rest.p, (size_t)(end - rest.p)}, t_ns);
    return (size_t)(end - rest.p) + 1;
}

/* Whole lines, none of them odd, and an event of the driver among them. */
static bool recognise_trace(struct span head, bool more) {
    struct mali_event e;
    uint64_t lost;
    const char *end;
    bool any = false;
    (void)more; /* nothing tells that a trace without an event of Mali's is one */
    while (head.n > 0 && (end = memchr(head.p, '\n', head.n)) != NULL) {
        struct span line = {head.p, (size_t)(end - head.p)};
        enum trace_text is = trace_text_parse(line, &e, &lost);
        if (is == TRACE_TEXT_BAD)
            return false;
        any = any || is == TRACE_TEXT_EVENT;
        head = span_skip(head, line.n + 1);
    }
    return any;
}

static const struct vendor_file trace_file = {
    .recognise = recognise_trace,
    .cut = cut,
    .next = next_trace_line,
    .device = "mali",
    .device_facts = "driver=mali\nname=Mali-400/450\n",
};

static const struct kind kinds[] = {
    [MALI_EVENTS - FRAME_BACKEND] =
        {
            .name = "mali-events",
            .unit = "lines",
            .right = "root, for the profiling files in debugfs",
            .lost = "who ran on which unit of a Mali-400 or 450, and at which clock and voltage",
            .fold = &mali_events_fold,
            .file = &events_file,
        },
    [MALI_WINDOW - FRAME_BACKEND] =
        {
            .name = "mali-window",
            .unit = "lines",
            .gives = mali_window_gives,
            .give_count = 1,
            .right = "root, for the profiling files in debugfs",
            .lost = "who ran on which unit of a Mali-400 or 450",
            .decode = mali_window_decode,
        },
    [MALI_TRACE_TEXT - FRAME_BACKEND] =
        {
            .name = "mali-trace-text",
            .unit = "lines",
            .right = "root, for the trace points in tracefs",
            .lost = "who ran on which unit of a Mali-400 or 450",
            .fold = &mali_trace_text_fold,
            .file = &trace_file,
        },
    [MALI_TRACE_PAGE - FRAME_BACKEND] =
        {
            .name = "mali-trace-page",
            .unit = "records",
            .right = "root, for the trace points in tracefs",
            .lost = "who ran on which unit of a Mali-400 or 450",
            .fold = &mali_trace_page_fold,
        },
};

const struct backend backend_mali = {
    .name = "mali",
    .probe = mali_probe,
    .open = mali_open,
    .check = mali_check,
    .kinds = kinds,
    .kind_count = sizeof(kinds) / sizeof(kinds[0]),
};
