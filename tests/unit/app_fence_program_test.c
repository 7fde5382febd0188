/*
 * The filter of system calls for both kinds of processor that have one, run as the kernel runs it: the program of
 * x86-64 or arm64 is read instruction by instruction, whichever this machine is. Numbers of calls are written here by
 * hand, from the kernel's tables.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/fence.h"
#include "app/fence_program.h"

/* From here on, the names of calls have the numbers of arm64, which are those of all newer kinds of processor. */
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SYS_CLONE3
#include <asm-generic/unistd.h>
#define FENCE_ARCH         AUDIT_ARCH_AARCH64
#define FENCE_OLD          0
#define FENCE_NUMBER(name) __NR_##name
#include "app/fence_numbers.def"

enum { X86, ARM, KINDS, NONE = -1, LAST = 520, ALL = 64 /* one more than all of enum fence_may */ };
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
#define UNKNOWN (SECCOMP_RET_ERRNO | ENOSYS)

static const unsigned arch_of[KINDS] = {0xc000003e, 0xc00000b7};

struct program {
    struct sock_filter code[FENCE_MAX];
    size_t n;
};

/* The processor of the build has its filter from the door, arm64 also from the table above. */
static void program_of(int kind, unsigned may, struct program *out) {
    out->n = 0;
    if (kind == ARM)
        out->n = fence_build(&fence_machine, may, out->code, FENCE_MAX);
#if defined(__x86_64__)
    else
        out->n = fence_program(may, out->code);
#endif
}

struct asked {
    unsigned arch, number;
    uint64_t args[6];
};

/* What the kernel hands in, as it lies in memory: both processors have the low half first. */
static unsigned word_at(const struct asked *a, unsigned offset) {
    if (offset == 0)
        return a->number;
    if (offset == 4)
        return a->arch;
    assert_true(offset >= 16 && offset < 64 && offset % 4 == 0);
    return (unsigned)(a->args[(offset - 16) / 8] >> (offset % 8 == 4 ? 32 : 0));
}

static bool holds(unsigned short code, unsigned value, unsigned k) {
    switch (BPF_OP(code)) {
    case BPF_JEQ:
        return value == k;
    case BPF_JGT:
        return value > k;
    case BPF_JGE:
        return value >= k;
    case BPF_JSET:
        return (value & k) != 0;
    default:
        fail();
        return false;
    }
}

static unsigned answer_of(const struct program *p, const struct asked *a) {
    unsigned value = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct sock_filter *at = &p->code[i];
        if (at->code == (BPF_LD | BPF_W | BPF_ABS))
            value = word_at(a, at->k);
        else if (at->code == (BPF_RET | BPF_K))
            return at->k;
        else if (BPF_CLASS(at->code) == BPF_JMP && BPF_SRC(at->code) == BPF_K)
            i += holds(at->code, value, at->k) ? at->jt : at->jf;
        else
            fail();
    }
    fail();
    return 0;
}

static unsigned ask(int kind, const struct program *p, int number, unsigned argument,
                    uint64_t value) {
    struct asked a = {.arch = arch_of[kind], .number = (unsigned)number};
    a.args[argument] = value;
    return answer_of(p, &a);
}

static void assert_answer(int kind, const struct program *p, int number, unsigned argument,
                          uint64_t value, unsigned expected) {
    unsigned said = ask(kind, p, number, argument, value);
    if (said != expected)
        print_message("%s: call %d with %#llx: %#x\n", kind == X86 ? "x86-64" : "arm64", number,
                      (unsigned long long)value, said);
    assert_int_equal(said, expected);
}

/* Let through whatever they are asked with. */

