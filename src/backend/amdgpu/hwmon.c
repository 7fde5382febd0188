/*
 * Files of the device's hwmon folder. A sensor's place is told by its label, else by its number: temp1 edge, temp2
 * junction, temp3 mem; in0 vddgfx, in1 vddnb; freq1 sclk, freq2 mclk; power1 PPT or slowPPT, power2 fastPPT (the same
 * socket over a shorter time). Units there: 0.001 degC, V; 10^-6 W; Hz. One unit is one file.
 */
#include "../tell.h"
#include "device.h"

#include <string.h>

enum { FILES_MAX = 96, PLACES_NONE = 255 };

#define NO_LIMIT_MILLIDEGC (-273150) /* what the driver writes where there is none */

/* ---- which sensors there are --------------------------------------------------------------------------- */

struct place {
    const char *sort;
    const char *label;
    uint8_t number;
};
static const struct place places[] = {
    {"temp", "edge", 1},     {"temp", "junction", 2}, {"temp", "mem", 3},  {"in", "vddgfx", 0},
    {"in", "vddnb", 1},      {"freq", "sclk", 1},     {"freq", "mclk", 2}, {"power", "PPT", 1},
    {"power", "slowPPT", 1}, {"power", "fastPPT", 2},
};

struct entry {
    const char *sort;
    const char *part; /* what stands behind the number and '_'; "" for nothing */
    uint8_t number;
    bool moves; /* worth a look in each tick */
    struct number_file value;
};

