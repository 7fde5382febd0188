/*
 * The filter: a list of what is let through, the rest fails with EPERM. A call that is newer than this list fails with
 * ENOSYS, as on an older kernel: then libraries do what they did there. Filters see numbers and what stands in
 * registers, no paths.
 *
 * A sanitizer's leak check makes processes and traces them, and a coverage build writes its figures at exit: there is
 * no fence there.
 */
#include "fence.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gwtop/source.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NO_FENCE
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(GWTOP_NO_FENCE)
#define NO_FENCE
#endif

#if defined(NO_FENCE)
#define ARCH 0u
#elif defined(__x86_64__) && defined(__LP64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCH AUDIT_ARCH_AARCH64
#else
#define NO_FENCE
#define ARCH 0u
#endif

enum {
    X32 = 0x40000000, /* x86-64: calls of its other kind of program begin here */
    NEWEST = 451,     /* the last call that this list knows */
    ALLOW = SECCOMP_RET_ALLOW,
    /* As the kernel has it; nobody says O_TMPFILE without it. */
    MAKE_FLAGS = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY),
};
#define REFUSE(why) (SECCOMP_RET_ERRNO | (unsigned)(why))

struct call {
    unsigned number;
    unsigned when;
};

/* What has no fence may lack some of these calls. */
static const struct call calls[] = {
    {SYS_exit_group, 0},
#ifdef NO_FENCE
#define CALL(name, when)
#else
#define CALL(name, when) {SYS_##name, when},
#endif
#if defined(__x86_64__) && !defined(NO_FENCE)
#define OLD(name, when) {SYS_##name, when},
#else
#define OLD(name, when)
#endif
#include "fence_calls.def"
#undef CALL
#undef OLD
};

struct code {
    struct sock_filter *at;
    size_t n;
};

static void put(struct code *c, unsigned short what, unsigned char yes, unsigned char no,
                unsigned k) {
    if (c->n < FENCE_MAX)
        c->at[c->n] = (struct sock_filter){what, yes, no, k};
    c->n++;
}

static void load(struct code *c, size_t offset) {
    put(c, BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset);
}

/* The low half: all that is looked at are ints. */
static void load_argument(struct code *c, unsigned i) {
    load(c, offsetof(struct seccomp_data, args) + 8 * i);
}

static void answer(struct code *c, unsigned what) {
    put(c, BPF_RET | BPF_K, 0, 0, what);
}

/* The next `n` instructions are of this call. */
static void of_call(struct code *c, long number, unsigned char n) {
    put(c, BPF_JMP | BPF_JEQ | BPF_K, 0, n, (unsigned)number);
}

static void answer_call(struct code *c, long number, unsigned what) {
    of_call(c, number, 1);
    answer(c, what);
}

/* Only where the argument is one of these. */
static void allow_values(struct code *c, long number, unsigned argument, const unsigned *values,
                         unsigned char count) {
    of_call(c, number, (unsigned char)(2 * count + 2));
    load_argument(c, argument);
    for (unsigned i = 0; i < count; i++)
        answer_call(c, (long)values[i], ALLOW);
    answer(c, REFUSE(EPERM));
}

/* Where some of the bits are set the one answer, else the other. */
static void by_bits(struct code *c, long number, unsigned argument, unsigned bits, unsigned some,
                    unsigned none) {
    of_call(c, number, 4);
    load_argument(c, argument);
    put(c, BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits);
    answer(c, some);
    answer(c, none);
}

static unsigned refused_flags(unsigned may) {
    if (may & FENCE_FILES)
        return 0;
    return may & FENCE_KNOBS ? MAKE_FLAGS : MAKE_FLAGS | O_ACCMODE;
}

/* Threads, but no processes. What clone3 is asked for stands in memory, and who is told that there is none asks
 * clone. */
