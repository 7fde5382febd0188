/*
 * The HTTP side of `serve`, by libmicrohttpd in one thread of its own. That thread copies the last finished
 * exposition under a mutex; looking at the machine is not its work, so that nobody who asks, however often, makes
 * gwtop look more often.
 *
 * The library is loaded when it is needed: it brings a good deal of code for TLS along, which would cost the screen
 * memory and start time.
 */
#include "serve.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef GWTOP_SERVE

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gwtop/source.h"
#include "serve_socket.h"

#define LIBRARY         "libmicrohttpd.so.12"
#define CONNECTIONS_MAX 128
#define REQUEST_MAX     ((size_t)16 << 10) /* bytes of memory for each connection */
#define SILENCE_MAX_S   5u
#define LASTING_MAX_NS  INT64_C(15000000000)

/* What is used of the library. */
#define CALLS(X)                                                                                   \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(create_response_from_buffer)                                                                 \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(destroy_response)                                                                            \
    X(get_connection_info)                                                                         \
    X(lookup_connection_value)
struct library {
    void *handle;
#define MEMBER(name) __typeof__(MHD_##name) *name;
    CALLS(MEMBER)
#undef MEMBER
};

struct guest {
    int fd; /* -1: no guest */
    int64_t since_ns;
};

struct serve {
    struct library mhd;
    struct MHD_Daemon *daemon;
    int fd;
    bool is_loopback;
    pthread_mutex_t lock; /* all below */
    struct buf ready;
    struct guest guests[CONNECTIONS_MAX];
};

static enum err load(struct library *l, struct err_info *info) {
    l->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle)
        return err_set(info, ERR_UNSUPPORTED, 0, "serve needs libmicrohttpd", dlerror());
    bool ok = true;
#define LOAD(name) ok = (*(void **)&l->name = dlsym(l->handle, "MHD_" #name)) != NULL && ok;
    CALLS(LOAD)
#undef LOAD
    return ok ? ERR_OK
              : err_set(info, ERR_UNSUPPORTED, 0, "not the libmicrohttpd that is needed", LIBRARY);
}

/* ---- answers --------------------------------------------------------------------------------- */

