/*
 * Reads /proc/PID/{environ,cgroup,cmdline} and the links exe and cwd below a root. The root may be a tree that
 * somebody else made: links in it are not followed, and what is no plain file is not opened.
 */
#include "look_read.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gwtop/core.h"

#define STAT_BYTES 4096
#define FOLDER     (O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int look_open_root(const char *root) {
    return open(root && root[0] ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void look_lower_rights(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
    if (getauxval(AT_SECURE))
        (void)syscall(SYS_capset, &header, data);
}

void look_answer_finish(struct look_answer *a) {
    for (unsigned i = 0; i < LOOK_FILES; i++)
        buf_finish(&a->files[i].text);
}

static struct ui_file show(const struct look_file *f) {
    return (struct ui_file){.text = buf_span_of(&f->text), .state = f->state, .cut = f->cut};
}

void look_answer_show(const struct look_answer *a, struct ui_files *out) {
    *out = (struct ui_files){.environment = show(&a->files[LOOK_ENVIRONMENT]),
                             .cgroup = show(&a->files[LOOK_CGROUP]),
                             .command = show(&a->files[LOOK_COMMAND]),
                             .executable = show(&a->files[LOOK_EXECUTABLE]),
                             .directory = show(&a->files[LOOK_DIRECTORY])};
}

static uint8_t state_of(int sys) {
    switch (sys) {
    case EACCES:
    case EPERM:
        return STATE_DENIED;
    case ENOENT: /* as exe of a kernel thread */
    case ENOTDIR:
    case ELOOP:
    case EINVAL:
        return STATE_UNSUPPORTED;
    case ESRCH:
        return STATE_UNKNOWN;
    default:
        return STATE_MALFORMED;
    }
}

/* ---- one file -------------------------------------------------------------------------------- */

/* What a fifo or a device does when it is opened nobody knows. */
static int open_plain(int dir, const char *name) {
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if (!S_ISREG(st.st_mode)) {
        errno = ELOOP;
        return -1;
    }
    return openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Appends up to `most` bytes; one more is read to know of it. -1 with errno. */
static int slurp(int dir, const char *name, size_t most, struct buf *out) {
    int fd = open_plain(dir, name);
    ssize_t n = fd < 0 ? -1 : 1;
    while (n != 0 && fd >= 0 && out->n <= most) {
        if (!buf_reserve(out, most + 1 - out->n < 4096 ? most + 1 - out->n : 4096)) {
            errno = ENOMEM;
            n = -1;
            break;
        }
        size_t room = out->cap - out->n < most + 1 - out->n ? out->cap - out->n : most + 1 - out->n;
        n = read(fd, out->p + out->n, room);
        if (n < 0 && errno != EINTR)
            break;
        out->n += n > 0 ? (size_t)n : 0;
    }
    int sys = errno;
    if (fd >= 0)
        close(fd);
    errno = sys;
    return n < 0 ? -1 : 0;
}

static void read_file(int dir, const char *name, struct look_file *f) {
    buf_clear(&f->text);
    int done = slurp(dir, name, LOOK_BYTES, &f->text);
    f->state = done == 0 ? STATE_VALUE : state_of(errno);
    f->cut = done == 0 && f->text.n > LOOK_BYTES;
    f->text.n = done != 0 ? 0 : f->cut ? LOOK_BYTES : f->text.n;
}

static void read_link(int dir, const char *name, struct look_file *f) {
    char text[PATH_MAX];
    ssize_t n = readlinkat(dir, name, text, sizeof text);
    buf_clear(&f->text);
    f->state = n >= 0 ? STATE_VALUE : state_of(errno);
    f->cut = n == (ssize_t)sizeof text;
    if (n > 0)
        buf_put(&f->text, text, (size_t)n);
}

/* ---- the process ----------------------------------------------------------------------------- */

/* Of what says whether it is there: not found means that it ended. */
static uint8_t gone_by(int sys) {
    uint8_t state = state_of(sys);
    return state == STATE_UNSUPPORTED ? STATE_UNKNOWN : state;
}

/* STATE_VALUE, or why it is not the one that is meant. */
static uint8_t check(int dir, const struct ui_target *of) {
    struct buf b = {0};
    struct proc_stat st;
    uint8_t state = slurp(dir, "stat", STAT_BYTES, &b) == 0 ? STATE_VALUE : gone_by(errno);
    (void)proc_stat_read(buf_span_of(&b), &st);
    if (state == STATE_VALUE &&
        (st.start_ticks.err != ERR_OK || st.start_ticks.value != of->start)) {
        state = STATE_UNKNOWN;
    }
    buf_finish(&b);
    return state;
}

static int open_process(int root_fd, int32_t pid) {
    char name[16];
    int proc = openat(root_fd, "proc", O_PATH | FOLDER);
    if (proc < 0)
        return -1;
    snprintf(name, sizeof name, "%ld", (long)pid);
    int dir = openat(proc, name, O_PATH | FOLDER);
    int sys = errno;
    close(proc);
    errno = sys;
    return dir;
}

/* Nothing of what was read counts unless it was one process all the time. */
static void forget(struct look_answer *a, uint8_t state) {
    for (unsigned i = 0; i < LOOK_FILES; i++) {
        buf_clear(&a->files[i].text);
        a->files[i].state = state;
        a->files[i].cut = false;
    }
}

void look_read(int root_fd, struct look_answer *a) {
    int dir = open_process(root_fd, a->of.pid);
    uint8_t state = dir >= 0 ? check(dir, &a->of) : gone_by(errno);
    if (state == STATE_VALUE) {
        read_file(dir, "environ", &a->files[LOOK_ENVIRONMENT]);
        read_file(dir, "cgroup", &a->files[LOOK_CGROUP]);
        read_file(dir, "cmdline", &a->files[LOOK_COMMAND]);
        read_link(dir, "exe", &a->files[LOOK_EXECUTABLE]);
        read_link(dir, "cwd", &a->files[LOOK_DIRECTORY]);
        state = check(dir, &a->of);
    }
    if (state != STATE_VALUE)
        forget(a, state);
    if (dir >= 0)
        close(dir);
}
