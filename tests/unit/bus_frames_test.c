/*
 * What the bus promises: the order in which subscribers hear, what is decoded and what only
 * counted, and how long fold states live. The backend here decodes each byte to a sample and folds
 * bytes to their sum.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/bus.h"

/* ---- a backend of no machine ------------------------------------------------------------------- */

static void say(const struct subject *s, const struct frame *f, int64_t value,
                const struct sink *sink) {
    struct sample sample = {.t_ns = f ? f->t_ns : 0,
                            .value = value,
                            .name = s->name,
                            .name_len = (uint8_t)strlen(s->name),
                            .subject = s->id,
                            .metric = METRIC_ENGINE_TIME,
                            .index = INDEX_NONE,
                            .state = STATE_VALUE};
    sink->sample(sink->ctx, &sample);
}

/* One sample a byte; a '!' is malformed, '-' ignored, '.' cut. */
static void decode_bytes(const struct subject *s, const struct frame *f, const struct sink *sink,
                         struct counts *counts) {
    for (size_t i = 0; i < f->size; i++) {
        if (f->bytes[i] == '!') {
            counts_malformed(counts, REASON_BAD_TEXT);
        } else if (f->bytes[i] == '-') {
            counts_ignored(counts, REASON_OTHER_KEY);
        } else if (f->bytes[i] == '.') {
            counts_truncated(counts, REASON_CUT);
        } else {
            counts->accepted++;
            say(s, f, f->bytes[i], sink);
        }
    }
}

struct adder {
    int64_t sum;
    uint32_t started_by;
    uint32_t magic;
};
#define MAGIC   0xabcdef01u
#define COUNTED 30 /* a sum whose tick counts a unit */

static void add_init(void *state, const struct subject *s) {
    struct adder *a = state;
    a->started_by = s->id;
    a->magic = MAGIC;
}

static void add_feed(void *state, const struct subject *s, const struct frame *f,
                     const struct sink *sink, struct counts *counts) {
    struct adder *a = state;
    (void)sink;
    assert_int_equal(a->magic, MAGIC);
    assert_int_equal(a->started_by, s->id);
    for (size_t i = 0; i < f->size; i++)
        a->sum += f->bytes[i] - '0';
    counts->accepted++;
}

static void add_tick(void *state, const struct subject *s, int64_t t_ns, const struct sink *sink,
                     struct counts *counts) {
    struct adder *a = state;
    struct frame at = {.t_ns = t_ns};
    struct job job = {.start_ns = 1, .end_ns = t_ns, .name = "u", .name_len = 1, .subject = s->id};
    struct label label = {.t_ns = t_ns, .text = s->facts, .len = 3, .subject = s->id};
    assert_int_equal(a->magic, MAGIC);
    say(s, &at, a->sum, sink);
    sink->job(sink->ctx, &job);
    sink->label(sink->ctx, &label);
    if (a->sum == COUNTED)
        counts_truncated(counts, REASON_CUT);
}

static const struct fold adding = {
    .size = sizeof(struct adder), .init = add_init, .feed = add_feed, .tick = add_tick};
/* A fold without memory, start or tick. */
static void ignore_feed(void *state, const struct subject *s, const struct frame *f,
                        const struct sink *sink, struct counts *counts) {
    (void)state;
    (void)s;
    (void)f;
    (void)sink;
    counts_ignored(counts, REASON_OTHER_KEY);
}
static const struct fold ignoring = {.size = 0, .feed = ignore_feed};

enum { BYTES = FRAME_BACKEND, SUM, SECOND_SUM, NOTHING };
static const struct kind kinds[] = {
    {.name = "bytes", .unit = "bytes", .decode = decode_bytes},
    {.name = "sum", .unit = "records", .fold = &adding},
    {.name = "second", .unit = "records", .fold = &adding},
    {.name = "nothing", .unit = "records", .fold = &ignoring},
};
static const struct backend backend = {.name = "fake", .kinds = kinds, .kind_count = 4};
static const struct backend *const list[] = {&backend};
static const struct backend_table table = {list, 1};

