/* Both forms of what doctor found, over reports made by hand: every state, every key, order of gain, width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "gwtop/doctor.h"

static const struct doctor_fact facts[] = {{"kernel", "Linux 6.12"}, {"locale", ""}};
static const struct doctor_device devices[] = {
    {"0000:03:00.0", "A \"card\"", "amdgpu", "active", "/sys/devices/pci/0000:03:00.0", "auto",
     "active", 2, true, true,
     "drm-driver drm-engine-gfx drm-engine-capacity-gfx drm-total-vram drm-resident-vram"},
    {"0000:07:00.0", "", "", "no driver", "/sys/bus/pci/devices/0000:07:00.0", "", "", 0, false,
     false, ""},
};
static const struct doctor_node nodes[] = {
    {"/dev/dri/renderD128", "root", "render", 0660, 0, true, false},
    {"/dev/dri/card0", "", "", 0, 0, false, false},
};
#define LONG                                                                                       \
    "words that go on and on so that they do not fit into one line of eighty columns at all"
static const struct doctor_source sources[] = {
    {"table", "/sys/devices/pci/0000:03:00.0/table", "", LONG, "", "", "", 0, CHECK_OK, 5},
    {"hwmon", "/sys/devices/pci/0000:03:00.0/hwmon/a", LONG, LONG, "sudo chmod a+r a", "", LONG, 0,
     CHECK_DENIED, 3},
    {"counters", "", "x", "y", "gwtop --counters", "other way", "z", 0, CHECK_OFF, 4},
    {"again", "", "x", "y", "sudo chmod a+r a", "", "z", 0, CHECK_OFF, 1},
    {"sleepy", "", "x", "y", "gwtop --wake", "", "z", 0, CHECK_ASLEEP, 9},
    {"none", "", "x", "y", "cannot", "", "z", 0, CHECK_UNSUPPORTED, 9},
    {"driver", "", "x", "y", "sudo modprobe", "", "z", 1, CHECK_MISSING, 9},
    {"proc", "/proc", "x", "y", "", "", "", UINT32_MAX, CHECK_MISSING, 9},
};
static const char *const warnings[] = {"config:3: no such key"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static struct doctor report(void) {
    struct doctor d = {.version = "1.2",
                       .root = "",
                       .facts = facts,
                       .fact_count = COUNT(facts),
                       .devices = devices,
                       .device_count = COUNT(devices),
                       .nodes = nodes,
                       .node_count = COUNT(nodes),
                       .sources = sources,
                       .source_count = COUNT(sources),
                       .warnings = warnings,
                       .warning_count = COUNT(warnings),
                       .processes = 10,
                       .unreadable = 3};
    d.unreadable_reasons[REASON_DENIED] = 3;
    return d;
}

/* ---- order ------------------------------------------------------------------------------------- */

static void largest_gain_comes_first(void **state) {
    const struct doctor d = report();
    uint32_t order[8];
    (void)state;
    assert_int_equal(doctor_rank(&d, order, 8),
                     3); /* what has no command, sleeps or cannot be is not there */
    assert_string_equal(sources[order[0]].source, "driver");
    assert_string_equal(sources[order[1]].source, "counters");
    assert_string_equal(sources[order[2]].source, "hwmon"); /* one command once */
    assert_int_equal(doctor_rank(&d, order, 1), 1);
    assert_int_equal(doctor_rank(&d, order, 0), 0);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static json_t *parsed(const struct doctor *d) {
    struct buf b = {0};
    json_error_t error;
    out_doctor_json(d, &b);
    assert_false(b.failed);
    assert_int_equal(b.p[b.n - 1], '\n');
    json_t *o = json_loadb(b.p, b.n, JSON_REJECT_DUPLICATES, &error);
    if (!o)
        fail_msg("%s at %d", error.text, error.position);
    buf_finish(&b);
    return o;
}

static void assert_keys(json_t *o, const char *const *keys, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!json_object_get(o, keys[i]))
            fail_msg("no key %s", keys[i]);
    assert_int_equal(json_object_size(o), count);
}

