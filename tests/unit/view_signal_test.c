/* Tags, the list of signals with its question, and the list of users. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shown.h"
#include "snap_cases.h"

static const struct ui_options live = {.unicode = true};
static const struct ui_options replay = {.unicode = true, .replay = true};

static const uint32_t f9 = UI_KEY_F1 + 8;

/* Moves the selection to the row that holds the text. */
static void choose(struct screen *sc, const char *what) {
    press(sc, UI_KEY_HOME);
    for (int i = 0; i < 40 && !strstr(selected(sc), what); i++) {
        press(sc, UI_KEY_DOWN);
    }
    SELECTS(sc, what);
}

static void sends_nothing(struct screen *sc, uint32_t key) {
    assert_int_not_equal(press(sc, key).action, UI_SIGNAL);
}

static void goes_to(struct screen *sc, uint32_t n, const int32_t *pids) {
    uint32_t count;
    const struct ui_target *t = ui_targets(sc->ui, &count);
    assert_int_equal(count, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(t[i].pid, pids[i]);
        assert_int_equal(t[i].start, 1000 + (uint64_t)pids[i]);
    }
}

/* ---- signals --------------------------------------------------------------------------------- */

static void asks_and_sends(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    choose(sc, "48213");
    tells(sc, f9, UI_NONE, 0);
    SHOWS(sc, "To film.blend -f 1..200 (48213)");
    SHOWS(sc, "15 SIGTERM  please end");
    SHOWS(sc, " 9 SIGKILL  end at once");
    SHOWS(sc, "[frozen]");
    tells(sc, UI_KEY_ENTER, UI_NONE, 0);
    SHOWS(sc, "Send SIGTERM to film.blend -f 1..200 (48213) of user, started 13:23:33 ago? y/n");
    HIDES(sc, "please end");
    tells(sc, 'y', UI_SIGNAL, SIGTERM);
    goes_to(sc, 1, (const int32_t[]){48213});
    HIDES(sc, "[frozen]");
    HIDES(sc, "y sends");
    sends_nothing(sc, 'y');
    close_screen(sc);
}

static void only_y_sends(void **state) {
    static const uint32_t keys[] = {UI_KEY_ENTER, 'Y', ' ', UI_KEY_TAB, UI_KEY_UP, UI_KEY_F1, 'k'};
    static const uint32_t ways_out[] = {'n', 'N', 'q', UI_KEY_ESC};
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    for (unsigned i = 0; i < sizeof ways_out / sizeof ways_out[0]; i++) {
        choose(sc, "9034");
        type(sc, "k");
        press(sc, UI_KEY_ENTER);
        for (unsigned k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            tells(sc, keys[k], UI_NONE, 0);
            SHOWS(sc, "Send SIGTERM to mpv film.mkv (9034)");
        }
        tells(sc, ways_out[i], UI_NONE, 0);
        SHOWS(sc, "nothing was sent");
        sends_nothing(sc, 'y');
        sends_nothing(sc, 'y'); /* elsewhere it is another key: there and back */
    }
    type(sc, "k");
    tells(sc, 'y', UI_NONE, 0); /* the list is no question */
    press(sc, UI_KEY_ESC);
    HIDES(sc, "SIGKILL");
    close_screen(sc);
}

static void another_signal(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    choose(sc, "2201");
    press(sc, f9);
    for (int i = 0; i < 4; i++) {
        press(sc, UI_KEY_DOWN);
    }
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "Send SIGKILL to gnome-shell (2201) of user, started 36:41 ago? y/n");
    tells(sc, 'y', UI_SIGNAL, SIGKILL);
    goes_to(sc, 1, (const int32_t[]){2201});
    press(sc, f9); /* the first again */
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "Send SIGTERM to gnome-shell");
    close_screen(sc);
}

static void names_of_signals(void **state) {
    (void)state;
    assert_string_equal(ui_signal_name(SIGTERM), "SIGTERM");
    assert_string_equal(ui_signal_name(SIGUSR2), "SIGUSR2");
    assert_null(ui_signal_name(0));
    assert_null(ui_signal_name(-1));
    assert_null(ui_signal_name(999));
}

static void build_odd(struct snap *b) {
    snap_init(b);
    snap_device(b, "0000:03:00.0", "Arc A770", "xe");
    snap_device(b, "0000:04:00.0", "Arc A770", "xe");
    snap_process(b, 0, 0, "kernel", "");
    snap_process(b, 1, 0, "init", "");
    snap_process(b, 70, 0, "thread", "")->by_thread = true;
    snap_process(b, 71, 0, "ended", "")->exited = true;
    snap_process(b, 72, 0, "unknown", "")->start = 0;
    snap_process(b, 73, 0, "twice", "");
    snap_process(b, 73, 1, "twice", "");
    snap_process(b, 74, 0, "", "");
    snap_loose(b, 0, "(not attributed)");
}

