/*
 * Files of sysfs, and of debugfs where they may be read, of Mali GPUs to samples (sensors.h says which). One unit is one
 * file, or the line of the knob. A voltage that is read off the regulator is one; what the table of operating points
 * asks for is assumed.
 */
#include "sensors.h"

#include "../tell.h"

/* Ranks among the sources of one metric. A counter session knows the clock better (ring.h). */
enum { RANK_SECOND = 4, RANK_FIRST = 5 };

#define CLOCK_MOST_HZ INT64_C(10000000000)
#define VOLT_MOST_UV  2000000
#define HEAT_LEAST_MC (-60000)
#define HEAT_MOST_MC  200000
#define KNOB          "profiling="
#define KNOB_MOST     255
#define KNOB_TIME     2 /* panthor: the bit of engine time; bit 0 is that of cycles */

/* ---- what belongs together --------------------------------------------------------------------- */

static bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_letter(char c) {
    return is_letter_or_digit(c) && !(c >= '0' && c <= '9');
}

bool panthor_is_gpu_zone(struct span type) {
    static const char *const words[] = {"gpu", "mali", "g3d"};
    for (size_t i = 0; i < type.n; i++) {
        if (i > 0 && is_letter_or_digit(type.p[i - 1]))
            continue;
        for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
            struct cursor c = cursor_over(span_skip(type, i));
            if (text_take_word(&c, words[k]) && (c.p == c.end || !is_letter(*c.p)))
                return true;
        }
    }
    return false;
}

bool panthor_is_at_point(uint64_t clock_hz, uint64_t rate_hz) {
    uint64_t apart = clock_hz > rate_hz ? clock_hz - rate_hz : rate_hz - clock_hz;
    return rate_hz > 0 && apart <= rate_hz / 100;
}

/* ---- one number in a file ---------------------------------------------------------------------- */

struct known {
    const char *name;
    struct number_file number;
};

#define CLOCK(id, place, said)                                                                     \
    {                                                                                              \
        .metric = (id), .also = METRIC_COUNT, .times = 1, .by = 1, .most = CLOCK_MOST_HZ,          \
        .rank = (place), .promised = (said), .zero_absent = true                                   \
    }
static const struct known known[] = {
    {"devfreq/cur_freq", CLOCK(METRIC_CLOCK_GFX, RANK_FIRST, true)},
    {"devfreq/target_freq", CLOCK(METRIC_CLOCK_GFX, RANK_SECOND, false)},
    {"devfreq/min_freq", CLOCK(METRIC_CLOCK_GFX_MIN, RANK_FIRST, false)},
    {"devfreq/max_freq", CLOCK(METRIC_CLOCK_GFX_MAX, RANK_FIRST, false)},
    {"regulator/microvolts",
     {.metric = METRIC_VOLTAGE_GFX,
      .also = METRIC_COUNT,
      .times = 1,
      .by = 1,
      .most = VOLT_MOST_UV,
      .rank = RANK_FIRST,
      .promised = true,
      .zero_absent = true}},
};
#undef CLOCK

static const struct number_file zone = {.metric = METRIC_TEMPERATURE_GFX,
                                        .also = METRIC_COUNT,
                                        .times = 1,
                                        .by = 1,
                                        .least = HEAT_LEAST_MC,
                                        .most = HEAT_MOST_MC,
                                        .rank = RANK_FIRST,
                                        .promised = true};

static const struct number_file *number_of(struct span name) {
    struct span rest = name;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (span_equals(name, known[i].name))
            return &known[i].number;
    if (!span_starts(rest, "thermal_zone"))
        return NULL;
    rest = span_skip(rest, strlen("thermal_zone"));
    while (rest.n > 0 && *rest.p >= '0' && *rest.p <= '9')
        rest = span_skip(rest, 1);
    return span_equals(rest, "/temp") ? &zone : NULL;
}

/* ---- a list of clocks -------------------------------------------------------------------------- */

static bool ends_of_list(struct span list, int64_t *least, int64_t *most) {
    struct cursor c = cursor_over(list);
    struct span word;
    *least = INT64_MAX;
    *most = 0;
    while (cursor_word(&c, &word)) {
        int64_t hz;
        if (span_to_i64(word, &hz) != ERR_OK || hz <= 0 || hz > CLOCK_MOST_HZ)
            return false;
        *least = hz < *least ? hz : *least;
        *most = hz > *most ? hz : *most;
    }
    return *most > 0;
}

static void tell_list(struct teller *t, const struct file_part *file) {
    struct span list = text_of_file(file->bytes);
    int64_t least;
    int64_t most;
    if (file->sys != 0 || list.n == 0) {
        tell_nothing(t, file, NULL, 0, RANK_SECOND);
    } else if (!ends_of_list(list, &least, &most)) {
        counts_malformed(t->counts, REASON_BAD_NUMBER);
        tell_state(t, METRIC_CLOCK_GFX_MIN, STATE_MALFORMED, RANK_SECOND);
        tell_state(t, METRIC_CLOCK_GFX_MAX, STATE_MALFORMED, RANK_SECOND);
    } else {
        t->counts->accepted++;
        tell_value(t, METRIC_CLOCK_GFX_MIN, least, (uint64_t)least, 0, RANK_SECOND);
        tell_value(t, METRIC_CLOCK_GFX_MAX, most, (uint64_t)most, 0, RANK_SECOND);
    }
}

