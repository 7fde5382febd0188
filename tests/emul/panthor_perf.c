/*
 * PERF_CONTROL of the emulated panthor: what is asked is looked at as the kernel does, and more
 * closely where the kernel would not stand it.
 */
#include "panthor_emul.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum command { SETUP, TEARDOWN, START, STOP, SAMPLE, COMMANDS };
static const char *const names[] = {"SETUP", "TEARDOWN", "START", "STOP", "SAMPLE"};
static const uint32_t sizes[] = {120, 0, 8, 8, 8};

struct control {
    uint32_t command;
    uint32_t handle;
    uint64_t size;
    uint64_t pointer;
};

struct setup {
    uint8_t set;
    uint8_t pad[7];
    uint32_t event;
    uint32_t ring;
    uint32_t control;
    uint32_t slots;
    uint64_t control_offset;
    uint64_t freq_ns;
    uint64_t mask[5][2];
};
_Static_assert(sizeof(struct setup) == 120, "SETUP");

static unsigned calls; /* with a pointer */

/* ---- SETUP ----------------------------------------------------------------------------------- */

static bool is_event(int fd) {
    char link[64], to[64] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return readlink(link, to, sizeof to - 1) > 0 && strcmp(to, "anon_inode:[eventfd]") == 0;
}

/* What the kernel takes and a program should not give. */
static void look_at_setup(const struct setup *s) {
    unsigned counters = model_counters();
    for (unsigned i = 0; i < sizeof s->pad; i++)
        if (s->pad[i])
            misuse("SETUP pad %u is %u", i, s->pad[i]);
    if (s->slots < 4 || s->slots & (s->slots - 1))
        misuse("SETUP %u slots", s->slots);
    if (s->control_offset)
        misuse("SETUP control_offset %" PRIu64 ", which some do not heed", s->control_offset);
    for (unsigned t = 0; t < 5; t++) {
        if (counters < 128 && s->mask[t][1])
            misuse("SETUP mask of type %u goes on behind the block: the kernel would too", t + 1);
        for (unsigned w = 0; w < counters / 64; w++)
            if (s->mask[t][w] && s->mask[t][w] != UINT64_MAX)
                note("SETUP mask of type %u is not of whole blocks", t + 1);
    }
}

static int check_setup(int fd, const struct setup *s) {
    uint32_t info[11];
    query_perf_info(info);
    look_at_setup(s);
    if (s->set > 2)
        return EINVAL;
    if (s->set > 0 && !script.perfmon)
        return EACCES;
    const struct buffer *ring = buffer_find(fd, s->ring), *control = buffer_find(fd, s->control);
    if (!ring || !control) {
        misuse("SETUP handles %u and %u", s->ring, s->control);
        return EINVAL;
    }
    if (ring->bytes != ((size_t)info[3] * s->slots + PAGE - 1) / PAGE * PAGE) {
        misuse("SETUP ring of %zu bytes for %u slots of %u", ring->bytes, s->slots, info[3]);
        return ENOMEM;
    }
    if (ring == control)
        misuse("SETUP one buffer for both");
    if (!is_event((int)s->event)) {
        misuse("SETUP descriptor %u is no event", s->event);
        return fcntl((int)s->event, F_GETFD) < 0 ? EBADF : EINVAL;
    }
    if (s->freq_ns) {
        misuse("SETUP sample_freq_ns %" PRIu64, s->freq_ns);
        return EOPNOTSUPP;
    }
    return (int)script.fail_setup;
}

static int set_up(int fd, const struct setup *s) {
    struct stat st;
    int sys = check_setup(fd, s), id = 0;
    if (sys)
        return fail(sys);
    while (id < SESSIONS && sessions[id].reserved)
        id++;
    if (id == SESSIONS || fstat(fd, &st) != 0)
        return fail(EBUSY);
    struct session *to = &sessions[id];
    unsigned setups = to->setups;
    *to = (struct session){.reserved = true,
                           .there = true,
                           .device = st.st_dev,
                           .inode = st.st_ino,
                           .event = fcntl((int)s->event, F_DUPFD_CLOEXEC, 100),
                           .ring = buffer_find(fd, s->ring)->at,
                           .control = buffer_find(fd, s->control)->at,
                           .slots = s->slots,
                           .set = s->set,
                           .due_ns = INT64_MAX,
                           .setups = setups + 1};
    memcpy(to->mask[BLOCK_FW], s->mask, sizeof s->mask);
    ring_begin(to);
    return id;
}

/* ---- the others ------------------------------------------------------------------------------ */

static int start(struct session *s) {
    if (s->active)
        return 0;
    s->active = true;
    s->starts++;
    s->from_ns = raw_ns();
    if (s->request != REQUEST_NONE)
        return fail(EBUSY);
    ring_ask(s, REQUEST_BASELINE);
    for (int i = 0; i < 1000 && s->request == REQUEST_BASELINE; i++) {
        ring_unlock();
        usleep(1000);
        ring_lock();
    }
    return s->request == REQUEST_BASELINE ? 0 : (int)script.start;
}

