/*
 * The emulated panthor by itself: a small client that is none of the program's code asks of it what
 * the proposed interface promises, and each posted version's faults. The client is this test, run
 * again with the library preloaded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "emulrig.h"
#include "panclient.h"
#include "scratch.h"

/* ---- the client ------------------------------------------------------------------------------ */

static void rest_ms(int ms) {
    (void)poll(NULL, 0, ms);
}

/* ---- what it asks ---------------------------------------------------------------------------- */

static uint64_t u64_at(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static void look_around(struct client *c) {
    char name[16] = "";
    uint64_t v[8] = {0};
    v[2] = sizeof name;
    v[3] = (uintptr_t)name;
    CHECK(ioctl(c->fd, 0xc0406400, v) == 0 && v[2] == 7 && memcmp(name, "panthor", 7) == 0);
    unsigned minor = (unsigned)(v[0] >> 32);
    uint32_t size = 0;
    uint8_t gpu[128];
    CHECK(panclient_query(c->fd, 0, 0, NULL, &size) == 0 && size == (minor >= 8 ? 112 : 104));
    memset(gpu, 1, sizeof gpu);
    CHECK(panclient_query(c->fd, 0, sizeof gpu, gpu, NULL) == 0 && gpu[127] == 0 && gpu[11] == 0);
    FAILS(panclient_query(c->fd, 0, 100, gpu, NULL), EINVAL); /* told as a misuse */
    FAILS(panclient_query(c->fd, 9, 0, NULL, NULL), EINVAL);
    uint64_t stamp[7] = {0}, later[7] = {0};
    stamp[3] = later[3] = minor >= 8 ? 1 | 1 << 5 | 1 << 6 : 0;
    CHECK(panclient_query(c->fd, 2, sizeof stamp, stamp, NULL) == 0 && stamp[0] == 24000000);
    rest_ms(50);
    CHECK(panclient_query(c->fd, 2, sizeof later, later, NULL) == 0);
    double s = (double)(later[1] - stamp[1]) / 24e6, cycles = (double)(later[4] - stamp[4]);
    CHECK(s >= 0.05 && fabs(cycles - (minor >= 8 ? s * 5e8 : 0)) < 100);
    printf("minor %u id %u counters %u cores %u\n", minor, c->id, c->info[0], c->info[10]);
}

/* Counter `n` of the first block of a type, or of all together. */
static uint64_t counter(const struct client *c, const uint8_t *sample, unsigned type, unsigned n) {
    uint64_t sum = 0;
    for (size_t at = 56; at < c->info[3]; at += 24 + 8 * (size_t)c->info[0])
        if (sample[at] == type)
            sum += u64_at(sample + at + 24 + 8 * n);
    return sum;
}

static unsigned empty_blocks(const struct client *c, const uint8_t *sample) {
    unsigned n = 0;
    for (size_t at = 56; at < c->info[3]; at += 24 + 8 * (size_t)c->info[0])
        n += sample[at] == 0;
    return n;
}

/* Three samples and that of STOP, compared with what the GPU does. */
static void take_four(struct client *c) {
    uint64_t stamp = 0, end = 0;
    for (int i = 0; i < 4; i++) {
        rest_ms(40);
        CHECK(panclient_ask(c, i < 3 ? SAMPLE : STOP) == 0);
        const uint8_t *s = panclient_wait(c);
        CHECK(s && u64_at(s + 24) == c->sent && u64_at(s + 8) > end && u64_at(s) <= u64_at(s + 8));
        end = u64_at(s + 8);
        uint64_t now = counter(c, s, 2, 0) | counter(c, s, 2, 1) << 32;
        double t = (double)(now - stamp) / 24e6, active = (double)counter(c, s, 2, 4);
        if (i > 0) {
            CHECK(t >= 0.04 && fabs(active / (5e8 * t) - 0.6) < 0.001);
            CHECK(fabs((double)counter(c, s, 4, 32) * 16 / t - 976e6) < 1e6);
            double core = c->info[10] ? (double)counter(c, s, 5, 53) / c->info[10] / active : 0;
            CHECK(empty_blocks(c, s) == (core > 0 ? 0 : c->info[10]));
            CHECK(core == 0 || fabs(core - 0.933) < 0.001);
        }
        stamp = now;
        panclient_take(c);
    }
}

/* Here alone TEARDOWN waits for STOP's sample. */
static bool is_repaired(const struct client *c) {
    return c->id == 17 && c->info[0] == 128;
}

static void use_session(struct client *c) {
    CHECK(panclient_set_up(c) == 0);
    CHECK(panclient_ask(c, START) == 249);
    CHECK(panclient_ask(c, START) == 0);
    take_four(c);
    CHECK(panclient_ask(c, START) == 249 && panclient_ask(c, SAMPLE) == 0 && panclient_wait(c));
    panclient_take(c);
    CHECK(panclient_ask(c, STOP) == 0);
    CHECK(panclient_control(c, TEARDOWN, 0, c) == (is_repaired(c) ? -1 : 0));
}

static void teardown_idle(struct client *c) {
    CHECK(panclient_set_up(c) >= 0 && panclient_ask(c, START) >= 0 && panclient_ask(c, STOP) == 0 &&
          panclient_wait(c));
    panclient_take(c);
    int got = panclient_control(c, TEARDOWN, 0, c);
    printf("teardown %d\n", got == 0 ? 0 : errno);
}

static void set_up_wrongly(struct client *c) {
    static const struct {
        unsigned at;
        uint64_t value;
        unsigned bytes;
        int sys; /* 0: it works */
    } cases[] = {
        {0, 1, 1, EACCES},
        {0, 3, 1, EINVAL},
        {8, 0, 4, EINVAL}, /* a descriptor, but no event */
        {8, 900, 4, EBADF},
        {12, 77, 4, EINVAL},
        {16, 77, 4, EINVAL},
        {20, 64, 4, ENOMEM},
        {32, 1000000, 8, EOPNOTSUPP},
    };
    uint8_t body[121];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        panclient_fill(c, body);
        memcpy(body + cases[i].at, &cases[i].value, cases[i].bytes);
        int got = panclient_control(c, SETUP, 120, body);
        if (got != -1 || errno != cases[i].sys) {
            fprintf(stderr, "case %zu: %d, errno %d\n", i, got, errno);
            exit(1);
        }
    }
}

