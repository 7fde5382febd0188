/* Vendor files as a source: whole units in frames of a size, facts of the user before those of the file,
 * pipes like files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "framelog.h"
#include "gwtop/source.h"

enum { TEXT = 0, FLOW = 2, LOG = 0, LINES = 1, STAMPS = 2 }; /* kind_index */

struct parts {
    struct buf bytes; /* all bodies of the subject's own kind */
    size_t count;
    size_t smallest;
    size_t largest;
    unsigned kinds[8]; /* the kinds of the first frames */
    unsigned frames;
    unsigned last_kind;
    char facts[200];
    char name[80];
    struct subject s;
};

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct parts *p = ctx;
    if (p->frames < 8) {
        p->kinds[p->frames] = f->kind;
    }
    p->frames++;
    p->last_kind = f->kind;
    assert_int_equal(s->id, f->subject);
    assert_int_equal(f->outcome, OUTCOME_OK);
    if (f->kind == FRAME_OPEN) {
        p->s = *s;
        snprintf(p->facts, sizeof p->facts, "%s", s->facts);
        snprintf(p->name, sizeof p->name, "%s", s->name);
        assert_int_equal(f->size, strlen(s->facts));
    }
    if (f->kind >= FRAME_BACKEND) {
        assert_true(f->size > 0);
        buf_put(&p->bytes, f->bytes, f->size);
        p->smallest = p->count == 0 || f->size < p->smallest ? f->size : p->smallest;
        p->largest = f->size > p->largest ? f->size : p->largest;
        p->count++;
    }
}

static void play_path(const char *path, unsigned backend, unsigned kind, const char *facts,
                      struct parts *p) {
    struct source *s = NULL;
    struct err_info info = {0};
    struct source_wait wait;
    struct frame_sink sink = {.ctx = p, .frame = on_frame};
    if (file_open(path, &fake_table, backend, kind, facts, 0, &s, &info) != ERR_OK) {
        fail_msg("%s", info.text);
    }
    s->ops->poll(s, 77, &wait);
    assert_int_equal(wait.fd, -1);
    assert_int_equal(wait.due_ns, 77);
    assert_int_equal(s->ops->read(s, 77, &sink), ERR_OK);
    assert_int_equal(s->ops->read(s, 78, &sink), ERR_END);
    s->ops->close(s);
    assert_int_equal(p->kinds[0], FRAME_MACHINE);
    assert_int_equal(p->kinds[1], FRAME_BEGIN);
    assert_int_equal(p->kinds[2], FRAME_OPEN);
    assert_int_equal(p->kinds[3], FRAME_BACKEND + kind);
    assert_int_equal(p->last_kind, FRAME_END);
    assert_int_equal(p->s.type, SUBJECT_STREAM);
    assert_int_equal(p->s.backend, backend);
}

static void play(const void *bytes, size_t n, unsigned backend, unsigned kind, struct parts *p) {
    char path[64];
    int fd;
    play_path(fake_file(bytes, n, &fd, path), backend, kind, NULL, p);
    close(fd);
    assert_int_equal(p->bytes.n, n);
    assert_memory_equal(p->bytes.p, bytes, n);
}

static char *lines(size_t count, size_t each) {
    char *text = malloc(count * each);
    memset(text, 'x', count * each);
    for (size_t i = 1; i <= count; i++) {
        text[i * each - 1] = '\n';
    }
    return text;
}

/* A text that decode reads as one stays one: half a text would be another reading. */
static void one_reading_is_one_frame(void **state) {
    (void)state;
    char *text = lines(2000, 100);
    struct parts small = {0};
    struct parts large = {0};
    play("a: 1\n", 5, FAKE_ALPHA, TEXT, &small);
    assert_int_equal(small.count, 1);
    play(text, 200000, FAKE_ALPHA, TEXT, &large);
    assert_int_equal(large.count, 1);
    free(text);
    buf_finish(&small.bytes);
    buf_finish(&large.bytes);
}

