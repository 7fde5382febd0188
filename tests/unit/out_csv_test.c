/* CSV: read back by a small reader of RFC 4180. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/out.h"
#include "outsnap.h"

#define ROWS   16
#define FIELDS 40
struct sheet {
    char text[16384]; /* fields one after another, NUL-terminated */
    size_t used;
    const char *at[ROWS][FIELDS];
    unsigned fields[ROWS];
    unsigned rows;
};

static void add(struct sheet *s, char c) {
    assert_true(s->used < sizeof s->text);
    s->text[s->used++] = c;
}

/* One field from `p` on; gives where it ends (on a comma or CR). */
static const char *read_field(struct sheet *s, const char *p, const char *end) {
    s->at[s->rows][s->fields[s->rows]++] = s->text + s->used;
    if (p < end && *p == '"') {
        for (p++; p < end && (*p != '"' || (p + 1 < end && p[1] == '"')); p++) {
            p += *p == '"';
            add(s, *p);
        }
        assert_true(p < end);
        p++;
    } else {
        for (; p < end && *p != ',' && *p != '\r'; p++) {
            assert_true(*p != '"' && *p != '\n');
            add(s, *p);
        }
    }
    add(s, 0);
    return p;
}

static void read_sheet(struct sheet *s, const struct buf *b) {
    const char *p = b->p, *end = b->p + b->n;
    memset(s, 0, sizeof *s);
    while (p < end) {
        assert_true(s->rows < ROWS && s->fields[s->rows] < FIELDS);
        p = read_field(s, p, end);
        assert_true(p < end);
        if (*p == ',') {
            p++;
            continue;
        }
        assert_true(p + 1 < end && p[0] == '\r' && p[1] == '\n');
        p += 2;
        s->rows++;
    }
}

static const char *cell(const struct sheet *s, unsigned row, const char *column) {
    for (unsigned f = 0; f < s->fields[0]; f++) {
        if (strcmp(s->at[0][f], column) == 0) {
            return s->at[row][f];
        }
    }
    print_error("no column %s\n", column);
    fail();
    return "";
}

static void write_sheet(const struct snapshot *s, const struct out_options *o, int ticks,
                        struct sheet *sheet) {
    const struct output *csv = output_find(span_of("csv"));
    struct out_state *st = NULL;
    struct buf b;
    buf_init(&b);
    assert_int_equal(csv->open(o, &st), ERR_OK);
    csv->begin(st, &b);
    for (int i = 0; i < ticks; i++) {
        csv->tick(st, s, &b);
    }
    csv->end(st, &b);
    csv->close(st);
    read_sheet(sheet, &b);
    buf_finish(&b);
    for (unsigned r = 0; r < sheet->rows; r++) {
        assert_int_equal(sheet->fields[r], sheet->fields[0]);
    }
}

static const struct out_options plain;
static struct sheet sheet;

static void a_line_per_process(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    write_sheet(&o.s, &plain, 2, &sheet);
    assert_int_equal(sheet.rows, 5);
    assert_string_equal(sheet.at[0][0], "t_s");
    assert_string_equal(cell(&sheet, 1, "t_s"), "1772374925.5");
    assert_string_equal(cell(&sheet, 1, "interval_s"), "1");
    assert_string_equal(cell(&sheet, 1, "pid"), "48213");
    assert_string_equal(cell(&sheet, 1, "start_s"), "1772374000.25");
    assert_string_equal(cell(&sheet, 1, "name"), "blender");
    assert_string_equal(cell(&sheet, 1, "command"), "/usr/bin/blender --background scene.blend");
    assert_string_equal(cell(&sheet, 1, "user"), "anna");
    assert_string_equal(cell(&sheet, 1, "container"), "");
    assert_string_equal(cell(&sheet, 1, "exited"), "false");
    assert_string_equal(cell(&sheet, 1, "device"), "0000:03:00.0");
    assert_string_equal(cell(&sheet, 1, "type"), process_type_name(TYPE_GRAPHICS));
    assert_string_equal(cell(&sheet, 1, "clients"), "2");
    assert_string_equal(cell(&sheet, 1, "busy_pct"), "41.2345");
    assert_string_equal(cell(&sheet, 1, "busy_s"), "12.500000001");
    assert_string_equal(cell(&sheet, 1, "cpu_pct"), "125.3");
    assert_string_equal(cell(&sheet, 1, "rss_B"), "734003200");
    assert_string_equal(cell(&sheet, 1, "vram_B"), "3221225472");
    assert_string_equal(cell(&sheet, 1, "gfx_pct"), "41.2345");
    assert_string_equal(cell(&sheet, 1, "decode_pct"), "0");
    assert_string_equal(cell(&sheet, 1, "compute_pct"), "");
    assert_string_equal(cell(&sheet, 1, "why"), "");
    assert_string_equal(cell(&sheet, 1, "PW"), "1.24");
    assert_string_equal(cell(&sheet, 1, "PWs"), "0.007254273496");
    assert_string_equal(cell(&sheet, 1, "unpriced_s"), "0");
    assert_string_equal(cell(&sheet, 1, "W"), "44.125");
    assert_string_equal(cell(&sheet, 1, "J"), "812.4");
    assert_string_equal(cell(&sheet, 1, "method"), "shared");
    assert_string_equal(cell(&sheet, 1, "doubt"), "J=estimated");
    assert_string_equal(cell(&sheet, 4, "pid"), "50177");
    outsnap_finish(&o);
}

