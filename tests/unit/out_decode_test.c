/* Samples, jobs and the summary as JSON, from hand-made frames of a backend of no machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "gwtop/out.h"

static const struct kind kinds[] = {{.name = "k", .unit = "lines"}};
static const struct backend backend = {.name = "fdinfo", .kinds = kinds, .kind_count = 1};
static const struct backend *const list[] = {&backend};
static const struct backend_table table = {list, 1};

static const struct subject stream = {
    .id = 9, .backend = 1, .type = SUBJECT_HOLDER, .name = "", .facts = ""};
static const struct frame of_backend = {.kind = FRAME_BACKEND, .subject = 9};

struct decode {
    struct buf b;
    struct out_decode *d;
    struct subscriber s;
};

static int setup(void **state) {
    static struct decode it;
    buf_init(&it.b);
    assert_int_equal(out_decode_create(&table, "lines", &it.b, &it.d), ERR_OK);
    it.s = out_decode_subscriber(it.d);
    *state = &it;
    return 0;
}

static int teardown(void **state) {
    struct decode *it = *state;
    out_decode_destroy(it->d);
    buf_finish(&it->b);
    return 0;
}

static void label(struct decode *it, unsigned kind, const char *text) {
    const struct label l = {.text = text, .len = (uint32_t)strlen(text), .kind = (uint8_t)kind};
    it->s.sink.label(it->s.sink.ctx, &l);
}

static void frame(struct decode *it, const struct subject *s, unsigned kind) {
    struct frame f = of_backend;
    f.kind = (uint16_t)kind;
    f.subject = s->id;
    it->s.frame(it->s.sink.ctx, s, &f);
}

static struct sample sample_of(unsigned metric, int64_t value, const char *name) {
    return (struct sample){.value = value,
                           .metric = (uint16_t)metric,
                           .name = name,
                           .name_len = (uint8_t)strlen(name),
                           .index = INDEX_NONE,
                           .subject = 9,
                           .state = STATE_VALUE};
}

static void put(struct decode *it, struct sample s) {
    it->s.sink.sample(it->s.sink.ctx, &s);
}

/* What was printed since the last call. */
static void expect(struct decode *it, const char *want) {
    buf_char(&it->b, 0);
    assert_string_equal(it->b.p, want);
    buf_clear(&it->b);
}

static void a_client_of_a_text(void **state) {
    struct decode *it = *state;
    frame(it, &stream, FRAME_BACKEND);
    label(it, LABEL_DRIVER, "amdgpu");
    label(it, LABEL_PCI, "0000:08:00.0");
    struct sample s = sample_of(METRIC_ENGINE_TIME, 107322799, "gfx");
    s.space = SPACE_DRM;
    s.client = UINT64_MAX;
    s.class = CLASS_GRAPHICS;
    s.t_ns = 5;
    put(it, s);
    expect(it, "{\"t_ns\":5,\"backend\":\"fdinfo\",\"device\":\"0000:08:00.0\","
               "\"driver\":\"amdgpu\",\"client\":18446744073709551615,"
               "\"pci\":\"0000:08:00.0\",\"metric\":\"engine.time\",\"value\":0.107322799,"
               "\"unit\":\"s\",\"engine\":\"gfx\",\"class\":\"graphics\"}\n");
    label(it, LABEL_CLIENT_NAME, "a \"b\"");
    s = sample_of(METRIC_MEMORY_RESIDENT, 2117632, "vram");
    s.class = REGION_VRAM;
    s.space = SPACE_HOLDER;
    s.pid = 12;
    s.doubt = DOUBT_CLAMPED;
    put(it, s);
    expect(it, "{\"t_ns\":0,\"backend\":\"fdinfo\",\"device\":\"0000:08:00.0\","
               "\"driver\":\"amdgpu\",\"pci\":\"0000:08:00.0\",\"name\":\"a \\\"b\\\"\","
               "\"metric\":\"memory.resident\",\"value\":2117632,\"unit\":\"B\",\"pid\":12,"
               "\"region\":\"vram\",\"class\":\"vram\",\"doubt\":[\"clamped\"]}\n");
}

