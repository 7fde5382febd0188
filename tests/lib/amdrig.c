/* Live amdgpu devices under a root of a test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "amdrig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/amdgpu/device.h"
#include "scratch.h"
#include "tree.h"

static const struct backend *const backends[] = {&backend_amdgpu};
static const struct backend_table table = {backends, 1};

void amdrig_init(struct amdrig *r) {
    *r = (struct amdrig){.table = &table, .now_ns = 1000000000, .step_ns = 1000000000};
    r->root = scratch_make();
    tree_text(r->root, "proc/stat", "btime 1700000000\n");
    tree_folder(r->root, "sys/class/drm");
}

void amdrig_put(struct amdrig *r, unsigned card, const char *file, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "sys/class/drm/card%u/device/%s", card, file);
    tree_text(r->root, path, "%s", text);
}

void amdrig_device(struct amdrig *r, unsigned card, const char *slot, const char *pci_id) {
    char text[256];
    snprintf(text, sizeof text,
             "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=%s\nPCI_SUBSYS_ID=148C:2427\n"
             "PCI_SLOT_NAME=%s\n",
             pci_id, slot);
    amdrig_put(r, card, "uevent", text);
}

void amdrig_sensors(struct amdrig *r, unsigned card) {
    static const char *const files[][2] = {
        {"gpu_busy_percent", "0\n"},
        {"mem_info_vram_used", "1000\n"},
        {"mem_info_vram_total", "4000\n"},
        {"mem_info_gtt_used", "10\n"},
        {"mem_info_gtt_total", "40\n"},
        {"pp_dpm_sclk", "0: 500Mhz *\n1: 2000Mhz \n"},
        {"pp_dpm_mclk", "0: 96Mhz *\n1: 1000Mhz \n"},
        {"current_link_speed", "16.0 GT/s PCIe\n"},
        {"current_link_width", "16\n"},
        {"max_link_speed", "16.0 GT/s PCIe\n"},
        {"max_link_width", "16\n"},
        {"hwmon/hwmon3/name", "amdgpu\n"},
        {"hwmon/hwmon3/temp1_input", "51000\n"},
        {"hwmon/hwmon3/temp1_label", "edge\n"},
        {"hwmon/hwmon3/power1_average", "8000000\n"},
        {"hwmon/hwmon3/power1_cap", "200000000\n"},
        {"hwmon/hwmon3/in0_input", "775\n"},
        {"hwmon/hwmon3/in0_label", "vddgfx\n"},
        {"hwmon/hwmon3/freq1_input", "500000000\n"},
        {"hwmon/hwmon3/freq1_label", "sclk\n"},
        {"hwmon/hwmon3/fan1_input", "900\n"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        amdrig_put(r, card, files[i][0], files[i][1]);
}

void amdrig_copy(struct amdrig *r, const char *folder) {
    char *command = NULL;
    assert_true(asprintf(&command, "cp -r '%s' '%s/sys/class/drm/'", folder, r->root) > 0);
    assert_int_equal(system(command), 0);
    free(command);
}

void amdrig_start(struct amdrig *r, const char *facts) {
    struct host_options o = {
        .root = r->root, .io = &r->watch.io, .delay_ns = r->step_ns, .machine_facts = facts};
    struct subscriber s = told_subscriber(&r->told);
    iowatch_init(&r->watch);
    assert_int_equal(host_create(&o, &r->host, NULL), ERR_OK);
    assert_int_equal(live_create(r->host, r->table, &r->live, NULL), ERR_OK);
    assert_int_equal(bus_create(r->table, &r->bus), ERR_OK);
    assert_int_equal(bus_subscribe(r->bus, &s), ERR_OK);
}

void amdrig_start_kept(struct amdrig *r) {
    amdrig_start(r, NULL);
    r->host->rooted = false;
}

static void take(void *ctx, const struct subject *s, const struct frame *f) {
    struct amdrig *r = ctx;
    struct frame_sink seen = seen_sink(&r->seen);
    seen.frame(seen.ctx, s, f);
    bus_frame(r->bus, s, f);
}

void amdrig_tick(struct amdrig *r) {
    struct frame_sink sink = {r, take};
    seen_clear(&r->seen);
    told_clear(&r->told);
    r->now_ns += r->step_ns;
    assert_int_equal(r->live->ops->read(r->live, r->now_ns, &sink), ERR_OK);
}

unsigned amdrig_frames(const struct amdrig *r, unsigned kind) {
    return seen_count(&r->seen, (struct seen_want){(int)kind, SUBJECT_STREAM, -1, -1});
}

const struct seen_frame *amdrig_frame(const struct amdrig *r, unsigned kind) {
    uint32_t at = 0;
    return seen_next(&r->seen, &at, (struct seen_want){(int)kind, SUBJECT_STREAM, -1, -1});
}

void amdrig_tick_until(struct amdrig *r, unsigned kind) {
    struct timespec rest = {.tv_nsec = 5000000};
    for (int i = 0; i < 1000; i++) {
        amdrig_tick(r);
        if (amdrig_frames(r, kind) > 0)
            return;
        nanosleep(&rest, NULL);
    }
    fail_msg("no frame of kind %u", kind);
}

void amdrig_finish(struct amdrig *r) {
    if (r->live)
        r->live->ops->close(r->live);
    bus_destroy(r->bus);
    host_destroy(r->host);
    if (r->host) {
        assert_int_equal(r->watch.open_now, 0);
        iowatch_finish(&r->watch);
    }
    seen_finish(&r->seen);
    told_finish(&r->told);
    scratch_remove(r->root);
}
