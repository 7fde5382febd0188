/*
 * Whole screens against files: fixtures/screen/CASE/screen.COLUMNSxROWS. With GWTOP_BLESS=1, `all`
 * or the name of a case the files are written anew; the difference is the review.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "gwtop/view.h"
#include "snap_cases.h"

struct golden {
    const char *name;
    void (*build)(struct snap *b); /* NULL: nothing measured yet */
    const char *keys;              /* signs, and F1 to F9 and arrows as \1 to \15, see key_of() */
    struct ui_options options;
    struct ui_play play;
};

#define DOWN   "\12"
#define ENTER  "\15"
#define SECOND INT64_C(1000000000)

static void build_eight(struct snap *b) {
    snap_many(b, 8, 40, 5);
}

static void build_thirty(struct snap *b) {
    snap_many(b, 30, 200, 9);
}

static void build_nothing(struct snap *b) {
    snap_init(b);
}

static void build_idle(struct snap *b) {
    snap_many(b, 1, 0, 0);
    b->s.unattributed_count = 0;
}

static void build_alone(struct snap *b) {
    snap_awake(b);
    b->devices[1].left_alone = true;
    b->devices[1].kept_awake = 0;
}

/* Counters of one device are held, another program holds those of the other. */
static void build_held(struct snap *b) {
    snap_counters(b);
    b->devices[1].state = DEVICE_ACTIVE;
    b->devices[1].counters = COUNTERS_BUSY;
}

static void build_cards(struct snap *b) {
    snap_cards(b, 8, 5);
}

static void build_one_card(struct snap *b) {
    snap_cards(b, 1, 5);
}

static const struct golden cases[] = {
    {.name = "typical", .build = snap_typical, .options = {.unicode = true}},
    {.name = "ascii", .build = snap_typical},
    {.name = "first", .build = snap_first, .options = {.unicode = true}},
    {.name = "measuring", .options = {.unicode = true}},
    {.name = "no-gpu", .build = build_nothing, .options = {.unicode = true}},
    {.name = "no-process", .build = build_idle, .options = {.unicode = true}},
    {.name = "eight-gpus", .build = build_eight, .options = {.unicode = true}},
    {.name = "thirty-gpus", .build = build_thirty, .options = {.unicode = true}},
    {.name = "card", .build = snap_card, .options = {.unicode = true}},
    {.name = "card-ascii", .build = snap_card},
    {.name = "apu", .build = snap_apu, .options = {.unicode = true}},
    {.name = "limits", .build = snap_limits, .options = {.unicode = true}},
    {.name = "doubts", .build = snap_doubts, .options = {.unicode = true}},
    {.name = "awake", .build = snap_awake, .options = {.unicode = true}},
    {.name = "left-alone", .build = build_alone, .options = {.unicode = true}},
    {.name = "one-card", .build = build_one_card, .options = {.unicode = true}},
    {.name = "eight-cards", .build = build_cards, .options = {.unicode = true}},
    {.name = "sensors", .build = snap_card, .keys = "D", .options = {.unicode = true}},
    {.name = "sensors-ascii", .build = snap_card, .keys = "D"},
    {.name = "sensors-end", .build = snap_card, .keys = "D\4", .options = {.unicode = true}},
    {.name = "sensors-asleep", .build = snap_card, .keys = "D\11", .options = {.unicode = true}},
    {.name = "sensors-apu", .build = snap_apu, .keys = "D", .options = {.unicode = true}},
    {.name = "sensors-apu-ascii", .build = snap_apu, .keys = "D"},
    {.name = "sensors-limits", .build = snap_limits, .keys = "D\4", .options = {.unicode = true}},
    {.name = "sensors-doubts", .build = snap_doubts, .keys = "D", .options = {.unicode = true}},
    {.name = "sensors-awake", .build = snap_awake, .keys = "\11\11D", .options = {.unicode = true}},
    {.name = "sensors-hostile", .build = snap_hostile, .keys = "D", .options = {.unicode = true}},
    {.name = "sensors-none", .build = snap_typical, .keys = "D", .options = {.unicode = true}},
    {.name = "hostile", .build = snap_hostile, .options = {.unicode = true}},
    {.name = "clients", .build = snap_typical, .keys = "H" DOWN DOWN, .options = {.unicode = true}},
    {.name = "help", .build = snap_typical, .keys = "?", .options = {.unicode = true}},
    {.name = "help-end", .build = snap_typical, .keys = "?\4", .options = {.unicode = true}},
    {.name = "help-replay",
     .build = snap_typical,
     .keys = "?",
     .options = {.unicode = true, .replay = true}},
    {.name = "sort-list",
     .build = snap_typical,
     .keys = "<" DOWN DOWN,
     .options = {.unicode = true}},
    {.name = "sorted", .build = snap_typical, .keys = "M,GIi", .options = {.unicode = true}},
    {.name = "search", .build = snap_typical, .keys = "/train", .options = {.unicode = true}},
    {.name = "device", .build = build_eight, .keys = "\11\11i", .options = {.unicode = true}},
    {.name = "no-engines", .build = snap_typical, .keys = "1", .options = {.unicode = true}},
    {.name = "power", .build = snap_power, .options = {.unicode = true}},
    {.name = "power-ascii", .build = snap_power, .keys = "W"},
    {.name = "power-device", .build = snap_power, .keys = "D", .options = {.unicode = true}},
    {.name = "units", .build = snap_mali, .keys = "1" DOWN, .options = {.unicode = true}},
    {.name = "units-device", .build = snap_mali, .keys = "D", .options = {.unicode = true}},
    {.name = "counters", .build = snap_counters, .keys = "c", .options = {.unicode = true}},
    {.name = "counters-held", .build = build_held, .options = {.unicode = true}},
    {.name = "counters-busy", .build = build_held, .keys = "c\11", .options = {.unicode = true}},
    {.name = "counters-ascii", .build = snap_counters, .keys = "c" DOWN DOWN DOWN},
    {.name = "counters-end", .build = snap_counters, .keys = "c\4", .options = {.unicode = true}},
    {.name = "counters-none", .build = snap_typical, .keys = "c", .options = {.unicode = true}},
    {.name = "counters-asleep",
     .build = snap_counters,
     .keys = "c\11",
     .options = {.unicode = true}},
    {.name = "counters-cores", .build = snap_cores, .keys = "c\11", .options = {.unicode = true}},
    {.name = "counters-replay",
     .build = snap_counters,
     .keys = "c" DOWN,
     .options = {.unicode = true, .replay = true}},
    {.name = "replay",
     .build = snap_typical,
     .options = {.unicode = true, .replay = true},
     .play = {.paused = true,
              .speed_milli = 500,
              .at_ns = 23 * SECOND,
              .length_ns = 83 * SECOND,
              .tick = 24,
              .ticks = 84}},
    {.name = "replay-cut",
     .build = snap_typical,
     .keys = "g1:2",
     .options = {.unicode = true, .demo = true, .replay = true},
     .play = {.at_ns = 3723 * SECOND, .note = "the recording ends in the middle of a tick"}},
};