static void says_why_not(void **state) {
    static const struct {
        const char *row;
        const char *why;
    } cases[] = {
        {"kernel", "no signal: it has no process id"},
        {"thread", "no signal: only one of its threads is known, not its process id"},
        {"(exited)", "no signal: it has ended"},
        {"unknown", "no signal: its start is not known"},
        {"(not attrib", "no signal: this line is not one process"},
    };
    struct screen *sc = open_screen(live, build_odd);
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        choose(sc, cases[i].row);
        press(sc, f9);
        SHOWS(sc, cases[i].why);
        HIDES(sc, "SIGTERM");
    }
    choose(sc, "init");
    press(sc, f9);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "Send SIGTERM to init (1)");
    press(sc, 'n');
    choose(sc, " 74 ");
    press(sc, f9);
    SHOWS(sc, "To PID 74");
    close_screen(sc);
}

static void not_there_where_it_is_not_allowed(void **state) {
    struct ui_options o = live;
    struct screen *sc = open_screen(o, snap_typical);
    (void)state;
    SHOWS(sc, "F9Signal");
    close_screen(sc);
    o.no_signals = true;
    sc = open_screen(o, snap_typical);
    HIDES(sc, "F9Signal");
    press(sc, f9);
    SHOWS(sc, "no signal: gwtop was told --readonly, or these are no processes of this machine");
    HIDES(sc, "SIGTERM");
    type(sc, "kh");
    assert_int_equal(grid_resize(&sc->g, 100, 80), ERR_OK);
    SHOWS(sc, "take all tags away");
    HIDES(sc, "send a signal");
    close_screen(sc);
    sc = open_screen(replay, snap_typical);
    HIDES(sc, "F9Signal");
    tells(sc, f9, UI_NONE, 0);
    tells(sc, 'k', UI_NONE, 0);
    HIDES(sc, "SIGTERM");
    close_screen(sc);
}

static void names_gwtop_itself(void **state) {
    struct ui_options o = live;
    o.own_pid = 9034;
    struct screen *sc = open_screen(o, snap_typical);
    (void)state;
    choose(sc, "9034");
    press(sc, f9);
    SHOWS(sc, "To gwtop itself (9034)");
    close_screen(sc);
}

static void without_a_snapshot(void **state) {
    struct ui *ui = NULL;
    (void)state;
    assert_int_equal(ui_create(&live, &ui), ERR_OK);
    static const uint32_t keys[] = {f9, UI_KEY_ENTER, 'y', ' ', 'U', 'u', UI_KEY_ENTER, f9, 'y'};
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        assert_int_not_equal(ui_key(ui, keys[i], NULL).action, UI_SIGNAL);
    }
    ui_destroy(ui);
}

/* The question is asked in fewer words where there is less room; where there is none nothing is sent. */
static void fits_any_width(void **state) {
    static const struct {
        int columns;
        const char *text;
    } cases[] = {
        {90, "Send SIGTERM to gnome-shell (2201) of user, started 36:41 ago?  y sends, n or Esc"},
        {71, "Send SIGTERM to gnome-shell (2201) of user, started 36:41 ago? y/n"},
        {64, "Send SIGTERM to gnome-shell (2201)?  y sends, n or Esc does not"},
        {40, "SIGTERM to gnome-shell (2201)? y/n"},
        {20, "SIGTERM 2201? y/n"},
    };
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(grid_resize(&sc->g, 24, 80), ERR_OK);
        choose(sc, "2201");
        press(sc, f9);
        press(sc, UI_KEY_ENTER);
        assert_int_equal(grid_resize(&sc->g, i % 2 ? 24 : 2, cases[i].columns), ERR_OK);
        SHOWS(sc, cases[i].text);
        tells(sc, 'y', UI_SIGNAL, SIGTERM);
    }
    assert_int_equal(grid_resize(&sc->g, 24, 12), ERR_OK);
    press(sc, f9);
    press(sc, UI_KEY_ENTER);
    tells(sc, 'y', UI_NONE, 0);
    SHOWS(sc, "not sent: ");
    close_screen(sc);
}

/* ---- tags ------------------------------------------------------------------------------------ */

