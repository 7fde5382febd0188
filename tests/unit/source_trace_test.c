/* Traces: what goes in comes out, plain and compressed; places in them; what is wrong with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracegen.h"

static void assert_text(const struct buf *b, const char *want) {
    struct span s = buf_span_of(b);
    if (s.n != strlen(want) || memcmp(s.p, want, s.n) != 0) {
        fail_msg("\"%.*s\"\nis not\n\"%s\"", (int)s.n, s.p, want);
    }
}

static void assert_same(const struct buf *a, const struct buf *b) {
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->p, b->p, a->n);
}

/* ---- the form --------------------------------------------------------------------------------- */

static const struct subject machine = {.type = SUBJECT_MACHINE, .name = "", .facts = ""};
static const struct subject card = {.id = 1,
                                    .type = SUBJECT_DEVICE,
                                    .name = "0000:03:00.0",
                                    .facts = "pci=1002:747e\nname=Radeon\n"};
static const struct subject game = {.id = 2,
                                    .type = SUBJECT_PROCESS,
                                    .pid = 42,
                                    .start = 977,
                                    .name = "secret",
                                    .facts = "clk_tck=100\nuser=ann\n"};
static const struct subject holder = {.id = 3,
                                      .parent = 2,
                                      .device = 1,
                                      .backend = FAKE_ALPHA,
                                      .type = SUBJECT_HOLDER,
                                      .pid = 42,
                                      .start = 977,
                                      .number = 5,
                                      .name = "",
                                      .facts = ""};

static void put(const struct frame_sink *sink, const struct subject *s, unsigned kind, int64_t t_ns,
                const char *body, int sys) {
    struct frame f = {.t_ns = t_ns,
                      .bytes = body,
                      .size = strlen(body),
                      .subject = s->id,
                      .sys = sys,
                      .kind = (uint16_t)kind,
                      .outcome = (uint8_t)outcome_from_sys(sys)};
    f.outcome = sys ? f.outcome : OUTCOME_OK;
    sink->frame(sink->ctx, s, &f);
}

static void small_tick(const struct frame_sink *sink) {
    put(sink, &machine, FRAME_MACHINE, 10, "clk_tck=100\noption.user=ann\n", 0);
    put(sink, &machine, FRAME_BEGIN, 20, "real_ns=5\n", 0);
    put(sink, &card, FRAME_OPEN, 21, card.facts, 0);
    put(sink, &game, FRAME_OPEN, 22, game.facts, 0);
    put(sink, &holder, FRAME_OPEN, 23, holder.facts, 0);
    put(sink, &holder, FAKE_TEXT, 24, "a: 1\n", 0);
    put(sink, &holder, FAKE_BLOB, 25, "x y", 0);
    put(sink, &holder, FAKE_TEXT, 26, "", EACCES);
    put(sink, &holder, FRAME_CLOSE, 27, "reason=closed\n", 0);
    put(sink, &machine, FRAME_END, 28, "", 0);
}

static void write_small(bool scrub, struct buf *out) {
    int fd = memfd_create("trace", MFD_CLOEXEC);
    struct trace_writer *w = NULL;
    struct trace_write_options o = {.scrub = scrub};
    assert_int_equal(trace_writer_create(dup(fd), &fake_table, &o, &w), ERR_OK);
    struct frame_sink sink = trace_writer_sink(w);
    small_tick(&sink);
    put(&sink, &machine, FRAME_BEGIN, 30, "", 0); /* a tick that never ends */
    char block[4096];
    ssize_t got = pread(fd, block, sizeof block, 0);
    assert_true(got > 0);
    assert_int_equal(trace_writer_bytes(w), got);
    assert_int_equal(trace_writer_close(w, NULL), ERR_OK);
    assert_int_equal(lseek(fd, 0, SEEK_END), got);
    buf_put(out, block, (size_t)got);
    close(fd);
}