/* pread64 newfstatat readlinkat getdents64 close read write ppoll futex clock_gettime capget capset fstat statx
 * statfs fstatfs faccessat faccessat2 lseek readv preadv fadvise64 getcwd fcntl dup dup3 pipe2 eventfd2 stat lstat
 * access readlink poll select dup2 time arch_prctl getpgrp writev pwrite64 ftruncate pselect6 mmap munmap mremap
 * mprotect madvise brk membarrier rseq set_robust_list get_robust_list set_tid_address sched_yield
 * sched_getaffinity getcpu rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait sigaltstack
 * restart_syscall exit clock_getres clock_nanosleep nanosleep gettimeofday getrandom getpid gettid getppid getpgid
 * getsid getuid geteuid getgid getegid getgroups uname sysinfo getrusage times umask exit_group */
static const int always[][KINDS] = {
    {17, 67},    {262, 79},   {267, 78},   {217, 61},  {3, 57},    {0, 63},    {1, 64},
    {271, 73},   {202, 98},   {228, 113},  {125, 90},  {126, 91},  {5, 80},    {332, 291},
    {137, 43},   {138, 44},   {269, 48},   {439, 439}, {8, 62},    {19, 65},   {295, 69},
    {221, 223},  {79, 17},    {72, 25},    {32, 23},   {292, 24},  {293, 59},  {290, 19},
    {4, NONE},   {6, NONE},   {21, NONE},  {89, NONE}, {7, NONE},  {23, NONE}, {33, NONE},
    {201, NONE}, {158, NONE}, {111, NONE}, {20, 66},   {18, 68},   {77, 46},   {270, 72},
    {9, 222},    {11, 215},   {25, 216},   {10, 226},  {28, 233},  {12, 214},  {324, 283},
    {334, 293},  {273, 99},   {274, 100},  {218, 96},  {24, 124},  {204, 123}, {309, 168},
    {13, 134},   {14, 135},   {15, 139},   {127, 136}, {128, 137}, {131, 132}, {219, 128},
    {60, 93},    {229, 114},  {230, 115},  {35, 101},  {96, 169},  {318, 278}, {39, 172},
    {186, 178},  {110, 173},  {121, 155},  {124, 156}, {102, 174}, {107, 175}, {104, 176},
    {108, 177},  {115, 158},  {63, 160},   {99, 179},  {98, 165},  {100, 153}, {95, 166},
    {231, 94}};
/* perf_event_open bind connect sendmmsg */
static const int for_machine[][KINDS] = {{298, 241}, {49, 200}, {42, 203}, {307, 269}};
/* sendto sendmsg recvfrom recvmsg setsockopt getsockopt getsockname getpeername epoll_create1 epoll_ctl
 * epoll_pwait epoll_wait timerfd_create timerfd_settime */
static const int for_machine_or_serve[][KINDS] = {
    {44, 206}, {46, 211}, {45, 207}, {47, 212}, {54, 208},   {55, 209}, {51, 204},
    {52, 205}, {291, 20}, {233, 21}, {281, 22}, {232, NONE}, {283, 85}, {286, 86}};
/* listen accept accept4 shutdown sendfile */
static const int for_serve[][KINDS] = {{50, 201}, {43, 202}, {288, 242}, {48, 210}, {40, 71}};
/* pidfd_open pidfd_send_signal kill */
static const int for_signals[][KINDS] = {{434, 434}, {424, 424}, {62, 129}};
/* mkdirat unlinkat mkdir rmdir */
static const int for_knobs_or_files[][KINDS] = {{258, 34}, {263, 35}, {83, NONE}, {84, NONE}};
/* unlink rename renameat renameat2 fchmod fchown fsync fdatasync */
static const int for_files[][KINDS] = {{87, NONE}, {82, NONE}, {264, 38}, {316, 276},
                                       {91, 52},   {93, 55},   {74, 82},  {75, 83}};
static const struct {
    const int (*calls)[KINDS];
    size_t n;
    unsigned when; /* 0: always */
} lists[] = {
    {always, sizeof always / sizeof *always, 0},
    {for_machine, sizeof for_machine / sizeof *for_machine, FENCE_MACHINE},
    {for_machine_or_serve, sizeof for_machine_or_serve / sizeof *for_machine_or_serve,
     FENCE_MACHINE | FENCE_SERVE},
    {for_serve, sizeof for_serve / sizeof *for_serve, FENCE_SERVE},
    {for_signals, sizeof for_signals / sizeof *for_signals, FENCE_SIGNALS},
    {for_knobs_or_files, sizeof for_knobs_or_files / sizeof *for_knobs_or_files,
     FENCE_KNOBS | FENCE_FILES},
    {for_files, sizeof for_files / sizeof *for_files, FENCE_FILES},
};

