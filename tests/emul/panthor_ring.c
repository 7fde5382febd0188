/*
 * Rings of the emulated panthor: a thread stands for firmware and interrupt, and gives each request its
 * sample a while after it was made.
 */
#include "panthor_emul.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct session sessions[SESSIONS];
unsigned requests;
static unsigned emitted;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t kept_signals;

/* A handler that came while the lock is held would wait for itself. */
void ring_lock(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&lock);
    kept_signals = before;
}

void ring_unlock(void) {
    sigset_t before = kept_signals;
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- the two indices ------------------------------------------------------------------------- */

static _Atomic uint64_t *extract_of(const struct session *s) {
    return (_Atomic uint64_t *)(void *)s->control;
}

static _Atomic uint64_t *insert_of(const struct session *s) {
    return (_Atomic uint64_t *)(void *)(s->control + 8);
}

void ring_check(struct session *s) {
    uint64_t extract = atomic_load_explicit(extract_of(s), memory_order_acquire);
    uint64_t insert = atomic_load_explicit(insert_of(s), memory_order_relaxed);
    if (insert != s->insert) {
        misuse("insert_idx was written: %" PRIu64 ", not %" PRIu64, insert, s->insert);
        s->insert = insert % s->slots;
    }
    if (extract >= s->slots)
        misuse("extract_idx %" PRIu64 " of %u slots", extract, s->slots);
    extract %= s->slots;
    uint64_t moved = (extract - s->extract) & (s->slots - 1),
             there = (s->insert - s->extract) & (s->slots - 1);
    if (moved > there && !script.corrupt)
        misuse("extract_idx went from %" PRIu64 " to %" PRIu64 "; samples end at %" PRIu64,
               s->extract, extract, s->insert);
    s->extract = extract;
}

unsigned ring_room(struct session *s) {
    uint64_t mask = s->slots - 1;
    ring_check(s);
    uint64_t room = (s->extract - s->insert - 1) & mask, to_end = s->slots - s->insert;
    return (unsigned)(script.version->wedges && room > to_end ? to_end : room);
}

/* ---- samples --------------------------------------------------------------------------------- */

static void put64(uint8_t *to, uint64_t v) {
    memcpy(to, &v, sizeof v);
}

/* Counter 2: a bit where any of a group of counters is asked for. */
static uint64_t compressed(const uint64_t mask[2]) {
    unsigned group = script.version->coarse_mask ? 4 : model_counters() / 32;
    uint64_t out = 0;
    for (unsigned i = 0; i < model_counters(); i++)
        if (mask[i / 64] >> i % 64 & 1)
            out |= UINT64_C(1) << i / group;
    return out;
}

static void put_counters(const struct session *s, enum block_type type, unsigned index, int64_t now,
                         uint8_t *to) {
    uint64_t c[COUNTERS_MOST], stamp = script.no_stamp ? 0 : model_timestamp(now);
    const uint64_t *mask = s->mask[type];
    model_block(type, index, s->from_ns, now, c);
    for (unsigned i = 0; i < model_counters(); i++)
        put64(to + 8 * i, mask[i / 64] >> i % 64 & 1 ? c[i] : 0);
    put64(to, stamp & UINT32_MAX);
    put64(to + 8, stamp >> 32);
    put64(to + 16, compressed(mask));
    put64(to + 24, 0);
}

/* What nobody has set. */
static void put_junk(uint8_t *to) {
    for (unsigned i = 8; i < 24; i++)
        to[i] = (uint8_t)(0x5a ^ i * 41);
    put64(to + 24 + 16, 0xdeadbeef);
}

static void put_blocks(const struct session *s, int64_t now, uint8_t *to) {
    size_t step = 24 + 8 * (size_t)model_counters();
    for (unsigned t = BLOCK_FW; t < BLOCK_TYPES; t++)
        for (unsigned i = 0; i < model_blocks((enum block_type)t); i++, to += step) {
            if (t == BLOCK_SHADER && script.version->no_shaders) {
                put_junk(to);
                continue;
            }
            to[0] = (uint8_t)t;
            to[1] = (uint8_t)i;
            put64(to + 8, s->mask[t][0]);
            put64(to + 16, s->mask[t][1]);
            put_counters(s, (enum block_type)t, i, now, to + 24);
        }
}

static void put_sample(struct session *s, int64_t now, uint32_t size, uint8_t *to) {
    bool old = s->begun && script.version->keeps_data;
    memset(to, 0, size);
    put64(to, (uint64_t)(s->begun ? s->begun_ns : s->asked_ns));
    put64(to + 8, (uint64_t)now);
    to[16] = s->set;
    put64(to + 24, old ? s->begun_data : s->user_data);
    put_blocks(s, now, to + script.header);
    s->begun = false;
}

/* Block types stay as they are in every other sample, so that their contents are looked at. */
static void put_anything(uint32_t size, uint8_t *to) {
    static uint64_t x = 88172645463325252;
    size_t step = 24 + 8 * (size_t)model_counters();
    for (uint32_t i = 0; i < size; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        bool kind = i >= script.header && (i - script.header) % step < 2;
        if (!kind || emitted % 2)
            to[i] = (uint8_t)(x >> 32);
    }
}

/* Whether the interrupt tells of a sample that was not copied. */
static bool is_empty(void) {
    return (script.empty && emitted == script.empty) ||
           (script.empty_each && emitted % script.empty_each == 0);
}

static void publish(struct session *s) {
    uint64_t one = script.false_event && emitted == script.false_event ? 2 : 1;
    uint64_t told = (s->insert + 1) % s->slots;
    s->insert = script.corrupt && emitted == script.corrupt ? s->slots + 7 : told;
    atomic_store_explicit(insert_of(s), s->insert, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    if (write(s->event, &one, sizeof one) != sizeof one)
        note("the event is gone");
}

static void emit(struct session *s) {
    uint32_t info[11];
    uint64_t slot = s->insert % s->slots;
    int64_t now = raw_ns();
    query_perf_info(info);
    ring_check(s);
    emitted++;
    s->emitted++;
    bool empty = is_empty();
    if (!empty) {
        put_sample(s, now, info[3], s->ring + slot * info[3]);
        if (script.junk && emitted >= script.junk)
            put_anything(info[3], s->ring + slot * info[3]);
        note("EMIT session=%u ordinal=%u user_data=%" PRIu64 " slot=%" PRIu64 " span=%" PRId64
             " busy=%" PRIu64,
             (unsigned)(s - sessions), emitted, s->user_data, slot, now - s->from_ns,
             model_busy(s->from_ns, now));
        s->from_ns = now;
    } else {
        note("EMPTY session=%u ordinal=%u slot=%" PRIu64, (unsigned)(s - sessions), emitted, slot);
    }
    publish(s);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* Power went off and on: the firmware took a sample by itself, into the slot of the next one. */
static void begin_slot(struct session *s) {
    s->begun = true;
    s->begun_ns = s->asked_ns;
    s->begun_data = s->user_data;
}

static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;

void ring_ask(struct session *s, enum request request) {
    uint64_t us = request == REQUEST_STOP && script.stop_us ? script.stop_us : script.latency_us;
    requests++;
    s->request = request;
    s->due_ns = raw_ns() + (int64_t)us * 1000;
    if (script.reset && requests == script.reset) {
        s->from_ns = raw_ns() + (int64_t)script.reset_ms * 1000000;
        s->due_ns += (int64_t)script.reset_ms * 1000000;
        note("RESET");
    }
    if (script.hang && requests >= script.hang) {
        s->due_ns = INT64_MAX;
        note("HANG");
    }
    pthread_cond_signal(&asked);
}

static void answer(struct session *s) {
    enum request request = s->request;
    s->due_ns = INT64_MAX;
    if (request == REQUEST_BASELINE)
        s->from_ns = raw_ns();
    else
        emit(s);
    s->request = REQUEST_NONE;
    if (script.merge && emitted + 1 == script.merge)
        begin_slot(s);
}

/* Up to when the thread may sleep. */
static int64_t answer_all(void) {
    int64_t next = raw_ns() + 1000000000;
    for (unsigned i = 0; i < SESSIONS; i++) {
        struct session *s = &sessions[i];
        if (s->there && s->due_ns <= raw_ns())
            answer(s);
        if (s->there && s->due_ns < next)
            next = s->due_ns;
    }
    return next;
}

static void *run(void *ctx) {
    (void)ctx;
    pthread_mutex_lock(&lock);
    for (;;) {
        int64_t ns = answer_all() - raw_ns();
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        ns = (ns > 0 ? ns : 0) + t.tv_nsec;
        t.tv_sec += ns / 1000000000;
        t.tv_nsec = ns % 1000000000;
        pthread_cond_timedwait(&asked, &lock, &t);
    }
    return NULL;
}

void ring_begin(struct session *s) {
    static bool runs;
    pthread_t thread;
    memset(s->control, 0, 16);
    if (runs)
        return;
    runs = true; /* its signals are those of who holds the lock: none */
    if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_detach(thread) != 0)
        abort();
}
