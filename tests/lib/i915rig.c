/* The machine with an emulated i915. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "i915rig.h"
#include "ndjson.h"
#include "scratch.h"
#include "tree.h"

static const struct {
    const char *name;
    const char *gpu; /* of the synthetic machine */
    const char *device;
    const char *path;
    const char *was; /* its PCI device id, and the one that stands in its place */
    const char *pci;
    const char *render_basic;
    const char *test_oa;
} machines[] = {
    {"skl", "i915-igpu", "0000:00:02.0", "sys/devices/pci0000:00/0000:00:02.0", "9A49", "1912",
     "07b25942-d9fd-4fce-bd58-e29abd66b7de", "1651949f-0ac0-4cb1-a06f-dafd74a407d1"},
    {"hsw", "i915-igpu", "0000:00:02.0", "sys/devices/pci0000:00/0000:00:02.0", "9A49", "0412",
     "a490e9d2-55b3-4db0-8dab-53011032c5f3", "403d8832-1a27-4aa6-a64e-f5389ce7b212"},
    {"tgl", "i915-igpu", "0000:00:02.0", "sys/devices/pci0000:00/0000:00:02.0", "9A49", "9A49",
     "0fc397c0-4833-492c-9ccd-4929d574d5b8", "80a833f0-2504-4321-8894-e9277844ce7b"},
    {"dg2", "i915", "0000:03:00.0",
     "sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0", "56A5", "56A5",
     "f5b8f05e-c84c-4f1c-bb05-68fbea73879b", "57f210de-b537-464a-af7b-7dfe2f3780c1"},
};

static size_t machine_of(const char *platform) {
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        if (strcmp(machines[i].name, platform) == 0)
            return i;
    fail_msg("no platform %s", platform);
    return 0;
}

static void replace_in(const struct i915rig *r, const char *folder, const char *file,
                       const char *from, const char *to) {
    char *path = e2e_path(&r->emul.e, "%s/%s", folder, file);
    file_replace(path, from, to);
    free(path);
}

static void put_id(const struct i915rig *r, size_t m) {
    char path[200], pci[5];
    snprintf(path, sizeof path, "%s/device", machines[m].path);
    for (int i = 0; i < 5; i++)
        pci[i] = (char)(machines[m].pci[i] >= 'A' ? machines[m].pci[i] + 32 : machines[m].pci[i]);
    tree_text(r->emul.e.root, path, "0x%s\n", pci);
    replace_in(r, machines[m].path, "uevent", machines[m].was, machines[m].pci);
    replace_in(r, machines[m].path, "modalias", machines[m].was, machines[m].pci);
}

static void put_set(const struct i915rig *r, const char *uuid, unsigned id) {
    char path[120];
    snprintf(path, sizeof path, "sys/class/drm/card0/metrics/%s/id", uuid);
    tree_text(r->emul.e.root, path, "%u\n", id);
}

static void put_sets(const struct i915rig *r, size_t m, enum i915_sets sets) {
    if (sets == SETS_NONE)
        return;
    tree_folder(r->emul.e.root, "sys/class/drm/card0/metrics");
    tree_text(r->emul.e.root, "proc/sys/dev/i915/perf_stream_paranoid", "0\n");
    tree_text(r->emul.e.root, "proc/sys/dev/i915/oa_max_sample_rate", "100000\n");
    if (sets == SETS_BASIC)
        put_set(r, machines[m].render_basic, 7);
    if (sets == SETS_TEST)
        put_set(r, machines[m].test_oa, 1);
}

struct i915rig i915rig_make(const char *platform, enum i915_sets sets) {
    size_t m = machine_of(platform);
    struct synth_options o = {
        .gpus = machines[m].gpu, .processes = 4, .fds = 4, .clients = 2, .seed = 5};
    struct i915rig r = {.platform = platform};
    emulrig_init(&r.emul, &o, machines[m].device, "i915");
    put_id(&r, m);
    put_sets(&r, m, sets);
    i915rig_script(&r, "");
    return r;
}

