/* Finding devices: what counts as one, what is known of it, in which order, and that a sleeping one is not
 * touched. Trees as /sys lays them out, and trees that were copied without their links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gwtop/source.h"
#include "sysrig.h"
#include "tree.h"

/* ---- what is a device ------------------------------------------------------------------------------------ */

static void test_one_device_of_two_nodes(void **state) {
    struct sysrig *r = *state;
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 1);
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    assert_int_equal(sysrig_opened_count(r), 1);
    const struct seen_frame *f = sysrig_opened(r, 0);
    assert_non_null(f);
    assert_string_equal(f->subject.name, "0000:03:00.0");
    assert_string_equal(seen_body(f), f->subject.facts);
    sysrig_fact(f, "slot", "0000:03:00.0");
    sysrig_fact(f, "pci", "1002:747e");
    sysrig_fact(f, "subsystem", "148c:2427");
    sysrig_fact(f, "revision", "c8");
    sysrig_fact(f, "driver", "amdgpu");
    sysrig_fact(f, "card", "card1");
    sysrig_fact(f, "nodes", "226:1,226:129");
    sysrig_fact(f, "node_names", "card1,renderD129");
    sysrig_fact(f, "platform", "");
    assert_ptr_equal(roster_device(r->host, 226, 129), roster_device(r->host, 226, 1));
    assert_non_null(roster_device(r->host, 226, 129));
    assert_null(roster_device(r->host, 226, 128));
    assert_null(roster_device(r->host, 261, 1));
    sysrig_tick(r);
    assert_int_equal(sysrig_opened_count(r), 0);
    sysrig_stop(r);
}

static void test_platform_device(void **state) {
    struct sysrig *r = *state;
    const char *device = "sys/devices/platform/fb000000.gpu";
    tree_text(r->root, "sys/devices/platform/fb000000.gpu/uevent",
              "DRIVER=panthor\nOF_NAME=gpu\nOF_COMPATIBLE_0=rockchip,rk3588-mali\n"
              "OF_COMPATIBLE_1=arm,mali-valhall-csf\n");
    sysrig_put_node(r->root, device, "drm", "card0", 226, 0);
    sysrig_put_node(r->root, device, "drm", "renderD128", 226, 128);
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    assert_int_equal(sysrig_opened_count(r), 1);
    const struct seen_frame *f = sysrig_opened(r, 0);
    assert_string_equal(f->subject.name, "fb000000.gpu");
    sysrig_fact(f, "slot", "");
    sysrig_fact(f, "pci", "");
    sysrig_fact(f, "platform", "fb000000.gpu");
    sysrig_fact(f, "driver", "panthor");
    sysrig_fact(f, "name", "rockchip,rk3588-mali (panthor)");
    sysrig_stop(r);
}

/* Some trees have the link of the device as "two up": where the node lies tells its name. */
static void test_device_link_without_a_name(void **state) {
    struct sysrig *r = *state;
    const char *device = "sys/devices/platform/fb000000.gpu";
    tree_text(r->root, "sys/devices/platform/fb000000.gpu/uevent", "DRIVER=panthor\n");
    sysrig_put_node(r->root, device, "drm", "card0", 226, 0);
    tree_link(r->root, "sys/devices/platform/fb000000.gpu/drm/card0/device", "../..");
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    assert_string_equal(sysrig_opened(r, 0)->subject.name, "fb000000.gpu");
    sysrig_stop(r);
}

static void test_driver_by_link(void **state) {
    struct sysrig *r = *state;
    const char *device = "sys/devices/platform/soc/1c40000.gpu";
    tree_text(r->root, "sys/devices/platform/soc/1c40000.gpu/uevent", "OF_NAME=gpu\n");
    tree_link(r->root, "sys/devices/platform/soc/1c40000.gpu/driver",
              "../../../../bus/platform/drivers/lima");
    sysrig_put_node(r->root, device, "drm", "renderD128", 226, 128);
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    sysrig_fact(sysrig_opened(r, 0), "driver", "lima");
    sysrig_fact(sysrig_opened(r, 0), "card", "");
    sysrig_fact(sysrig_opened(r, 0), "name", "1c40000.gpu (lima)");
    sysrig_stop(r);
}

static void test_accel_node(void **state) {
    struct sysrig *r = *state;
    const char *device = "sys/devices/pci0000:00/0000:c5:00.1";
    tree_text(r->root, "sys/devices/pci0000:00/0000:c5:00.1/uevent",
              "DRIVER=amdxdna\nPCI_ID=1022:17F0\nPCI_SLOT_NAME=0000:c5:00.1\n");
    sysrig_put_node(r->root, device, "accel", "accel0", 261, 0);
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    sysrig_fact(sysrig_opened(r, 0), "nodes", "261:0");
    sysrig_fact(sysrig_opened(r, 0), "card", "accel0");
    assert_non_null(roster_device(r->host, 261, 0));
    sysrig_stop(r);
}