static void ask_wrongly(struct client *c) {
    uint8_t body[121];
    set_up_wrongly(c);
    panclient_fill(c, body);
    FAILS(panclient_control(c, SETUP, 119, body), EINVAL);
    body[120] = 1;
    FAILS(panclient_control(c, SETUP, 121, body), EINVAL);
    body[4] = 1;             /* padding */
    body[24] = 8;            /* control_offset */
    memset(body + 48, 1, 1); /* a counter behind the block */
    CHECK((c->session = panclient_control(c, SETUP, 120, body)) == 0);
    c->session = 1;
    FAILS(panclient_ask(c, START), EBADF);
    FAILS(panclient_control(c, TEARDOWN, 0, c), EBADF);
    c->session = 0;
    CHECK(panclient_control(c, TEARDOWN, 0, NULL) == 0); /* does nothing */
    CHECK(panclient_ask(c, SAMPLE) == 0);                /* neither */
    CHECK(panclient_ask(c, START) == 249);
    FAILS(panclient_control(c, TEARDOWN, 0, c), EINVAL); /* still active: no misuse */
    atomic_store(&c->index[1], 2);
    CHECK(panclient_ask(c, STOP) == 0);
    atomic_store(&c->index[0], 9);
    CHECK(panclient_control(c, TEARDOWN, 0, c) == 0); /* 9 is past the ring */
    FAILS(panclient_control(c, TEARDOWN, 0, c), EBADF);
}

