/* The machine with an emulated device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulrig.h"
#include "ndjson.h"
#include "scratch.h"

static char *preload_line(const char *shim) {
    char *line = NULL, folder[4000];
    const char *libs = getenv("GWTOP_EMUL"), *asan = getenv("GWTOP_ASAN_LIB");
    if (!libs) {
        snprintf(folder, sizeof folder, "%s", program_path());
        char *slash = strrchr(folder, '/');
        assert_non_null(slash);
        snprintf(slash, sizeof folder - (size_t)(slash - folder), "/emul");
        libs = folder;
    }
    assert_true(asprintf(&line, "LD_PRELOAD=%s%s%s/%s_shim.so", asan ? asan : "", asan ? ":" : "",
                         libs, shim) > 0);
    assert_int_equal(access(strrchr(line, asan ? ':' : '=') + 1, R_OK), 0);
    return line;
}

static void name_files(struct emulrig *r) {
    static unsigned number;
    r->log = e2e_path(&r->e, "emul.%u.log", ++number);
    r->out = e2e_path(&r->e, "out.%u", number);
    assert_true(asprintf(&r->env[2], "GWTOP_EMUL_LOG=%s", r->log) > 0);
    emulrig_script(r, "%s", "");
}

void emulrig_init(struct emulrig *r, const struct synth_options *machine, const char *device,
                  const char *shim) {
    *r = (struct emulrig){.e = e2e_machine(machine), .device = device};
    r->env[0] = preload_line(shim);
    name_files(r);
}

void emulrig_share(struct emulrig *r, const struct emulrig *of) {
    *r = (struct emulrig){.e = of->e, .device = of->device, .lent = true};
    r->env[0] = strdup(of->env[0]);
    assert_non_null(r->env[0]);
    name_files(r);
}

void emulrig_panthor(struct emulrig *r) {
    static const struct synth_options board = {
        .gpus = "panthor", .processes = 4, .fds = 4, .clients = 2, .seed = 5};
    static const char gpu[] = "sys/devices/platform/fb000000.gpu";
    emulrig_init(r, &board, "fb000000.gpu", "panthor");
    char *clock = e2e_path(&r->e, "%s/devfreq/fb000000.gpu/cur_freq", gpu),
         *knob = e2e_path(&r->e, "%s/profiling", gpu);
    file_write(clock, "500000000\n", 10);
    file_write(knob, "0\n", 2);
    free(clock);
    free(knob);
}

void emulrig_script(struct emulrig *r, const char *format, ...) {
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    free(r->env[1]);
    assert_true(asprintf(&r->env[1], "GWTOP_EMUL_SCRIPT=%s", text) > 0);
    (void)unlink(r->log);
}

void emulrig_finish(struct emulrig *r) {
    for (int i = 0; i < 4; i++)
        free(r->env[i]);
    free(r->log);
    free(r->out);
    if (!r->lent)
        e2e_finish(&r->e);
}

/* ---- calls ----------------------------------------------------------------------------------- */

struct program emulrig_program(const struct emulrig *r, const char *const *args) {
    size_t n = 0;
    while (args[n])
        n++;
    const char **all = calloc(n + 3, sizeof *all);
    assert_non_null(all);
    all[0] = "--root";
    all[1] = r->e.root;
    memcpy(all + 2, args, n * sizeof *all);
    return (struct program){.args = all, .env = (const char *const *)r->env, .bare_root = true};
}