/* Address by address as numbers, then the others by name; connectors and strangers are none. */
static void test_order(void **state) {
    struct sysrig *r = *state;
    sysrig_put_pci(r->root, "10000:01:00.0", "xe", "8086:E20B", 0);
    sysrig_put_pci(r->root, "0000:0a:00.0", "i915", "8086:56A5", 1);
    sysrig_put_pci(r->root, "0000:03:00.1", "amdgpu", "1002:15BF", 2);
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 3);
    tree_text(r->root, "sys/devices/platform/b.gpu/uevent", "DRIVER=panfrost\n");
    sysrig_put_node(r->root, "sys/devices/platform/b.gpu", "drm", "card4", 226, 4);
    tree_text(r->root, "sys/devices/platform/a.gpu/uevent", "DRIVER=etnaviv\n");
    sysrig_put_node(r->root, "sys/devices/platform/a.gpu", "drm", "card5", 226, 5);
    tree_text(r->root, "sys/class/drm/version", "drm 1.1.0 20060810\n");
    tree_folder(r->root, "sys/class/drm/ttm");
    tree_folder(r->root, "sys/class/drm/card");
    tree_folder(r->root, "sys/class/drm/cardx");
    tree_folder(r->root, "sys/class/drm/card99999999999999999999");
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    static const char *const expected[] = {"0000:03:00.0",  "0000:03:00.1", "0000:0a:00.0",
                                           "10000:01:00.0", "a.gpu",        "b.gpu"};
    assert_int_equal(sysrig_opened_count(r), 6);
    for (int i = 0; i < 6; i++)
        assert_string_equal(sysrig_opened(r, i)->subject.name, expected[i]);
    sysrig_stop(r);
}

/* Nothing but plain folders: minors are guessed from the names. */
static void test_copied_tree(void **state) {
    struct sysrig *r = *state;
    tree_text(r->root, "sys/class/drm/card1/device/uevent",
              "DRIVER=amdgpu\nPCI_ID=1002:15BF\nPCI_SLOT_NAME=0000:64:00.0\n");
    tree_text(r->root, "sys/class/drm/renderD129/device/uevent",
              "DRIVER=amdgpu\nPCI_ID=1002:15BF\nPCI_SLOT_NAME=0000:64:00.0\n");
    tree_text(r->root, "sys/class/drm/card7/device/vendor", "0x10de\n");
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    assert_int_equal(sysrig_opened_count(r), 2);
    assert_string_equal(sysrig_opened(r, 0)->subject.name, "0000:64:00.0");
    sysrig_fact(sysrig_opened(r, 0), "nodes", "226:1,226:129");
    assert_string_equal(sysrig_opened(r, 1)->subject.name, "card7");
    sysrig_fact(sysrig_opened(r, 1), "nodes", "226:7");
    sysrig_fact(sysrig_opened(r, 1), "driver", "");
    sysrig_stop(r);
}

static void test_no_sys_at_all(void **state) {
    struct sysrig *r = *state;
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    assert_int_equal(sysrig_opened_count(r), 0);
    sysrig_stop(r);
}

/* What a file says goes to the screen one day. */
static void test_hostile_texts(void **state) {
    struct sysrig *r = *state;
    char noise[6000];
    memset(noise, 'A', sizeof noise);
    noise[sizeof noise - 1] = '\0';
    tree_text(r->root, "sys/class/drm/card0/device/uevent",
              "DRIVER=a\033[31mb\nPCI_ID=zz:\nPCI_SLOT_NAME=\xff\xfe%c\nPCI_SUBSYS_ID=12345678:1\n",
              7);
    tree_text(r->root, "sys/class/drm/card1/device/uevent", "PCI_SLOT_NAME=%s\n", noise);
    tree_text(r->root, "sys/class/drm/card2/device/uevent", "%s", noise);
    tree_text(r->root, "sys/class/drm/card2/dev", "%s", noise);
    tree_text(r->root, "sys/class/drm/card3/dev", "99999999999:1\n");
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r); /* names clean: a law of seen */
    assert_int_equal(sysrig_opened_count(r), 4);
    uint32_t at = 0;
    const struct seen_frame *f;
    while ((f = seen_next(&r->seen, &at, (struct seen_want){FRAME_OPEN, SUBJECT_DEVICE, -1, -1}))) {
        struct cursor c = cursor_over(span_of(f->subject.facts));
        struct span line;
        while (cursor_line(&c, &line))
            assert_true(text_is_clean(line));
        sysrig_fact(f, "pci", "");
        sysrig_fact(f, "subsystem", "");
    }
    sysrig_stop(r);
}

