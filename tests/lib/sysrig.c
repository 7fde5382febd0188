/* Trees of devices as /sys lays them out, and a live source over them. */
#include "sysrig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"
#include "tree.h"

/* ---- trees -------------------------------------------------------------------------------------- */

void sysrig_put_node(const char *root, const char *device, const char *class, const char *name,
                     unsigned major, unsigned minor) {
    char path[300];
    char to[300];
    snprintf(path, sizeof path, "%s/%s/%s/dev", device, class, name);
    tree_text(root, path, "%u:%u\n", major, minor);
    snprintf(path, sizeof path, "%s/%s/%s/device", device, class, name);
    snprintf(to, sizeof to, "../../../%s", strrchr(device, '/') + 1);
    tree_link(root, path, to);
    snprintf(path, sizeof path, "sys/class/%s/%s", class, name);
    snprintf(to, sizeof to, "../../%s/%s/%s", device + 4, class, name);
    tree_link(root, path, to);
}

/* A card on PCI with its nodes, as a kernel shows it. */
void sysrig_put_pci(const char *root, const char *slot, const char *driver, const char *id,
                    unsigned card) {
    char device[200];
    char path[260];
    char name[20];
    snprintf(device, sizeof device, "sys/devices/pci0000:00/%s", slot);
    snprintf(path, sizeof path, "%s/uevent", device);
    tree_text(root, path,
              "DRIVER=%s\nPCI_CLASS=30000\nPCI_ID=%s\nPCI_SUBSYS_ID=148C:2427\n"
              "PCI_SLOT_NAME=%s\n",
              driver, id, slot);
    snprintf(path, sizeof path, "%s/revision", device);
    tree_text(root, path, "0xc8\n");
    snprintf(name, sizeof name, "card%u", card);
    sysrig_put_node(root, device, "drm", name, 226, card);
    snprintf(name, sizeof name, "renderD%u", 128 + card);
    sysrig_put_node(root, device, "drm", name, 226, 128 + card);
    snprintf(path, sizeof path, "%s/drm/card%u/card%u-HDMI-A-1/status", device, card, card);
    tree_text(root, path, "connected\n");
    snprintf(path, sizeof path, "sys/class/drm/card%u-HDMI-A-1", card);
    tree_folder(root, path);
}

void sysrig_put_status(const char *root, const char *device, const char *status,
                       const char *control) {
    char path[260];
    snprintf(path, sizeof path, "%s/power/runtime_status", device);
    tree_text(root, path, "%s\n", status);
    snprintf(path, sizeof path, "%s/power/control", device);
    tree_text(root, path, "%s\n", control);
}

/* ---- a live source of no backend --------------------------------------------------------------------- */

const struct backend_table sysrig_no_backends = {NULL, 0};

void sysrig_start(struct sysrig *r, const char *root, const struct backend_table *table) {
    struct host_options o = {.root = root, .io = &r->spy.io, .delay_ns = 1000000000};
    struct err_info info = {0};
    iospy_init(&r->spy);
    r->seen = (struct seen){0};
    r->now_ns = 1000000000;
    assert_int_equal(host_create(&o, &r->host, &info), ERR_OK);
    assert_int_equal(live_create(r->host, table, &r->live, &info), ERR_OK);
}

/* The next tick; only its frames are there afterwards. */
void sysrig_tick(struct sysrig *r) {
    struct frame_sink sink = seen_sink(&r->seen);
    unsigned before = r->seen.ticks;
    seen_clear(&r->seen);
    iospy_clear(&r->spy);
    r->now_ns += 1000000000;
    assert_int_equal(r->live->ops->read(r->live, r->now_ns, &sink), ERR_OK);
    assert_int_equal(r->seen.ticks, before + 1);
}

void sysrig_stop(struct sysrig *r) {
    r->live->ops->close(r->live);
    host_destroy(r->host);
    assert_int_equal(r->spy.open_now, 0);
    iospy_finish(&r->spy);
    seen_finish(&r->seen);
}

const struct seen_frame *sysrig_opened(const struct sysrig *r, int number) {
    return seen_only(&r->seen, (struct seen_want){FRAME_OPEN, SUBJECT_DEVICE, -1, number});
}

unsigned sysrig_opened_count(const struct sysrig *r) {
    return seen_count(&r->seen, (struct seen_want){FRAME_OPEN, SUBJECT_DEVICE, -1, -1});
}

unsigned sysrig_closed_count(const struct sysrig *r) {
    return seen_count(&r->seen, (struct seen_want){FRAME_CLOSE, SUBJECT_DEVICE, -1, -1});
}

void sysrig_fact(const struct seen_frame *f, const char *key, const char *value) {
    struct span got;
    assert_non_null(f);
    got = facts_get(f->subject.facts, key);
    if (!span_equals(got, value))
        fail_msg("%s is \"%.*s\", not \"%s\"", key, (int)got.n, got.p, value);
}

const struct seen_frame *sysrig_state_of(const struct sysrig *r) {
    return seen_only(&r->seen, (struct seen_want){FRAME_STATE, SUBJECT_DEVICE, -1, -1});
}

int sysrig_set_up(void **state) {
    struct sysrig *r = calloc(1, sizeof *r);
    r->root = scratch_make();
    tree_folder(r->root, "proc");
    *state = r;
    return 0;
}

int sysrig_tear_down(void **state) {
    struct sysrig *r = *state;
    scratch_remove(r->root);
    free(r);
    return 0;
}