/* Labels end with their frame; a text without client id names no client. */
static void texts_do_not_mix(void **state) {
    struct decode *it = *state;
    frame(it, &stream, FRAME_BACKEND);
    label(it, LABEL_DRIVER, "amdgpu");
    label(it, LABEL_PCI, "0000:08:00.0");
    label(it, LABEL_CLIENT_NAME, "x");
    frame(it, &stream, FRAME_BACKEND);
    struct sample s = sample_of(METRIC_ENGINE_CAPACITY, 2, "rcs");
    s.space = SPACE_HOLDER;
    s.client = 9;
    put(it, s);
    expect(it, "{\"t_ns\":0,\"backend\":\"fdinfo\",\"metric\":\"engine.capacity\",\"value\":2,"
               "\"unit\":\"1\",\"engine\":\"rcs\"}\n");
}

static void nothing_says_why(void **state) {
    struct decode *it = *state;
    frame(it, &stream, FRAME_BACKEND);
    struct sample s = sample_of(METRIC_ENGINE_TIME, 77, "gfx");
    s.state = STATE_MALFORMED;
    s.index = 3;
    put(it, s);
    expect(it, "{\"t_ns\":0,\"backend\":\"fdinfo\",\"metric\":\"engine.time\",\"value\":null,"
               "\"unit\":\"s\",\"engine\":\"gfx\",\"index\":3,\"why\":\"malformed\"}\n");
}

static void a_declared_device_has_its_name(void **state) {
    struct decode *it = *state;
    const struct subject device = {
        .id = 4, .type = SUBJECT_DEVICE, .name = "fb000000.gpu", .facts = ""};
    frame(it, &device, FRAME_OPEN);
    frame(it, &stream, FRAME_BACKEND);
    struct sample s = sample_of(METRIC_ACTIVITY_GFX, 552000, "");
    s.device = 4;
    put(it, s);
    expect(it, "{\"t_ns\":0,\"backend\":\"fdinfo\",\"device\":\"fb000000.gpu\","
               "\"metric\":\"activity.gfx\",\"value\":55.2,\"unit\":\"%\"}\n");
    frame(it, &device, FRAME_CLOSE);
    put(it, s);
    expect(it, "{\"t_ns\":0,\"backend\":\"fdinfo\",\"metric\":\"activity.gfx\",\"value\":55.2,"
               "\"unit\":\"%\"}\n");
}

/* A field of a driver's table keeps its name, and the number as it stood there. */
static void a_field_of_a_table(void **state) {
    struct decode *it = *state;
    frame(it, &stream, FRAME_BACKEND);
    struct sample s = sample_of(METRIC_ACTIVITY_GFX, 552000, "average_gfx_activity");
    s.raw = 5520;
    put(it, s);
    expect(it, "{\"t_ns\":0,\"backend\":\"fdinfo\",\"metric\":\"activity.gfx\",\"value\":55.2,"
               "\"unit\":\"%\",\"field\":\"average_gfx_activity\",\"raw\":5520}\n");
}

static void jobs(void **state) {
    struct decode *it = *state;
    struct job j = {.start_ns = 1000,
                    .end_ns = 1000001000,
                    .name = "PP0",
                    .name_len = 3,
                    .clock_hz = 266000000,
                    .voltage_uv = 1000000,
                    .space = SPACE_PID,
                    .pid = 77,
                    .client = 77,
                    .class = CLASS_GRAPHICS,
                    .open = 1};
    frame(it, &stream, FRAME_BACKEND);
    it->s.sink.job(it->s.sink.ctx, &j);
    expect(it, "{\"t_ns\":1000001000,\"backend\":\"fdinfo\",\"metric\":\"job.busy\",\"value\":1,"
               "\"unit\":\"s\",\"pid\":77,\"engine\":\"PP0\",\"class\":\"graphics\","
               "\"start_ns\":1000,\"end_ns\":1000001000,\"clock_Hz\":266000000,\"voltage_V\":1,"
               "\"PWs\":1,\"open\":true}\n");
    j.voltage_uv = 0;
    j.end_ns = 0;
    j.open = 0;
    it->s.sink.job(it->s.sink.ctx, &j);
    expect(it, "{\"t_ns\":0,\"backend\":\"fdinfo\",\"metric\":\"job.busy\",\"value\":0,"
               "\"unit\":\"s\",\"pid\":77,\"engine\":\"PP0\",\"class\":\"graphics\","
               "\"start_ns\":1000,\"end_ns\":0,\"clock_Hz\":266000000,\"voltage_V\":null,"
               "\"PWs\":null,\"open\":false,\"why\":\"unknown\"}\n");
    j = (struct job){.end_ns = 1000,
                     .name = "GP0",
                     .name_len = 3,
                     .space = SPACE_PID,
                     .off = true,
                     .class = CLASS_GRAPHICS};
    it->s.sink.job(it->s.sink.ctx, &j);
    expect(it, "{\"t_ns\":1000,\"backend\":\"fdinfo\",\"metric\":\"job.busy\",\"value\":0.000001,"
               "\"unit\":\"s\",\"pid\":null,\"engine\":\"GP0\",\"class\":\"graphics\","
               "\"start_ns\":0,\"end_ns\":1000,\"clock_Hz\":0,\"voltage_V\":0,"
               "\"PWs\":0,\"open\":false,\"why\":\"unknown\"}\n");
}

