/* The socket that `serve` listens on. */
#ifndef APP_SERVE_SOCKET_H
#define APP_SERVE_SOCKET_H

#include "serve.h"

enum err serve_socket_open(const struct serve_address *a, int *out, struct err_info *info);
uint16_t serve_socket_port(int fd);

#endif