static void form_is_as_documented(void **state) {
    (void)state;
    struct buf b = {0};
    write_small(false, &b);
    assert_text(&b, "gwtop-trace 1\n"
                    "0 machine 10 ok 0 28\nclk_tck=100\noption.user=ann\n\n"
                    "0 begin 20 ok 0 10\nreal_ns=5\n\n"
                    "1 open 21 ok 0 57\ntype=device\nname=0000:03:00.0\n\n"
                    "pci=1002:747e\nname=Radeon\n\n"
                    "2 open 22 ok 0 64\ntype=process\npid=42\nstart=977\nname=secret\n\n"
                    "clk_tck=100\nuser=ann\n\n"
                    "3 open 23 ok 0 71\nparent=2\ndevice=1\nbackend=alpha\ntype=holder\npid=42\n"
                    "start=977\nnumber=5\n\n\n"
                    "3 text 24 ok 0 5\na: 1\n\n"
                    "3 blob 25 ok 0 3\nx y\n"
                    "3 text 26 denied 13 0\n\n"
                    "3 close 27 ok 0 14\nreason=closed\n\n"
                    "0 end 28 ok 0 0\n\n");
    buf_finish(&b);
}

static void scrubbed_names_nobody(void **state) {
    (void)state;
    struct buf b = {0};
    write_small(true, &b);
    assert_text(&b, "gwtop-trace 1\n"
                    "0 machine 10 ok 0 12\nclk_tck=100\n\n"
                    "0 begin 20 ok 0 10\nreal_ns=5\n\n"
                    "1 open 21 ok 0 57\ntype=device\nname=0000:03:00.0\n\n"
                    "pci=1002:747e\nname=Radeon\n\n"
                    "2 open 22 ok 0 43\ntype=process\npid=42\nstart=977\n\nclk_tck=100\n\n"
                    "3 open 23 ok 0 71\nparent=2\ndevice=1\nbackend=alpha\ntype=holder\npid=42\n"
                    "start=977\nnumber=5\n\n\n"
                    "3 text 24 ok 0 1\n-\n"
                    "3 blob 25 ok 0 3\nx y\n"
                    "3 text 26 denied 13 0\n\n"
                    "3 close 27 ok 0 14\nreason=closed\n\n"
                    "0 end 28 ok 0 0\n\n");
    buf_finish(&b);
}

/* A frame that no reader would take must not spoil those after it. */
static void writer_keeps_within_the_form(void **state) {
    (void)state;
    struct buf large = {0};
    int fd = memfd_create("trace", MFD_CLOEXEC);
    struct trace_writer *w = NULL;
    char path[64];
    struct source *trace = NULL;
    struct framelog log = {0};
    buf_fill(&large, 'x', ((size_t)16 << 20) + 1);
    assert_int_equal(
        trace_writer_create(dup(fd), &fake_table, &(struct trace_write_options){0}, &w), ERR_OK);
    struct frame_sink sink = trace_writer_sink(w);
    put(&sink, &holder, FRAME_OPEN, -5, "", 0);
    sink.frame(sink.ctx, &holder,
               &(struct frame){.bytes = large.p, .size = large.n, .subject = 3, .kind = FAKE_BLOB});
    sink.frame(sink.ctx, &holder,
               &(struct frame){.t_ns = INT64_MAX, .subject = 3, .sys = -1, .kind = FAKE_BLOB});
    put(&sink, &holder, FRAME_BACKEND + 9, INT64_MAX, "?", 0);
    put(&sink, &machine, FRAME_END, 28, "", 0);
    assert_int_equal(trace_writer_close(w, NULL), ERR_OK);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(trace_open(path, &fake_table, &trace, NULL), ERR_OK);
    assert_int_equal(trace_play(trace, &log), ERR_END);
    assert_null(trace_note(trace));
    assert_int_equal(log.frames, 5);
    assert_non_null(memmem(log.text.p, log.text.n, " 90 3 0 ", 8)); /* EMSGSIZE, failed, no bytes */
    trace->ops->close(trace);
    close(fd);
    buf_finish(&large);
    buf_finish(&log.text);
}

/* ---- round trips ------------------------------------------------------------------------------ */

static void round_trip(bool compress) {
    for (unsigned seed = 1; seed <= 12; seed++) {
        struct tracegen g = {.seed = seed, .ticks = seed * 12, .body_max = seed % 2 ? 300 : 5000};
        struct buf bytes = {0};
        struct framelog want = {0};
        struct framelog got = {0};
        tracegen_bytes(&g, compress, &bytes, &want);
        struct source *trace = trace_of_bytes(bytes.p, bytes.n);
        assert_int_equal(trace_play(trace, &got), ERR_END);
        assert_null(trace_note(trace));
        assert_int_equal(got.ends, g.ticks);
        assert_same(&got.text, &want.text);
        trace->ops->close(trace);
        buf_finish(&bytes);
        buf_finish(&want.text);
        buf_finish(&got.text);
    }
}

