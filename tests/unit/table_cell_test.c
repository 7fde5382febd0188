/* What each cell says: numbers, marks, and the four things that are no number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/table.h"
#include "snap_cases.h"

#define GIB (INT64_C(1) << 30)

struct cell_is {
    struct row row;
    enum column column;
    bool unicode;
    size_t columns;
};

static void expect(struct snap *b, struct cell_is c, const char *want) {
    struct buf out = {0};
    (void)table_cell(snap_get(b), c.row, c.column, c.unicode, c.columns, &out);
    buf_char(&out, '\0');
    assert_string_equal(out.p, want);
    buf_finish(&out);
}

static enum role role_of(struct snap *b, struct row r, enum column c) {
    struct buf out = {0};
    enum role role = table_cell(snap_get(b), r, c, true, 20, &out);
    buf_finish(&out);
    return role;
}

/* Of the first process, in the column's own width. */
static void says(struct snap *b, enum column c, const char *want) {
    size_t width = column_info(c)->width;
    expect(b, (struct cell_is){.column = c, .unicode = true, .columns = width}, want);
}

/* One process, with an engine. */
static struct snap_process *one(struct snap *b) {
    snap_init(b);
    snap_device(b, "0000:03:00.0", "GPU", "amdgpu");
    struct snap_process *p = snap_process(b, 4194304, 0, "tool", "");
    snap_engine(b, &p->engines, CLASS_GRAPHICS, snap_value(414999));
    return p;
}

static void shares(void **state) {
    static const struct {
        int64_t ppm;
        const char *gpu;
        const char *gfx;
    } cases[] = {
        {0, "0", "·"},
        {1, "0.0", "0"},
        {499, "0.0", "0"},
        {500, "0.1", "0"},
        {5000, "0.5", "1"},
        {412345, "41.2", "41"},
        {994999, "99.5", "99"},
        {995000, "99.5", "100"},
        {999499, "99.9", "100"},
        {999500, "100.0", "100"},
        {1000000, "100.0", "100"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct snap b;
        one(&b)->busy_ppm = snap_value(cases[i].ppm);
        b.engines[0].busy_ppm = snap_value(cases[i].ppm);
        says(&b, COLUMN_GPU, cases[i].gpu);
        says(&b, COLUMN_GRAPHICS, cases[i].gfx);
        snap_finish(&b);
    }
}

static void zero_in_ascii(void **state) {
    struct snap b;
    (void)state;
    one(&b);
    b.engines[0].busy_ppm = snap_value(0);
    expect(&b, (struct cell_is){.column = COLUMN_GRAPHICS, .columns = 3}, "0");
    b.engines[0].busy_ppm = snap_doubted(0);
    expect(&b, (struct cell_is){.column = COLUMN_GRAPHICS, .unicode = true, .columns = 4}, "0~");
    snap_finish(&b);
}

static void four_things_that_are_no_number(void **state) {
    struct snap b;
    struct snap_process *p = one(&b);
    (void)state;
    p->busy_ppm = snap_none(STATE_UNKNOWN);
    says(&b, COLUMN_GPU, "?");
    p->busy_ppm = snap_none(STATE_DENIED);
    says(&b, COLUMN_GPU, "deny");
    p->busy_ppm = snap_none(STATE_UNSUPPORTED);
    says(&b, COLUMN_GPU, "-");
    p->busy_ppm = snap_none(STATE_MALFORMED);
    says(&b, COLUMN_GPU, "bad");
    p->busy_ppm = snap_value(-5);
    says(&b, COLUMN_GPU, "bad");
    b.engines[0].busy_ppm = snap_none(STATE_DENIED);
    says(&b, COLUMN_GRAPHICS, "den");
    says(&b, COLUMN_DECODE, "-");
    says(&b, COLUMN_TYPE, "-");
    snap_finish(&b);
}

/* Several engines of one class: the busiest that is known. */
static void class_is_its_busiest(void **state) {
    struct snap b;
    struct snap_process *p = one(&b);
    (void)state;
    snap_engine(&b, &p->engines, CLASS_GRAPHICS, snap_none(STATE_UNKNOWN));
    snap_engine(&b, &p->engines, CLASS_GRAPHICS, snap_value(700000));
    snap_engine(&b, &p->engines, CLASS_ENCODE, snap_none(STATE_UNKNOWN));
    says(&b, COLUMN_GRAPHICS, "70");
    says(&b, COLUMN_ENCODE, "?");
    snap_finish(&b);
}

static void doubt_is_a_mark(void **state) {
    struct snap b;
    struct snap_process *p = one(&b);
    struct cell_is wide = {.column = COLUMN_GPU, .columns = 6};
    struct cell_is narrow = {.column = COLUMN_GPU, .columns = 5};
    (void)state;
    p->busy_ppm = snap_doubted(1000000);
    expect(&b, wide, "100.0~");
    expect(&b, narrow, "100~");
    narrow.columns = 1;
    expect(&b, narrow, "~");
    p->vram.bytes = snap_value(1000 << 20);
    p->vram.mark = 1;
    wide.column = narrow.column = COLUMN_VRAM;
    narrow.columns = 5;
    expect(&b, wide, "1000M~");
    expect(&b, narrow, "1.0G~");
    assert_int_equal(role_of(&b, (struct row){0}, COLUMN_GPU), ROLE_WARN);
    snap_finish(&b);
}

static void sizes_and_times(void **state) {
    struct snap b;
    struct snap_process *p = one(&b);
    (void)state;
    p->rss = snap_value(0);
    says(&b, COLUMN_RSS, "0");
    p->rss = snap_value(5 * GIB + GIB / 10);
    says(&b, COLUMN_RSS, "5.1G");
    p->gtt.bytes = snap_value(96 << 20);
    says(&b, COLUMN_GTT, "96M");
    p->shared = snap_value(512 << 10);
    says(&b, COLUMN_SHARED, "512K");
    p->busy_ns = snap_value(INT64_C(3250000000));
    says(&b, COLUMN_TIME, "0:03.25");
    p->cpu_ppm = snap_value(1604000);
    says(&b, COLUMN_CPU, "160.4");
    p->cpu_ppm = snap_value(25600000);
    says(&b, COLUMN_CPU, "2560");
    p->cpu_ppm = snap_value(INT64_MAX);
    says(&b, COLUMN_CPU, "+++++");
    snap_finish(&b);
}

static void ages(void **state) {
    static const struct {
        int64_t s;
        const char *want;
    } cases[] = {{-9, "0s ago"},       {0, "0s ago"},          {59, "59s ago"},
                 {60, "1m ago"},       {3599, "59m ago"},      {3600, "1h00 ago"},
                 {86400, "1d00h ago"}, {1051200, "12d04h ago"}};
    struct snap b;
    struct snap_process *p = one(&b);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        p->start_ns = snap_value(b.s.real_ns - cases[i].s * 1000000000);
        says(&b, COLUMN_START, cases[i].want);
    }
    b.s.real_ns = 0;
    says(&b, COLUMN_START, "?");
    snap_finish(&b);
}

