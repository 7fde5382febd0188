/*
 * Machines of a size that nobody has yet: as many processes, clients and devices, and as few descriptors as it takes
 * to break what counts on having enough. A tenth of the numbers unless GWTOP_LOAD=full. Every tick comes, all rows
 * are there, sums hold, and memory stays below a bound that is stated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "e2e.h"
#include "ndjson.h"
#include "scratch.h"
#include "sysrig.h"
#include "tree.h"

enum { PROCESSES = 50000, CLIENTS = 5000, DEVICES = 64, BUSY_PPM = 1000, FEW = 64, MANY = 2000 };

static bool is_full(void) {
    const char *load = getenv("GWTOP_LOAD");
    return load && strcmp(load, "full") == 0;
}

static int scaled(int n) {
    return is_full() ? n : n / 10;
}

/* KiB that the program may take for so many; a sanitizer build takes what it likes. */
static long most_kib(int processes, int clients) {
    return 16384 + processes * 2 / 5 + clients * 12;
}

static bool is_sanitized(void) {
    const char *variant = getenv("GWTOP_ASAN_LIB");
    return variant && *variant;
}

/* ---- the machine ------------------------------------------------------------------------------- */

static void put_devices(const char *root, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        char slot[32];
        snprintf(slot, sizeof slot, "0000:%02x:00.0", i + 1);
        sysrig_put_pci(root, slot, "amdgpu", "1002:747E", i);
    }
}

static void put_process(const char *root, int pid) {
    char path[64];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    tree_text(root, path, "%d (p%d) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %d 100 100 0 0 0 0 0\n",
              pid, pid, 5000 + pid % 1000);
    snprintf(path, sizeof path, "proc/%d/fd", pid);
    tree_folder(root, path);
}

/* Client number `pid` of the device that is its turn; busy for 1 ms after each step. */
static void put_client(const char *root, int pid, unsigned devices, unsigned step) {
    char path[64], node[64];
    snprintf(path, sizeof path, "proc/%d/fd/4", pid);
    snprintf(node, sizeof node, "/dev/dri/renderD%u", 128 + (unsigned)pid % devices);
    if (step == 0)
        tree_link(root, path, node);
    snprintf(path, sizeof path, "proc/%d/fdinfo/4", pid);
    tree_text(root, path,
              "drm-driver:\tamdgpu\ndrm-client-id:\t%d\ndrm-engine-gfx:\t%d ns\n"
              "drm-resident-vram:\t1024 KiB\n",
              pid, 5000000 + (int)step * 1000000);
}

static char *make_machine(int processes, int clients, unsigned devices) {
    char *root = scratch_make();
    put_devices(root, devices);
    for (int pid = 1; pid <= processes; pid++)
        put_process(root, pid);
    for (int pid = 1; pid <= clients; pid++)
        put_client(root, pid, devices, 0);
    return root;
}

/* ---- laws -------------------------------------------------------------------------------------- */

static size_t count_of(json_t *tick, const char *key) {
    return json_array_size(json_object_get(tick, key));
}

/* What the rows of a device used comes to what the device says that its clients used. */
static void hold_sums(json_t *tick) {
    size_t i, k;
    json_t *device, *process;
    json_array_foreach(json_object_get(tick, "devices"), i, device) {
        double sum = NAN;
        json_array_foreach(json_object_get(tick, "processes"), k, process) {
            if (strcmp(text_at(process, "device"), text_at(device, "id")) != 0)
                continue;
            sum = (isnan(sum) ? 0 : sum) + number_at(process, "busy_s");
        }
        if (!isnan(sum))
            assert_near(json_array_get(json_object_get(device, "engines"), 0), "busy_s", sum, 1e-6);
    }
}

static json_t *run(const char *root, const char *const *args, struct rusage *used) {
    struct program_result r;
    struct rusage before;
    const char *all[16] = {"--root", root, "--json", "-n", "2", "-d", "100ms"};
    for (int i = 0; args && args[i]; i++)
        all[7 + i] = args[i];
    getrusage(RUSAGE_CHILDREN, &before);
    program_run(&(struct program){.args = all}, &r);
    getrusage(RUSAGE_CHILDREN, used);
    if (r.status != 0)
        fail_msg("status %d: %s", r.status, r.err);
    json_t *ticks = ndjson_parse(r.out);
    program_finish(&r);
    assert_int_equal(json_array_size(ticks), 2);
    json_t *last = json_incref(json_array_get(ticks, 1));
    json_decref(ticks);
    e2e_assert_lawful(last);
    return last;
}

static void many_of_all(void **state) {
    int processes = scaled(PROCESSES), clients = scaled(CLIENTS);
    struct rusage used;
    (void)state;
    char *root = make_machine(processes, clients, DEVICES);
    json_t *tick = run(root, NULL, &used);
    assert_int_equal(count_of(tick, "devices"), DEVICES);
    assert_int_equal(count_of(tick, "processes"), clients);
    assert_near(json_object_get(tick, "unreadable"), "count", 0, 0);
    hold_sums(tick);
    json_decref(tick);
    /* Of the largest child so far, which is this one. */
    if (!is_sanitized() && used.ru_maxrss > most_kib(processes, clients))
        fail_msg("%ld KiB, more than %ld", used.ru_maxrss, most_kib(processes, clients));
    print_message("# %d processes, %d clients: %ld KiB\n", processes, clients, used.ru_maxrss);
    scratch_remove(root);
}