static void several_at_once(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    choose(sc, "48213");
    type(sc, " ");
    choose(sc, "2201");
    type(sc, " ");
    SHOWS(sc, "[2 tagged]");
    choose(sc, "9034"); /* selected, not tagged */
    press(sc, f9);
    SHOWS(sc, "To 2 processes");
    press(sc, UI_KEY_ENTER);
    assert_int_equal(grid_resize(&sc->g, 24, 130), ERR_OK);
    SHOWS(
        sc,
        "Send SIGTERM to 2 processes: film.blend -f 1..200 (48213), gnome-shell (2201)?  y sends");
    assert_int_equal(grid_resize(&sc->g, 24, 100), ERR_OK);
    SHOWS(sc, "Send SIGTERM to 2 processes: film.blend -f 1..200 (48213), gnome-shell (2201)? y/n");
    assert_int_equal(grid_resize(&sc->g, 24, 66), ERR_OK);
    SHOWS(sc, "Send SIGTERM to 2 processes: film.blend -f 1..200 (48213), …? y/n");
    assert_int_equal(grid_resize(&sc->g, 24, 24), ERR_OK);
    SHOWS(sc, "SIGTERM to 2? y/n");
    tells(sc, 'y', UI_SIGNAL, SIGTERM);
    goes_to(sc, 2, (const int32_t[]){48213, 2201});
    close_screen(sc);
}

static void untags(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    press(sc, UI_KEY_HOME);
    type(sc, "   ");
    SHOWS(sc, "[3 tagged]");
    press(sc, UI_KEY_UP);
    type(sc, " ");
    SHOWS(sc, "[2 tagged]");
    type(sc, "U");
    HIDES(sc, "tagged]");
    choose(sc, "(not attrib");
    type(sc, "'");
    SHOWS(sc, "only processes can be tagged");
    HIDES(sc, "tagged]");
    close_screen(sc);
    sc = open_screen(replay, snap_typical);
    tells(sc, ' ', UI_PAUSE, 0);
    HIDES(sc, "tagged]");
    type(sc, "'");
    SHOWS(sc, "[1 tagged]");
    close_screen(sc);
}

/* Rows of two devices, the clients below: still one process. */
static void one_process_is_one_target(void **state) {
    struct screen *sc = open_screen(live, build_odd);
    (void)state;
    choose(sc, "twice");
    type(sc, " ");
    SHOWS(sc, "[1 tagged]");
    SELECTS(sc, "twice"); /* the other row */
    press(sc, f9);
    press(sc, UI_KEY_ENTER);
    tells(sc, 'y', UI_SIGNAL, SIGTERM);
    goes_to(sc, 1, (const int32_t[]){73});
    choose(sc, "twice");
    type(sc, " ");
    HIDES(sc, "tagged]");
    close_screen(sc);
    sc = open_screen(live, snap_typical);
    type(sc, "H");
    choose(sc, "48213");
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_DOWN);
    type(sc, " ");
    press(sc, f9);
    press(sc, UI_KEY_ENTER);
    tells(sc, 'y', UI_SIGNAL, SIGTERM);
    goes_to(sc, 1, (const int32_t[]){48213});
    close_screen(sc);
}

static struct snap_process *process_of(struct snap *b, int32_t pid) {
    for (uint32_t i = 0; i < b->s.process_count; i++) {
        if (b->processes[i].pid == pid) {
            return &b->processes[i];
        }
    }
    fail();
    return NULL;
}

static void a_tag_goes_with_its_process(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    choose(sc, "48213");
    type(sc, " ");
    choose(sc, "9034");
    type(sc, " ");
    process_of(&sc->b, 48213)->start++; /* a later one of the number */
    SHOWS(sc, "[1 tagged]");
    process_of(&sc->b, 9034)->exited = true;
    SHOWS(sc, "[1 tagged]");
    press(sc, f9);
    SHOWS(sc, "no signal: all that are tagged have ended");
    choose(sc, "2201");
    type(sc, " ");
    press(sc, f9);
    SHOWS(sc, "To gnome-shell (2201)");
    close_screen(sc);
}

static void not_more_than_there_is_room_for(void **state) {
    struct snap b;
    struct ui *ui = NULL;
    (void)state;
    snap_many(&b, 1, 400, 1);
    assert_int_equal(ui_create(&live, &ui), ERR_OK);
    for (int i = 0; i < 390; i++) {
        (void)ui_key(ui, ' ', snap_get(&b));
    }
    (void)ui_key(ui, f9, snap_get(&b));
    (void)ui_key(ui, UI_KEY_ENTER, snap_get(&b));
    assert_int_equal(ui_key(ui, 'y', snap_get(&b)).action, UI_SIGNAL);
    uint32_t count;
    (void)ui_targets(ui, &count);
    assert_in_range(count, 200, 256); /* those that exited get none */
    ui_destroy(ui);
    snap_finish(&b);
}