/* ---- names -------------------------------------------------------------------------------------------------- */

static void test_names(void **state) {
    struct sysrig *r = *state;
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:73BF", 0);
    tree_text(r->root, "sys/devices/pci0000:00/0000:03:00.0/revision", "0xc1\n");
    sysrig_put_pci(r->root, "0000:04:00.0", "xe", "8086:FFF0", 1);
    sysrig_put_pci(r->root, "0000:05:00.0", "", "FFF0:FFF0", 2);
    sysrig_put_pci(r->root, "0000:06:00.0", "i915", "8086:56A5", 3);
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    sysrig_fact(sysrig_opened(r, 1), "name", "8086:fff0 (xe)");
    sysrig_fact(sysrig_opened(r, 2), "name", "fff0:fff0");
    if (access("/usr/share/libdrm/amdgpu.ids", R_OK) == 0)
        sysrig_fact(sysrig_opened(r, 0), "name", "Radeon RX 6800 XT");
    if (access("/usr/share/misc/pci.ids", R_OK) == 0)
        sysrig_fact(sysrig_opened(r, 3), "name", "Arc A380");
    sysrig_stop(r);
}

/* ---- captures ------------------------------------------------------------------------------------------------- */

static const struct capture {
    const char *tree;
    const char *card;
    const char *slot;
    const char *pci;
    const char *driver;
} captures[] = {
    {"amdgpu-vega56", "card0", "0000:0b:00.0", "1002:687f", "amdgpu"},
    {"amdgpu-vega64-procfs", "card0", "0000:09:00.0", "1002:687f", "amdgpu"},
    {"amdgpu-vangogh", "card0", "0000:04:00.0", "1002:163f", "amdgpu"},
    {"amdgpu-phoenix", "card1", "0000:64:00.0", "1002:15bf", "amdgpu"},
    {"amdgpu-strixpoint", "card1", "0000:c1:00.0", "1002:150e", "amdgpu"},
    {"amdgpu-rx7600s", "card1", "0000:03:00.0", "1002:7480", "amdgpu"},
    {"amdgpu-rx7800xt", "card1", "0000:03:00.0", "1002:747e", "amdgpu"},
    {"amdgpu-rx9070", "card1", "0000:03:00.0", "1002:7550", "amdgpu"},
    {"amdgpu-r7-240", "card1", "0000:01:00.0", "1002:6617", "amdgpu"},
    {"i915-a380", "card1", "0000:0b:00.0", "8086:56a5", "i915"},
    {"xe-b580", "card1", "0000:09:00.0", "8086:e20b", "xe"},
    {"xe-tigerlake", "card0", "0000:00:02.0", "8086:9a49", "xe"},
};

static void test_captures(void **state) {
    struct sysrig *r = *state;
    const char *data = getenv("GWTOP_CAPTURES");
    char path[500];
    data = data ? data : "../shared/data";
    snprintf(path, sizeof path, "%s/sysfs", data);
    if (access(path, R_OK) != 0)
        skip();
    for (size_t i = 0; i < sizeof captures / sizeof captures[0]; i++) {
        const struct capture *c = &captures[i];
        char real[PATH_MAX];
        snprintf(path, sizeof path, "%s/sysfs/%s/%s", data, c->tree, c->card);
        if (!realpath(path, real))
            fail_msg("no capture %s", path);
        snprintf(path, sizeof path, "sys/class/drm/%s", c->card);
        tree_link(r->root, path, real);
        sysrig_start(r, r->root, &sysrig_no_backends);
        sysrig_tick(r);
        assert_int_equal(sysrig_opened_count(r), 1);
        assert_string_equal(sysrig_opened(r, 0)->subject.name, c->slot);
        sysrig_fact(sysrig_opened(r, 0), "slot", c->slot);
        sysrig_fact(sysrig_opened(r, 0), "pci", c->pci);
        sysrig_fact(sysrig_opened(r, 0), "driver", c->driver);
        sysrig_fact(sysrig_opened(r, 0), "card", c->card);
        assert_true(facts_get(sysrig_opened(r, 0)->subject.facts, "name").n > 0);
        sysrig_stop(r);
        tree_drop(r->root, path);
    }
}

/* ---- coming and going -------------------------------------------------------------------------------------------- */