/* Who names a context names a thread: as a process that is a guess. A tag stands beside its context. */
static void work_of_contexts(void **state) {
    struct decode *it = *state;
    struct job j = {.start_ns = 1000,
                    .end_ns = 2000,
                    .name = "render",
                    .name_len = 6,
                    .space = SPACE_TAGGED,
                    .pid = 4242,
                    .client = client_tagged(7, 81),
                    .tag = 81,
                    .class = CLASS_GRAPHICS};
    struct sample s = sample_of(METRIC_COUNTER_REPORT_REASON, 8, "context_switch");
    frame(it, &stream, FRAME_BACKEND);
    it->s.sink.job(it->s.sink.ctx, &j);
    expect(it, "{\"t_ns\":2000,\"backend\":\"fdinfo\",\"context\":7,\"tag\":81,"
               "\"metric\":\"job.busy\",\"value\":0.000001,\"unit\":\"s\",\"pid\":4242,\"tid\":4242,"
               "\"engine\":\"render\",\"class\":\"graphics\",\"start_ns\":1000,\"end_ns\":2000,"
               "\"clock_Hz\":null,\"voltage_V\":null,\"PWs\":null,\"open\":false,"
               "\"why\":\"unknown\",\"doubt\":[\"estimated\"]}\n");
    s.space = SPACE_CONTEXT;
    s.client = 32;
    put(it, s);
    expect(it, "{\"t_ns\":0,\"backend\":\"fdinfo\",\"context\":32,"
               "\"metric\":\"counter.ReportReason\",\"value\":8,\"unit\":\"1\","
               "\"label\":\"context_switch\"}\n");
}

/* Without power nothing is unknown; what somebody assumed is doubted; prices have as many digits as they need. */
static void prices_of_jobs(void **state) {
    struct decode *it = *state;
    struct job j = {.start_ns = 5,
                    .end_ns = 1005,
                    .name = "PP0",
                    .name_len = 3,
                    .off = true,
                    .space = SPACE_NONE};
    frame(it, &stream, FRAME_BACKEND);
    it->s.sink.job(it->s.sink.ctx, &j);
    expect(it, "{\"t_ns\":1005,\"backend\":\"fdinfo\",\"metric\":\"job.busy\",\"value\":0.000001,"
               "\"unit\":\"s\",\"engine\":\"PP0\",\"start_ns\":5,\"end_ns\":1005,\"clock_Hz\":0,"
               "\"voltage_V\":0,\"PWs\":0,\"open\":false}\n");
    j.off = false;
    j.doubt = DOUBT_ASSUMED_VOLTAGE;
    j.clock_hz = 533000000;
    j.voltage_uv = 1100000;
    j.end_ns = 1000005;
    it->s.sink.job(it->s.sink.ctx, &j);
    expect(it, "{\"t_ns\":1000005,\"backend\":\"fdinfo\",\"metric\":\"job.busy\",\"value\":0.001,"
               "\"unit\":\"s\",\"engine\":\"PP0\",\"start_ns\":5,\"end_ns\":1000005,"
               "\"clock_Hz\":533000000,\"voltage_V\":1.1,\"PWs\":0.00242454887218,\"open\":false,"
               "\"doubt\":[\"assumed-voltage\"]}\n");
    /* So long that 15 decimals do not fit. */
    j.doubt = 0;
    j.clock_hz = 266000000;
    j.voltage_uv = 1000000;
    j.end_ns = INT64_C(9000000000000005);
    it->s.sink.job(it->s.sink.ctx, &j);
    expect(it, "{\"t_ns\":9000000000000005,\"backend\":\"fdinfo\",\"metric\":\"job.busy\","
               "\"value\":9000000,\"unit\":\"s\",\"engine\":\"PP0\",\"start_ns\":5,"
               "\"end_ns\":9000000000000005,\"clock_Hz\":266000000,\"voltage_V\":1,\"PWs\":9000000,"
               "\"open\":false}\n");
}

