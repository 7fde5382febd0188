/* What each run of the screen is held to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capability.h"
#include "scratch.h"
#include "screen_run.h"
#include "synth.h"

const char *screen_mouse(const char *term) {
    const char *variant = getenv("GWTOP_VARIANT");
    bool is_looked_for = variant && strcmp(variant, "asan") == 0;
    return is_looked_for && strcmp(term, "linux") == 0 ? "mouse=no" : "mouse=yes";
}

void screen_settle(struct terminal *t) {
    if (!terminal_settle(t))
        fail_msg("it does not wait for keys, but ended with %d", terminal_wait(t, 0, NULL));
}

void screen_keys(struct terminal *t, const char *keys) {
    terminal_send(t, keys);
    screen_settle(t);
}

void screen_expect(struct terminal *t, const char *text) {
    if (!terminal_expect(t, text, TERMINAL_LONG_S))
        fail_msg("\"%s\" does not come, but: %s", text, terminal_output(t, NULL));
}

char *screen_machine(const char *gpus, unsigned processes, unsigned clients) {
    char *root = scratch_make();
    struct synth *s = synth_create(root, &(struct synth_options){.gpus = gpus,
                                                                 .processes = processes,
                                                                 .fds = 6,
                                                                 .clients = clients,
                                                                 .seed = 4,
                                                                 .hostile = true});
    if (!s)
        scratch_remove(root);
    synth_close(s);
    return s ? root : NULL;
}

int screen_machine_up(void **state) {
    *state = screen_machine("amdgpu,i915,amdgpu-mobile:asleep", 60, 24);
    return *state ? 0 : -1;
}

int screen_machine_down(void **state) {
    scratch_remove(*state);
    return 0;
}

struct terminal *screen_start_machine(void **state, int rows, int columns) {
    return screen_start(PROGRAM_ARGS("--root", *state, "-d", "1s"), NULL, rows, columns);
}

struct terminal *screen_start(const char *const *args, const char *const *env, int rows,
                              int columns) {
    struct program p = {.args = args, .env = env};
    struct terminal *t = terminal_start(&p, rows, columns);
    if (!t)
        skip();
    screen_expect(t, "\033"); /* before that it may rest for a device */
    screen_settle(t);
    return t;
}

void screen_assert_restored(struct terminal *t, const char *term) {
    static const char *const names[] = {"rmcup", "cnorm"};
    struct termios now;
    const struct termios *before = terminal_before(t);
    terminal_now(t, &now);
    assert_int_equal(now.c_iflag, before->c_iflag);
    assert_int_equal(now.c_oflag, before->c_oflag);
    assert_int_equal(now.c_cflag, before->c_cflag);
    assert_int_equal(now.c_lflag, before->c_lflag);
    assert_memory_equal(now.c_cc, before->c_cc, sizeof now.c_cc);
    size_t n;
    const char *output = terminal_output(t, &n);
    const char *end = output + (n > 400 ? n - 400 : 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char sequence[64];
        capability_of(term, names[i], sequence);
        if (sequence[0] && !strstr(end, sequence))
            fail_msg("%s: %s is not in the last output", term, names[i]);
    }
}

void screen_finish(struct terminal *t, const char *term) {
    bool late;
    int status = terminal_wait(t, TERMINAL_LONG_S, &late);
    assert_false(late);
    assert_int_equal(status, 0);
    screen_assert_restored(t, term);
    terminal_finish(t);
}

void screen_quit(struct terminal *t, const char *keys) {
    terminal_send(t, keys);
    screen_finish(t, "xterm-256color");
}

/* ---- what it shows ----------------------------------------------------------------------------- */

size_t picture_draw(struct picture *p) {
    size_t n;
    const char *out = terminal_output(p->t, &n);
    vt_feed(p->v, out, n);
    terminal_forget(p->t);
    return n;
}

struct picture picture_start(const char *const *args, const char *term, const char *locale,
                             int rows, int columns) {
    struct picture p;
    char term_env[80], locale_env[80];
    snprintf(p.term, sizeof p.term, "%s", term);
    snprintf(term_env, sizeof term_env, "TERM=%s", term);
    snprintf(locale_env, sizeof locale_env, "LC_ALL=%s", locale);
    p.t = screen_start(args, (const char *const[]){term_env, locale_env, NULL}, rows, columns);
    p.v = vt_create(rows, columns, strcmp(term, "ansi") != 0);
    picture_draw(&p);
    return p;
}

size_t picture_take(struct picture *p) {
    screen_settle(p->t);
    return picture_draw(p);
}

size_t picture_keys(struct picture *p, const char *keys) {
    terminal_send(p->t, keys);
    return picture_take(p);
}

void picture_resize(struct picture *p, int rows, int columns) {
    vt_resize(p->v, rows, columns);
    terminal_resize(p->t, rows, columns);
    picture_take(p);
}

bool picture_holds(struct picture *p, const char *text) {
    return strstr(vt_text(p->v), text) != NULL;
}

/* What comes next, if anything does in a moment. */
static void draw_next(struct picture *p) {
    terminal_pump(p->t, 0.01, 0.05);
    picture_draw(p);
}

static void expect(struct picture *p, const char *text, bool held) {
    time_t end = time(NULL) + (time_t)TERMINAL_LONG_S;
    while (picture_holds(p, text) != held && time(NULL) <= end)
        draw_next(p);
    if (picture_holds(p, text) != held)
        fail_msg("%s: \"%s\" is %s the screen:\n%s", p->term, text, held ? "not on" : "still on",
                 vt_text(p->v));
}

void picture_expect(struct picture *p, const char *text) {
    expect(p, text, true);
}

void picture_expect_gone(struct picture *p, const char *text) {
    expect(p, text, false);
}

void picture_expect_marks(struct picture *p) {
    picture_expect(p, "tick ");
    picture_expect_gone(p, ".]"); /* the last cell of the bar, not looked at yet */
    picture_expect_gone(p, "\u00b7\u258f");
}

void picture_end(struct picture *p) {
    bool late = false;
    if (vt_strange(p->v) > 0)
        fail_msg("%s: %u strange sequences, the first: %s", p->term, vt_strange(p->v),
                 vt_strange_text(p->v));
    for (int i = 0; i < 4; i++) {
        terminal_send(p->t, "q");
        if (!terminal_settle(p->t))
            break;
    }
    assert_int_equal(terminal_wait(p->t, TERMINAL_LONG_S, &late), 0);
    assert_false(late);
    picture_draw(p);
    assert_false(vt_mode(p->v, 1000) || vt_mode(p->v, 1006) || vt_mode(p->v, 1049));
    if (strncmp(p->term, "xterm", 5) == 0)
        assert_true(vt_mode(p->v, 25));
    vt_destroy(p->v);
    terminal_finish(p->t);
}