static void test_hotplug(void **state) {
    struct sysrig *r = *state;
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    const struct subject *stays = roster_device(r->host, 226, 0);
    sysrig_put_pci(r->root, "0000:02:00.0", "xe", "8086:E20B", 1);
    sysrig_tick(r);
    assert_int_equal(sysrig_opened_count(r), 1);
    assert_string_equal(sysrig_opened(r, 1)->subject.name, "0000:02:00.0");
    assert_ptr_equal(roster_device(r->host, 226, 0), stays);
    tree_drop(r->root, "sys/class/drm/card0");
    tree_drop(r->root, "sys/class/drm/renderD128");
    sysrig_tick(r);
    const struct seen_frame *f =
        seen_only(&r->seen, (struct seen_want){FRAME_CLOSE, SUBJECT_DEVICE, -1, -1});
    assert_non_null(f);
    assert_string_equal(f->subject.name, "0000:03:00.0");
    assert_string_equal(seen_body(f), "reason=removed\n");
    assert_null(roster_device(r->host, 226, 0));
    /* It comes back, and gets the index that became free. */
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    sysrig_tick(r);
    assert_string_equal(sysrig_opened(r, 0)->subject.name, "0000:03:00.0");
    sysrig_stop(r);
}

/* Another driver is another device for all who read it. */
static void test_driver_changes(void **state) {
    struct sysrig *r = *state;
    sysrig_put_pci(r->root, "0000:02:00.0", "i915", "8086:56A5", 0);
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    sysrig_put_pci(r->root, "0000:02:00.0", "xe", "8086:56A5", 0);
    roster_want_rescan(r->host);
    sysrig_tick(r);
    assert_non_null(seen_only(&r->seen, (struct seen_want){FRAME_CLOSE, SUBJECT_DEVICE, -1, 0}));
    sysrig_fact(sysrig_opened(r, 0), "driver", "xe");
    sysrig_stop(r);
}

/* ---- state ------------------------------------------------------------------------------------------------------------ */

static void test_state(void **state) {
    struct sysrig *r = *state;
    const char *device = "sys/devices/pci0000:00/0000:03:00.0";
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    sysrig_start(r, r->root, &sysrig_no_backends);
    sysrig_tick(r);
    const struct subject *d = roster_device(r->host, 226, 0);
    /* No such file: not "asleep". */
    assert_int_equal(sysrig_state_of(r)->frame.outcome, OUTCOME_GONE);
    assert_false(roster_asleep(r->host, d));
    static const struct {
        const char *status;
        bool asleep;
    } cases[] = {{"active", false},    {"suspended", true}, {"resuming", false},
                 {"suspending", true}, {"error", false},    {"unsupported", false},
                 {"suspended", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[32];
        sysrig_put_status(r->root, device, cases[i].status, "on");
        sysrig_tick(r);
        snprintf(text, sizeof text, "%s\n", cases[i].status);
        assert_string_equal(seen_body(sysrig_state_of(r)), text);
        assert_int_equal(roster_asleep(r->host, d), cases[i].asleep);
    }
    sysrig_stop(r);
}

/* A backend that reads what would wake the device, wherever it is asked. */
static unsigned reads;

static void touch(struct host *h, const struct device_info *d) {
    char path[300];
    char text[64];
    snprintf(path, sizeof path, "%s/gpu_busy_percent", d->sys_path);
    assert_int_equal(host_slurp(h, h->root_fd, path, text, sizeof text), 3);
}

struct toucher {
    struct source source;
    struct host *host;
    char path[300];
};

static enum err toucher_read(struct source *s, int64_t now_ns, const struct frame_sink *sink) {
    struct toucher *t = (struct toucher *)s;
    struct device_info d = {.sys_path = t->path};
    (void)now_ns;
    (void)sink;
    touch(t->host, &d);
    reads++;
    return ERR_OK;
}

static void toucher_close(struct source *s) {
    free(s);
}

static const struct source_ops toucher_ops = {.read = toucher_read, .close = toucher_close};

static bool toucher_probe(const struct host *h, const struct device_info *d) {
    if (d)
        touch((struct host *)h, d);
    return d != NULL;
}

static enum err toucher_open(struct host *h, const struct device_info *d, struct source **out) {
    struct toucher *t = calloc(1, sizeof *t);
    touch(h, d);
    *t = (struct toucher){.source = {&toucher_ops}, .host = h};
    snprintf(t->path, sizeof t->path, "%s", d->sys_path);
    *out = &t->source;
    return ERR_OK;
}

static const struct backend toucher = {
    .name = "toucher", .probe = toucher_probe, .open = toucher_open};
static const struct backend *const touchers[] = {&toucher};
static const struct backend_table toucher_table = {touchers, 1};

static bool may_be_opened_asleep(const char *path) {
    static const char *const files[] = {
        "vendor",   "device", "subsystem_vendor", "subsystem_device", "class", "revision", "uevent",
        "modalias", "dev",    "power_state"};
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (strstr(path, "/power/") || strcmp(path, "sys/class/drm") == 0 ||
        strcmp(path, "sys/class/accel") == 0 || !strstr(path, "sys/"))
        return true;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strcmp(name, files[i]) == 0)
            return true;
    return false;
}

