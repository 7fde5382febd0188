/*
 * Faults that other monitors had, through the real program: a rate whose clock stands still or runs backwards,
 * several engines behind one name, a sleeping device that must not be touched, a machine without the files
 * one expects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "e2e.h"
#include "ndjson.h"
#include "scratch.h"

static struct e2e machine_with(const char *gpus, unsigned clients) {
    struct synth_options o = {
        .gpus = gpus, .processes = clients + 4, .fds = 6, .clients = clients, .seed = 6};
    return e2e_machine(&o);
}

/* ---- clocks that stand still or run backwards (xe) ------------------------------------------------------- */

static void assert_no_rate_or_zero(json_t *tick) {
    size_t i;
    json_t *p;
    assert_true(json_array_size(json_object_get(tick, "processes")) > 0);
    json_array_foreach(json_object_get(tick, "processes"), i, p) {
        double busy = number_at(p, "busy_pct");
        assert_true(isnan(busy) || busy == 0);
    }
}

static void xe_clock_that_stands_still(void **state) {
    (void)state;
    struct e2e e = machine_with("xe", 4);
    struct ticker *t = ticker_start(&e, "200ms");
    ticker_next(t);
    for (int i = 0; i < 3; i++)
        assert_no_rate_or_zero(ticker_next(t));
    ticker_finish(t);
    e2e_finish(&e);
}

static void xe_clock_that_runs_backwards(void **state) {
    (void)state;
    struct e2e e = machine_with("xe", 4);
    char *info = e2e_path(&e, "proc/2240/fdinfo/5");
    struct ticker *t = ticker_start(&e, "300ms");
    ticker_next(t);
    ticker_hold(t);
    file_replace(info, "drm-total-cycles-rcs:\t96000000000", "drm-total-cycles-rcs:\t95000000000");
    ticker_release(t);
    json_t *tick = ticker_next(t);
    double busy = number_at(process_engine(tick_process(tick, 2240, NULL), "rcs"), "busy_pct");
    assert_true(isnan(busy) || busy == 0);
    file_replace(info, "drm-total-cycles-rcs:\t95000000000", "drm-total-cycles-rcs:\t0");
    ticker_next(t);
    file_replace(info, "drm-total-cycles-rcs:\t0\n",
                 "drm-total-cycles-rcs:\t18446744073709551615\n");
    ticker_next(t);
    ticker_finish(t);
    free(info);
    e2e_finish(&e);
}

/* Rates on xe are of the GPU's own clock, so they are exact: 14 % over two clients. */
static void xe_rates_are_of_its_clock(void **state) {
    (void)state;
    struct e2e e = machine_with("xe", 2);
    struct ticker *t = ticker_start(&e, "300ms");
    ticker_next(t);
    ticker_step(t, &e, 1.0);
    json_t *shell = tick_process(ticker_step(t, &e, 2.0), 2201, NULL);
    assert_near(process_engine(shell, "rcs"), "busy_pct", 14, 0.01);
    ticker_finish(t);
    e2e_finish(&e);
}

/* ---- several engines behind a name ------------------------------------------------------------------------------ */

static void put_video(const char *info, uint64_t ns) {
    char *text = file_read(info, NULL), *at = text ? strstr(text, "drm-engine-video:\t") : NULL;
    assert_non_null(at);
    char *rest = strchr(at, '\n'), digits[16];
    assert_true(rest - at >= 32); /* the key, 11 digits, the unit */
    snprintf(digits, sizeof digits, "%011llu", (unsigned long long)ns);
    memcpy(rest - 14, digits, 11);
    file_write(info, text, strlen(text));
    free(text);
}

