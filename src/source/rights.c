/*
 * Capabilities by the system calls themselves; no library is needed for that. They belong to threads, and the kernel
 * lets nobody change another's: so every thread is sent a signal and drops its own. What its handler needs is
 * file-scope since it has no other way to reach it.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gwtop/source.h"

#define BIT(capability) (UINT64_C(1) << (capability))
#define FILE_RIGHTS                                                                                \
    (BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER) | BIT(CAP_CHOWN) |         \
     BIT(CAP_FSETID))

enum {
    CAPABILITIES = 64,
    PASSES = 2,    /* over the threads: one that was just made may have missed the first */
    WAIT_MS = 200, /* for threads that a slow device holds: they drop once they are back */
};

struct caps {
    uint64_t effective, permitted, inheritable;
};

static _Atomic uint64_t kept;     /* by the drop: permitted */
static _Atomic uint64_t in_force; /* and effective */
static atomic_bool dropped;
static atomic_uint answers;

static bool get(struct caps *out) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct d[2] = {{0, 0, 0}, {0, 0, 0}};
    if (syscall(SYS_capget, &header, d) != 0)
        return false;
    out->effective = (uint64_t)d[1].effective << 32 | d[0].effective;
    out->permitted = (uint64_t)d[1].permitted << 32 | d[0].permitted;
    out->inheritable = (uint64_t)d[1].inheritable << 32 | d[0].inheritable;
    return true;
}

static bool set(const struct caps *c) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct d[2] = {
        {(uint32_t)c->effective, (uint32_t)c->permitted, (uint32_t)c->inheritable},
        {(uint32_t)(c->effective >> 32), (uint32_t)(c->permitted >> 32),
         (uint32_t)(c->inheritable >> 32)}};
    return syscall(SYS_capset, &header, d) == 0;
}

/* Whether capabilities were there before the program was: root's, or ambient ones. */
static bool is_own(void) {
    return getauxval(AT_SECURE) == 0;
}

static uint64_t kept_of(unsigned keep) {
    /* The folders of other users' descriptors open to that one alone. */
    uint64_t own = BIT(CAP_DAC_READ_SEARCH) | (keep & RIGHTS_SIGNALS ? BIT(CAP_KILL) : 0) |
                   (keep & RIGHTS_FILES ? FILE_RIGHTS : 0);
    return BIT(CAP_SYS_PTRACE) | (is_own() ? own : 0);
}

static uint64_t in_force_of(unsigned keep) {
    return is_own() && (keep & RIGHTS_FILES) ? FILE_RIGHTS : 0;
}

static bool change(uint64_t effective) {
    struct caps c;
    if (!get(&c) || c.effective == (effective & c.permitted))
        return false;
    c.effective = effective & c.permitted;
    return set(&c);
}

bool rights_raise(bool processes) {
    struct caps c;
    if (!get(&c))
        return false;
    return change(c.effective | (c.permitted & (processes ? ~UINT64_C(0) : ~BIT(CAP_SYS_PTRACE))));
}

void rights_lower(void) {
    if (atomic_load(&dropped))
        (void)change(atomic_load(&in_force));
    else
        (void)change(is_own() ? ~UINT64_C(0) : 0);
}

bool rights_see_processes(void) {
    struct caps c;
    return get(&c) && (c.effective & BIT(CAP_SYS_PTRACE));
}

/* ---- dropping --------------------------------------------------------------------------------- */

/* The bounding set needs a right itself; whoever has it not keeps a set that no exec can draw from. */
static void drop_bounds(void) {
    struct caps c;
    if (!get(&c) || !(c.permitted & BIT(CAP_SETPCAP)))
        return;
    c.effective |= BIT(CAP_SETPCAP);
    if (!set(&c))
        return;
    for (unsigned long i = 0; i < CAPABILITIES; i++)
        (void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
}

static void keep_only(uint64_t permitted, uint64_t effective) {
    struct caps c;
    if (!get(&c))
        return;
    c.permitted &= permitted;
    c.effective &= effective & permitted;
    c.inheritable = 0;
    (void)set(&c);
}

/* Of the calling thread; system calls only. */
static void drop_own(void) {
    drop_bounds();
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    keep_only(atomic_load(&kept), atomic_load(&in_force));
}

static void on_drop(int number) {
    int saved = errno;
    (void)number;
    drop_own();
    (void)atomic_fetch_add(&answers, 1);
    errno = saved;
}

/* How many others there are. */
static unsigned tell_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    pid_t self = (pid_t)syscall(SYS_gettid);
    unsigned told = 0;
    for (struct dirent *d; tasks && (d = readdir(tasks)) != NULL;) {
        long tid = strtol(d->d_name, NULL, 10);
        if (tid > 0 && tid != self)
            told += syscall(SYS_tgkill, getpid(), (pid_t)tid, RIGHTS_SIGNAL) == 0;
    }
    if (tasks)
        closedir(tasks);
    return told;
}

static void wait_for_threads(unsigned count) {
    const struct timespec ms = {0, 1000000};
    for (int i = 0; i < WAIT_MS && atomic_load(&answers) < count; i++)
        (void)nanosleep(&ms, NULL);
}

static bool has_more(uint64_t may, uint64_t effective) {
    struct caps c;
    return get(&c) && ((c.permitted & ~may) || (c.effective & ~effective) || c.inheritable);
}

bool rights_to_drop(unsigned keep) {
    return has_more(kept_of(keep), in_force_of(keep));
}

void rights_drop(unsigned keep) {
    const struct sigaction act = {.sa_handler = on_drop, .sa_flags = SA_RESTART};
    struct caps c = {0};
    (void)get(&c);
    atomic_store(&kept, kept_of(keep));
    atomic_store(&in_force, in_force_of(keep));
    atomic_store(&dropped, true);
    if (c.permitted || c.inheritable) {
        (void)sigaction(RIGHTS_SIGNAL, &act, NULL);
        for (int pass = 0; pass < PASSES; pass++) {
            atomic_store(&answers, 0);
            wait_for_threads(tell_threads());
        }
    }
    drop_own();
}

void rights_drop_given(void) {
    if (is_own())
        return;
    atomic_store(&kept, BIT(CAP_SYS_PTRACE));
    atomic_store(&dropped, true);
    keep_only(BIT(CAP_SYS_PTRACE), 0);
}

void rights_begin(bool machine) {
    struct caps c;
    if (is_own() || !get(&c))
        return;
    c.effective = 0;
    c.permitted = machine ? c.permitted : 0;
    (void)set(&c);
}
