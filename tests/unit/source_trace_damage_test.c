/* Damaged and hostile traces: what is whole before the damage plays, nothing after it, and memory stays
 * within bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

#include "tracegen.h"

/* Opens, or gives NULL. */
static struct source *try_open(const void *bytes, size_t n) {
    char path[64];
    int fd;
    struct source *trace = NULL;
    trace_open(fake_file(bytes, n, &fd, path), &fake_table, &trace, NULL);
    close(fd);
    return trace;
}

/* Plays these bytes with a mark taken and returned to on the way. False if they do not open. */
static bool play(const void *bytes, size_t n, struct framelog *log, bool *noted) {
    struct source *trace = try_open(bytes, n);
    struct trace_mark *mark = NULL;
    if (!trace) {
        return false;
    }
    struct framelog first = {.bare = true};
    struct frame_sink sink = framelog_sink(&first);
    assert_int_equal(trace_mark_take(trace, &mark), ERR_OK);
    trace->ops->read(trace, 0, &sink);
    assert_int_equal(trace_mark_return(trace, mark), ERR_OK);
    trace_mark_free(mark);
    assert_int_equal(trace_play(trace, log), ERR_END);
    assert_int_equal(trace_play(trace, log), ERR_END); /* and stays so */
    *noted = trace_note(trace) != NULL;
    trace->ops->close(trace);
    buf_finish(&first.text);
    return true;
}

static size_t cut_everywhere(const struct buf *bytes, const struct framelog *whole) {
    size_t clean = 0;
    size_t last = 0;
    for (size_t n = 0; n < bytes->n; n++) {
        struct framelog log = {0};
        bool noted = false;
        if (play(bytes->p, n, &log, &noted)) {
            assert_true(log.text.n >= last && log.text.n <= whole->text.n);
            if (log.text.n > 0) {
                assert_memory_equal(log.text.p, whole->text.p, log.text.n);
            }
            last = log.text.n;
            clean += !noted;
        }
        buf_finish(&log.text);
    }
    return clean;
}

static void cut_plays_a_prefix(void **state) {
    (void)state;
    struct tracegen g = {.seed = 21, .ticks = 4, .body_max = 20};
    struct buf bytes = {0};
    struct framelog log = {0};
    tracegen_bytes(&g, false, &bytes, &log);
    /* Complete are the bare first line and the ends of ticks but the last, which is not cut. */
    assert_int_equal(cut_everywhere(&bytes, &log), 1 + 3);
    buf_finish(&bytes);
    buf_finish(&log.text);
}

static void cut_compressed_plays_a_prefix(void **state) {
    (void)state;
    struct tracegen g = {.seed = 22, .ticks = 70, .body_max = 0};
    struct buf bytes = {0};
    struct framelog log = {0};
    tracegen_bytes(&g, true, &bytes, &log);
    /* Of a cut one only the end of a zstd frame looks like an end. */
    assert_int_equal(cut_everywhere(&bytes, &log), 1);
    buf_finish(&bytes);
    buf_finish(&log.text);
}

static void flip_everywhere(bool compress, unsigned ticks) {
    static const unsigned char masks[] = {0x01, 0x10, 0x80, 0xff};
    struct tracegen g = {.seed = 23, .ticks = ticks, .body_max = 20};
    struct buf bytes = {0};
    tracegen_bytes(&g, compress, &bytes, NULL);
    for (size_t at = 0; at < bytes.n * sizeof masks; at++) {
        struct framelog log = {0};
        bool noted;
        char *byte = &bytes.p[at / sizeof masks];
        char was = *byte;
        *byte = (char)(was ^ (char)masks[at % sizeof masks]);
        play(bytes.p, bytes.n, &log, &noted);
        *byte = was;
        buf_finish(&log.text);
    }
    buf_finish(&bytes);
}

static void flips_are_borne(void **state) {
    (void)state;
    flip_everywhere(false, 3);
}

static void flips_are_borne_compressed(void **state) {
    (void)state;
    flip_everywhere(true, 8);
}

/* ---- by hand ---------------------------------------------------------------------------------- */

static const char head[] = "gwtop-trace 1\n0 begin 1 ok 0 2\nb\n\n";
#define HEAD_FRAMES 1

