/* The real program over a synthetic machine, tick by tick. For cmocka tests: what goes wrong fails the test. */
#ifndef TEST_E2E_H
#define TEST_E2E_H

#include <jansson.h>

#include "program.h"
#include "synth.h"

struct e2e {
    char *root;
    struct synth *machine;
};
struct e2e e2e_machine(const struct synth_options *o);
void e2e_finish(struct e2e *e);
/* For set-up and teardown of a test: a struct e2e in *state. Both give 0. */
int e2e_begin(void **state, const struct synth_options *o);
int e2e_end(void **state);
/* A file of the machine, to be freed. */
char *e2e_path(const struct e2e *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs `gwtop --root ROOT ARGS` as an ordinary user would; its whole standard output, to be freed. */
char *e2e_run(const struct e2e *e, const char *const *args, int want_status);
/* Any call; output to be freed. */
char *e2e_call(const struct program *p, int want_status);

/* The program left running with --json: one object each time. */
struct ticker;
struct ticker *ticker_start(const struct e2e *e, const char *delay);
/* Waits for the next tick (one that began after the last release). Owned by the ticker, until the next call. */
json_t *ticker_next(struct ticker *t);
/* Moves the machine on, then gives the tick after. */
json_t *ticker_step(struct ticker *t, struct e2e *e, double seconds);
/* The program stands still between the two: what is written meanwhile is seen as a whole. */
void ticker_hold(struct ticker *t);
void ticker_release(struct ticker *t);
/* Ticks that were under way when it was held, and so saw a part of what was written. */
unsigned ticker_torn(const struct ticker *t);
void ticker_finish(struct ticker *t);

/* A number at `key` that differs by at most `slack`; NaN is never near. */
#define assert_near(object, key, want, slack)                                                      \
    e2e_assert_near(object, key, want, slack, __FILE__, __LINE__)
void e2e_assert_near(json_t *object, const char *key, double want, double slack, const char *file,
                     int line);
/* Laws that hold in every tick: no rate above 100, no negative figure, null where there is a `why` and the
 * other way round. */
void e2e_assert_lawful(json_t *tick);

#endif
