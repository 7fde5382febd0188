/* The client: each call by its number and the offsets of its argument. */
#include "panclient.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned long panclient_call(unsigned id, unsigned size) {
    return 3UL << 30 | size << 16 | 0x64 << 8 | (0x40 + id);
}

int panclient_query(int fd, uint32_t type, uint32_t size, void *to, uint32_t *said) {
    struct {
        uint32_t type, size;
        uint64_t to;
    } q = {type, size, (uintptr_t)to};
    int got = ioctl(fd, panclient_call(0, 16), &q);
    if (said)
        *said = q.size;
    return got;
}

static uint32_t create(int fd, uint64_t size) {
    struct {
        uint64_t size;
        uint32_t flags, vm, handle, pad;
    } c = {.size = size};
    CHECK(ioctl(fd, panclient_call(5, 24), &c) == 0 && c.size % 4096 == 0 && c.size >= size);
    return c.handle;
}

static void *map(int fd, uint32_t handle, size_t size) {
    struct {
        uint32_t handle, pad;
        uint64_t offset;
    } o = {.handle = handle};
    CHECK(ioctl(fd, panclient_call(6, 16), &o) == 0 && o.offset > UINT32_MAX);
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)o.offset);
    CHECK(at != MAP_FAILED);
    return at;
}

int panclient_control(const struct client *c, uint32_t command, uint64_t size, const void *body) {
    struct {
        uint32_t command, handle;
        uint64_t size, to;
    } a = {command, command == SETUP ? 0 : (uint32_t)c->session, size, (uintptr_t)body};
    return ioctl(c->fd, panclient_call(c->id, 24), &a);
}

int panclient_ask(struct client *c, uint32_t command) {
    uint64_t user_data = ++c->sent;
    return panclient_control(c, command, 8, &user_data);
}

static unsigned find_perf(int fd) {
    static const unsigned ids[] = {17, 15, 13};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t a[3] = {0};
        if (ioctl(fd, panclient_call(ids[i], 24), a) == 0 && a[1] == 120)
            return ids[i];
    }
    return 0;
}

static void read_info(struct client *c) {
    uint32_t size = 0;
    if (panclient_query(c->fd, 4, 0, NULL, &size) != 0 || size == 8)
        CHECK(panclient_query(c->fd, 5, 0, NULL, &size) == 0);
    CHECK(size == 44);
    if (panclient_query(c->fd, 4, 44, c->info, NULL) != 0 || c->info[1] != 56)
        CHECK(panclient_query(c->fd, 5, 44, c->info, NULL) == 0);
    CHECK(c->info[1] == 56 && c->info[2] == 24);
    uint32_t blocks = c->info[6] + c->info[7] + c->info[8] + c->info[9] + c->info[10];
    CHECK(c->info[3] == 56 + blocks * (24 + 8 * c->info[0]));
}

void panclient_fill(const struct client *c, uint8_t body[120]) {
    uint32_t words[] = {(uint32_t)c->event, c->ring_handle, c->control_handle, c->slots};
    memset(body, 0, 120);
    memcpy(body + 8, words, 16);
    for (int i = 0; i < 5; i++)
        memset(body + 40 + 16 * i, 0xff, c->info[0] / 8);
}

struct client panclient_begin(const char *node, unsigned slots) {
    struct client c = {.fd = open(node, O_RDWR | O_CLOEXEC), .slots = slots};
    CHECK(c.fd >= 0);
    c.id = find_perf(c.fd);
    read_info(&c);
    size_t bytes = (size_t)c.info[3] * slots;
    c.ring_handle = create(c.fd, bytes);
    c.control_handle = create(c.fd, 16);
    c.ring = map(c.fd, c.ring_handle, bytes);
    c.index = map(c.fd, c.control_handle, 16);
    c.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return c;
}

int panclient_set_up(struct client *c) {
    uint8_t body[120];
    panclient_fill(c, body);
    return c->session = panclient_control(c, SETUP, 120, body);
}

/* The next sample that is there after a while; NULL. */
const uint8_t *panclient_wait(const struct client *c) {
    for (int i = 0; i < 12000; i++) { /* as long as it takes */
        uint64_t at = atomic_load_explicit(&c->index[0], memory_order_relaxed);
        if (atomic_load_explicit(&c->index[1], memory_order_acquire) != at)
            return c->ring + at * c->info[3];
        (void)poll(&(struct pollfd){c->event, POLLIN, 0}, 1, 10);
    }
    return NULL;
}

void panclient_take(const struct client *c) {
    uint64_t count;
    (void)!read(c->event, &count, sizeof count);
    uint64_t at = atomic_load(&c->index[0]);
    atomic_store_explicit(&c->index[0], (at + 1) % c->slots, memory_order_release);
}

void panclient_end(const struct client *c) {
    CHECK(munmap(c->ring, (size_t)c->info[3] * c->slots) == 0);
    CHECK(munmap((void *)c->index, 16) == 0);
}