/* After the head comes `text`; `frames` of it play, then the note holds `words`. */
static void after_head(const char *text, size_t n, unsigned frames, const char *words) {
    struct buf b = {0};
    struct framelog log = {0};
    buf_text(&b, head);
    buf_put(&b, text, n);
    struct source *trace = trace_of_bytes(b.p, b.n);
    assert_int_equal(trace_play(trace, &log), ERR_END);
    if (log.frames != HEAD_FRAMES + frames || !trace_note(trace) ||
        !strstr(trace_note(trace), words)) {
        fail_msg("after \"%s\": %u frames, \"%s\"", text, log.frames, trace_note(trace));
    }
    trace->ops->close(trace);
    buf_finish(&b);
    buf_finish(&log.text);
}

static void says(const char *text, unsigned frames, const char *words) {
    after_head(text, strlen(text), frames, words);
}

static void hostile_is_told(void **state) {
    (void)state;
    static const char no_frame[] = "no frame begins at byte 34 (the rest, ";
    static const char cut[] = "recording ends inside a frame at byte 34 (the rest, ";
    const char *const no_frames[] = {
        "0 end 1 ok 0 16777217\nx\n",
        "0 end 1 ok 0 18446744073709551615\nx\n",
        "0 end 1 ok 0 18446744073709551616\nx\n",
        "0 end 1 ok 0 -1\nx\n",
        "1048577 open 1 ok 0 0\n\n",
        "4294967297 state 1 ok 0 0\n\n",
        "0 end 9223372036854775807 ok 0 0\n\n",
        "0 end -1 ok 0 0\n\n",
        "0 end 1 ok 2147483648 0\n\n",
        "0 end 1 ok 0 0 \n\n",
        "0 end 1 ok 0\n\n",
        "0  end 1 ok 0 0\n\n",
        "0 end 1  0 0\n\n",
        " 0 end 1 ok 0 0\n\n",
        "0 end 1 ok 0 0\r\n\n",
        "\n",
    };
    for (size_t i = 0; i < sizeof no_frames / sizeof no_frames[0]; i++) {
        says(no_frames[i], 0, no_frame);
    }
    says("0 end 1 ok 0 16777216\nx\n", 0, cut);
    says("0 end 1 ok", 0, cut);
    says("0 end 1 ok 0 1\nx", 0, cut);
    says("0 end 1 ok 0 1\nxy", 0,
         "a body is not as long as it says at byte 34 (the rest, 17 bytes");
    says("7 state 1 ok 0 0\n\n", 0, "a subject was never opened at byte 34");
    says("7 close 1 ok 0 0\n\n", 0, "a subject was never opened");
    says("7 what 1 ok 0 0\n\n", 0, "a subject was never opened");
    says("0 open 1 ok 0 0\n\n", 0, "not about what it could be about");
    says("0 state 1 ok 0 0\n\n", 0, "not about what it could be about");
    says("7 open 1 ok 0 0\n\n7 end 1 ok 0 0\n\n", 1, "not about what it could be about");
    says("7 open 1 ok 0 0\n\n7 close 1 ok 0 0\n\n7 close 1 ok 0 0\n\n", 2, "never opened");
    says("", 0, "recording ends inside a tick, at byte 34");
}

static void long_line_is_no_frame(void **state) {
    (void)state;
    char line[400];
    memset(line, 'a', sizeof line);
    after_head(line, 300, 0, "no frame begins at byte 34");
    after_head(line, 255, 0, "recording ends inside a frame at byte 34");
    after_head(line, 256, 0, "no frame begins at byte 34");
}

static long peak_kib(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_maxrss;
}

