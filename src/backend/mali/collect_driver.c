/* What the driver and its kernel say beside a recording: files, rate, name, room. I/O. */
#include <string.h>

#include "collect.h"

#define ROOM_KB (UINT64_C(48) * 1024) /* a 32-bit kernel's buffer, and what others need */

bool mali_has_file(struct host *h, const char *folder, const char *file) {
    char path[MALI_PATH_MAX];
    struct stat st;
    return folder[0] && host_stat(h, h->root_fd, mali_path(path, folder, file), &st) == 0;
}

/* A number of the driver's, 0 where it says none. */
static uint64_t number_in(struct host *h, const char *path) {
    char text[32];
    uint64_t v = 0;
    ssize_t n = host_slurp(h, h->root_fd, path, text, sizeof(text));
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    if (n <= 0 || span_to_u64((struct span){text, (size_t)n}, &v) != ERR_OK)
        return 0;
    return v;
}

struct mali_initial mali_initial_learn(struct host *h) {
    uint64_t mhz = number_in(h, "sys/module/mali/parameters/mali_gpu_clk");
    uint64_t uv = number_in(h, "sys/module/mali/parameters/mali_gpu_vol");
    bool known = mhz > 0 && mhz <= 2000 && uv > 0;
    return known ? (struct mali_initial){mhz * 1000000, uv} : (struct mali_initial){0};
}

void mali_put_name(struct host *h, const char *folder, struct buf *facts) {
    char path[MALI_PATH_MAX];
    char text[64];
    ssize_t n = -1;
    if (folder[0])
        n = host_slurp(h, h->root_fd, mali_path(path, folder, "version"), text, sizeof(text));
    struct span name = {text, n > 0 ? (size_t)n : 0};
    while (name.n > 0 && (unsigned char)name.p[name.n - 1] <= ' ')
        name.n--;
    facts_put(facts, "name", name.n > 0 ? name : span_of("Mali-400/450"));
}

bool mali_has_room(struct host *h) {
    char text[4096];
    struct cursor cur;
    struct span line;
    uint64_t total = 0;
    uint64_t used = 0;
    if (sizeof(long) > 4)
        return true;
    ssize_t n = host_slurp(h, h->root_fd, "proc/meminfo", text, sizeof(text));
    cur = cursor_over((struct span){text, n > 0 ? (size_t)n : 0});
    while (cursor_line(&cur, &line)) {
        struct cursor words = cursor_over(line);
        struct span key;
        struct span value;
        if (!cursor_word(&words, &key) || !cursor_word(&words, &value))
            continue;
        if (span_equals(key, "VmallocTotal:"))
            (void)span_to_u64(value, &total);
        if (span_equals(key, "VmallocUsed:"))
            (void)span_to_u64(value, &used);
    }
    return total == 0 || (used < total && total - used >= ROOM_KB);
}

void mali_put_dialect(struct host *h, const char *folder, const char *tracefs, struct span lines,
                      struct buf *facts) {
    struct span wanted = facts_get(h->machine_facts, "option.mali-dialect");
    if (wanted.n > 0)
        facts_put(facts, "dialect", wanted);
    else if (mali_has_file(h, folder, "profiling/events_human_readable") ||
             mali_has_file(h, folder, "version") ||
             mali_has_file(h, tracefs, MALI_TRACE_ACTIVE "/format"))
        facts_put(facts, "dialect", span_of("arm"));
    else
        mali_dialect_scan(lines, facts);
}
