/*
 * A sleeping card is left asleep, as the kernel would see it: every open that the real program makes, in any of its
 * threads, is watched from outside (ptrace), whatever library or way it takes. Below the folder of a suspended
 * device, and of its device nodes, only what cannot wake it is opened; the same machine with the card awake shows
 * that the watch sees what it is there for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e.h"
#include "ndjson.h"
#include "scratch.h"

enum { THREADS_MAX = 64, CANNOT_TRACE = 125 };

/* ---- the watch ----------------------------------------------------------------------------------------------- */

/* What a thread asked for, between the beginning and the end of its call. */
struct asked {
    pid_t tid; /* 0: free */
    char path[PATH_MAX];
};

struct opens {
    char **paths; /* resolved; in the order of the calls */
    size_t count;
    size_t cap;
    struct asked asked[THREADS_MAX];
    bool denied; /* tracing is not permitted here, or the kernel is too old for it */
    int status;  /* of the program's exit */
};

static void opens_add(struct opens *o, const char *path) {
    if (o->count == o->cap) {
        o->cap = o->cap ? 2 * o->cap : 1024;
        o->paths = realloc(o->paths, o->cap * sizeof *o->paths);
        assert_non_null(o->paths);
    }
    o->paths[o->count] = strdup(path);
    assert_non_null(o->paths[o->count++]);
}

static void opens_finish(struct opens *o) {
    for (size_t i = 0; i < o->count; i++)
        free(o->paths[i]);
    free(o->paths);
}

static struct asked *asked_of(struct opens *o, pid_t tid) {
    for (size_t i = 0; i < THREADS_MAX; i++)
        if (o->asked[i].tid == tid)
            return &o->asked[i];
    return NULL;
}

/* The text of a link of /proc/TID; empty where there is none. */
static void read_proc_link(pid_t tid, const char *name, char out[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/%s", (int)tid, name);
    ssize_t n = readlink(link, out, PATH_MAX - 1);
    out[n > 0 ? n : 0] = '\0';
}

static void read_folder(pid_t tid, int dirfd, char out[PATH_MAX]) {
    char name[32] = "cwd";
    if (dirfd != AT_FDCWD)
        snprintf(name, sizeof name, "fd/%d", dirfd);
    read_proc_link(tid, name, out);
}

/* False where no text could be read there; the call fails then too. */
static bool read_text(pid_t tid, uint64_t at, char out[PATH_MAX]) {
    char mem[64];
    snprintf(mem, sizeof mem, "/proc/%d/mem", (int)tid);
    int fd = open(mem, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, out, PATH_MAX, (off_t)at);
    if (fd >= 0)
        close(fd);
    return n > 0 && memchr(out, '\0', (size_t)n);
}

static void call_begins(struct opens *o, pid_t tid, uint64_t number, const uint64_t args[6]) {
    int dirfd = AT_FDCWD;
    uint64_t at;
    char text[PATH_MAX], folder[PATH_MAX] = "";
    if (number == SYS_openat || number == SYS_openat2) {
        dirfd = (int)args[0];
        at = args[1];
#ifdef SYS_open
    } else if (number == SYS_open) {
        at = args[0];
#endif
    } else {
        return;
    }
    struct asked *a = asked_of(o, 0);
    assert_non_null(a);
    if (!read_text(tid, at, text))
        return;
    if (text[0] != '/')
        read_folder(tid, dirfd, folder);
    int n = snprintf(a->path, sizeof a->path, "%s%s%s", folder, *folder ? "/" : "", text);
    if (n > 0 && (size_t)n < sizeof a->path)
        a->tid = tid;
}

/* An open that failed was an attempt all the same: links are followed as far as they lead. */
static void add_attempt(struct opens *o, char *path) {
    char whole[PATH_MAX + NAME_MAX + 2], folder[PATH_MAX], copy[PATH_MAX];
    if (realpath(path, folder)) {
        opens_add(o, folder);
        return;
    }
    strcpy(copy, path);
    if (!realpath(dirname(copy), folder))
        return;
    snprintf(whole, sizeof whole, "%s/%.*s", folder, NAME_MAX, basename(path));
    opens_add(o, whole);
}

/* What was opened in truth is what the new descriptor says. */
static void call_ends(struct opens *o, pid_t tid, int64_t result) {
    struct asked *a = asked_of(o, tid);
    char name[32], path[PATH_MAX];
    if (!a)
        return;
    a->tid = 0;
    if (result < 0) {
        add_attempt(o, a->path);
        return;
    }
    snprintf(name, sizeof name, "fd/%d", (int)result);
    read_proc_link(tid, name, path);
    opens_add(o, path);
}

/* False where the kernel does not tell. */
static bool take_call(struct opens *o, pid_t tid) {
    struct __ptrace_syscall_info c;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof c, &c) <= 0)
        return errno == ESRCH; /* killed meanwhile */
    if (c.op == PTRACE_SYSCALL_INFO_ENTRY)
        call_begins(o, tid, c.entry.nr, (const uint64_t *)c.entry.args);
    else if (c.op == PTRACE_SYSCALL_INFO_EXIT)
        call_ends(o, tid, c.exit.rval);
    return true;
}

