/* ROCm processes as /sys/class/kfd lists them: whose they are, which GPU they use, since when and until when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amdrig.h"
#include "backend/amdgpu/device.h"
#include "tree.h"

#define KFD "sys/class/kfd/kfd/"

static void put_gpu(struct amdrig *r, unsigned node, unsigned long id, const char *properties) {
    char path[128];
    snprintf(path, sizeof path, KFD "topology/nodes/%u/gpu_id", node);
    tree_text(r->root, path, "%lu\n", id);
    snprintf(path, sizeof path, KFD "topology/nodes/%u/properties", node);
    tree_text(r->root, path, "%s", properties);
}

static void put_process(struct amdrig *r, int pid, unsigned long start) {
    char path[64];
    snprintf(path, sizeof path, "proc/%d/stat", pid);
    tree_text(r->root, path,
              "%d (a) b) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 %lu 100 100 0 0 0 0 0\n", pid,
              start);
}

static void put_file(struct amdrig *r, const char *folder, const char *file, const char *text) {
    char path[128];
    snprintf(path, sizeof path, KFD "proc/%s/%s", folder, file);
    tree_text(r->root, path, "%s", text);
}

static void put_use(struct amdrig *r, const char *folder, unsigned long gpu, const char *vram,
                    const char *sdma) {
    char file[64];
    snprintf(file, sizeof file, "vram_%lu", gpu);
    put_file(r, folder, file, vram);
    snprintf(file, sizeof file, "sdma_%lu", gpu);
    put_file(r, folder, file, sdma);
}

/* A card with its nodes. */
static void put_card(struct amdrig *r, unsigned card, const char *slot) {
    char path[128];
    amdrig_device(r, card, slot, "1002:740F");
    snprintf(path, sizeof path, "sys/class/drm/renderD%u/device/uevent", 128 + card);
    tree_text(r->root, path, "DRIVER=amdgpu\nPCI_SLOT_NAME=%s\n", slot);
}

static int set_up(void **state) {
    struct amdrig *r = calloc(1, sizeof *r);
    if (!r)
        return -1;
    amdrig_init(r);
    put_card(r, 0, "0000:03:00.0");
    put_card(r, 1, "0000:83:00.0");
    put_gpu(r, 0, 0, "cpu_cores_count 16\n");
    put_gpu(r, 1, 51234, "location_id 768\ndomain 0\ndrm_render_minor 128\n");
    put_gpu(r, 2, 61234, "location_id 33536\ndomain 0\ndrm_render_minor 129\n");
    tree_folder(r->root, KFD "proc");
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    amdrig_finish(*state);
    free(*state);
    return 0;
}

static const struct seen_frame *opened(const struct amdrig *r, int pid) {
    return seen_only(&r->seen, (struct seen_want){FRAME_OPEN, SUBJECT_STREAM, pid, -1});
}

static const struct seen_frame *closed(const struct amdrig *r, int type, int pid) {
    return seen_only(&r->seen, (struct seen_want){FRAME_CLOSE, type, pid, -1});
}

static const struct sample *said(const struct amdrig *r, enum metric metric) {
    const struct told_sample *s = told_best(&r->told, metric, INDEX_NONE);
    return s ? &s->sample : NULL;
}