char *emulrig_run(const struct emulrig *r, const char *const *args, int want_status, char **err) {
    struct program p = emulrig_program(r, args);
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

pid_t emulrig_start(const struct emulrig *r, const char *const *args) {
    struct program p = emulrig_program(r, args);
    int fd = open(r->out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    pid_t pid = program_start(&p, fd, STDERR_FILENO);
    close(fd);
    free((void *)p.args);
    return pid;
}

int emulrig_end(pid_t pid) {
    bool late = false;
    int status = program_wait(pid, PROGRAM_PATIENCE_S, &late);
    assert_false(late);
    return status;
}

char *emulrig_out(const struct emulrig *r) {
    char *text = file_read(r->out, NULL);
    assert_non_null(text);
    return text;
}

/* ---- the log --------------------------------------------------------------------------------- */

/* Calls `each` with every line that begins so, NUL-terminated. */
static unsigned each_line(const struct emulrig *r, const char *start,
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

unsigned emulrig_count(const struct emulrig *r, const char *start) {
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

double emulrig_number(const struct emulrig *r, const char *start, const char *key) {
    struct sought s = {.key = key, .last = NAN, .value = NAN};
    (void)each_line(r, start, seek_number, &s);
    return s.last;
}

bool emulrig_has(const struct emulrig *r, const char *start, const char *key, double value,
                 double slack) {
    struct sought s = {.key = key, .last = NAN, .value = value, .slack = slack};
    (void)each_line(r, start, seek_number, &s);
    return s.found;
}

struct beside {
    struct sought key;
    const char *other;
    double number;
};

static void seek_beside(void *ctx, const char *line) {
    struct beside *b = ctx;
    struct sought other = {.key = b->other, .last = NAN, .value = NAN};
    if (b->key.found)
        return;
    seek_number(&b->key, line);
    seek_number(&other, line);
    b->number = b->key.found ? other.last : NAN;
}

double emulrig_beside(const struct emulrig *r, const char *start, const char *key, double value,
                      double slack, const char *other) {
    struct beside b = {.key = {.key = key, .last = NAN, .value = value, .slack = slack},
                       .other = other,
                       .number = NAN};
    (void)each_line(r, start, seek_beside, &b);
    return b.number;
}

static void seek_least(void *ctx, const char *line) {
    struct sought *least = ctx, one = {.key = least->key, .last = NAN, .value = NAN};
    seek_number(&one, line);
    least->last = one.last < least->last ? one.last : least->last;
}

double emulrig_least(const struct emulrig *r, const char *start, const char *key) {
    struct sought s = {.key = key, .last = INFINITY};
    (void)each_line(r, start, seek_least, &s);
    return s.last;
}

double emulrig_panthor_excess(const struct emulrig *r) {
    double ms = emulrig_least(r, "EMIT", "span") / 1e6;
    if (!strstr(r->env[1], "version=v4") || emulrig_count(r, "START") < 2)
        return 1;
    return ms > 2 ? ms / (ms - 2) : INFINITY;
}

static void show(void *ctx, const char *line) {
    (void)ctx;
    print_error("%s\n", line);
}

void emulrig_assert_clean(const struct emulrig *r) {
    unsigned bad = each_line(r, "MISUSE", show, NULL) + each_line(r, "LEFT", show, NULL);
    assert_int_equal(bad, 0);
    assert_true(emulrig_count(r, "LOADED") > 0);
    assert_true(emulrig_count(r, "END") > 0);
}

/* ---- what the program shows ------------------------------------------------------------------ */

static json_t *read_ticks(char *take_text) {
    json_t *ticks = ndjson_parse(take_text), *tick;
    size_t i;
    assert_non_null(ticks);
    json_array_foreach(ticks, i, tick) e2e_assert_lawful(tick);
    free(take_text);
    return ticks;
}

json_t *emulrig_ticks(const struct emulrig *r, const char *const *args) {
    return read_ticks(emulrig_run(r, args, 0, NULL));
}

json_t *emulrig_out_ticks(const struct emulrig *r) {
    return read_ticks(emulrig_out(r));
}

/* index -1: of the whole. */
static json_t *find_metric(json_t *tick, const struct emulrig *r, const char *name, int index) {
    size_t i;
    json_t *m;
    json_array_foreach(json_object_get(tick_device(tick, r->device), "metrics"), i, m) {
        json_t *at = json_object_get(m, "index");
        if (strcmp(text_at(m, "metric"), name) == 0 &&
            (json_is_integer(at) ? (int)json_integer_value(at) : -1) == index)
            return m;
    }
    return NULL;
}

json_t *emulrig_metric(json_t *tick, const struct emulrig *r, const char *name) {
    return find_metric(tick, r, name, -1);
}

json_t *emulrig_part(json_t *tick, const struct emulrig *r, const char *name, unsigned index) {
    return find_metric(tick, r, name, (int)index);
}

double emulrig_value(json_t *tick, const struct emulrig *r, const char *name) {
    return number_at(emulrig_metric(tick, r, name), "value");
}
