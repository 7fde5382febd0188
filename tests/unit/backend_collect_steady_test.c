/* A tick of the collectors like the one before allocates nothing, opens nothing of a known client and makes few
 * more calls than there are processes and clients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "allocations.h"
#include "backend/fdinfo/fdinfo.h"
#include "backend/proc/proc.h"
#include "gwtop/source.h"
#include "scratch.h"
#include "tree.h"

enum { PROCESSES = 300, CLIENTS = 30, FDS = 8 };

static const struct backend *const backends[] = {&backend_fdinfo, &backend_proc};
static const struct backend_table table = {backends, 2};

struct told {
    unsigned frames;
    unsigned texts;
    uint64_t syscalls;
    uint64_t looked;
};

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct told *t = ctx;
    t->frames++;
    t->texts += s->type == SUBJECT_HOLDER && f->kind == FDINFO_FDINFO && f->outcome == OUTCOME_OK;
    if (f->kind == FRAME_END) {
        char text[400];
        snprintf(text, sizeof text, "%.*s", (int)f->size, f->bytes);
        t->syscalls = facts_u64(text, "syscalls", 0);
        t->looked = facts_u64(text, "looked", 0);
    }
}

static void put_processes(const char *root, const char *node) {
    char path[100];
    for (int pid = 1000; pid < 1000 + PROCESSES; pid++) {
        snprintf(path, sizeof path, "proc/%d/stat", pid);
        tree_text(root, path,
                  "%d (x) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 7 100 100 0 0 0 0 0\n", pid);
        for (int fd = 0; fd < FDS; fd++) {
            bool client = fd == 5 && pid < 1000 + CLIENTS;
            snprintf(path, sizeof path, "proc/%d/fd/%d", pid, fd);
            tree_link(root, path, client ? node : "/dev/null");
            snprintf(path, sizeof path, "proc/%d/fdinfo/%d", pid, fd);
            if (client)
                tree_text(root, path, "drm-driver:\tamdgpu\ndrm-client-id:\t%d\n", pid);
        }
    }
}

static void test_steady_tick(void **state) {
    char *root = scratch_make();
    char *node = path_join(root, "dev/dri/renderD128");
    struct host_options o = {.root = root, .delay_ns = 1000000000};
    struct host *host;
    struct source *live;
    struct told told = {0};
    struct frame_sink sink = {&told, on_frame};
    int64_t now_ns = 1000000000;
    bool made = tree_node(root, "dev/dri/renderD128", 226, 128);
    (void)state;
    tree_text(root, "sys/class/drm/renderD128/device/uevent", "DRIVER=amdgpu\n");
    put_processes(root, made ? node : "/dev/dri/renderD128");
    assert_int_equal(host_create(&o, &host, NULL), ERR_OK);
    host->rooted = !made; /* with a node the tree stands for this machine: files are kept open */
    assert_int_equal(live_create(host, &table, &live, NULL), ERR_OK);
    for (int i = 0; i < 40; i++)
        live->ops->read(live, now_ns += 100000000, &sink);
    for (int i = 0; i < 50; i++) {
        unsigned long before = allocations_so_far();
        told = (struct told){0};
        live->ops->read(live, now_ns += 100000000, &sink);
        assert_int_equal(allocations_so_far(), before);
        assert_int_equal(told.texts, CLIENTS);
        assert_true(told.looked <= PROCESSES / 10);
        /* Each process is asked, each text and each stat read; the sweep and the frame of a tick on top. */
        if (made)
            assert_true(told.syscalls <= PROCESSES + 2 * CLIENTS + PROCESSES / 4 + 40);
    }
    live->ops->close(live);
    host_destroy(host);
    free(node);
    scratch_remove(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steady_tick)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