static void texts(void **state) {
    struct snap b;
    struct snap_process *p = one(&b);
    (void)state;
    says(&b, COLUMN_PID, "4194304");
    says(&b, COLUMN_USER, "user");
    says(&b, COLUMN_DEV, "0");
    says(&b, COLUMN_NSPID, "-");
    says(&b, COLUMN_CONTAINER, "-");
    p->user = snap_text(&b, "research-team");
    says(&b, COLUMN_USER, "researc…");
    expect(&b, (struct cell_is){.column = COLUMN_USER, .columns = 8}, "researc+");
    expect(&b, (struct cell_is){.column = COLUMN_USER, .columns = 1}, "+");
    p->user = snap_text(&b, "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2");
    says(&b, COLUMN_USER, "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2…");
    p->user = snap_text(&b, "");
    says(&b, COLUMN_USER, "?");
    p->type = TYPE_MEDIA;
    says(&b, COLUMN_TYPE, "media");
    snap_finish(&b);
}

static void commands(void **state) {
    struct snap b;
    struct snap_process *p = one(&b);
    struct cell_is c = {.column = COLUMN_COMMAND, .unicode = true, .columns = 100};
    (void)state;
    expect(&b, c, "[tool]");
    p->command = snap_text(&b, "/bin/tool --all");
    expect(&b, c, "/bin/tool --all");
    p->exited = true;
    expect(&b, c, "(exited) /bin/tool --all");
    assert_int_equal(role_of(&b, c.row, COLUMN_COMMAND), ROLE_EXITED);
    c.columns = 12;
    expect(&b, c, "(exited) /bi");
    p->command = p->name = snap_text(&b, "");
    expect(&b, c, "(exited) [41"); /* nobody told its name: the pid stands for it */
    c.columns = 40;
    expect(&b, c, "(exited) [4194304]");
    c.columns = 0;
    expect(&b, c, "");
    snap_finish(&b);
}

