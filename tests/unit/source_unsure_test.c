/* Devices of which not all can be seen: what is known stands, what could not be looked at is said, and what stands
 * in the place of a file is waited for by nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"
#include "sysrig.h"
#include "tree.h"

/* The device is what nodes belong to: it goes with the last of them. */
static void test_node_goes_for_a_while(void **state) {
    struct sysrig *r = *state;
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    const struct subject *d = roster_device(r->host, 226, 128);
    tree_drop(r->root, "sys/class/drm/card0");
    for (int i = 0; i < 7; i++) {
        sysrig_tick(r);
        assert_int_equal(sysrig_closed_count(r) + sysrig_opened_count(r), 0);
        assert_ptr_equal(roster_device(r->host, 226, 0),
                         d); /* who holds it still holds the device */
    }
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    tree_drop(r->root, "sys/class/drm/renderD128");
    sysrig_tick(r);
    assert_int_equal(sysrig_closed_count(r) + sysrig_opened_count(r), 0);
    /* A node's number goes over to who has it now. */
    tree_drop(r->root, "sys/class/drm/card0");
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 1);
    sysrig_put_pci(r->root, "0000:04:00.0", "xe", "8086:E20B", 0);
    sysrig_tick(r);
    assert_int_equal(sysrig_closed_count(r), 0);
    assert_ptr_equal(roster_device(r->host, 226, 129), d);
    assert_string_equal(roster_device(r->host, 226, 0)->name, "0000:04:00.0");
    tree_drop(r->root, "sys/class/drm/card1");
    tree_drop(r->root, "sys/class/drm/renderD129");
    sysrig_tick(r);
    assert_int_equal(sysrig_closed_count(r), 1);
    sysrig_stop(r);
}

/* Without links and off PCI: the kernel counts both kinds of nodes alike, and shows both the device's uevent. */
static void test_nodes_without_any_link(void **state) {
    static const struct {
        const char *node;
        const char *uevent;
        const char *joined; /* NULL: a device of its own */
    } cases[] = {
        {"renderD188", "DRIVER=panthor\nOF_FULLNAME=/gpu@1\n", "card60"},
        {"renderD188", "DRIVER=panthor\nOF_FULLNAME=/gpu@2\n", NULL},
        {"renderD189", "DRIVER=panthor\nOF_FULLNAME=/gpu@1\n", NULL},
        {"card61", "DRIVER=panthor\nOF_FULLNAME=/gpu@1\n", NULL},
        {"renderD188", "", NULL},
    };
    struct sysrig *r = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[100];
        tree_text(r->root, "sys/class/drm/card60/device/uevent", "%s",
                  cases[i].uevent[0] ? "DRIVER=panthor\nOF_FULLNAME=/gpu@1\n" : "");
        snprintf(path, sizeof path, "sys/class/drm/%s/device/uevent", cases[i].node);
        tree_text(r->root, path, "%s", cases[i].uevent);
        sysrig_start(r, r->root, &sysrig_no_backends);
        sysrig_tick(r);
        assert_int_equal(sysrig_opened_count(r), cases[i].joined ? 1 : 2);
        if (cases[i].joined) {
            assert_string_equal(sysrig_opened(r, 0)->subject.name, cases[i].joined);
            sysrig_fact(sysrig_opened(r, 0), "nodes", "226:60,226:188");
            tree_drop(r->root, "sys/class/drm/card60");
            sysrig_tick(r);
            assert_int_equal(sysrig_closed_count(r) + sysrig_opened_count(r), 0);
        }
        sysrig_stop(r);
        tree_drop(r->root, "sys/class/drm");
    }
}

/* ---- what could not be looked at ------------------------------------------------------------------------------- */

static uint64_t end_number(const struct sysrig *r, const char *key) {
    const struct seen_frame *f = seen_only(&r->seen, (struct seen_want){FRAME_END, -1, -1, -1});
    return facts_u64(seen_body(f), key, 0);
}

static const struct {
    int sys;
    const char *key;
} refusals[] = {{EACCES, "devices.denied"},      {EPERM, "devices.denied"},
                {EMFILE, "devices.failed_read"}, {EIO, "devices.failed_read"},
                {ELOOP, "devices.failed_read"},  {ENOTDIR, "devices.failed_read"}};
enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

