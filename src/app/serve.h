/* `gwtop serve`: the last exposition over HTTP. */
#ifndef APP_SERVE_H
#define APP_SERVE_H

#include "gwtop/base.h"

#define SERVE_ADDRESS_DEFAULT "127.0.0.1:9877"
#define SERVE_TYPE            "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* "PORT" and ":PORT" are loopback; another address is written out: "0.0.0.0:9877", "[::1]:9877". No names: what
 * they mean is not for gwtop to find out. Port 0: one that is free. */
struct serve_address {
    char host[64];
    uint16_t port;
};
enum err serve_address_parse(const char *text, struct serve_address *out, struct err_info *info);

struct serve;
/* Takes the port, says on stderr where, and answers nobody yet. */
enum err serve_open(const struct serve_address *a, struct serve **out, struct err_info *info);
/* Answers from here on, in a thread of its own that opens nothing but what it accepts. */
enum err serve_start(struct serve *s, struct err_info *info);
/* What is answered from now on. `b` gets other memory in its place, of a text that nobody needs. */
void serve_publish(struct serve *s, struct buf *b);
/* Ends connections that last too long, so that who sends slowly keeps nobody out. To be called now and then. */
void serve_reap(struct serve *s, int64_t now_ns);
void serve_close(struct serve *s); /* accepts NULL */

#endif
