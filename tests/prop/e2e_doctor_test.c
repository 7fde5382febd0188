/*
 * `gwtop doctor` end to end over a synthetic machine whose rights are taken away one by one: each state, what it says of
 * it, and that nothing is written and nothing of a sleeping device is opened (as inotify sees it, from outside).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e.h"
#include "ndjson.h"
#include "scratch.h"
#include "tree.h"

#define CARD "sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0"
#define MALI "sys/devices/platform/fb000000.gpu"
#define OA   "proc/sys/dev/i915/perf_stream_paranoid"

static int make_machine(void **state) {
    struct synth_options o = {.gpus = "amdgpu,i915,panthor,xe,amdgpu-mobile:asleep,msm",
                              .processes = 12,
                              .fds = 4,
                              .clients = 12,
                              .seed = 5};
    return e2e_begin(state, &o);
}

/* ---- what it says ------------------------------------------------------------------------------ */

static json_t *doctor(const struct e2e *e) {
    char *out = e2e_run(e, PROGRAM_ARGS("doctor", "--json"), 0);
    json_t *all = ndjson_parse(out);
    assert_non_null(all);
    assert_int_equal(json_array_size(all), 1);
    json_t *o = json_incref(json_array_get(all, 0));
    json_decref(all);
    free(out);
    assert_string_equal(text_at(o, "schema"), "gwtop-doctor/1");
    return o;
}

/* The device of this driver in this state; its id. */
static const char *device_id(json_t *o, const char *driver, const char *state) {
    size_t i;
    json_t *d;
    json_array_foreach(json_object_get(o, "devices"), i,
                       d) if (strcmp(text_at(d, "driver"), driver) == 0 &&
                              strcmp(text_at(d, "state"), state) == 0) return text_at(d, "id");
    fail_msg("no %s that is %s", driver, state);
    return "";
}

/* device: its id, or "" for the machine. */
static json_t *source(json_t *o, const char *device, const char *name) {
    size_t i;
    json_t *s;
    json_array_foreach(json_object_get(o, "sources"), i,
                       s) if (strcmp(text_at(s, "device"), device) == 0 &&
                              strcmp(text_at(s, "source"), name) == 0) return s;
    fail_msg("no source %s of %s", name, device);
    return NULL;
}

static void assert_says(json_t *s, const char *key, const char *pattern) {
    if (fnmatch(pattern, text_at(s, key), 0) != 0)
        fail_msg("%s of %s is \"%s\", not %s", key, text_at(s, "source"), text_at(s, key), pattern);
}

/* Whatever is not there has all its words; what is there needs none. */
static void assert_words(json_t *o) {
    size_t i;
    json_t *s;
    json_array_foreach(json_object_get(o, "sources"), i, s) {
        const char *is = text_at(s, "state");
        bool fine = strcmp(is, "ok") == 0;
        assert_says(s, "lost", "?*");
        assert_true(fine == (text_at(s, "need")[0] == '\0') || strcmp(is, "unsupported") == 0);
        if (strcmp(is, "denied") == 0 || strcmp(is, "off") == 0) {
            assert_says(s, "command", "?*");
            assert_says(s, "unsafe", "?*");
        }
        if (fine)
            assert_true(json_is_null(json_object_get(s, "command")));
    }
}

