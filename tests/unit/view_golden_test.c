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
    const char *set;              /* settings as "key=value key=value"; NULL: "hint=no" */
    const struct ui_files *files; /* the answer where files of a process are asked for */
    uint64_t past;                /* it was told of the ticks up to this one, see snap_past() */
};

#define DOWN   "\12"
#define ENTER  "\15"
#define UP     "\5"
#define RIGHT  "\6"
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

#define FILE_SAYS(what)                                                                            \
    { .text = {what, sizeof what - 1}, .state = STATE_VALUE }
static const struct ui_files files = {
    .environment =
        FILE_SAYS("HOME=/home/user\0LANG=de_DE.UTF-8\0LS_COLORS=rs=0:di=01;34:ln=01;36:"
                  "mh=00:pi=40;33:so=01;35:do=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01\0"
                  "PATH=/usr/local/bin:/usr/bin:/bin\0PROMPT=\x1b[31m$ \x1b[0m\0XDG_SEAT=\0"
                  "TITLE=\xe7\x95\xab\xe9\x9d\xa2\xff\0USER=user\0"),
    .cgroup = FILE_SAYS("0::/user.slice/user-1000.slice/app.slice/app-blender-48213.scope\n"),
    .command = FILE_SAYS("blender\0--background\0scene.blend\0--render-output\0"
                         "/home/user/renders/long-name-of-a-folder/frame-####\0-a\0"),
    .executable = FILE_SAYS("/usr/bin/blender"),
    .directory = FILE_SAYS("/home/user/renders"),
};
static const struct ui_files denied = {.environment = {.state = STATE_DENIED},
                                       .cgroup = FILE_SAYS("0::/system.slice/x.service\n"),
                                       .command = FILE_SAYS("python\0train.py\0"),
                                       .executable = {.state = STATE_DENIED},
                                       .directory = {.state = STATE_DENIED}};

/* A recording with something of everything, of which the end is not looked through yet. */
static const struct ui_marks marks = {.known_ppm = 840000,
                                      .bits = {[12] = UI_MARK_START,
                                               [60] = UI_MARK_START,
                                               [61] = UI_MARK_EXIT,
                                               [150] = UI_MARK_LIMIT,
                                               [170] = UI_MARK_LIMIT,
                                               [190] = UI_MARK_LIMIT,
                                               [210] = UI_MARK_LIMIT,
                                               [260] = UI_MARK_EXIT,
                                               [310] = UI_MARK_MISSING,
                                               [330] = UI_MARK_MISSING,
                                               [400] = UI_MARK_START}};

static void build_four_cards(struct snap *b) {
    snap_cards(b, 4, 5);
}

/* One of each state that is not active, too. */
static void build_sixteen(struct snap *b) {
    snap_cards(b, 16, 5);
    b->devices[9].state = DEVICE_REMOVED;
    b->devices[10].state = DEVICE_DENIED;
    b->devices[11].left_alone = true;
}

static void build_sixty_four(struct snap *b) {
    snap_cards(b, 64, 5);
}

/* Processes with parents, memory regions, and one user of several. */
static void build_family(struct snap *b) {
    snap_power(b);
    for (uint32_t i = 0; i < b->s.process_count; i++) {
        b->processes[i].ppid = i == 0 ? 1 : b->processes[i % 3 ? 0 : i - 1].pid;
        struct snap_memory *m =
            snap_memory(b, &b->processes[i].memory, "vram", b->processes[i].vram.bytes);
        m->shared = snap_value(INT64_C(20) << 20);
    }
}