/* Version 4 refuses the last slot for ever; the way around is to stop. */
static void fill_ring(struct client *c) {
    CHECK(panclient_set_up(c) >= 0 && panclient_ask(c, START) > 0);
    unsigned taken = 0, refused = 0;
    while (taken + refused < 9) {
        if (panclient_ask(c, SAMPLE) != 0) {
            CHECK(errno == EBUSY && c->id == 13 && panclient_ask(c, STOP) == 0);
            refused++;
        } else {
            taken++;
        }
        CHECK(panclient_wait(c));
        panclient_take(c);
        CHECK(panclient_ask(c, START) >= 0);
    }
    /* Nobody reads: one slot stays free, and two must be. */
    for (uint64_t before; before = atomic_load(&c->index[1]), panclient_ask(c, SAMPLE) == 0;)
        for (int i = 0; i < 20000 && atomic_load(&c->index[1]) == before; i++)
            rest_ms(5);
    CHECK(errno == EBUSY);
    uint64_t waiting = (atomic_load(&c->index[1]) - atomic_load(&c->index[0])) % c->slots;
    CHECK(c->id == 13 || waiting == c->slots - 2);
    CHECK(panclient_ask(c, STOP) == 0 &&
          panclient_control(c, TEARDOWN, 0, c) == (is_repaired(c) ? -1 : 0));
    printf("refused %u\n", refused);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void see_faults(struct client *c) {
    CHECK(panclient_set_up(c) == 1 && panclient_ask(c, START) > 0); /* another has the first */
    CHECK(panclient_ask(c, SAMPLE) == 0);                           /* request 2: empty */
    const uint8_t *s = panclient_wait(c);
    CHECK(s && u64_at(s + 8) == 0 && empty_blocks(c, s) > 4);
    panclient_take(c);
    rest_ms(30);
    CHECK(panclient_ask(c, SAMPLE) == 0); /* 3: all since the start */
    s = panclient_wait(c);
    CHECK(s && counter(c, s, 2, 4) > 9000000); /* 30 ms of 60 % */
    panclient_take(c);
    rest_ms(30);
    double asked = now_s();
    CHECK(panclient_ask(c, SAMPLE) == 0); /* 4: a reset: what went before is lost */
    s = panclient_wait(c);
    CHECK(s && (double)counter(c, s, 2, 4) <= (now_s() - asked) * 3e8 + 100);
    panclient_take(c);
    CHECK(panclient_ask(c, SAMPLE) == 0); /* 5: nothing any more */
    CHECK(poll(&(struct pollfd){c->event, POLLIN, 0}, 1, 50) == 0);
    FAILS(panclient_ask(c, SAMPLE), EBUSY);
    FAILS(panclient_ask(c, STOP), EBUSY);
    FAILS(panclient_control(c, TEARDOWN, 0, c), EINVAL);
}

static int client(const char *what, const char *node) {
    struct client c = panclient_begin(node, 8);
    if (strcmp(what, "around") == 0)
        look_around(&c);
    else if (strcmp(what, "session") == 0)
        use_session(&c);
    else if (strcmp(what, "idle") == 0)
        teardown_idle(&c);
    else if (strcmp(what, "wrongly") == 0)
        ask_wrongly(&c);
    else if (strcmp(what, "ring") == 0)
        fill_ring(&c);
    else if (strcmp(what, "faults") == 0)
        see_faults(&c);
    else if (strcmp(what, "taken") == 0)
        FAILS(panclient_set_up(&c), EBUSY);
    panclient_end(&c);
    return 0;
}

/* ---- the tests ------------------------------------------------------------------------------- */

static struct emulrig rig;

static int make(void **state) {
    (void)state;
    emulrig_panthor(&rig);
    return 0;
}

static int drop(void **state) {
    (void)state;
    emulrig_finish(&rig);
    return 0;
}

/* This test as the client; its output, to be freed. */
static char *run_client(const char *what) {
    char *node = e2e_path(&rig.e, "dev/dri/renderD128"), *out = e2e_path(&rig.e, "client.out");
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; rig.env[i]; i++)
            putenv(rig.env[i]);
        if (!freopen(out, "w", stdout))
            _exit(2);
        execl("/proc/self/exe", "client", "client", what, node, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(program_wait(pid, PROGRAM_PATIENCE_S, NULL), 0);
    char *text = file_read(out, NULL);
    free(node);
    free(out);
    return text;
}

static void assert_client_says(const char *what, const char *want) {
    char *out = run_client(what);
    assert_string_equal(out, want);
    free(out);
}

static void each_kernel_says_what_it_is(void **state) {
    static const struct {
        const char *script;
        const char *says;
    } cases[] = {
        {"version=v4", "minor 4 id 13 counters 64 cores 4\n"},
        {"version=v5", "minor 6 id 15 counters 64 cores 4\n"},
        {"version=v6", "minor 8 id 17 counters 64 cores 4\n"},
        {"version=v6;gpu=g725;shader_present=0x3ff", "minor 8 id 17 counters 128 cores 10\n"},
        {"version=fork", "minor 9 id 17 counters 64 cores 4\n"},
        {"version=rebased", "minor 9 id 17 counters 64 cores 4\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        emulrig_script(&rig, "%s", cases[i].script);
        assert_client_says("around", cases[i].says);
        assert_int_equal(emulrig_count(&rig, "MISUSE"), 1); /* the query that was too short */
        assert_int_equal(emulrig_count(&rig, "LEFT"), 0);
    }
}

/* Late enough that TEARDOWN comes first. */
#define STOPS_LATE "version=%s;stop_us=2000000"

static const char *const versions[] = {"v4", "v5", "fork", "rebased", "v6;gpu=g720"};

static void samples_follow_the_model(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        emulrig_script(&rig, STOPS_LATE, versions[i]);
        assert_client_says("session", "");
        assert_int_equal(emulrig_count(&rig, "MISUSE"), 0);
        assert_true(emulrig_number(&rig, "SESSION", "teardowns") == 1);
        assert_true(emulrig_number(&rig, "SESSION", "asked") == 4);
        /* Where TEARDOWN waits for STOP's sample it was called too early. */
        assert_int_equal(emulrig_count(&rig, "LEFT session"), i == 4);
        assert_int_equal(emulrig_count(&rig, "KEPT"), 0);
        assert_int_equal(emulrig_count(&rig, "EMIT"), 5);
    }
}

static void an_idle_session_is_kept(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        char want[40];
        snprintf(want, sizeof want, "teardown %d\n", i < 4 ? EBUSY : 0);
        emulrig_script(&rig, "version=%s", versions[i]);
        assert_client_says("idle", want);
        assert_int_equal(emulrig_count(&rig, "KEPT session 0"), i < 4);
        assert_int_equal(emulrig_count(&rig, "LEFT"), 0);
    }
}

