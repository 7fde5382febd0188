/*
 * The `profiling` file of panthor and panfrost: that it is written only where that was asked for,
 * what is written, and that what stood there is put back, on the way out and in a crash.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gwtop/source.h"
#include "panthorrig.h"
#include "scratch.h"
#include "source/roster.h"
#include "tree.h"

#define FILE_PATH PANTHORRIG_DEVICE "/profiling"
#define ON        "option.set-profiling=1\n"

static void put(const struct panthorrig *r, const char *text) {
    tree_text(r->root, FILE_PATH, "%s", text);
}

static void stands(const struct panthorrig *r, const char *text) {
    char *path = path_join(r->root, FILE_PATH);
    size_t n;
    char *got = file_read(path, &n);
    assert_non_null(got);
    assert_string_equal(got, text);
    free(got);
    free(path);
}

static struct panthor_knob *open_knob(struct panthorrig *r, const char *driver, const char *facts) {
    struct panthor_knob *k;
    panthorrig_host_driver(r, driver, "card0,renderD128", facts);
    assert_int_equal(panthor_knob_create(r->host, PANTHORRIG_DEVICE, driver, &k), ERR_OK);
    return k;
}

/* The device's own subject stands for a stream. */
static const char *said(struct panthorrig *r, struct panthor_knob *k) {
    struct frame_sink sink = seen_sink(&r->seen);
    uint32_t at = 0;
    seen_clear(&r->seen);
    roster_begin_tick(r->host->roster);
    host_emit(&sink, roster_machine(r->host->roster), FRAME_BEGIN, r->now_ns, NULL, 0, 0);
    panthor_knob_read(k, r->device, &sink);
    host_emit(&sink, roster_machine(r->host->roster), FRAME_END, r->now_ns, NULL, 0, 0);
    return seen_body(seen_next(&r->seen, &at, (struct seen_want){PANTHOR_SYSFS, -1, -1, -1}));
}

/* ---- unasked --------------------------------------------------------------------------------- */

static void unasked_nothing_is_written(void **state) {
    static const char *const facts[] = {"", "option.set-profiling=0\n", "option.counters=1\n"};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 3; i++) {
        put(r, "0\n");
        struct panthor_knob *k = open_knob(r, "panthor", facts[i]);
        assert_string_equal(said(r, k), "profiling=0\n");
        (void)said(r, k);
        assert_int_equal(panthorrig_logged("engine time off; as root: echo 3 > /" FILE_PATH), 1);
        panthor_knob_destroy(k);
        stands(r, "0\n");
        panthorrig_stop(r);
    }
}

static void what_it_says_is_told(void **state) {
    static const struct {
        const char *file;
        const char *body;
    } cases[] = {
        {"3\n", "profiling=3\n"}, {"2", "profiling=2\n"},  {"", ""}, {"off\n", ""}, {"-1\n", ""},
        {"1\nprofiling=3\n", ""}, {"0000000000000000", ""}};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put(r, cases[i].file);
        struct panthor_knob *k = open_knob(r, "panthor", "");
        assert_string_equal(said(r, k), cases[i].body);
        assert_int_equal(panthorrig_logged("engine time off"), 0);
        panthor_knob_destroy(k);
        panthorrig_stop(r);
    }
}

static void panfrost_has_its_own_word(void **state) {
    struct panthorrig *r = *state;
    put(r, "0\n");
    struct panthor_knob *k = open_knob(r, "panfrost", "");
    (void)said(r, k);
    assert_int_equal(panthorrig_logged("as root: echo 1 >"), 1);
    panthor_knob_destroy(k);
}

static void lima_has_none(void **state) {
    struct panthorrig *r = *state;
    put(r, "0\n");
    struct panthor_knob *k = open_knob(r, "lima", ON);
    assert_null(k);
    panthor_knob_read(k, r->device, NULL);
    panthor_knob_destroy(k);
    stands(r, "0\n");
}

/* ---- asked ----------------------------------------------------------------------------------- */

