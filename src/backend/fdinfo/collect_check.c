/* Whether the processes of others can be looked into; for `gwtop doctor`. */
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "gwtop/source.h"

#include "fdinfo.h"

enum { MOUNTS_BYTES = 1 << 16 };

/* The options of the line that mounts /proc, the last of them if there are more; empty where there is none. */
static struct span proc_options(struct span text) {
    struct cursor lines = cursor_over(text);
    struct span line;
    struct span found = {"", 0};
    while (cursor_line(&lines, &line)) {
        struct cursor c = cursor_over(line);
        struct span word;
        bool is_proc = true;
        for (unsigned i = 0; is_proc && i < 5; i++)
            is_proc = cursor_field(&c, ' ', &word);
        if (is_proc && span_equals(word, "/proc"))
            found = (struct span){c.p, cursor_left(&c)};
    }
    return found;
}

/* "0" where nothing is hidden. */
static struct span option_in(struct span options, const char *key) {
    for (size_t i = 0; i < options.n; i++) {
        struct cursor c = cursor_over(span_skip(options, i));
        struct span value;
        if ((i > 0 && options.p[i - 1] != ',' && options.p[i - 1] != ' ') ||
            !span_starts(span_skip(options, i), key))
            continue;
        c.p += strlen(key);
        if (!cursor_word(&c, &value))
            break;
        struct cursor one = cursor_over(value);
        (void)cursor_field(&one, ',', &value);
        return value;
    }
    return (struct span){"", 0};
}

static bool is_hidden(struct host *h) {
    char *text = malloc(MOUNTS_BYTES);
    ssize_t n = text ? host_slurp(h, h->root_fd, "proc/self/mountinfo", text, MOUNTS_BYTES) : -1;
    struct span value =
        option_in(proc_options((struct span){text, n > 0 ? (size_t)n : 0}), "hidepid=");
    bool hidden = value.n > 0 && !span_equals(value, "0") && !span_equals(value, "off");
    free(text);
    return hidden;
}

static void check_hidepid(const struct check_sink *sink, bool may) {
    const struct check c = {
        .source = "hidepid",
        .path = "proc",
        .need = "/proc mounted without hidepid, or a program with CAP_SYS_PTRACE",
        .lost = "that processes of other users are there at all",
        .command = "sudo mount -o remount,hidepid=0 /proc",
        .capability = "cap_sys_ptrace",
        .unsafe = "every user sees the processes of all others, and their command lines",
        .state = may ? CHECK_OK : CHECK_DENIED,
        .gain = 9,
    };
    sink->check(sink->ctx, &c);
}

void fdinfo_check(struct host *host, const struct device_info *device,
                  const struct check_sink *sink) {
    bool may = host_has_capability(CAP_SYS_PTRACE);
    if (device)
        return;
    struct check c = check_of_kind(&backend_fdinfo.kinds[0], CHECK_OK, "proc");
    c.lost = "use of GPUs by processes of other users";
    if (host->proc_fd < 0) {
        c.state = (uint8_t)check_state_from_sys(host->proc_sys);
        c.need = "/proc, mounted";
        c.lost = "all processes, and so all clients of GPUs";
        c.command = "sudo mount -t proc proc /proc";
        c.unsafe = "nothing: every Linux system has it";
    } else if (sink->unreadable > 0 && may) {
        c.state = CHECK_DENIED;
        c.need = "what a container or a security module withholds even from CAP_SYS_PTRACE";
    } else if (sink->unreadable > 0) {
        c.state = CHECK_DENIED;
        c.capability = "cap_sys_ptrace";
        c.unsafe = "the program may read the memory of every process: let nobody but you start or "
                   "change it";
    }
    check_tell(sink, c, 8);
    if (is_hidden(host))
        check_hidepid(sink, may);
}
