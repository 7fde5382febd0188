/*
 * The stream of hardware counters of one i915 device. Only where that was asked for is it opened,
 * once the device is awake, and then read out in every tick: each piece as it came is a frame. A
 * stream that is lost ends its subject; the next one is another, so that nothing is worked out
 * across the gap. While there is none a failed frame says so in each tick, and the log says why,
 * once. I/O.
 */
#include "collect_oa.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSCTL_PARANOID "proc/sys/dev/i915/perf_stream_paranoid"
#define PIECE           ((size_t)1 << 16)
#define MOST            ((size_t)16 << 20) /* the driver's ring: more does not wait */
#define RETRY_NS        INT64_C(5000000000)
#define KERNEL_ENOTSUPP 524 /* of the kernel's own; it reaches programs all the same */
#define KEPT            2   /* descriptors */

/* The kernel looks after its ring on a timer, 200 times a second where it is not told otherwise. */
#define POLL_LEAST_NS INT64_C(5000000)
#define POLL_MOST_NS  INT64_C(100000000)
#define POLL_REVISION 5

/* ---- why not --------------------------------------------------------------------------------- */

bool oa_refuse(struct intel_oa *oa, int sys, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(oa->word, sizeof(oa->word), format, args);
    va_end(args);
    oa->sys = sys > 0 ? sys : EIO;
    return false;
}

static bool refuse_right(struct intel_oa *oa, int sys) {
    uint64_t paranoid;
    if (!oa_number(oa->host, SYSCTL_PARANOID, &paranoid))
        return oa_refuse(oa, sys,
                         "not allowed; needs CAP_PERFMON or CAP_SYS_ADMIN, or the sysctl "
                         "dev.i915.perf_stream_paranoid at 0");
    if (paranoid == 0)
        return oa_refuse(oa, sys,
                         "not allowed although dev.i915.perf_stream_paranoid is 0; needs "
                         "CAP_PERFMON or CAP_SYS_ADMIN");
    return oa_refuse(oa, sys,
                     "not allowed; needs CAP_PERFMON or CAP_SYS_ADMIN, or the sysctl "
                     "dev.i915.perf_stream_paranoid at 0 (it is %llu)",
                     (unsigned long long)paranoid);
}

static bool has_perf(struct intel_oa *oa) {
    struct stat st;
    return host_stat(oa->host, oa->host->root_fd, SYSCTL_PARANOID, &st) == 0;
}

bool oa_refuse_call(struct intel_oa *oa, int sys, const char *call) {
    bool none = sys == EINVAL && oa->session.no_folder;
    if (sys == EACCES || sys == EPERM)
        return refuse_right(oa, sys);
    if (sys == EBUSY)
        return oa_refuse(oa, sys, "another program holds the counters");
    if ((none || sys == ENODEV || sys == EOPNOTSUPP || sys == KERNEL_ENOTSUPP) && !has_perf(oa))
        return oa_refuse(oa, ENODEV, "this kernel's i915 has no counters (i915 perf)");
    if (sys == ENODEV)
        return oa_refuse(oa, ENODEV, "the driver has no counters for this GPU");
    if (sys == EOPNOTSUPP || sys == KERNEL_ENOTSUPP)
        return oa_refuse(oa, ENODEV, "the driver does not support the counters of this GPU");
    if (none)
        return oa_refuse(oa, ENODEV, "the driver has no metric sets for this GPU");
    return oa_refuse(oa, sys, "the driver refuses %s: %s", call, strerror(sys));
}

