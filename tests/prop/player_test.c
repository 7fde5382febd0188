/*
 * Time travel: whatever way a tick of a recording is reached, the same is said of it, byte for byte. The
 * recording is the demonstration, which the repository holds; then a vendor file in ticks of its own time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/player.h"
#include "framelog.h"
#include "gwtop/backend.h"
#include "gwtop/out.h"

#define RECORDING "fixtures/demo/demo.gwt.zst"
#define TICKS_MAX 4096

struct played {
    struct player *player;
    const struct output *json;
    struct out_state *state;
    struct buf now;
    char *told[TICKS_MAX]; /* by tick */
    int64_t at_ns[TICKS_MAX];
    uint64_t ticks;
};

/* What JSON says of the tick shown, NUL-terminated. */
static const char *tell(struct played *p) {
    buf_clear(&p->now);
    p->json->tick(p->state, player_snapshot(p->player), &p->now);
    buf_char(&p->now, '\0');
    assert_false(p->now.failed);
    return p->now.p;
}

static struct player *open_player(bool checkpoints, struct source *take_trace) {
    struct player *player;
    assert_int_equal(player_create(take_trace, false, 0, checkpoints, &player), ERR_OK);
    return player;
}

/* Jobs of three processes on two units of a Mali, which go on over ticks; the rate changes. */
static struct source *open_events(int64_t tick_ns) {
    struct source *s = NULL;
    struct buf b = {0};
    char path[64], line[160];
    int fd;
    unsigned backend = backend_find(&backend_table, span_of("mali"));
    for (unsigned i = 0; i < 4000; i++) {
        unsigned long long t = 7000000000ull + i * 9000000ull;
        unsigned rate = i % 2 ? 266 : 440;
        snprintf(line, sizeof(line), "%llu 1376257 %u 1000 0 0 0\n%llu %u %u 9 0 0 0\n", t, rate,
                 t + 1000, i % 8 < 5 ? 17104896u + i % 2 * 65536 : 33882112u, 70 + i % 3);
        buf_text(&b, line);
    }
    fake_file(b.p, b.n, &fd, path);
    assert_int_equal(file_open(path, &backend_table, backend, 0, NULL, tick_ns, &s, NULL), ERR_OK);
    close(fd);
    buf_finish(&b);
    return s;
}

static int setup_of(void **state, struct source *take_trace) {
    struct played *p = calloc(1, sizeof(*p));
    struct out_options options = {.replayed = true};
    assert_non_null(p);
    p->json = output_find(span_of("json"));
    assert_int_equal(p->json->open(&options, &p->state), ERR_OK);
    p->player = open_player(true, take_trace);
    while (player_next(p->player) == ERR_OK) {
        p->ticks = player_tick(p->player);
        assert_true(p->ticks < TICKS_MAX);
        p->told[p->ticks] = strdup(tell(p));
        p->at_ns[p->ticks] = player_at_ns(p->player);
    }
    assert_true(player_at_end(p->player));
    *state = p;
    return 0;
}

static int setup(void **state) {
    struct err_info info;
    struct source *trace;
    assert_int_equal(trace_open(RECORDING, &backend_table, &trace, &info), ERR_OK);
    return setup_of(state, trace);
}

static int setup_events(void **state) {
    return setup_of(state, open_events(500000000));
}

/* So many ticks that far from all are kept. */
static int setup_long(void **state) {
    return setup_of(state, open_events(10000000));
}

static int teardown(void **state) {
    struct played *p = *state;
    for (uint64_t i = 0; i <= p->ticks; i++)
        free(p->told[i]);
    p->json->close(p->state);
    buf_finish(&p->now);
    player_destroy(p->player);
    free(p);
    return 0;
}

static void assert_shown(struct played *p, uint64_t tick) {
    assert_int_equal(player_tick(p->player), tick);
    assert_int_equal(player_at_ns(p->player), p->at_ns[tick]);
    assert_string_equal(tell(p), p->told[tick]);
}

