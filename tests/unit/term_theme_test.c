/*
 * Themes as laws: text is readable on the grounds that people have (contrast as WCAG 2 defines it), what has to be
 * told apart is told apart without colour, and bars by people who do not tell red from green.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "gwtop/settings.h"
#include "term/look.h"

static double linear(uint32_t rgb, unsigned shift) {
    double v = (double)(rgb >> shift & 0xff) / 255;
    return v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t rgb) {
    return 0.2126 * linear(rgb, 16) + 0.7152 * linear(rgb, 8) + 0.0722 * linear(rgb, 0);
}

static double contrast(uint32_t a, uint32_t b) {
    double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

static void contrast_itself(void **state) {
    (void)state;
    assert_true(fabs(contrast(0x000000, 0xffffff) - 21) < 1e-9);
    assert_true(fabs(contrast(0x767676, 0xffffff) - 4.54) < 0.01);
    assert_true(fabs(contrast(0x123456, 0x123456) - 1) < 1e-9);
}

static void palette(void **state) {
    static const struct {
        unsigned color;
        uint32_t rgb;
    } known[] = {{0, 0},          {16, 0},         {196, 0xff0000}, {46, 0x00ff00},
                 {21, 0x0000ff},  {67, 0x5f87af},  {231, 0xffffff}, {232, 0x080808},
                 {244, 0x808080}, {255, 0xeeeeee}, {15, 0xffffff},  {1000, 0xeeeeee}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(theme_rgb(known[i].color), known[i].rgb);
    }
}

/* ---- contrast -------------------------------------------------------------------------------- */

static const unsigned colored[] = {THEME_DARK, THEME_LIGHT, THEME_BLIND};
#define COLORED (sizeof colored / sizeof colored[0])

/* Black, and the ground that editors call dark; white, and the paper of a known light theme. */
static const uint32_t *grounds_of(unsigned theme) {
    static const uint32_t dark[] = {0x000000, 0x1e1e1e}, light[] = {0xffffff, 0xfdf6e3};
    return theme == THEME_LIGHT ? light : dark;
}

static bool is_bar(unsigned role) {
    return (role >= ROLE_BAR_GRAPHICS && role <= ROLE_BAR_EMPTY) || role == ROLE_PROGRESS;
}

static double least_of(unsigned role) {
    return is_bar(role) || role == ROLE_DIM || role == ROLE_EXITED ? 3 : 4.5;
}

static void readable(unsigned theme, unsigned role, struct look look) {
    const uint32_t *grounds = grounds_of(theme);
    assert_true(look.text < 256 && look.ground < 256);
    /* Of a ground of ours the text is ours too. */
    assert_true(look.ground == LOOK_OWN || look.text != LOOK_OWN);
    for (int i = 0; look.text != LOOK_OWN && i < 2; i++) {
        uint32_t ground = look.ground == LOOK_OWN ? grounds[i] : theme_rgb((unsigned)look.ground);
        double c = contrast(theme_rgb((unsigned)look.text), ground);
        double least = look.ground == LOOK_OWN ? least_of(role) : 4.5;
        if (c < least) {
            fail_msg("theme %u, %s: %.2f on %06x", theme, role_name((enum role)role), c, ground);
        }
    }
}

static void text_is_readable(void **state) {
    (void)state;
    for (size_t t = 0; t < COLORED; t++) {
        for (unsigned r = 0; r < ROLE_COUNT; r++) {
            readable(colored[t], r, theme_look(colored[t], r, DEPTH_MANY));
        }
    }
}

/* Eight colours are what the terminal makes of them: those of xterm, and of the console of Linux; bold is bright. */
static uint32_t few_rgb(int color, bool bright, bool console) {
    static const uint32_t vga[] = {0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa,
                                   0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555, 0x55ff55, 0xffff55,
                                   0x5555ff, 0xff55ff, 0x55ffff, 0xffffff};
    unsigned at = (unsigned)color + (bright ? 8 : 0);
    return console ? vga[at] : theme_rgb(at);
}