static void lines_are_not_torn(void **state) {
    (void)state;
    char *text = lines(5000, 100);
    struct parts p = {0};
    play(text, 500000 - 30, FAKE_BETA, LINES, &p); /* the last one is cut */
    assert_int_equal(p.largest, 65500);
    assert_int_equal(p.count, 9);
    assert_int_equal(p.smallest, 70);
    free(text);
    buf_finish(&p.bytes);
}

static void long_line_is_one_frame(void **state) {
    (void)state;
    char *text = lines(3, 300000);
    struct parts p = {0};
    play(text, 900000, FAKE_BETA, LINES, &p);
    assert_int_equal(p.count, 3);
    assert_int_equal(p.smallest, 300000);
    free(text);
    buf_finish(&p.bytes);
}

/* More without any line than a unit can have: handed over all the same, for decode to count. */
static void no_line_at_all(void **state) {
    (void)state;
    size_t n = ((size_t)20 << 20) + 5;
    char *text = malloc(n);
    struct parts p = {0};
    memset(text, 'x', n);
    play(text, n, FAKE_ALPHA, FLOW, &p);
    assert_int_equal(p.largest, 16 << 20);
    assert_int_equal(p.count, 2);
    free(text);
    buf_finish(&p.bytes);
}

static void put_record(struct buf *b, unsigned size) {
    buf_char(b, (char)size);
    buf_fill(b, 'B', size - 1);
}

static void kind_cuts_its_units(void **state) {
    (void)state;
    struct buf b = {0};
    struct parts p = {0};
    for (unsigned i = 0; i < 1000; i++) {
        put_record(&b, 200);
    }
    play(b.p, b.n, FAKE_BETA, LOG, &p);
    assert_int_equal(p.largest, 65400); /* 327 records */
    assert_int_equal(p.count, 4);
    assert_string_equal(p.facts, "seen=200000\ndialect=file\n");
    buf_finish(&b);
    buf_finish(&p.bytes);
}

/* What is no unit goes on as it is. */
static void torn_and_broken_units(void **state) {
    (void)state;
    struct buf b = {0};
    struct parts torn = {0};
    struct parts broken = {0};
    put_record(&b, 100);
    put_record(&b, 100);
    play(b.p, 150, FAKE_BETA, LOG, &torn);
    assert_int_equal(torn.count, 2);
    assert_int_equal(torn.smallest, 50);
    buf_fill(&b, '\0', 1 << 20);
    play(b.p, b.n, FAKE_BETA, LOG, &broken);
    assert_int_equal(broken.count, 2);
    buf_finish(&b);
    buf_finish(&torn.bytes);
    buf_finish(&broken.bytes);
}

/* All of it is scanned, in pieces. */
static void larger_than_the_window(void **state) {
    (void)state;
    char facts[80];
    struct buf b = {0};
    struct parts p = {0};
    while (b.n < ((size_t)70 << 20)) {
        put_record(&b, 250);
    }
    play(b.p, b.n, FAKE_BETA, LOG, &p);
    assert_int_equal(p.largest, 65500);
    snprintf(facts, sizeof facts, "seen=%zu\ndialect=file\n", b.n);
    assert_string_equal(p.facts, facts);
    buf_finish(&b);
    buf_finish(&p.bytes);
}

static void facts_of_the_user_come_first(void **state) {
    (void)state;
    char path[64];
    int fd;
    struct parts p = {0};
    play_path(fake_file("\2B", 2, &fd, path), FAKE_BETA, LOG, "dialect=mine\nsoc=u8500", &p);
    close(fd);
    assert_string_equal(p.facts, "dialect=mine\nsoc=u8500\nseen=2\ndialect=file\n");
    assert_true(span_equals(facts_get(p.facts, "dialect"), "mine"));
    assert_true(strlen(p.name) > 0 && !strchr(p.name, '/'));
    buf_finish(&p.bytes);
}

