/* What switches the driver's recording on and off, and is off at the end: also in a crash. */
#include "collect.h"

#include <errno.h>
#include <fcntl.h>

void mali_knob_init(struct mali_knob *k, struct host *h) {
    *k = (struct mali_knob){.host = h, .fd = -1, .undo = -1};
}

int mali_knob_take(struct mali_knob *k, const char *path, size_t word) {
    k->word = word;
    k->fd = host_open(k->host, k->host->root_fd, path, O_WRONLY);
    if (k->fd < 0)
        return errno;
    k->undo = undo_arm(k->fd, "0\n", word);
    if (k->undo >= 0)
        return 0;
    host_close(k->host, k->fd);
    k->fd = -1;
    return EBUSY;
}

int mali_knob_turn(struct mali_knob *k, bool on) {
    const char *word = on ? "1\n" : "0\n";
    if (on)
        k->turned_ns = clock_mono_ns();
    return host_write(k->host, k->fd, word, k->word, 0) < 0 ? errno : 0;
}

void mali_knob_let_go(struct mali_knob *k) {
    undo_disarm(k->undo);
    host_close(k->host, k->fd);
    k->fd = k->undo = -1;
}
