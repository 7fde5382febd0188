/* Parts of doctor: what is taken out of its texts, and the archive, held against the form that POSIX gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "app/doctor.h"

/* ---- texts ------------------------------------------------------------------------------------- */

static struct doctor_texts texts_of(const char *home, const char *user, const char *host,
                                    const char *root) {
    struct doctor_texts t;
    doctor_texts_init(&t, false, root);
    t.scrub = true;
    strcpy(t.home, home);
    strcpy(t.user, user);
    strcpy(t.host, host);
    return t;
}

static void private_words_go(void **state) {
    struct doctor_texts t = texts_of("/home/kim", "kim", "den", "/srv/tree");
    (void)state;
    assert_string_equal(doctor_keep_private(&t, "/home/kim/.config/gwtop/config"),
                        "~/.config/gwtop/config");
    assert_string_equal(doctor_keep_private(&t, "/srv/kim/bin on den"), "/srv/USER/bin on HOST");
    assert_string_equal(doctor_keep_private(&t, "/srv/tree/proc"), "ROOT/proc");
    assert_string_equal(doctor_keep_private(&t, "kim"), "USER");
    assert_string_equal(doctor_keep_private(&t, "kim-laptop.den"), "USER-laptop.HOST");
    doctor_texts_finish(&t);
}

static void parts_of_words_stay(void **state) {
    struct doctor_texts t = texts_of("/home/kim", "kim", "den", "");
    (void)state;
    assert_string_equal(doctor_keep_private(&t, "/home/kimono kim_2 skim denied"),
                        "/home/kimono kim_2 skim denied");
    doctor_texts_finish(&t);
}

static void without_scrub_all_stays(void **state) {
    struct doctor_texts t = texts_of("/home/kim", "kim", "den", "");
    (void)state;
    t.scrub = false;
    assert_string_equal(doctor_keep_private(&t, "/home/kim"), "/home/kim");
    doctor_texts_finish(&t);
}

static void texts_are_cleaned(void **state) {
    struct doctor_texts t = texts_of("", "", "", "");
    (void)state;
    assert_string_equal(doctor_keep_text(&t, " a\x1b[31m\n"), "a?[31m?");
    assert_string_equal(doctor_keep_text(&t, NULL), "");
    assert_string_equal(doctor_keep_private(&t, "plain"), "plain"); /* no empty word is one */
    assert_string_equal(doctor_keep_lines(&t, "a=1\nb=2\n"), "a=1\nb=2\n");
    assert_string_equal(doctor_keep_format(&t, "%u of %s", 3u, "x"), "3 of x");
    assert_false(t.failed);
    doctor_texts_finish(&t);
}

/* ---- the archive ------------------------------------------------------------------------------- */

static uint64_t octal(const char *p) {
    return strtoull(p, NULL, 8);
}

static void assert_header(const char *p, const char *name, size_t size) {
    unsigned sum = 0;
    for (size_t i = 0; i < 512; i++)
        sum += i >= 148 && i < 156 ? ' ' : (unsigned char)p[i];
    assert_string_equal(p, name);
    assert_int_equal(octal(p + 100), 0600);
    assert_int_equal(octal(p + 108), 0); /* whose it is, is nobody's business */
    assert_int_equal(octal(p + 116), 0);
    assert_int_equal(octal(p + 124), size);
    assert_int_equal(octal(p + 136), 1234567890);
    assert_int_equal(octal(p + 148), sum);
    assert_int_equal(p[156], '0');
    assert_memory_equal(p + 257,
                        "ustar\0"
                        "00",
                        8);
}

static void archive_is_ustar(void **state) {
    static char bytes[1500];
    struct buf b = {0};
    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    tar_put_file(&b, "a.txt", (struct span){bytes, 512}, 1234567890);
    tar_put_file(&b, "b.gwt", (struct span){bytes, 1500}, 1234567890);
    tar_put_file(&b, "empty", (struct span){"", 0}, 1234567890);
    tar_put_end(&b);
    assert_int_equal(b.n, 512 + 512 + 512 + 1536 + 512 + 1024);
    assert_header(b.p, "a.txt", 512);
    assert_header(b.p + 1024, "b.gwt", 1500);
    assert_header(b.p + 1024 + 512 + 1536, "empty", 0);
    assert_memory_equal(b.p + 1536, bytes, 1500);
    for (size_t i = 1536 + 1500; i < 1536 + 1536; i++)
        assert_int_equal(b.p[i], 0);
    for (size_t i = b.n - 1024; i < b.n; i++)
        assert_int_equal(b.p[i], 0);
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_words_go),        cmocka_unit_test(parts_of_words_stay),
        cmocka_unit_test(without_scrub_all_stays), cmocka_unit_test(texts_are_cleaned),
        cmocka_unit_test(archive_is_ustar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