static const char home[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>gwtop</title>\n"
    "<h1>gwtop " GWTOP_VERSION
    "</h1>\n<p>Who uses the GPUs of this machine, how much of them, and what that "
    "costs.</p>\n<p><a href=\"/metrics\">/metrics</a>: OpenMetrics text, for Prometheus and the "
    "like; "
    "gwtop-output(7) says what its families mean.</p>\n</html>\n";
static const char missing[] = "Not found. The metrics are at /metrics.\n";
static const char foreign[] =
    "This machine is not known by that name: ask for localhost or 127.0.0.1.\n";
static const char refused[] = "Only GET and HEAD are answered.\n";

/* A connection is for one answer: one that stays open is one that must be watched. */
static enum MHD_Result answer(struct serve *s, struct MHD_Connection *c, unsigned status,
                              const char *type, struct MHD_Response *take_response) {
    if (!take_response)
        return MHD_NO;
    s->mhd.add_response_header(take_response, "Content-Type", type);
    s->mhd.add_response_header(take_response, "Connection", "close");
    s->mhd.add_response_header(take_response, "X-Content-Type-Options", "nosniff");
    s->mhd.add_response_header(take_response, "Cache-Control", "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        s->mhd.add_response_header(take_response, "Allow", "GET, HEAD");
    enum MHD_Result r = s->mhd.queue_response(c, status, take_response);
    s->mhd.destroy_response(take_response);
    return r;
}

static enum MHD_Result say(struct serve *s, struct MHD_Connection *c, unsigned status,
                           const char *type, const char *words) {
    return answer(s, c, status, type,
                  s->mhd.create_response_from_buffer(strlen(words), (void *)(uintptr_t)words,
                                                     MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result tell(struct serve *s, struct MHD_Connection *c) {
    pthread_mutex_lock(&s->lock);
    struct MHD_Response *r =
        s->mhd.create_response_from_buffer(s->ready.n, s->ready.p, MHD_RESPMEM_MUST_COPY);
    pthread_mutex_unlock(&s->lock);
    return answer(s, c, MHD_HTTP_OK, SERVE_TYPE, r);
}

/* A page that a browser shows may ask this machine under any name that its owner gives an address of it; who
 * means this machine says a number or localhost. */
static bool is_meant(struct serve *s, struct MHD_Connection *c) {
    struct span host = span_of(s->mhd.lookup_connection_value(c, MHD_HEADER_KIND, "Host"));
    const char *colon = host.n > 0 ? strrchr(host.p, ':') : NULL;
    if (!s->is_loopback || host.n == 0 || host.p[0] == '[')
        return true;
    if (colon)
        host.n = (size_t)(colon - host.p);
    for (size_t i = 0; i < host.n; i++)
        if (!strchr("0123456789.", host.p[i]))
            return span_equals(host, "localhost");
    return true;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **request) {
    struct serve *s = ctx;
    static const char plain[] = "text/plain; charset=utf-8";
    (void)version, (void)upload, (void)upload_size, (void)request;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return say(s, c, MHD_HTTP_METHOD_NOT_ALLOWED, plain, refused);
    if (!is_meant(s, c))
        return say(s, c, MHD_HTTP_FORBIDDEN, plain, foreign);
    if (strcmp(url, "/metrics") == 0)
        return tell(s, c);
    if (strcmp(url, "/") == 0)
        return say(s, c, MHD_HTTP_OK, "text/html; charset=utf-8", home);
    return say(s, c, MHD_HTTP_NOT_FOUND, plain, missing);
}

/* ---- who is connected -------------------------------------------------------------------------- */

static void on_connection(void *ctx, struct MHD_Connection *c, void **socket_ctx,
                          enum MHD_ConnectionNotificationCode code) {
    struct serve *s = ctx;
    const union MHD_ConnectionInfo *of =
        s->mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct guest *left = *socket_ctx;
    pthread_mutex_lock(&s->lock);
    if (code == MHD_CONNECTION_NOTIFY_CLOSED && left)
        left->fd = -1;
    for (size_t i = 0; of && code == MHD_CONNECTION_NOTIFY_STARTED && i < CONNECTIONS_MAX; i++) {
        if (s->guests[i].fd != -1)
            continue;
        s->guests[i] = (struct guest){of->connect_fd, clock_mono_ns()};
        *socket_ctx = &s->guests[i];
        break;
    }
    pthread_mutex_unlock(&s->lock);
}

/* The descriptor is still the guest's: who leaves is struck off under the same lock, before it is closed. */
void serve_reap(struct serve *s, int64_t now_ns) {
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        if (s->guests[i].fd != -1 && now_ns - s->guests[i].since_ns > LASTING_MAX_NS)
            shutdown(s->guests[i].fd, SHUT_RDWR);
    pthread_mutex_unlock(&s->lock);
}

/* ---- from the first to the last ------------------------------------------------------------------ */

enum err serve_open(const struct serve_address *a, struct serve **out, struct err_info *info) {
    struct serve *s = calloc(1, sizeof(*s));
    if (!s)
        return err_set(info, ERR_NOMEM, 0, "out of memory", NULL);
    s->fd = -1;
    buf_init(&s->ready);
    pthread_mutex_init(&s->lock, NULL);
    for (size_t i = 0; i < CONNECTIONS_MAX; i++)
        s->guests[i].fd = -1;
    enum err e = load(&s->mhd, info);
    if (e == ERR_OK)
        e = serve_socket_open(a, &s->fd, info);
    if (e != ERR_OK) {
        serve_close(s);
        return e;
    }
    bool v6 = strchr(a->host, ':') != NULL;
    s->is_loopback = strncmp(a->host, "127.", 4) == 0 || strcmp(a->host, "::1") == 0;
    fprintf(stderr, "gwtop: listening on http://%s%s%s:%u/metrics\n", v6 ? "[" : "", a->host,
            v6 ? "]" : "", serve_socket_port(s->fd));
    *out = s;
    return ERR_OK;
}

/* The library's own words are about what strangers sent. */
static void hush(void *ctx, const char *format, va_list args) {
    (void)ctx, (void)format, (void)args;
}

static int start_daemon(void *ctx) {
    struct serve *s = ctx;
    s->daemon = s->mhd.start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        on_request, s, MHD_OPTION_EXTERNAL_LOGGER, hush, NULL, MHD_OPTION_LISTEN_SOCKET, s->fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
        SILENCE_MAX_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, REQUEST_MAX,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, s, MHD_OPTION_END);
    return s->daemon ? 0 : -1;
}

enum err serve_start(struct serve *s, struct err_info *info) {
    if (threads_begin(start_daemon, s) != 0)
        return err_set(info, ERR_IO, errno, "cannot answer HTTP", strerror(errno));
    s->fd = -1; /* the daemon's now */
    return ERR_OK;
}

void serve_publish(struct serve *s, struct buf *b) {
    pthread_mutex_lock(&s->lock);
    struct buf before = s->ready;
    s->ready = *b;
    pthread_mutex_unlock(&s->lock);
    *b = before;
}

void serve_close(struct serve *s) {
    if (!s)
        return;
    if (s->daemon)
        s->mhd.stop_daemon(s->daemon);
    if (s->fd >= 0)
        close(s->fd);
    pthread_mutex_destroy(&s->lock);
    buf_finish(&s->ready);
    free(s);
}

#else

enum err serve_open(const struct serve_address *a, struct serve **out, struct err_info *info) {
    (void)a, (void)out;
    return err_set(info, ERR_UNSUPPORTED, 0,
                   "this gwtop was built without libmicrohttpd, and so without serve", NULL);
}

enum err serve_start(struct serve *s, struct err_info *info) {
    (void)s;
    return info->code;
}

void serve_publish(struct serve *s, struct buf *b) {
    (void)s, (void)b;
}

void serve_reap(struct serve *s, int64_t now_ns) {
    (void)s, (void)now_ns;
}

void serve_close(struct serve *s) {
    (void)s;
}

#endif