/* ---- operating points -------------------------------------------------------------------------- */

/* The rate of "opp/RATE/u_volt_target". */
static bool rate_of(struct span name, uint64_t *hz) {
    struct cursor c = cursor_over(span_skip(name, strlen("opp/")));
    return span_starts(name, "opp/") && cursor_u64(&c, hz) == ERR_OK &&
           span_equals((struct span){c.p, cursor_left(&c)}, "/u_volt_target");
}

static void tell_point(struct teller *t, const struct file_part *file, uint64_t rate_hz,
                       uint64_t clock_hz) {
    const uint16_t metric = METRIC_VOLTAGE_GFX;
    int64_t uv = 0;
    enum err e = file->sys != 0 ? ERR_AGAIN : number_of_text(file->bytes, &uv);
    if (e == ERR_AGAIN) {
        tell_nothing(t, file, &metric, 1, RANK_SECOND);
    } else if (e != ERR_OK || uv < 0 || uv > VOLT_MOST_UV) {
        counts_malformed(t->counts, e == ERR_OK ? REASON_OUT_OF_RANGE : REASON_BAD_NUMBER);
        tell_state(t, metric, STATE_MALFORMED, RANK_SECOND);
    } else if (uv == 0 || !panthor_is_at_point(clock_hz, rate_hz)) {
        counts_ignored(t->counts, REASON_OTHER_KEY); /* a table without voltages; another clock's */
    } else {
        t->counts->accepted++;
        tell_value(t, metric, uv, (uint64_t)uv, DOUBT_ASSUMED_VOLTAGE, RANK_SECOND);
    }
}

/* ---- the knob ---------------------------------------------------------------------------------- */

static bool counts_time(const struct subject *s, uint64_t mask) {
    bool bits = span_equals(facts_get(s->facts, "driver"), "panthor");
    return bits ? (mask & KNOB_TIME) != 0 : mask != 0;
}

static void tell_knob(struct teller *t, const struct subject *s, struct span line) {
    struct span text;
    uint64_t mask;
    enum err e;
    tell_name(t, span_of("profiling"));
    if (line.p[line.n - 1] != '\n') {
        counts_truncated(t->counts, REASON_CUT);
        return;
    }
    text = text_of_file(span_skip(line, strlen(KNOB)));
    e = span_to_u64(text, &mask);
    if (e != ERR_OK || mask > KNOB_MOST) {
        counts_malformed(t->counts, e == ERR_OK ? REASON_OUT_OF_RANGE : REASON_BAD_NUMBER);
        tell_state(t, METRIC_PROFILING, STATE_MALFORMED, RANK_FIRST);
        return;
    }
    t->counts->accepted++;
    tell_value(t, METRIC_PROFILING, counts_time(s, mask), mask, 0, RANK_FIRST);
}

/* ---- the frame --------------------------------------------------------------------------------- */

/* `clock_hz`: the first that was told so far, 0 none. */
static void take_file(struct teller *t, const struct file_part *file, uint64_t *clock_hz) {
    const struct number_file *n = number_of(file->name);
    uint64_t rate_hz = 0;
    int64_t hz;
    tell_name(t, file->name);
    if (n) {
        tell_number(t, n, file);
        if (n->metric == METRIC_CLOCK_GFX && *clock_hz == 0 && file->sys == 0 &&
            number_of_text(file->bytes, &hz) == ERR_OK && hz > 0 && hz <= CLOCK_MOST_HZ)
            *clock_hz = (uint64_t)hz;
    } else if (span_equals(file->name, "devfreq/available_frequencies")) {
        tell_list(t, file);
    } else if (rate_of(file->name, &rate_hz) || span_equals(file->name, "opp/u_volt_target")) {
        tell_point(t, file, rate_hz, *clock_hz);
    } else {
        counts_ignored(t->counts, REASON_OTHER_KEY);
    }
}

void panthor_sysfs_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                          struct counts *counts) {
    struct teller t = teller_of(s, f, sink, counts);
    struct span bytes = frame_span(f);
    struct cursor c = cursor_over(bytes);
    uint64_t clock_hz = 0;
    struct file_part file;
    enum files_step step;
    if (span_starts(bytes, KNOB)) {
        tell_knob(&t, s, bytes);
        return;
    }
    while ((step = files_next(&c, &file)) == FILES_PART)
        take_file(&t, &file, &clock_hz);
    if (step == FILES_CUT)
        counts_truncated(counts, REASON_CUT);
    else if (step == FILES_BAD)
        counts_malformed(counts, REASON_BAD_TEXT);
}