/* ---- whatever comes in between --------------------------------------------------------------- */

enum { MACHINES = 6 };

struct walk {
    uint32_t seed;
    struct ui *ui;
    struct snap machines[MACHINES];
    struct grid g;
    struct buf text;
    const struct snapshot *opened; /* what was there when the list came up */
    uint32_t sent;
};

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static const struct snapshot *any_machine(struct walk *w) {
    return snap_get(&w->machines[next_random(&w->seed) % MACHINES]);
}

static const char *draw_any(struct walk *w) {
    const struct ui_play play = {.busy_ppm = -1};
    ui_render(w->ui, any_machine(w), &play, &w->g);
    buf_clear(&w->text);
    grid_dump(&w->g, &w->text);
    buf_char(&w->text, '\0');
    return w->text.p;
}

/* The same numbers in each machine, some of them of later processes; some are gone. */
static void build_machine(struct snap *b, uint32_t n) {
    snap_init(b);
    snap_device(b, "0000:03:00.0", "Arc A770", "xe");
    snap_device(b, "0000:04:00.0", "Arc A770", "xe");
    for (uint32_t i = 0; i < 14; i++) {
        char name[16];
        if ((i + n) % 7 == 3) {
            continue;
        }
        snprintf(name, sizeof name, "work%u", (unsigned)i);
        struct snap_process *p = snap_process(b, (int32_t)(300 + i), i % 2, name, "");
        p->start = 5000 + (i % 3 == 1 ? n : 0);
        p->busy_ppm = snap_value((i * 7919 + n * 104729) % 1000000);
        p->exited = (i + n) % 11 == 0;
    }
    snap_loose(b, 0, "(not attributed)");
}

static void check_sent(struct walk *w, const char *question) {
    uint32_t count;
    const struct ui_target *t = ui_targets(w->ui, &count);
    assert_non_null(w->opened);
    assert_in_range(count, 1, 14);
    const char *at = strstr(question, "Send SIG");
    const char *end = at ? strstr(at, "?  y sends") : NULL;
    assert_non_null(end);
    for (uint32_t i = 0; i < count; i++) {
        at = strchr(at, '(');
        assert_true(at && at < end);
        assert_int_equal(strtol(++at, NULL, 10), t[i].pid);
        bool found = false;
        for (uint32_t p = 0; p < w->opened->process_count; p++) {
            const struct snap_process *was = &w->opened->processes[p];
            found |= was->pid == t[i].pid && was->start == t[i].start && !was->exited;
        }
        assert_true(found);
    }
    w->sent++;
}

static void walk_step(struct walk *w) {
    static const uint32_t keys[] = {'k',
                                    f9,
                                    UI_KEY_ENTER,
                                    UI_KEY_ENTER,
                                    UI_KEY_ENTER,
                                    'y',
                                    'y',
                                    'y',
                                    'n',
                                    UI_KEY_ESC,
                                    UI_KEY_UP,
                                    UI_KEY_DOWN,
                                    ' ',
                                    '\'',
                                    'U',
                                    'G',
                                    'N',
                                    'I',
                                    'H',
                                    UI_KEY_F1,
                                    UI_KEY_F1 + 5,
                                    UI_KEY_TAB,
                                    'u',
                                    '/',
                                    'F',
                                    'D',
                                    UI_KEY_RESIZE,
                                    'Y',
                                    UI_KEY_BACKSPACE,
                                    UI_KEY_PAGE_DOWN};
    uint32_t r = next_random(&w->seed);
    uint32_t key = r % 16 == 0 ? r / 16 % 0x110010 : keys[r / 16 % (sizeof keys / sizeof keys[0])];
    const char *before = draw_any(w);
    bool had_list = strstr(before, "\n To ") != NULL;
    bool asked = strstr(before, "?  y sends") != NULL;
    const struct snapshot *s = any_machine(w);
    struct ui_command c = ui_key(w->ui, key, s);
    if (c.action == UI_SIGNAL) {
        assert_true(asked);
        assert_int_equal(key, 'y');
        check_sent(w, before);
    }
    if (!had_list && (key == 'k' || key == f9) && strstr(draw_any(w), "\n To ")) {
        w->opened = s;
    }
}

