/*
 * Every kind of error: a real way through the program that ends in it, and its word, which stands alone and says what
 * is the matter. A value that nothing ends in is none that the program needs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config.h"
#include "gwtop/backend.h"
#include "gwtop/settings.h"
#include "gwtop/source.h"
#include "scratch.h"
#include "tree.h"

static char *root; /* of a test */

static enum err open_text(const char *text) {
    char *path = path_join(root, "recording");
    struct source *s = NULL;
    struct err_info info = {0};
    file_write(path, text, strlen(text));
    enum err e = trace_open(path, &backend_table, &s, &info);
    if (e == ERR_OK)
        s->ops->close(s);
    else
        assert_true(strlen(info.text) > 0);
    free(path);
    return e;
}

static void no_frame(void *ctx, const struct subject *s, const struct frame *f) {
    (void)ctx;
    (void)s;
    (void)f;
}

/* ---- a way to each ----------------------------------------------------------------------------- */

static enum err succeeds(void) {
    uint64_t n;
    return span_to_u64(span_of("7"), &n);
}

static enum err lacks_memory(void) {
    void *items = NULL;
    uint32_t cap = 0;
    return vec_reserve(&items, &cap, UINT32_MAX, SIZE_MAX / 2);
}

/* Nothing is mapped at its beginning. */
static enum err reads_what_cannot_be_read(void) {
    struct source *s;
    return trace_open("/proc/self/mem", &backend_table, &s, NULL);
}

static enum err opens_what_is_not_there(void) {
    struct source *s;
    return trace_open("/nowhere/at/all", &backend_table, &s, NULL);
}

static enum err saves_although_read_only(void) {
    struct settings s;
    settings_init(&s);
    s.number[SETTING_READONLY] = true;
    char *path = path_join(root, "config");
    enum err e = config_save(path, &s, NULL);
    assert_int_equal(access(path, F_OK), -1);
    free(path);
    return e;
}

/* The driver of a source is unloaded. */
static enum err loses_a_driver(void) {
    static const char record[] = "sys/kernel/debug/mali/profiling/record";
    const struct frame_sink sink = {.frame = no_frame};
    const struct backend *mali =
        backend_table.list[backend_find(&backend_table, span_of("mali")) - 1];
    struct host *h;
    struct source *live, *s;
    tree_text(root, record, "0\n");
    tree_folder(root, "proc");
    assert_int_equal(host_create(&(struct host_options){.root = root}, &h, NULL), ERR_OK);
    assert_int_equal(live_create(h, &backend_table, &live, NULL), ERR_OK);
    assert_true(mali->probe(h, NULL));
    assert_int_equal(mali->open(h, NULL, &s), ERR_OK);
    tree_drop(root, "sys");
    enum err e = s->ops->read(s, 1, &sink);
    s->ops->close(s);
    live->ops->close(live);
    host_destroy(h);
    return e;
}

static void never_due(struct source *s, int64_t now_ns, struct source_wait *out) {
    (void)s;
    (void)now_ns;
    *out = (struct source_wait){.fd = -1, .due_ns = INT64_MAX};
}

static enum err is_never_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    (void)s;
    (void)now_ns;
    (void)sink;
    return ERR_IO;
}

static void is_no_heap(struct source *s) {
    (void)s;
}

/* Of a thread that has nothing yet. */
static enum err asks_too_early(void) {
    static const struct source_ops ops = {
        .poll = never_due, .read = is_never_read, .close = is_no_heap};
    const struct frame_sink sink = {.frame = no_frame};
    struct source inner = {&ops};
    struct source *s;
    assert_int_equal(worker_create(&inner, &s), ERR_OK);
    enum err e = s->ops->read(s, 0, &sink);
    s->ops->close(s);
    return e;
}

static enum err reads_another_form(void) {
    return open_text("neither this nor that\n");
}

static enum err reads_a_newer_version(void) {
    return open_text("gwtop-trace 999\n");
}

