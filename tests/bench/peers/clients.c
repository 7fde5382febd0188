/*
 * Real processes that hold descriptors of a node which no driver serves, and over the fdinfo of these the texts of
 * a synthetic machine's clients: programs read /proc as ever and take the processes for GPU clients.
 */
#include "clients.h"

#include <glob.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

enum { DRM_MAJOR = 226, STRAY = 16 /* descriptors beyond those asked for, of the test itself */ };

/* Returns once the machine is whole. */
static bool synth_start(struct clients *c, const char *synth, const char *dir, unsigned count) {
    char number[16], word[8] = "";
    int ready[2];
    snprintf(number, sizeof number, "%u", count);
    if (pipe(ready) != 0)
        return false;
    c->synth = fork();
    if (c->synth == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ready[1], STDOUT_FILENO);
        close(ready[0]);
        close(ready[1]);
        execl(synth, synth, "-o", dir, "-g", "i915-igpu", "-n", number, "-p", number, "-f", "8",
              "-t", "100", (char *)NULL);
        _exit(127);
    }
    close(ready[1]);
    ssize_t n = read(ready[0], word, sizeof word - 1);
    close(ready[0]);
    return n > 0 && strncmp(word, "ready", 5) == 0;
}

static bool is_text(const char *path) {
    char *text = file_read(path, NULL);
    bool is = text && strstr(text, "drm-client-id:");
    free(text);
    return is;
}

static void find_texts(struct clients *c, const char *dir) {
    char *pattern = path_join(dir, "proc/[0-9]*/fdinfo/[0-9]*");
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        c->texts = calloc(found.gl_pathc, sizeof *c->texts);
        for (size_t i = 0; c->texts && i < found.gl_pathc; i++)
            if (is_text(found.gl_pathv[i]))
                c->texts[c->count++] = strdup(found.gl_pathv[i]);
        globfree(&found);
    }
    free(pattern);
}

/* With what perf looks for in the true one: it counts system calls. */
static bool lay_sys(const char *dir) {
    char *sys = path_join(dir, "sys");
    char *kernel = path_join(sys, "kernel");
    char *tracing = path_join(kernel, "tracing");
    mkdir(kernel, 0755);
    if (mkdir(tracing, 0755) == 0)
        (void)mount("tracefs", tracing, "tracefs", 0, NULL);
    bool laid = mount(sys, "/sys", NULL, MS_BIND | MS_REC, NULL) == 0;
    free(tracing);
    free(kernel);
    free(sys);
    return laid;
}

/* libudev speaks of devices only once its database has them. */
static void lay_udev(struct clients *c) {
    static const char seen[] = "I:1\nV:1\n";
    static const char *const devices[] = {"c226:0", "c226:128", "+pci:0000:00:02.0"};
    char *udev = path_join(c->dir, "udev");
    char *data = path_join(udev, "data");
    mkdir(udev, 0755);
    mkdir(data, 0755);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        char *path = path_join(data, "%s", devices[i]);
        file_write(path, seen, sizeof seen - 1);
        free(path);
    }
    c->made_udev = mkdir("/run/udev", 0755) == 0;
    (void)mount(udev, "/run/udev", NULL, MS_BIND, NULL);
    free(data);
    free(udev);
}

bool clients_make(struct clients *c, const char *synth, const char *dir, unsigned count) {
    *c = (struct clients){.why = "not root"};
    if (geteuid() != 0)
        return false;
    c->why = "no mount namespace may be made";
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return false;
    c->why = "the synthetic machine was not made";
    if (!synth_start(c, synth, dir, count))
        return false;
    find_texts(c, dir);
    c->why = "its files could not be laid over the machine's";
    c->dir = dir;
    lay_udev(c);
    return c->count > 0 && lay_sys(dir);
}

static bool is_node(int pid, unsigned number) {
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%u", pid, number);
    return stat(path, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) == DRM_MAJOR;
}

/* The file of one descriptor: the next client's text, or what any file says of itself. How many clients. */
static unsigned lay_text(const struct clients *c, unsigned laid, int pid, const char *folder,
                         unsigned number) {
    static const char any[] = "pos:\t0\nflags:\t0100000\nmnt_id:\t26\nino:\t5\n";
    char *path = path_join(folder, "%u", number);
    bool is_client = laid < c->count && is_node(pid, number) && link(c->texts[laid], path) == 0;
    if (!is_client)
        file_write(path, any, sizeof any - 1);
    free(path);
    return is_client;
}

/* A folder over the process's fdinfo: nothing may be laid over the files in it. */
static unsigned lay_process(const struct clients *c, unsigned laid, int pid, unsigned descriptors) {
    char target[64];
    unsigned first = laid;
    char *folder = path_join(c->dir, "laid-%d", pid);
    snprintf(target, sizeof target, "/proc/%d/fdinfo", pid);
    mkdir(folder, 0755);
    for (unsigned k = 0; k < descriptors; k++)
        laid += lay_text(c, laid, pid, folder, k);
    if (laid > first && mount(folder, target, NULL, MS_BIND, NULL) != 0)
        laid = first;
    free(folder);
    return laid;
}

unsigned clients_lay(const struct clients *c, const pid_t *pids, unsigned n, unsigned descriptors) {
    unsigned laid = 0;
    for (unsigned i = 0; i < n && laid < c->count; i++)
        laid = lay_process(c, laid, (int)pids[i], descriptors + STRAY);
    return laid;
}

void clients_end(struct clients *c) {
    if (c->made_udev && umount2("/run/udev", MNT_DETACH) == 0)
        rmdir("/run/udev");
    if (c->synth > 0 && kill(c->synth, SIGKILL) == 0)
        waitpid(c->synth, NULL, 0);
    for (unsigned i = 0; i < c->count; i++)
        free(c->texts[i]);
    free(c->texts);
}