static const struct golden cases[] = {
    {.name = "typical", .build = snap_typical, .options = {.unicode = true}},
    {.name = "ascii", .build = snap_typical},
    {.name = "tree", .build = build_family, .keys = "t", .options = {.unicode = true}},
    {.name = "tree-ascii", .build = build_family, .keys = "t1m"},
    {.name = "groups", .build = build_family, .keys = "OO", .options = {.unicode = true}},
    {.name = "totals", .build = build_family, .keys = "Oxm", .options = {.unicode = true}},
    {.name = "bars", .build = build_family, .keys = "xn ", .options = {.unicode = true}},
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
    {.name = "plots", .build = snap_card, .options = {.unicode = true}, .past = 100},
    {.name = "plots-ascii", .build = snap_card, .past = 100},
    {.name = "plots-block",
     .build = snap_card,
     .options = {.unicode = true},
     .set = "hint=no glyphs=block",
     .past = 100},
    {.name = "plots-tall",
     .build = build_cards,
     .keys = "p",
     .options = {.unicode = true},
     .past = 30},
    {.name = "plots-pw", .build = snap_mali, .options = {.unicode = true}, .past = 30},
    {.name = "plots-column",
     .build = snap_typical,
     .options = {.unicode = true,
                 .columns = {.list = {COLUMN_PID, COLUMN_GPU, COLUMN_HISTORY, COLUMN_COMMAND},
                             .count = 4}},
     .past = 100},
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
    {.name = "process",
     .build = snap_power,
     .keys = DOWN ENTER,
     .options = {.unicode = true},
     .files = &files},
    {.name = "process-end",
     .build = snap_power,
     .keys = DOWN ENTER "\4",
     .options = {.unicode = true},
     .files = &files},
    {.name = "process-typical",
     .build = snap_typical,
     .keys = DOWN ENTER,
     .options = {.unicode = true}},
    {.name = "process-card",
     .build = snap_card,
     .keys = DOWN DOWN ENTER,
     .options = {.unicode = true},
     .files = &denied},
    {.name = "process-ascii", .build = snap_power, .keys = DOWN ENTER, .files = &files},
    {.name = "process-contexts",
     .build = snap_counters,
     .keys = DOWN ENTER,
     .options = {.unicode = true}},
    {.name = "process-jobs", .build = snap_mali, .keys = DOWN ENTER, .options = {.unicode = true}},
    {.name = "process-hostile",
     .build = snap_hostile,
     .keys = DOWN ENTER,
     .options = {.unicode = true}},
    {.name = "process-replay",
     .build = snap_power,
     .keys = DOWN ENTER "\4",
     .options = {.unicode = true, .replay = true, .no_files = true}},
    {.name = "environment",
     .build = snap_power,
     .keys = DOWN "e",
     .options = {.unicode = true},
     .files = &files},
    {.name = "environment-denied",
     .build = snap_power,
     .keys = DOWN ENTER "e",
     .options = {.unicode = true},
     .files = &denied},
    {.name = "signal", .build = snap_typical, .keys = DOWN "k", .options = {.unicode = true}},
    {.name = "confirm",
     .build = snap_typical,
     .keys = DOWN "k" ENTER,
     .options = {.unicode = true}},
    {.name = "confirm-several",
     .build = snap_typical,
     .keys = DOWN "   k" ENTER,
     .options = {.unicode = true}},
    {.name = "users", .build = snap_typical, .keys = "u", .options = {.unicode = true}},
    {.name = "hostile", .build = snap_hostile, .options = {.unicode = true}},
    {.name = "clients", .build = snap_typical, .keys = "H" DOWN DOWN, .options = {.unicode = true}},
    {.name = "help", .build = snap_typical, .keys = "?", .options = {.unicode = true}},
    {.name = "help-end", .build = snap_typical, .keys = "?\4", .options = {.unicode = true}},
    {.name = "help-replay",
     .build = snap_typical,
     .keys = "?",
     .options = {.unicode = true, .replay = true}},
    {.name = "setup", .build = snap_typical, .keys = "S", .options = {.unicode = true}},
    {.name = "setup-columns",
     .build = snap_typical,
     .keys = "S\11" DOWN DOWN "+ " RIGHT,
     .options = {.unicode = true, .config_path = "/home/user/.config/gwtop/config"}},
    {.name = "setup-write",
     .build = snap_typical,
     .keys = "S\4" UP UP UP UP UP UP UP UP UP ENTER "gpu>5 and nme=" ENTER,
     .options = {.config_path = "/home/user/.config/gwtop/config"}},
    {.name = "sort-list",
     .build = snap_typical,
     .keys = "<" DOWN DOWN,
     .options = {.unicode = true}},
    {.name = "sorted", .build = snap_typical, .keys = "M,GIi", .options = {.unicode = true}},
    {.name = "filter",
     .build = snap_typical,
     .keys = "\\gpu>5 and vram>300M",
     .options = {.unicode = true}},
    {.name = "filter-bad", .build = snap_typical, .keys = "\\gpu>", .options = {.unicode = true}},
    {.name = "filter-kept",
     .build = snap_typical,
     .keys = "\\train" ENTER,
     .options = {.unicode = true}},
    {.name = "filter-none",
     .build = snap_typical,
     .keys = "\\user=nobody" ENTER,
     .options = {.unicode = true}},
    {.name = "header-focus", .build = snap_typical, .keys = UP RIGHT, .options = {.unicode = true}},
    {.name = "explain", .build = snap_power, .keys = "W" UP "?", .options = {.unicode = true}},
    {.name = "scrolled", .build = snap_card, .keys = RIGHT RIGHT, .options = {.unicode = true}},
    {.name = "compact-4",
     .build = build_four_cards,
     .options = {.unicode = true},
     .set = "hint=no strip=compact"},
    {.name = "summary-16",
     .build = build_sixteen,
     .options = {.unicode = true},
     .set = "hint=no strip=summary"},
    {.name = "summary-16-ascii", .build = build_sixteen, .set = "hint=no strip=summary"},
    {.name = "summary-64", .build = build_sixty_four, .options = {.unicode = true}},
    {.name = "plain", .build = snap_card, .options = {.unicode = true}, .set = "hint=no plain=yes"},
    {.name = "hint", .build = snap_typical, .options = {.unicode = true}, .set = "hint=yes"},
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
    {.name = "timeline",
     .build = snap_typical,
     .options = {.unicode = true, .replay = true},
     .play = {.speed_milli = 2000,
              .at_ns = 31 * SECOND,
              .length_ns = 83 * SECOND,
              .tick = 32,
              .ticks = 84,
              .loops = true,
              .marks = &marks}},
    {.name = "timeline-ascii",
     .build = snap_typical,
     .options = {.replay = true},
     .play = {.speed_milli = 2000,
              .at_ns = 31 * SECOND,
              .length_ns = 83 * SECOND,
              .tick = 32,
              .ticks = 84,
              .marks = &marks}},
    {.name = "replay-cut",
     .build = snap_typical,
     .keys = "g1:2",
     .options = {.unicode = true, .demo = true, .replay = true},
     .play = {.at_ns = 3723 * SECOND, .note = "the recording ends in the middle of a tick"}},
};

