/*
 * Sessions of hardware counters: whether a device's is held, and if not, why. Pure.
 *
 * One whose frames came is held until its stream ends, whatever single reads of it came to.
 */
#include <errno.h>

#include "work.h"

/* Errors by which a driver says that it has none; the last but one is the kernel's own ENOTSUPP. */
static bool says_unsupported(int sys) {
    static const int list[] = {ENODEV, ENOENT, ENOTTY, EINVAL, EOPNOTSUPP, 524, ENOSYS};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (list[i] == sys)
            return true;
    return false;
}

/* One that was lost stays so until another is held, or until it is known who is in the way. */
static uint8_t state_after(uint8_t before, const struct frame *f) {
    if (f->outcome == OUTCOME_DENIED)
        return COUNTERS_DENIED;
    if (f->sys == EBUSY)
        return COUNTERS_BUSY;
    if (before == COUNTERS_LOST)
        return COUNTERS_LOST;
    return f->outcome == OUTCOME_GONE || says_unsupported(f->sys) ? COUNTERS_UNSUPPORTED
                                                                  : COUNTERS_FAILED;
}

void session_read(struct acct *a, uint32_t entry, const struct frame *f) {
    struct subject_entry *e = subject_at(a, entry);
    if (e->device == NONE || f->outcome == OUTCOME_ASLEEP)
        return;
    struct device *d = device_at(a, e->device);
    d->has_session = true;
    if (f->outcome == OUTCOME_OK) {
        d->session_seq = a->now.seq;
        e->holds = true;
    }
    d->counters = e->holds ? COUNTERS_HELD : state_after(d->counters, f);
}

void session_end(struct acct *a, uint32_t entry) {
    const struct subject_entry *e = subject_at(a, entry);
    if (e->holds && e->device != NONE)
        device_at(a, e->device)->counters = COUNTERS_LOST;
}

bool session_is_silent(const struct acct *a, uint32_t device) {
    const struct device *d = device_at(a, device);
    return d->has_session && (d->counters != COUNTERS_HELD || d->session_seq != a->now.seq);
}
