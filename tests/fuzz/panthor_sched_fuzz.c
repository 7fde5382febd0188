/* Any bytes as pages of the GPU scheduler's events, old and new, and as the texts that say how these are to be read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/panthor/sched.h"
#include "tracepage.h"

static void on_job(void *ctx, const struct job *j) {
    int64_t *covered_ns = (int64_t *)ctx + (j->name[0] == 'g' ? SCHED_GP : SCHED_PP);
    if (j->start_ns < 0 || j->end_ns <= j->start_ns || j->pid < 0 || j->pid > 4194304 ||
        j->client != (uint64_t)j->pid || j->name_len != 2 || j->space != SPACE_PID)
        abort();
    *covered_ns = j->end_ns;
}

/* In pages of `step` bytes, two to a tick. */
static void run(const char *facts, struct span bytes, size_t step) {
    int64_t covered_ns[SCHED_RINGS] = {0};
    struct subject s = {.id = 5, .name = "", .facts = facts};
    struct sink sink = {covered_ns, NULL, on_job, NULL};
    struct counts counts = {0};
    void *state = malloc(panthor_sched_fold.size);
    if (!state)
        abort();
    panthor_sched_fold.init(state, &s);
    for (size_t at = 0, i = 0; at < bytes.n; at += step, i++) {
        size_t n = bytes.n - at < step ? bytes.n - at : step;
        struct frame f = {.t_ns = (int64_t)at, .bytes = bytes.p + at, .size = n, .subject = 5};
        panthor_sched_fold.feed(state, &s, &f, &sink, &counts);
        if (i % 2)
            panthor_sched_fold.tick(state, &s, 1, &sink, &counts);
    }
    panthor_sched_fold.tick(state, &s, 1, &sink, &counts);
    panthor_sched_fold.tick(state, &s, 2, &sink, &counts);
    free(state);
}

static void run_by_texts(struct span bytes, unsigned dialect) {
    struct sched_layout l;
    struct buf facts;
    buf_init(&facts);
    buf_text(&facts, "endian=little\nclock=mono\n");
    trace_pages_say(&facts, bytes, bytes);
    for (unsigned i = 0; i < SCHED_EVENTS; i++)
        sched_event_say(&facts, dialect, i, bytes);
    buf_char(&facts, '\0');
    run(facts.p, bytes, bytes.n ? bytes.n : 1);
    if (sched_layout_read(&l, facts.p) && trace_page_used(&l.pages, bytes) > bytes.n)
        abort();
    buf_finish(&facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct span bytes = {(const char *)data, size};
    for (unsigned i = 0; i < 4; i++) {
        const char *facts = tracepage_sched_facts(i & 1, i & 2);
        run(facts, bytes, size ? size : 1);
        run(facts, bytes, 192);
    }
    run_by_texts(bytes, SCHED_OLD);
    run_by_texts(bytes, SCHED_NEW);
    return 0;
}