static void a_process_comes_works_and_goes(void **state) {
    struct amdrig *r = *state;
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_int_equal(amdrig_frames(r, AMDGPU_KFD), 0);
    put_process(r, 4242, 777);
    put_use(r, "4242", 51234, "0\n", "0\n");
    put_use(r, "4242", 61234, "2147483648\n", "1500\n");
    put_file(r, "4242", "queues/0/gpuid", "61234\n");
    put_file(r, "4242", "queues/3/gpuid", "61234\n");
    put_file(r, "4242", "stats_61234/cu_occupancy", "12\n");
    amdrig_tick(r);
    assert_non_null(seen_only(&r->seen, (struct seen_want){FRAME_OPEN, SUBJECT_PROCESS, 4242, -1}));
    assert_non_null(opened(r, 4242)); /* of the GPU that it uses alone */
    assert_string_equal(opened(r, 4242)->subject.facts, "gpu=61234\npart=0\n");
    assert_int_equal(opened(r, 4242)->subject.number, 61234);
    assert_int_equal(opened(r, 4242)->subject.start, 777);
    assert_int_equal(said(r, METRIC_MEMORY_RESIDENT)->value, 2147483648);
    assert_int_equal(said(r, METRIC_MEMORY_RESIDENT)->pid, 4242);
    assert_int_equal(said(r, METRIC_MEMORY_RESIDENT)->client, 4242);
    assert_int_equal(said(r, METRIC_MEMORY_RESIDENT)->space, SPACE_KFD);
    assert_int_equal(said(r, METRIC_ENGINE_TIME)->value, 1500000);
    assert_int_equal(told_named(&r->told, METRIC_VENDOR_VALUE, "queues")->sample.value, 2);
    assert_int_equal(told_named(&r->told, METRIC_VENDOR_VALUE, "cu_occupancy")->sample.value, 12);
    put_use(r, "4242", 61234, "4096\n", "1600\n");
    amdrig_tick(r);
    assert_int_equal(said(r, METRIC_MEMORY_RESIDENT)->value, 4096);
    tree_drop(r->root, KFD "proc/4242");
    tree_drop(r->root, "proc/4242");
    amdrig_tick(r);
    assert_string_equal(seen_body(closed(r, SUBJECT_STREAM, 4242)), "reason=exited\n");
    assert_non_null(closed(r, SUBJECT_PROCESS, 4242));
}

/* The process lives on without the GPU, then starts anew; then another has its number. */
static void the_same_number_again(void **state) {
    struct amdrig *r = *state;
    put_process(r, 4242, 777);
    put_use(r, "4242", 51234, "1\n", "0\n");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_non_null(opened(r, 4242));
    tree_drop(r->root, KFD "proc/4242");
    amdrig_tick(r);
    assert_string_equal(seen_body(closed(r, SUBJECT_STREAM, 4242)), "reason=closed\n");
    put_use(r, "4242", 51234, "1\n", "0\n");
    amdrig_tick(r);
    assert_non_null(opened(r, 4242));
    put_process(r, 4242, 888);
    amdrig_tick(r);
    assert_string_equal(seen_body(closed(r, SUBJECT_STREAM, 4242)), "reason=exited\n");
    assert_int_equal(opened(r, 4242)->subject.start, 888);
}

static void what_the_kernel_lacks(void **state) {
    struct amdrig *r = *state;
    put_process(r, 4242, 777);
    put_file(r, "4242", "vram_51234", "5\n");
    put_file(r, "4242", "pasid", "32771\n");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_int_equal(said(r, METRIC_MEMORY_RESIDENT)->value, 5);
    assert_int_equal(said(r, METRIC_ENGINE_TIME)->state, STATE_UNSUPPORTED);
}

/* Older kernels name no render node; the PCI address leads to it. */
static void gpus_by_their_address(void **state) {
    struct amdrig *r = *state;
    put_gpu(r, 2, 61234, "location_id 33536\ndomain 0\n"); /* 83:00.0 */
    tree_folder(r->root, "sys/bus/pci/devices/0000:83:00.0/drm/card1");
    tree_folder(r->root, "sys/bus/pci/devices/0000:83:00.0/drm/renderD129");
    put_process(r, 4242, 777);
    put_use(r, "4242", 61234, "7\n", "0\n");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_non_null(opened(r, 4242));
    assert_int_equal(said(r, METRIC_MEMORY_RESIDENT)->value, 7);
}

/* Parts of one card, and further contexts of a process, are clients of their own. */
static void parts_and_contexts(void **state) {
    struct amdrig *r = *state;
    bool seen[3] = {false};
    put_gpu(r, 2, 61234, "drm_render_minor 128\n");
    put_process(r, 4242, 777);
    put_use(r, "4242", 51234, "1\n", "0\n");
    put_use(r, "4242", 61234, "2\n", "0\n");
    put_use(r, "4242_5", 51234, "4\n", "0\n");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_int_equal(told_count(&r->told, METRIC_MEMORY_RESIDENT), 3);
    for (uint32_t i = 0; i < r->told.count; i++) {
        const struct sample *s = &r->told.items[i].sample;
        if (s->metric != METRIC_MEMORY_RESIDENT)
            continue;
        assert_int_equal(s->pid, 4242);
        seen[0] = seen[0] || s->client == 4242;
        seen[1] = seen[1] || s->client >> 32 == 1;
        seen[2] = seen[2] || s->client >> 32 == 5 << 8;
    }
    assert_true(seen[0] && seen[1] && seen[2]);
}