/* Two video engines: 0.6 s of video time are 0.3 s of each, in every tick alike. More than both can do is 100 %. */
static void two_engines_behind_one_name(void **state) {
    (void)state;
    struct e2e e = machine_with("i915", 4);
    char *info = e2e_path(&e, "proc/2240/fdinfo/5");
    uint64_t ns = 40000000000;
    file_replace(info, "drm-engine-video:\t0 ns", "drm-engine-video:\t40000000000 ns");
    struct ticker *t = ticker_start(&e, "600ms");
    ticker_next(t);
    for (int i = 0; i < 4; i++) {
        uint64_t more = i < 3 ? 600000000 : 9000000000;
        ticker_hold(t);
        put_video(info, ns += more);
        ticker_release(t);
        json_t *tick = ticker_next(t);
        json_t *engine = process_engine(tick_process(tick, 2240, NULL), "video");
        double want = 100 * (double)more / 1e9 / (2 * number_at(tick, "interval_s"));
        want = want < 100 ? want : 100;
        assert_near(engine, "busy_pct", want, want * 0.2);
    }
    ticker_finish(t);
    free(info);
    e2e_finish(&e);
}

/* ---- a device that sleeps ------------------------------------------------------------------------------------------- */

/* Watches every file of the device for being opened, but for those that may be. */
static void watch_device(int watch, const char *dir, unsigned *files) {
    static const char *const allowed[] = {"power",
                                          "power_state",
                                          "vendor",
                                          "device",
                                          "subsystem_vendor",
                                          "subsystem_device",
                                          "class",
                                          "revision",
                                          "uevent",
                                          "modalias",
                                          "dev"};
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d));) {
        bool may = entry->d_name[0] == '.';
        for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
            may = may || strcmp(entry->d_name, allowed[i]) == 0;
        char *path = path_join(dir, "%s", entry->d_name);
        struct stat st;
        if (!may && lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            watch_device(watch, path, files);
        } else if (!may && S_ISREG(st.st_mode)) {
            assert_true(inotify_add_watch(watch, path, IN_OPEN | IN_ACCESS) >= 0);
            ++*files;
        }
        free(path);
    }
    closedir(d);
}

static char *device_dir(const struct e2e *e, const char *card) {
    char *path = e2e_path(e, "sys/class/drm/%s/device", card), *real = realpath(path, NULL);
    assert_non_null(real);
    free(path);
    return real;
}

static void a_sleeping_device_is_not_touched(void **state) {
    char events[4096];
    unsigned files = 0;
    (void)state;
    struct e2e e = machine_with("amdgpu,amdgpu-mobile:asleep", 6);
    char *device = device_dir(&e, "card1"), *node = e2e_path(&e, "dev/dri/renderD129"),
         *status = path_join(device, "power/runtime_status");
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch < 0)
        skip();
    watch_device(watch, device, &files);
    assert_true(files > 10);
    assert_true(inotify_add_watch(watch, node, IN_OPEN) >= 0);
    struct ticker *t = ticker_start(&e, "200ms");
    for (int i = 0; i < 5; i++) {
        json_t *sleeper = tick_device(ticker_next(t), "0000:07:00.0");
        assert_string_equal(text_at(sleeper, "state"), "asleep");
    }
    ssize_t n = read(watch, events, sizeof events);
    if (n > 0)
        fail_msg("a file of the sleeping device was opened (%zd bytes of events)", n);
    file_write(status, "active\n", 7);
    json_t *tick = ticker_next(t);
    for (int i = 0;
         i < 200 && strcmp(text_at(tick_device(tick, "0000:07:00.0"), "state"), "active") != 0; i++)
        tick = ticker_next(t);
    assert_string_equal(text_at(tick_device(tick, "0000:07:00.0"), "state"), "active");
    ticker_finish(t);
    close(watch);
    free(device);
    free(node);
    free(status);
    e2e_finish(&e);
}