/* The head of a zstd frame alone. */
static enum err reads_half_a_recording(void) {
    return open_text("\x28\xb5\x2f\xfd\x04");
}

static enum err takes_too_long_a_delay(void) {
    int64_t ns;
    return span_to_delay(span_of("9999999s"), 1, &ns);
}

static enum err takes_a_delay_of_words(void) {
    int64_t ns;
    return span_to_delay(span_of("soon"), 1, &ns);
}

static enum err marks_the_present(void) {
    struct trace_mark *m = NULL;
    struct source *live;
    struct host *h;
    tree_folder(root, "proc");
    assert_int_equal(host_create(&(struct host_options){.root = root}, &h, NULL), ERR_OK);
    assert_int_equal(live_create(h, &backend_table, &live, NULL), ERR_OK);
    enum err e = trace_mark_take(live, &m);
    live->ops->close(live);
    host_destroy(h);
    return e;
}

static enum err writes_to(int fd) {
    const struct trace_write_options o = {.compress = false};
    struct trace_writer *w = NULL;
    assert_true(fd >= 0);
    enum err e = trace_writer_create(fd, &backend_table, &o, &w);
    enum err late = trace_writer_close(w, NULL);
    return e != ERR_OK ? e : late;
}

static enum err writes_to_a_full_disk(void) {
    return writes_to(open("/dev/full", O_WRONLY | O_CLOEXEC));
}

static enum err writes_to_nobody(void) {
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    return writes_to(ends[1]);
}

static enum err reads_on_at_the_end(void) {
    const struct frame_sink sink = {.frame = no_frame};
    struct source *s;
    char *path = path_join(root, "recording");
    enum err e = writes_to(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    assert_int_equal(e, ERR_OK);
    assert_int_equal(trace_open(path, &backend_table, &s, NULL), ERR_OK);
    e = s->ops->read(s, 0, &sink);
    s->ops->close(s);
    free(path);
    return e;
}

static enum err (*const ways[ERR_COUNT])(void) = {
    [ERR_OK] = succeeds,
    [ERR_NOMEM] = lacks_memory,
    [ERR_IO] = reads_what_cannot_be_read,
    [ERR_NOENT] = opens_what_is_not_there,
    [ERR_ACCESS] = saves_although_read_only,
    [ERR_GONE] = loses_a_driver,
    [ERR_AGAIN] = asks_too_early,
    [ERR_FORMAT] = reads_another_form,
    [ERR_VERSION] = reads_a_newer_version,
    [ERR_TRUNCATED] = reads_half_a_recording,
    [ERR_RANGE] = takes_too_long_a_delay,
    [ERR_USAGE] = takes_a_delay_of_words,
    [ERR_UNSUPPORTED] = marks_the_present,
    [ERR_NOSPACE] = writes_to_a_full_disk,
    [ERR_CLOSED] = writes_to_nobody,
    [ERR_END] = reads_on_at_the_end,
};

static void every_error_has_a_way(void **state) {
    (void)state;
    for (unsigned e = 0; e < ERR_COUNT; e++) {
        if (!ways[e])
            fail_msg("nothing ends in \"%s\"", err_text((enum err)e));
        root = scratch_make();
        enum err got = ways[e]();
        if (got != (enum err)e)
            fail_msg("\"%s\" is told where \"%s\" is meant", err_text(got), err_text((enum err)e));
        scratch_remove(root);
    }
}

/* Words of a sentence: no code, no name of a constant, no full stop. */
static void every_word_is_for_people(void **state) {
    (void)state;
    for (unsigned e = 0; e < ERR_COUNT; e++) {
        const char *text = err_text((enum err)e);
        size_t n = strlen(text);
        assert_in_range(n, 8, 60);
        assert_non_null(strchr(text, ' '));
        for (size_t i = 0; i < n; i++)
            assert_true(text[i] == ' ' || (text[i] >= 'a' && text[i] <= 'z'));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_a_way),
        cmocka_unit_test(every_word_is_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
