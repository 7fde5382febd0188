/*
 * The real program beside an emulated device (tests/emul): a synthetic machine, the library to preload,
 * its script and what it wrote down. For cmocka tests: what goes wrong fails the test.
 */
#ifndef TEST_EMULRIG_H
#define TEST_EMULRIG_H

#include "e2e.h"
#include "program.h"

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
json_t *emulrig_out_ticks(const struct emulrig *r);

/* Lines of the log that begin so. */
unsigned emulrig_count(const struct emulrig *r, const char *start);
/* The number behind " KEY=" in the last line that begins so; NaN where there is none. */
double emulrig_number(const struct emulrig *r, const char *start, const char *key);
/* Whether any line that begins so has this number there. */
bool emulrig_has(const struct emulrig *r, const char *start, const char *key, double value,
                 double slack);
/* No misuse, nothing left behind, and the library was there to its end. */
void emulrig_assert_clean(const struct emulrig *r);

/* The ticks of a call that prints JSON, lawful each; to be decref'ed. */
json_t *emulrig_ticks(const struct emulrig *r, const char *const *args);
/* A metric of the device, of all of it or of its part `index`; NULL where it is not there. */
json_t *emulrig_metric(json_t *tick, const struct emulrig *r, const char *name);
json_t *emulrig_part(json_t *tick, const struct emulrig *r, const char *name, unsigned index);
double emulrig_value(json_t *tick, const struct emulrig *r, const char *name); /* or NaN */

#endif
