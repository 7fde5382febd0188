/*
 * `gwtop serve` and `--openmetrics` through the real program over a synthetic machine: what is answered is whole
 * whoever else asks, sends rubbish, or sends nothing; it ends when it is told to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "e2e.h"
#include "openmetrics.h"
#include "scratch.h"

#define DEMO    "fixtures/demo/demo.gwt.zst"
#define WAIT_MS ((int)(PROGRAM_PATIENCE_S * 1000))
#define TYPE    "application/openmetrics-text; version=1.0.0; charset=utf-8"

static struct e2e machine;

static int make_machine(void **state) {
    const struct synth_options o = {
        .gpus = "amdgpu,amdgpu:asleep", .processes = 30, .fds = 4, .clients = 12, .seed = 7};
    (void)state;
    machine = e2e_machine(&o);
    return 0;
}

static int drop_machine(void **state) {
    (void)state;
    e2e_finish(&machine);
    return 0;
}

/* ---- the server -------------------------------------------------------------------------------- */

/* So that a test that fails leaves none behind. */
static pid_t running;

static int stop_server(void **state) {
    (void)state;
    if (running > 0) {
        kill(running, SIGKILL);
        program_wait(running, 20, NULL);
    }
    running = 0;
    return 0;
}

struct server {
    pid_t pid;
    int err_fd;
    uint16_t port;
};

static bool read_line(int fd, char *line, size_t cap) {
    size_t n = 0;
    while (n + 1 < cap) {
        struct pollfd f = {fd, POLLIN, 0};
        if (poll(&f, 1, WAIT_MS) <= 0 || read(fd, line + n, 1) != 1 || line[n] == '\n')
            break;
        n++;
    }
    line[n] = '\0';
    return n > 0;
}

/* Skips the test where gwtop has no serve. */
static struct server serve(void) {
    struct server s = {0};
    char line[512];
    int err[2];
    const char *const args[] = {"serve", "--root", machine.root, "--listen",
                                "0",     "-d",     "200ms",      NULL};
    const struct program p = {.args = args, .bare_root = true};
    assert_int_equal(pipe2(err, O_CLOEXEC), 0);
    running = s.pid = program_start(&p, STDERR_FILENO, err[1]);
    close(err[1]);
    s.err_fd = err[0];
    while (s.port == 0 && read_line(s.err_fd, line, sizeof line)) {
        const char *at = strstr(line, "http://127.0.0.1:");
        if (at)
            s.port = (uint16_t)strtoul(at + strlen("http://127.0.0.1:"), NULL, 10);
        if (strstr(line, "libmicrohttpd")) {
            program_wait(s.pid, 20, NULL);
            running = 0;
            close(s.err_fd);
            print_message("%s\n", line);
            skip();
        }
    }
    assert_true(s.port > 0);
    return s;
}

static void end_server(struct server *s, int signal_number) {
    bool late;
    assert_int_equal(kill(s->pid, signal_number), 0);
    int status = program_wait(s->pid, PROGRAM_PATIENCE_S, &late);
    running = 0;
    assert_int_equal(status, 0);
    assert_false(late);
    close(s->err_fd);
}

/* ---- who asks ----------------------------------------------------------------------------------- */

