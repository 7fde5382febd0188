/*
 * The real program beside an emulated i915 (tests/emul): a synthetic machine with one GPU and two
 * clients, the library to preload, its script and what it wrote down. For cmocka tests: what goes
 * wrong fails the test.
 */
#ifndef TEST_I915RIG_H
#define TEST_I915RIG_H

#include "emulrig.h"

/* Metric sets that the kernel of the machine has when the program comes. */
enum i915_sets {
    SETS_BASIC, /* RenderBasic, as another program uploaded it */
    SETS_TEST,  /* only the kernel's own */
    SETS_EMPTY, /* none, but they may be uploaded */
    SETS_NONE   /* not even a folder for them: a kernel without the interface */
};

struct i915rig {
    struct emulrig emul;
    const char *platform;
};

/* platform: hsw, skl, tgl, dg2. */
struct i915rig i915rig_make(const char *platform, enum i915_sets sets);
/* What the kernel does from now on, beside its platform: "busy=50;lost=7". The log begins anew. */
void i915rig_script(struct i915rig *r, const char *script);
void i915rig_finish(struct i915rig *r);

/* `gwtop --root ROOT ARGS` with the library; its output, to be freed. What it says on stderr goes
 * to *err (to be freed) where that is not NULL. */
char *i915rig_run(const struct i915rig *r, const char *const *args, int want_status, char **err);
/* The same call to be started in another way; to be freed, with `args` alone. */
struct program i915rig_program(const struct i915rig *r, const char *const *args);

/* Lines of the log that begin so. */
unsigned i915rig_count(const struct i915rig *r, const char *start);
/* The number behind " KEY=" in the last line that begins so; fails where there is none. */
double i915rig_number(const struct i915rig *r, const char *start, const char *key);
/* Whether any line that begins so has this number there. */
bool i915rig_has(const struct i915rig *r, const char *start, const char *key, double value,
                 double slack);
/* No misuse, nothing left behind, and the library was there to its end. */
void i915rig_assert_clean(const struct i915rig *r);

/* ---- what the program shows ------------------------------------------------------------------ */

/* The ticks of a call that prints JSON, lawful each; to be decref'ed. */
json_t *i915rig_ticks(const struct i915rig *r, const char *const *args);
/* Those of a look with --counters every `delay`, which goes on until so many ticks in a row have counters. */
json_t *i915rig_looked(const struct i915rig *r, const char *delay, unsigned ticks);
/* A metric of the device; NULL where it is not there. */
json_t *i915rig_metric(json_t *tick, const struct i915rig *r, const char *name);
double i915rig_value(json_t *tick, const struct i915rig *r, const char *name); /* or NaN */
/* A context that no process is known of; NULL where it is not there. */
json_t *i915rig_context(json_t *tick, unsigned id);
struct i915rig_sums {
    double time_s; /* counter.GpuTime of all ticks */
    double busy_s; /* of that, by counter.GpuBusy */
};
struct i915rig_sums i915rig_sum(json_t *ticks, const struct i915rig *r);
/* A metric's mean over the time in which it was counted; NaN where a tick that has time does not have it, or none
 * has time. What a single tick holds is a matter of when the machine let the program look. */
double i915rig_mean(json_t *ticks, const struct i915rig *r, const char *name);
/* What the emulator had delivered when it had delivered all that is in the ticks: ns of "span", "busy", "active" (an
 * EU's) or a context. */
double i915rig_delivered(json_t *ticks, const struct i915rig *r, const char *key);
/* All that was delivered up to one of its reads is in the ticks, no more and no less. */
void i915rig_assert_sums(json_t *ticks, const struct i915rig *r);

#endif
