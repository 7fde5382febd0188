/* Knobs are written at their beginning, and where there are no positions just so. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "gwtop/source.h"

static void what_has_no_positions(void **state) {
    const struct host_io *io = &host_io_posix;
    char text[8] = {0};
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(io->write(io->ctx, ends[1], "mono\n", 5, 0), 5);
    assert_int_equal(io->read(io->ctx, ends[0], text, sizeof(text)), 5);
    assert_string_equal(text, "mono\n");
    assert_int_equal(io->write(io->ctx, ends[1], "mono\n", 5, 1), -1);
    assert_int_equal(errno, ESPIPE);
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_has_no_positions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