static void assert_states(json_t *o) {
    const char *card = device_id(o, "amdgpu", "active");
    const char *mali = device_id(o, "panthor", "active");
    const char *arc = device_id(o, "i915", "active");
    assert_says(source(o, card, "gpu-metrics"), "state", "ok");
    assert_says(source(o, card, "pcie-bw"), "state", "unsupported");
    json_t *s = source(o, card, "hwmon");
    assert_says(s, "state", "denied");
    assert_says(s, "command", "sudo chmod a+r /" CARD "/hwmon/hwmon0/power1_average");
    assert_says(source(o, mali, "opp"), "state", "missing");
    s = source(o, mali, "profiling");
    assert_says(s, "state", "off");
    assert_says(s, "command", "echo 3 | sudo tee /" MALI "/profiling");
    assert_says(s, "unsafe", "*power*");
    s = source(o, arc, "i915-perf");
    assert_says(s, "state", "denied");
    assert_says(s, "command", "sudo setcap cap_sys_ptrace,cap_perfmon=ep *gwtop");
    assert_says(s, "other_command", "sudo sysctl dev.i915.perf_stream_paranoid=0");
    assert_says(source(o, device_id(o, "amdgpu", "asleep"), "amdgpu"), "state", "asleep");
    s = source(o, "", "fdinfo");
    assert_says(s, "state", "denied");
    assert_says(s, "unsafe", "*memory of every process*");
    assert_true(number_at(json_object_get(o, "processes"), "unreadable") == 1);
    assert_says(source(o, device_id(o, "msm", "active"), "sensors"), "state", "unsupported");
    json_t *first = json_array_get(json_object_get(o, "more"), 0);
    assert_says(first, "command", "echo 3*"); /* nothing of this GPU's use is told without */
}

static void every_state_is_told(void **state) {
    struct e2e *e = *state;
    char *denied = e2e_path(e, CARD "/hwmon/hwmon0/power1_average");
    struct synth_holder holder;
    assert_true(synth_holders(e->machine, &holder, 1) >= 1);
    char *fd = e2e_path(e, "proc/%d/fd", holder.pid);
    tree_text(e->root, MALI "/profiling", "0\n");
    tree_text(e->root, OA, "1\n");
    assert_int_equal(chmod(denied, 0), 0);
    assert_int_equal(chmod(fd, 0), 0);
    json_t *o = doctor(e);
    assert_words(o);
    assert_states(o);
    json_decref(o);
    chmod(denied, 0644);
    chmod(fd, 0755);
    tree_drop(e->root, OA);
    tree_text(e->root, MALI "/profiling", "3\n");
    free(denied);
    free(fd);
}

static void rights_that_are_there_are_not_asked_for(void **state) {
    struct e2e *e = *state;
    tree_text(e->root, OA, "0\n");
    json_t *o = doctor(e);
    json_t *s = source(o, device_id(o, "i915", "active"), "i915-perf");
    assert_says(s, "state", "off");
    assert_says(s, "command", "gwtop --counters");
    assert_says(s, "unsafe", "*awake*");
    assert_says(source(o, device_id(o, "panthor", "active"), "profiling"), "state", "ok");
    assert_says(source(o, "", "fdinfo"), "state", "ok");
    json_t *d = json_array_get(json_object_get(o, "devices"), 0);
    assert_true(json_is_true(json_object_get(json_object_get(d, "fdinfo"), "engines")));
    assert_true(json_is_true(json_object_get(json_object_get(d, "fdinfo"), "memory")));
    assert_string_equal(text_at(json_object_get(o, "machine"), "kernel"), "Linux 6.12.0-synth");
    assert_string_equal(text_at(o, "root"), e->root);
    json_decref(o);
    tree_drop(e->root, OA);
}

static void hidden_processes_are_told(void **state) {
    struct e2e *e = *state;
    tree_text(e->root, "proc/self/mountinfo",
              "20 1 0:5 / / rw - ext4 /dev/sda rw\n"
              "22 20 0:21 / /proc rw,nosuid shared:5 - proc proc rw,gid=27,hidepid=invisible\n");
    json_t *o = doctor(e);
    json_t *s = source(o, "", "hidepid");
    assert_says(s, "state", "denied");
    assert_says(s, "other_command", "sudo mount -o remount,hidepid=0 /proc");
    json_decref(o);
    tree_text(e->root, "proc/self/mountinfo", "22 20 0:21 / /proc rw - proc proc rw,hidepid=0\n");
    o = doctor(e);
    size_t i;
    json_array_foreach(json_object_get(o, "sources"), i, s)
        assert_string_not_equal(text_at(s, "source"), "hidepid");
    json_decref(o);
    tree_drop(e->root, "proc/self");
}

