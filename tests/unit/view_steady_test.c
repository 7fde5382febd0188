/* A screen like the one before allocates nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "allocations.h"
#include "gwtop/view.h"
#include "snap_cases.h"

static void build_many(struct snap *b) {
    snap_many(b, 6, 300, 2);
}

static void build_cards(struct snap *b) {
    snap_cards(b, 6, 2);
}

static void build_all_metrics(struct snap *b) {
    snap_all_metrics(b, 3);
}

/* All that can be opened, and back to how it was. */
static void press_all(struct ui *ui, const struct snapshot *s, struct grid *g) {
    static const char keys[] =
        "tOmxnOtxmnOH<\x1b?\x1b/work\x1bI,VMFi1i1g\x1b\tD\t qc\t q\t\t\t\t\t\tHS\t\x1b";
    struct ui_play play = {.busy_ppm = -1};
    for (const char *k = keys; *k; k++) {
        (void)ui_key(ui, (unsigned char)*k, s);
        ui_render(ui, s, &play, g);
    }
}

static void steady(void **state) {
    static void (*const builds[])(struct snap * b) = {
        build_many, build_cards, build_all_metrics, snap_limits, snap_awake, snap_apu, snap_cores};
    (void)state;
    if (!allocations_counted()) {
        skip();
    }
    for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++) {
        struct ui_options o = {.unicode = true, .replay = i & 1};
        struct ui *ui = NULL;
        struct grid g = {0};
        struct snap b;
        builds[i](&b);
        const struct snapshot *s = snap_get(&b);
        assert_int_equal(ui_create(&o, &ui), ERR_OK);
        assert_int_equal(grid_resize(&g, 60, 200), ERR_OK);
        press_all(ui, s, &g);
        unsigned long before = allocations_so_far();
        press_all(ui, s, &g);
        assert_int_equal(allocations_so_far(), before);
        ui_destroy(ui);
        grid_finish(&g);
        snap_finish(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steady)};
    return cmocka_run_group_tests_name("steady screen", tests, NULL, NULL);
}
