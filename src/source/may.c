/* What this program may do by the rights of files and by its own, asked for without doing it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gwtop/source.h"

int host_may(struct host *h, const char *path, int mode) {
    h->tally.syscalls++;
    return faccessat(h->root_fd, path, mode, AT_EACCESS) == 0 ? 0 : errno;
}

int host_may_render(struct host *h, const struct device_info *device) {
    struct cursor c = cursor_over(facts_get(device->subject->facts, "node_names"));
    struct span name;
    char path[64];
    while (cursor_field(&c, ',', &name))
        if (span_starts(name, "renderD") && name.n < 32) {
            snprintf(path, sizeof(path), "dev/dri/%.*s", (int)name.n, name.p);
            return host_may(h, path, R_OK | W_OK);
        }
    return ENOENT;
}

bool host_has_capability(unsigned capability) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
    if (syscall(SYS_capget, &header, data) != 0 || capability >= 64)
        return false;
    return (data[capability / 32].permitted & UINT32_C(1) << capability % 32) != 0;
}

bool host_may_count(void) {
    return host_has_capability(CAP_PERFMON) || host_has_capability(CAP_SYS_ADMIN);
}

struct first {
    const char *prefix;
    char *to;
    size_t cap;
    bool found;
};

/* The least by name: which the kernel lists first is chance. */
static void take_name(void *ctx, struct span name) {
    struct first *f = ctx;
    if (!span_starts(name, f->prefix) || name.n >= f->cap)
        return;
    if (f->found && strncmp(f->to, name.p, name.n) <= 0)
        return;
    memcpy(f->to, name.p, name.n);
    f->to[name.n] = '\0';
    f->found = true;
}

bool host_first_name(struct host *h, const char *folder, const char *prefix, char *to, size_t cap) {
    _Alignas(8) char space[4096];
    struct first f = {.prefix = prefix, .to = to, .cap = cap};
    int fd = host_open(h, h->root_fd, folder, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return false;
    int failed = host_list(h, fd, space, sizeof(space), take_name, &f);
    int sys = failed < 0 ? errno : ENOENT;
    host_close(h, fd);
    errno = sys;
    return f.found;
}
