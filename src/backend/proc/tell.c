/* Samples and labels about a process; they are about no client. */
#include "tell.h"

#include "../keyvalue.h"

void proc_tell_label(const struct proc_tell *t, enum label_kind kind, struct span text) {
    char cleaned[LABEL_MAX];
    if (!t->sink->label)
        return;
    struct span clean = keyvalue_clean(text, cleaned, sizeof(cleaned));
    struct label l = {
        .t_ns = t->frame->t_ns,
        .text = clean.p,
        .len = (uint32_t)clean.n,
        .subject = t->subject->id,
        .device = t->subject->device,
        .pid = t->subject->pid,
        .kind = (uint8_t)kind,
        .space = SPACE_NONE,
    };
    t->sink->label(t->sink->ctx, &l);
}

static enum state state_of(enum err e) {
    if (e == ERR_OK)
        return STATE_VALUE;
    return e == ERR_AGAIN ? STATE_UNKNOWN : STATE_MALFORMED;
}

void proc_tell_value(const struct proc_tell *t, enum metric metric, enum err e, int64_t value,
                     uint64_t raw) {
    if (!t->sink->sample)
        return;
    struct sample s = {
        .t_ns = t->frame->t_ns,
        .value = e == ERR_OK ? value : 0,
        .raw = raw,
        .name = "",
        .subject = t->subject->id,
        .device = t->subject->device,
        .pid = t->subject->pid,
        .metric = (uint16_t)metric,
        .index = INDEX_NONE,
        .space = SPACE_NONE,
        .state = (uint8_t)state_of(e),
    };
    t->sink->sample(t->sink->ctx, &s);
}