static void is_set_and_put_back(void **state) {
    static const struct {
        const char *driver;
        const char *before;
        const char *meanwhile;
        const char *after;
    } cases[] = {{"panthor", "0\n", "3\n", "0\n"},
                 {"panthor", "2\n", "3\n", "2\n"},
                 {"panthor", "3\n", "3\n", "3\n"},
                 {"panfrost", "0\n", "1\n", "0\n"},
                 {"panfrost", "1\n", "1\n", "1\n"}};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put(r, cases[i].before);
        struct panthor_knob *k = open_knob(r, cases[i].driver, ON);
        bool turned = strcmp(cases[i].before, cases[i].meanwhile) != 0;
        stands(r, cases[i].meanwhile);
        assert_int_equal(panthorrig_logged("switched on meanwhile"), turned);
        (void)said(r, k);
        assert_int_equal(panthorrig_logged("engine time off"), 0);
        panthor_knob_destroy(k);
        stands(r, cases[i].after);
        panthorrig_stop(r);
    }
}

static void what_others_wrote_is_left(void **state) {
    struct panthorrig *r = *state;
    put(r, "0\n");
    struct panthor_knob *k = open_knob(r, "panthor", ON);
    put(r, "1\n");
    panthor_knob_destroy(k);
    stands(r, "1\n");
    assert_int_equal(panthorrig_logged("is left at what another program wrote"), 1);
}

static void what_is_no_number_is_not_touched(void **state) {
    static const char *const texts[] = {"", "on\n", "0x3\n", "00000000000000000000\n"};
    struct panthorrig *r = *state;
    for (size_t i = 0; i < 4; i++) {
        put(r, texts[i]);
        struct panthor_knob *k = open_knob(r, "panthor", ON);
        stands(r, texts[i]);
        assert_int_equal(panthorrig_logged("cannot be switched on"), 1);
        panthor_knob_destroy(k);
        stands(r, texts[i]);
        panthorrig_stop(r);
    }
}

static void device_without_the_file(void **state) {
    struct panthorrig *r = *state;
    struct panthor_knob *k = open_knob(r, "panthor", ON);
    assert_int_equal(panthorrig_logged("cannot be switched on"), 1);
    assert_string_equal(said(r, k), "");
    panthor_knob_destroy(k);
}

/* Never written without being put back, where that can be. */
static void any_call_may_fail(void **state) {
    struct panthorrig *r = *state;
    unsigned at = 1;
    bool reached = true;
    for (; reached; at++) {
        struct panthor_knob *k;
        put(r, "0\n");
        panthorrig_host(r, ON);
        r->fail_at = at + r->calls;
        assert_int_equal(panthor_knob_create(r->host, PANTHORRIG_DEVICE, "panthor", &k), ERR_OK);
        panthor_knob_destroy(k);
        reached = r->calls >= r->fail_at;
        r->fail_at = 0;
        if (!panthorrig_logged("cannot be put back"))
            stands(r, "0\n");
        panthorrig_stop(r);
    }
    assert_in_range(at, 6, 20);
}

/* ---- a crash --------------------------------------------------------------------------------- */

static void crash(struct panthorrig *r, bool closed) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL);
        struct panthor_knob *k = open_knob(r, "panthor", ON);
        stands(r, "3\n");
        if (closed) {
            panthor_knob_destroy(k);
            put(r, "1\n");
        }
        raise(SIGSEGV);
        _exit(9);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

static void crash_puts_it_back(void **state) {
    struct panthorrig *r = *state;
    put(r, "2\n");
    crash(r, false);
    stands(r, "2\n");
    crash(r, true);
    stands(r, "1\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, panthorrig_set_up, panthorrig_tear_down)
        /* First: undo is of the process that arms first. */
        CASE(crash_puts_it_back),
        CASE(unasked_nothing_is_written),
        CASE(what_it_says_is_told),
        CASE(panfrost_has_its_own_word),
        CASE(lima_has_none),
        CASE(is_set_and_put_back),
        CASE(what_others_wrote_is_left),
        CASE(what_is_no_number_is_not_touched),
        CASE(device_without_the_file),
        CASE(any_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