/* A folder that cannot be listed is not an empty one. */
static void test_folder_that_cannot_be_listed(void **state) {
    struct sysrig *r = *state;
    char line[200];
    enum log_level level;
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    tree_text(r->root, "sys/devices/pci0000:00/0000:c5:00.1/uevent",
              "DRIVER=amdxdna\nPCI_SLOT_NAME=0000:c5:00.1\n");
    sysrig_put_node(r->root, "sys/devices/pci0000:00/0000:c5:00.1", "accel", "accel0", 261, 0);
    for (size_t i = 0; i < REFUSALS; i++) {
        sysrig_start(r, r->root, &sysrig_no_backends);
        r->spy.deny_tail = "sys/class/drm";
        r->spy.deny_sys = refusals[i].sys;
        sysrig_tick(r); /* the other folder is none the worse */
        assert_int_equal(sysrig_opened_count(r), 1);
        assert_string_equal(sysrig_opened(r, 0)->subject.name, "0000:c5:00.1");
        assert_int_equal(end_number(r, refusals[i].key), 1);
        assert_true(log_get(0, &level, line, sizeof line));
        assert_int_equal(level, LOG_WARN);
        assert_non_null(strstr(line, "sys/class/drm"));
        unsigned long lines = log_count();
        for (int k = 0; k < 12; k++) {
            sysrig_tick(r);
            assert_int_equal(end_number(r, refusals[i].key), 1);
        }
        assert_int_equal(log_count(), lines); /* said once */
        r->spy.deny_tail = NULL;
        for (int k = 0; k < 5 && sysrig_opened_count(r) == 0; k++)
            sysrig_tick(r);
        assert_int_equal(sysrig_opened_count(r), 1);
        assert_int_equal(end_number(r, refusals[i].key), 0);
        /* What is known stands while it cannot be looked at. */
        r->spy.deny_tail = "sys/class/drm";
        for (int k = 0; k < 12; k++) {
            sysrig_tick(r);
            assert_int_equal(sysrig_closed_count(r), 0);
        }
        assert_int_equal(end_number(r, refusals[i].key), 1);
        sysrig_stop(r);
    }
}

/* A folder that is not there for a moment. */
static void test_folder_missed_once(void **state) {
    struct sysrig *r = *state;
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    sysrig_start(r, r->root, &sysrig_no_backends);
    r->spy.deny_tail = "sys/class/drm";
    r->spy.deny_sys = ENOENT;
    sysrig_tick(r);
    r->spy.deny_tail = NULL;
    sysrig_tick(r);
    assert_int_equal(sysrig_opened_count(r), 1);
    r->spy.deny_tail = "sys/class/drm";
    roster_want_rescan(r->host);
    sysrig_tick(r);
    r->spy.deny_tail = NULL;
    for (int i = 0; i < 7; i++) {
        assert_int_equal(sysrig_closed_count(r), 0);
        sysrig_tick(r);
    }
    tree_drop(r->root, "sys/class");
    sysrig_tick(r);
    sysrig_tick(r);
    assert_null(roster_device(r->host, 226, 0)); /* twice is for good */
    sysrig_stop(r);
}

/* One reading that fails costs one tick at most: of a known device nothing, of a new one its name. */
static void test_identity_that_cannot_be_read(void **state) {
    static const char *const files[] = {"uevent", "device/revision"};
    static const int errors[] = {EMFILE, ENFILE, EIO, ENOMEM, ENOENT, EACCES};
    struct sysrig *r = *state;
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
            const struct subject *d;
            if (i > 0 && errors[k] != EIO)
                continue; /* what is not there for good is not there */
            sysrig_start(r, r->root, &sysrig_no_backends);
            r->spy.deny_tail = files[i];
            r->spy.deny_sys = errors[k];
            sysrig_tick(r);
            assert_int_equal(end_number(r, "devices.denied"), errors[k] == EACCES);
            r->spy.deny_tail = NULL;
            sysrig_tick(r);
            d = roster_device(r->host, 226, 128);
            assert_string_equal(d->name, "0000:03:00.0");
            assert_true(span_equals(facts_get(d->facts, "pci"), "1002:747e"));
            assert_true(span_equals(facts_get(d->facts, "driver"), "amdgpu"));
            assert_true(span_equals(facts_get(d->facts, "revision"), "c8"));
            r->spy.deny_tail = files[i];
            roster_want_rescan(r->host);
            sysrig_tick(r);
            assert_int_equal(sysrig_closed_count(r) + sysrig_opened_count(r), 0);
            r->spy.deny_tail = NULL;
            for (int t = 0; t < 7; t++) {
                sysrig_tick(r);
                assert_int_equal(sysrig_closed_count(r) + sysrig_opened_count(r), 0);
            }
            assert_int_equal(end_number(r, "devices.failed_read"), 0);
            sysrig_stop(r);
        }
}

