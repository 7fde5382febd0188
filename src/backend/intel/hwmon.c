/*
 * Files of the device's hwmon folder. What a sensor measures its label says, else its number: energy1 and power1 are
 * the card's, energy2 and power2 the package's; temp1 (i915) and temp2 (xe) the package, temp3 the memory. Units
 * there: 0.001 degC, V; 10^-6 W, J; turns a minute. One unit is one file.
 *
 * Limits: max is the sustained one, cap a shorter one; each may be the only one that a card has.
 */
#include "sensors.h"

enum { FILES_MAX = 128, NUMBER_ANY = 255 };

struct entry {
    const char *sort;
    const char *part;
    const char *label; /* of a sensor that has one; NULL: of one that has none */
    uint8_t number;    /* of a sensor that has none; NUMBER_ANY: any */
    bool indexed;      /* by the number behind the label, else by the sensor's own, from 1 */
    struct number_file value;
};

#define SENSOR(of_sort, of_part, of_label, no, is_indexed, of, ...)                                \
    {                                                                                              \
        .sort = of_sort, .part = of_part, .label = of_label, .number = no, .indexed = is_indexed,  \
        .value = {                                                                                 \
            .metric = METRIC_##of,                                                                 \
            .also = METRIC_COUNT,                                                                  \
            .by = 1,                                                                               \
            .rank = INTEL_RANK_HWMON,                                                              \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define TEMP(label, no, is_indexed, of)                                                            \
    SENSOR("temp", "input", label, no, is_indexed, of, .times = 1, .least = -273149,               \
           .most = 1000000)
#define ENERGY(label, no, of)                                                                      \
    SENSOR("energy", "input", label, no, false, of, .times = 1, .most = INT64_MAX)
/* A limit of 0 is none. */
#define LIMIT(of_part, of_label, no, of, by_rank)                                                  \
    {                                                                                              \
        .sort = "power", .part = of_part, .label = of_label, .number = no, .value = {              \
            .metric = METRIC_##of,                                                                 \
            .also = METRIC_COUNT,                                                                  \
            .times = 1,                                                                            \
            .by = 1,                                                                               \
            .most = INT64_C(1000000000000),                                                        \
            .rank = by_rank,                                                                       \
            .promised = true,                                                                      \
            .zero_absent = true                                                                    \
        }                                                                                          \
    }
#define VOLTAGE(label, no)                                                                         \
    SENSOR("in", "input", label, no, false, VOLTAGE_GFX, .times = 1000, .most = 1000000,           \
           .zero_absent = true, .promised = true)

static const struct entry entries[] = {
    TEMP("pkg", 1, false, TEMPERATURE_PKG),
    TEMP("pkg", 2, false, TEMPERATURE_PKG),
    TEMP("vram", 3, false, TEMPERATURE_VRAM),
    TEMP("mctrl", NUMBER_ANY, false, TEMPERATURE_MCTRL),
    TEMP("pcie", NUMBER_ANY, false, TEMPERATURE_PCIE),
    TEMP("vram_ch_", NUMBER_ANY, true, TEMPERATURE_VRAM_CH),
    ENERGY("card", 1, ENERGY_CARD),
    ENERGY("pkg", 2, ENERGY_PKG),
    LIMIT("max", "card", 1, POWER_CAP, INTEL_RANK_HWMON),
    LIMIT("cap", "card", 1, POWER_CAP, INTEL_RANK_HWMON - 1),
    LIMIT("max", "pkg", 2, POWER_CAP, INTEL_RANK_PACKAGE),
    LIMIT("cap", "pkg", 2, POWER_CAP, INTEL_RANK_PACKAGE - 1),
    LIMIT("rated_max", "card", 1, POWER_CAP_DEFAULT, INTEL_RANK_HWMON),
    LIMIT("rated_max", "pkg", 2, POWER_CAP_DEFAULT, INTEL_RANK_PACKAGE),
    LIMIT("crit", "card", 1, POWER_CRIT, INTEL_RANK_HWMON),
    LIMIT("crit", "pkg", 2, POWER_CRIT, INTEL_RANK_PACKAGE),
    VOLTAGE("pkg", 0),
    VOLTAGE("pkg", 1),
    SENSOR("fan", "input", NULL, NUMBER_ANY, true, FAN_SPEED, .times = 1, .most = 1000000),
};
#undef SENSOR
#undef TEMP
#undef ENERGY
#undef LIMIT
#undef VOLTAGE

/* ---- which sensor ---------------------------------------------------------------------------------------- */

/* Whether the label is the entry's; *index where it bears a number. */
static bool label_fits(const struct entry *e, struct span label, uint16_t *index) {
    unsigned number;
    if (!e->label || !e->indexed)
        return e->label && span_equals(label, e->label);
    if (!number_after(&label, e->label, INDEX_NONE - 1, &number) || label.n > 0)
        return false;
    *index = (uint16_t)number;
    return true;
}

static bool number_fits(const struct entry *e, uint8_t number, uint16_t *index) {
    if (e->label && e->number == NUMBER_ANY)
        return false; /* known by its label only */
    if (e->indexed)
        *index = (uint16_t)(number > 0 ? number - 1 : 0);
    return e->number == NUMBER_ANY || e->number == number;
}

static const struct entry *find(const struct sensor_name *n, struct span label, uint16_t *index) {
    *index = INDEX_NONE;
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        const struct entry *e = &entries[i];
        if (span_equals(n->sort, e->sort) && span_equals(n->part, e->part) &&
            (label.n > 0 && e->label ? label_fits(e, label, index)
                                     : number_fits(e, n->number, index)))
            return e;
    }
    return NULL;
}

bool intel_hwmon_wanted(struct span name) {
    struct sensor_name n;
    if (!sensor_name_of(name, &n))
        return false;
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
        if (span_equals(n.sort, entries[i].sort) && span_equals(n.part, entries[i].part))
            return true;
    return false;
}

/* ---- the files of one frame --------------------------------------------------------------------------- */

struct bundle {
    struct file_part files[FILES_MAX];
    size_t count;
};

/* What the label file of the same sensor says, if it is there. */
static struct span label_of(const struct bundle *b, const struct sensor_name *wanted) {
    struct sensor_name n;
    for (size_t i = 0; i < b->count; i++)
        if (sensor_name_of(b->files[i].name, &n) && span_equals(n.part, "label") &&
            n.number == wanted->number && n.sort.n == wanted->sort.n &&
            memcmp(n.sort.p, wanted->sort.p, n.sort.n) == 0)
            return text_of_file(b->files[i].bytes);
    return (struct span){"", 0};
}

static void tell_file(struct teller *t, const struct bundle *b, const struct file_part *file,
                      bool is_apu) {
    struct sensor_name n;
    bool known = sensor_name_of(file->name, &n);
    const struct entry *e = NULL;
    struct number_file value;
    if (known && span_equals(n.part, "label")) {
        t->counts->accepted++; /* it was used with its sensor */
        return;
    }
    if (known)
        e = find(&n, label_of(b, &n), &t->sample.index);
    if (!e) {
        counts_ignored(t->counts, REASON_OTHER_KEY);
        return;
    }
    value = e->value;
    if (is_apu && value.metric == METRIC_ENERGY_CARD)
        value.metric = METRIC_ENERGY_PKG; /* processor cores are on it */
    tell_number(t, &value, file);
}

void intel_hwmon_decode(const struct subject *s, const struct frame *f, const struct sink *sink,
                        struct counts *counts) {
    struct teller t = teller_of(s, f, sink, counts);
    bool is_apu = facts_u64(s->facts, "apu", 0) == 1;
    struct cursor c = cursor_over(frame_span(f));
    struct bundle b = {.count = 0};
    struct file_part file;
    enum files_step step;
    while ((step = files_next(&c, &file)) == FILES_PART) {
        if (b.count < FILES_MAX)
            b.files[b.count++] = file;
        else
            counts_ignored(counts, REASON_TOO_MANY);
    }
    for (size_t i = 0; i < b.count; i++)
        tell_file(&t, &b, &b.files[i], is_apu);
    if (step == FILES_CUT)
        counts_truncated(counts, REASON_CUT);
    else if (step == FILES_BAD)
        counts_malformed(counts, REASON_BAD_TEXT);
}