static void plain_comes_back(void **state) {
    (void)state;
    round_trip(false);
}

static void compressed_comes_back(void **state) {
    (void)state;
    round_trip(true);
}

/* From a pipe, which cannot be read twice: marks need that. */
static void pipe_is_spooled(void **state) {
    (void)state;
    struct tracegen g = {.seed = 5, .ticks = 8, .body_max = 100};
    struct buf bytes = {0};
    struct framelog want = {0};
    struct framelog got = {0};
    struct source *trace = NULL;
    char path[64];
    int ends[2];
    tracegen_bytes(&g, false, &bytes, &want);
    assert_true(bytes.n < 65536); /* a pipe holds so much */
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes.p, bytes.n), bytes.n);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    assert_int_equal(trace_open(path, &fake_table, &trace, NULL), ERR_OK);
    close(ends[0]);
    struct trace_extent extent;
    assert_int_equal(trace_scan(trace, &extent, NULL, NULL), ERR_OK);
    assert_int_equal(extent.ticks, 8);
    assert_int_equal(trace_play(trace, &got), ERR_END);
    assert_same(&got.text, &want.text);
    trace->ops->close(trace);
    buf_finish(&bytes);
    buf_finish(&want.text);
    buf_finish(&got.text);
}

/* ---- what later versions may add --------------------------------------------------------------- */

static const char later[] = "gwtop-trace 1\n"
                            "0 weather 1 ok 0 3\nsun\n"
                            "1 open 1 ok 0 38\nbackend=gamma\ntype=holder\ncolour=red\n\n\n"
                            "2 open 1 ok 0 30\nbackend=alpha\ntype=satellite\n\n\n"
                            "3 open 1 ok 0 27\ntype=holder\nbackend=alpha\n\n\n"
                            "1 text 2 ok 0 1\na\n"
                            "2 text 2 ok 0 1\nb\n"
                            "3 text 2 ok 0 1\nc\n"
                            "3 smell 2 ok 0 1\nd\n"
                            "3 text 2 dreamt 7 1\ne\n"
                            "0 end 9 ok 0 0\n\n";

static void unknown_is_carried(void **state) {
    (void)state;
    struct framelog log = {0};
    struct source *trace = trace_of_bytes(later, sizeof later - 1);
    assert_int_equal(trace_play(trace, &log), ERR_END);
    /* id parent device backend type pid start number name|facts|subject kind t sys outcome size */
    assert_text(&log.text, "0 0 0 0 0 0 0 0 ||0 65535 1 0 0 3 sun\n"
                           "1 0 0 65535 3 0 0 0 ||1 3 1 0 0 0 \n"
                           "2 0 0 65535 4 0 0 0 ||2 3 1 0 0 0 \n"
                           "3 0 0 1 3 0 0 0 ||3 3 1 0 0 0 \n"
                           "1 0 0 65535 3 0 0 0 ||1 65535 2 0 0 1 a\n"
                           "2 0 0 65535 4 0 0 0 ||2 65535 2 0 0 1 b\n"
                           "3 0 0 1 3 0 0 0 ||3 16 2 0 0 1 c\n"
                           "3 0 0 1 3 0 0 0 ||3 65535 2 0 0 1 d\n"
                           "3 0 0 1 3 0 0 0 ||3 16 2 7 3 1 e\n"
                           "0 0 0 0 0 0 0 0 ||0 2 9 0 0 0 \n");
    assert_string_equal(trace_note(trace),
                        "an outcome that this version does not know (first at byte 259)");
    trace->ops->close(trace);
    buf_finish(&log.text);
}

static void refuse(const char *bytes, enum err want, const char *word) {
    char path[64];
    int fd;
    struct source *trace = NULL;
    struct err_info info = {0};
    fake_file(bytes, strlen(bytes), &fd, path);
    assert_int_equal(trace_open(path, &fake_table, &trace, &info), want);
    assert_null(trace);
    assert_non_null(strstr(info.text, word));
    assert_int_equal(trace_open(path, &fake_table, &trace, NULL), want);
    close(fd);
}

