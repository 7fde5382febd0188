/*
 * Who descends from the command: once seen to, for good, also when the parent is gone and the process was handed
 * to gwtop, which is the reaper of orphans below it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/core.h"
#include "stat_child.h"

static bool read_stat(pid_t pid, struct stat_member *out) {
    char path[40], text[1024];
    struct proc_stat stat;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    (void)proc_stat_read((struct span){text, n > 0 ? (size_t)n : 0}, &stat);
    bool parent = stat.ppid.err == ERR_OK && stat.ppid.value <= INT32_MAX;
    *out = (struct stat_member){.pid = pid,
                                .parent = parent ? (pid_t)stat.ppid.value : 0,
                                .start = stat.start_ticks.value,
                                .alive = stat.state != 'Z' && stat.state != 'X'};
    return stat.start_ticks.err == ERR_OK;
}

static struct map_key key_of(pid_t pid, uint64_t start) {
    return (struct map_key){(uint32_t)pid, start};
}

static void add(struct stat_family *f, const struct stat_member *m) {
    uint32_t at = map_get(&f->index, key_of(m->pid, m->start));
    void *list = f->list;
    if (at != MAP_NONE) {
        f->list[at].alive = m->alive;
        return;
    }
    enum err e = vec_reserve(&list, &f->cap, f->count + 1, sizeof *f->list);
    f->list = list;
    if (e == ERR_OK && map_put(&f->index, key_of(m->pid, m->start), f->count) == ERR_OK)
        f->list[f->count++] = *m;
}

void stat_family_start(struct stat_family *f, pid_t root) {
    struct stat_member m;
    *f = (struct stat_family){.root = root};
    if (!read_stat(root, &m))
        return;
    f->root_start = m.start;
    add(f, &m);
}

void stat_family_finish(struct stat_family *f) {
    free(f->list);
    free(f->seen);
    map_finish(&f->index);
    *f = (struct stat_family){0};
}

static void list_all(struct stat_family *f) {
    DIR *dir = opendir("/proc");
    struct dirent *d;
    uint64_t pid;
    f->seen_count = 0;
    while (dir && (d = readdir(dir))) {
        void *list = f->seen;
        if (span_to_u64(span_of(d->d_name), &pid) != ERR_OK || pid > INT32_MAX)
            continue;
        if (vec_reserve(&list, &f->seen_cap, f->seen_count + 1, sizeof *f->seen) != ERR_OK)
            break;
        f->seen = list;
        if (read_stat((pid_t)pid, &f->seen[f->seen_count]))
            f->seen_count++;
    }
    if (dir)
        closedir(dir);
}

/* A child of ours that began after the command was its descendant. */
static bool descends(const struct stat_family *f, const struct stat_member *m) {
    if (map_get(&f->index, key_of(m->pid, m->start)) != MAP_NONE)
        return true;
    if (m->start < f->root_start)
        return false;
    if (m->parent == getpid())
        return true;
    for (uint32_t i = 0; i < f->count; i++)
        if (f->list[i].pid == m->parent && f->list[i].start <= m->start)
            return true;
    return false;
}

void stat_family_look(struct stat_family *f) {
    bool more = true;
    for (uint32_t i = 0; i < f->count; i++)
        f->list[i].alive = false;
    list_all(f);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < f->seen_count; i++) {
            struct stat_member *m = &f->seen[i];
            if (m->ours || !descends(f, m))
                continue;
            m->ours = more = true;
            add(f, m);
        }
    }
}

bool stat_family_has(struct stat_family *f, pid_t pid, uint64_t start, pid_t parent) {
    struct stat_member m = {.pid = pid, .start = start, .parent = parent};
    if (start == 0) {
        for (uint32_t i = 0; i < f->count; i++)
            if (f->list[i].pid == pid)
                return true;
        return false;
    }
    if (!descends(f, &m))
        return false;
    if (map_get(&f->index, key_of(pid, start)) == MAP_NONE)
        add(f, &m);
    return true;
}

uint32_t stat_family_alive(const struct stat_family *f) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->count; i++)
        n += f->list[i].alive;
    return n;
}
