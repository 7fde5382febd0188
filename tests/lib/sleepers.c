#include "sleepers.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Never returns. */
static void sleep_as(const struct sleepers *s, unsigned clients, int ready) {
    static const char *const paths[] = {"/dev/null", "/proc/self/status", "/etc/passwd", "/"};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "sleeper");
    for (unsigned have = 3; have + clients < s->descriptors; have++)
        if (open(paths[have % 4], O_RDONLY) < 0)
            _exit(1);
    for (unsigned i = 0; i < clients; i++)
        if (open(s->node, O_PATH) < 0)
            _exit(1);
    if (write(ready, "", 1) != 1)
        _exit(1);
    close(ready);
    for (;;)
        pause();
}

bool sleepers_start(const struct sleepers *s, pid_t *pids) {
    unsigned up = 0;
    int ready[2];
    char byte;
    if (pipe2(ready, O_CLOEXEC) != 0)
        return false;
    for (unsigned i = 0; i < s->count; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            close(ready[0]);
            sleep_as(s, s->node ? s->clients / s->count + (i < s->clients % s->count) : 0,
                     ready[1]);
        }
    }
    close(ready[1]);
    while (up < s->count && read(ready[0], &byte, 1) == 1)
        up++;
    close(ready[0]);
    return up == s->count;
}

void sleepers_end(const struct sleepers *s, pid_t *pids) {
    for (unsigned i = 0; i < s->count; i++)
        if (pids[i] > 0 && kill(pids[i], SIGKILL) == 0)
            waitpid(pids[i], NULL, 0);
    memset(pids, 0, s->count * sizeof *pids);
}
