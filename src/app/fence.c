/*
 * The filter of system calls of this kind of processor, put up, and rights given up with it.
 *
 * A sanitizer's leak check makes processes and traces them, and a coverage build writes its figures at exit: there is
 * no fence there.
 */
#include "fence.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fence_program.h"
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
#define FENCE_ARCH 0u
#elif defined(__x86_64__) && defined(__LP64__)
#define FENCE_ARCH AUDIT_ARCH_X86_64
#define FENCE_OLD  1
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FENCE_ARCH AUDIT_ARCH_AARCH64
#define FENCE_OLD  0
#else
#define NO_FENCE
#define FENCE_ARCH 0u
#endif

/* What has no fence may lack some of these calls. */
#if !defined(NO_FENCE)
#define FENCE_NUMBER(name) SYS_##name
#include "fence_numbers.def"
#endif

size_t fence_program(unsigned may, struct sock_filter out[FENCE_MAX]) {
#if defined(NO_FENCE)
    (void)may, (void)out;
    return 0;
#else
    return fence_build(&fence_machine, may, out, FENCE_MAX);
#endif
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
    if (sys != 0 && FENCE_ARCH != 0)
        log_line(LOG_INFO, "no filter of system calls: %s", strerror(sys));
}

const char *fence_state(void) {
    const unsigned action = SECCOMP_RET_ERRNO;
    if (FENCE_ARCH == 0)
        return "none for this kind of processor or build";
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0
               ? "goes up before the first output"
               : "refused by this kernel or container";
}