static void eight_colours_are_readable(void **state) {
    (void)state;
    for (size_t t = 0; t < COLORED; t++) {
        for (unsigned r = 0; r < ROLE_COUNT; r++) {
            struct look look = theme_look(colored[t], r, DEPTH_FEW);
            assert_true(look.text < 8 && look.ground < 8);
            assert_true(look.ground == LOOK_OWN || look.text != LOOK_OWN);
            for (int console = 0; look.text != LOOK_OWN && console < 2; console++) {
                uint32_t ground = look.ground == LOOK_OWN ? grounds_of(colored[t])[0]
                                                          : few_rgb(look.ground, false, console);
                uint32_t text = few_rgb(look.text, look.attributes & LOOK_BOLD, console);
                double c = contrast(text, ground);
                /* Nothing there says what a terminal shows: only what cannot be read is ruled out. */
                if (c < 2.5) {
                    fail_msg("theme %u, %s: %.2f", colored[t], role_name((enum role)r), c);
                }
            }
        }
    }
}

/* ---- told apart ------------------------------------------------------------------------------ */

static bool same(struct look a, struct look b) {
    return a.text == b.text && a.ground == b.ground && a.attributes == b.attributes;
}

/* Roles that stand side by side and mean something else by that alone. */
static const unsigned char apart[][2] = {
    {ROLE_SELECTED, ROLE_NORMAL}, {ROLE_HEADER, ROLE_NORMAL},   {ROLE_HEADER_SORT, ROLE_HEADER},
    {ROLE_BAD, ROLE_NORMAL},      {ROLE_BAD, ROLE_WARN},        {ROLE_WARN, ROLE_NORMAL},
    {ROLE_SEARCH, ROLE_NORMAL},   {ROLE_SEARCH, ROLE_SELECTED}, {ROLE_KEY, ROLE_KEY_LABEL},
    {ROLE_EXITED, ROLE_NORMAL},   {ROLE_OWN, ROLE_NORMAL},      {ROLE_DIM, ROLE_NORMAL},
    {ROLE_TITLE, ROLE_NORMAL},    {ROLE_VALUE, ROLE_DIM}};

static void apart_in(unsigned theme, enum depth depth) {
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        struct look a = theme_look(theme, apart[i][0], depth);
        struct look b = theme_look(theme, apart[i][1], depth);
        if (same(a, b)) {
            fail_msg("theme %u, depth %u: %s looks as %s", theme, depth,
                     role_name((enum role)apart[i][0]), role_name((enum role)apart[i][1]));
        }
    }
}

static void roles_are_told_apart(void **state) {
    (void)state;
    for (unsigned theme = 0; theme < THEME_COUNT; theme++) {
        apart_in(theme, DEPTH_NONE);
        apart_in(theme, DEPTH_FEW);
        apart_in(theme, DEPTH_MANY);
    }
}

static void no_colour_is_no_colour(void **state) {
    (void)state;
    for (unsigned theme = 0; theme < THEME_COUNT; theme++) {
        for (unsigned r = 0; r < ROLE_COUNT; r++) {
            struct look none = theme_look(theme, r, DEPTH_NONE);
            assert_true(none.text == LOOK_OWN && none.ground == LOOK_OWN);
            assert_true(same(theme_look(THEME_MONO, r, DEPTH_MANY), none));
        }
    }
}

/* Nobody forgot a line: what has a name of its own looks like something. */
static void every_role_has_a_look(void **state) {
    (void)state;
    for (size_t t = 0; t < COLORED; t++) {
        struct look normal = theme_look(colored[t], ROLE_NORMAL, DEPTH_MANY);
        for (unsigned r = 0; r < ROLE_COUNT; r++) {
            if (r != ROLE_NORMAL && r != ROLE_HELP &&
                same(theme_look(colored[t], r, DEPTH_MANY), normal)) {
                fail_msg("theme %u: %s has no look", colored[t], role_name((enum role)r));
            }
        }
    }
}