static void tell(struct intel_oa *oa) {
    if (strcmp(oa->told, oa->word) == 0)
        return;
    memcpy(oa->told, oa->word, sizeof(oa->told));
    log_line(LOG_WARN, "intel: %s: no counters: %s", oa->device->name, oa->word);
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void close_session(struct intel_oa *oa) {
    struct oa_session *s = &oa->session;
    if (s->stream >= 0)
        (void)host_ioctl(oa->host, s->stream, OA_IOCTL_DISABLE, NULL);
    host_close(oa->host, s->stream);
    if (s->node >= 0) {
        oa_drop_set(oa);
        oa->host->keep_left += KEPT;
    }
    host_close(oa->host, s->node);
    *s = (struct oa_session){.node = -1, .stream = -1, .undo = -1};
}

/* The one with the most counters. */
static enum oa_format format_of(enum oa_platform p) {
    if (p == OA_HSW)
        return OA_FORMAT_A45_B8_C8;
    return p == OA_DG2 || p == OA_MTL ? OA_FORMAT_A24U40_A14U32_B8_C8
                                      : OA_FORMAT_A32U40_A4U32_B8_C8;
}

/* 0: as the kernel does it. A twentieth of a tick late is soon enough. */
static uint64_t poll_period_ns(const struct intel_oa *oa) {
    int64_t ns = oa->host->delay_ns / 20;
    if (oa->session.revision < POLL_REVISION || ns <= POLL_LEAST_NS)
        return 0;
    return (uint64_t)(ns < POLL_MOST_NS ? ns : POLL_MOST_NS);
}

static bool open_stream(struct intel_oa *oa) {
    struct oa_session *s = &oa->session;
    const uint64_t poll_ns = poll_period_ns(oa);
    struct oa_uapi_property properties[] = {
        {OA_PROPERTY_SAMPLE_OA, 1},
        {OA_PROPERTY_METRICS_SET, s->set},
        {OA_PROPERTY_FORMAT, s->known.format},
        {OA_PROPERTY_EXPONENT, s->exponent},
        {OA_PROPERTY_POLL_PERIOD, poll_ns},
    };
    struct oa_uapi_open open = {
        .flags = OA_OPEN_CLOEXEC | OA_OPEN_NONBLOCK,
        .property_count = poll_ns > 0 ? 5 : 4,
        .properties = (uintptr_t)properties,
    };
    s->stream = host_ioctl(oa->host, s->node, OA_IOCTL_OPEN, &open);
    return s->stream >= 0 || oa_refuse_call(oa, errno, "a stream of counters");
}

static bool open_session(struct intel_oa *oa) {
    struct oa_session *s = &oa->session;
    if (!oa_open_node(oa))
        return false;
    oa->host->keep_left -= KEPT;
    if (!oa_find_set(oa))
        return false;
    s->known.format = (uint8_t)format_of(s->known.platform);
    return oa_choose_period(oa) && open_stream(oa);
}

/* ---- subjects -------------------------------------------------------------------------------- */

static void put_stream_facts(struct intel_oa *oa) {
    const struct oa_session *s = &oa->session;
    struct buf *b = &oa->facts;
    facts_put(b, "oa_format", span_of(oa_layout_of(s->known.format)->name));
    facts_put_u64(b, "oa_timestamp_hz", s->known.timestamp_hz);
    facts_put(b, "oa_set", span_of(s->uuid));
    if (s->known.eu > 0)
        facts_put_u64(b, "oa_eu", s->known.eu);
    if (s->known.slices > 0)
        facts_put_u64(b, "oa_slices", s->known.slices);
    if (s->known.subslices > 0) {
        buf_text(b, "oa_subslices=");
        buf_hex(b, s->known.subslices, 1);
        buf_char(b, '\n');
    }
    facts_put_u64(b, "oa_exponent", s->exponent);
    if (s->known.most_hz > 0)
        facts_put_u64(b, "oa_most_hz", s->known.most_hz);
}

static void end_subject(struct intel_oa *oa, const struct frame_sink *sink) {
    if (oa->subject)
        roster_close(oa->host, oa->subject, "closed", sink, clock_mono_ns());
    oa->subject = NULL;
}

/* Of the stream that is open, else one that failed frames can be about. */
static bool begin_subject(struct intel_oa *oa, const struct frame_sink *sink) {
    struct subject like = {.type = SUBJECT_STREAM,
                           .parent = oa->device->id,
                           .device = oa->device->id,
                           .backend = oa->backend,
                           .name = "oa"};
    buf_clear(&oa->facts);
    facts_put(&oa->facts, "pci", facts_get(oa->device->facts, "pci"));
    if (oa->session.stream >= 0)
        put_stream_facts(oa);
    buf_char(&oa->facts, '\0');
    if (oa->facts.failed)
        return false;
    like.facts = oa->facts.p;
    oa->subject = roster_open(oa->host, &like, sink, clock_mono_ns());
    return oa->subject != NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void start(struct intel_oa *oa, int64_t now_ns, const struct frame_sink *sink) {
    oa->retry_ns = now_ns + RETRY_NS;
    if (!open_session(oa)) {
        close_session(oa);
        tell(oa);
        return;
    }
    end_subject(oa, sink);
    if (!begin_subject(oa, sink)) {
        close_session(oa);
        (void)oa_refuse(oa, ENOMEM, "%s", err_text(ERR_NOMEM));
        tell(oa);
        return;
    }
    if (oa->idle_told)
        return;
    log_line(LOG_INFO,
             "intel: %s: counters are held: the GPU stays out of its deep sleep (RC6) meanwhile%s",
             oa->device->name, oa->session.ours ? ", and a small metric set is loaded" : "");
    oa->idle_told = true;
}

/* All that waits: 0, or why the stream is lost. */
static int drain(struct intel_oa *oa, const struct frame_sink *sink) {
    size_t had = 0;
    while (had < MOST) {
        ssize_t n = host_read(oa->host, oa->session.stream, oa->space, PIECE);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : errno;
        if (n == 0)
            return ENODEV;
        host_emit(sink, oa->subject, INTEL_PERF, clock_mono_ns(), oa->space, n, 0);
        had += (size_t)n;
    }
    return 0;
}

static void lose(struct intel_oa *oa, int sys, const struct frame_sink *sink) {
    host_emit(sink, oa->subject, INTEL_PERF, clock_mono_ns(), NULL, -1, sys);
    end_subject(oa, sink);
    close_session(oa);
    (void)oa_refuse(oa, sys, "the stream is lost: %s", strerror(sys));
    tell(oa);
}

void intel_oa_read(struct intel_oa *oa, int64_t now_ns, const struct frame_sink *sink) {
    if (!oa || roster_asleep(oa->host, oa->device))
        return;
    if (oa->session.stream < 0 && !oa->foreign && now_ns >= oa->retry_ns)
        start(oa, now_ns, sink);
    if (oa->session.stream >= 0) {
        int sys = drain(oa, sink);
        if (sys != 0)
            lose(oa, sys, sink);
        return;
    }
    if (oa->foreign)
        tell(oa);
    if (oa->subject || begin_subject(oa, sink))
        host_emit(sink, oa->subject, INTEL_PERF, clock_mono_ns(), NULL, -1, oa->sys);
}

/* ---- life ------------------------------------------------------------------------------------ */

int intel_oa_fd(const struct intel_oa *oa) {
    return oa ? oa->session.stream : -1;
}

enum err intel_oa_create(struct host *h, const struct subject *device, const char *sys_path,
                         struct intel_oa **out) {
    struct intel_oa *oa;
    *out = NULL;
    if (facts_u64(h->machine_facts, "option.counters", 0) != 1)
        return ERR_OK;
    if (strlen(sys_path) >= OA_PATH_MAX)
        return ERR_RANGE;
    oa = calloc(1, sizeof(*oa));
    if (!oa)
        return ERR_NOMEM;
    oa->space = malloc(PIECE);
    if (!oa->space) {
        free(oa);
        return ERR_NOMEM;
    }
    oa->host = h;
    oa->device = device;
    oa->backend = (uint16_t)roster_backend(h, &backend_intel);
    oa->session = (struct oa_session){.node = -1, .stream = -1, .undo = -1};
    oa->retry_ns = INT64_MIN;
    memcpy(oa->sys_path, sys_path, strlen(sys_path) + 1);
    buf_init(&oa->facts);
    oa_find_card(oa);
    oa->foreign = !span_equals(facts_get(device->facts, "driver"), "i915");
    if (oa->foreign)
        (void)oa_refuse(oa, ENODEV, "those of i915 alone are read");
    *out = oa;
    return ERR_OK;
}

void intel_oa_destroy(struct intel_oa *oa) {
    if (!oa)
        return;
    close_session(oa);
    buf_finish(&oa->facts);
    free(oa->space);
    free(oa);
}