static void pipe_is_as_good(void **state) {
    (void)state;
    char path[64];
    int ends[2];
    struct parts p = {0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "\3BB\2B", 5), 5);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    play_path(path, FAKE_BETA, LOG, NULL, &p);
    close(ends[0]);
    assert_int_equal(p.bytes.n, 5);
    assert_string_equal(p.facts, "seen=5\ndialect=file\n");
    buf_finish(&p.bytes);
}

static void standard_input(void **state) {
    (void)state;
    char path[64];
    int fd;
    struct parts p = {0};
    int kept = dup(STDIN_FILENO);
    fake_file("skip\na: 1\n", 10, &fd, path);
    assert_int_equal(lseek(fd, 5, SEEK_SET), 5); /* somebody read a line of it already */
    assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    play_path("-", FAKE_ALPHA, TEXT, NULL, &p);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
    close(fd);
    assert_int_equal(p.bytes.n, 5);
    assert_memory_equal(p.bytes.p, "a: 1\n", 5);
    buf_finish(&p.bytes);
}

/* The kernel's files say that they are empty and are not. */
static void kernel_file_without_size(void **state) {
    (void)state;
    struct parts p = {0};
    if (access("/proc/self/status", R_OK) != 0) {
        skip();
    }
    play_path("/proc/self/status", FAKE_ALPHA, TEXT, NULL, &p);
    assert_true(p.bytes.n > 10);
    assert_memory_equal(p.bytes.p, "Name:", 5);
    buf_finish(&p.bytes);
}

static void refuse(const char *path, unsigned backend, unsigned kind, enum err want,
                   const char *words) {
    struct source *s = NULL;
    struct err_info info = {0};
    assert_int_equal(file_open(path, &fake_table, backend, kind, NULL, 0, &s, &info), want);
    assert_null(s);
    assert_int_equal(info.code, want);
    assert_non_null(strstr(info.text, words));
    assert_int_equal(file_open(path, &fake_table, backend, kind, NULL, 0, &s, NULL), want);
}

/* What is empty or of another kind is handed over: decode counts what it is not. */
static void foreign_files_are_for_decode_to_refuse(void **state) {
    (void)state;
    char path[64];
    int fd;
    struct source *s = NULL;
    assert_int_equal(file_open("/dev/null", &fake_table, FAKE_ALPHA, TEXT, NULL, 0, &s, NULL),
                     ERR_OK);
    s->ops->close(s);
    fake_file("foreign", 7, &fd, path);
    assert_int_equal(file_open(path, &fake_table, FAKE_BETA, LOG, NULL, 0, &s, NULL), ERR_OK);
    s->ops->close(s);
    close(fd);
}

static void what_cannot_be_read_is_told(void **state) {
    (void)state;
    char path[64];
    int fd;
    refuse("/", FAKE_ALPHA, TEXT, ERR_FORMAT, "/: is a directory");
    refuse("/no/such/file", FAKE_ALPHA, TEXT, ERR_NOENT, "/no/such/file: ");
    refuse("/dev/null", 0, 0, ERR_USAGE, "no such kind");
    refuse("/dev/null", 3, 0, ERR_USAGE, "no such kind");
    refuse("/dev/null", FAKE_BETA, 3, ERR_USAGE, "no such kind");
    if (geteuid() != 0) {
        fake_file("a", 1, &fd, path);
        assert_int_equal(fchmod(fd, 0), 0);
        refuse(path, FAKE_ALPHA, TEXT, ERR_ACCESS, path);
        close(fd);
    }
}

static void too_large_for_one_reading(void **state) {
    (void)state;
    char path[64];
    int fd;
    fake_file("a", 1, &fd, path);
    assert_int_equal(ftruncate(fd, (16 << 20) + 1), 0);
    refuse(path, FAKE_ALPHA, TEXT, ERR_RANGE, "16 MiB");
    struct parts p = {0};
    assert_int_equal(ftruncate(fd, 16 << 20), 0);
    play_path(path, FAKE_ALPHA, TEXT, NULL, &p);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.bytes.n, 16 << 20);
    close(fd);
    buf_finish(&p.bytes);
}