static void nodes_are_told(void **state) {
    struct e2e *e = *state;
    char *node = e2e_path(e, "dev/dri/renderD129");
    tree_text(e->root, OA, "0\n");
    assert_int_equal(chmod(node, 0), 0);
    json_t *o = doctor(e);
    const char *arc = device_id(o, "i915", "active");
    assert_says(source(o, arc, "node"), "state", "denied");
    assert_says(source(o, arc, "i915-perf"), "need", "*node*");
    json_decref(o);
    assert_int_equal(unlink(node), 0);
    o = doctor(e);
    arc = device_id(o, "i915", "active");
    assert_says(source(o, arc, "node"), "state", "missing");
    assert_says(source(o, arc, "node"), "command", "*--device /dev/dri/renderD129");
    json_decref(o);
    tree_text(e->root, "dev/dri/renderD129", "%s", "");
    tree_drop(e->root, OA);
    free(node);
}

static void gpu_without_driver_is_told(void **state) {
    struct e2e *e = *state;
    tree_text(e->root, "sys/bus/pci/devices/0000:44:00.0/class", "0x030200\n");
    tree_text(e->root, "sys/bus/pci/devices/0000:44:00.0/vendor", "0x10de\n");
    tree_text(e->root, "sys/bus/pci/devices/0000:45:00.0/class", "0x020000\n");
    json_t *o = doctor(e);
    json_t *s = source(o, "0000:44:00.0", "driver");
    assert_says(s, "state", "missing");
    assert_int_equal(json_array_size(json_object_get(o, "devices")), 7);
    json_decref(o);
    tree_drop(e->root, "sys/bus/pci/devices/0000:44:00.0");
    tree_drop(e->root, "sys/bus/pci/devices/0000:45:00.0");
}

static void empty_machine_is_told(void **state) {
    (void)state;
    char *root = scratch_make();
    struct e2e e = {.root = root};
    char *out = e2e_run(&e, PROGRAM_ARGS("doctor"), 0);
    assert_non_null(strstr(out, "no GPU found"));
    json_t *o = doctor(&e);
    assert_says(source(o, "", "devices"), "state", "missing");
    assert_says(source(o, "", "fdinfo"), "command", "sudo mount -t proc proc /proc");
    json_decref(o);
    free(out);
    scratch_remove(root);
}

/* What may be opened and yet says nothing. Leaves it so. */
static void source_that_does_not_answer_is_told(void **state) {
    struct e2e *e = *state;
    tree_odd(e->root, CARD "/gpu_metrics", ODD_FOLDER);
    json_t *o = doctor(e);
    json_t *s = source(o, device_id(o, "amdgpu", "active"), "gpu-metrics");
    /* A thread reads it: on a busy machine its answer may come after the last look. */
    for (int more = 20; more > 0 && strcmp(text_at(s, "state"), "ok") == 0; more--) {
        json_decref(o);
        o = doctor(e);
        s = source(o, device_id(o, "amdgpu", "active"), "gpu-metrics");
    }
    assert_says(s, "state", "unsupported");
    assert_says(s, "need", "*reading it failed*");
    json_decref(o);
}

/* A path or a command is never broken. */
static bool may_be_long(const char *line) {
    return strchr(line, '/') != NULL;
}

static void text_has_eighty_columns(void **state) {
    struct e2e *e = *state;
    char *out = e2e_run(e, PROGRAM_ARGS("doctor", "-U"), 0);
    unsigned lines = 0;
    char *rest = out;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        assert_true(strlen(line) <= 80 || may_be_long(line));
        lines++;
    }
    assert_true(lines > 40);
    free(out);
}

static void configuration_is_told(void **state) {
    struct e2e *e = *state;
    tree_text(e->root, "home/config", "[screen]\nnonsense = 1\n");
    char *path = e2e_path(e, "home/config");
    char *out = e2e_run(e, PROGRAM_ARGS("-c", path, "doctor", "--json"), 0);
    json_t *o = json_loads(out, 0, NULL);
    json_t *warnings = json_object_get(o, "warnings");
    assert_string_equal(text_at(json_object_get(o, "machine"), "config"), path);
    assert_true(json_array_size(warnings) >= 1);
    assert_non_null(strstr(json_string_value(json_array_get(warnings, 0)), ":2:"));
    json_decref(o);
    free(out);
    free(path);
    tree_drop(e->root, "home");
}

/* ---- what it does not do ------------------------------------------------------------------------- */