static void assert_only_allowed(const struct sysrig *r) {
    size_t root = strlen(r->root) + 1;
    for (uint32_t i = 0; i < r->spy.opened_count; i++) {
        const char *path = r->spy.opened[i];
        if (strncmp(path, r->root, root - 1) == 0)
            path += strlen(path) >= root ? root : root - 1;
        if (!may_be_opened_asleep(path))
            fail_msg("opened of a sleeping device: %s", path);
    }
}

static void test_sleeping_device_is_not_touched(void **state) {
    struct sysrig *r = *state;
    const char *device = "sys/devices/pci0000:00/0000:03:00.0";
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    tree_text(r->root, "sys/devices/pci0000:00/0000:03:00.0/gpu_busy_percent", "37\n");
    tree_text(r->root, "sys/devices/pci0000:00/0000:03:00.0/config", "x");
    sysrig_put_status(r->root, device, "suspended", "auto");
    reads = 0;
    sysrig_start(r, r->root, &toucher_table);
    for (int i = 0; i < 20; i++) {
        sysrig_tick(r);
        assert_only_allowed(r);
    }
    assert_int_equal(reads, 0);
    /* It resumes by itself, and is read at once. */
    sysrig_put_status(r->root, device, "active", "on");
    sysrig_tick(r);
    assert_int_equal(reads, 1);
    sysrig_put_status(r->root, device, "suspended", "auto");
    sysrig_tick(r);
    assert_only_allowed(r);
    assert_int_equal(reads, 1);
    sysrig_put_status(r->root, device, "active", "on");
    sysrig_tick(r);
    assert_int_equal(reads, 2);
    sysrig_stop(r);
}

/* Idle, unheld and able to sleep: read for 5 s, left alone for 30, read for 5 again. */
static void test_idle_device_is_left_alone(void **state) {
    struct sysrig *r = *state;
    const char *device = "sys/devices/pci0000:00/0000:03:00.0";
    sysrig_put_pci(r->root, "0000:03:00.0", "amdgpu", "1002:747E", 0);
    tree_text(r->root, "sys/devices/pci0000:00/0000:03:00.0/gpu_busy_percent", "37\n");
    sysrig_put_status(r->root, device, "active", "auto");
    reads = 0;
    sysrig_start(r, r->root, &toucher_table);
    for (int i = 0; i < 5; i++)
        sysrig_tick(r);
    assert_int_equal(reads, 5);
    for (int i = 0; i < 30; i++) {
        sysrig_tick(r);
        assert_only_allowed(r);
        /* Its state as it is, then that it is left alone. */
        assert_int_equal(seen_count(&r->seen, (struct seen_want){FRAME_STATE, -1, -1, -1}), 2);
    }
    assert_int_equal(reads, 5);
    for (int i = 0; i < 5; i++)
        sysrig_tick(r);
    assert_int_equal(reads, 10);
    sysrig_tick(r);
    assert_int_equal(reads, 10);
    sysrig_put_status(r->root, device, "active", "on");
    sysrig_tick(r);
    assert_int_equal(reads, 11);
    sysrig_stop(r);
}

int main(void) {
#define DEVICE_TEST(name) cmocka_unit_test_setup_teardown(name, sysrig_set_up, sysrig_tear_down)
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(test_one_device_of_two_nodes),
        DEVICE_TEST(test_platform_device),
        DEVICE_TEST(test_device_link_without_a_name),
        DEVICE_TEST(test_driver_by_link),
        DEVICE_TEST(test_accel_node),
        DEVICE_TEST(test_order),
        DEVICE_TEST(test_copied_tree),
        DEVICE_TEST(test_no_sys_at_all),
        DEVICE_TEST(test_hostile_texts),
        DEVICE_TEST(test_names),
        DEVICE_TEST(test_captures),
        DEVICE_TEST(test_hotplug),
        DEVICE_TEST(test_driver_changes),
        DEVICE_TEST(test_state),
        DEVICE_TEST(test_sleeping_device_is_not_touched),
        DEVICE_TEST(test_idle_device_is_left_alone),
    };
#undef DEVICE_TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
