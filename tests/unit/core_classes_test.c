/* Engines and regions of all drivers by their names, as a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gwtop/core.h"

static void engines(void **state) {
    (void)state;
    static const struct {
        enum engine_class class;
        const char *names; /* separated by blanks */
    } cases[] = {
        {CLASS_GRAPHICS, "render rcs gfx 3d fragment vertex-tiler bin gp pp gpu panthor"},
        {CLASS_COMPUTE, "compute ccs csd npu npu-amdxdna amdxdna_accel_driver"},
        {CLASS_COPY, "copy bcs dma tfu"},
        {CLASS_DECODE, "dec jpeg"},
        {CLASS_ENCODE, "enc enc_1"},
        {CLASS_MEDIA, "video vcs video-enhance vecs vpe"},
        {CLASS_OTHER, "cache_clean cpu other unknown gfx2 enc_2 enc_ en GFX videos vertex npu-x"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cursor c = cursor_over(span_of(cases[i].names));
        struct span name;
        while (cursor_word(&c, &name))
            assert_int_equal(engine_class_of(name), cases[i].class);
    }
    assert_int_equal(engine_class_of((struct span){"", 0}), CLASS_OTHER);
    assert_int_equal(engine_class_of((struct span){NULL, 0}), CLASS_OTHER);
}

static void regions(void **state) {
    (void)state;
    static const struct {
        enum region_class class;
        const char *names;
    } cases[] = {
        {REGION_VRAM, "vram vram0 vram1 local0 local1"},
        {REGION_GTT, "gtt"},
        {REGION_SYSTEM, "system system0 memory cpu stolen stolen-system0 stolen-local0"},
        {REGION_OTHER, "gds gws oa doorbell internal unknown gtt2 memory2 VRAM cpu0 loca"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cursor c = cursor_over(span_of(cases[i].names));
        struct span name;
        while (cursor_word(&c, &name))
            assert_int_equal(region_class_of(name), cases[i].class);
    }
    assert_int_equal(region_class_of((struct span){NULL, 0}), REGION_OTHER);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(engines), cmocka_unit_test(regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