static void never_without_the_question(void **state) {
    struct walk w = {.seed = 20261};
    (void)state;
    for (uint32_t i = 0; i < MACHINES; i++) {
        build_machine(&w.machines[i], i);
    }
    assert_int_equal(ui_create(&live, &w.ui), ERR_OK);
    assert_int_equal(grid_resize(&w.g, 24, 400), ERR_OK);
    for (int i = 0; i < 40000; i++) {
        walk_step(&w);
    }
    assert_true(w.sent > 50);
    ui_destroy(w.ui);
    grid_finish(&w.g);
    buf_finish(&w.text);
    for (uint32_t i = 0; i < MACHINES; i++) {
        snap_finish(&w.machines[i]);
    }
}

/* ---- users ----------------------------------------------------------------------------------- */

static void rows_of_one_user(void **state) {
    struct screen *sc = open_screen(live, snap_typical);
    (void)state;
    type(sc, "u");
    SHOWS(sc, "all users");
    SHOWS(sc, "research-team");
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "[user research-team]");
    SHOWS(sc, "50177");
    HIDES(sc, "48213");
    type(sc, "u"); /* stands on the one that is shown */
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "[user root]");
    SHOWS(sc, "51002");
    HIDES(sc, "50177");
    type(sc, "u");
    press(sc, UI_KEY_ESC);
    SHOWS(sc, "[user root]");
    type(sc, "u");
    press(sc, UI_KEY_HOME);
    press(sc, UI_KEY_ENTER);
    HIDES(sc, "[user");
    SHOWS(sc, "48213");
    close_screen(sc);
}

static void back_to_the_command_line(void **state) {
    struct ui_options o = live;
    o.query.user = span_of("root");
    struct screen *sc = open_screen(o, snap_typical);
    (void)state;
    SHOWS(sc, "[user root]");
    type(sc, "u");
    SHOWS(sc, "as started: root");
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "[user research-team]");
    type(sc, "u");
    press(sc, UI_KEY_HOME);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "[user root]");
    HIDES(sc, "50177");
    close_screen(sc);
}

/* By its number where the name is not known; many only once; too long a name not at all. */
static void build_users(struct snap *b) {
    static char endless[200];
    memset(endless, 'x', sizeof endless - 1);
    snap_init(b);
    snap_device(b, "0000:03:00.0", "Arc A770", "xe");
    for (int32_t i = 0; i < 300; i++) {
        char name[16];
        snprintf(name, sizeof name, "u%03d", (int)(299 - i) / 2);
        snap_process(b, 500 + i, 0, "work", "")->user = snap_text(b, name);
    }
    struct snap_process *p = snap_process(b, 900, 0, "numbered", "");
    p->user = (struct text_ref){0};
    p->uid = snap_value(1234);
    p = snap_process(b, 901, 0, "nameless", "");
    p->user = (struct text_ref){0};
    p->uid = snap_none(STATE_UNKNOWN);
    snap_process(b, 902, 0, "long", "")->user = snap_text(b, endless);
}

static void odd_users(void **state) {
    struct screen *sc = open_screen(live, build_users);
    (void)state;
    type(sc, "u");
    HIDES(sc, "xxxxx");
    press(sc, UI_KEY_DOWN);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "[user 1234]");
    SHOWS(sc, "numbered");
    HIDES(sc, "nameless");
    type(sc, "u");
    press(sc, UI_KEY_END);
    press(sc, UI_KEY_ENTER);
    SHOWS(sc, "[user u149]");
    SHOWS(sc, "500 u149");
    SHOWS(sc, "501 u149");
    HIDES(sc, "502");
    close_screen(sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_and_sends),
        cmocka_unit_test(only_y_sends),
        cmocka_unit_test(another_signal),
        cmocka_unit_test(names_of_signals),
        cmocka_unit_test(says_why_not),
        cmocka_unit_test(not_there_where_it_is_not_allowed),
        cmocka_unit_test(names_gwtop_itself),
        cmocka_unit_test(without_a_snapshot),
        cmocka_unit_test(fits_any_width),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(untags),
        cmocka_unit_test(one_process_is_one_target),
        cmocka_unit_test(a_tag_goes_with_its_process),
        cmocka_unit_test(not_more_than_there_is_room_for),
        cmocka_unit_test(never_without_the_question),
        cmocka_unit_test(rows_of_one_user),
        cmocka_unit_test(back_to_the_command_line),
        cmocka_unit_test(odd_users),
    };
    return cmocka_run_group_tests_name("signals, tags and users", tests, NULL, NULL);
}