/* ---- a listener -------------------------------------------------------------------------------- */

struct listener {
    const char *name;
    struct buf *log;
};

static void log_word(const struct listener *l, const char *what, int64_t value) {
    buf_text(l->log, l->name);
    buf_text(l->log, what);
    buf_i64(l->log, value);
    buf_char(l->log, ' ');
}

static void on_sample(void *ctx, const struct sample *s) {
    log_word(ctx, s->name_len && s->name[0] == 'B' ? "Bs" : "s", s->value);
}

static void on_job(void *ctx, const struct job *j) {
    log_word(ctx, "j", j->end_ns);
}

static void on_label(void *ctx, const struct label *l) {
    assert_memory_equal(l->text, "k=v", 3);
    log_word(ctx, "l", l->t_ns);
}

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    assert_non_null(s);
    log_word(ctx, "f", f->kind);
}

static void on_done(void *ctx, const struct subject *s, const struct frame *f,
                    const struct counts *counts) {
    assert_non_null(s);
    assert_non_null(f);
    log_word(ctx, "d",
             (int64_t)(counts->accepted + 10 * counts->ignored + 100 * counts->malformed +
                       1000 * counts->truncated));
}

static struct subscriber everything(struct listener *l) {
    return (struct subscriber){{l, on_sample, on_job, on_label}, on_frame, on_done};
}

/* ---- the tests --------------------------------------------------------------------------------- */

struct stage {
    struct bus *bus;
    struct buf log;
    struct listener a;
};

static const struct subject machine = {.id = 0, .name = "", .facts = ""};
static const struct subject one = {
    .id = 7, .backend = 1, .type = SUBJECT_STREAM, .name = "", .facts = "k=v\n"};
static const struct subject two = {
    .id = 8, .backend = 1, .type = SUBJECT_STREAM, .name = "B", .facts = "k=v\n"};

static int setup(void **state) {
    static struct stage stage;
    stage = (struct stage){.a = {.name = "", .log = &stage.log}};
    buf_init(&stage.log);
    struct subscriber s = everything(&stage.a);
    assert_int_equal(bus_create(&table, &stage.bus), ERR_OK);
    assert_int_equal(bus_subscribe(stage.bus, &s), ERR_OK);
    *state = &stage;
    return 0;
}

static int teardown(void **state) {
    struct stage *stage = *state;
    bus_destroy(stage->bus);
    buf_finish(&stage->log);
    return 0;
}

static void put(struct bus *bus, const struct subject *s, unsigned kind, int64_t t_ns,
                const char *bytes) {
    struct frame f = {.t_ns = t_ns,
                      .bytes = bytes,
                      .size = strlen(bytes),
                      .subject = s->id,
                      .kind = (uint16_t)kind};
    struct frame_sink sink = bus_sink(bus);
    sink.frame(sink.ctx, s, &f);
}

static void heard(struct stage *stage, const char *want) {
    buf_char(&stage->log, '\0');
    assert_string_equal(stage->log.p, want);
    buf_clear(&stage->log);
}

static void order(void **state) {
    struct stage *stage = *state;
    struct listener b = {.name = "b:", .log = &stage->log};
    struct subscriber s = everything(&b);
    assert_int_equal(bus_subscribe(stage->bus, &s), ERR_OK);
    put(stage->bus, &one, BYTES, 1, "\1\2");
    heard(stage, "f16 b:f16 s1 b:s1 s2 b:s2 d2 b:d2 ");
    /* Slots may be empty. */
    struct subscriber none = {0};
    assert_int_equal(bus_subscribe(stage->bus, &none), ERR_OK);
    put(stage->bus, &one, BYTES, 1, "\3");
    heard(stage, "f16 b:f16 s3 b:s3 d1 b:d1 ");
}

static void eight_subscribers(void **state) {
    struct stage *stage = *state;
    struct subscriber none = {0};
    for (int i = 1; i < 8; i++)
        assert_int_equal(bus_subscribe(stage->bus, &none), ERR_OK);
    assert_int_equal(bus_subscribe(stage->bus, &none), ERR_RANGE);
    put(stage->bus, &one, BYTES, 1, "\1");
    heard(stage, "f16 s1 d1 ");
}

