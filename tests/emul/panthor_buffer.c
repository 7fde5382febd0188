/*
 * Buffers of the emulated panthor: pieces of the file that stands for the node, so that a plain mmap of
 * it is one of theirs. They lie beyond 4 GiB, as those of the kernel do.
 */
#include "panthor_emul.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPACE_AT UINT64_C(0x100000000)
enum { SPACE_BYTES = 64 << 20, SPACES = 16, BUFFERS = 128 };

static struct space {
    dev_t device;
    ino_t inode;
    uint8_t *at;
    size_t used;
    uint32_t handles;
} spaces[SPACES];
static unsigned space_count;
static struct buffer buffers[BUFFERS];
static unsigned buffer_count;

void buffer_space(int fd) {
    struct stat st;
    if (space_count == SPACES || ftruncate(fd, (off_t)(SPACE_AT + SPACE_BYTES)) != 0 ||
        fstat(fd, &st) != 0)
        abort();
    void *at = mmap(NULL, SPACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)SPACE_AT);
    if (at == MAP_FAILED)
        abort();
    spaces[space_count++] = (struct space){st.st_dev, st.st_ino, at, 0, 0};
}

static struct space *space_of(int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        abort();
    for (unsigned i = 0; i < space_count; i++)
        if (spaces[i].device == st.st_dev && spaces[i].inode == st.st_ino)
            return &spaces[i];
    abort();
}

const struct buffer *buffer_find(int fd, uint32_t handle) {
    const struct space *s = space_of(fd);
    for (unsigned i = 0; i < buffer_count; i++)
        if (buffers[i].open && buffers[i].handle == handle && buffers[i].device == s->device &&
            buffers[i].inode == s->inode)
            return &buffers[i];
    return NULL;
}

struct bo_create {
    uint64_t size;
    uint32_t flags;
    uint32_t exclusive_vm;
    uint32_t handle;
    uint32_t pad;
};

int buffer_create(int fd, void *arg) {
    struct bo_create *c = arg;
    struct space *s = space_of(fd);
    if (c->size == 0 || c->flags || c->exclusive_vm || c->pad) {
        misuse("BO_CREATE size %llu flags %#x vm %u pad %u", (unsigned long long)c->size, c->flags,
               c->exclusive_vm, c->pad);
        return fail(EINVAL);
    }
    if (c->size > SPACE_BYTES - s->used || buffer_count == BUFFERS)
        return fail(ENOMEM);
    size_t bytes = ((size_t)c->size + PAGE - 1) / PAGE * PAGE;
    buffers[buffer_count++] =
        (struct buffer){s->device, s->inode, ++s->handles, bytes, s->at + s->used, true};
    note("BO_CREATE %llu bytes: handle %u of %zu", (unsigned long long)c->size, s->handles, bytes);
    c->size = bytes;
    c->handle = s->handles;
    s->used += bytes + PAGE; /* what is written behind one is nobody's */
    return 0;
}

struct bo_offset {
    uint32_t handle;
    uint32_t pad;
    uint64_t offset;
};

int buffer_offset(int fd, void *arg) {
    struct bo_offset *o = arg;
    const struct buffer *b = buffer_find(fd, o->handle);
    if (!b || o->pad) {
        misuse("BO_MMAP_OFFSET handle %u pad %u", o->handle, o->pad);
        return fail(b ? EINVAL : ENOENT);
    }
    o->offset = SPACE_AT + (uint64_t)(b->at - space_of(fd)->at);
    note("BO_MMAP_OFFSET handle %u", o->handle);
    return 0;
}

int buffer_free(int fd, const void *arg) {
    uint32_t words[2];
    memcpy(words, arg, sizeof words);
    const struct buffer *b = buffer_find(fd, words[0]);
    if (!b || words[1]) {
        misuse("GEM_CLOSE handle %u pad %u", words[0], words[1]);
        return fail(EINVAL);
    }
    buffers[b - buffers].open = false;
    note("GEM_CLOSE handle %u", words[0]);
    return 0;
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool is_ours(unsigned long from) {
    for (unsigned i = 0; i < space_count; i++)
        if ((unsigned long)(uintptr_t)spaces[i].at == from)
            return true;
    return false;
}

void buffer_leave(void) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "/memfd:panthor") && !is_ours(strtoul(line, NULL, 16)))
            note("LEFT mapping %s", strtok(line, " "));
    if (maps)
        (void)fclose(maps);
}
