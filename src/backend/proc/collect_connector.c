/* The socket on which the kernel tells of each fork, exec and exit: its process connector. I/O. */
#include "collect.h"

#include <linux/connector.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void connector_widen(int fd, int bytes) {
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int connector_open(int receive_bytes) {
    struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_groups = 1};
    const struct cn_msg head = {.id = {1, 1}, .len = 4};
    const uint32_t listen_op = 1;
    char m[40] = {0};
    const struct nlmsghdr nl = {.nlmsg_len = sizeof(m), .nlmsg_type = NLMSG_DONE};
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
    if (fd < 0)
        return -1;
    connector_widen(fd, receive_bytes);
    memcpy(m, &nl, sizeof(nl));
    memcpy(m + 16, &head, sizeof(head));
    memcpy(m + 36, &listen_op, sizeof(listen_op));
    if (bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
        send(fd, m, sizeof(m), 0) == (ssize_t)sizeof(m))
        return fd;
    close(fd);
    return -1;
}

static ssize_t connector_receive(int fd, void *to, size_t cap, bool *kernel) {
    struct sockaddr_nl from = {0};
    socklen_t size = sizeof(from);
    ssize_t n = recvfrom(fd, to, cap, 0, (struct sockaddr *)&from, &size);
    *kernel = from.nl_pid == 0;
    return n;
}

const struct events_socket proc_connector = {connector_open, connector_receive, connector_widen};
