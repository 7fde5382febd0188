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
#include <unistd.h>

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
    char *path = e2e_path(&r->e, "%s/%s", folder, file);
    file_replace(path, from, to);
    free(path);
}

static void put_id(const struct i915rig *r, size_t m) {
    char path[200], pci[5];
    snprintf(path, sizeof path, "%s/device", machines[m].path);
    for (int i = 0; i < 5; i++)
        pci[i] = (char)(machines[m].pci[i] >= 'A' ? machines[m].pci[i] + 32 : machines[m].pci[i]);
    tree_text(r->e.root, path, "0x%s\n", pci);
    replace_in(r, machines[m].path, "uevent", machines[m].was, machines[m].pci);
    replace_in(r, machines[m].path, "modalias", machines[m].was, machines[m].pci);
}

static void put_set(const struct i915rig *r, const char *uuid, unsigned id) {
    char path[120];
    snprintf(path, sizeof path, "sys/class/drm/card0/metrics/%s/id", uuid);
    tree_text(r->e.root, path, "%u\n", id);
}

static void put_sets(const struct i915rig *r, size_t m, enum i915_sets sets) {
    if (sets == SETS_NONE)
        return;
    tree_folder(r->e.root, "sys/class/drm/card0/metrics");
    tree_text(r->e.root, "proc/sys/dev/i915/perf_stream_paranoid", "0\n");
    tree_text(r->e.root, "proc/sys/dev/i915/oa_max_sample_rate", "100000\n");
    if (sets == SETS_BASIC)
        put_set(r, machines[m].render_basic, 7);
    if (sets == SETS_TEST)
        put_set(r, machines[m].test_oa, 1);
}

static char *preload_line(void) {
    char *line = NULL, folder[4000];
    const char *libs = getenv("GWTOP_EMUL"), *asan = getenv("GWTOP_ASAN_LIB");
    if (!libs) {
        snprintf(folder, sizeof folder, "%s", program_path());
        char *slash = strrchr(folder, '/');
        assert_non_null(slash);
        snprintf(slash, sizeof folder - (size_t)(slash - folder), "/emul");
        libs = folder;
    }
    assert_true(asprintf(&line, "LD_PRELOAD=%s%s%s/i915_shim.so", asan ? asan : "", asan ? ":" : "",
                         libs) > 0);
    assert_int_equal(access(strrchr(line, asan ? ':' : '=') + 1, R_OK), 0);
    return line;
}

struct i915rig i915rig_make(const char *platform, enum i915_sets sets) {
    size_t m = machine_of(platform);
    struct synth_options o = {
        .gpus = machines[m].gpu, .processes = 4, .fds = 4, .clients = 2, .seed = 5};
    struct i915rig r = {.e = e2e_machine(&o), .platform = platform, .device = machines[m].device};
    put_id(&r, m);
    put_sets(&r, m, sets);
    r.log = e2e_path(&r.e, "emul.log");
    r.env[0] = preload_line();
    assert_true(asprintf(&r.env[2], "GWTOP_EMUL_LOG=%s", r.log) > 0);
    i915rig_script(&r, "");
    return r;
}

void i915rig_script(struct i915rig *r, const char *script) {
    free(r->env[1]);
    assert_true(asprintf(&r->env[1], "GWTOP_EMUL_SCRIPT=platform=%s;%s", r->platform, script) > 0);
    (void)unlink(r->log);
}

void i915rig_finish(struct i915rig *r) {
    for (int i = 0; i < 4; i++)
        free(r->env[i]);
    free(r->log);
    e2e_finish(&r->e);
}

/* ---- calls ----------------------------------------------------------------------------------- */

struct program i915rig_program(const struct i915rig *r, const char *const *args) {
    size_t n = 0;
    while (args[n])
        n++;
    const char **all = calloc(n + 3, sizeof *all);
    assert_non_null(all);
    all[0] = "--root";
    all[1] = r->e.root;
    memcpy(all + 2, args, n * sizeof *all);
    return (struct program){
        .args = all, .env = (const char *const *)r->env, .bare_root = true, .seconds = 100};
}

