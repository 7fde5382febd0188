/* Which descriptors are of device nodes, told by the texts of an fdinfo folder alone. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/fdinfo/collect.h"
#include "scratch.h"

static char *dir;
static struct host *host;

static void make_folder(const char *name) {
    char *path = path_join(dir, "%s", name);
    assert_int_equal(mkdir(path, 0755), 0);
    free(path);
}

static void write_text(const char *text) {
    char *path = path_join(dir, "7");
    file_write(path, text, strlen(text));
    free(path);
}

static bool is_node(uint32_t *major, uint32_t *minor) {
    struct collector c = {.host = host};
    *major = *minor = 0;
    errno = EIO;
    return bare_node(&c, host->root_fd, "7", major, minor);
}

static void plain_files_are_none(void **state) {
    uint32_t major, minor;
    (void)state;
    write_text("pos:\t0\nflags:\t0100002\nmnt_id:\t25\nino:\t7\n");
    assert_false(is_node(&major, &minor));
    assert_int_equal(errno, 0);
    write_text("");
    assert_false(is_node(&major, &minor));
    write_text("drm-driver");
    assert_false(is_node(&major, &minor));
}

static void address_tells_the_node(void **state) {
    uint32_t major, minor;
    (void)state;
    write_text("pos:\t0\nino:\t99999999\ndrm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\n");
    assert_true(is_node(&major, &minor));
    assert_int_equal(major, 226);
    assert_int_equal(minor, 129);
    write_text("drm-driver:\tamdgpu\ndrm-pdev:\t0000:04:00.0\n");
    assert_false(is_node(&major, &minor));
    write_text("drm-driver:\tamdgpu\ndrm-pdev:\t../../../..\n");
    assert_false(is_node(&major, &minor));
}

static void inode_tells_the_node(void **state) {
    uint32_t major, minor;
    struct stat st;
    char text[128];
    char *node = path_join(dir, "dev/dri/card1");
    (void)state;
    if (mknod(node, S_IFCHR | 0600, makedev(226, 1)) != 0) {
        free(node);
        skip();
    }
    assert_int_equal(stat(node, &st), 0);
    free(node);
    snprintf(text, sizeof text, "ino:\t%lu\ndrm-driver:\tpanthor\n", (unsigned long)st.st_ino);
    write_text(text);
    assert_true(is_node(&major, &minor));
    assert_int_equal(major, 226);
    assert_int_equal(minor, 1);
}

static int begin_all(void **state) {
    static const char *const folders[] = {"dev",
                                          "dev/dri",
                                          "proc",
                                          "sys",
                                          "sys/bus",
                                          "sys/bus/pci",
                                          "sys/bus/pci/devices",
                                          "sys/bus/pci/devices/0000:03:00.0",
                                          "sys/bus/pci/devices/0000:03:00.0/drm",
                                          "sys/bus/pci/devices/0000:03:00.0/drm/card1",
                                          "sys/bus/pci/devices/0000:03:00.0/drm/renderD129"};
    struct err_info info;
    (void)state;
    dir = scratch_make();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        make_folder(folders[i]);
    return host_create(&(struct host_options){.root = dir}, &host, &info) == ERR_OK ? 0 : -1;
}

static int end_all(void **state) {
    (void)state;
    host_destroy(host);
    scratch_remove(dir);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_are_none),
        cmocka_unit_test(address_tells_the_node),
        cmocka_unit_test(inode_tells_the_node),
    };
    return cmocka_run_group_tests(tests, begin_all, end_all);
}