static int sample(struct session *s, uint64_t user_data) {
    if (!s->active) {
        misuse("SAMPLE of a session that was not started");
        return 0;
    }
    if (script.busy_once && requests + 1 == script.busy_once) {
        script.busy_once = 0;
        return fail(EBUSY);
    }
    if (ring_room(s) < 2 || s->request != REQUEST_NONE)
        return fail(EBUSY);
    s->asked_ns = raw_ns();
    s->user_data = user_data;
    s->asked++;
    ring_ask(s, REQUEST_SAMPLE);
    return 0;
}

static int stop(struct session *s, uint64_t user_data) {
    if (!s->active)
        return 0;
    if (ring_room(s) < 1) {
        misuse("STOP without a free slot: the kernel warns");
        return fail(EBUSY);
    }
    if (s->request != REQUEST_NONE)
        return fail(EBUSY);
    s->active = false;
    s->stops++;
    s->user_data = user_data;
    ring_ask(s, REQUEST_STOP);
    return 0;
}

/* Not in order: the number stays taken, whatever comes of it. */
static int tear_down(struct session *s) {
    bool pending = s->request != REQUEST_NONE;
    s->teardowns++;
    if (s->active)
        return fail(EINVAL);
    if (!script.version->inverted && pending)
        return fail(EBUSY);
    s->there = false;
    s->kept = script.version->inverted && !pending;
    if (s->kept)
        return fail(EBUSY);
    s->reserved = script.version->inverted;
    s->request = REQUEST_NONE;
    s->due_ns = INT64_MAX;
    (void)close(s->event);
    return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int copy_in(const struct control *c, void *to, uint32_t n) {
    const uint8_t *from = (const uint8_t *)(uintptr_t)c->pointer;
    int more = c->command == SETUP ? EINVAL : E2BIG;
    if ((uint32_t)c->size < n)
        return EINVAL;
    for (uint32_t i = n; i < (uint32_t)c->size; i++)
        if (from[i])
            return more;
    memcpy(to, from, n);
    return 0;
}

static struct session *session_of(int fd, const struct control *c, int *sys) {
    struct stat st;
    struct session *s = c->handle < SESSIONS ? &sessions[c->handle] : NULL;
    *sys = EBADF;
    if (!s || !s->there) {
        misuse("%s of session %u, which is not there%s", names[c->command], c->handle,
               c->command == TEARDOWN ? ": the kernel would crash" : "");
        return NULL;
    }
    ring_check(s);
    *sys = EINVAL;
    return fstat(fd, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode ? s : NULL;
}

static int run(int fd, const struct control *c) {
    struct setup body = {0};
    uint64_t user_data;
    int sys = copy_in(c, &body, sizes[c->command]);
    if (sys) {
        misuse("%s size %" PRIu64, names[c->command], c->size);
        return fail(sys);
    }
    memcpy(&user_data, &body, sizeof user_data);
    if (c->command == SETUP) {
        if (c->handle)
            misuse("SETUP with a handle");
        return set_up(fd, &body);
    }
    struct session *s = session_of(fd, c, &sys);
    if (!s)
        return fail(sys);
    switch (c->command) {
    case TEARDOWN:
        return tear_down(s);
    case START:
        return start(s);
    case STOP:
        return stop(s, user_data);
    default:
        return sample(s, user_data);
    }
}

int perf_control(int fd, void *arg) {
    struct control *c = arg;
    if (c->command >= COMMANDS) {
        misuse("PERF_CONTROL command %u", c->command);
        return fail(EINVAL);
    }
    if (!c->pointer) {
        if (c->command != SETUP || c->handle || c->size)
            misuse("%s without a pointer does nothing", names[c->command]);
        c->size = sizes[c->command];
        note("PERF_CONTROL is here");
        return 0;
    }
    int got = ++calls == script.eintr ? fail(EINTR) : run(fd, c);
    int sys = got < 0 ? errno : 0;
    note("%s session=%u: %d, errno %d", names[c->command], c->command == SETUP ? 0 : c->handle, got,
         sys);
    errno = sys;
    return got;
}

/* BO_SET_LABEL, SET_USER_MMIO_OFFSET, BO_SYNC, BO_QUERY_INFO, and what is not there yet. */
int perf_neighbour(unsigned id, const void *arg, size_t size) {
    static const unsigned since[] = {4, 5, 7, 7};
    const uint8_t *bytes = arg;
    for (size_t i = 0; i < size; i++)
        if (bytes[i]) {
            misuse("call %u, which is another's here, with more than zeros", id);
            break;
        }
    note("call %u is another's", id);
    if (id > 16 || script.version->minor < since[id - 13])
        return fail(EINVAL);
    return id == 15 && !script.sync_zero ? 0 : fail(id == 14 ? EINVAL : ENOENT);
}

void perf_leave(void) {
    ring_lock();
    for (unsigned i = 0; i < SESSIONS; i++) {
        const struct session *s = &sessions[i];
        if (!s->setups)
            continue;
        note("SESSION id=%u setups=%u starts=%u asked=%u stops=%u teardowns=%u emitted=%u", i,
             s->setups, s->starts, s->asked, s->stops, s->teardowns, s->emitted);
        if (s->there)
            note("LEFT session %u", i);
        if (s->kept)
            note("KEPT session %u", i);
    }
    ring_unlock();
}
