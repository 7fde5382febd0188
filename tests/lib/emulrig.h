/*
 * The real program beside an emulated device (tests/emul): a synthetic machine, the library to preload,
 * its script and what it wrote down. For cmocka tests: what goes wrong fails the test.
 */
#ifndef TEST_EMULRIG_H
#define TEST_EMULRIG_H

#include "e2e.h"
#include "program.h"
#include "terminal.h"

struct emulrig {
    struct e2e e;
    const char *device; /* its id */
    char *log;          /* files */
    char *out;
    bool lent;    /* the machine is another's */
    char *env[5]; /* of struct program: preload, script, log */
};

/* `shim`: the library's name, as "i915". */
void emulrig_init(struct emulrig *r, const struct synth_options *machine, const char *device,
                  const char *shim);
/* A board with a Mali GPU under panthor: its clock at 500 MHz, the knob `profiling` at 0. */
void emulrig_panthor(struct emulrig *r);
/* The same machine with a library, a script and files of its own, for runs side by side; to be finished
 * before `of`. */
void emulrig_share(struct emulrig *r, const struct emulrig *of);
/* What the kernel does from now on. The log begins anew. */
void emulrig_script(struct emulrig *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void emulrig_finish(struct emulrig *r);

/* `gwtop --root ROOT ARGS` with the library; its output, to be freed. What it says on stderr goes
 * to *err (to be freed) where that is not NULL. */
char *emulrig_run(const struct emulrig *r, const char *const *args, int want_status, char **err);
/* The same call to be started in another way; to be freed, with `args` alone. */
struct program emulrig_program(const struct emulrig *r, const char *const *args);

/* The same in the background, its output in a file: many at once take no longer than one. A signal may
 * be sent between; emulrig_end waits and gives the status as program_wait does. */
pid_t emulrig_start(const struct emulrig *r, const char *const *args);
int emulrig_end(pid_t pid);
char *emulrig_out(const struct emulrig *r); /* to be freed */
/* Ends it by SIGTERM, as soon as each of its last `ticks` has the metric; the status. */
int emulrig_end_shown(const struct emulrig *r, pid_t pid, const char *metric, unsigned ticks);
/* The same, as soon as each is this. */
int emulrig_end_at(const struct emulrig *r, pid_t pid, const char *metric, double value,
                   double slack, unsigned ticks);
/* The same, as soon as each has no value for it and says why; "": whatever it says. */
int emulrig_end_without(const struct emulrig *r, pid_t pid, const char *metric, const char *why,
                        unsigned ticks);
/* The same, as soon as so many lines of the log begin so; then all of the program's output is in its file. */
int emulrig_end_after(const struct emulrig *r, pid_t pid, const char *start, unsigned count);
json_t *emulrig_out_ticks(const struct emulrig *r);

/* Lines of the log that begin so. */
unsigned emulrig_count(const struct emulrig *r, const char *start);
/* The number behind " KEY=" in the last line that begins so; NaN where there is none. */
double emulrig_number(const struct emulrig *r, const char *start, const char *key);
/* Whether any line that begins so has this number there. */
bool emulrig_has(const struct emulrig *r, const char *start, const char *key, double value,
                 double slack);
/* The number behind " OTHER=" in the first such line that has this number behind " KEY="; NaN. */
double emulrig_beside(const struct emulrig *r, const char *start, const char *key, double value,
                      double slack, const char *other);
/* The least number behind " KEY=" in lines that begin so; infinite where there is none. */
double emulrig_least(const struct emulrig *r, const char *start, const char *key);
/* How many times too high a rate of panthor's may be. Version 4 begins to count anew each time the ring is full; when
 * it did so the program learns afterwards, and believes what it learns within 2 ms. */
double emulrig_panthor_excess(const struct emulrig *r);
/* Until so many lines begin so, however long that takes. */
void emulrig_await(const struct emulrig *r, const char *start, unsigned count);
/* The same while what the program shows is read. */
void emulrig_await_screen(const struct emulrig *r, struct terminal *t, const char *start,
                          unsigned count);
/* No misuse, nothing left behind, and the library was there to its end. */
void emulrig_assert_clean(const struct emulrig *r);

/* The ticks of a call that prints JSON, lawful each; to be decref'ed. */
json_t *emulrig_ticks(const struct emulrig *r, const char *const *args);
/* A metric of the device, of all of it or of its part `index`; NULL where it is not there. */
json_t *emulrig_metric(json_t *tick, const struct emulrig *r, const char *name);
json_t *emulrig_part(json_t *tick, const struct emulrig *r, const char *name, unsigned index);
double emulrig_value(json_t *tick, const struct emulrig *r, const char *name); /* or NaN */

#endif
