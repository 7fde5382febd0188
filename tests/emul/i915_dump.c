/*
 * What the program was given, as the recorder of IGT would have written it down: GWTOP_EMUL_DUMP
 * names the file. Packed, little-endian.
 */
#include "i915_emul.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    DUMP_VERSION = 65536,
    DUMP_DEVICE,
    DUMP_TOPOLOGY,
    DUMP_CORRELATION,
    DEVICE_SIZE = 336,
    DEVICE_SET_NAME = 36,
    DEVICE_SET_UUID = 292
};

static void append(const void *bytes, size_t n) {
    const char *path = getenv("GWTOP_EMUL_DUMP");
    if (!path)
        return;
    int fd =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
        abort();
    (void)syscall(SYS_close, fd);
}

static void append_record(uint32_t type, const void *payload, size_t n) {
    uint8_t record[512] = {0};
    size_t size = 8 + (n + 7) / 8 * 8;
    const uint16_t size16 = (uint16_t)size;
    memcpy(record, &type, 4);
    memcpy(record + 6, &size16, 2);
    memcpy(record + 8, payload, n);
    append(record, size);
}

static void append_device(unsigned format, const char *set_uuid) {
    const struct platform *p = script.platform;
    uint8_t device[DEVICE_SIZE] = {0};
    const uint32_t words[] = {p->pci, 1, 300000000, (uint32_t)p->core_hz, 0, 0, format};
    memcpy(device, &p->oa_hz, 8);
    memcpy(device + 8, words, sizeof words);
    memcpy(device + DEVICE_SET_NAME, "set", 3);
    memcpy(device + DEVICE_SET_UUID, set_uuid, strlen(set_uuid));
    append_record(DUMP_DEVICE, device, sizeof device);
}

/* The command streamer's clock is the slower of the two. */
static void append_correlation(int64_t ns) {
    uint64_t pair[2];
    pair[0] = (uint64_t)ns;
    pair[1] = model_ticks(ns) / (script.platform->oa_hz / script.platform->cs_hz);
    append_record(DUMP_CORRELATION, pair, sizeof pair);
}

void dump_begin(int64_t ns, unsigned format, const char *set_uuid) {
    uint8_t topology[256];
    const uint32_t version[] = {1, 0};
    append_record(DUMP_VERSION, version, sizeof version);
    append_device(format, set_uuid);
    append_record(DUMP_TOPOLOGY, topology, node_topology(topology));
    append_correlation(ns);
}

void dump_records(int64_t ns, const void *bytes, size_t n) {
    append(bytes, n);
    append_correlation(ns);
}
