/* JSON of a tick: read back with another library and held against the laws of machine output. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "gwtop/out.h"
#include "outsnap.h"

static const struct out_options plain;

/* One tick as text; `out` is to be finished. */
static void write_tick(const struct snapshot *s, const struct out_options *o, struct buf *out) {
    const struct output *json = output_find(span_of("json"));
    struct out_state *st = NULL;
    assert_non_null(json);
    assert_int_equal(json->open(o, &st), ERR_OK);
    buf_init(out);
    json->begin(st, out);
    json->tick(st, s, out);
    json->end(st, out);
    json->close(st);
    assert_false(out->failed);
}

static json_t *parse(const struct buf *b) {
    json_error_t error;
    json_t *root = json_loadb(b->p, b->n, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        print_error("%s at %d in %.*s\n", error.text, error.position, (int)b->n, b->p);
    }
    assert_non_null(root);
    return root;
}

static json_t *tick_of(const struct snapshot *s, const struct out_options *o) {
    struct buf b;
    write_tick(s, o, &b);
    assert_true(b.n > 0 && b.p[b.n - 1] == '\n');
    assert_null(memchr(b.p, '\n', b.n - 1));
    json_t *root = parse(&b);
    buf_finish(&b);
    return root;
}

static bool known_why(json_t *word) {
    static const char *const words[] = {"unknown", "unsupported", "denied", "malformed"};
    for (size_t i = 0; json_is_string(word) && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(json_string_value(word), words[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void check_doubts(json_t *list) {
    size_t i;
    json_t *word;
    assert_true(json_array_size(list) > 0);
    json_array_foreach(list, i, word) {
        bool known = false;
        for (unsigned bit = 0; doubt_name(bit); bit++) {
            known = known || strcmp(json_string_value(word), doubt_name(bit)) == 0;
        }
        assert_true(known);
    }
}

/* Null exactly where a sibling says why; a doubt only of what is there. */
static void check_object(json_t *object) {
    const char *key;
    json_t *value;
    json_t *why = json_object_get(object, "why");
    json_t *doubt = json_object_get(object, "doubt");
    bool null = false;
    json_object_foreach(object, key, value) {
        if (json_is_null(value)) {
            null = true;
            assert_true(known_why(json_is_object(why) ? json_object_get(why, key) : why));
        }
    }
    assert_int_equal(null, why != NULL);
    if (json_is_object(why)) {
        json_object_foreach(why, key, value) {
            assert_true(json_is_null(json_object_get(object, key)));
        }
    }
    if (json_is_object(doubt)) {
        json_object_foreach(doubt, key, value) {
            assert_false(json_is_null(json_object_get(object, key)));
            check_doubts(value);
        }
    } else if (doubt) {
        check_doubts(doubt);
    }
}

static void check_all(json_t *at) {
    const char *key;
    size_t i;
    json_t *value;
    if (json_is_object(at)) {
        check_object(at);
        json_object_foreach(at, key, value) {
            if (strcmp(key, "why") != 0 && strcmp(key, "doubt") != 0) {
                check_all(value);
            }
        }
    } else if (json_is_array(at)) {
        json_array_foreach(at, i, value) {
            assert_false(json_is_null(value));
            check_all(value);
        }
    }
}

/* The keys of an object, in order, blank-separated. */
static void assert_keys(json_t *object, const char *want) {
    char got[512] = "";
    const char *key;
    json_t *value;
    assert_true(json_is_object(object));
    json_object_foreach(object, key, value) {
        assert_true(strlen(got) + strlen(key) + 2 < sizeof got);
        strcat(got, got[0] ? " " : "");
        strcat(got, key);
    }
    assert_string_equal(got, want);
}

static json_t *at(json_t *tick, const char *list, size_t i) {
    json_t *v = json_array_get(json_object_get(tick, list), i);
    assert_non_null(v);
    return v;
}

static void keys_and_nesting(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    json_t *t = tick_of(&o.s, &plain);
    check_all(t);
    assert_keys(t, "schema t_s interval_s devices processes unattributed unreadable cost");
    assert_string_equal(json_string_value(json_object_get(t, "schema")), "gwtop/1");
    assert_keys(at(t, "devices", 0), "id name driver pci state metrics engines power");
    json_t *metrics = json_object_get(at(t, "devices", 0), "metrics");
    assert_keys(json_array_get(metrics, 0), "metric value unit source doubt");
    assert_keys(json_array_get(metrics, 1), "metric value unit engine class source");
    assert_keys(json_array_get(metrics, 3), "metric value unit region class source");
    json_t *p = at(t, "processes", 0);
    assert_keys(p, "pid start_s name command user container exited device type clients engines "
                   "busy_pct busy_s memory cpu_pct rss_B power why");
    assert_keys(json_array_get(json_object_get(p, "engines"), 0),
                "name class busy_pct busy_s PWs unpriced_s");
    assert_keys(json_array_get(json_object_get(p, "memory"), 0),
                "region total_B resident_B shared_B purgeable_B why");
    assert_keys(json_object_get(p, "power"), "PW PWs unpriced_s W J method doubt");
    assert_keys(at(t, "unattributed", 0), "device name engines busy_pct busy_s power reasons");
    assert_keys(json_object_get(t, "unreadable"), "count reasons");
    assert_keys(json_object_get(t, "cost"), "cpu_s syscalls");
    json_decref(t);
    outsnap_finish(&o);
}

static void has(const struct buf *b, const char *want) {
    struct span text = buf_span_of(b);
    size_t n = strlen(want);
    for (size_t i = 0; i + n <= text.n; i++) {
        if (memcmp(text.p + i, want, n) == 0) {
            return;
        }
    }
    print_error("no %s in %.*s\n", want, (int)text.n, text.p);
    fail();
}

static void decimals_are_exact(void **state) {
    struct outsnap o;
    struct buf b;
    (void)state;
    outsnap_typical(&o);
    write_tick(&o.s, &plain, &b);
    has(&b, "\"t_s\":1772374925.5,\"interval_s\":1,");
    has(&b, "\"busy_pct\":41.2345,\"busy_s\":12.500000001,");
    has(&b, "\"start_s\":1772374000.25,");
    has(&b, "\"cpu_pct\":125.3,\"rss_B\":734003200,");
    has(&b, "\"resident_B\":3221225472,");
    has(&b, "{\"metric\":\"engine.busy\",\"value\":55.1,\"unit\":\"%\",\"engine\":\"gfx\","
            "\"class\":\"graphics\",\"source\":\"fdinfo\"}");
    has(&b, "{\"metric\":\"memory.resident\",\"value\":5476083302,\"unit\":\"B\","
            "\"region\":\"vram\",\"class\":\"vram\",\"source\":\"fdinfo\"}");
    has(&b, "\"value\":55.2,\"unit\":\"%\",\"source\":\"amdgpu\",\"doubt\":[\"stuck\"]}");
    has(&b, "\"busy_pct\":0,\"busy_s\":0,\"PWs\":0,\"unpriced_s\":0}");
    has(&b, "\"cost\":{\"cpu_s\":0.00042,\"syscalls\":77}");
    has(&b, "\"unreadable\":{\"count\":3,\"reasons\":{\"denied\":2,\"hidepid\":1}}");
    has(&b, "\"reasons\":[\"unreadable\"]");
    buf_finish(&b);
    outsnap_finish(&o);
}

static void power_is_told_with_its_reasons(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    o.devices[0].power = o.processes[0].power;
    o.devices[0].power.method = METHOD_MEASURED;
    o.processes[1].power.pw = outsnap_real(INFINITY);
    o.processes[1].power.pws = outsnap_real(NAN);
    struct snap_unattributed *u = outsnap_unattributed(&o, 0, "(unknown pid)");
    u->power.pws = outsnap_real(0.1);
    u->power.method = METHOD_PSEUDO;
    outsnap_engine(&o, &u->engines, "PP3", 5000, 2000)->pws = outsnap_real(1e-7);
    json_t *t = tick_of(&o.s, &plain);
    check_all(t);
    json_t *p = json_object_get(at(t, "processes", 0), "power");
    assert_true(json_number_value(json_object_get(p, "PW")) == 1.24);
    assert_true(json_number_value(json_object_get(p, "PWs")) == 0.007254273496);
    assert_true(json_number_value(json_object_get(p, "W")) == 44.125);
    assert_true(json_number_value(json_object_get(p, "J")) == 812.4);
    assert_string_equal(json_string_value(json_object_get(p, "method")), "shared");
    p = json_object_get(at(t, "devices", 0), "power");
    assert_string_equal(json_string_value(json_object_get(p, "method")), "measured");
    p = json_object_get(json_object_get(at(t, "processes", 1), "power"), "why");
    assert_string_equal(json_string_value(json_object_get(p, "PW")), "malformed");
    assert_string_equal(json_string_value(json_object_get(p, "PWs")), "malformed");
    assert_string_equal(json_string_value(json_object_get(p, "W")), "unsupported");
    p = json_array_get(json_object_get(at(t, "unattributed", 1), "engines"), 0);
    assert_string_equal(json_string_value(json_object_get(p, "name")), "PP3");
    assert_true(json_number_value(json_object_get(p, "PWs")) == 1e-7);
    json_decref(t);
    outsnap_finish(&o);
}

static void four_kinds_of_nothing(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    struct snap_process *p = &o.processes[1];
    p->busy_ppm = outsnap_none(STATE_DENIED);
    p->busy_ns = outsnap_none(STATE_MALFORMED);
    p->cpu_ppm = outsnap_none(STATE_UNSUPPORTED);
    p->rss = (struct value){0};
    json_t *t = tick_of(&o.s, &plain);
    check_all(t);
    json_t *why = json_object_get(at(t, "processes", 1), "why");
    assert_string_equal(json_string_value(json_object_get(why, "busy_pct")), "denied");
    assert_string_equal(json_string_value(json_object_get(why, "busy_s")), "malformed");
    assert_string_equal(json_string_value(json_object_get(why, "cpu_pct")), "unsupported");
    assert_string_equal(json_string_value(json_object_get(why, "rss_B")), "unknown");
    assert_null(json_object_get(why, "pid"));
    json_decref(t);
    outsnap_finish(&o);
}

static void first_tick_has_no_interval(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_init(&o);
    o.s.tick = 1;
    o.s.interval_ns = outsnap_none(STATE_UNKNOWN);
    json_t *t = tick_of(&o.s, &plain);
    check_all(t);
    assert_keys(t, "schema t_s interval_s devices processes unattributed unreadable cost why");
    assert_true(json_is_null(json_object_get(t, "interval_s")));
    json_decref(t);
    outsnap_finish(&o);
}

/* Said only where it is so. */
static void who_keeps_a_device_awake(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    struct snap_device *d = (struct snap_device *)&o.s.devices[0];
    struct snap_process *p = (struct snap_process *)&o.s.processes[0];
    d->kept_awake = 2;
    d->left_alone = true;
    p->idle_holder = true;
    json_t *t = tick_of(&o.s, &plain);
    check_all(t);
    assert_true(json_is_true(json_object_get(at(t, "devices", 0), "left_alone")));
    assert_int_equal(json_integer_value(json_object_get(at(t, "devices", 0), "kept_awake")), 2);
    assert_true(json_is_true(json_object_get(at(t, "processes", 0), "idle_holder")));
    json_decref(t);
    outsnap_finish(&o);
}

static void what_became_of_a_counter_session(void **state) {
    static const char *const words[] = {NULL,   "held",        "denied", "busy",
                                        "unsupported", "lost", "failed"};
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        o.devices[0].counters = (uint8_t)i;
        json_t *t = tick_of(&o.s, &plain);
        const json_t *word = json_object_get(at(t, "devices", 0), "counters");
        check_all(t);
        assert_true(words[i] ? json_is_string(word) : !word);
        if (words[i]) {
            assert_string_equal(json_string_value(word), words[i]);
        }
        assert_null(json_object_get(at(t, "devices", 1), "counters"));
        json_decref(t);
    }
    outsnap_finish(&o);
}

/* A list that could not be read is not an empty one. */
/* Hardware contexts of a process and of nobody, each with its counters under their own names. */
static void contexts_with_their_counters(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    struct snap_process *p = &o.processes[0];
    struct snap_context *c = outsnap_context(&o, &p->contexts, 7);
    c->busy_ppm = outsnap_value(412300);
    c->busy_ns = outsnap_value(1500000000);
    outsnap_metric(&o, &c->counters, METRIC_COUNTER_GPU_TIME, 250000000);
    outsnap_metric(&o, &c->counters, METRIC_COUNTER_GPU_BUSY, 975000)->value.doubt = DOUBT_CLAMPED;
    outsnap_metric(&o, &c->counters, METRIC_COUNTER_A0, 12345);
    c = outsnap_context(&o, &p->contexts, 7);
    c->tagged = true;
    c->tag = UINT32_MAX;
    c->busy_ppm = c->busy_ns = outsnap_none(STATE_UNSUPPORTED);
    for (unsigned m = METRIC_COUNTER_GPU_TIME; m <= METRIC_COUNTER_MPEC7; m++)
        outsnap_metric(&o, &c->counters, m, 0)->value = outsnap_none(STATE_UNSUPPORTED);
    p->by_thread = true;
    struct snap_unattributed *u = outsnap_unattributed(&o, 0, "(unknown pid)");
    outsnap_context(&o, &u->contexts, UINT32_MAX);
    json_t *t = tick_of(&o.s, &plain);
    check_all(t);
    json_t *process = at(t, "processes", 0);
    assert_keys(json_object_get(process, "doubt"), "pid");
    json_t *list = json_object_get(process, "contexts");
    assert_int_equal(json_array_size(list), 2);
    json_t *first = json_array_get(list, 0);
    assert_keys(first, "context tag busy_pct busy_s counters why");
    assert_int_equal(json_integer_value(json_object_get(first, "context")), 7);
    assert_true(json_real_value(json_object_get(first, "busy_pct")) == 41.23);
    assert_true(json_real_value(json_object_get(first, "busy_s")) == 1.5);
    json_t *counters = json_object_get(first, "counters");
    assert_keys(counters, "GpuTime GpuBusy A0 doubt");
    assert_true(json_real_value(json_object_get(counters, "GpuTime")) == 0.25);
    assert_true(json_real_value(json_object_get(counters, "GpuBusy")) == 97.5);
    assert_int_equal(json_integer_value(json_object_get(counters, "A0")), 12345);
    json_t *second = json_array_get(list, 1);
    assert_int_equal(json_integer_value(json_object_get(second, "tag")), UINT32_MAX);
    json_t *why = json_object_get(json_object_get(second, "counters"), "why");
    assert_int_equal(json_object_size(why), METRIC_COUNTER_MPEC7 - METRIC_COUNTER_GPU_TIME + 1);
    json_t *rows = json_object_get(t, "unattributed");
    json_t *last = json_array_get(rows, json_array_size(rows) - 1);
    assert_keys(last, "device name engines busy_pct busy_s power reasons contexts why");
    assert_keys(json_array_get(json_object_get(last, "contexts"), 0),
                "context tag busy_pct busy_s counters why");
    json_decref(t);
    outsnap_finish(&o);
}

static void devices_that_may_not_be_listed(void **state) {
    struct outsnap o;
    struct buf b;
    (void)state;
    outsnap_typical(&o);
    o.s.device_count = o.s.process_count = o.s.unattributed_count = 0;
    o.s.devices_denied = 1;
    write_tick(&o.s, &plain, &b);
    has(&b, "\"devices\":null,");
    has(&b, "\"devices\":\"denied\"");
    buf_finish(&b);
    outsnap_finish(&o);
}

static void cost_of_a_replay_is_unsupported(void **state) {
    struct outsnap o;
    struct buf b;
    const struct out_options replay = {.replayed = true};
    (void)state;
    outsnap_typical(&o);
    write_tick(&o.s, &replay, &b);
    has(&b, "\"cost\":null,\"why\":{\"cost\":\"unsupported\"}}");
    buf_finish(&b);
    outsnap_finish(&o);
}

static void asleep_has_no_metrics(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    json_t *t = tick_of(&o.s, &plain);
    json_t *d = at(t, "devices", 1);
    assert_string_equal(json_string_value(json_object_get(d, "state")), "asleep");
    assert_int_equal(json_array_size(json_object_get(d, "metrics")), 0);
    assert_true(json_is_array(json_object_get(d, "metrics")));
    json_decref(t);
    outsnap_finish(&o);
}

static void doubts_are_lists(void **state) {
    struct outsnap o;
    struct buf b;
    (void)state;
    outsnap_typical(&o);
    o.processes[0].busy_ppm.doubt = DOUBT_CLAMPED | DOUBT_ESTIMATED;
    o.engines[o.processes[0].engines.first].busy_ppm.doubt = DOUBT_CLAMPED;
    write_tick(&o.s, &plain, &b);
    has(&b, "\"doubt\":{\"busy_pct\":[\"clamped\",\"estimated\"]}}");
    json_t *t = parse(&b);
    check_all(t);
    json_decref(t);
    buf_finish(&b);
    outsnap_finish(&o);
}

/* What comes from outside may hold anything, even what decode would have taken out. */
static void hostile_texts_stay_text(void **state) {
    static const char name[] = "a\"b\\c\x1b[31m\n\r\t\x01\x7f\xff\xc3(\xe2\x80\xae</script>";
    struct outsnap o;
    struct buf b;
    (void)state;
    outsnap_typical(&o);
    o.processes[0].name = outsnap_bytes(&o, name, sizeof name - 1);
    o.processes[0].command = outsnap_bytes(&o, "x\0y", 3);
    o.devices[0].name = outsnap_bytes(&o, name, sizeof name - 1);
    o.engines[0].name = outsnap_text(&o, "\",\"value\":1,\"x\":\"");
    write_tick(&o.s, &plain, &b);
    for (size_t i = 0; i + 1 < b.n; i++) {
        assert_true((unsigned char)b.p[i] >= 0x20 && b.p[i] != 0x7f);
    }
    json_error_t error;
    json_t *t = json_loadb(b.p, b.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    assert_non_null(t);
    check_all(t);
    assert_memory_equal(json_string_value(json_object_get(at(t, "processes", 0), "name")),
                        "a\"b\\c\x1b[31m\n\r\t\x01\x7f\xef\xbf\xbd", 17);
    json_t *metric = json_array_get(json_object_get(at(t, "devices", 0), "metrics"), 1);
    assert_string_equal(json_string_value(json_object_get(metric, "engine")),
                        "\",\"value\":1,\"x\":\"");
    json_decref(t);
    buf_finish(&b);
    outsnap_finish(&o);
}

static void texts_that_are_not_there(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_typical(&o);
    struct snap_process *p = &o.processes[0];
    p->name = p->command = p->user = p->container = (struct text_ref){0, 0};
    o.devices[0].driver = o.devices[0].slot = (struct text_ref){0, 0};
    json_t *t = tick_of(&o.s, &plain);
    check_all(t);
    assert_true(json_is_null(json_object_get(at(t, "processes", 0), "name")));
    assert_true(json_is_null(json_object_get(at(t, "processes", 1), "command")));
    assert_true(json_is_null(json_object_get(at(t, "devices", 0), "pci")));
    json_decref(t);
    outsnap_finish(&o);
}

/* An older driver says resident memory under its older key. */
static void legacy_memory_is_resident(void **state) {
    struct outsnap o;
    struct buf b;
    (void)state;
    outsnap_init(&o);
    outsnap_device(&o, "0000:03:00.0", "X", "amdgpu");
    struct snap_process *p = outsnap_process(&o, 7, 0, "p");
    struct snap_memory *m = outsnap_memory(&o, &p->memory, "vram", 0, 0);
    m->total = m->resident = m->shared = outsnap_none(STATE_UNSUPPORTED);
    m->legacy = outsnap_value(2117632);
    write_tick(&o.s, &plain, &b);
    has(&b, "\"total_B\":null,\"resident_B\":2117632,\"shared_B\":null");
    buf_finish(&b);
    outsnap_finish(&o);
}

static void every_metric_prints(void **state) {
    struct outsnap o;
    (void)state;
    outsnap_init(&o);
    struct snap_device *d = outsnap_device(&o, "gpu", "X", "y");
    for (unsigned m = 0; m < METRIC_COUNT; m++) {
        outsnap_metric(&o, &d->metrics, m, INT64_MIN)->index = (uint16_t)m;
    }
    json_t *t = tick_of(&o.s, &plain);
    check_all(t);
    json_t *metrics = json_object_get(at(t, "devices", 0), "metrics");
    for (unsigned m = 0; m < METRIC_COUNT; m++) {
        json_t *metric = json_array_get(metrics, m);
        assert_string_equal(json_string_value(json_object_get(metric, "metric")),
                            metric_info(m)->name);
        assert_string_equal(json_string_value(json_object_get(metric, "unit")),
                            unit_name(metric_info(m)->unit));
        assert_int_equal(json_integer_value(json_object_get(metric, "index")), m);
    }
    json_decref(t);
    outsnap_finish(&o);
}

static int pid_at(json_t *t, size_t i) {
    return (int)json_integer_value(json_object_get(at(t, "processes", i), "pid"));
}

/* Three processes with 10, 30 and 20 % of the GPU. */
static void three(struct outsnap *o) {
    static const int64_t busy[] = {100000, 300000, 200000};
    outsnap_init(o);
    outsnap_device(o, "0000:03:00.0", "A", "amdgpu");
    outsnap_device(o, "0000:07:00.0", "B", "xe");
    for (int i = 0; i < 3; i++) {
        struct snap_process *p = outsnap_process(o, 100 + i, i == 2, "p");
        p->busy_ppm = outsnap_value(busy[i]);
        p->user = outsnap_text(o, i ? "eve" : "bob");
    }
}

static void order_and_choice(void **state) {
    struct outsnap o;
    struct out_options q = {0};
    (void)state;
    three(&o);
    json_t *t = tick_of(&o.s, &q);
    assert_int_equal(pid_at(t, 0), 100);
    assert_int_equal(pid_at(t, 1), 101);
    assert_int_equal(pid_at(t, 2), 102);
    json_decref(t);

    q.query.top = 2;
    t = tick_of(&o.s, &q);
    assert_int_equal(json_array_size(json_object_get(t, "processes")), 2);
    assert_int_equal(pid_at(t, 0), 101);
    assert_int_equal(pid_at(t, 1), 102);
    json_decref(t);

    assert_int_equal(table_sort_parse(span_of("gpu"), &q.query, NULL), ERR_OK);
    q.query.top = 0;
    t = tick_of(&o.s, &q);
    assert_int_equal(pid_at(t, 0), 101);
    assert_int_equal(pid_at(t, 1), 102);
    assert_int_equal(pid_at(t, 2), 100);
    json_decref(t);

    q = (struct out_options){.query.device = span_of("0000:07:00.0")};
    t = tick_of(&o.s, &q);
    assert_int_equal(json_array_size(json_object_get(t, "devices")), 1);
    assert_int_equal(json_array_size(json_object_get(t, "processes")), 1);
    assert_int_equal(pid_at(t, 0), 102);
    json_decref(t);

    q = (struct out_options){.query.user = span_of("bob")};
    t = tick_of(&o.s, &q);
    assert_int_equal(json_array_size(json_object_get(t, "processes")), 1);
    assert_int_equal(pid_at(t, 0), 100);
    json_decref(t);
    outsnap_finish(&o);
}

static void list_of_devices(void **state) {
    struct outsnap o;
    struct buf b;
    (void)state;
    outsnap_typical(&o);
    buf_init(&b);
    out_devices(&o.s, &plain, true, &b);
    json_t *t = parse(&b);
    check_all(t);
    assert_keys(t, "schema devices");
    assert_keys(at(t, "devices", 0), "id name driver pci state");
    assert_int_equal(json_array_size(json_object_get(t, "devices")), 2);
    json_decref(t);
    buf_finish(&b);
    outsnap_finish(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_and_nesting),
        cmocka_unit_test(decimals_are_exact),
        cmocka_unit_test(power_is_told_with_its_reasons),
        cmocka_unit_test(four_kinds_of_nothing),
        cmocka_unit_test(first_tick_has_no_interval),
        cmocka_unit_test(who_keeps_a_device_awake),
        cmocka_unit_test(what_became_of_a_counter_session),
        cmocka_unit_test(contexts_with_their_counters),
        cmocka_unit_test(devices_that_may_not_be_listed),
        cmocka_unit_test(cost_of_a_replay_is_unsupported),
        cmocka_unit_test(asleep_has_no_metrics),
        cmocka_unit_test(doubts_are_lists),
        cmocka_unit_test(hostile_texts_stay_text),
        cmocka_unit_test(texts_that_are_not_there),
        cmocka_unit_test(legacy_memory_is_resident),
        cmocka_unit_test(every_metric_prints),
        cmocka_unit_test(order_and_choice),
        cmocka_unit_test(list_of_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
