/* Frames, counts, the backend table, and what busy time costs. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/core.h"

static void spans(void **state) {
    (void)state;
    struct frame f = {.bytes = "abc", .size = 3};
    assert_int_equal(frame_span(&f).n, 3);
    f = (struct frame){.bytes = NULL, .size = 3};
    assert_int_equal(frame_span(&f).n, 0);
    assert_non_null(frame_span(&f).p);
}

static void outcomes(void **state) {
    (void)state;
    assert_int_equal(outcome_from_sys(0), OUTCOME_OK);
    assert_int_equal(outcome_from_sys(EACCES), OUTCOME_DENIED);
    assert_int_equal(outcome_from_sys(EPERM), OUTCOME_DENIED);
    assert_int_equal(outcome_from_sys(ENOENT), OUTCOME_GONE);
    assert_int_equal(outcome_from_sys(ESRCH), OUTCOME_GONE);
    assert_int_equal(outcome_from_sys(ENODEV), OUTCOME_GONE);
    assert_int_equal(outcome_from_sys(EIO), OUTCOME_FAILED);
    assert_int_equal(outcome_from_sys(-1), OUTCOME_FAILED);
}

static void counts(void **state) {
    (void)state;
    struct counts a = {.accepted = 1};
    struct counts b = {.accepted = 2};
    counts_ignored(&b, REASON_OTHER_KEY);
    counts_malformed(&b, REASON_BAD_NUMBER);
    counts_truncated(&b, REASON_CUT);
    counts_add(&a, &b);
    counts_add(&a, &b);
    assert_int_equal(a.accepted, 5);
    assert_int_equal(a.ignored, 2);
    assert_int_equal(a.malformed, 2);
    assert_int_equal(a.truncated, 2);
    assert_int_equal(a.reasons[REASON_OTHER_KEY], 2);
    assert_int_equal(a.reasons[REASON_BAD_NUMBER], 2);
    assert_int_equal(a.reasons[REASON_CUT], 2);
    assert_int_equal(a.reasons[REASON_NO_COLON], 0);
}

static const struct kind alpha_kinds[] = {{.name = "one"}, {.name = "two"}};
static const struct kind beta_kinds[] = {{.name = "two"}};
static const struct backend alpha = {.name = "alpha", .kinds = alpha_kinds, .kind_count = 2};
static const struct backend beta = {.name = "beta", .kinds = beta_kinds, .kind_count = 1};
static const struct backend *const list[] = {&alpha, &beta};
static const struct backend_table table = {list, 2};

static void backends(void **state) {
    (void)state;
    const struct subject of_alpha = {.id = 1, .backend = 1, .name = "", .facts = ""};
    const struct subject of_beta = {.id = 2, .backend = 2, .name = "", .facts = ""};
    const struct subject of_none = {.id = 3, .backend = 0, .name = "", .facts = ""};
    const struct subject of_other = {.id = 4, .backend = 3, .name = "", .facts = ""};

    assert_int_equal(backend_find(&table, span_of("alpha")), 1);
    assert_int_equal(backend_find(&table, span_of("beta")), 2);
    assert_int_equal(backend_find(&table, span_of("bet")), 0);

    assert_ptr_equal(backend_kind(&table, &of_alpha, FRAME_BACKEND + 1), &alpha_kinds[1]);
    assert_ptr_equal(backend_kind(&table, &of_beta, FRAME_BACKEND), &beta_kinds[0]);
    assert_null(backend_kind(&table, &of_beta, FRAME_BACKEND + 1));
    assert_null(backend_kind(&table, &of_alpha, FRAME_OPEN));
    assert_null(backend_kind(&table, &of_alpha, UINT16_MAX));
    assert_null(backend_kind(&table, &of_none, FRAME_BACKEND));
    assert_null(backend_kind(&table, &of_other, FRAME_BACKEND));

    assert_string_equal(frame_kind_name(&table, &of_none, FRAME_CLOSE), "close");
    assert_string_equal(frame_kind_name(&table, &of_alpha, FRAME_BACKEND + 1), "two");
    assert_null(frame_kind_name(&table, &of_alpha, FRAME_STATE + 1));
    assert_null(frame_kind_name(&table, &of_none, FRAME_BACKEND));
    for (unsigned kind = FRAME_MACHINE; kind <= FRAME_STATE; kind++)
        assert_int_equal(
            frame_kind_find(&table, &of_none, span_of(frame_kind_name(&table, &of_none, kind))),
            kind);
    assert_int_equal(frame_kind_find(&table, &of_alpha, span_of("two")), FRAME_BACKEND + 1);
    assert_int_equal(frame_kind_find(&table, &of_beta, span_of("two")), FRAME_BACKEND);
    assert_true(frame_kind_find(&table, &of_beta, span_of("one")) == UINT_MAX);
    assert_true(frame_kind_find(&table, &of_other, span_of("one")) == UINT_MAX);
}

/* 1 PW: one unit at 266 MHz and 1 V. */
static void pseudowatt(void **state) {
    (void)state;
    assert_true(fabs(pseudowatt_seconds(266000000, 1000000, 1000000000) - 1.0) < 1e-12);
    assert_true(fabs(pseudowatt_seconds(532000000, 500000, 2000000000) - 1.0) < 1e-12);
    assert_true(fabs(pseudowatt_seconds(266000000, 2000000, 250000000) - 1.0) < 1e-12);
    assert_true(pseudowatt_seconds(0, 1000000, 1000000000) == 0.0);
    assert_true(pseudowatt_seconds(266000000, 0, 1000000000) == 0.0);
    assert_true(pseudowatt_seconds(266000000, 1000000, 0) == 0.0);
    assert_true(pseudowatt_seconds(266000000, 1000000, -5) == 0.0);
    assert_true(isfinite(pseudowatt_seconds(UINT64_MAX, UINT32_MAX, INT64_MAX)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans),    cmocka_unit_test(outcomes),   cmocka_unit_test(counts),
        cmocka_unit_test(backends), cmocka_unit_test(pseudowatt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