static const struct {
    int columns;
    int rows;
} sizes[] = {{80, 24}, {200, 60}, {20, 5}};

/* Octal 1..4: F1, F3, F6, End; 11 Tab; 12 Down; 15 Enter; 33 Esc. */
static uint32_t key_of(char c) {
    static const uint32_t keys[] = {[1] = UI_KEY_F1,
                                    [2] = UI_KEY_F1 + 2,
                                    [3] = UI_KEY_F1 + 5,
                                    [4] = UI_KEY_END,
                                    [10] = UI_KEY_DOWN};
    size_t i = (unsigned char)c;
    return i < sizeof keys / sizeof keys[0] && keys[i] ? keys[i] : (uint32_t)i;
}

static void draw(const struct golden *c, int rows, int columns, struct buf *out) {
    struct snap b;
    struct ui *ui = NULL;
    struct grid g = {0};
    struct ui_play play = c->play;
    const struct snapshot *s = NULL;
    if (c->build) {
        c->build(&b);
        s = snap_get(&b);
    }
    play.busy_ppm = -1;
    play.delay_ns = SECOND;
    assert_int_equal(ui_create(&c->options, &ui), ERR_OK);
    assert_int_equal(grid_resize(&g, rows, columns), ERR_OK);
    ui_render(ui, s, &play, &g);
    for (const char *k = c->keys ? c->keys : ""; *k; k++) {
        (void)ui_key(ui, key_of(*k), s);
        ui_render(ui, s, &play, &g);
    }
    grid_dump(&g, out);
    ui_destroy(ui);
    grid_finish(&g);
    if (c->build) {
        snap_finish(&b);
    }
}

static bool is_blessed(const char *name) {
    const char *bless = getenv("GWTOP_BLESS");
    return bless &&
           (strcmp(bless, "1") == 0 || strcmp(bless, "all") == 0 || strcmp(bless, name) == 0);
}

static void write_file(const char *folder, const char *path, const struct buf *b) {
    mkdir(folder, 0777);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(b->p, 1, b->n, f), b->n);
    assert_int_equal(fclose(f), 0);
}

static void compare_file(const char *path, const struct buf *b) {
    static char want[65536];
    FILE *f = fopen(path, "r");
    if (!f) {
        fail_msg("%s is not there: make bless", path);
        return;
    }
    size_t n = fread(want, 1, sizeof want, f);
    fclose(f);
    if (n != b->n || memcmp(want, b->p, n) != 0) {
        fail_msg("%s differs; drawn now:\n%.*s", path, (int)b->n, b->p);
    }
}

static void golden(void **state) {
    const struct golden *c = *state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct buf b = {0};
        char folder[128], path[192];
        snprintf(folder, sizeof folder, "fixtures/screen/%s", c->name);
        snprintf(path, sizeof path, "%s/screen.%dx%d", folder, sizes[i].columns, sizes[i].rows);
        draw(c, sizes[i].rows, sizes[i].columns, &b);
        if (is_blessed(c->name)) {
            write_file(folder, path, &b);
        } else {
            compare_file(path, &b);
        }
        buf_finish(&b);
    }
}

int main(void) {
    enum { COUNT = sizeof cases / sizeof cases[0] };
    struct CMUnitTest tests[COUNT];
    if (getenv("GWTOP_BLESS")) {
        mkdir("fixtures/screen", 0777);
    }
    for (size_t i = 0; i < COUNT; i++) {
        tests[i] = (struct CMUnitTest){.name = cases[i].name,
                                       .test_func = golden,
                                       .initial_state = (void *)(uintptr_t)&cases[i]};
    }
    return cmocka_run_group_tests_name("screens", tests, NULL, NULL);
}
