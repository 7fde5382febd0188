/*
 * What is not a whole and known gpu_metrics table gives no sample, and every byte is counted
 * once: cut at every length, sizes that lie, versions that do not exist, and what stands behind a
 * table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/amdgpu/amdgpu.h"
#include "gmt.h"
#include "heard.h"

static struct gmt_heard heard;

static struct counts decode(const uint8_t *bytes, size_t n) {
    struct subject s = {.id = 3, .type = SUBJECT_DEVICE, .name = "", .facts = ""};
    /* A copy of its own, so that a sanitizer sees the first byte read behind the end. */
    uint8_t *copy = malloc(n ? n : 1);
    struct frame f = {.bytes = (const char *)copy, .size = n, .subject = 3};
    struct sink sink = gmt_sink(&heard);
    struct counts counts = {0};
    assert_non_null(copy);
    memcpy(copy, bytes, n);
    heard.count = 0;
    amdgpu_gpu_metrics_decode(&s, &f, &sink, &counts);
    free(copy);
    assert_counts(&counts, n);
    return counts;
}

static void assert_refused(const struct counts *c, size_t n, enum reason why) {
    assert_int_equal(heard.count, 0);
    assert_int_equal(c->accepted, 0);
    assert_int_equal(c->ignored, 0);
    assert_int_equal(c->reasons[why], n);
    assert_int_equal(why == REASON_TABLE_CUT ? c->truncated : c->malformed, n);
}

static void every_length(void **state) {
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    for (size_t i = 0; gmt_layout_at(i); i++) {
        const struct gmt_layout *l = gmt_layout_at(i);
        gmt_blank(l, bytes);
        for (size_t n = 0; n < l->size; n++) {
            struct counts c = decode(bytes, n);
            assert_refused(&c, n, REASON_TABLE_CUT);
        }
        struct counts c = decode(bytes, l->size);
        assert_int_equal(c.accepted, l->size);
        assert_true(heard.count > 0);
    }
}

static void every_size(void **state) {
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    for (size_t i = 0; gmt_layout_at(i); i++) {
        const struct gmt_layout *l = gmt_layout_at(i);
        memset(bytes, 0, sizeof(bytes));
        gmt_blank(l, bytes);
        for (unsigned size = 0; size <= UINT16_MAX; size++) {
            bool other_form = l->content == 6 && (size == 312 || size == 1664);
            if (size == l->size || other_form)
                continue;
            gmt_store(bytes, 2, size);
            struct counts c = decode(bytes, sizeof(bytes));
            assert_refused(&c, sizeof(bytes), REASON_TABLE_SIZE);
        }
    }
}

static bool exists(unsigned format, unsigned content) {
    for (size_t i = 0; gmt_layout_at(i); i++)
        if (gmt_layout_at(i)->format == format && gmt_layout_at(i)->content == content)
            return true;
    return format == 1 && content == 9;
}

static void every_version(void **state) {
    uint8_t bytes[128];
    (void)state;
    memset(bytes, 0, sizeof(bytes));
    gmt_store(bytes, 2, 120);
    for (unsigned format = 0; format < 256; format++)
        for (unsigned content = 0; content < 256; content++) {
            bytes[2] = (uint8_t)format;
            bytes[3] = (uint8_t)content;
            if (exists(format, content))
                continue;
            struct counts c = decode(bytes, sizeof(bytes));
            assert_refused(&c, sizeof(bytes), REASON_TABLE_VERSION);
        }
}

/* A page of sysfs around the table, as a tool that trusts the size of the file copies it. */
static void tail(void **state) {
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    for (size_t i = 0; gmt_layout_at(i); i++) {
        const struct gmt_layout *l = gmt_layout_at(i);
        memset(bytes, 0, sizeof(bytes));
        gmt_blank(l, bytes);
        decode(bytes, l->size);
        size_t alone = heard.count;
        struct counts c = decode(bytes, sizeof(bytes));
        assert_int_equal(c.accepted, l->size);
        assert_int_equal(c.ignored, sizeof(bytes) - l->size);
        assert_int_equal(c.reasons[REASON_TABLE_TAIL], sizeof(bytes) - l->size);
        assert_int_equal(heard.count, alone);
    }
}

/* The same version in two sizes is two layouts. */
static void two_forms_of_one_version(void **state) {
    uint8_t bytes[GMT_SIZE_MAX];
    (void)state;
    gmt_blank(gmt_layout("v1_6"), bytes);
    gmt_put(gmt_layout("v1_6"), bytes, "num_partition", INDEX_NONE, 1);
    decode(bytes, 1664);
    assert_non_null(gmt_find_field(&heard, "vendor.value", "num_partition", INDEX_NONE));
    assert_non_null(gmt_find_field(&heard, "vendor.share", "xcp_stats[7].vcn_busy", 3));
    gmt_store(bytes, 2, 312);
    struct counts c = decode(bytes, 1664);
    assert_int_equal(c.accepted, 312);
    assert_null(gmt_find_field(&heard, "vendor.value", "num_partition", INDEX_NONE));
    assert_null(gmt_find_field(&heard, "vendor.share", "xcp_stats[7].vcn_busy", 3));
    assert_non_null(gmt_find(&heard, "clock.gfx", 7));
}

/* A sink that wants no samples, and a frame with no bytes. */
static void nothing_wanted(void **state) {
    uint8_t bytes[GMT_SIZE_MAX];
    struct subject s = {.id = 3, .name = "", .facts = ""};
    struct sink silent = {0};
    struct counts counts = {0};
    struct frame f = {.bytes = (const char *)bytes, .size = 120};
    struct frame empty = {.bytes = NULL};
    (void)state;
    gmt_blank(gmt_layout("v2_1"), bytes);
    amdgpu_gpu_metrics_decode(&s, &f, &silent, &counts);
    assert_int_equal(counts.accepted, 120);
    amdgpu_gpu_metrics_decode(&s, &empty, &silent, &counts);
    assert_counts(&counts, 120);
}

/* A file of any size is one reading. */
/* A file is one reading, whatever is in it: nothing of it is cut off or looked for first. */
static void as_file(void **state) {
    (void)state;
    assert_null(amdgpu_gpu_metrics_file.scan);
    assert_null(amdgpu_gpu_metrics_file.cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(every_size),
        cmocka_unit_test(every_version),
        cmocka_unit_test(tail),
        cmocka_unit_test(two_forms_of_one_version),
        cmocka_unit_test(nothing_wanted),
        cmocka_unit_test(as_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