static void nothing_is_empty_and_says_why(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    write_sheet(&o.s, &plain, 1, &sheet);
    assert_string_equal(cell(&sheet, 2, "busy_pct"), "");
    assert_string_equal(cell(&sheet, 2, "gtt_B"), "");
    assert_string_equal(cell(&sheet, 2, "rss_B"), "");
    assert_string_equal(cell(&sheet, 2, "vram_B"), "1048576");
    assert_string_equal(cell(&sheet, 2, "why"),
                        "start_s=unknown busy_pct=unsupported busy_s=unsupported cpu_pct=unknown "
                        "rss_B=unknown gtt_B=malformed shared_B=denied PW=unknown PWs=unknown "
                        "W=unsupported J=malformed");
    assert_string_equal(cell(&sheet, 2, "unpriced_s"), "1.5");
    assert_string_equal(cell(&sheet, 2, "method"), "");
    assert_string_equal(cell(&sheet, 2, "doubt"), "vram_B=estimated");
    outsnap_finish(&o);
}

/* The first tick has the same columns as all others. */
static void first_tick(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    o.s.interval_ns = outsnap_none(STATE_UNKNOWN);
    write_sheet(&o.s, &plain, 1, &sheet);
    assert_string_equal(cell(&sheet, 1, "interval_s"), "");
    assert_string_equal(cell(&sheet, 1, "why"), "interval_s=unknown");
    outsnap_finish(&o);
}

static void hostile_texts(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    o.processes[0].name = outsnap_text(&o, "=HYPERLINK(\"x\",1)");
    o.processes[0].command = outsnap_text(&o, "a,b \"c\"");
    o.processes[0].user = outsnap_text(&o, "@sum");
    o.processes[1].name = outsnap_text(&o, "-1+2");
    write_sheet(&o.s, &plain, 1, &sheet);
    assert_string_equal(cell(&sheet, 1, "name"), "'=HYPERLINK(\"x\",1)");
    assert_string_equal(cell(&sheet, 1, "command"), "a,b \"c\"");
    assert_string_equal(cell(&sheet, 1, "user"), "'@sum");
    assert_string_equal(cell(&sheet, 2, "name"), "'-1+2");
    outsnap_finish(&o);
}

static void the_busiest_of_a_class(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_init(&o);
    outsnap_device(&o, "0000:03:00.0", "A", "xe");
    struct snap_process *p = outsnap_process(&o, 1, 0, "p");
    outsnap_engine(&o, &p->engines, "vcs", 0, 0)->busy_ppm = outsnap_none(STATE_UNKNOWN);
    outsnap_engine(&o, &p->engines, "vecs", 250000, 0);
    outsnap_engine(&o, &p->engines, "video", 125000, 0);
    outsnap_engine(&o, &p->engines, "bcs", 0, 0)->busy_ppm = outsnap_none(STATE_DENIED);
    write_sheet(&o.s, &plain, 1, &sheet);
    assert_string_equal(cell(&sheet, 1, "media_pct"), "25");
    assert_string_equal(cell(&sheet, 1, "copy_pct"), "");
    assert_non_null(strstr(cell(&sheet, 1, "why"), "copy_pct=denied"));
    outsnap_finish(&o);
}

static void chosen_columns(void **state) {
    struct outsnap o;
    struct out_options q = {0};
    (void)state;
    outsnap_typical(&o);
    assert_int_equal(column_set_parse(span_of("command,pid,gpu"), &q.columns, NULL), ERR_OK);
    write_sheet(&o.s, &q, 1, &sheet);
    assert_int_equal(sheet.fields[0], 7);
    assert_string_equal(sheet.at[0][2], "command");
    assert_string_equal(sheet.at[0][3], "pid");
    assert_string_equal(sheet.at[0][4], "busy_pct");
    assert_string_equal(sheet.at[1][3], "48213");
    assert_string_equal(sheet.at[0][5], "why");
    outsnap_finish(&o);
}

/* Each column of the table that holds something of its own can be asked for. */
static void every_column_of_the_table(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    for (unsigned c = 0; c < COLUMN_COUNT; c++) {
        struct out_options q = {.columns = {.list = {(uint8_t)c}, .count = 1}};
        write_sheet(&o.s, &q, 1, &sheet);
        unsigned wanted = c == COLUMN_HISTORY ? 4 : 5; /* that one is drawn, by the screen alone */
        if (sheet.fields[0] != wanted) {
            print_error("--fields %s gives no column\n", column_info(c)->key);
        }
        assert_int_equal(sheet.fields[0], wanted);
    }
    outsnap_finish(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_per_process),
        cmocka_unit_test(nothing_is_empty_and_says_why),
        cmocka_unit_test(first_tick),
        cmocka_unit_test(hostile_texts),
        cmocka_unit_test(the_busiest_of_a_class),
        cmocka_unit_test(chosen_columns),
        cmocka_unit_test(every_column_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