void i915rig_script(struct i915rig *r, const char *script) {
    emulrig_script(&r->emul, "platform=%s;%s", r->platform, script);
}

void i915rig_finish(struct i915rig *r) {
    emulrig_finish(&r->emul);
}

struct program i915rig_program(const struct i915rig *r, const char *const *args) {
    return emulrig_program(&r->emul, args);
}

char *i915rig_run(const struct i915rig *r, const char *const *args, int want_status, char **err) {
    return emulrig_run(&r->emul, args, want_status, err);
}

/* ---- the log --------------------------------------------------------------------------------- */

unsigned i915rig_count(const struct i915rig *r, const char *start) {
    return emulrig_count(&r->emul, start);
}

double i915rig_number(const struct i915rig *r, const char *start, const char *key) {
    double last = emulrig_number(&r->emul, start, key);
    if (isnan(last))
        fail_msg("the emulator said no %s of %s", key, start);
    return last;
}

bool i915rig_has(const struct i915rig *r, const char *start, const char *key, double value,
                 double slack) {
    return emulrig_has(&r->emul, start, key, value, slack);
}

void i915rig_assert_clean(const struct i915rig *r) {
    emulrig_assert_clean(&r->emul);
}

/* ---- what the program shows ------------------------------------------------------------------ */

json_t *i915rig_ticks(const struct i915rig *r, const char *const *args) {
    return emulrig_ticks(&r->emul, args);
}

json_t *i915rig_looked(const struct i915rig *r, const char *delay, unsigned ticks) {
    pid_t pid = emulrig_start(&r->emul, PROGRAM_ARGS("--counters", "--json", "-d", delay));
    assert_int_equal(emulrig_end_shown(&r->emul, pid, "counter.GpuTime", ticks), 0);
    return emulrig_out_ticks(&r->emul);
}

json_t *i915rig_metric(json_t *tick, const struct i915rig *r, const char *name) {
    return emulrig_metric(tick, &r->emul, name);
}

double i915rig_value(json_t *tick, const struct i915rig *r, const char *name) {
    return emulrig_value(tick, &r->emul, name);
}

json_t *i915rig_context(json_t *tick, unsigned id) {
    size_t i, k;
    json_t *row, *c;
    json_array_foreach(json_object_get(tick, "unattributed"), i, row) {
        json_array_foreach(json_object_get(row, "contexts"), k, c) {
            if (json_integer_value(json_object_get(c, "context")) == (json_int_t)id)
                return c;
        }
    }
    return NULL;
}

struct i915rig_sums i915rig_sum(json_t *ticks, const struct i915rig *r) {
    struct i915rig_sums s = {0};
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        double time_s = i915rig_value(tick, r, "counter.GpuTime");
        if (isnan(time_s))
            continue;
        s.time_s += time_s;
        s.busy_s += time_s * i915rig_value(tick, r, "counter.GpuBusy") / 100;
    }
    return s;
}

double i915rig_mean(json_t *ticks, const struct i915rig *r, const char *name) {
    double time_s = 0, sum = 0;
    size_t i;
    json_t *tick;
    json_array_foreach(ticks, i, tick) {
        double s = i915rig_value(tick, r, "counter.GpuTime");
        if (isnan(s))
            continue;
        time_s += s;
        sum += s * i915rig_value(tick, r, name);
    }
    return sum / time_s;
}

double i915rig_delivered(json_t *ticks, const struct i915rig *r, const char *key) {
    double time_s = i915rig_sum(ticks, r).time_s,
           ns = emulrig_beside(&r->emul, "SUM", "span", time_s * 1e9, 2000, key);
    if (isnan(ns))
        fail_msg("%.9f s in all; delivered were %.0f ns", time_s, i915rig_number(r, "SUM", "span"));
    return ns;
}

void i915rig_assert_sums(json_t *ticks, const struct i915rig *r) {
    double busy_s = i915rig_sum(ticks, r).busy_s, want = i915rig_delivered(ticks, r, "busy");
    if (!(fabs(busy_s * 1e9 - want) <= 1e5))
        fail_msg("%.9f s busy; the model was for %.0f ns", busy_s, want);
}