/* Those whose arguments decide; in this order below. */
enum { OPENAT, IOCTL, SOCKET, PRCTL, PRLIMIT, CLONE, CLONE3, TGKILL, CHECKED };
static const int checked[CHECKED][KINDS] = {{257, 56},  {16, 29},  {41, 198},  {157, 167},
                                            {302, 261}, {56, 220}, {435, 435}, {234, 131}};

static bool is_checked(int kind, int number) {
    for (size_t i = 0; i < CHECKED; i++)
        if (checked[i][kind] == number)
            return true;
    return false;
}

static bool is_let_through(int kind, int number, unsigned may) {
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].n; i++)
            if (lists[l].calls[i][kind] == number)
                return lists[l].when == 0 || (lists[l].when & may);
    return false;
}

static void each(void (*run)(int kind, unsigned may, const struct program *p)) {
    struct program p;
    size_t ran = 0;
    for (int kind = X86; kind < KINDS; kind++)
        for (unsigned may = 0; may < ALL; may++) {
            program_of(kind, may, &p);
            if (p.n == 0)
                continue;
            run(kind, may, &p);
            ran++;
        }
    if (ran == 0)
        skip();
}

/* Every number there is, and some that no kernel has yet. */
static void number_by_number(int kind, unsigned may, const struct program *p) {
    for (int number = 0; number < LAST; number++)
        if (!is_checked(kind, number))
            assert_answer(kind, p, number, 0, 0,
                          is_let_through(kind, number, may) ? SECCOMP_RET_ALLOW
                          : number > 451                    ? UNKNOWN
                                                            : REFUSED);
    assert_answer(kind, p, 0x3fffffff, 0, 0, UNKNOWN);
    assert_answer(kind, p, 0x40000000, 0, 0, REFUSED); /* x32 */
    assert_answer(kind, p, -1, 0, 0, REFUSED);
}

static void only_what_is_listed(void **state) {
    (void)state;
    each(number_by_number);
}

/* 32-bit calls of the same machine, and a kind of processor that it is not. */
static void of_another_kind(int kind, unsigned may, const struct program *p) {
    const unsigned others[] = {0x40000003 /* i386 */, 0x40000028 /* arm */, arch_of[1 - kind], 0};
    (void)may;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (unsigned number = 0; number < LAST; number++) {
            const struct asked a = {.arch = others[i], .number = number};
            assert_int_equal(answer_of(p, &a), REFUSED);
        }
}

static void calls_of_other_processors_are_refused(void **state) {
    (void)state;
    each(of_another_kind);
}

static void opened(int kind, unsigned may, const struct program *p) {
    const int call = checked[OPENAT][kind];
    const unsigned writes = (may & (FENCE_KNOBS | FENCE_FILES)) != 0 ? SECCOMP_RET_ALLOW : REFUSED;
    const unsigned makes = (may & FENCE_FILES) != 0 ? SECCOMP_RET_ALLOW : REFUSED;
    assert_answer(kind, p, call, 2, O_RDONLY | O_CLOEXEC | O_DIRECTORY, SECCOMP_RET_ALLOW);
    /* What stands above an int is not looked at by the kernel either. */
    assert_answer(kind, p, call, 2, UINT64_C(1) << 32 | O_WRONLY, writes);
    assert_answer(kind, p, call, 2, O_WRONLY, writes);
    assert_answer(kind, p, call, 2, O_RDWR | O_CLOEXEC, writes);
    assert_answer(kind, p, call, 2, O_WRONLY | O_CREAT, makes);
    assert_answer(kind, p, call, 2, O_CREAT, makes);
    assert_answer(kind, p, call, 2, O_TRUNC, makes);
    assert_answer(kind, p, call, 2, O_TMPFILE | O_RDWR, makes);
}