static int call(const struct server *s) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(s->port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* As much as the other side takes. */
static void put(int fd, const char *bytes, size_t n) {
    while (n > 0) {
        ssize_t k = send(fd, bytes, n, MSG_NOSIGNAL);
        if (k <= 0)
            return;
        bytes += k;
        n -= (size_t)k;
    }
}

/* All up to the end of the connection, to be freed. */
static char *hear(int fd) {
    size_t n = 0, cap = 1 << 16;
    char *text = malloc(cap);
    struct pollfd f = {fd, POLLIN, 0};
    assert_non_null(text);
    for (;;) {
        if (poll(&f, 1, WAIT_MS) <= 0)
            fail_msg("no answer comes");
        if (cap - n < 4096)
            text = realloc(text, cap *= 2);
        assert_non_null(text);
        ssize_t k = read(fd, text + n, cap - n - 1);
        if (k <= 0)
            break;
        n += (size_t)k;
    }
    text[n] = '\0';
    close(fd);
    return text;
}

static char *ask(const struct server *s, const char *request) {
    int fd = call(s);
    put(fd, request, strlen(request));
    return hear(fd);
}

#define GET "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

static void assert_starts(const char *text, const char *with) {
    if (strncmp(text, with, strlen(with)) != 0)
        fail_msg("%.60s does not start with %s", text, with);
}

/* Frees the answer; the exposition in it is without a fault. */
static void read_answer(char *take_answer, struct expo *e) {
    assert_starts(take_answer, "HTTP/1.1 200 ");
    assert_non_null(strstr(take_answer, "Content-Type: " TYPE "\r\n"));
    const char *body = strstr(take_answer, "\r\n\r\n");
    assert_non_null(body);
    body += 4;
    if (!expo_read(body, strlen(body), e))
        fail_msg("line %u: %s", e->line, e->error);
    free(take_answer);
}

static void assert_answers(const struct server *s) {
    struct expo e;
    read_answer(ask(s, GET), &e);
    assert_non_null(expo_family_of(&e, "gwtop_device"));
    expo_finish(&e);
}

/* ---- tests --------------------------------------------------------------------------------------- */

static void metrics_are_whole(void **state) {
    struct server s = serve();
    struct expo e;
    unsigned devices, asleep;
    (void)state;
    do {
        read_answer(ask(&s, GET), &e);
        if (expo_find(&e, "gwtop_look_interval_seconds", NULL))
            break;
        expo_finish(&e);
        usleep(50000);
    } while (true);
    (void)expo_sum(&e, &devices, "gwtop_device_info", NULL);
    (void)expo_sum(&e, &asleep, "gwtop_device_info", "state", "asleep", NULL);
    assert_int_equal(devices, 2);
    assert_int_equal(asleep, 1);
    assert_non_null(expo_family_of(&e, "gwtop_process_engine_busy_seconds"));
    assert_non_null(expo_family_of(&e, "gwtop_self_cpu_seconds"));
    expo_finish(&e);
    end_server(&s, SIGTERM);
}

static void other_pages(void **state) {
    struct server s = serve();
    (void)state;
    char *head = ask(&s, "HEAD /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    assert_starts(head, "HTTP/1.1 200 ");
    assert_non_null(strstr(head, "Content-Length: "));
    assert_string_equal(strstr(head, "\r\n\r\n"), "\r\n\r\n");
    free(head);
    char *home = ask(&s, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    assert_starts(home, "HTTP/1.1 200 ");
    assert_non_null(strstr(home, "/metrics"));
    free(home);
    char *foreign = ask(&s, "GET /metrics HTTP/1.1\r\nHost: rebound.example:80\r\n\r\n");
    assert_starts(foreign, "HTTP/1.1 403 ");
    free(foreign);
    char *none = ask(&s, "GET /metrics/../etc HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    assert_starts(none, "HTTP/1.1 404 ");
    free(none);
    char *post =
        ask(&s, "POST /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999\r\n\r\n");
    assert_starts(post, "HTTP/1.1 405 ");
    assert_non_null(strstr(post, "Allow: GET, HEAD\r\n"));
    free(post);
    end_server(&s, SIGINT);
}

#define MANY 50

static void many_at_once(void **state) {
    struct server s = serve();
    int fds[MANY];
    (void)state;
    for (int i = 0; i < MANY; i++)
        fds[i] = call(&s);
    for (int i = 0; i < MANY; i++)
        put(fds[i], GET, strlen(GET));
    for (int i = MANY - 1; i >= 0; i--) {
        struct expo e;
        read_answer(hear(fds[i]), &e);
        expo_finish(&e);
    }
    end_server(&s, SIGTERM);
}

/* Whatever is sent, the next one is answered. */
static void rubbish(void **state) {
    static const struct {
        const char *bytes;
        size_t n;
    } sent[] = {
#define SENT(text) {text, sizeof(text) - 1}
        SENT("\0\1\2\3\377\376"),
        SENT("\r\n\r\n\r\n"),
        SENT("GET\r\n\r\n"),
        SENT("GET /metrics\r\n\r\n"),
        SENT("GET /metrics HTTP/9.9\r\n\r\n"),
        SENT("GET /metrics HTTP/1.1\r\n\r\n"),
        SENT("GET /%00%ff/.. HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        SENT("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n"),
        SENT("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: "
             "chunked\r\n\r\nZZZ\r\n"),
        SENT("{\"json\":true}\n"),
        SENT("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
#undef SENT
    };
    struct server s = serve();
    (void)state;
    for (size_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
        int fd = call(&s);
        put(fd, sent[i].bytes, sent[i].n);
        shutdown(fd, SHUT_WR);
        if (memchr(sent[i].bytes, '\n', sent[i].n))
            free(hear(fd));
        else
            close(fd); /* no line yet: it is waited for */
        assert_answers(&s);
    }
    static char huge[1 << 20];
    memset(huge, 'a', sizeof huge);
    memcpy(huge, "GET /", 5);
    int fd = call(&s);
    put(fd, huge, sizeof huge);
    shutdown(fd, SHUT_WR);
    free(hear(fd));
    assert_answers(&s);
    end_server(&s, SIGTERM);
}

/* Who begins and does not go on keeps nobody out, nor gwtop from ending. */
static void slow_ones(void **state) {
    struct server s = serve();
    int fds[MANY];
    (void)state;
    for (int i = 0; i < MANY; i++) {
        fds[i] = call(&s);
        put(fds[i], "GET /metrics HTTP/1.1\r\nHo", i % 2 ? 25 : 3);
    }
    for (int i = 0; i < 3; i++) {
        assert_answers(&s);
        for (int k = 0; k < MANY; k++)
            put(fds[k], "x", 1);
    }
    end_server(&s, SIGTERM);
    for (int i = 0; i < MANY; i++)
        close(fds[i]);
}

static void refused(const char *const *args, int status, const char *words) {
    struct program_result r;
    program_run(&(struct program){.args = args, .bare_root = true}, &r);
    if (r.status != status || !strstr(r.err, words))
        fail_msg("%d: %s", r.status, r.err);
    program_finish(&r);
}

static void where_it_may_listen(void **state) {
    struct server s = serve();
    char taken[32];
    (void)state;
    snprintf(taken, sizeof taken, ":%u", s.port);
    refused(PROGRAM_ARGS("serve", "--root", machine.root, "--listen", taken), 1, "cannot listen");
    refused(PROGRAM_ARGS("serve", "--root", machine.root, "--listen", "0", "-i", "nope"), 1,
            "no such device");
    static const char *const wrong[] = {
        "",      "x",       "65536",       "localhost:0", "1.2.3:0",  "[::1:0", "::1:0",
        "[::1]", "1.2.3.4", "[1.2.3.4]:0", "127.1:0:0",   "1.2.3.4:", "-1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refused(PROGRAM_ARGS("serve", "--listen", wrong[i]), 2, "--listen takes");
    end_server(&s, SIGTERM);
}

/* ---- one exposition --------------------------------------------------------------------------------- */

static void read_text(char *take_text, struct expo *e) {
    if (!expo_read(take_text, strlen(take_text), e))
        fail_msg("line %u: %s", e->line, e->error);
    free(take_text);
}

static void once(void **state) {
    struct expo e;
    unsigned n;
    (void)state;
    read_text(e2e_run(&machine, PROGRAM_ARGS("--openmetrics", "-N", "3"), 0), &e);
    (void)expo_sum(&e, &n, "gwtop_process_clients", "pid", "other", NULL);
    assert_int_equal(n, 1);
    (void)expo_sum(&e, &n, "gwtop_process_clients", NULL);
    assert_int_equal(n, 4);
    assert_non_null(expo_find(&e, "gwtop_look_interval_seconds", NULL));
    assert_null(expo_family_of(&e, "gwtop_process_busy_seconds"));
    expo_finish(&e);
    read_text(e2e_run(&machine, PROGRAM_ARGS("--openmetrics", "-n", "1"), 0), &e);
    expo_finish(&e);
    static const char *const with[] = {"-b", "--json", "--csv", "-n2"};
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++)
        refused(PROGRAM_ARGS("--root", machine.root, "--openmetrics", with[i]), 2, "--openmetrics");
}

/* Of a recording the whole span. */
static void replayed(void **state) {
    struct expo e;
    (void)state;
    struct program p = {.args = PROGRAM_ARGS("replay", DEMO, "--openmetrics")};
    read_text(e2e_call(&p, 0), &e);
    assert_non_null(expo_family_of(&e, "gwtop_process_engine_busy_seconds"));
    assert_null(expo_family_of(&e, "gwtop_look_cpu_seconds"));
    double all = expo_sum(&e, NULL, "gwtop_device_engine_busy_seconds_total", NULL);
    double parts = expo_sum(&e, NULL, "gwtop_process_engine_busy_seconds_total", NULL);
    assert_true(all > 1 && parts > all - 1e-6 && parts < all + 1e-6);
    expo_finish(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(metrics_are_whole, stop_server),
        cmocka_unit_test_teardown(other_pages, stop_server),
        cmocka_unit_test_teardown(many_at_once, stop_server),
        cmocka_unit_test_teardown(rubbish, stop_server),
        cmocka_unit_test_teardown(slow_ones, stop_server),
        cmocka_unit_test_teardown(where_it_may_listen, stop_server),
        cmocka_unit_test_teardown(once, stop_server),
        cmocka_unit_test_teardown(replayed, stop_server),
    };
    return cmocka_run_group_tests(tests, make_machine, drop_machine);
}