static void json_has_each_key(void **state) {
    static const char *const top[] = {"schema",  "version", "root", "machine", "processes",
                                      "devices", "sources", "more", "warnings"};
    static const char *const device[] = {"id",     "name",          "driver",         "state",
                                         "folder", "power_control", "runtime_status", "nodes",
                                         "fdinfo"};
    static const char *const source[] = {"source", "device",  "state",         "path",  "need",
                                         "lost",   "command", "other_command", "unsafe"};
    const struct doctor d = report();
    json_t *o = parsed(&d);
    size_t i;
    json_t *one;
    (void)state;
    assert_keys(o, top, COUNT(top));
    assert_string_equal(json_string_value(json_object_get(o, "schema")), "gwtop-doctor/1");
    json_array_foreach(json_object_get(o, "devices"), i, one)
        assert_keys(one, device, COUNT(device));
    json_array_foreach(json_object_get(o, "sources"), i, one) {
        assert_keys(one, source, COUNT(source));
        assert_string_equal(json_string_value(json_object_get(one, "state")),
                            check_state_name((enum check_state)sources[i].state));
    }
    json_decref(o);
}

static void json_says_what_there_is(void **state) {
    const struct doctor d = report();
    json_t *o = parsed(&d);
    json_t *list = json_object_get(o, "devices");
    json_t *fdinfo = json_object_get(json_array_get(list, 0), "fdinfo");
    json_t *proc = json_array_get(json_object_get(o, "sources"), 7);
    (void)state;
    assert_int_equal(json_array_size(json_object_get(fdinfo, "keys")), 5);
    assert_int_equal(json_array_size(json_object_get(json_array_get(list, 0), "nodes")), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "name")),
                        "A \"card\"");
    assert_true(json_is_null(json_object_get(json_array_get(list, 1), "driver")));
    assert_true(json_is_null(json_object_get(proc, "device")));
    assert_true(json_is_null(json_object_get(proc, "command")));
    assert_int_equal(json_array_size(json_object_get(o, "more")), 3);
    json_t *processes = json_object_get(o, "processes");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(processes, "reasons"), "denied")), 3);
    json_decref(o);
}

static void empty_report_is_whole(void **state) {
    const struct doctor d = {.version = "1", .root = ""};
    json_t *o = parsed(&d);
    struct buf b = {0};
    (void)state;
    assert_int_equal(json_array_size(json_object_get(o, "sources")), 0);
    json_decref(o);
    out_doctor_text(&d, 80, true, &b);
    assert_false(b.failed);
    buf_finish(&b);
}

/* ---- text -------------------------------------------------------------------------------------- */

static void text_fits_and_is_plain(void **state) {
    const struct doctor d = report();
    struct buf b = {0};
    struct span line;
    (void)state;
    out_doctor_text(&d, 80, false, &b);
    struct cursor c = cursor_over(buf_span_of(&b));
    while (cursor_line(&c, &line)) {
        assert_true(text_columns(line) <= 80);
        assert_true(line.n == 0 || line.p[line.n - 1] != ' ');
        for (size_t i = 0; i < line.n; i++)
            assert_true(line.p[i] >= ' ' && line.p[i] < 0x7f);
    }
    assert_true(text_contains(buf_span_of(&b), span_of("rw-rw----  root render  not for you")));
    assert_true(text_contains(buf_span_of(&b), span_of("engines gfx\n")));
    assert_true(text_contains(buf_span_of(&b), span_of("run     sudo chmod a+r a\n")));
    assert_true(text_contains(buf_span_of(&b), span_of("or      other way\n")));
    assert_true(text_contains(buf_span_of(&b), span_of("config:3: no such key")));
    buf_finish(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_gain_comes_first), cmocka_unit_test(json_has_each_key),
        cmocka_unit_test(json_says_what_there_is),  cmocka_unit_test(empty_report_is_whole),
        cmocka_unit_test(text_fits_and_is_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
