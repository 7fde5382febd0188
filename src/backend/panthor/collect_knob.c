/*
 * The `profiling` file of a device: while it says 0 the driver counts no engine time of processes.
 * Only with --set-profiling is it written, and what stood there is put back: by the ordinary way out,
 * in a crash by undo. Without that option it is read, so that who looks for engine times learns why
 * there are none. I/O.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/source.h"
#include "panthor.h"

enum { PATH_BYTES = 256, TEXT_BYTES = 16 };

struct panthor_knob {
    struct host *host;
    const char *driver;
    char path[PATH_BYTES];
    char before[TEXT_BYTES]; /* what stood there, as it is put back */
    size_t before_n;
    const char *wanted; /* what is written */
    int fd;             /* open while it is turned; -1 */
    int undo;
    bool off_told;
};

/* All that the driver can count. */
static const struct wanted {
    const char *driver;
    const char *text;
} wanted[] = {{"panthor", "3"}, {"panfrost", "1"}};

/* ---- the file -------------------------------------------------------------------------------- */

static struct span without_end(struct span text) {
    while (text.n > 0 && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == ' '))
        text.n--;
    return text;
}

/* A number and no more; otherwise nothing with errno. */
static struct span read_number(struct panthor_knob *k, char text[TEXT_BYTES]) {
    ssize_t n = host_slurp(k->host, k->host->root_fd, k->path, text, TEXT_BYTES);
    struct span number = without_end((struct span){text, n > 0 ? (size_t)n : 0});
    uint64_t value;
    if (n >= 0 && (n == TEXT_BYTES || span_to_u64(number, &value) != ERR_OK)) {
        errno = EPROTO;
        number.n = 0;
    }
    return number;
}

/* ---- turning it ------------------------------------------------------------------------------ */

static void let_go(struct panthor_knob *k) {
    undo_disarm(k->undo);
    if (k->fd >= 0)
        k->host->keep_left++;
    host_close(k->host, k->fd);
    k->fd = k->undo = -1;
}

static int arm(struct panthor_knob *k) {
    k->fd = host_open(k->host, k->host->root_fd, k->path, O_WRONLY);
    if (k->fd < 0)
        return errno;
    k->host->keep_left--;
    k->undo = undo_arm(k->fd, k->before, k->before_n);
    return k->undo >= 0 ? 0 : EBUSY;
}

/* 0: it is turned. */
static int turn(struct panthor_knob *k) {
    int sys = arm(k);
    if (sys == 0 && host_write(k->host, k->fd, k->wanted, strlen(k->wanted), 0) < 0)
        sys = errno;
    if (sys != 0)
        let_go(k);
    return sys;
}

static void tell_failure(const struct panthor_knob *k, int sys) {
    if (sys == EACCES || sys == EPERM)
        log_line(LOG_WARN, "%s: engine times cannot be switched on: only root may write /%s",
                 k->driver, k->path);
    else
        log_line(LOG_WARN, "%s: engine times cannot be switched on: /%s: %s", k->driver, k->path,
                 strerror(sys));
}

static void set(struct panthor_knob *k) {
    char text[TEXT_BYTES];
    struct span now = read_number(k, text);
    int sys = now.n == 0 ? errno : 0;
    if (span_equals(now, k->wanted))
        return;
    if (sys == 0) {
        memcpy(k->before, now.p, now.n);
        k->before_n = now.n;
        sys = turn(k);
    }
    if (sys != 0)
        tell_failure(k, sys);
    else
        log_line(LOG_INFO, "%s: engine times are switched on meanwhile: /%s was %.*s, is %s",
                 k->driver, k->path, (int)k->before_n, k->before, k->wanted);
}

/* What somebody else has written since then is theirs. */
static void put_back(struct panthor_knob *k) {
    char text[TEXT_BYTES];
    struct span now;
    if (k->fd < 0)
        return;
    now = read_number(k, text);
    if (now.n > 0 && !span_equals(now, k->wanted))
        log_line(LOG_INFO, "%s: /%s is left at what another program wrote", k->driver, k->path);
    else if (host_write(k->host, k->fd, k->before, k->before_n, 0) < 0 && errno != ENODEV)
        log_line(LOG_WARN, "%s: /%s cannot be put back to %.*s: %s", k->driver, k->path,
                 (int)k->before_n, k->before, strerror(errno));
    let_go(k);
}

/* ---- telling --------------------------------------------------------------------------------- */

static void tell_off(struct panthor_knob *k) {
    if (!k->off_told)
        log_line(LOG_INFO, "%s: engine time off; as root: echo %s > /%s", k->driver, k->wanted,
                 k->path);
    k->off_told = true;
}

void panthor_knob_read(struct panthor_knob *k, const struct subject *stream,
                       const struct frame_sink *sink) {
    char text[TEXT_BYTES];
    char body[TEXT_BYTES + 16];
    struct span now;
    int n;
    if (!k)
        return;
    now = read_number(k, text);
    if (now.n == 0)
        return;
    if (span_equals(now, "0"))
        tell_off(k);
    n = snprintf(body, sizeof(body), "profiling=%.*s\n", (int)now.n, now.p);
    host_emit(sink, stream, PANTHOR_SYSFS, clock_mono_ns(), body, n, 0);
}

/* ---- life ------------------------------------------------------------------------------------ */

enum err panthor_knob_create(struct host *h, const char *sys_path, const char *driver,
                             struct panthor_knob **out) {
    const struct wanted *w = NULL;
    struct panthor_knob *k;
    *out = NULL;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (strcmp(driver, wanted[i].driver) == 0)
            w = &wanted[i];
    if (!w)
        return ERR_OK;
    if (strlen(sys_path) + sizeof("/profiling") > PATH_BYTES)
        return ERR_RANGE;
    k = calloc(1, sizeof(*k));
    if (!k)
        return ERR_NOMEM;
    k->host = h;
    k->driver = w->driver;
    k->wanted = w->text;
    k->fd = k->undo = -1;
    snprintf(k->path, sizeof(k->path), "%s/profiling", sys_path);
    if (facts_u64(h->machine_facts, "option.set-profiling", 0) == 1)
        set(k);
    *out = k;
    return ERR_OK;
}

void panthor_knob_destroy(struct panthor_knob *k) {
    if (!k)
        return;
    put_back(k);
    free(k);
}
