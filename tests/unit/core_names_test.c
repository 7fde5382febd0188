/* The small enumerations: each has a word, words are unique where they are read back, and nothing
 * out of range is more than "?". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/core.h"

/* What outputs promise. */
static void words(void **state) {
    (void)state;
    assert_string_equal(outcome_name(OUTCOME_OK), "ok");
    assert_string_equal(outcome_name(OUTCOME_ASLEEP), "asleep");
    assert_string_equal(state_name(STATE_UNKNOWN), "unknown");
    assert_string_equal(state_name(STATE_UNSUPPORTED), "unsupported");
    assert_string_equal(state_name(STATE_DENIED), "denied");
    assert_string_equal(state_name(STATE_MALFORMED), "malformed");
    assert_string_equal(engine_class_name(CLASS_GRAPHICS), "graphics");
    assert_string_equal(engine_class_brief(CLASS_GRAPHICS), "GFX");
    assert_string_equal(engine_class_brief(CLASS_NONE), "");
    assert_string_equal(region_class_name(REGION_VRAM), "vram");
    assert_string_equal(unit_name(UNIT_DEGC), "degC");
    assert_string_equal(unit_name(UNIT_PERCENT), "%");
    assert_string_equal(unit_name(UNIT_ONE), "1");
    assert_string_equal(subject_type_name(SUBJECT_HOLDER), "holder");
    for (unsigned i = 0; i < LABEL_KIND_COUNT; i++)
        assert_string_not_equal(label_kind_name((enum label_kind)i), "?");
}

static void out_of_range(void **state) {
    (void)state;
    assert_string_equal(outcome_name((enum outcome)OUTCOME_COUNT), "?");
    assert_string_equal(state_name((enum state)250), "?");
    assert_string_equal(engine_class_name((enum engine_class)CLASS_COUNT), "?");
    assert_string_equal(engine_class_brief((enum engine_class)CLASS_COUNT), "?");
    assert_string_equal(region_class_name((enum region_class)REGION_COUNT), "?");
    assert_string_equal(unit_name((enum unit)UNIT_COUNT), "?");
    assert_string_equal(subject_type_name((enum subject_type)SUBJECT_TYPE_COUNT), "?");
    assert_string_equal(label_kind_name((enum label_kind)LABEL_KIND_COUNT), "?");
    assert_string_equal(metric_info(METRIC_COUNT)->name, "?");
    assert_string_equal(metric_info(UINT16_MAX)->name, "?");
    assert_string_equal(reason_word(REASON_COUNT), "?");
    assert_non_null(reason_text(UINT32_MAX));
}

static void round_trips(void **state) {
    (void)state;
    for (unsigned i = 0; i < OUTCOME_COUNT; i++) {
        enum outcome o = (enum outcome)OUTCOME_COUNT;
        assert_true(outcome_from_name(span_of(outcome_name((enum outcome)i)), &o));
        assert_int_equal(o, i);
    }
    for (unsigned i = 0; i < SUBJECT_TYPE_COUNT; i++) {
        enum subject_type t = (enum subject_type)SUBJECT_TYPE_COUNT;
        assert_true(subject_type_from_name(span_of(subject_type_name((enum subject_type)i)), &t));
        assert_int_equal(t, i);
    }
    for (unsigned i = 0; i < METRIC_COUNT; i++)
        assert_int_equal(metric_from_name(span_of(metric_info(i)->name)), i);
    enum outcome o = OUTCOME_GONE;
    enum subject_type t = SUBJECT_STREAM;
    assert_false(outcome_from_name(span_of("okay"), &o));
    assert_false(outcome_from_name(span_of(""), &o));
    assert_int_equal(o, OUTCOME_GONE);
    assert_false(subject_type_from_name(span_of("?"), &t));
    assert_int_equal(t, SUBJECT_STREAM);
    assert_int_equal(metric_from_name(span_of("engine")), METRIC_COUNT);
    assert_int_equal(metric_from_name((struct span){NULL, 0}), METRIC_COUNT);
}

static void doubts(void **state) {
    (void)state;
    static const char *const want[] = {"stuck", "waking",          "clamped",  "false-bit",
                                       "unit",  "assumed-voltage", "estimated"};
    for (unsigned i = 0; i < 7; i++)
        assert_string_equal(doubt_name(i), want[i]);
    assert_null(doubt_name(7));
    assert_null(doubt_name(UINT32_MAX));
    assert_int_equal(DOUBT_ESTIMATED, 1 << 6);
}

/* Metrics and reasons name themselves in outputs: dotted or underscored lower case, once each. */
static void tables_are_whole(void **state) {
    (void)state;
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *m = metric_info(i);
        assert_true(m->name && m->name[0] && m->doc && m->doc[0]);
        size_t clean = strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789._");
        /* Of counters the last word is the name that the vendor gave. */
        if (strncmp(m->name, "counter.", 8) == 0)
            clean = 8 + strspn(m->name + 8, "abcdefghijklmnopqrstuvwxyz0123456789_"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        assert_int_equal(clean, strlen(m->name));
        assert_true(m->unit < UNIT_COUNT);
        assert_true(m->power <= 18);
        assert_true(m->kind <= KIND_FACT && m->fold <= FOLD_LAST);
    }
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        assert_true(reason_word(i)[0] && reason_text(i)[0]);
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(reason_word(i), reason_word(k));
    }
    assert_int_equal(metric_info(METRIC_ENGINE_TIME)->power, 9);
    assert_int_equal(metric_info(METRIC_ENGINE_TIME)->unit, UNIT_S);
    assert_int_equal(metric_info(METRIC_ENGINE_TIME)->kind, KIND_COUNTER);
    assert_int_equal(metric_info(METRIC_ENGINE_CYCLES_TOTAL)->fold, FOLD_LAST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),  cmocka_unit_test(out_of_range),     cmocka_unit_test(round_trips),
        cmocka_unit_test(doubts), cmocka_unit_test(tables_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
