/*
 * Names that try to break out: no control byte, no escape sequence, no formula and no broken UTF-8 in anything
 * that the program prints, live or from a recording, in any form.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e.h"
#include "ndjson.h"
#include "scratch.h"

static struct e2e machine;
static char *recording;

static int make(void **state) {
    struct synth_options o = {
        .gpus = "amdgpu", .processes = 30, .fds = 6, .clients = 5, .seed = 13, .hostile = true};
    (void)state;
    machine = e2e_machine(&o);
    recording = e2e_path(&machine, "hostile.gwt");
    free(e2e_run(&machine, PROGRAM_ARGS("record", "-o", recording, "-n", "2", "-d", "150ms"), 0));
    return 0;
}

static int drop(void **state) {
    (void)state;
    free(recording);
    e2e_finish(&machine);
    return 0;
}

/* The code point at p (valid UTF-8 only), its length through n; fails on anything else. */
static unsigned code_point(const unsigned char *p, int *n) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    *n = p[0] < 0x80                   ? 1
         : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
         : (p[0] & 0xf0) == 0xe0       ? 3
         : p[0] < 0xf5                 ? 4
                                       : 0;
    if (p[0] >= 0x80 && p[0] < 0xc2)
        *n = 0;
    if (*n == 0)
        fail_msg("byte 0x%02x starts no character", p[0]);
    unsigned c = *n == 1 ? p[0] : p[0] & (0x7fu >> *n);
    for (int i = 1; i < *n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            fail_msg("byte 0x%02x continues no character", p[i]);
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < least[*n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        fail_msg("code point %x", c);
    return c;
}

static void assert_clean(const char *text, bool carriage_returns) {
    int n;
    for (const unsigned char *p = (const unsigned char *)text; *p; p += n) {
        unsigned c = code_point(p, &n);
        bool control = (c < 0x20 && c != '\n' && !(c == '\r' && carriage_returns)) || c == 0x7f ||
                       (c >= 0x80 && c < 0xa0);
        bool direction = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
                         c == 0x2028 || c == 0x2029;
        if (control || direction)
            fail_msg("U+%04x in the output: ...%.40s", c, (const char *)p);
    }
}

static void text_is_clean_everywhere(void **state) {
    static const char *const modes[][4] = {
        {"--once"},       {"-b", "-n", "2"},
        {"--once", "-U"}, {"--once", "-C"},
        {"-L"},           {"--once", "--fields", "PID,USER,COMMAND"}};
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        const char *const args[] = {modes[i][0], modes[i][1], modes[i][2], NULL};
        char *live = e2e_run(&machine, args, 0);
        assert_clean(live, false);
        assert_true(strlen(live) > 20);
        free(live);
    }
    char *played =
        e2e_call(&(struct program){.args = PROGRAM_ARGS("replay", recording, "--once")}, 0);
    assert_clean(played, false);
    free(played);
}

static void ascii_where_the_locale_is(void **state) {
    static const char *const env[] = {"LC_ALL=C", NULL};
    (void)state;
    char *text = e2e_call(
        &(struct program){.args = PROGRAM_ARGS("replay", recording, "--once"), .env = env}, 0);
    assert_true(strlen(text) > 100);
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p >= 0x80)
            fail_msg("byte 0x%02x", (unsigned char)*p);
    free(text);
}

static void json_is_clean(void **state) {
    (void)state;
    char *live = e2e_run(&machine, PROGRAM_ARGS("--json", "-n", "2", "-d", "150ms"), 0);
    assert_clean(live, false);
    json_t *ticks = ndjson_parse(live);
    assert_non_null(ticks);
    for (int pid = 62001; pid <= 62010; pid++)
        assert_non_null(tick_process(json_array_get(ticks, 1), pid, NULL));
    json_t *red = tick_process(json_array_get(ticks, 1), 62001, NULL);
    assert_non_null(strstr(text_at(red, "name"), "red"));
    assert_null(strpbrk(text_at(red, "name"), "\033"));
    json_decref(ticks);
    free(live);
}

/* One field of RFC 4180 from *at on; false behind the last of its line. */
static bool csv_field(const char **at, char *out, size_t cap) {
    const char *p = *at;
    size_t n = 0;
    bool quoted = *p == '"';
    for (p += quoted; *p && (quoted || (*p != ',' && *p != '\r' && *p != '\n')); p++) {
        if (quoted && *p == '"' && *++p != '"')
            break;
        if (n + 1 < cap)
            out[n++] = *p;
    }
    out[n] = '\0';
    bool more = *p == ',';
    *at = p + more;
    return more;
}

static bool is_number(const char *text) {
    char *end;
    strtod(text, &end);
    return *text != '\0' && *end == '\0';
}

static void csv_holds_no_formula(void **state) {
    (void)state;
    char *csv = e2e_run(&machine, PROGRAM_ARGS("--csv", "-n", "2", "-d", "150ms"), 0);
    size_t lines = 0, columns = 0;
    assert_clean(csv, true);
    for (const char *p = csv; *p; lines++) {
        char field[2048];
        size_t n = 0;
        for (bool more = true; more; n++) {
            more = csv_field(&p, field, sizeof field);
            if (field[0] && strchr("=+-@\t\r", field[0]) && !is_number(field))
                fail_msg("a formula: %s", field);
        }
        columns = columns ? columns : n;
        if (n != columns)
            fail_msg("line %zu has %zu fields, not %zu", lines + 1, n, columns);
        assert_true(p[0] == '\r' && p[1] == '\n');
        p += 2;
    }
    assert_true(lines > 20);
    free(csv);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_clean_everywhere),
        cmocka_unit_test(ascii_where_the_locale_is),
        cmocka_unit_test(json_is_clean),
        cmocka_unit_test(csv_holds_no_formula),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