/* A counter of a client's job is of the unit that ran it. */
static void counters_of_jobs(void **state) {
    struct decode *it = *state;
    frame(it, &stream, FRAME_BACKEND);
    struct sample s = sample_of(METRIC_COUNTER_HW0, 123456, "PP0");
    s.space = SPACE_PID;
    s.pid = 77;
    s.index = 20;
    s.class = CLASS_GRAPHICS;
    put(it, s);
    expect(it,
           "{\"t_ns\":0,\"backend\":\"fdinfo\",\"metric\":\"counter.hw0\",\"value\":123456,"
           "\"unit\":\"1\",\"pid\":77,\"engine\":\"PP0\",\"class\":\"graphics\",\"index\":20}\n");
}

static void summary(void **state) {
    struct decode *it = *state;
    struct frame f = of_backend;
    struct counts c = {.accepted = 7, .ignored = 4, .malformed = 2, .truncated = 1};
    c.reasons[REASON_OTHER_KEY] = 4;
    c.reasons[REASON_BAD_NUMBER] = 2;
    c.reasons[REASON_CUT] = 1;
    it->s.done(it->s.sink.ctx, &stream, &f, &c);
    f.kind = FRAME_END;
    it->s.done(it->s.sink.ctx, &stream, &f, &c);
    f.kind = FRAME_BACKEND;
    memset(&c, 0, sizeof c);
    c.accepted = 3;
    it->s.done(it->s.sink.ctx, &stream, &f, &c);
    assert_int_equal(out_decode_accepted(it->d), 10);
    out_decode_summary(it->d);
    expect(it, "{\"summary\":{\"lines\":17,\"accepted\":10,\"ignored\":4,\"malformed\":2,"
               "\"truncated\":1,\"reasons\":{\"other_key\":4,\"bad_number\":2,\"cut\":1}}}\n");
}

static void check_line(struct span line) {
    json_error_t error;
    json_t *o = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, &error);
    if (!o) {
        print_error("%s: %.*s\n", error.text, (int)line.n, line.p);
    }
    assert_non_null(o);
    json_t *value = json_object_get(o, "value");
    assert_int_equal(json_is_null(value), json_object_get(o, "why") != NULL);
    json_decref(o);
}

/* Every metric, in every state, with the largest numbers and a hostile name. */
static void every_metric_in_every_state(void **state) {
    static const int64_t values[] = {0, 1, -1, INT64_MAX, INT64_MIN};
    struct decode *it = *state;
    frame(it, &stream, FRAME_BACKEND);
    for (unsigned m = 0; m < METRIC_COUNT; m++) {
        for (unsigned n = 0; n < STATE_COUNT * 5; n++) {
            struct sample s = sample_of(m, values[n % 5], "\"\\\x01,");
            s.state = (uint8_t)(n / 5);
            s.class = (uint8_t)n;
            s.doubt = (uint8_t)(n * 11);
            s.space = (uint8_t)(n % 7);
            put(it, s);
        }
    }
    struct cursor c = cursor_over(buf_span_of(&it->b));
    struct span line;
    unsigned lines = 0;
    while (cursor_line(&c, &line)) {
        check_line(line);
        lines++;
    }
    assert_int_equal(lines, METRIC_COUNT * STATE_COUNT * 5);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_client_of_a_text),
        TEST(texts_do_not_mix),
        TEST(nothing_says_why),
        TEST(a_declared_device_has_its_name),
        TEST(a_field_of_a_table),
        TEST(jobs),
        TEST(prices_of_jobs),
        TEST(work_of_contexts),
        TEST(counters_of_jobs),
        TEST(summary),
        TEST(every_metric_in_every_state),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