static void counting(void **state) {
    struct stage *stage = *state;
    put(stage->bus, &one, BYTES, 1, "\1!-.\2");
    heard(stage, "f16 s1 s2 d1112 ");
    struct frame denied = {.subject = 7, .kind = BYTES, .outcome = OUTCOME_DENIED, .sys = 13};
    bus_frame(stage->bus, &one, &denied);
    heard(stage, "f16 d10 ");
    assert_int_equal(bus_counts(stage->bus)->reasons[REASON_FAILED_READ], 1);
    put(stage->bus, &one, NOTHING + 1, 1, "x");
    heard(stage, "f20 d10 ");
    put(stage->bus, &machine, BYTES, 1, "x");
    heard(stage, "f16 d10 ");
    put(stage->bus, &machine, FRAME_STATE + 1, 1, "x");
    heard(stage, "f6 d10 ");
    assert_int_equal(bus_counts(stage->bus)->reasons[REASON_UNKNOWN_KIND], 3);
    /* What is built in has no units, whatever its outcome. */
    struct frame gone = {.subject = 7, .kind = FRAME_STATE, .outcome = OUTCOME_GONE, .sys = 2};
    bus_frame(stage->bus, &one, &gone);
    heard(stage, "f5 d0 ");
    assert_int_equal(bus_counts(stage->bus)->accepted, 2);
    assert_int_equal(bus_counts(stage->bus)->ignored, 5);
    assert_int_equal(bus_counts(stage->bus)->malformed, 1);
    assert_int_equal(bus_counts(stage->bus)->truncated, 1);
}

static void folds(void **state) {
    struct stage *stage = *state;
    put(stage->bus, &one, FRAME_OPEN, 1, "");
    put(stage->bus, &one, SUM, 1, "12");
    put(stage->bus, &one, SUM, 2, "3");
    heard(stage, "f3 d0 f17 d1 f17 d1 ");
    /* What was folded is told before anybody hears of the end. */
    put(stage->bus, &machine, FRAME_END, 5, "");
    heard(stage, "s6 j5 l5 f2 d0 ");
    /* Memory lasts over ticks; each subject and kind has its own. */
    put(stage->bus, &two, SUM, 6, "9");
    put(stage->bus, &one, SECOND_SUM, 6, "1");
    put(stage->bus, &one, SUM, 6, "1");
    buf_clear(&stage->log);
    put(stage->bus, &machine, FRAME_END, 7, "");
    heard(stage, "s7 j7 l7 Bs9 j7 l7 s1 j7 l7 f2 d0 ");
    /* A subject that ends is told once more, and then is no more. */
    put(stage->bus, &one, FRAME_CLOSE, 8, "");
    heard(stage, "s7 j8 l8 s1 j8 l8 f4 d0 ");
    put(stage->bus, &machine, FRAME_END, 9, "");
    heard(stage, "Bs9 j9 l9 f2 d0 ");
    /* The same id again starts afresh, also where no close was heard. */
    put(stage->bus, &one, SUM, 10, "5");
    put(stage->bus, &one, FRAME_OPEN, 10, "");
    put(stage->bus, &one, SUM, 10, "4");
    put(stage->bus, &one, NOTHING, 10, "4");
    buf_clear(&stage->log);
    put(stage->bus, &machine, FRAME_END, 11, "");
    heard(stage, "Bs9 j11 l11 s4 j11 l11 f2 d0 ");
    bus_finish(stage->bus, 12);
    heard(stage, "Bs9 j12 l12 s4 j12 l12 ");
}

