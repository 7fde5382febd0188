/*
 * A counter session, step by step, in the thread that may wait. The system has two sessions, and
 * drivers lose one for each that goes wrong: so one is set up once in the program's life, and torn
 * down exactly once, on every way out. Each turn asks for one sample and hands on what there is.
 * I/O.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collect_session.h"

#define RETRY_NS INT64_C(5000000000)
#define MOST_NS  INT64_C(1800000000) /* counters of 32 bits are full after 4 s at 1 GHz */

/* ---- why not --------------------------------------------------------------------------------- */

bool panthor_refuse(struct panthor_run *r, int sys, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(r->word, sizeof(r->word), format, args);
    va_end(args);
    atomic_store(&r->sys, sys > 0 ? sys : EIO);
    return false;
}

static void tell(struct panthor_run *r, const char *what) {
    if (strcmp(r->told, r->word) == 0)
        return;
    memcpy(r->told, r->word, sizeof(r->told));
    log_line(LOG_WARN, "panthor: %s: %s: %s", r->device, what, r->word);
}

static bool refuse_setup(struct panthor_run *r, int sys) {
    switch (sys) {
    case EBUSY:
        if (r->interrupted)
            return panthor_refuse(r, sys,
                                  "both sessions are taken; the driver may have kept one that a "
                                  "signal interrupted; a reboot or reloading it frees that");
        return panthor_refuse(r, sys,
                              "both sessions are taken, or an earlier program left one behind; "
                              "a reboot or reloading the driver frees it");
    case EACCES:
    case EPERM:
        return panthor_refuse(r, sys, "not allowed; needs CAP_PERFMON, or root");
    case EOPNOTSUPP:
        return panthor_refuse(r, sys, "the driver gives no samples on request");
    case ENOMEM:
        return panthor_refuse(r, sys,
                              "the driver has no memory for a session, or wants its ring "
                              "of another size");
    case ETIMEDOUT:
        return panthor_refuse(r, sys, "the GPU's firmware does not answer");
    case EINVAL:
        return panthor_refuse(r, sys, "the driver refuses a session as gwtop asks for it");
    default:
        return panthor_refuse(r, sys, "the driver refuses a session: %s", strerror(sys));
    }
}

/* Of what it refuses a session that it does not know, it is no more ours to tear down. */
static bool refuse_command(struct panthor_run *r, int sys, const char *command) {
    r->foreign = sys == EBADF;
    return panthor_refuse(r, sys, "the driver refuses to %s: %s", command, strerror(sys));
}

/* ---- the end --------------------------------------------------------------------------------- */

static void disarm(struct panthor_run *r) {
    undo_disarm(r->undo_request);
    r->undo_request = -1;
    for (size_t i = 0; i < 3; i++) {
        undo_disarm(r->undo[2 - i]);
        r->undo[2 - i] = -1;
    }
}

/* Only v6 wants that the last sample was delivered; earlier ones tear down only while it is not. */
static bool waits_at_end(const struct panthor_run *r) {
    return r->driver.perf_id == PANTHOR_PERF_V6 && r->driver.minor == 8;
}

static void wait_once(struct panthor_run *r) {
    if (!r->late)
        panthor_ring_wait(r, PANTHOR_WAIT_NS);
}

/* A request under way would have the driver refuse to stop. */
static void stop(struct panthor_run *r) {
    if (r->foreign)
        return;
    if (r->stage == PANTHOR_COUNTING) {
        if (r->pending)
            wait_once(r);
        panthor_ring_empty(r);
        if (panthor_ring_command(r, PANTHOR_STOP) < 0)
            return;
        r->late = false;
    } else if (r->stage != PANTHOR_STOPPING) {
        return;
    }
    if (waits_at_end(r))
        wait_once(r);
}

static void tear_down(struct panthor_run *r) {
    if (r->stage == PANTHOR_CLOSED)
        return;
    stop(r);
    disarm(r);
    if (!r->foreign && panthor_ring_teardown(r) < 0 && errno != ENODEV)
        log_line(LOG_WARN,
                 "panthor: %s: the driver keeps the counter session, and the GPU powered, until it "
                 "is reloaded or the machine reboots: %s",
                 r->device, strerror(errno));
    r->stage = PANTHOR_CLOSED;
    r->pending = r->late = false;
}