static void rows_without_a_process(void **state) {
    struct snap b;
    struct cell_is c = {.row = {.unattributed = true}, .unicode = true, .columns = 80};
    (void)state;
    one(&b);
    struct snap_unattributed *u = snap_loose(&b, 0, "(not attributed)");
    u->busy_ppm = snap_value(4000);
    u->reasons = UINT64_C(1) << REASON_NO_SENSOR;
    c.column = COLUMN_COMMAND;
    expect(&b, c, "(not attributed)  the device reports no busy time of its own");
    c.column = COLUMN_GPU;
    expect(&b, c, "0.4");
    c.column = COLUMN_PID;
    expect(&b, c, "-");
    c.column = COLUMN_USER;
    expect(&b, c, "");
    c.column = COLUMN_DEV;
    expect(&b, c, "0");
    c.row.index = 7; /* not there */
    expect(&b, c, "");
    snap_finish(&b);
}

static void rows_of_clients(void **state) {
    struct snap b;
    struct cell_is c = {.row = {.client = true}, .unicode = true, .columns = 80};
    (void)state;
    one(&b);
    struct snap_client *k = snap_client(&b, 42, "Xwayland");
    k->holders = 3;
    snap_engine(&b, &k->engines, CLASS_GRAPHICS, snap_value(10000));
    snap_engine(&b, &k->engines, CLASS_COPY, snap_value(30000));
    b.engines[1].busy_ns = snap_value(1000000000);
    b.engines[2].busy_ns = snap_value(2000000000);
    snap_memory(&b, &k->memory, "vram0", snap_value(3 << 20));
    snap_memory(&b, &k->memory, "vram1", snap_none(STATE_UNSUPPORTED))->legacy =
        snap_value(1 << 20);
    snap_memory(&b, &k->memory, "gtt", snap_none(STATE_UNSUPPORTED))->total = snap_value(5 << 20);
    snap_memory(&b, &k->memory, "system", snap_value(1 << 20));
    c.column = COLUMN_COMMAND;
    expect(&b, c, "└ client 42, 3 descriptors, Xwayland");
    c.column = COLUMN_GPU;
    expect(&b, c, "3.0");
    c.column = COLUMN_COPY;
    expect(&b, c, "3");
    c.column = COLUMN_TIME;
    expect(&b, c, "0:03.00");
    c.column = COLUMN_VRAM;
    expect(&b, c, "4.0M");
    c.column = COLUMN_GTT;
    expect(&b, c, "6.0M~");
    c.column = COLUMN_PID;
    expect(&b, c, "");
    snap_finish(&b);
}

/* Whatever a snapshot holds, no cell is wider than allowed, and all are clean text. */
static void never_wider_than_allowed(void **state) {
    struct snap b;
    struct buf out = {0};
    (void)state;
    snap_hostile(&b);
    const struct snapshot *s = snap_get(&b);
    for (uint32_t i = 0; i < 4 * 20 * COLUMN_COUNT; i++) {
        struct row r = {
            .index = i / 4 / COLUMN_COUNT, .client = i % 4 == 1, .unattributed = i % 4 == 2};
        enum column c = (enum column)(i / 4 % COLUMN_COUNT);
        for (size_t columns = 0; columns < 30; columns++) {
            buf_clear(&out);
            (void)table_cell(s, r, c, i % 4 == 3, columns, &out);
            assert_in_range(text_columns(buf_span_of(&out)), 0, columns);
        }
    }
    buf_finish(&out);
    snap_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares),
        cmocka_unit_test(zero_in_ascii),
        cmocka_unit_test(four_things_that_are_no_number),
        cmocka_unit_test(class_is_its_busiest),
        cmocka_unit_test(doubt_is_a_mark),
        cmocka_unit_test(sizes_and_times),
        cmocka_unit_test(ages),
        cmocka_unit_test(texts),
        cmocka_unit_test(commands),
        cmocka_unit_test(rows_without_a_process),
        cmocka_unit_test(rows_of_clients),
        cmocka_unit_test(never_wider_than_allowed),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
