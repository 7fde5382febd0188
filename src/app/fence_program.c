/*
 * The filter: a list of what is let through, the rest fails with EPERM. A call that is newer than this list fails with
 * ENOSYS, as on an older kernel: then libraries do what they did there. Filters see numbers and what stands in
 * registers, no paths.
 */
#include "fence_program.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fence.h"

enum {
    X32 = 0x40000000, /* x86-64: calls of its other kind of program begin here */
    NEWEST = 451,     /* the last call that this list knows */
    ALLOW = SECCOMP_RET_ALLOW,
    /* As the kernel has it; nobody says O_TMPFILE without it. */
    MAKE_FLAGS = O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY),
};
#define REFUSE(why) (SECCOMP_RET_ERRNO | (unsigned)(why))

struct code {
    struct sock_filter *at;
    size_t n, max;
};

static void put(struct code *c, unsigned short what, unsigned char yes, unsigned char no,
                unsigned k) {
    if (c->n < c->max)
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
static void of_call(struct code *c, unsigned number, unsigned char n) {
    put(c, BPF_JMP | BPF_JEQ | BPF_K, 0, n, number);
}

static void answer_call(struct code *c, unsigned number, unsigned what) {
    of_call(c, number, 1);
    answer(c, what);
}

/* Only where the argument is one of these. */
static void allow_values(struct code *c, unsigned number, unsigned argument, const unsigned *values,
                         unsigned char count) {
    of_call(c, number, (unsigned char)(2 * count + 2));
    load_argument(c, argument);
    for (unsigned i = 0; i < count; i++)
        answer_call(c, values[i], ALLOW);
    answer(c, REFUSE(EPERM));
}

/* Where some of the bits are set the one answer, else the other. */
static void by_bits(struct code *c, unsigned number, unsigned argument, unsigned bits,
                    unsigned some, unsigned none) {
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
static void put_threads(struct code *c, const struct fence_machine *m) {
    by_bits(c, m->clone, 0, CLONE_THREAD, ALLOW, REFUSE(EPERM));
    answer_call(c, m->clone3, REFUSE(ENOSYS));
    allow_values(c, m->tgkill, 0, (const unsigned[]){(unsigned)getpid()}, 1);
}

static void put_checked(struct code *c, const struct fence_machine *m, unsigned may) {
    static const unsigned families[] = {AF_UNIX, AF_NETLINK};
    static const unsigned modes[] = {PR_SET_NAME,         PR_GET_NAME,    PR_GET_SECCOMP,
                                     PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAPBSET_DROP,
                                     PR_GET_DUMPABLE,     0x53564d41 /* PR_SET_VMA: malloc's */};
    by_bits(c, m->openat, 2, refused_flags(may), REFUSE(EPERM), ALLOW);
    /* Nothing is put into the terminal's input. */
    of_call(c, m->ioctl, 4);
    load_argument(c, 1);
    answer_call(c, TIOCSTI, REFUSE(EPERM));
    answer(c, ALLOW);
    if (may & FENCE_MACHINE)
        allow_values(c, m->socket, 0, families, sizeof families / sizeof *families);
    allow_values(c, m->prctl, 0, modes, sizeof modes / sizeof *modes);
    allow_values(c, m->prlimit64, 0, (const unsigned[]){0}, 1);
    put_threads(c, m);
}

size_t fence_build(const struct fence_machine *m, unsigned may, struct sock_filter *out,
                   size_t max) {
    struct code c = {out, 0, max};
    load(&c, offsetof(struct seccomp_data, arch));
    put(&c, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, m->arch);
    answer(&c, REFUSE(EPERM));
    load(&c, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < m->n; i++)
        if (m->calls[i].when == 0 || (m->calls[i].when & may))
            answer_call(&c, m->calls[i].number, ALLOW);
    put_checked(&c, m, may);
    put(&c, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32);
    answer(&c, REFUSE(EPERM));
    put(&c, BPF_JMP | BPF_JGT | BPF_K, 0, 1, NEWEST);
    answer(&c, REFUSE(ENOSYS));
    answer(&c, REFUSE(EPERM));
    return c.n <= max ? c.n : 0;
}
