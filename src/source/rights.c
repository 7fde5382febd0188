/* CAP_SYS_PTRACE up and down by the two system calls themselves; no library is needed for that. */
#include "rights.h"

#include <linux/capability.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool get(struct __user_cap_data_struct data[2]) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(SYS_capget, &header, data) == 0;
}

static bool set(const struct __user_cap_data_struct data[2]) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(SYS_capset, &header, data) == 0;
}

bool rights_raise(void) {
    struct __user_cap_data_struct data[2];
    const uint32_t ptrace = CAP_TO_MASK(CAP_SYS_PTRACE);
    if (!get(data) || !(data[0].permitted & ptrace) || (data[0].effective & ptrace))
        return false;
    data[0].effective |= ptrace;
    return set(data);
}

void rights_lower(void) {
    struct __user_cap_data_struct data[2];
    if (!get(data))
        return;
    data[0].effective &= ~CAP_TO_MASK(CAP_SYS_PTRACE);
    (void)set(data);
}
