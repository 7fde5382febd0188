/*
 * The folders of fixtures/amdgpu, collected live under a root of the test, against the readings beside them. A
 * line of `readings` is a metric (with [index]), its value in the metric's integer or a state, and the file that is
 * to be shown; "-" says that nothing is said of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amdrig.h"
#include "backend/amdgpu/device.h"
#include "scratch.h"

#define FIXTURES "fixtures/amdgpu"

static enum metric take_metric(struct span word, unsigned *index) {
    struct cursor c = cursor_over(word);
    struct span name;
    uint64_t number;
    *index = INDEX_NONE;
    assert_true(cursor_field(&c, '[', &name));
    if (!cursor_at_end(&c)) {
        assert_int_equal(cursor_u64(&c, &number), ERR_OK);
        *index = (unsigned)number;
    }
    return metric_from_name(name);
}

static void check_line(const struct told *told, struct span line) {
    struct cursor c = cursor_over(line);
    struct span word;
    struct span value;
    struct span file;
    unsigned index;
    int64_t number;
    assert_true(cursor_word(&c, &word));
    assert_true(cursor_word(&c, &value));
    enum metric metric = take_metric(word, &index);
    assert_int_not_equal(metric, METRIC_COUNT);
    const struct told_sample *s = told_best(told, metric, index);
    if (span_equals(value, "-")) {
        assert_null(s);
        return;
    }
    assert_non_null(s);
    if (span_to_i64(value, &number) != ERR_OK) {
        assert_true(span_equals(value, state_name((enum state)s->sample.state)));
        return;
    }
    assert_int_equal(s->sample.state, STATE_VALUE);
    assert_int_equal(s->sample.value, number);
    if (cursor_word(&c, &file))
        assert_true(span_equals(file, s->name));
}

static void check_case(const char *name) {
    char from[300];
    char readings[300];
    struct amdrig rig;
    struct span line;
    size_t n;
    char *text;
    snprintf(readings, sizeof readings, FIXTURES "/%s/readings", name);
    if (access(readings, R_OK) != 0)
        return; /* a case of another test */
    text = file_read(readings, &n);
    assert_non_null(text);
    amdrig_init(&rig);
    snprintf(from, sizeof from, FIXTURES "/%s", name);
    amdrig_copy(&rig, from);
    snprintf(from, sizeof from, "%s/sys/class/drm/%s", rig.root, name);
    char *card = path_join(rig.root, "sys/class/drm/card0");
    assert_int_equal(rename(from, card), 0);
    amdrig_start(&rig, NULL);
    amdrig_tick_until(&rig, AMDGPU_SYSFS);
    struct cursor c = cursor_over((struct span){text, n});
    while (cursor_line(&c, &line)) {
        if (line.n == 0 || line.p[0] == '#')
            continue;
        print_message("# %s: %.*s\n", name, (int)line.n, line.p);
        check_line(&rig.told, line);
    }
    assert_int_equal(rig.told.counts.malformed + rig.told.counts.truncated, 0);
    amdrig_finish(&rig);
    free(card);
    free(text);
}

static void fixtures(void **state) {
    DIR *d = opendir(FIXTURES);
    struct dirent *e;
    (void)state;
    assert_non_null(d);
    while ((e = readdir(d)))
        if (e->d_name[0] != '.')
            check_case(e->d_name);
    closedir(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fixtures)};
    return cmocka_run_group_tests_name("amdgpu fixtures", tests, NULL, NULL);
}
