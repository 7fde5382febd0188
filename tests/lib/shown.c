/* Keys in, text out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shown.h"

#define SECOND INT64_C(1000000000)

struct screen *open_screen(struct ui_options o, void (*build)(struct snap *b)) {
    static struct screen sc;
    memset(&sc, 0, sizeof sc);
    assert_int_equal(ui_create(&o, &sc.ui), ERR_OK);
    assert_int_equal(grid_resize(&sc.g, 24, 80), ERR_OK);
    sc.play = (struct ui_play){.busy_ppm = -1, .delay_ns = SECOND, .speed_milli = 1000};
    build(&sc.b);
    return &sc;
}

void close_screen(struct screen *sc) {
    ui_destroy(sc->ui);
    grid_finish(&sc->g);
    buf_finish(&sc->text);
    snap_finish(&sc->b);
}

const char *drawn(struct screen *sc) {
    ui_render(sc->ui, snap_get(&sc->b), &sc->play, &sc->g);
    buf_clear(&sc->text);
    grid_dump(&sc->g, &sc->text);
    buf_char(&sc->text, '\0');
    return sc->text.p;
}

struct ui_command press(struct screen *sc, uint32_t key) {
    struct ui_command c = ui_key(sc->ui, key, snap_get(&sc->b));
    (void)drawn(sc);
    return c;
}

void type(struct screen *sc, const char *keys) {
    for (; *keys; keys++) {
        (void)press(sc, (unsigned char)*keys);
    }
}

void tells(struct screen *sc, uint32_t key, enum ui_action action, int64_t amount) {
    struct ui_command c = press(sc, key);
    assert_int_equal(c.action, action);
    assert_int_equal(c.amount, amount);
}

const char *selected(struct screen *sc) {
    static char line[512];
    size_t n = 0;
    (void)drawn(sc);
    for (int row = 0; row < sc->g.rows; row++) {
        if (grid_at(&sc->g, row, 0)->role != ROLE_SELECTED) {
            continue;
        }
        assert_int_equal(n, 0);
        for (int c = 0; c < sc->g.columns; c++) {
            const struct cell *cell = grid_at(&sc->g, row, c);
            assert_int_equal(cell->role, ROLE_SELECTED);
            memcpy(line + n, cell->bytes, cell->len);
            n += cell->len;
        }
    }
    line[n] = '\0';
    return line;
}
