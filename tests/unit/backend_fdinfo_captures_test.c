/*
 * Texts that real drivers wrote, against what a person read in them. They stand outside the
 * repository, in $GWTOP_CAPTURES/fdinfo (default ../shared/data); where they are not, the test is
 * skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/fdinfo/fdinfo.h"
#include "heard.h"
#include "scratch.h"

struct capture {
    const char *file;
    uint64_t client; /* 0: nothing of ours */
    unsigned samples;
    const char *says[14]; /* lines that must be among those heard */
    const char *never;    /* what must stand in none */
};

static const struct capture captures[] = {
    {"amdgpu-2024-legacy-kib.txt",
     217,
     4,
     {"label driver amdgpu", "label pci 0000:08:00.0", "memory.legacy vram:vram 2117632",
      "memory.legacy gtt:gtt 8388608", "memory.legacy cpu:system 0",
      "engine.time gfx:graphics 107322799"},
     NULL},
    {"amdgpu-2024-kfd-no-engine.txt",
     1203108,
     4,
     {"label pci 0000:83:00.0", "engine.time unsupported", "memory.legacy vram:vram 77824",
      "memory.legacy gtt:gtt 45056", "memory.legacy cpu:system 6348800"},
     "gfx"},
    {"amdgpu-2024-05-old-and-new-keys-compute.txt",
     4,
     19,
     {"memory.resident vram:vram 45633536", "memory.total vram:vram 45633536",
      "memory.shared vram:vram 32718848", "memory.legacy vram:vram 45633536",
      "memory.resident gtt:gtt 2449408", "memory.legacy gtt:gtt 2449408",
      "engine.time compute:compute 46464671"},
     "gfx"},
    {"amdgpu-2024-10-many-regions.txt",
     30,
     39,
     {"label pci 0000:04:00.0", "memory.resident vram:vram 158789632",
      "memory.shared vram:vram 13910016", "memory.resident gtt:gtt 20971520",
      "memory.legacy gtt:gtt 20971520", "memory.total gds:other 0", "memory.total gws:other 0",
      "memory.total oa:other 0", "memory.total doorbell:other 0",
      "engine.time gfx:graphics 19291217545"},
     NULL},
    {"i915-2022-no-memory-keys.txt",
     22,
     5,
     {"engine.time render:graphics 196329331", "engine.time video:media 0",
      "engine.capacity video:media 2"},
     "memory"},
    {"i915-2024-system0.txt",
     39,
     15,
     {"memory.total system0:system 6189056", "memory.resident system0:system 6189056",
      "memory.purgeable system0:system 1728512", "memory.total stolen-system0:system 0",
      "engine.time render:graphics 346249", "engine.capacity video:media 2"},
     "unsupported"},
    {"xe-kernel-comment.txt",
     3,
     30,
     {"label pci 0000:03:00.0", "memory.resident vram0:vram 24567808",
      "memory.shared vram0:vram 16777216", "memory.total gtt:gtt 196608",
      "engine.cycles rcs:graphics 28257900", "engine.cycles.total rcs:graphics 7655183225",
      "engine.cycles.total ccs:compute 7655183225", "engine.capacity vcs:media 2",
      "engine.capacity vecs:media 2", "engine.capacity ccs:compute 4",
      "memory.purgeable system:system 0"},
     "engine.time"},
    {"panfrost-kernel-doc.txt",
     14,
     13,
     {"engine.time fragment:graphics 1846584880", "engine.cycles fragment:graphics 1424359409",
      "engine.time vertex-tiler:graphics 71932239", "engine.maxfreq fragment:graphics 799999987",
      "memory.total memory:system 304087040", "memory.resident memory:system 37371904"},
     "label pci"},
    {"panfrost-2024-low-clock.txt",
     6,
     14,
     {"engine.time fragment:graphics 481941638", "engine.cycles fragment:graphics 60243117",
      "engine.curfreq fragment:graphics 124999998", "engine.maxfreq fragment:graphics 799999987",
      "memory.resident memory:system 2248704", "memory.resident internal:other 0"},
     NULL},
    {"panthor-kernel-doc.txt",
     10,
     9,
     {"engine.time panthor:graphics 111110952750", "engine.cycles panthor:graphics 94439687187",
      "engine.maxfreq panthor:graphics 1000000000", "memory.resident memory:system 16875520"},
     NULL},
    {"panthor-2024-cycles-above-maxfreq.txt",
     3,
     10,
     {"engine.time panthor:graphics 611046570346", "engine.cycles panthor:graphics 1172733302061",
      "memory.resident memory:system 27521024", "memory.resident internal:other 10645504"},
     NULL},
    {"msm-2022.txt",
     7,
     3,
     {"engine.time gpu:graphics 1734371319", "engine.cycles gpu:graphics 1153645024",
      "engine.maxfreq gpu:graphics 800000000"},
     "memory"},
    {"v3d-2023-jobs.txt",
     44,
     5,
     {"engine.time render:graphics 31469427170", "engine.time csd:compute 188038329691",
      "engine.time bin:graphics 1661076898", "engine.time tfu:copy 5002964",
      "engine.time cache_clean:other 27736024038"},
     "25039"},
    {"v3d-2024-memory.txt",
     81,
     10,
     {"memory.total memory:system 15532032", "memory.shared memory:system 9560064",
      "memory.active memory:system 0", "memory.resident memory:system unsupported",
      "engine.time cpu:other 0"},
     NULL},
    {"amdxdna-2024-zeros.txt",
     76,
     4,
     {"label driver amdxdna_accel_driver", "label pci 0000:c5:00.1",
      "engine.time npu-amdxdna:compute 0", "memory.total memory:system 0"},
     "unsupported"},
    {"not-drm-dmabuf-exp_name-drm.txt", 0, 0, {NULL}, "drm"},
    {"not-drm-inotify.txt", 0, 0, {NULL}, "label"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *folder(void) {
    const char *from = getenv("GWTOP_CAPTURES");
    return from && from[0] ? from : "../shared/data";
}

static char *load(const struct capture *c, size_t *n) {
    char *path = path_join(folder(), "fdinfo/%s", c->file);
    char *text = file_read(path, n);
    free(path);
    return text;
}

static void check(const struct capture *c, const char *text, size_t n, struct heard *h) {
    static const struct subject holder = {.id = 77, .name = "", .facts = ""};
    struct frame f = {.bytes = text, .size = n, .subject = 77, .kind = FDINFO_FDINFO};
    struct sink sink = heard_sink(h);
    struct counts counts = {0};
    uint64_t lines = 0;
    heard_clear(h);
    fdinfo_decode(&holder, &f, &sink, &counts);
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n' || i + 1 == n;
    assert_counts(&counts, lines);
    assert_int_equal(counts.malformed, 0);
    assert_int_equal(h->samples, c->samples);
    for (size_t i = 0; i < COUNT(c->says) && c->says[i]; i++)
        if (!heard_line(h, c->says[i]))
            fail_msg("%s: '%s' not heard, but\n%s", c->file, c->says[i], heard_text(h));
    if (c->never)
        assert_null(strstr(heard_text(h), c->never));
    if (c->client != 0)
        assert_int_equal(h->client, c->client);
    else
        assert_int_equal(counts.reasons[REASON_NOT_DRM], lines);
}

static void each_capture(void **state) {
    (void)state;
    struct heard h = {0};
    size_t read = 0;
    for (size_t i = 0; i < COUNT(captures); i++) {
        size_t n;
        char *text = load(&captures[i], &n);
        if (!text)
            continue;
        read++;
        check(&captures[i], text, n, &h);
        free(text);
    }
    heard_finish(&h);
    if (read == 0)
        skip();
    assert_int_equal(read, COUNT(captures));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_capture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