/* Reading fdinfo of an xe client wakes its device; amdgpu's does not. */
static void clients_of_a_sleeping_xe_are_not_read(void **state) {
    char events[4096];
    (void)state;
    struct e2e e = machine_with("xe:asleep", 3);
    char *info = e2e_path(&e, "proc/2240/fdinfo/5");
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch < 0)
        skip();
    assert_true(inotify_add_watch(watch, info, IN_ACCESS) >= 0);
    struct ticker *t = ticker_start(&e, "200ms");
    for (int i = 0; i < 4; i++)
        ticker_next(t);
    assert_true(read(watch, events, sizeof events) < 0);
    ticker_finish(t);
    close(watch);
    free(info);
    e2e_finish(&e);
}

/* ---- what may be missing ------------------------------------------------------------------------------------------------ */

static void no_power_folder_means_active(void **state) {
    (void)state;
    struct e2e e = machine_with("i915-igpu", 3);
    char *device = device_dir(&e, "card0");
    char *power = path_join(device, "power");
    scratch_remove(power);
    struct ticker *t = ticker_start(&e, "200ms");
    assert_string_equal(text_at(tick_device(ticker_next(t), NULL), "state"), "active");
    ticker_finish(t);
    free(device);
    e2e_finish(&e);
}

static void a_machine_without_gpu_is_no_failure(void **state) {
    (void)state;
    struct e2e e = machine_with("amdgpu", 0);
    char *sys = e2e_path(&e, "sys");
    scratch_remove(sys);
    struct ticker *t = ticker_start(&e, "200ms");
    (void)ticker_next(t);
    const json_t *tick = ticker_next(t);
    assert_int_equal(json_array_size(json_object_get(tick, "devices")), 0);
    ticker_finish(t);
    e2e_finish(&e);
}

/* No PCI address in the text: the device comes from the node's number. */
static void devices_without_pci_have_their_clients(void **state) {
    (void)state;
    struct e2e e = machine_with("panthor,panfrost,msm,v3d,amdxdna", 12);
    struct ticker *t = ticker_start(&e, "200ms");
    ticker_next(t);
    json_t *tick = ticker_step(t, &e, 0.2);
    assert_int_equal(json_array_size(json_object_get(tick, "devices")), 5);
    static const char *const ids[] = {"fb000000.gpu", "fde60000.gpu"};
    for (size_t i = 0; i < 2; i++)
        assert_non_null(tick_device(tick, ids[i]));
    assert_non_null(process_engine(tick_process(tick, 2201, "fb000000.gpu"), "panthor"));
    assert_non_null(process_engine(tick_process(tick, 9034, "fde60000.gpu"), "fragment"));
    ticker_finish(t);
    e2e_finish(&e);
}

/* The texts of kernels before 6.5 and of the newest read alike. */
static void memory_of_old_and_new_texts(void **state) {
    (void)state;
    struct e2e e = machine_with("amdgpu-old,amdgpu", 4);
    struct ticker *t = ticker_start(&e, "200ms");
    json_t *shell = tick_process(ticker_next(t), 2201, NULL);
    char *line = e2e_run(&e, PROGRAM_ARGS("--once", "-p", "2201", "--fields", "PID,VRAM,GTT"), 0);
    assert_non_null(process_memory(shell, "vram"));
    assert_non_null(strstr(line, "402M"));
    assert_non_null(strstr(line, "61M"));
    free(line);
    ticker_finish(t);
    e2e_finish(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xe_clock_that_stands_still),
        cmocka_unit_test(xe_clock_that_runs_backwards),
        cmocka_unit_test(xe_rates_are_of_its_clock),
        cmocka_unit_test(two_engines_behind_one_name),
        cmocka_unit_test(a_sleeping_device_is_not_touched),
        cmocka_unit_test(clients_of_a_sleeping_xe_are_not_read),
        cmocka_unit_test(no_power_folder_means_active),
        cmocka_unit_test(a_machine_without_gpu_is_no_failure),
        cmocka_unit_test(devices_without_pci_have_their_clients),
        cmocka_unit_test(memory_of_old_and_new_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