#define SENSOR(of_sort, what, no, moving, of, ...)                                                 \
    {                                                                                              \
        .sort = of_sort, .part = what, .number = no, .moves = moving, .value = {                   \
            .metric = METRIC_##of,                                                                 \
            .by = 1,                                                                               \
            .rank = AMD_RANK_HWMON,                                                                \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define ALONE .also = METRIC_COUNT
#define TEMP(no, what, moving, of, is_promised)                                                    \
    SENSOR("temp", what, no, moving, of, ALONE, .times = 1, .least = NO_LIMIT_MILLIDEGC + 1,       \
           .most = 1000000, .promised = is_promised)
#define POWER(no, what, moving, of)                                                                \
    SENSOR("power", what, no, moving, of, ALONE, .times = 1, .most = INT64_MAX)
#define VOLTAGE(no, of, is_promised)                                                               \
    SENSOR("in", "input", no, true, of, ALONE, .times = 1000, .most = 1000000,                     \
           .zero_absent = true, .promised = is_promised)
#define CLOCK(no, of, is_promised)                                                                 \
    SENSOR("freq", "input", no, true, of, .also = METRIC_##of##_CURRENT, .times = 1,               \
           .most = INT64_C(1000000000000), .promised = is_promised)

static const struct entry entries[] = {
    TEMP(1, "input", true, TEMPERATURE_EDGE, true),
    TEMP(2, "input", true, TEMPERATURE_HOTSPOT, false),
    TEMP(3, "input", true, TEMPERATURE_MEM, false),
    TEMP(1, "crit", false, TEMPERATURE_EDGE_CRIT, false),
    TEMP(2, "crit", false, TEMPERATURE_HOTSPOT_CRIT, false),
    TEMP(3, "crit", false, TEMPERATURE_MEM_CRIT, false),
    POWER(1, "average", true, POWER_SOCKET_AVERAGE),
    POWER(1, "input", true, POWER_SOCKET_CURRENT),
    POWER(1, "cap", false, POWER_CAP),
    POWER(1, "cap_min", false, POWER_CAP_MIN),
    POWER(1, "cap_max", false, POWER_CAP_MAX),
    POWER(1, "cap_default", false, POWER_CAP_DEFAULT),
    POWER(2, "average", true, POWER_SOCKET_FAST),
    POWER(2, "cap", false, POWER_CAP_FAST),
    VOLTAGE(0, VOLTAGE_GFX, true),
    VOLTAGE(1, VOLTAGE_SOC, false),
    CLOCK(1, CLOCK_GFX, true),
    CLOCK(2, CLOCK_MEM, false),
    SENSOR("fan", "input", 1, true, FAN_SPEED, ALONE, .times = 1, .most = 1000000,
           .promised = true),
    {.sort = "pwm",
     .part = "",
     .number = 1,
     .moves = true,
     .value = {.metric = METRIC_FAN_PWM,
               .also = METRIC_COUNT,
               .times = 1000000,
               .by = 255,
               .most = 255,
               .rank = AMD_RANK_HWMON}},
};
#undef SENSOR
#undef ALONE
#undef TEMP
#undef POWER
#undef VOLTAGE
#undef CLOCK

static uint8_t place_of(const struct sensor_name *n, struct span label) {
    bool labelled = label.n > 0;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (labelled && span_equals(n->sort, places[i].sort) && span_equals(label, places[i].label))
            return places[i].number;
    return labelled ? PLACES_NONE : n->number;
}

static const struct entry *find(const struct sensor_name *n, struct span label) {
    uint8_t number = place_of(n, label);
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (entries[i].number == number && span_equals(n->sort, entries[i].sort) &&
            span_equals(n->part, entries[i].part))
            return &entries[i];
    return NULL;
}

enum metric amdgpu_hwmon_metric(struct span name, struct span label) {
    struct sensor_name n;
    const struct entry *e = sensor_name_of(name, &n) ? find(&n, label) : NULL;
    return e && e->moves ? (enum metric)e->value.metric : METRIC_COUNT;
}

struct span amdgpu_hwmon_label(struct span name, char out[24]) {
    static const char tail[] = "_label";
    struct sensor_name n;
    bool has = sensor_name_of(name, &n);
    bool known = false;
    for (size_t i = 0; has && i < sizeof(places) / sizeof(places[0]); i++)
        known = known || span_equals(n.sort, places[i].sort);
    size_t head = known ? (size_t)(n.part.p - name.p) - (n.part.n > 0 ? 1 : 0) : 0;
    if (!known || head + sizeof(tail) > 24)
        return (struct span){"", 0};
    memcpy(out, name.p, head);
    memcpy(out + head, tail, sizeof(tail));
    return (struct span){out, head + sizeof(tail) - 1};
}

/* ---- the files of one frame ------------------------------------------------------------------------------ */

struct bundle {
    struct file_part files[FILES_MAX];
    size_t count;
};

/* What the label file of the same sensor says, if it is there. */
static struct span label_of(const struct bundle *b, struct span name) {
    char text[24];
    struct span wanted = amdgpu_hwmon_label(name, text);
    for (size_t i = 0; wanted.n > 0 && i < b->count; i++)
        if (b->files[i].name.n == wanted.n && memcmp(b->files[i].name.p, wanted.p, wanted.n) == 0)
            return text_of_file(b->files[i].bytes);
    return (struct span){"", 0};
}

/* Readings of the socket's power, in the order in which they are wanted for power.socket. */
struct socket_power {
    struct span name[2];
    int64_t value[2];
    uint8_t state[2];
    bool there[2];
};

static void note_power(struct socket_power *p, const struct number_file *n,
                       const struct file_part *file) {
    size_t i = n->metric == METRIC_POWER_SOCKET_AVERAGE ? 0 : 1;
    enum err e;
    if (n->metric != METRIC_POWER_SOCKET_AVERAGE && n->metric != METRIC_POWER_SOCKET_CURRENT)
        return;
    e = file->sys != 0 ? ERR_AGAIN : number_of_text(file->bytes, &p->value[i]);
    p->there[i] = true;
    p->name[i] = file->name;
    if (e == ERR_AGAIN)
        p->state[i] = (uint8_t)(file->sys != 0 ? files_state(file->sys) : STATE_UNSUPPORTED);
    else
        p->state[i] = e == ERR_OK && p->value[i] >= 0 ? STATE_VALUE : STATE_MALFORMED;
}

/* One sensor measures, the other may not be there: only where both say nothing there is nothing to be said. */
static void tell_power(struct teller *t, const struct socket_power *p) {
    for (size_t i = 0; i < 2; i++)
        if (p->there[i] && p->state[i] == STATE_VALUE) {
            tell_name(t, p->name[i]);
            tell_value(t, METRIC_POWER_SOCKET, p->value[i], (uint64_t)p->value[i], 0,
                       AMD_RANK_HWMON);
            return;
        }
    if (!p->there[0] || !p->there[1])
        return;
    tell_name(t, (struct span){"", 0});
    tell_state(t, METRIC_POWER_SOCKET,
               p->state[0] == STATE_UNSUPPORTED ? (enum state)p->state[1] : (enum state)p->state[0],
               AMD_RANK_HWMON);
}

static void tell_file(struct teller *t, const struct bundle *b, const struct file_part *file,
                      struct socket_power *power) {
    struct sensor_name n;
    const struct entry *e = NULL;
    bool known = sensor_name_of(file->name, &n);
    if (known && span_equals(n.part, "label")) {
        t->counts->accepted++; /* it was used with its sensor */
        return;
    }
    if (known)
        e = find(&n, label_of(b, file->name));
    if (!e) {
        counts_ignored(t->counts, REASON_OTHER_KEY);
        return;
    }
    note_power(power, &e->value, file);
    tell_number(t, &e->value, file);
}

/* A limit that is "none" is a number all the same. */
static bool is_no_limit(const struct file_part *file) {
    int64_t value;
    return file->sys == 0 && number_of_text(file->bytes, &value) == ERR_OK &&
           value == NO_LIMIT_MILLIDEGC;
}

void amdgpu_hwmon_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                         struct counts *counts) {
    struct teller t = teller_of(s, f, sink, counts);
    struct cursor c = cursor_over(frame_span(f));
    struct socket_power power = {.there = {false, false}};
    struct bundle b = {.count = 0};
    struct file_part file;
    enum files_step step;
    while ((step = files_next(&c, &file)) == FILES_PART) {
        if (b.count < FILES_MAX)
            b.files[b.count++] = file;
        else
            counts_ignored(counts, REASON_TOO_MANY);
    }
    for (size_t i = 0; i < b.count; i++) {
        if (is_no_limit(&b.files[i]))
            counts->accepted++;
        else
            tell_file(&t, &b, &b.files[i], &power);
    }
    tell_power(&t, &power);
    if (step == FILES_CUT)
        counts_truncated(counts, REASON_CUT);
    else if (step == FILES_BAD)
        counts_malformed(counts, REASON_BAD_TEXT);
}
