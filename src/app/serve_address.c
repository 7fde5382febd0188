/* Where `serve` listens, from words to a socket. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve_socket.h"

static enum err refuse(const char *text, struct err_info *info) {
    return err_set(
        info, ERR_USAGE, 0,
        "--listen takes PORT, ADDRESS:PORT or [ADDRESS]:PORT, the address as a number; not", text);
}

/* The address before the last colon, without its brackets. */
static bool take_host(struct span host, char *out, size_t cap) {
    struct in_addr v4;
    struct in6_addr v6;
    bool bracketed = host.n >= 2 && host.p[0] == '[' && host.p[host.n - 1] == ']';
    if (bracketed)
        host = (struct span){host.p + 1, host.n - 2};
    if (host.n == 0 || host.n >= cap)
        return false;
    memcpy(out, host.p, host.n);
    out[host.n] = '\0';
    return inet_pton(bracketed ? AF_INET6 : AF_INET, out, bracketed ? (void *)&v6 : (void *)&v4) ==
           1;
}

enum err serve_address_parse(const char *text, struct serve_address *out, struct err_info *info) {
    const char *colon = strrchr(text, ':');
    uint64_t port;
    struct serve_address a = {.host = "127.0.0.1"};
    if (span_to_u64(span_of(colon ? colon + 1 : text), &port) != ERR_OK || port > UINT16_MAX)
        return refuse(text, info);
    struct span host = {text, colon ? (size_t)(colon - text) : 0};
    if (host.n > 0 && !take_host(host, a.host, sizeof(a.host)))
        return refuse(text, info);
    a.port = (uint16_t)port;
    *out = a;
    return ERR_OK;
}

static socklen_t fill(const struct serve_address *a, struct sockaddr_storage *out) {
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    *out = (struct sockaddr_storage){0};
    if (strchr(a->host, ':')) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(a->port);
        inet_pton(AF_INET6, a->host, &v6->sin6_addr);
        return sizeof(*v6);
    }
    v4->sin_family = AF_INET;
    v4->sin_port = htons(a->port);
    inet_pton(AF_INET, a->host, &v4->sin_addr);
    return sizeof(*v4);
}

/* An address of version 6 is that alone: [::] is not 0.0.0.0 as well. */
enum err serve_socket_open(const struct serve_address *a, int *out, struct err_info *info) {
    struct sockaddr_storage where;
    socklen_t n = fill(a, &where);
    int on = 1;
    int fd = socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0;
    if (ok && where.ss_family == AF_INET6)
        ok = setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0;
    if (ok && bind(fd, (const struct sockaddr *)&where, n) == 0 && listen(fd, SOMAXCONN) == 0) {
        *out = fd;
        return ERR_OK;
    }
    int sys = errno;
    char text[96];
    snprintf(text, sizeof(text), "cannot listen on %s port %u", a->host, a->port);
    if (fd >= 0)
        close(fd);
    return err_set(info, err_from_sys(sys), sys, text, strerror(sys));
}

uint16_t serve_socket_port(int fd) {
    struct sockaddr_storage where = {0};
    socklen_t n = sizeof(where);
    if (getsockname(fd, (struct sockaddr *)&where, &n) != 0)
        return 0;
    return where.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&where)->sin6_port)
                                       : ntohs(((struct sockaddr_in *)&where)->sin_port);
}
