/* What metrics.def and reasons.def say, as tables. */
#include "gwtop/core.h"

#define METRIC(id, dotted, u, p, k, f, text)                                                       \
    [METRIC_##id] = {.name = dotted,                                                               \
                     .doc = text,                                                                  \
                     .unit = UNIT_##u,                                                             \
                     .power = p,                                                                   \
                     .kind = KIND_##k,                                                             \
                     .fold = FOLD_##f},
static const struct metric_info metrics[METRIC_COUNT] = {
#include "gwtop/metrics.def"
};
#undef METRIC

static const struct metric_info no_metric = {.name = "?", .doc = "not known to this version"};

struct reason_words {
    const char *word;
    const char *text;
};

#define REASON(id, brief, long) [REASON_##id] = {brief, long},
static const struct reason_words reasons[REASON_COUNT] = {
#include "gwtop/reasons.def"
};
#undef REASON

static const struct reason_words no_reason = {"?", "not known to this version"};

const struct metric_info *metric_info(unsigned metric) {
    return metric < METRIC_COUNT ? &metrics[metric] : &no_metric;
}

enum metric metric_from_name(struct span name) {
    unsigned at = 0;
    while (at < METRIC_COUNT && !span_equals(name, metrics[at].name))
        at++;
    return (enum metric)at;
}

static const struct reason_words *reason_words(unsigned reason) {
    return reason < REASON_COUNT ? &reasons[reason] : &no_reason;
}

const char *reason_word(unsigned reason) {
    return reason_words(reason)->word;
}

const char *reason_text(unsigned reason) {
    return reason_words(reason)->text;
}