/* A name that could not be looked up is looked up again. */
static void test_name_that_cannot_be_looked_up(void **state) {
    struct sysrig *r = *state;
    if (access("/usr/share/libdrm/amdgpu.ids", R_OK) != 0)
        skip();
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:73BF", 0);
    tree_text(r->root, "sys/devices/pci0000:00/0000:03:00.0/revision", "0xc1\n");
    sysrig_start(r, r->root, &sysrig_no_backends);
    r->spy.deny_tail = "amdgpu.ids";
    r->spy.deny_sys = EMFILE;
    for (int i = 0; i < 7; i++) {
        sysrig_tick(r);
        assert_int_equal(sysrig_opened_count(r), i == 0); /* not again and again */
    }
    r->spy.deny_tail = NULL;
    for (int i = 0; i < 5 && sysrig_opened_count(r) == 0; i++)
        sysrig_tick(r);
    sysrig_fact(sysrig_opened(r, 0), "name", "Radeon RX 6800 XT");
    sysrig_tick(r);
    assert_int_equal(sysrig_opened_count(r), 0);
    sysrig_stop(r);
}

/* The last free descriptor is enough to know all. */
static void test_one_descriptor_is_enough(void **state) {
    struct sysrig *r = *state;
    const char *device = "sys/devices/pci0000:00/0000:03:00.0";
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:73BF", 0);
    sysrig_put_status(r->root, device, "suspended", "auto");
    sysrig_start(r, r->root, &sysrig_no_backends);
    r->host->rooted = false; /* where files are kept open */
    r->spy.open_max = r->spy.open_now + 1;
    for (int i = 0; i < 3; i++) {
        sysrig_tick(r);
        assert_int_equal(sysrig_opened_count(r), i == 0);
        if (i == 0)
            sysrig_fact(sysrig_opened(r, 0), "pci", "1002:73bf");
        assert_int_equal(end_number(r, "devices.failed_read"), 0);
        assert_string_equal(seen_body(sysrig_state_of(r)), "suspended\n");
        r->host->keep_left = 0;
    }
    sysrig_stop(r);
}

/* Something else in the place of a file costs what the file says, and nobody waits for it. */
static void test_odd_files(void **state) {
    static const char *const files[] = {"uevent",        "revision",      "power/runtime_status",
                                        "power/control", "drm/card0/dev", "drm"};
    struct sysrig *r = *state;
    alarm(100); /* seconds that no machine takes for it */
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (unsigned odd = 0; odd < TREE_ODD_COUNT; odd++) {
            char path[100];
            sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
            sysrig_put_pci(r->root, "0000:04:00.0", "xe", "8086:E20B", 1);
            sysrig_put_status(r->root, "sys/devices/pci0000:00/0000:03:00.0", "active", "auto");
            snprintf(path, sizeof path, "sys/devices/pci0000:00/0000:03:00.0/%s", files[i]);
            tree_odd(r->root, path, odd);
            sysrig_start(r, r->root, &sysrig_no_backends);
            for (int t = 0; t < 7; t++) {
                sysrig_tick(r);
                assert_int_equal(sysrig_closed_count(r), 0);
                assert_string_equal(roster_device(r->host, 226, 1)->name, "0000:04:00.0");
                assert_non_null(roster_device(r->host, 226, 128));
                const struct subject *d = roster_device(r->host, 226, 0);
                assert_string_equal(d->name, "0000:03:00.0");
                assert_true(span_equals(facts_get(d->facts, "slot"), "0000:03:00.0"));
                if (strcmp(files[i], "uevent") != 0 && strcmp(files[i], "drm") != 0)
                    assert_true(span_equals(facts_get(d->facts, "driver"), "amdgpu"));
            }
            sysrig_stop(r);
            tree_drop(r->root, "sys");
        }
    for (unsigned odd = 0; odd < TREE_ODD_COUNT; odd++) {
        tree_odd(r->root, "sys/class/drm", odd);
        tree_odd(r->root, "proc", odd);
        sysrig_start(r, r->root, &sysrig_no_backends);
        sysrig_tick(r);
        sysrig_tick(r);
        assert_int_equal(end_number(r, "devices.failed_read"),
                         odd != ODD_FOLDER && odd != ODD_NOWHERE);
        assert_int_equal(end_number(r, "unreadable.failed_read"),
                         odd != ODD_FOLDER && odd != ODD_NOWHERE);
        sysrig_stop(r);
    }
    alarm(0);
}

int main(void) {
#define UNSURE_TEST(name) cmocka_unit_test_setup_teardown(name, sysrig_set_up, sysrig_tear_down)
    const struct CMUnitTest tests[] = {
        UNSURE_TEST(test_node_goes_for_a_while),
        UNSURE_TEST(test_nodes_without_any_link),
        UNSURE_TEST(test_folder_that_cannot_be_listed),
        UNSURE_TEST(test_folder_missed_once),
        UNSURE_TEST(test_identity_that_cannot_be_read),
        UNSURE_TEST(test_name_that_cannot_be_looked_up),
        UNSURE_TEST(test_one_descriptor_is_enough),
        UNSURE_TEST(test_odd_files),
    };
#undef UNSURE_TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