static const struct {
    int columns;
    int rows;
    const char *only; /* cases whose names begin so; NULL: all */
} sizes[] = {{80, 24, NULL}, {200, 60, NULL}, {20, 5, NULL}, {40, 12, "setup"}};

/* Octal 1..6: F1, F3, F6, End, Up, Right; 11 Tab; 12 Down; 15 Enter; 33 Esc. */
static uint32_t key_of(char c) {
    static const uint32_t keys[] = {
        [1] = UI_KEY_F1, [2] = UI_KEY_F1 + 2, [3] = UI_KEY_F1 + 5, [4] = UI_KEY_END,
        [5] = UI_KEY_UP, [6] = UI_KEY_RIGHT,  [10] = UI_KEY_DOWN};
    size_t i = (unsigned char)c;
    return i < sizeof keys / sizeof keys[0] && keys[i] ? keys[i] : (uint32_t)i;
}

static void take_settings(const char *text, struct settings *out) {
    struct cursor c = cursor_over(span_of(text));
    struct span word;
    settings_init(out);
    while (cursor_word(&c, &word)) {
        struct cursor parts = cursor_over(word);
        struct span key, value;
        assert_true(cursor_field(&parts, '=', &key));
        assert_true(cursor_field(&parts, '=', &value));
        assert_int_equal(settings_set(out, key, value, NULL), ERR_OK);
    }
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
    struct ui_options options = c->options;
    struct settings settings;
    take_settings(c->set ? c->set : "hint=no", &settings);
    options.settings = options.settings ? options.settings : &settings;
    assert_int_equal(ui_create(&options, &ui), ERR_OK);
    assert_int_equal(grid_resize(&g, rows, columns), ERR_OK);
    for (uint64_t t = 1; t <= c->past; t++) {
        snap_past(&b, t);
        ui_note(ui, s = snap_get(&b));
    }
    ui_render(ui, s, &play, &g);
    for (const char *k = c->keys ? c->keys : ""; *k; k++) {
        struct ui_command told = ui_key(ui, key_of(*k), s);
        if (told.action == UI_LOOK && c->files) {
            uint32_t count;
            ui_take_files(ui, ui_targets(ui, &count), c->files);
        }
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
        const char *only = sizes[i].only;
        if (only && strncmp(c->name, only, strlen(only)) != 0) {
            continue;
        }
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
