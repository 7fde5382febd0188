/* Recording to what fills up or goes away: the error is kept and told, and all whole ticks before it
 * stay playable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracegen.h"

#define FULL_AT 20000 /* bytes of a file */

static int temp_file(char path[4096]) {
    const char *dir = getenv("TMPDIR");
    snprintf(path, 4096, "%s/gwtop-full-XXXXXX", dir && dir[0] ? dir : "/tmp");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    return fd;
}

static void limit_files(rlim_t bytes) {
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void no_room_at_all(void **state) {
    (void)state;
    for (int compress = 0; compress < 2; compress++) {
        struct trace_write_options o = {.compress = compress};
        struct trace_writer *w = NULL;
        int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
        if (fd < 0) {
            skip();
        }
        assert_int_equal(trace_writer_create(fd, &fake_table, &o, &w), ERR_NOSPACE);
        assert_null(w);
        assert_int_equal(close(fd), -1); /* it was taken over */
    }
}

static size_t size_of(const char *path) {
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return (size_t)st.st_size;
}

/* Writes until the file is full, `before` bytes of something else already in it. Gives the bytes of
 * whole ticks. */
static uint64_t fill(const struct tracegen *g, bool compress, const char *path, int fd,
                     size_t before) {
    struct trace_write_options o = {.compress = compress};
    struct trace_writer *w = NULL;
    struct err_info info = {0};
    limit_files(before + FULL_AT);
    assert_int_equal(trace_writer_create(fd, &fake_table, &o, &w), ERR_OK);
    struct frame_sink sink = trace_writer_sink(w);
    assert_int_equal(trace_writer_error(w, NULL), ERR_OK);
    tracegen_emit(g, &sink);
    uint64_t whole = trace_writer_bytes(w);
    assert_int_equal(trace_writer_error(w, &info), ERR_NOSPACE);
    assert_int_equal(info.sys, EFBIG);
    assert_non_null(strstr(info.text, "recording ends after "));
    assert_non_null(strstr(info.text, strerror(EFBIG)));
    assert_int_equal(size_of(path), before + whole);
    assert_in_range(whole, FULL_AT / 4, FULL_AT);
    memset(&info, 0, sizeof info);
    assert_int_equal(trace_writer_close(w, &info), ERR_NOSPACE);
    assert_non_null(strstr(info.text, "recording ends after "));
    limit_files(RLIM_INFINITY);
    assert_int_equal(size_of(path), before + whole);
    return whole;
}

static void full_file_is_cut_back(bool compress) {
    struct tracegen g = {.seed = 36, .ticks = 400, .body_max = 200};
    struct framelog want = {0};
    struct framelog got = {0};
    struct buf unused = {0};
    char path[4096];
    int fd = temp_file(path);
    struct source *trace = NULL;
    fill(&g, compress, path, fd, 0);
    tracegen_bytes(&g, false, &unused, &want);
    assert_int_equal(trace_open(path, &fake_table, &trace, NULL), ERR_OK);
    assert_int_equal(trace_play(trace, &got), ERR_END);
    assert_true(got.ends > 5 && got.ends < g.ticks);
    assert_memory_equal(got.text.p, want.text.p, got.text.n);
    if (compress) { /* whether more was to come cannot be known */
        assert_non_null(strstr(trace_note(trace), "was not closed"));
    } else {
        assert_null(trace_note(trace));
    }
    trace->ops->close(trace);
    unlink(path);
    buf_finish(&unused);
    buf_finish(&want.text);
    buf_finish(&got.text);
}

static void full_plain_file(void **state) {
    (void)state;
    full_file_is_cut_back(false);
}

static void full_compressed_file(void **state) {
    (void)state;
    full_file_is_cut_back(true);
}

/* As a shell opens for >>: what stood there before must stay. */
static void appending_cuts_its_own_only(void **state) {
    (void)state;
    static const char before[] = "somebody else's\n";
    struct tracegen g = {.seed = 32, .ticks = 400, .body_max = 200};
    char path[4096];
    char start[sizeof before + 14] = "";
    int fd = temp_file(path);
    assert_int_equal(write(fd, before, sizeof before - 1), sizeof before - 1);
    close(fd);
    fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    fill(&g, false, path, fd, sizeof before - 1);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, start, sizeof start - 1), sizeof start - 1);
    assert_string_equal(start, "somebody else's\ngwtop-trace 1\n");
    close(fd);
    unlink(path);
}

/* A reader who goes away is no loss of data, and has a word of its own. */
static void reader_went_away(void **state) {
    (void)state;
    struct tracegen g = {.seed = 33, .ticks = 3, .body_max = 20};
    struct trace_writer *w = NULL;
    struct err_info info = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(
        trace_writer_create(ends[1], &fake_table, &(struct trace_write_options){0}, &w), ERR_OK);
    close(ends[0]);
    struct frame_sink sink = trace_writer_sink(w);
    tracegen_emit(&g, &sink);
    assert_int_equal(trace_writer_error(w, NULL), ERR_CLOSED);
    assert_int_equal(trace_writer_bytes(w), 14);
    assert_int_equal(trace_writer_close(w, &info), ERR_CLOSED);
    assert_int_equal(info.sys, EPIPE);
    assert_int_equal(trace_writer_close(NULL, &info), ERR_OK);
}

int main(void) {
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_room_at_all),       cmocka_unit_test(full_plain_file),
        cmocka_unit_test(full_compressed_file), cmocka_unit_test(appending_cuts_its_own_only),
        cmocka_unit_test(reader_went_away),
    };
    return cmocka_run_group_tests_name("source_trace_full", tests, NULL, NULL);
}