static void put_stream(ZSTD_CCtx *z, struct buf *out, const char *p, size_t n, bool last) {
    ZSTD_inBuffer in = {p, n, 0};
    size_t left;
    do {
        assert_true(buf_reserve(out, 1 << 17));
        ZSTD_outBuffer to = {out->p + out->n, 1 << 17, 0};
        left = ZSTD_compressStream2(z, &to, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        assert_false(ZSTD_isError(left));
        out->n += to.pos;
    } while (in.pos < in.size || (last && left > 0));
}

/* 192 MiB of one character, as a line without end and as bodies. */
/* What finds races or reads before a set takes memory of its own for each byte. */
static bool is_memory_ours(void) {
    const char *variant = getenv("GWTOP_VARIANT");
    return !variant || (strcmp(variant, "tsan") != 0 && strcmp(variant, "valgrind") != 0);
}

static void bomb_is_bounded(void **state) {
    (void)state;
    static const char *const starts[] = {"", "0 end 1 ok 0 16777216\n", "0 what 1 ok 0 3\n"};
    size_t block = (size_t)16 << 20;
    char *fill = malloc(block);
    memset(fill, 'x', block);
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        struct buf packed = {0};
        struct framelog log = {.bare = true};
        struct trace_extent extent;
        ZSTD_CCtx *z = ZSTD_createCCtx();
        put_stream(z, &packed, head, strlen(head), false);
        for (unsigned k = 0; k < 12; k++) {
            put_stream(z, &packed, starts[i], strlen(starts[i]), false);
            put_stream(z, &packed, fill, block, false);
            put_stream(z, &packed, "\n", 1, k == 11);
        }
        ZSTD_freeCCtx(z);
        assert_true(packed.n < (1 << 20));
        long before = peak_kib();
        struct source *trace = trace_of_bytes(packed.p, packed.n);
        assert_int_equal(trace_scan(trace, &extent, NULL, NULL), ERR_OK);
        assert_int_equal(trace_play(trace, &log), ERR_END);
        assert_int_equal(log.frames, HEAD_FRAMES + (i == 1 ? 12 : 0));
        assert_true(!is_memory_ours() || peak_kib() - before < 96 << 10);
        trace->ops->close(trace);
        buf_finish(&packed);
        buf_finish(&log.text);
    }
    free(fill);
}

/* Many subjects with large facts: the table has an end. */
static void facts_are_bounded(void **state) {
    (void)state;
    struct buf packed = {0};
    struct framelog log = {.bare = true};
    size_t block = (size_t)12 << 20;
    char *facts = malloc(block);
    ZSTD_CCtx *z = ZSTD_createCCtx();
    memset(facts, 'x', block);
    facts[0] = '\n';
    facts[2] = '=';
    put_stream(z, &packed, head, strlen(head), false);
    for (unsigned id = 1; id <= 12; id++) {
        char line[64];
        int n = snprintf(line, sizeof line, "%u open 1 ok 0 %zu\n", id, block);
        put_stream(z, &packed, line, (size_t)n, false);
        put_stream(z, &packed, facts, block, false);
        put_stream(z, &packed, "\n", 1, id == 12);
    }
    ZSTD_freeCCtx(z);
    struct source *trace = trace_of_bytes(packed.p, packed.n);
    assert_int_equal(trace_play(trace, &log), ERR_END);
    assert_int_equal(log.frames, HEAD_FRAMES + 5); /* 64 MiB in all */
    assert_non_null(strstr(trace_note(trace), "more facts than any machine has"));
    trace->ops->close(trace);
    buf_finish(&packed);
    buf_finish(&log.text);
    free(facts);
}

/* Subjects that come and go for long: what they said is forgotten with them. */
static void churn_is_bounded(void **state) {
    (void)state;
    struct buf b = {0};
    struct framelog log = {.bare = true};
    char facts[1001];
    memset(facts, 'x', sizeof facts - 1);
    facts[1000] = 0;
    buf_text(&b, head);
    for (unsigned i = 0; i < 30000; i++) {
        char line[1200];
        int n = snprintf(line, sizeof line, "%u open 1 ok 0 1001\n\n%s\n%u close 1 ok 0 0\n\n",
                         1 + i % 7, facts, 1 + i % 7);
        buf_put(&b, line, (size_t)n);
    }
    long before = peak_kib();
    struct source *trace = trace_of_bytes(b.p, b.n);
    assert_int_equal(trace_play(trace, &log), ERR_END);
    assert_int_equal(log.frames, HEAD_FRAMES + 60000);
    assert_true(peak_kib() - before < 48 << 10); /* the file of 30 MB itself is counted here */
    trace->ops->close(trace);
    buf_finish(&b);
    buf_finish(&log.text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_plays_a_prefix), cmocka_unit_test(cut_compressed_plays_a_prefix),
        cmocka_unit_test(flips_are_borne),    cmocka_unit_test(flips_are_borne_compressed),
        cmocka_unit_test(hostile_is_told),    cmocka_unit_test(long_line_is_no_frame),
        cmocka_unit_test(bomb_is_bounded),    cmocka_unit_test(facts_are_bounded),
        cmocka_unit_test(churn_is_bounded),
    };
    return cmocka_run_group_tests_name("source_trace_damage", tests, NULL, NULL);
}
