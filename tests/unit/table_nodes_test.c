/* A device is meant by the names of its nodes, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap.h"

static void nodes_name_their_device(void **state) {
    static const struct {
        const char *wanted;
        bool first;
        bool second;
    } cases[] = {
        {"card1", true, false},
        {"renderD129", true, false},
        {"/dev/dri/card1", true, false},
        {"/dev/dri/renderD129", true, false},
        {"card10", false, true},
        {"accel0", false, true},
        {"/dev/accel/accel0", false, true},
        {"card", false, false},
        {"renderD12", false, false},
        {"/dev/dri/", false, false},
        {"/dev/card1", false, false},
        {"dri/card1", false, false},
        {"card1,renderD129", false, false},
        {"/dev/dri//dev/dri/card1", false, false},
    };
    struct snap b;
    (void)state;
    snap_init(&b);
    snap_device(&b, "0000:03:00.0", "Radeon", "amdgpu");
    snap_device(&b, "0000:04:00.0", "Arc", "xe");
    snap_device(&b, "0000:05:00.0", "None", "");
    b.devices[0].nodes = snap_text(&b, "card1,renderD129");
    b.devices[1].nodes = snap_text(&b, "card10,accel0");
    const struct snapshot *s = snap_get(&b);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct span wanted = span_of(cases[i].wanted);
        assert_int_equal(table_device_matches(s, 0, wanted), cases[i].first);
        assert_int_equal(table_device_matches(s, 1, wanted), cases[i].second);
        assert_false(table_device_matches(s, 2, wanted));
    }
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_name_their_device)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