static void files_open_as_asked_for(void **state) {
    (void)state;
    each(opened);
}

static void by_argument(int kind, unsigned may, const struct program *p) {
    const unsigned named = may & FENCE_MACHINE ? SECCOMP_RET_ALLOW : REFUSED;
    const uint64_t me = (uint64_t)getpid(), thread = CLONE_VM | CLONE_FILES | CLONE_THREAD;
    assert_answer(kind, p, checked[SOCKET][kind], 0, AF_UNIX, named);
    assert_answer(kind, p, checked[SOCKET][kind], 0, AF_NETLINK, named);
    assert_answer(kind, p, checked[SOCKET][kind], 0, AF_INET, REFUSED);
    assert_answer(kind, p, checked[SOCKET][kind], 0, AF_INET6, REFUSED);
    assert_answer(kind, p, checked[IOCTL][kind], 1, TIOCSTI, REFUSED);
    assert_answer(kind, p, checked[IOCTL][kind], 1, UINT64_C(1) << 32 | TIOCSTI, REFUSED);
    assert_answer(kind, p, checked[IOCTL][kind], 1, TIOCGWINSZ, SECCOMP_RET_ALLOW);
    assert_answer(kind, p, checked[PRCTL][kind], 0, PR_SET_NAME, SECCOMP_RET_ALLOW);
    assert_answer(kind, p, checked[PRCTL][kind], 0, PR_SET_DUMPABLE, REFUSED);
    assert_answer(kind, p, checked[PRCTL][kind], 0, PR_SET_SECCOMP, REFUSED);
    assert_answer(kind, p, checked[PRLIMIT][kind], 0, 0, SECCOMP_RET_ALLOW);
    assert_answer(kind, p, checked[PRLIMIT][kind], 0, me + 1, REFUSED);
    assert_answer(kind, p, checked[CLONE][kind], 0, thread, SECCOMP_RET_ALLOW);
    assert_answer(kind, p, checked[CLONE][kind], 0, SIGCHLD, REFUSED);
    assert_answer(kind, p, checked[CLONE3][kind], 0, 0, UNKNOWN);
    assert_answer(kind, p, checked[TGKILL][kind], 0, me, SECCOMP_RET_ALLOW);
    assert_answer(kind, p, checked[TGKILL][kind], 0, me + 1, REFUSED);
}

static void arguments_decide(void **state) {
    (void)state;
    each(by_argument);
}

static void jumps(int kind, unsigned may, const struct program *p) {
    (void)kind, (void)may;
    for (size_t i = 0; i < p->n; i++)
        if (BPF_CLASS(p->code[i].code) == BPF_JMP)
            assert_true(i + 1 + p->code[i].jt < p->n && i + 1 + p->code[i].jf < p->n);
    assert_int_equal(p->code[p->n - 1].code, BPF_RET | BPF_K);
    assert_int_equal(p->code[p->n - 1].k, REFUSED);
}

/* Every jump of every filter stays inside it, and its last instruction answers. */
static void programs_are_whole(void **state) {
    (void)state;
    each(jumps);
}

/* No half of a filter: none, where it has no room. */
static void without_room_there_is_none(void **state) {
    struct program p;
    (void)state;
    program_of(ARM, 0, &p);
    assert_true(p.n > 0 && p.n < FENCE_MAX);
    assert_int_equal(fence_build(&fence_machine, 0, p.code, p.n - 1), 0);
    assert_int_equal(fence_build(&fence_machine, 0, p.code, p.n), p.n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_listed),
        cmocka_unit_test(calls_of_other_processors_are_refused),
        cmocka_unit_test(files_open_as_asked_for),
        cmocka_unit_test(arguments_decide),
        cmocka_unit_test(programs_are_whole),
        cmocka_unit_test(without_room_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
