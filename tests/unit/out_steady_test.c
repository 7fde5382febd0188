/* A tick like the one before allocates nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "allocations.h"
#include "out/outputs.h"
#include "outsnap.h"

static const struct output *const outputs[] = {
#define OUTPUT(id) &output_##id,
#include "out/outputs.def"
#undef OUTPUT
};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

static void steady(void **state) {
    struct outsnap o;
    struct buf b;
    (void)state;
    if (!allocations_counted()) {
        skip();
    }
    outsnap_typical(&o);
    while (o.s.process_count < OUTSNAP_MAX) {
        o.processes[o.s.process_count] = o.processes[0];
        o.processes[o.s.process_count].pid += (int32_t)o.s.process_count;
        o.s.process_count++;
    }
    buf_init(&b);
    for (unsigned i = 0; i < OUTPUTS; i++) {
        const struct output *out = outputs[i];
        const struct out_options q = {.width = 100, .unicode = true, .color = true, .batch = true};
        struct out_state *st = NULL;
        assert_int_equal(out->open(&q, &st), ERR_OK);
        for (int tick = 0; tick < 3; tick++) {
            buf_clear(&b);
            out->tick(st, &o.s, &b);
        }
        unsigned long before = allocations_so_far();
        for (int tick = 0; tick < 100; tick++) {
            buf_clear(&b);
            out->tick(st, &o.s, &b);
        }
        unsigned long after = allocations_so_far();
        out->close(st);
        if (after != before) {
            print_error("%s: %lu allocations\n", out->name, after - before);
        }
        assert_true(after == before);
    }
    assert_true(allocations_so_far() > 0);
    buf_finish(&b);
    outsnap_finish(&o);
}

static void outputs_are_found(void **state) {
    (void)state;
    for (unsigned i = 0; i < OUTPUTS; i++) {
        assert_ptr_equal(output_find(span_of(outputs[i]->name)), outputs[i]);
        assert_true(outputs[i]->doc[0] != 0);
        outputs[i]->close(NULL);
    }
    assert_null(output_find(span_of("")));
    assert_null(output_find(span_of("jso")));
    out_decode_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steady),
                                       cmocka_unit_test(outputs_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
