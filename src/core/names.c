/* The word of each small enumeration in outputs, and back. A value out of range is "?" (a name that
 * no table holds), never a crash: such values come from traces of other versions. */
#include "gwtop/core.h"

#define WORD(name, text, ...) [WORD_OF(name)] = text,

/* "?" for what is not in the table. */
static const char *word(const char *const *words, size_t count, unsigned at) {
    return at < count && words[at] ? words[at] : "?";
}

/* Index of the word, or `count`. */
static unsigned find(const char *const *words, unsigned count, struct span name) {
    unsigned at = 0;
    while (at < count && !span_equals(name, words[at]))
        at++;
    return at;
}

#define WORD_OF(name) OUTCOME_##name
static const char *const outcomes[OUTCOME_COUNT] = {OUTCOME_LIST(WORD)};
#undef WORD_OF

#define WORD_OF(name) STATE_##name
static const char *const states[STATE_COUNT] = {STATE_LIST(WORD)};
#undef WORD_OF

#define DOUBT_WORD(name, bit, text) [bit] = text,
static const char *const doubts[] = {DOUBT_LIST(DOUBT_WORD)};
#undef DOUBT_WORD

#define WORD_OF(name) CLASS_##name
static const char *const classes[CLASS_COUNT] = {ENGINE_CLASS_LIST(WORD)};
#undef WORD_OF

#define BRIEF(name, text, brief) [CLASS_##name] = brief,
static const char *const briefs[CLASS_COUNT] = {ENGINE_CLASS_LIST(BRIEF)};
#undef BRIEF

#define WORD_OF(name) REGION_##name
static const char *const regions[REGION_COUNT] = {REGION_CLASS_LIST(WORD)};
#undef WORD_OF

#define WORD_OF(name) UNIT_##name
static const char *const units[UNIT_COUNT] = {UNIT_LIST(WORD)};
#undef WORD_OF
#undef WORD

static const char *const subject_types[SUBJECT_TYPE_COUNT] = {
    [SUBJECT_MACHINE] = "machine", [SUBJECT_DEVICE] = "device", [SUBJECT_PROCESS] = "process",
    [SUBJECT_HOLDER] = "holder",   [SUBJECT_STREAM] = "stream",
};

static const char *const label_kinds[LABEL_KIND_COUNT] = {
    [LABEL_DRIVER] = "driver",       [LABEL_PCI] = "pci",         [LABEL_CLIENT_NAME] = "name",
    [LABEL_COMM] = "comm",           [LABEL_COMMAND] = "command", [LABEL_USER] = "user",
    [LABEL_CONTAINER] = "container", [LABEL_CGROUP] = "cgroup",   [LABEL_NSPID] = "nspid",
};

const char *outcome_name(enum outcome o) {
    return word(outcomes, OUTCOME_COUNT, (unsigned)o);
}

bool outcome_from_name(struct span name, enum outcome *out) {
    unsigned at = find(outcomes, OUTCOME_COUNT, name);
    if (at < OUTCOME_COUNT)
        *out = (enum outcome)at;
    return at < OUTCOME_COUNT;
}

const char *state_name(enum state s) {
    return word(states, STATE_COUNT, (unsigned)s);
}

const char *doubt_name(unsigned bit) {
    return bit < sizeof(doubts) / sizeof(doubts[0]) ? doubts[bit] : NULL;
}

const char *engine_class_name(enum engine_class c) {
    return word(classes, CLASS_COUNT, (unsigned)c);
}

const char *engine_class_brief(enum engine_class c) {
    return word(briefs, CLASS_COUNT, (unsigned)c);
}

const char *region_class_name(enum region_class c) {
    return word(regions, REGION_COUNT, (unsigned)c);
}

const char *unit_name(enum unit u) {
    return word(units, UNIT_COUNT, (unsigned)u);
}

const char *subject_type_name(enum subject_type t) {
    return word(subject_types, SUBJECT_TYPE_COUNT, (unsigned)t);
}

bool subject_type_from_name(struct span name, enum subject_type *out) {
    unsigned at = find(subject_types, SUBJECT_TYPE_COUNT, name);
    if (at < SUBJECT_TYPE_COUNT)
        *out = (enum subject_type)at;
    return at < SUBJECT_TYPE_COUNT;
}

const char *label_kind_name(enum label_kind k) {
    return word(label_kinds, LABEL_KIND_COUNT, (unsigned)k);
}