static void of_a_sleeping_gpu_nothing_is_read(void **state) {
    struct amdrig *r = *state;
    put_process(r, 4242, 777);
    put_use(r, "4242", 51234, "1\n", "0\n");
    put_use(r, "4242", 61234, "1\n", "0\n");
    amdrig_put(r, 0, "power/control", "auto\n");
    amdrig_put(r, 0, "power/runtime_status", "active\n");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_int_equal(amdrig_frames(r, AMDGPU_KFD), 2);
    amdrig_put(r, 0, "power/runtime_status", "suspended\n");
    amdrig_tick(r);
    iowatch_clear(&r->watch);
    for (int i = 0; i < 3; i++) {
        amdrig_tick(r);
        assert_int_equal(amdrig_frames(r, AMDGPU_KFD), 1);
        assert_int_equal(amdrig_frames(r, FRAME_CLOSE), 0);
    }
    assert_int_equal(iowatch_count(&r->watch, 0, "51234"), 0);
}

static void hostile_folders(void **state) {
    static const char *const names[] = {
        "0",  "99999999999", "abc",           "42x",
        "-5", "4242_",       "4242_99999999", "42424242424242424242424242"};
    struct amdrig *r = *state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        put_use(r, names[i], 51234, "1\n", "0\n");
    put_use(r, "4242", 51234, "1\n", "0\n"); /* no such process */
    put_process(r, 4243, 5);
    put_use(r, "4243", 51234, "many\n", "\n");
    put_process(r, 4244, 5);
    put_use(r, "4244", 99, "1\n", "0\n"); /* no such GPU */
    amdrig_start(r, NULL);
    for (int i = 0; i < 3; i++) {
        amdrig_tick(r);
        assert_int_equal(amdrig_frames(r, AMDGPU_KFD), 0);
    }
}

static void the_card_goes(void **state) {
    struct amdrig *r = *state;
    put_process(r, 4242, 777);
    put_use(r, "4242", 51234, "1\n", "0\n");
    amdrig_start(r, NULL);
    amdrig_tick(r);
    assert_non_null(opened(r, 4242));
    tree_drop(r->root, "sys/class/drm/card0");
    tree_drop(r->root, "sys/class/drm/renderD128");
    for (int i = 0; i < 7; i++)
        amdrig_tick(r);
    assert_int_equal(amdrig_frames(r, AMDGPU_KFD), 0);
}

/* Numbers of another pid namespace would name the wrong processes; a root of its own has its own. */
static void numbers_must_be_ours(void **state) {
    struct amdrig *r = *state;
    tree_link(r->root, "proc/self/ns/pid", "pid:[4026532999]");
    put_process(r, 4242, 777);
    put_use(r, "4242", 51234, "1\n", "0\n");
    amdrig_start(r, NULL);
    assert_true(amdgpu_probe(r->host, NULL));
    r->host->rooted = false;
    assert_false(amdgpu_probe(r->host, NULL));
    tree_link(r->root, "proc/self/ns/pid", "pid:[4026531836]");
    assert_true(amdgpu_probe(r->host, NULL));
    tree_drop(r->root, "sys/class/kfd");
    assert_false(amdgpu_probe(r->host, NULL));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_process_comes_works_and_goes),
        TEST(the_same_number_again),
        TEST(what_the_kernel_lacks),
        TEST(gpus_by_their_address),
        TEST(parts_and_contexts),
        TEST(of_a_sleeping_gpu_nothing_is_read),
        TEST(hostile_folders),
        TEST(the_card_goes),
        TEST(numbers_must_be_ours),
    };
#undef TEST
    return cmocka_run_group_tests_name("amdgpu kfd", tests, NULL, NULL);
}