static pid_t start_traced(const struct program *p, int out) {
    char *argv[32] = {(char *)(size_t)program_path()};
    for (int i = 0; i < 30 && p->args[i]; i++)
        argv[i + 1] = (char *)(size_t)p->args[i];
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    program_prepare(p);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(CANNOT_TRACE);
    execv(argv[0], argv);
    _exit(127);
}

/* The signal to hand on when it goes on after this stop. A new thread begins with a stop of its own. */
static int signal_of(int status) {
    int sig = WSTOPSIG(status);
    return status >> 16 || sig == SIGSTOP || sig == SIGTRAP || sig == (SIGTRAP | 0x80) ? 0 : sig;
}

/* True while there is more to come. */
static bool watch_on(struct opens *o, pid_t pid, bool *set) {
    static const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE |
                                PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
    int status;
    pid_t tid = waitpid(-1, &status, __WALL);
    if (tid < 0)
        return errno == EINTR;
    if (!WIFSTOPPED(status)) {
        if (tid == pid)
            o->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        struct asked *a = asked_of(o, tid);
        if (a)
            a->tid = 0;
        return true;
    }
    bool fine = true;
    if (!*set)
        fine = ptrace(PTRACE_SETOPTIONS, tid, NULL, options) == 0;
    else if (WSTOPSIG(status) == (SIGTRAP | 0x80))
        fine = take_call(o, tid);
    *set = true;
    if (!fine) {
        o->denied = true;
        kill(pid, SIGKILL);
        return true;
    }
    ptrace(PTRACE_SYSCALL, tid, NULL, (long)signal_of(status));
    return true;
}

