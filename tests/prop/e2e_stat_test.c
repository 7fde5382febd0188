/* `gwtop stat` runs a command as if gwtop were not there, and says what it cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ndjson.h"
#include "program.h"

static json_t *object_of(const char *text) {
    json_error_t error;
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(o))
        fail_msg("not an object: %s", error.text);
    return o;
}

static void status_is_passed_on(void **state) {
    static const struct {
        const char *args[7];
        int status;
    } cases[] = {
        {{"stat", "--", "true"}, 0},
        {{"stat", "--", "sh", "-c", "exit 7"}, 7},
        {{"stat", "--", "sh", "-c", "kill -9 $$"}, 137},
        {{"stat", "--", "/no/such/program"}, 127},
        {{"stat", "--", "/etc/passwd"}, 126},
        {{"stat"}, 125},
        {{"stat", "--no-such-option", "--", "true"}, 125},
        {{"stat", "-o", "/no/such/folder/file", "--", "true"}, 125},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program_result r;
        program_run(&(struct program){.args = cases[i].args}, &r);
        if (r.timed_out || r.status != cases[i].status)
            fail_msg("case %zu: status %d: %s", i, r.status, r.err);
        program_finish(&r);
    }
}

static void output_and_limits_are_the_commands_own(void **state) {
    struct program_result r;
    struct rlimit limit;
    char want[64];
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit low = {256, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--", "sh", "-c",
                                                       "ulimit -Sn; ls /proc/self/fd | wc -l")},
                &r);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    FILE *outside = popen("ulimit -Sn 256; ulimit -Sn; ls /proc/self/fd | wc -l", "r");
    assert_non_null(outside);
    want[fread(want, 1, sizeof want - 1, outside)] = '\0';
    pclose(outside);
    assert_string_equal(r.out, want);
    assert_non_null(strstr(r.err, "wall time, exit status 0"));
    program_finish(&r);
}

static void json_says_mean_and_spread(void **state) {
    struct program_result r;
    (void)state;
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--json", "-r", "3", "--", "sh",
                                                       "-c", "(sleep 0.5 &) ; sleep 0.2; exit 3")},
                &r);
    assert_int_equal(r.status, 3);
    json_t *o = object_of(r.out);
    assert_string_equal(text_at(o, "schema"), "gwtop/1");
    assert_int_equal(json_integer_value(json_object_get(o, "exit")), 3);
    assert_int_equal(json_integer_value(json_object_get(o, "runs")), 3);
    assert_true(number_at(o, "wall_s") >= 0.2 && number_at(o, "wall_s") < 5);
    assert_true(number_at(json_object_get(o, "spread_pct"), "wall_s") >= 0);
    assert_true(json_is_array(json_object_get(o, "devices")));
    assert_int_equal(json_array_size(json_object_get(o, "command")), 3);
    json_t *left = json_array_get(json_object_get(o, "running"), 0);
    assert_string_equal(text_at(left, "name"), "sleep");
    json_decref(o);
    program_finish(&r);
}

static void wait_waits_for_orphans(void **state) {
    struct program_result r;
    (void)state;
    program_run(&(struct program){.args = PROGRAM_ARGS("stat", "--json", "--wait", "--", "sh", "-c",
                                                       "(sleep 0.6 &) ; exit 3")},
                &r);
    assert_int_equal(r.status, 3);
    json_t *o = object_of(r.out);
    assert_true(number_at(o, "wall_s") >= 0.6);
    assert_int_equal(json_array_size(json_object_get(o, "running")), 0);
    json_decref(o);
    program_finish(&r);
}

static void a_signal_is_passed_on_and_the_figures_printed(void **state) {
    FILE *err = tmpfile();
    char text[4096] = "";
    bool late;
    (void)state;
    struct program p = {.args = PROGRAM_ARGS("stat", "--", "sleep", "30")};
    pid_t pid = program_start(&p, STDOUT_FILENO, fileno(err));
    usleep(500000);
    kill(pid, SIGTERM);
    assert_int_equal(program_wait(pid, 10, &late), 128 + SIGTERM);
    assert_false(late);
    rewind(err);
    assert_true(fread(text, 1, sizeof text - 1, err) > 0);
    assert_non_null(strstr(text, "exit status 143"));
    fclose(err);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_is_passed_on),
        cmocka_unit_test(output_and_limits_are_the_commands_own),
        cmocka_unit_test(json_says_mean_and_spread),
        cmocka_unit_test(wait_waits_for_orphans),
        cmocka_unit_test(a_signal_is_passed_on_and_the_figures_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