static void put_threads(struct code *c) {
    by_bits(c, SYS_clone, 0, CLONE_THREAD, ALLOW, REFUSE(EPERM));
    answer_call(c, SYS_clone3, REFUSE(ENOSYS));
    allow_values(c, SYS_tgkill, 0, (const unsigned[]){(unsigned)getpid()}, 1);
}

static void put_checked(struct code *c, unsigned may) {
    static const unsigned families[] = {AF_UNIX, AF_NETLINK};
    static const unsigned modes[] = {PR_SET_NAME,         PR_GET_NAME,    PR_GET_SECCOMP,
                                     PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAPBSET_DROP,
                                     PR_GET_DUMPABLE,     0x53564d41 /* PR_SET_VMA: malloc's */};
    by_bits(c, SYS_openat, 2, refused_flags(may), REFUSE(EPERM), ALLOW);
    /* Nothing is put into the terminal's input. */
    of_call(c, SYS_ioctl, 4);
    load_argument(c, 1);
    answer_call(c, TIOCSTI, REFUSE(EPERM));
    answer(c, ALLOW);
    if (may & FENCE_MACHINE)
        allow_values(c, SYS_socket, 0, families, sizeof families / sizeof *families);
    allow_values(c, SYS_prctl, 0, modes, sizeof modes / sizeof *modes);
    allow_values(c, SYS_prlimit64, 0, (const unsigned[]){0}, 1);
    put_threads(c);
}

size_t fence_program(unsigned may, struct sock_filter out[FENCE_MAX]) {
    struct code c = {out, 0};
    if (ARCH == 0)
        return 0;
    load(&c, offsetof(struct seccomp_data, arch));
    put(&c, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, ARCH);
    answer(&c, REFUSE(EPERM));
    load(&c, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].when == 0 || (calls[i].when & may))
            answer_call(&c, calls[i].number, ALLOW);
    put_checked(&c, may);
    put(&c, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32);
    answer(&c, REFUSE(EPERM));
    put(&c, BPF_JMP | BPF_JGT | BPF_K, 0, 1, NEWEST);
    answer(&c, REFUSE(ENOSYS));
    answer(&c, REFUSE(EPERM));
    return c.n <= FENCE_MAX ? c.n : 0;
}

int fence_install(unsigned may) {
    struct sock_filter filter[FENCE_MAX];
    struct sock_fprog program = {.filter = filter};
    /* Without the second flag a kernel before 5.16 makes every branch of the program slower. */
    const unsigned flags[] = {SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                              SECCOMP_FILTER_FLAG_TSYNC, 0};
    int why = ENOSYS;
    program.len = (unsigned short)fence_program(may, filter);
    if (program.len == 0)
        return ENOSYS;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return errno;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        long rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags[i], &program);
        if (rc == 0)
            return 0;
        why = rc > 0 ? EBUSY : errno; /* a thread with a filter of its own */
    }
    return why;
}

unsigned fence_of_live(const struct options *o) {
    bool turns = o->given[OPT_COUNTERS] || o->given[OPT_SET_PROFILING] || o->given[OPT_TRACEFS] ||
                 o->given[OPT_MALI_PROFILING];
    return FENCE_MACHINE | (turns && !o->given[OPT_READONLY] ? FENCE_KNOBS : 0);
}

static unsigned rights_of(unsigned may) {
    return (may & FENCE_SIGNALS ? RIGHTS_SIGNALS : 0) | (may & FENCE_NAMED ? RIGHTS_FILES : 0);
}

bool fence_drops(unsigned may) {
    return rights_to_drop(rights_of(may));
}

void fence_up(unsigned may) {
    rights_drop(rights_of(may));
    int sys = fence_install(may);
    if (sys != 0 && ARCH != 0)
        log_line(LOG_INFO, "no filter of system calls: %s", strerror(sys));
}

const char *fence_state(void) {
    const unsigned action = SECCOMP_RET_ERRNO;
    if (ARCH == 0)
        return "none for this kind of processor or build";
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0
               ? "goes up before the first output"
               : "refused by this kernel or container";
}