void panthor_run_end(struct panthor_run *r) {
    tear_down(r);
    panthor_ring_destroy(r);
    host_close(&r->own, r->node);
    r->node = -1;
}

/* What comes before a session is tried again where that may help; a session never is. */
static void lose(struct panthor_run *r, int64_t now_ns) {
    const int sys = atomic_load(&r->sys);
    bool again = !r->asked_setup && host_may_pass(sys);
    r->retry_ns = again ? now_ns + RETRY_NS : INT64_MAX;
    tell(r, "no counters");
    panthor_run_end(r);
    atomic_store(&r->sys, sys);
    atomic_store(&r->phase, PANTHOR_LOST);
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* In a crash the last that is armed here is done first: STOP, the wait, TEARDOWN. */
static bool arm(struct panthor_run *r) {
    const struct panthor_uapi_perf down = panthor_ring_undo(r, PANTHOR_TEARDOWN);
    const struct panthor_uapi_perf halt = panthor_ring_undo(r, PANTHOR_STOP);
    const uint32_t call = PANTHOR_CALL_PERF(r->driver.perf_id);
    r->undo[0] = undo_arm_ioctl(r->node, call, &down, sizeof(down));
    if (waits_at_end(r))
        r->undo[1] = undo_arm_wait(r->event, PANTHOR_WAIT_NS);
    r->undo[2] = undo_arm_ioctl(r->node, call, &halt, sizeof(halt));
    if (r->undo[0] >= 0 && r->undo[2] >= 0 && (r->undo[1] >= 0 || !waits_at_end(r)))
        return true;
    return panthor_refuse(r, EBUSY, "too much is to be put back at the end already");
}

/* A call that a signal ended gave no number, and so no session that gwtop could have: once more. */
static int ask_setup(struct panthor_run *r) {
    int handle;
    r->asked_setup = true;
    handle = panthor_ring_setup(r);
    if (handle >= 0 || errno != EINTR)
        return handle;
    r->interrupted = true;
    return panthor_ring_setup(r);
}

static bool set_up(struct panthor_run *r) {
    int handle;
    if (!panthor_probe_node(r) || !panthor_ring_create(r))
        return false;
    handle = ask_setup(r);
    if (handle < 0)
        return refuse_setup(r, errno);
    r->handle = (uint32_t)handle;
    r->stage = PANTHOR_SET;
    return arm(r);
}

/* To the next turn. */
static bool put_off(struct panthor_run *r) {
    (void)panthor_refuse(r, EBUSY, "a request is still under way");
    tell(r, "no sample");
    return true;
}

static void tell_held(struct panthor_run *r) {
    if (atomic_exchange(&r->phase, PANTHOR_HELD) != PANTHOR_HELD)
        log_line(LOG_INFO, "panthor: %s: counters are held: the GPU stays powered meanwhile",
                 r->device);
}

/* Busy: an earlier request is under way. The driver counts it as started all the same, and a
 * second START says so. */
static bool start(struct panthor_run *r, int64_t now_ns, const struct frame_sink *sink) {
    const int64_t asked_ns = clock_mono_ns();
    int sys;
    panthor_ring_ask(r);
    sys = panthor_ring_command(r, PANTHOR_START) < 0 ? errno : 0;
    panthor_ring_landed(r);
    if (sys == EBUSY)
        return put_off(r);
    if (sys != 0)
        return refuse_command(r, sys, "start counting");
    r->stage = PANTHOR_COUNTING;
    panthor_start_say(r, asked_ns, sink);
    r->next_ns = now_ns + MOST_NS;
    atomic_store(&r->sys, 0);
    tell_held(r);
    return true;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* -1: refused; 0: none has come; else how many. One wait that was in vain is enough: from then on
 * each turn has but a look. */
static int await(struct panthor_run *r, const struct frame_sink *sink) {
    int count;
    wait_once(r);
    count = panthor_ring_drain(r, sink);
    if (count != 0)
        return count;
    r->late = true;
    (void)panthor_refuse(r, ETIMEDOUT, "the GPU's firmware does not answer");
    tell(r, "no sample");
    return 0;
}

/* Version 4 has room only up to the physical end of the ring: there it takes no request any more
 * but STOP, whose sample takes the last slot. */
static bool turn_ring(struct panthor_run *r) {
    if (panthor_ring_command(r, PANTHOR_STOP) >= 0) {
        r->stage = PANTHOR_STOPPING;
        r->late = false;
        return true;
    }
    if (errno != EBUSY)
        return refuse_command(r, errno, "stop counting");
    return put_off(r);
}

/* What may well go by is no end: there would not be another session. */
static bool ask(struct panthor_run *r, int64_t now_ns) {
    int sys;
    r->next_ns = now_ns + MOST_NS;
    panthor_ring_ask(r);
    if (panthor_ring_command(r, PANTHOR_SAMPLE) >= 0) {
        r->pending = true;
        r->late = false;
        atomic_store(&r->sys, 0);
        return true;
    }
    sys = errno;
    panthor_ring_landed(r);
    if (sys == EBUSY && r->extract == PANTHOR_SLOTS - 1)
        return turn_ring(r);
    if (sys == EBUSY)
        return put_off(r);
    if (!host_may_pass(sys))
        return refuse_command(r, sys, "take a sample");
    (void)refuse_command(r, sys, "take a sample");
    tell(r, "no sample");
    return true;
}

static bool count(struct panthor_run *r, int64_t now_ns, const struct frame_sink *sink) {
    if (panthor_ring_drain(r, sink) < 0)
        return false;
    if (r->stage == PANTHOR_COUNTING && !r->pending && !ask(r, now_ns))
        return false;
    if (r->stage == PANTHOR_COUNTING)
        return !r->pending || await(r, sink) >= 0;
    return true;
}

/* The sample of STOP has come: on with START. */
static bool go_on(struct panthor_run *r, int64_t now_ns, const struct frame_sink *sink) {
    int came = await(r, sink);
    if (came <= 0)
        return came == 0;
    r->stage = PANTHOR_SET;
    return start(r, now_ns, sink);
}

static bool step(struct panthor_run *r, int64_t now_ns, const struct frame_sink *sink) {
    r->next_ns = now_ns + MOST_NS;
    if (r->stage == PANTHOR_CLOSED && !set_up(r))
        return false;
    if (r->stage == PANTHOR_SET)
        return start(r, now_ns, sink);
    if (r->stage == PANTHOR_COUNTING && !count(r, now_ns, sink))
        return false;
    return r->stage != PANTHOR_STOPPING || go_on(r, now_ns, sink);
}

void panthor_run_turn(struct panthor_run *r, int64_t now_ns, const struct frame_sink *sink) {
    if (r->stage != PANTHOR_CLOSED || now_ns >= r->retry_ns) {
        if (!step(r, now_ns, sink))
            lose(r, now_ns);
    }
    atomic_store(&r->calls, r->own.tally.syscalls);
}

/* ---- life ------------------------------------------------------------------------------------ */

void panthor_run_init(struct panthor_run *r, const struct host *h, const struct subject *device) {
    r->own = host_for_thread(h);
    snprintf(r->device, sizeof(r->device), "%s", device->name);
    (void)panthor_find_node(device, r->node_name);
    atomic_init(&r->phase, PANTHOR_STARTING);
    atomic_init(&r->sys, 0);
    atomic_init(&r->calls, 0);
    r->node = r->event = r->undo[0] = r->undo[1] = r->undo[2] = r->undo_request = -1;
    r->next_ns = INT64_MAX;
    r->retry_ns = INT64_MIN;
    buf_init(&r->facts);
    buf_init(&r->body);
}

void panthor_run_finish(struct panthor_run *r) {
    buf_finish(&r->facts);
    buf_finish(&r->body);
}