static uint64_t random_next(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void test_has_enough_ticks(void **state) {
    struct played *p = *state;
    assert_true(p->ticks > 30); /* more than are kept one by one */
}

static void test_steps_back_to_the_start(void **state) {
    struct played *p = *state;
    assert_int_equal(player_to_tick(p->player, p->ticks, NULL), ERR_OK);
    for (uint64_t tick = p->ticks; tick >= 1; tick--) {
        assert_int_equal(player_to_tick(p->player, tick, NULL), ERR_OK);
        assert_shown(p, tick);
    }
}

static void test_random_jumps(void **state) {
    struct played *p = *state;
    uint64_t seed = 1;
    for (int i = 0; i < 300; i++) {
        uint64_t tick = 1 + random_next(&seed) % p->ticks;
        assert_int_equal(player_to_tick(p->player, tick, NULL), ERR_OK);
        assert_shown(p, tick);
        if (random_next(&seed) % 2 && tick < p->ticks) {
            assert_int_equal(player_next(p->player), ERR_OK);
            assert_shown(p, tick + 1);
        }
    }
}

/* The last tick that is not after the time. */
static void test_times(void **state) {
    struct played *p = *state;
    uint64_t seed = 2;
    for (int i = 0; i < 100; i++) {
        uint64_t tick = 1 + random_next(&seed) % p->ticks;
        assert_int_equal(player_to_time(p->player, p->at_ns[tick], NULL), ERR_OK);
        assert_shown(p, tick);
        if (tick == p->ticks)
            continue;
        int64_t between = (p->at_ns[tick] + p->at_ns[tick + 1]) / 2;
        assert_int_equal(player_to_time(p->player, between, NULL), ERR_OK);
        assert_shown(p, tick);
    }
}

static void test_outside(void **state) {
    struct played *p = *state;
    assert_int_equal(player_to_tick(p->player, 0, NULL), ERR_OK);
    assert_shown(p, 1);
    assert_int_equal(player_to_tick(p->player, UINT64_MAX, NULL), ERR_OK);
    assert_shown(p, p->ticks);
    assert_int_equal(player_to_time(p->player, -5, NULL), ERR_OK);
    assert_shown(p, 1);
    assert_int_equal(player_to_time(p->player, INT64_MAX, NULL), ERR_OK);
    assert_shown(p, p->ticks);
}

static bool refuse(void *ctx, int ppm) {
    int *asked = ctx;
    assert_in_range(ppm, 0, 1000000);
    ++*asked;
    return false;
}

/* A seek that is stopped stays where it came to, and goes on from there. */
static void test_stopped_seek(void **state) {
    struct played *p = *state;
    int asked = 0;
    struct player_progress progress = {refuse, &asked};
    assert_int_equal(player_to_tick(p->player, 1, NULL), ERR_OK);
    enum err e = player_to_tick(p->player, p->ticks, &progress);
    assert_true(e == ERR_OK || (e == ERR_AGAIN && asked == 1));
    assert_shown(p, player_tick(p->player));
    assert_int_equal(player_to_tick(p->player, p->ticks, NULL), ERR_OK);
    assert_shown(p, p->ticks);
}

/* Ticks heard one after the other. */
struct heard_ticks {
    uint64_t last;
    uint64_t count;
};

static void hear(void *ctx, const struct snapshot *s) {
    struct heard_ticks *h = ctx;
    assert_true(h->count == 0 || s->tick == h->last + 1);
    h->last = s->tick;
    h->count++;
}

/* Whoever listens hears every tick on the way, and that of the end. */
static void test_all_are_heard(void **state) {
    struct played *p = *state;
    struct heard_ticks h = {0};
    assert_int_equal(player_to_tick(p->player, 1, NULL), ERR_OK);
    player_on_tick(p->player, hear, &h);
    player_expect(p->player, p->ticks);
    assert_int_equal(player_to_tick(p->player, UINT64_MAX, NULL), ERR_OK);
    assert_shown(p, p->ticks);
    assert_true(player_at_end(p->player));
    assert_int_equal(h.last, p->ticks);
    assert_int_equal(h.count, p->ticks - 1);
    h = (struct heard_ticks){0};
    assert_int_equal(player_to_tick(p->player, 1, NULL), ERR_OK);
    assert_int_equal(player_to_time(p->player, p->at_ns[p->ticks], NULL), ERR_OK);
    assert_int_equal(h.last, p->ticks);
    player_on_tick(p->player, NULL, NULL);
}

/* Stepping back on and on plays few ticks again, wherever in the recording it is. */
static void test_steps_back_are_short(void **state) {
    struct played *p = *state;
    struct heard_ticks all = {0};
    assert_int_equal(player_to_tick(p->player, UINT64_MAX, NULL), ERR_OK);
    for (uint64_t tick = p->ticks; tick > 1; tick--) {
        struct heard_ticks h = {0};
        player_on_tick(p->player, hear, &h);
        assert_int_equal(player_to_tick(p->player, tick - 1, NULL), ERR_OK);
        all.count += h.count;
        player_on_tick(p->player, NULL, NULL);
    }
    assert_true(all.count <= p->ticks * 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_has_enough_ticks), cmocka_unit_test(test_steps_back_to_the_start),
        cmocka_unit_test(test_random_jumps),     cmocka_unit_test(test_times),
        cmocka_unit_test(test_outside),          cmocka_unit_test(test_stopped_seek),
        cmocka_unit_test(test_all_are_heard),    cmocka_unit_test(test_steps_back_are_short),
    };
    int failed = cmocka_run_group_tests_name("player", tests, setup, teardown);
    failed += cmocka_run_group_tests_name("player of events", tests, setup_events, teardown);
    return cmocka_run_group_tests_name("player of many ticks", tests, setup_long, teardown) +
           failed;
}