/* What a tick counts is a `done` of the fold's own kind, before that of the frame that made it tick. */
static void ticks_count(void **state) {
    struct stage *stage = *state;
    put(stage->bus, &one, FRAME_OPEN, 1, "");
    put(stage->bus, &one, SUM, 1, "99930");
    buf_clear(&stage->log);
    put(stage->bus, &machine, FRAME_END, 5, "");
    heard(stage, "s30 j5 l5 d1000 f2 d0 ");
    assert_int_equal(bus_counts(stage->bus)->truncated, 1);
    assert_int_equal(bus_counts(stage->bus)->reasons[REASON_CUT], 1);
    put(stage->bus, &one, FRAME_CLOSE, 6, "");
    heard(stage, "s30 j6 l6 d1000 f4 d0 ");
    put(stage->bus, &one, SUM, 7, "99930");
    buf_clear(&stage->log);
    bus_finish(stage->bus, 8);
    heard(stage, "s30 j8 l8 d1000 ");
    assert_int_equal(bus_counts(stage->bus)->truncated, 3);
}

/* A copy goes on from where it was taken, and neither hears of the other. */
static void copies(void **state) {
    struct stage *stage = *state;
    struct stage other;
    void *p = &other;
    other = (struct stage){.a = {.name = "", .log = &other.log}};
    buf_init(&other.log);
    struct subscriber s = everything(&other.a);
    assert_int_equal(bus_create(&table, &other.bus), ERR_OK);
    assert_int_equal(bus_subscribe(other.bus, &s), ERR_OK);
    put(other.bus, &two, SUM, 1, "7");
    buf_clear(&other.log);

    put(stage->bus, &two, SUM, 1, "1");
    put(stage->bus, &one, SUM, 1, "2");
    put(stage->bus, &two, FRAME_CLOSE, 1, "");
    assert_int_equal(bus_copy(other.bus, stage->bus), ERR_OK);
    assert_int_equal(bus_counts(other.bus)->accepted, 2);
    put(stage->bus, &one, SUM, 1, "3");
    bus_finish(other.bus, 5);
    heard(&other, "s2 j5 l5 ");
    put(other.bus, &one, SUM, 6, "5");
    buf_clear(&other.log);
    bus_finish(other.bus, 6);
    heard(&other, "s7 j6 l6 ");
    buf_clear(&stage->log);
    bus_finish(stage->bus, 6);
    heard(stage, "s5 j6 l6 ");

    /* Back to nothing. */
    put(stage->bus, &one, FRAME_CLOSE, 7, "");
    assert_int_equal(bus_copy(other.bus, stage->bus), ERR_OK);
    bus_finish(other.bus, 8);
    heard(&other, "");
    teardown(&p);
}

/* The subject's texts need not outlive the frame that brought them. */
static void texts_are_kept(void **state) {
    struct stage *stage = *state;
    char name[] = "B";
    char facts[] = "k=v\n";
    struct subject brief = {.id = 9, .backend = 1, .name = name, .facts = facts};
    put(stage->bus, &brief, SUM, 1, "3");
    memset(name, 'x', 1);
    memset(facts, 'x', 3);
    buf_clear(&stage->log);
    bus_finish(stage->bus, 2);
    heard(stage, "Bs3 j2 l2 ");
}

/* Subjects come and go by the thousand in time that grows with the frames only. */
static void many_subjects(void **state) {
    struct stage *stage = *state;
    enum { MANY = 50000 };
    struct subject s = one;
    for (uint32_t i = 1; i <= MANY; i++) {
        s.id = i;
        put(stage->bus, &s, FRAME_OPEN, 1, "");
        put(stage->bus, &s, SUM, 1, "1");
    }
    for (uint32_t i = 1; i < MANY; i++) {
        s.id = i;
        put(stage->bus, &s, FRAME_CLOSE, 1, "");
    }
    buf_clear(&stage->log);
    bus_finish(stage->bus, 3);
    heard(stage, "s1 j3 l3 ");
}

int main(void) {
    bus_destroy(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(order, setup, teardown),
        cmocka_unit_test_setup_teardown(eight_subscribers, setup, teardown),
        cmocka_unit_test_setup_teardown(counting, setup, teardown),
        cmocka_unit_test_setup_teardown(folds, setup, teardown),
        cmocka_unit_test_setup_teardown(ticks_count, setup, teardown),
        cmocka_unit_test_setup_teardown(copies, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(many_subjects, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