/* ---- in ticks of its own time ----------------------------------------------------------------- */

/* Each tick as "TIME:BODIES|", where lines end with commas. */
static void on_tick(void *ctx, const struct subject *s, const struct frame *f) {
    struct buf *b = ctx;
    (void)s;
    if (f->kind == FRAME_BEGIN) {
        buf_i64(b, f->t_ns);
        buf_char(b, ':');
    } else if (f->kind == FRAME_END) {
        buf_char(b, '|');
    } else if (f->kind == FRAME_BACKEND + STAMPS) {
        for (size_t i = 0; i < f->size; i++) {
            buf_char(b, f->bytes[i] == '\n' ? ',' : f->bytes[i]);
        }
    }
}

static struct source *open_ticks(const char *text, int64_t delay_ns) {
    struct source *s = NULL;
    char path[64];
    int fd;
    fake_file(text, strlen(text), &fd, path);
    assert_int_equal(file_open(path, &fake_table, FAKE_BETA, STAMPS, NULL, delay_ns, &s, NULL),
                     ERR_OK);
    close(fd);
    return s;
}

/* All that is left. */
static char *play_on(struct source *s, struct buf *b) {
    struct frame_sink sink = {.ctx = b, .frame = on_tick};
    enum err e;
    buf_clear(b);
    while ((e = s->ops->read(s, 0, &sink)) == ERR_OK) {
    }
    assert_int_equal(e, ERR_END);
    buf_char(b, '\0');
    assert_false(b->failed);
    return b->p;
}

#define S "000000000" /* a second */
static const struct {
    const char *text;
    int64_t delay_ns;
    const char *ticks;
} tick_rows[] = {
    {"100 a\n105 b\n110 c\n111 d\n135 e\n", 10,
     "100:|110:100 a,105 b,110 c,|120:111 d,|130:|135:135 e,|"},
    {"0 a\n20 b\n", 10, "0:|10:0 a,|20:20 b,|"},
    {"5 a\n", 10, "5:|5:5 a,|"},
    {"0 a\n7 b\n", INT64_MAX, "0:|7:0 a,7 b,|"},
    /* Lines without a time go with the one before; a cut one with the last. */
    {"- x\n1 a\n- b\n12 c\n- d\n15", 10, "1:|11:- x,1 a,- b,|12:12 c,- d,15|"},
    {"- a\n- b\n", 10, "0:- a,- b,|"},
    {"17", 10, "0:17|"},
    {"", 10, "0:|"},
    {"0 a\n20 b\n", 0, "0:0 a,20 b,|"},
    /* A time that goes back is no time to go to. */
    {"100 a\n95 b\n110 c\n3 d\n111 e\n", 10, "100:|110:100 a,95 b,110 c,3 d,|111:111 e,|"},
    /* A pause costs one tick. */
    {"0 a\n50" S " b\n50" S " c\n51" S " d\n", 1000000000,
     "0:|1" S ":0 a,|49" S ":|50" S ":50" S " b,50" S " c,|51" S ":51" S " d,|"},
    /* What jumps ahead and stands alone is garbage, within, at the end and at the beginning. */
    {"0 a\n50000" S " x\n5 b\n", 10, "0:|5:0 a,50000" S " x,5 b,|"},
    {"0 a\n5 b\n900000" S " x\n", 10, "0:|5:0 a,5 b,900000" S " x,|"},
    {"0 x\n900000" S " a\n900000" S " b\n", 10,
     "900000" S ":|900000" S ":0 x,900000" S " a,900000" S " b,|"},
};

