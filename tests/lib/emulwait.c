/* Waiting for what an emulated device did, or the program beside it showed: for as long as that takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "emulrig.h"
#include "ndjson.h"

struct patience {
    double end_s;
};

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct patience patience_begin(void) {
    return (struct patience){now_s() + PROGRAM_PATIENCE_S};
}

static bool is_over(const struct patience *p) {
    return now_s() > p->end_s;
}

static void rest_ms(long ms) {
    nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

/* ---- the log --------------------------------------------------------------------------------- */

static void await(const struct emulrig *r, struct terminal *t, const char *start, unsigned count) {
    struct patience p = patience_begin();
    while (emulrig_count(r, start) < count) {
        if (is_over(&p))
            fail_msg("%u lines \"%s\", not %u", emulrig_count(r, start), start, count);
        if (t && !terminal_pump(t, 0.01, 0.05) && emulrig_count(r, start) < count)
            fail_msg("the program has ended");
        if (!t)
            rest_ms(5);
    }
}

void emulrig_await(const struct emulrig *r, const char *start, unsigned count) {
    await(r, NULL, start, count);
}

void emulrig_await_screen(const struct emulrig *r, struct terminal *t, const char *start,
                          unsigned count) {
    await(r, t, start, count);
}

/* ---- the output ------------------------------------------------------------------------------ */

struct wanted {
    const char *metric;
    double value; /* NAN: any number, or none with `why` */
    double slack;
    const char *why; /* that there is none; "": whatever is said */
    unsigned ticks;
};

static bool is_wanted(const struct emulrig *r, const char *line, size_t n, const struct wanted *w,
                      double *have) {
    json_t *tick = json_loadb(line, n, 0, NULL), *m = emulrig_metric(tick, r, w->metric);
    bool fit;
    *have = number_at(m, "value");
    if (w->why)
        fit = isnan(*have) && (*w->why ? strcmp(text_at(m, "why"), w->why) == 0 : m != NULL);
    else
        fit = !isnan(*have) && (isnan(w->value) || fabs(*have - w->value) <= w->slack);
    json_decref(tick);
    return fit;
}

/* Looks at the last lines that are whole. */
static bool are_wanted(const struct emulrig *r, const struct wanted *w, double *have) {
    char *text = emulrig_out(r), *end = strrchr(text, '\n');
    unsigned found = 0;
    bool fit = true;
    for (; end && fit && found < w->ticks; found += fit) {
        char *before = end > text ? memrchr(text, '\n', (size_t)(end - text)) : NULL;
        char *line = before ? before + 1 : text;
        fit = is_wanted(r, line, (size_t)(end - line), w, have);
        end = before;
    }
    free(text);
    return found == w->ticks;
}

static bool has_ended(pid_t pid) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

static int end_when(const struct emulrig *r, pid_t pid, const struct wanted *w) {
    struct patience p = patience_begin();
    double have = NAN;
    while (!are_wanted(r, w, &have) && !has_ended(pid)) {
        if (is_over(&p)) {
            kill(pid, SIGKILL);
            fail_msg("%s: %s is %g, not %g%s%s, or not in %u ticks one after the other", r->env[1],
                     w->metric, have, w->value, w->why ? ", " : "", w->why ? w->why : "", w->ticks);
        }
        rest_ms(50);
    }
    kill(pid, SIGTERM);
    return emulrig_end(pid);
}

int emulrig_end_shown(const struct emulrig *r, pid_t pid, const char *metric, unsigned ticks) {
    return end_when(r, pid, &(struct wanted){.metric = metric, .value = NAN, .ticks = ticks});
}

int emulrig_end_at(const struct emulrig *r, pid_t pid, const char *metric, double value,
                   double slack, unsigned ticks) {
    return end_when(
        r, pid, &(struct wanted){.metric = metric, .value = value, .slack = slack, .ticks = ticks});
}

int emulrig_end_without(const struct emulrig *r, pid_t pid, const char *metric, const char *why,
                        unsigned ticks) {
    return end_when(r, pid,
                    &(struct wanted){.metric = metric, .value = NAN, .why = why, .ticks = ticks});
}

int emulrig_end_after(const struct emulrig *r, pid_t pid, const char *start, unsigned count) {
    struct patience p = patience_begin();
    while (emulrig_count(r, start) < count && !has_ended(pid) && !is_over(&p))
        rest_ms(5);
    kill(pid, SIGTERM);
    return emulrig_end(pid);
}
