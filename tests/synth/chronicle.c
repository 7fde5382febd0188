/*
 * chronicle: a recording of a synthetic machine, as `gwtop record` would have made it, without waiting.
 *
 *   chronicle -o FILE -g GPU[,GPU...] [-n CLIENTS] [-p PROCESSES] [-f DESCRIPTORS] [-s SEED] [-e] [-H] [-D]
 *             [-T TICKS] [-d MS]
 *
 * The machine is the one of `synth` with the same options; FILE.zst is compressed; TICKS (60) are MS (1000)
 * apart. What may not be read by an ordinary user is not read here either.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chronicle.h"
#include "scratch.h"

static int usage(void) {
    fprintf(stderr, "usage: chronicle -o FILE -g GPU[,GPU...] [-n CLIENTS] [-p PROCESSES] [-f FDS]"
                    " [-s SEED] [-e] [-H] [-D] [-T TICKS] [-d MS]\n");
    return 2;
}

static bool ends_in(const char *text, const char *suffix) {
    size_t n = strlen(text), k = strlen(suffix);
    return n >= k && strcmp(text + n - k, suffix) == 0;
}

static int chronicle(const char *path, const struct synth_options *o, struct chronicle *c) {
    struct err_info info = {0};
    char *dir = scratch_make();
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    enum err e =
        fd < 0 ? err_set(&info, err_from_sys(errno), errno, path, strerror(errno)) : ERR_OK;
    c->root = dir;
    c->compress = ends_in(path, ".zst");
    c->machine = e == ERR_OK ? synth_create(dir, o) : NULL;
    if (c->machine)
        e = chronicle_write(c, fd, &info);
    if (e != ERR_OK)
        fprintf(stderr, "chronicle: %s: %s\n", err_text(e), info.text);
    bool fine = c->machine && e == ERR_OK;
    synth_close(c->machine);
    scratch_remove(dir);
    return fine ? 0 : 1;
}

int main(int argc, char **argv) {
    struct synth_options o = {.processes = 40, .fds = 8, .clients = 12, .seed = 1};
    struct chronicle c = {.ticks = 60, .delay_ns = 1000000000};
    const char *path = NULL;
    for (int k; (k = getopt(argc, argv, "o:T:d:" SYNTH_LETTERS)) != -1;)
        switch (k) {
        case 'o':
            path = optarg;
            break;
        case 'T':
            c.ticks = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'd':
            c.delay_ns = 1000000 * strtol(optarg, NULL, 10);
            break;
        default:
            if (!synth_option(&o, k, optarg))
                return usage();
        }
    if (!path || !o.gpus || optind != argc || c.delay_ns <= 0)
        return usage();
    return chronicle(path, &o, &c);
}
