/*
 * The screen of a machine that fails while it is shown: a device that goes, files that do not answer, the program
 * itself stopped. Keys and sizes are followed all the while, and q ends it at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scratch.h"
#include "screen_run.h"
#include "sysrig.h"
#include "tree.h"

#define SLOT   "0000:03:00.0"
#define DEVICE "sys/devices/pci0000:00/" SLOT
#define BUSY   DEVICE "/gpu_busy_percent"
#define FDINFO "proc/100/fdinfo/4"

struct rig {
    char *root;
    char *flag; /* while it is there slow files do not answer */
    char *log;  /* that one waits */
    char *env[5];
};

static void put_client(const struct rig *r, long long busy_ns) {
    tree_text(r->root, "proc/100/stat",
              "100 (painter) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 5000 100 100 0 0 0 0 0\n");
    tree_link(r->root, "proc/100/fd/4", "/dev/dri/renderD128");
    tree_text(r->root, FDINFO,
              "drm-driver:\tamdgpu\ndrm-client-id:\t1\ndrm-engine-gfx:\t%lld ns\n"
              "drm-resident-vram:\t1024 KiB\n",
              busy_ns);
}

static void put_card(const struct rig *r) {
    sysrig_put_pci(r->root, SLOT, "amdgpu", "1002:747E", 0);
    sysrig_put_status(r->root, DEVICE, "active", "on");
    tree_text(r->root, BUSY, "7\n");
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    if (!r)
        return -1;
    r->root = scratch_make();
    r->flag = path_join(r->root, "slow");
    r->log = path_join(r->root, "log");
    put_card(r);
    put_client(r, 5000000000);
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    for (size_t i = 0; i < 4; i++)
        free(r->env[i]);
    free(r->flag);
    free(r->log);
    scratch_remove(r->root);
    free(r);
    return 0;
}

/* Files that end so are slow once it is asked for. */
static void make_slow(struct rig *r, const char *tail) {
    const char *libs = getenv("GWTOP_EMUL"), *asan = getenv("GWTOP_ASAN_LIB");
    assert_true(asprintf(&r->env[0], "LD_PRELOAD=%s%s%s/slow_shim.so", asan ? asan : "",
                         asan ? ":" : "", libs ? libs : "build/release/emul") > 0);
    assert_true(asprintf(&r->env[1], "GWTOP_SLOW_TAIL=%s", tail) > 0);
    assert_true(asprintf(&r->env[2], "GWTOP_SLOW_WHILE=%s", r->flag) > 0);
    assert_true(asprintf(&r->env[3], "GWTOP_EMUL_LOG=%s", r->log) > 0);
}

static struct terminal *start(struct rig *r) {
    const char *const args[] = {"--root", r->root, "-d", "200ms", NULL};
    return screen_start(args, (const char *const *)r->env, 30, 120);
}

static void quit(struct terminal *t) {
    terminal_send(t, "q");
    screen_finish(t, "xterm-256color");
}

static void rest(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* ---- a device goes ----------------------------------------------------------------------------- */

static void a_device_is_unbound(void **state) {
    struct rig *r = *state;
    struct terminal *t = start(r);
    screen_expect(t, "painter");
    tree_drop(r->root, "sys/class/drm/card0");
    tree_drop(r->root, "sys/class/drm/renderD128");
    tree_drop(r->root, "sys/class/drm/card0-HDMI-A-1");
    tree_drop(r->root, DEVICE);
    screen_expect(t, "removed");
    screen_keys(t, "\033[B");
    screen_keys(t, "\r"); /* what is known of it */
    screen_keys(t, "\033");
    terminal_resize(t, 20, 70);
    screen_settle(t);
    put_card(r);
    terminal_forget(t);
    screen_keys(t, "h");
    screen_keys(t, "\033");
    quit(t);
}

/* ---- files that do not answer ------------------------------------------------------------------ */

static void wait_for_the_wait(const struct rig *r) {
    for (int i = 0; i < 6000; i++) {
        size_t n;
        char *text = file_read(r->log, &n);
        bool waits = text && strstr(text, "waits");
        free(text);
        if (waits)
            return;
        rest(10);
    }
    fail_msg("nobody reads the slow file");
}

/* Keys and another size do what they do. */
static void answers(struct terminal *t) {
    terminal_forget(t);
    terminal_send(t, "h");
    screen_expect(t, "this help");
    screen_keys(t, "\033");
    terminal_resize(t, 12, 60);
    screen_settle(t);
}

/* Keys, sizes and the end while a read does not come back. */
static void live_beside(struct rig *r, const char *tail) {
    make_slow(r, tail);
    struct terminal *t = start(r);
    screen_expect(t, "painter");
    file_write(r->flag, "", 0);
    wait_for_the_wait(r);
    answers(t);
    terminal_resize(t, 40, 160);
    screen_settle(t);
    quit(t); /* the file is still silent */
    assert_int_equal(access(r->flag, F_OK), 0);
}

static void a_sensor_is_silent(void **state) {
    live_beside(*state, "/gpu_busy_percent");
}

static void a_process_is_silent(void **state) {
    live_beside(*state, "/fdinfo/4");
}

/* Nothing waits for a pipe that nobody writes to. */
static void pipes_in_place_of_files(void **state) {
    struct rig *r = *state;
    struct terminal *t = start(r);
    screen_expect(t, "painter");
    tree_odd(r->root, BUSY, ODD_FIFO);
    tree_odd(r->root, FDINFO, ODD_FIFO);
    tree_odd(r->root, "proc/100/stat", ODD_FIFO);
    tree_odd(r->root, DEVICE "/power/runtime_status", ODD_FIFO);
    answers(t);
    quit(t);
}

/* ---- the program stands still ------------------------------------------------------------------ */

/* No rate is negative or beyond all there is, whatever the time that nobody looked. */
static void hold_rates(struct picture *p) {
    const char *text = vt_text(p->v);
    for (const char *at = text; (at = strchr(at, '-')); at++)
        if (at > text && (at[-1] == ' ' || at[-1] == '\n') && at[1] >= '0' && at[1] <= '9')
            fail_msg("a negative number:\n%s", text);
}

static void the_program_is_stopped(void **state) {
    struct rig *r = *state;
    const char *const args[] = {"--root", r->root, "-d", "200ms", NULL};
    struct picture p = picture_start(args, "xterm-256color", "C.UTF-8", 30, 120);
    picture_expect(&p, "painter");
    kill(terminal_pid(p.t), SIGSTOP);
    put_client(r, 5200000000);
    rest(2500);
    put_client(r, 5100000000); /* and it began anew meanwhile */
    kill(terminal_pid(p.t), SIGCONT);
    for (int i = 0; i < 5; i++) {
        picture_keys(&p, "\f");
        hold_rates(&p);
        rest(200);
    }
    picture_expect(&p, "painter");
    picture_end(&p);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_device_is_unbound),     TEST(a_sensor_is_silent),     TEST(a_process_is_silent),
        TEST(pipes_in_place_of_files), TEST(the_program_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