static void foreign_is_refused(void **state) {
    (void)state;
    struct source *trace = NULL;
    struct err_info info = {0};
    refuse("gwtop-trace 2\nwhatever", ERR_VERSION, "newer");
    refuse("gwtop-trace 2 with more\n", ERR_VERSION, "newer");
    refuse("gwtop-trace 99999999999999999999999\n", ERR_VERSION, "newer");
    refuse("gwtop-trace 0\n", ERR_FORMAT, "not a gwtop trace");
    refuse("gwtop-trace 1\r\n", ERR_FORMAT, "not a gwtop trace");
    refuse("gwtop-trace 1", ERR_FORMAT, "not a gwtop trace");
    refuse("gwtop-trace one\n", ERR_FORMAT, "not a gwtop trace");
    refuse("pid: 1\n", ERR_FORMAT, "not a gwtop trace");
    refuse("", ERR_FORMAT, "empty");
    refuse("\x28\xb5\x2f\xfd", ERR_TRUNCATED, "unpacked");
    assert_int_equal(trace_open("/proc", &fake_table, &trace, &info), ERR_FORMAT);
    assert_string_equal(info.text, "/proc: is a directory");
    assert_int_equal(trace_open("/nowhere/at/all", &fake_table, &trace, &info), ERR_NOENT);
    assert_non_null(strstr(info.text, "/nowhere/at/all"));
}

/* ---- mending ---------------------------------------------------------------------------------- */

static void mended_is_noted(void **state) {
    (void)state;
    static const char text[] = "gwtop-trace 1\n"
                               "1 open 50 ok 0 35\ntype=device\npid=wrong\nname=a\x1b[1mb\n\n\n"
                               "1 state 40 ok 0 1\ns\n"
                               "1 open 30 ok 0 19\ntype=device\n\nk=\x80\x81v\n\n"
                               "1 state 31 ok 0 1\ns\n"
                               "0 end 60 ok 0 0\n\n";
    struct framelog log = {0};
    struct source *trace = trace_of_bytes(text, sizeof text - 1);
    assert_int_equal(trace_play(trace, &log), ERR_END);
    assert_text(&log.text, "1 0 0 0 1 0 0 0 a?[1mb||1 3 50 0 0 0 \n"
                           "1 0 0 0 1 0 0 0 a?[1mb||1 5 50 0 0 1 s\n"
                           "1 0 0 0 1 0 0 0 a?[1mb||1 4 50 0 0 14 reason=reused\n\n"
                           "1 0 0 0 1 0 0 0 |k=?v\n|1 3 30 0 0 5 k=?v\n\n"
                           "1 0 0 0 1 0 0 0 |k=?v\n|1 5 31 0 0 1 s\n"
                           "0 0 0 0 0 0 0 0 ||0 2 60 0 0 0 \n");
    assert_string_equal(trace_note(trace), "a subject is not fully described (first at byte 14)");
    trace->ops->close(trace);
    buf_finish(&log.text);
}

/* The example in the manual page, which is what people will imitate. */
static void manual_plays(void **state) {
    (void)state;
    static const char begin[] = ".SH EXAMPLE\n.EX\n";
    static char page[65536];
    struct buf trace_text = {0};
    struct framelog log = {.bare = true};
    FILE *f = fopen("man/gwtop-trace.5", "r");
    if (!f) {
        skip();
    }
    page[fread(page, 1, sizeof page - 1, f)] = 0;
    fclose(f);
    const char *from = strstr(page, begin);
    assert_non_null(from);
    const char *to = strstr(from, ".EE\n");
    assert_non_null(to);
    for (const char *p = from + sizeof begin - 1; p < to; p++) {
        if (*p != '\\') {
            buf_char(&trace_text, *p);
        }
    }
    struct source *trace = trace_of_bytes(trace_text.p, trace_text.n);
    assert_int_equal(trace_play(trace, &log), ERR_END);
    assert_null(trace_note(trace));
    assert_int_equal(log.frames, 7);
    assert_int_equal(log.ends, 1);
    trace->ops->close(trace);
    buf_finish(&trace_text);
    buf_finish(&log.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(form_is_as_documented),
        cmocka_unit_test(scrubbed_names_nobody),
        cmocka_unit_test(writer_keeps_within_the_form),
        cmocka_unit_test(plain_comes_back),
        cmocka_unit_test(compressed_comes_back),
        cmocka_unit_test(pipe_is_spooled),
        cmocka_unit_test(unknown_is_carried),
        cmocka_unit_test(foreign_is_refused),
        cmocka_unit_test(mended_is_noted),
        cmocka_unit_test(manual_plays),
    };
    return cmocka_run_group_tests_name("source_trace", tests, NULL, NULL);
}
