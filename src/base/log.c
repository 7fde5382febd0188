/*
 * The log ring: the newest 256 lines, for the pane and for stderr. The one impure file of this room:
 * it holds state, takes a lock and may write to a descriptor. Not for signal handlers.
 */
#include "gwtop/base.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOG_LINES 256
#define LOG_BYTES 200

struct log_entry {
    enum log_level level;
    size_t n;
    char text[LOG_BYTES];
};

static struct {
    pthread_mutex_t lock;
    unsigned long count;
    int fd;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};
/* All zero at first, and so not a part of the program's file. */
static struct log_entry entries[LOG_LINES];

static const char *const level_words[] = {
    [LOG_ERROR] = "error: ", [LOG_WARN] = "warning: ", [LOG_INFO] = "", [LOG_DEBUG] = "debug: "};

/* One write() per line where the system allows, so that lines of several threads stay whole. What
 * cannot be written is given up: the ring has it. */
static void write_line(int fd, const struct log_entry *e) {
    char text[LOG_BYTES + 16];
    size_t n = strlen(level_words[e->level]);
    memcpy(text, level_words[e->level], n);
    memcpy(text + n, e->text, e->n);
    n += e->n;
    text[n++] = '\n';
    for (size_t done = 0; done < n;) {
        ssize_t w = write(fd, text + done, n - done);
        if (w > 0) {
            done += (size_t)w;
        } else if (w == 0 || errno != EINTR) {
            return;
        }
    }
}

void log_line(enum log_level level, const char *format, ...) {
    int saved = errno;
    char raw[LOG_BYTES * 4];
    struct log_entry e = {.level = (unsigned)level > LOG_DEBUG ? LOG_ERROR : level};
    va_list args;
    va_start(args, format);
    int n = vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    if (n > 0) {
        e.n = text_clean(e.text, sizeof e.text, span_of(raw));
    }
    pthread_mutex_lock(&ring.lock);
    entries[ring.count % LOG_LINES] = e;
    ring.count++;
    int fd = ring.fd;
    pthread_mutex_unlock(&ring.lock);
    if (fd >= 0) {
        write_line(fd, &e);
    }
    errno = saved;
}

bool log_get(unsigned back, enum log_level *level, char *out, size_t cap) {
    pthread_mutex_lock(&ring.lock);
    bool found = back < LOG_LINES && back < ring.count;
    if (found) {
        const struct log_entry *e = &entries[(ring.count - 1 - back) % LOG_LINES];
        *level = e->level;
        if (cap > 0) {
            out[text_clean(out, cap - 1, (struct span){e->text, e->n})] = '\0';
        }
    }
    pthread_mutex_unlock(&ring.lock);
    return found;
}

unsigned long log_count(void) {
    pthread_mutex_lock(&ring.lock);
    unsigned long n = ring.count;
    pthread_mutex_unlock(&ring.lock);
    return n;
}

void log_write_fd(int fd) {
    pthread_mutex_lock(&ring.lock);
    ring.fd = fd;
    pthread_mutex_unlock(&ring.lock);
}