static void ticks_of_its_own_time(void **state) {
    struct buf b = {0};
    (void)state;
    for (size_t i = 0; i < sizeof tick_rows / sizeof tick_rows[0]; i++) {
        struct source *s = open_ticks(tick_rows[i].text, tick_rows[i].delay_ns);
        assert_string_equal(play_on(s, &b), tick_rows[i].ticks);
        s->ops->close(s);
    }
    buf_finish(&b);
}

/* From each tick on, the rest is what it was. */
static void ticks_return(void **state) {
    const char *whole = tick_rows[0].ticks;
    struct trace_mark *mark[5];
    struct trace_extent extent;
    struct trace_place place;
    struct buf b = {0};
    (void)state;
    struct source *s = open_ticks(tick_rows[0].text, tick_rows[0].delay_ns);
    struct frame_sink sink = {.ctx = &b, .frame = on_tick};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(trace_mark_take(s, &mark[i]), ERR_OK);
        assert_int_equal(trace_scan(s, &extent, NULL, NULL), ERR_OK);
        assert_int_equal(extent.ticks, 5);
        assert_int_equal(extent.first_ns, 100);
        assert_int_equal(extent.last_ns, 135);
        assert_int_equal(s->ops->read(s, 0, &sink), ERR_OK);
        trace_place(s, &place);
        assert_int_equal(place.tick, i + 1);
        assert_int_equal(place.size, strlen(tick_rows[0].text));
    }
    assert_int_equal(place.at, place.size);
    for (unsigned i = 0; i < 5; i++, whole = strchr(whole, '|') + 1) {
        assert_int_equal(trace_mark_return(s, mark[i]), ERR_OK);
        assert_string_equal(play_on(s, &b), whole);
        trace_mark_free(mark[i]);
    }
    assert_null(trace_note(s));
    s->ops->close(s);
    buf_finish(&b);
}

static enum err open_guessed(const char *path, struct source **out, struct err_info *info) {
    static const struct recording_as as = {.facts = "k=1\n", .delay_ns = 10};
    return recording_open_as(path, &fake_table, &as, out, info);
}

static void kind_is_guessed(void **state) {
    static const char *const others[] = {"x1\n", "17", "gwtop trace\n", ""};
    struct err_info info;
    struct source *s = NULL;
    struct buf b = {0};
    char path[64];
    int fd;
    (void)state;
    fake_file("1 a\n2 b\n", 8, &fd, path);
    assert_int_equal(open_guessed(path, &s, NULL), ERR_OK);
    assert_string_equal(play_on(s, &b), "1:|2:1 a,2 b,|");
    assert_non_null(file_kind(s));
    assert_true(file_kind(s)->file->recognise != NULL);
    s->ops->close(s);
    assert_int_equal(trace_open(path, &fake_table, &s, &info), ERR_FORMAT);
    close(fd);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        fake_file(others[i], strlen(others[i]), &fd, path);
        assert_int_equal(open_guessed(path, &s, &info), ERR_FORMAT);
        assert_non_null(strstr(info.text, others[i][0] ? "not a gwtop trace" : "empty"));
        close(fd);
    }
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_reading_is_one_frame),  cmocka_unit_test(lines_are_not_torn),
        cmocka_unit_test(long_line_is_one_frame),    cmocka_unit_test(no_line_at_all),
        cmocka_unit_test(kind_cuts_its_units),       cmocka_unit_test(torn_and_broken_units),
        cmocka_unit_test(larger_than_the_window),    cmocka_unit_test(facts_of_the_user_come_first),
        cmocka_unit_test(pipe_is_as_good),           cmocka_unit_test(standard_input),
        cmocka_unit_test(kernel_file_without_size),  cmocka_unit_test(foreign_files_are_for_decode_to_refuse),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(too_large_for_one_reading), cmocka_unit_test(ticks_of_its_own_time),
        cmocka_unit_test(ticks_return), cmocka_unit_test(kind_is_guessed),
    };
    return cmocka_run_group_tests_name("source_file", tests, NULL, NULL);
}