#define CHANGES                                                                                    \
    (IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)

struct spy {
    int fd;
    char *folders[4096]; /* by the watch's number */
    unsigned opened;     /* files of the awake card, so that the spy is known to see */
};

static void spy_on(struct spy *s, const char *folder) {
    DIR *d = opendir(folder);
    assert_non_null(d);
    int watch = inotify_add_watch(s->fd, folder, CHANGES | IN_OPEN | IN_ONLYDIR | IN_DONT_FOLLOW);
    assert_true(watch >= 0 && watch < 4096);
    s->folders[watch] = strdup(folder);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        struct stat st;
        char *path = path_join(folder, "%s", e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && lstat(path, &st) == 0 &&
            S_ISDIR(st.st_mode))
            spy_on(s, path);
        free(path);
    }
    closedir(d);
}

/* What wakes no device that sleeps. */
static bool is_harmless(const char *path) {
    static const char *const names[] = {"/power/*",  "/power_state",      "/vendor",
                                        "/device",   "/subsystem_vendor", "/subsystem_device",
                                        "/class",    "/revision",         "/uevent",
                                        "/modalias", "/drm/*/dev",        "/drm/*/uevent"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (fnmatch(names[i], path, FNM_PATHNAME) == 0)
            return true;
    return false;
}

static void judge(struct spy *s, const struct inotify_event *v, const char *sleepy) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", s->folders[v->wd], v->len > 0 ? v->name : "");
    if (v->mask & CHANGES)
        fail_msg("%s was changed (%x)", path, v->mask);
    if (!(v->mask & IN_OPEN) || (v->mask & IN_ISDIR))
        return;
    if (strstr(path, "/dev/dri/"))
        fail_msg("the node %s was opened", path);
    const char *at = strstr(path, sleepy);
    if (at && !is_harmless(at + strlen(sleepy)))
        fail_msg("%s of a sleeping card was opened", path);
    s->opened += strstr(path, CARD "/hwmon/") != NULL;
}

static void spy_judge(struct spy *s, const char *sleepy) {
    static char events[1 << 16] __attribute__((aligned(8)));
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    while (poll(&p, 1, 0) > 0) {
        ssize_t n = read(s->fd, events, sizeof events);
        assert_true(n > 0);
        for (char *at = events; at < events + n;) {
            const struct inotify_event *v = (const void *)at;
            if (v->mask & IN_Q_OVERFLOW)
                fail_msg("more was done than can be watched");
            judge(s, v, sleepy);
            at += sizeof *v + v->len;
        }
    }
}

static void nothing_is_written_or_woken(void **state) {
    static struct spy s;
    struct e2e *e = *state;
    json_t *o = doctor(e);
    char sleepy[128];
    snprintf(sleepy, sizeof sleepy, "/%s", device_id(o, "amdgpu", "asleep"));
    json_decref(o);
    s.fd = inotify_init1(IN_CLOEXEC);
    if (s.fd < 0)
        skip();
    spy_on(&s, e->root);
    for (int more = 20; more > 0 && s.opened == 0; more--) {
        free(e2e_run(e,
                     PROGRAM_ARGS("doctor", "--wake", "--counters", "--set-profiling", "--tracefs",
                                  "--mali-profiling"),
                     0));
        spy_judge(&s, sleepy);
    }
    assert_true(s.opened > 0);
    close(s.fd);
    for (size_t i = 0; i < sizeof s.folders / sizeof s.folders[0]; i++)
        free(s.folders[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_is_told),
        cmocka_unit_test(rights_that_are_there_are_not_asked_for),
        cmocka_unit_test(hidden_processes_are_told),
        cmocka_unit_test(nodes_are_told),
        cmocka_unit_test(gpu_without_driver_is_told),
        cmocka_unit_test(empty_machine_is_told),
        cmocka_unit_test(text_has_eighty_columns),
        cmocka_unit_test(configuration_is_told),
        cmocka_unit_test(nothing_is_written_or_woken),
        cmocka_unit_test(source_that_does_not_answer_is_told),
    };
    return cmocka_run_group_tests(tests, make_machine, e2e_end);
}