/* ---- few descriptors --------------------------------------------------------------------------- */

/* The program is started by a shell that takes away what is not to be had. */
static void limit_to(const char *limits) {
    char *inner = strdup(program_path()), *script = NULL;
    static char path[4096];
    assert_non_null(inner);
    snprintf(path, sizeof path, "%s/limited", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_true(asprintf(&script, "#!/bin/sh\n%s\nexec '%s' \"$@\"\n", limits, inner) > 0);
    file_write(path, script, strlen(script));
    char *mode = NULL;
    assert_true(asprintf(&mode, "chmod 755 '%s'", path) > 0);
    assert_int_equal(system(mode), 0);
    setenv("GWTOP_BIN", path, 1);
    setenv("GWTOP_UNLIMITED", inner, 1);
    free(mode);
    free(script);
    free(inner);
}

static void unlimit(void) {
    char *limited = strdup(program_path());
    setenv("GWTOP_BIN", getenv("GWTOP_UNLIMITED"), 1);
    remove(limited);
    free(limited);
}

static void few_descriptors(void **state) {
    int clients = scaled(MANY);
    struct rusage used;
    char limits[64];
    (void)state;
    char *root = make_machine(clients, clients, 2);
    snprintf(limits, sizeof limits, "ulimit -n %d", FEW);
    limit_to(limits);
    json_t *tick = run(root, NULL, &used);
    unlimit();
    assert_int_equal(count_of(tick, "processes"), clients);
    assert_near(json_object_get(tick, "unreadable"), "count", 0, 0);
    hold_sums(tick);
    json_decref(tick);
    scratch_remove(root);
}

/* So few that not even all is well: what is missing is told. */
static void no_descriptors(void **state) {
    (void)state;
    char *root = make_machine(10, 10, 2);
    for (int most = 3; most < 10; most++) {
        char limits[64];
        struct program_result r;
        snprintf(limits, sizeof limits, "ulimit -n %d", most);
        limit_to(limits);
        program_run(&(struct program){.args = PROGRAM_ARGS("--root", root, "--json", "-n", "1")},
                    &r);
        unlimit();
        json_t *ticks = r.status == 0 ? ndjson_parse(r.out) : NULL;
        json_t *tick = json_array_get(ticks, 0);
        bool told = number_at(json_object_get(tick, "unreadable"), "count") > 0 || r.err_size > 0;
        if (r.status > 127 || r.timed_out || (tick && count_of(tick, "processes") < 10 && !told))
            fail_msg("with %d descriptors: status %d, %s, %s", most, r.status, r.out, r.err);
        json_decref(ticks);
        program_finish(&r);
    }
    scratch_remove(root);
}

/* ---- little memory ----------------------------------------------------------------------------- */

/* Whether the program so much as starts: else it is the loader's business. */
static bool starts(void) {
    struct program_result r;
    program_run(&(struct program){.args = PROGRAM_ARGS("--version")}, &r);
    bool fine = r.status == 0;
    program_finish(&r);
    return fine;
}

/* True where all was there; what is not is told. */
static bool run_in(const char *root, int kib) {
    struct program_result r;
    program_run(
        &(struct program){.args = PROGRAM_ARGS("--root", root, "--json", "-n", "2", "-d", "100ms")},
        &r);
    json_t *ticks = r.status == 0 ? ndjson_parse(r.out) : NULL;
    json_t *tick = json_array_get(ticks, 1);
    bool all = tick && count_of(tick, "processes") == 300;
    bool told = number_at(json_object_get(tick, "unreadable"), "count") > 0 || r.err_size > 0;
    if (r.timed_out || r.status > 127 || (!all && !told))
        fail_msg("in %d KiB: status %d, %zu rows, %.200s, %s", kib, r.status,
                 tick ? count_of(tick, "processes") : 0, r.out, r.err);
    json_decref(ticks);
    program_finish(&r);
    return all;
}

static void little_memory(void **state) {
    unsigned whole = 0;
    (void)state;
    if (is_sanitized())
        skip();
    char *root = make_machine(300, 300, 4);
    for (int kib = 4096; kib < 120000; kib += kib / 8) {
        char limits[64];
        snprintf(limits, sizeof limits, "ulimit -v %d", kib);
        limit_to(limits);
        whole += starts() && run_in(root, kib);
        unlimit();
    }
    assert_true(whole > 0);
    scratch_remove(root);
}

int main(void) {
    struct CMUnitTest tests[] = {
        cmocka_unit_test(many_of_all),
        cmocka_unit_test(few_descriptors),
        cmocka_unit_test(no_descriptors),
        cmocka_unit_test(little_memory),
    };
    tests[0].name = is_full() ? "50,000 processes, 5,000 clients, 64 devices"
                              : "a tenth of 50,000 processes, 5,000 clients, 64 devices";
    tests[1].name =
        is_full() ? "2,000 clients with 64 descriptors" : "200 clients with 64 descriptors";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