char *i915rig_run(const struct i915rig *r, const char *const *args, int want_status, char **err) {
    struct program p = i915rig_program(r, args);
    struct program_result got;
    program_run(&p, &got);
    free((void *)p.args);
    if (got.timed_out || got.status != want_status)
        fail_msg("status %d%s: %s", got.status, got.timed_out ? " (did not end)" : "", got.err);
    char *out = got.out;
    got.out = NULL;
    if (err) {
        *err = got.err;
        got.err = NULL;
    }
    program_finish(&got);
    return out;
}

/* ---- the log --------------------------------------------------------------------------------- */

/* Calls `each` with every line that begins so, NUL-terminated. */
static unsigned each_line(const struct i915rig *r, const char *start,
                          void (*each)(void *ctx, const char *line), void *ctx) {
    char *text = file_read(r->log, NULL), *rest = text;
    unsigned count = 0;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (strncmp(line, start, strlen(start)) != 0 || !*line)
            continue;
        count++;
        if (each)
            each(ctx, line);
    }
    free(text);
    return count;
}

unsigned i915rig_count(const struct i915rig *r, const char *start) {
    return each_line(r, start, NULL, NULL);
}

struct sought {
    const char *key;
    double last;
    double value;
    double slack;
    bool found;
};

static void seek_number(void *ctx, const char *line) {
    struct sought *s = ctx;
    char key[40];
    snprintf(key, sizeof key, " %s=", s->key);
    const char *at = strstr(line, key);
    if (!at)
        return;
    s->last = strtod(at + strlen(key), NULL);
    s->found = s->found || fabs(s->last - s->value) <= s->slack;
}

double i915rig_number(const struct i915rig *r, const char *start, const char *key) {
    struct sought s = {.key = key, .last = NAN, .value = NAN};
    (void)each_line(r, start, seek_number, &s);
    if (isnan(s.last))
        fail_msg("the emulator said no %s of %s", key, start);
    return s.last;
}

bool i915rig_has(const struct i915rig *r, const char *start, const char *key, double value,
                 double slack) {
    struct sought s = {.key = key, .last = NAN, .value = value, .slack = slack};
    (void)each_line(r, start, seek_number, &s);
    return s.found;
}

static void show(void *ctx, const char *line) {
    (void)ctx;
    print_error("%s\n", line);
}

void i915rig_assert_clean(const struct i915rig *r) {
    unsigned bad = each_line(r, "MISUSE", show, NULL) + each_line(r, "LEFT", show, NULL);
    assert_int_equal(bad, 0);
    assert_true(i915rig_count(r, "LOADED") > 0);
    assert_true(i915rig_count(r, "END") > 0);
}

/* ---- what the program shows ------------------------------------------------------------------ */

json_t *i915rig_ticks(const struct i915rig *r, const char *const *args) {
    char *out = i915rig_run(r, args, 0, NULL);
    json_t *ticks = ndjson_parse(out), *tick;
    size_t i;
    assert_non_null(ticks);
    json_array_foreach(ticks, i, tick) e2e_assert_lawful(tick);
    free(out);
    return ticks;
}

json_t *i915rig_metric(json_t *tick, const struct i915rig *r, const char *name) {
    size_t i;
    json_t *m;
    json_array_foreach(json_object_get(tick_device(tick, r->device), "metrics"), i, m) {
        if (strcmp(text_at(m, "metric"), name) == 0)
            return m;
    }
    return NULL;
}

double i915rig_value(json_t *tick, const struct i915rig *r, const char *name) {
    return number_at(i915rig_metric(tick, r, name), "value");
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

void i915rig_assert_sums(json_t *ticks, const struct i915rig *r) {
    struct i915rig_sums s = i915rig_sum(ticks, r);
    if (!i915rig_has(r, "SUM", "span", s.time_s * 1e9, 2000))
        fail_msg("%.9f s in all; delivered were %.0f ns", s.time_s,
                 i915rig_number(r, "SUM", "span"));
    if (!i915rig_has(r, "SUM", "busy", s.busy_s * 1e9, 1e5))
        fail_msg("%.9f s busy; the model was for %.0f ns", s.busy_s,
                 i915rig_number(r, "SUM", "busy"));
}
