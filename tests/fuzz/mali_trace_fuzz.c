/* Any bytes as trace_pipe text, as a format file and as a page of the ring buffer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/mali/trace.h"

static void on_job(void *ctx, const struct job *j) {
    (void)ctx;
    if (j->start_ns < 0 || j->end_ns <= j->start_ns || j->pid < 0 || j->pid > 4194304)
        abort();
}

static struct counts run(const struct fold *fold, const char *facts, struct span bytes,
                         size_t step) {
    struct subject s = {.id = 5, .name = "", .facts = facts};
    struct sink sink = {NULL, NULL, on_job, NULL};
    struct counts counts = {0};
    void *state = malloc(fold->size);
    if (!state)
        abort();
    fold->init(state, &s);
    for (size_t at = 0; at < bytes.n; at += step) {
        size_t n = bytes.n - at < step ? bytes.n - at : step;
        struct frame f = {.bytes = bytes.p + at, .size = n, .subject = 5};
        fold->feed(state, &s, &f, &sink, &counts);
    }
    fold->tick(state, &s, 1, &sink, &counts);
    free(state);
    return counts;
}

#define FIELDS                                                                                     \
    "page_data=16\npage.timestamp=0,8,0\npage.commit=8,8,1\ncommon_type=0,2,0\nactive.id=77\n"     \
    "active.pid=8,4,0\nactive.active=12,4,0\nactive.core_type=16,4,0\nactive.core_id=20,4,0\n"

/* The bytes say themselves how they are to be read, as a kernel would. */
static void run_by_texts(struct span bytes, unsigned event) {
    struct trace_layout l;
    struct buf facts;
    buf_init(&facts);
    buf_text(&facts, "endian=little\n");
    trace_layout_say(&facts, bytes, event, bytes);
    buf_char(&facts, '\0');
    run(&mali_trace_page_fold, facts.p, bytes, bytes.n ? bytes.n : 1);
    if (trace_layout_read(&l, facts.p) && trace_page_used(&l.pages, bytes) > bytes.n)
        abort();
    buf_finish(&facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct span bytes = {(const char *)data, size};
    struct trace_field field;
    uint32_t id;
    struct counts whole = run(&mali_trace_text_fold, "", bytes, size ? size : 1);
    struct counts pieces = run(&mali_trace_text_fold, "", bytes, 7);
    uint64_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n' || i + 1 == size;
    if (whole.accepted + whole.ignored + whole.malformed + whole.truncated != lines ||
        memcmp(&whole, &pieces, sizeof whole) != 0)
        abort();
    trace_format_field(bytes, "d0", &field);
    trace_format_id(bytes, &id);
    run(&mali_trace_page_fold, "endian=little\n" FIELDS, bytes, size ? size : 1);
    run(&mali_trace_page_fold, "endian=big\n" FIELDS, bytes, size ? size : 1);
    run_by_texts(bytes, TRACE_ACTIVE);
    run_by_texts(bytes, TRACE_TIMELINE);
    trace_format_end(bytes, "data");
    return 0;
}
