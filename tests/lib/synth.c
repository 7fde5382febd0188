/*
 * The synthetic machine as a whole: built from its options, the same each time; written; moved on. The
 * options and the time stand in DIR/synth.state, so that another run can go on from there.
 */
#include "synth_machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE "synth.state"

struct synth {
    struct machine m;
    char gpus[256];
    int root;
    int64_t t_ns;
};

static int64_t ms_of(int64_t t_ns) {
    return t_ns / 1000000;
}

static bool machine_build(struct machine *m) {
    m->random = m->o.seed;
    m->next_client = 11;
    if (!gpus_parse(m->o.gpus, m->gpu, &m->gpu_count, sizeof m->gpu / sizeof m->gpu[0]))
        return false;
    if (m->o.demo)
        return demo_build(m);
    return cast_build(m) && (!m->o.hostile || hostile_build(m)) &&
           (!m->o.events || events_build(m));
}

static bool put_sensors(const struct synth *s) {
    int64_t t_ms = ms_of(s->t_ns);
    for (unsigned g = 0; g < s->m.gpu_count; g++) {
        struct usage total = {0};
        uint32_t duty[ROLE_COUNT] = {0};
        for (unsigned i = 0; i < s->m.client_count; i++) {
            const struct client *c = &s->m.client[i];
            if (c->gpu != g || c->from_ms > t_ms)
                continue;
            struct usage u = client_usage(c, t_ms);
            total.device_kib += u.device_kib;
            total.system_kib += u.system_kib;
            for (unsigned r = 0; r < ROLE_COUNT; r++)
                duty[r] += load_duty_ppm(&c->load[r], t_ms);
        }
        if (!sys_update(s->root, &s->m.gpu[g], g, &total, duty, t_ms))
            return false;
    }
    return true;
}

static bool put_state(const struct synth *s) {
    const struct synth_options *o = &s->m.o;
    return put_line(s->root, STATE,
                    "gpus=%s\nprocesses=%u\nfds=%u\nclients=%u\nseed=%llu\nevents=%d\nhostile=%d\n"
                    "demo=%d\nt_ns=%lld",
                    o->gpus, o->processes, o->fds, o->clients, (unsigned long long)o->seed,
                    o->events, o->hostile, o->demo, (long long)s->t_ns);
}

static bool tree_create(struct synth *s) {
    bool fine = sys_create_common(s->root) && proc_create_common(s->root, &s->m);
    for (unsigned g = 0; g < s->m.gpu_count && fine; g++)
        fine = sys_create(s->root, &s->m.gpu[g], g);
    return fine && put_sensors(s) && proc_update_common(s->root, 0) &&
           proc_update(s->root, &s->m, ALWAYS_MS, 0) && put_state(s);
}

static struct synth *begin(const char *dir, const struct synth_options *o) {
    struct synth *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    s->m.o = *o;
    snprintf(s->gpus, sizeof s->gpus, "%s", o->gpus);
    s->m.o.gpus = s->gpus;
    if (s->root < 0)
        fprintf(stderr, "synth: %s: %s\n", dir, strerror(errno));
    if (s->root >= 0 && machine_build(&s->m))
        return s;
    synth_close(s);
    return NULL;
}

struct synth *synth_create(const char *dir, const struct synth_options *o) {
    mode_t before = umask(022);
    struct synth *s = NULL;
    if (put_dirs(AT_FDCWD, dir))
        s = begin(dir, o);
    if (s && !tree_create(s)) {
        synth_close(s);
        s = NULL;
    }
    umask(before);
    return s;
}

/* The value of a key in the state file; `otherwise` where there is none. */
static unsigned long long state_number(const char *state, const char *key) {
    size_t n = strlen(key);
    for (const char *line = state; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0 && line[n] == '=')
            return strtoull(line + n + 1, NULL, 10);
    }
    return 0;
}

struct synth *synth_open(const char *dir) {
    char path[512], state[1024] = "", gpus[256];
    snprintf(path, sizeof path, "%s/%s", dir, STATE);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(state, 1, sizeof state - 1, f) : 0;
    if (f)
        fclose(f);
    if (n == 0 || sscanf(state, "gpus=%255s", gpus) != 1) {
        fprintf(stderr, "synth: %s: not a synthetic machine\n", dir);
        return NULL;
    }
    struct synth_options o = {.gpus = gpus,
                              .processes = (unsigned)state_number(state, "processes"),
                              .fds = (unsigned)state_number(state, "fds"),
                              .clients = (unsigned)state_number(state, "clients"),
                              .seed = state_number(state, "seed"),
                              .events = state_number(state, "events") != 0,
                              .hostile = state_number(state, "hostile") != 0,
                              .demo = state_number(state, "demo") != 0};
    struct synth *s = begin(dir, &o);
    if (s)
        s->t_ns = (int64_t)state_number(state, "t_ns");
    return s;
}

bool synth_step(struct synth *s, int64_t ns) {
    mode_t before = umask(022);
    int64_t was = s->t_ns;
    s->t_ns += ns;
    bool fine = put_sensors(s) && proc_update_common(s->root, ms_of(s->t_ns)) &&
                proc_update(s->root, &s->m, ms_of(was), ms_of(s->t_ns)) && put_state(s);
    umask(before);
    return fine;
}

int64_t synth_time_ns(const struct synth *s) {
    return s->t_ns;
}

const char *synth_gpu_name(const struct synth *s, const char *id) {
    for (unsigned g = 0; g < s->m.gpu_count; g++)
        if (strcmp(s->m.gpu[g].name, id) == 0)
            return gpu_title(&s->m.gpu[g]);
    return NULL;
}

unsigned synth_holders(const struct synth *s, struct synth_holder *out, unsigned max) {
    return proc_holders(&s->m, ms_of(s->t_ns), out, max);
}

void synth_close(struct synth *s) {
    if (!s)
        return;
    if (s->root >= 0)
        close(s->root);
    free(s->m.client);
    free(s->m.process);
    free(s);
}
