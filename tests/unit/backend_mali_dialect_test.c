/* Whose release of the driver wrote a recording. No single line may decide for rates that are
 * none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/mali/mali.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

#define START_PP0   "17104896 7 7 0 0 0\n"
#define CLOCK_OLD   "4 160000000 0 0 0 0\n"
#define CLOCK_NEW   "4 266000000 1 0 0 0\n"
#define VOLT_ASKED  "5 875000 875000 1 0 0\n"
#define VOLT_GOT    "5 875000 0 2 0 0\n"
#define VOLT_4210   "5 950000 0 1 0 0\n"
#define FB_EVENT    "4 900 901 3 0 0\n"
#define GP_ENQUEUE  "5 900 901 123456 7 0\n"
#define BIG_ENQUEUE "5 875000 875001 123456 7 0\n" /* ids as large as a voltage */
#define RATE        "1376257 440 1025 0 0 0\n"

static const struct {
    const char *text;
    const char *facts;
} rows[] = {
    {"", ""},
    {"not an event\n", ""},
    {"1 " START_PP0, ""},
    {"1 " CLOCK_OLD "2 " CLOCK_NEW, "dialect=samsung\nclock_before=160000000\n"},
    {"1 " VOLT_ASKED "2 " VOLT_GOT, "dialect=samsung\n"},
    {"1 " CLOCK_OLD "2 " VOLT_GOT, "dialect=samsung\nclock_before=160000000\n"},
    /* A 4210: its 0 is what is asked for. */
    {"1 " CLOCK_OLD "2 " CLOCK_OLD "3 " VOLT_4210, "dialect=samsung\n"},
    /* The first event about the clock is not about the one before it. */
    {"1 " CLOCK_NEW "2 " CLOCK_OLD, "dialect=samsung\n"},
    {"1 " RATE "2 " CLOCK_OLD "3 " CLOCK_NEW, "dialect=samsung\n"},
    {"1 " FB_EVENT, "dialect=arm\n"},
    {"1 " GP_ENQUEUE, "dialect=arm\n"},
    {"1 " BIG_ENQUEUE, "dialect=arm\n"},
    {"1 " RATE, ""},
    /* One line proves nothing for Samsung. */
    {"1 " START_PP0 "2 " CLOCK_OLD, ""},
    {"1 " START_PP0 "2 " VOLT_GOT, ""},
    {"1 " GP_ENQUEUE "2 " VOLT_GOT, "dialect=arm\n"},
    {"1 " VOLT_ASKED "2 " VOLT_ASKED, ""},
    {"1 " VOLT_ASKED "2 " VOLT_GOT "3 " GP_ENQUEUE, "dialect=arm\n"},
    /* And lines that every program can post take it from nobody. */
    {"1 " GP_ENQUEUE "2 " FB_EVENT "3 " GP_ENQUEUE "4 " CLOCK_OLD "5 " CLOCK_OLD,
     "dialect=samsung\n"},
    {"1 " GP_ENQUEUE "2 " CLOCK_OLD "3 " CLOCK_NEW "4 " VOLT_GOT,
     "dialect=samsung\nclock_before=160000000\n"},
    /* Events 6 to 8 are in both. */
    {"1 6 900 901 77 0 0\n2 7 900 901 77 0 0\n3 8 900 901 77 0 0\n", ""},
    /* Not quite: too low, too high, something behind, a d1 that no result has. */
    {"1 5 499999 0 1 0 0\n2 5 2000001 0 1 0 0\n3 5 900000 0 0 0 0\n4 5 900000 0 3 0 0\n", ""},
    {"1 5 900000 0 1 1 0\n2 5 900000 0 1 0 1\n3 4 160000000 0 1 0 0\n4 4 160000000 2 0 0 0\n", ""},
    {"1 4 9999999 0 0 0 0\n2 4 2000000001 0 0 0 0\n3 4 160000000 0 0 0 5\n", ""},
    /* Ids: a pid of 0 is nobody's, nor a thread far from its process. */
    {"1 4 0 0 0 0 0\n2 5 0 0 0 0 0\n3 4 10 90000 0 0 0\n4 5 900 901 0 0 0\n", ""},
    /* The form for people is newer than Samsung's dialect; one remark is not that form. */
    {"1 4 160000000 0 0 0 0 # [000000] SINGLE | SW | 0x0004 | T0 + 0x0000000000000000\n"
     "2 4 266000000 1 0 0 0 # [000001] SINGLE | SW | 0x0004 | T0 + 0x0000000000000001\n",
     "dialect=arm\nclock_before=160000000\n"},
    {"1 4 160000000 0 0 0 0 # waking up\n2 " CLOCK_NEW "3 " START_PP0,
     "dialect=samsung\nclock_before=160000000\n"},
};

/* In two pieces, as the first line ends. */
static void look_and_say(struct span text, struct buf *facts) {
    struct mali_look look = {0};
    const char *end = text.n > 0 ? memchr(text.p, '\n', text.n) : NULL;
    size_t first = end ? (size_t)(end - text.p) + 1 : text.n;
    mali_dialect_look(&look, (struct span){text.p, first});
    mali_dialect_look(&look, span_skip(text, first));
    mali_dialect_say(&look, facts);
}

static void told_from_the_whole(void **state) {
    struct buf facts;
    (void)state;
    buf_init(&facts);
    for (size_t i = 0; i < COUNT(rows); i++) {
        buf_clear(&facts);
        look_and_say(span_of(rows[i].text), &facts);
        buf_char(&facts, '\0');
        if (strcmp(facts.p, rows[i].facts) != 0)
            fail_msg("row %u: '%s' of\n%s", (unsigned)i, facts.p, rows[i].text);
    }
    buf_finish(&facts);
}

/* What tells may stand at the very end. */
static void far_into_the_file(void **state) {
    struct buf text, facts;
    (void)state;
    buf_init(&text);
    buf_init(&facts);
    for (unsigned i = 0; i < 100000; i++)
        buf_text(&text, "1 " START_PP0);
    buf_text(&text, "2 " VOLT_ASKED "3 " VOLT_GOT);
    look_and_say(buf_span_of(&text), &facts);
    assert_true(span_equals(buf_span_of(&facts), "dialect=samsung\n"));
    buf_finish(&text);
    buf_finish(&facts);
}

static void words(void **state) {
    (void)state;
    assert_int_equal(mali_dialect_of(""), MALI_DIALECT_UNKNOWN);
    assert_int_equal(mali_dialect_of("dialect=samsung\n"), MALI_DIALECT_SAMSUNG);
    assert_int_equal(mali_dialect_of("soc=x\ndialect=arm\n"), MALI_DIALECT_ARM);
    assert_int_equal(mali_dialect_of("dialect=amd\n"), MALI_DIALECT_UNKNOWN);
    /* An option comes before what the file says. */
    assert_int_equal(mali_dialect_of("dialect=arm\ndialect=samsung\n"), MALI_DIALECT_ARM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_from_the_whole),
        cmocka_unit_test(far_into_the_file),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