static void wrong_calls_are_written_down(void **state) {
    (void)state;
    emulrig_script(&rig, STOPS_LATE, "v5");
    free(run_client("wrongly"));
    /* Six of the cases, two sizes, pad and offset and mask, two of a session that is not there, TEARDOWN without
     * a pointer, SAMPLE before START, both indices, a second TEARDOWN. */
    assert_int_equal(emulrig_count(&rig, "MISUSE"), 6 + 2 + 3 + 2 + 2 + 2 + 1);
    assert_int_equal(emulrig_count(&rig, "MISUSE TEARDOWN of session"), 2);
}

static void the_ring_goes_round(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        emulrig_script(&rig, STOPS_LATE, versions[i]);
        assert_client_says("ring", i == 0 ? "refused 1\n" : "refused 0\n");
        assert_int_equal(emulrig_count(&rig, "MISUSE"), 0);
    }
}

static void faults_are_as_scripted(void **state) {
    (void)state;
    emulrig_script(&rig, "version=v5;taken=1;empty=1;reset=4;hang=5");
    assert_client_says("faults", "");
    assert_int_equal(emulrig_count(&rig, "MISUSE"), 0);
    assert_int_equal(emulrig_count(&rig, "LEFT session 1"), 1);
    emulrig_script(&rig, "version=v5;taken=2");
    assert_client_says("taken", "");
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "client") == 0)
        return client(argv[2], argv[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_kernel_says_what_it_is, make, drop),
        cmocka_unit_test_setup_teardown(samples_follow_the_model, make, drop),
        cmocka_unit_test_setup_teardown(an_idle_session_is_kept, make, drop),
        cmocka_unit_test_setup_teardown(wrong_calls_are_written_down, make, drop),
        cmocka_unit_test_setup_teardown(the_ring_goes_round, make, drop),
        cmocka_unit_test_setup_teardown(faults_are_as_scripted, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