static void odd_numbers(void **state) {
    (void)state;
    assert_true(same(theme_look(99, ROLE_BAD, DEPTH_MANY), theme_look(0, ROLE_BAD, DEPTH_MANY)));
    assert_true(same(theme_look(0, 999, DEPTH_FEW), theme_look(0, ROLE_NORMAL, DEPTH_FEW)));
}

static void settings_name_them(void **state) {
    static const char *const names[] = {"default", "light", "mono", "colour-blind"};
    (void)state;
    for (unsigned i = 0; i < THEME_COUNT; i++) {
        assert_true(span_equals(setting_choice(SETTING_THEME, i), names[i]));
    }
    assert_int_equal(setting_choice(SETTING_THEME, THEME_COUNT).n, 0);
}

/* ---- eyes that do not tell red from green ------------------------------------------------------ */

/* Linear red, green and blue as seen without one kind of cones (Machado, Oliveira, Fernandes 2009). */
static const double eyes[2][3][3] = {{{0.152286, 1.052583, -0.204868},
                                      {0.114503, 0.786281, 0.099216},
                                      {-0.003882, -0.048116, 1.051998}},
                                     {{0.367322, 0.860646, -0.227968},
                                      {0.280085, 0.672501, 0.047413},
                                      {-0.011820, 0.042940, 0.968881}}};

static double lab_part(double t) {
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

static void lab_of(uint32_t rgb, const double eye[3][3], double lab[3]) {
    const double in[3] = {linear(rgb, 16), linear(rgb, 8), linear(rgb, 0)};
    double out[3];
    for (int i = 0; i < 3; i++) {
        out[i] = eye[i][0] * in[0] + eye[i][1] * in[1] + eye[i][2] * in[2];
        out[i] = out[i] < 0 ? 0 : out[i] > 1 ? 1 : out[i];
    }
    double x = lab_part((0.4124 * out[0] + 0.3576 * out[1] + 0.1805 * out[2]) / 0.9505);
    double y = lab_part(0.2126 * out[0] + 0.7152 * out[1] + 0.0722 * out[2]);
    double z = lab_part((0.0193 * out[0] + 0.1192 * out[1] + 0.9505 * out[2]) / 1.089);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

static double distance(unsigned a, unsigned b, const double eye[3][3]) {
    double p[3], q[3], sum = 0;
    lab_of(theme_rgb((unsigned)theme_look(THEME_BLIND, a, DEPTH_MANY).text), eye, p);
    lab_of(theme_rgb((unsigned)theme_look(THEME_BLIND, b, DEPTH_MANY).text), eye, q);
    for (int i = 0; i < 3; i++) {
        sum += (p[i] - q[i]) * (p[i] - q[i]);
    }
    return sqrt(sum);
}

/* 10 is seen at a glance where two lie side by side. */
static void bars_differ_for_all_eyes(void **state) {
    (void)state;
    for (unsigned e = 0; e < 2; e++) {
        for (unsigned a = ROLE_BAR_GRAPHICS; a < ROLE_BAR_EMPTY; a++) {
            for (unsigned b = a + 1; b < ROLE_BAR_EMPTY; b++) {
                double d = distance(a, b, eyes[e]);
                if (d < 20) {
                    fail_msg("eye %u: %s and %s: %.1f", e, role_name((enum role)a),
                             role_name((enum role)b), d);
                }
            }
        }
        assert_true(distance(ROLE_GOOD, ROLE_BAD, eyes[e]) > 20);
        assert_true(distance(ROLE_WARN, ROLE_BAD, eyes[e]) > 12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contrast_itself),       cmocka_unit_test(palette),
        cmocka_unit_test(text_is_readable),      cmocka_unit_test(eight_colours_are_readable),
        cmocka_unit_test(roles_are_told_apart),  cmocka_unit_test(no_colour_is_no_colour),
        cmocka_unit_test(every_role_has_a_look), cmocka_unit_test(odd_numbers),
        cmocka_unit_test(settings_name_them),    cmocka_unit_test(bars_differ_for_all_eyes),
    };
    return cmocka_run_group_tests_name("themes", tests, NULL, NULL);
}