/* Runs the program on the machine to its end; what it said goes into the file. */
static void watch(struct opens *o, const struct e2e *e, const char *said) {
    static const char *const env[] = {"ASAN_OPTIONS=detect_leaks=0",
                                      NULL}; /* it cannot be traced */
    struct program p = {.args = PROGRAM_ARGS("--root", e->root, "--json", "-n", "3", "-d", "100ms"),
                        .env = env,
                        .bare_root = true};
    bool set = false;
    *o = (struct opens){.status = -1};
    int out = open(said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(out >= 0);
    pid_t pid = start_traced(&p, out);
    assert_true(pid > 0);
    close(out);
    while (watch_on(o, pid, &set))
        ;
    o->denied |= o->status == CANNOT_TRACE;
}

/* ---- the machine --------------------------------------------------------------------------------------------- */

/* A card that works and one that may sleep. */
struct pair {
    struct e2e e;
    char *root;   /* resolved */
    char *awake;  /* folder of the device, resolved */
    char *sleepy; /* likewise */
};

static char *resolved(const struct e2e *e, const char *path) {
    char *from = e2e_path(e, "%s", path), *to = realpath(from, NULL);
    assert_non_null(to);
    free(from);
    return to;
}

static int make_pair(void **state) {
    struct synth_options o = {
        .gpus = "amdgpu,amdgpu-mobile:asleep", .processes = 8, .fds = 4, .clients = 11, .seed = 7};
    struct pair *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->e = e2e_machine(&o);
    p->root = resolved(&p->e, ".");
    p->awake = resolved(&p->e, "sys/class/drm/card0/device");
    p->sleepy = resolved(&p->e, "sys/class/drm/card1/device");
    *state = p;
    return 0;
}

static int drop_pair(void **state) {
    struct pair *p = *state;
    e2e_finish(&p->e);
    free(p->root);
    free(p->awake);
    free(p->sleepy);
    free(p);
    return 0;
}

static void set_power(const struct pair *p, const char *status, const char *power_state) {
    char *a = path_join(p->sleepy, "power/runtime_status"),
         *b = path_join(p->sleepy, "power_state");
    file_write(a, status, strlen(status));
    file_write(b, power_state, strlen(power_state));
    free(a);
    free(b);
}

/* What follows the folder in a path below it; NULL for any other path. */
static const char *below(const char *folder, const char *path) {
    size_t n = strlen(folder);
    return strncmp(folder, path, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static size_t count_below(const struct opens *o, const char *folder, const char *pattern) {
    size_t n = 0;
    for (size_t i = 0; i < o->count; i++) {
        const char *rest = below(folder, o->paths[i]);
        n += rest && fnmatch(pattern, rest, 0) == 0;
    }
    return n;
}

/* The files that wake nothing. Folders are the file system's own; to list one asks the device nothing. */
static bool wakes_nothing(const char *folder, const char *rest) {
    static const char *const harmless[] = {"power/*",          "power_state",
                                           "vendor",           "device",
                                           "subsystem_vendor", "class",
                                           "revision",         "uevent",
                                           "subsystem_device", "modalias",
                                           "drm/card*/dev",    "drm/card*/uevent",
                                           "drm/renderD*/dev", "drm/renderD*/uevent"};
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (fnmatch(harmless[i], rest, FNM_PATHNAME) == 0)
            return true;
    struct stat st;
    char *path = path_join(folder, "%s", rest);
    bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    free(path);
    return is_folder;
}

static const char *state_of(json_t *tick, size_t device) {
    json_t *d = json_array_get(json_object_get(tick, "devices"), device);
    return json_string_value(json_object_get(d, "state"));
}

/* Skips the test where it cannot be watched. Ticks to be freed. */
static json_t *watch_or_skip(struct opens *o, const struct pair *p) {
    char *said = e2e_path(&p->e, "said.json");
    watch(o, &p->e, said);
    char *text = file_read(said, NULL);
    free(said);
    if (o->denied) {
        free(text);
        opens_finish(o);
        skip();
    }
    assert_int_equal(o->status, 0);
    json_t *ticks = ndjson_parse(text);
    free(text);
    assert_int_equal(json_array_size(ticks), 3);
    return ticks;
}

static void sleeping_card_is_left_asleep(void **state) {
    struct pair *p = *state;
    struct opens o;
    json_t *ticks = watch_or_skip(&o, p);
    char *dri = path_join(p->root, "dev/dri");
    for (size_t i = 0; i < o.count; i++) {
        const char *rest = below(p->sleepy, o.paths[i]), *node = below(dri, o.paths[i]);
        if (rest && !wakes_nothing(p->sleepy, rest))
            fail_msg("%s of a sleeping card was opened", rest);
        if (node && (strcmp(node, "card1") == 0 || strcmp(node, "renderD129") == 0))
            fail_msg("the node %s of a sleeping card was opened", node);
    }
    assert_true(count_below(&o, p->sleepy, "power/runtime_status") > 0);
    assert_true(count_below(&o, p->awake, "hwmon/*/*") > 0);
    assert_true(count_below(&o, p->awake, "gpu_metrics") > 0);
    assert_string_equal(state_of(json_array_get(ticks, 2), 1), "asleep");
    free(dri);
    json_decref(ticks);
    opens_finish(&o);
}

static void same_card_awake_is_read(void **state) {
    struct pair *p = *state;
    struct opens o;
    set_power(p, "active\n", "D0\n");
    json_t *ticks = watch_or_skip(&o, p);
    set_power(p, "suspended\n", "D3cold\n");
    assert_true(count_below(&o, p->sleepy, "hwmon/*/*") > 0);
    assert_true(count_below(&o, p->sleepy, "gpu_metrics") > 0);
    assert_string_not_equal(state_of(json_array_get(ticks, 2), 1), "asleep");
    json_decref(ticks);
    opens_finish(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sleeping_card_is_left_asleep, make_pair, drop_pair),
        cmocka_unit_test_setup_teardown(same_card_awake_is_read, make_pair, drop_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
