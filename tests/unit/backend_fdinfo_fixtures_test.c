/*
 * Every driver's text against what a person reads in it. The texts below fixtures/fdinfo/ have the
 * form of their driver and kernel; their numbers are invented. For each of them also: cut short at
 * any length, in any order of lines and with any blanks it says nothing that the whole does not
 * say.
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

struct fixture {
    const char *name;
    uint64_t client; /* 0: the text names none */
    uint64_t accepted;
    uint64_t ignored;
    const char *says;
};

static const struct fixture fixtures[] = {
    {"amdgpu-5.14", 0, 8, 4,
     "label driver amdgpu\n"
     "label pci 0000:0b:00.0\n"
     "engine.busy gfx[0]:graphics 123400\n"
     "engine.busy compute[1]:compute 50300\n"
     "engine.busy dma[0]:copy 700\n"
     "engine.busy enc_1[0]:encode 1000000\n"
     "memory.legacy vram:vram 52428800\n"
     "memory.legacy gtt:gtt 3145728\n"
     "memory.legacy cpu:system 0\n"},
    {"amdgpu-5.19", 54112, 10, 4,
     "label driver amdgpu\n"
     "label pci 0000:0b:00.0\n"
     "engine.time gfx:graphics 51200300400\n"
     "engine.time dma:copy 7700\n"
     "engine.time dec:decode 88001234\n"
     "engine.time enc_1:encode 4400\n"
     "memory.legacy vram:vram 71806976\n"
     "memory.legacy gtt:gtt 9437184\n"
     "memory.legacy cpu:system 8192\n"},
    {"amdgpu-6.4", 61007, 7, 11,
     "label driver amdgpu\n"
     "label pci 0000:0b:00.0\n"
     "engine.time compute:compute 990011002200\n"
     "memory.legacy vram:vram 134217728\n"
     "memory.legacy gtt:gtt 16384\n"
     "memory.legacy cpu:system 0\n"},
    {"amdgpu-6.5", 112, 9, 9,
     "label driver amdgpu\n"
     "label pci 0000:0b:00.0\n"
     "engine.time gfx:graphics 3\n"
     "engine.time jpeg:decode 1200000\n"
     "engine.time vpe:media 2400000\n"
     "memory.legacy vram:vram 4096\n"
     "memory.legacy gtt:gtt 2105344\n"
     "memory.legacy cpu:system 0\n"},
    {"amdgpu-6.11", 113, 11, 9,
     "label driver amdgpu\n"
     "label pci 0000:0b:00.0\n"
     "engine.time gfx:graphics 640000000000\n"
     "engine.time enc:encode 15000000\n"
     "memory.shared vram:vram 20480000\n"
     "memory.legacy vram:vram 307200000\n"
     "memory.shared gtt:gtt 102400\n"
     "memory.legacy gtt:gtt 12288000\n"
     "memory.shared cpu:system 0\n"
     "memory.legacy cpu:system 0\n"},
    {"amdgpu-6.14", 9, 29, 8,
     "label driver amdgpu\n"
     "label pci 0000:65:00.0\n"
     "label name a plain game\n"
     "engine.time gfx:graphics 77000000001\n"
     "engine.time compute:compute 12\n"
     "memory.total cpu:system 0\n"
     "memory.shared cpu:system 0\n"
     "memory.resident cpu:system 0\n"
     "memory.purgeable cpu:system 0\n"
     "memory.active cpu:system 0\n"
     "memory.legacy cpu:system 0\n"
     "memory.total gtt:gtt 5242880\n"
     "memory.shared gtt:gtt 0\n"
     "memory.resident gtt:gtt 5242880\n"
     "memory.purgeable gtt:gtt 0\n"
     "memory.active gtt:gtt 0\n"
     "memory.legacy gtt:gtt 5242880\n"
     "memory.total vram:vram 832000000\n"
     "memory.shared vram:vram 32505856\n"
     "memory.resident vram:vram 831995904\n"
     "memory.purgeable vram:vram 131072\n"
     "memory.active vram:vram 4097\n"
     "memory.legacy vram:vram 831995904\n"
     "memory.total doorbell:other 8192\n"
     "memory.shared doorbell:other 0\n"
     "memory.resident doorbell:other 8192\n"
     "memory.purgeable doorbell:other 0\n"
     "memory.active doorbell:other 0\n"},
    {"amdgpu-interrupted", 9, 3, 5,
     "label driver amdgpu\n"
     "label pci 0000:65:00.0\n"
     "engine.time unknown\n"},
    {"i915-5.19", 17, 8, 3,
     "label driver i915\n"
     "label pci 0000:00:02.0\n"
     "engine.time render:graphics 900800700\n"
     "engine.time copy:copy 0\n"
     "engine.time video:media 60500\n"
     "engine.capacity video:media 2\n"
     "engine.time video-enhance:media 0\n"},
    {"i915-6.8", 205, 26, 4,
     "label driver i915\n"
     "label pci 0000:03:00.0\n"
     "engine.time render:graphics 123456789012\n"
     "engine.time copy:copy 8000000\n"
     "engine.time video:media 0\n"
     "engine.capacity video:media 2\n"
     "engine.time video-enhance:media 0\n"
     "engine.capacity video-enhance:media 2\n"
     "engine.time compute:compute 42\n"
     "engine.capacity compute:compute 4\n"
     "memory.total system0:system 9437184\n"
     "memory.shared system0:system 65536\n"
     "memory.resident system0:system 9437184\n"
     "memory.purgeable system0:system 655360\n"
     "memory.active system0:system 0\n"
     "memory.total local0:vram 1610612736\n"
     "memory.shared local0:vram 12582912\n"
     "memory.resident local0:vram 1572864000\n"
     "memory.purgeable local0:vram 0\n"
     "memory.active local0:vram 8388608\n"
     "memory.total stolen-local0:system 512\n"
     "memory.shared stolen-local0:system 0\n"
     "memory.resident stolen-local0:system 512\n"
     "memory.purgeable stolen-local0:system 0\n"
     "memory.active stolen-local0:system 0\n"},
    {"i915-chromeos", 31, 10, 4,
     "label driver i915\n"
     "label pci 0000:00:02.0\n"
     "engine.time render:graphics 5\n"
     "engine.time copy:copy 0\n"
     "engine.time video:media 0\n"
     "engine.time video-enhance:media 0\n"
     "memory.total memory:system 67108864\n"
     "memory.shared memory:system 33554432\n"
     "memory.active memory:system 0\n"
     "memory.resident memory:system unsupported\n"},
    {"xe-6.8", 44, 28, 4,
     "label driver xe\n"
     "label pci 0000:00:02.0\n"
     "engine.cycles rcs:graphics 192000001\n"
     "engine.cycles.total rcs:graphics 6044293186233\n"
     "engine.cycles bcs:copy 0\n"
     "engine.cycles.total bcs:copy 6044293186233\n"
     "engine.cycles vcs:media 48\n"
     "engine.cycles.total vcs:media 6044293186233\n"
     "engine.capacity vcs:media 2\n"
     "engine.cycles ccs:compute 571\n"
     "engine.cycles.total ccs:compute 6044293186233\n"
     "memory.total system:system 1048576\n"
     "memory.shared system:system 0\n"
     "memory.resident system:system 1048576\n"
     "memory.purgeable system:system 4096\n"
     "memory.active system:system 0\n"
     "memory.total gtt:gtt 34603008\n"
     "memory.shared gtt:gtt 2097152\n"
     "memory.resident gtt:gtt 34603008\n"
     "memory.active gtt:gtt 0\n"
     "memory.total vram0:vram 0\n"
     "memory.shared vram0:vram 0\n"
     "memory.active vram0:vram 0\n"
     "memory.total stolen:system 0\n"
     "memory.shared stolen:system 0\n"
     "memory.resident stolen:system 0\n"
     "memory.active stolen:system 0\n"},
    {"msm-6.0", 8, 5, 4,
     "label driver msm\n"
     "engine.time gpu:graphics 16006942600\n"
     "engine.cycles gpu:graphics 5947908201\n"
     "engine.maxfreq gpu:graphics 680000000\n"},
    {"msm-6.5", 6, 10, 4,
     "label driver msm\n"
     "engine.time gpu:graphics 36006942600\n"
     "engine.cycles gpu:graphics 9947908201\n"
     "engine.maxfreq gpu:graphics 925000000\n"
     "memory.total memory:system 92467200\n"
     "memory.shared memory:system 6451200\n"
     "memory.resident memory:system 90112000\n"
     "memory.purgeable memory:system 0\n"
     "memory.active memory:system 0\n"},
    {"panfrost-6.7-off", 3, 11, 4,
     "label driver panfrost\n"
     "engine.maxfreq fragment:graphics 799999987\n"
     "engine.curfreq fragment:graphics 199999997\n"
     "engine.maxfreq vertex-tiler:graphics 799999987\n"
     "engine.curfreq vertex-tiler:graphics 199999997\n"
     "engine.time unsupported\n"
     "memory.total memory:system 20971520\n"
     "memory.shared memory:system 0\n"
     "memory.resident memory:system 3174400\n"
     "memory.purgeable memory:system 0\n"
     "memory.active memory:system 0\n"},
    {"panfrost-6.7-on", 4, 15, 4,
     "label driver panfrost\n"
     "engine.time fragment:graphics 700800900\n"
     "engine.cycles fragment:graphics 560640720\n"
     "engine.maxfreq fragment:graphics 799999987\n"
     "engine.curfreq fragment:graphics 799999987\n"
     "engine.time vertex-tiler:graphics 61000\n"
     "engine.cycles vertex-tiler:graphics 48800\n"
     "engine.maxfreq vertex-tiler:graphics 799999987\n"
     "engine.curfreq vertex-tiler:graphics 799999987\n"
     "memory.total memory:system 146800640\n"
     "memory.shared memory:system 0\n"
     "memory.resident memory:system 30720000\n"
     "memory.purgeable memory:system 65536\n"
     "memory.active memory:system 104857600\n"},
    {"panthor-6.10-off", 5, 9, 4,
     "label driver panthor\n"
     "engine.maxfreq panthor:graphics 1000000000\n"
     "engine.curfreq panthor:graphics 300000000\n"
     "engine.time unsupported\n"
     "memory.total memory:system 8388608\n"
     "memory.shared memory:system 0\n"
     "memory.resident memory:system 8388608\n"
     "memory.purgeable memory:system 0\n"
     "memory.active memory:system 0\n"},
    {"panthor-6.15", 11, 13, 4,
     "label driver panthor\n"
     "engine.time panthor:graphics 211110952750\n"
     "engine.cycles panthor:graphics 184439687187\n"
     "engine.maxfreq panthor:graphics 1000000000\n"
     "engine.curfreq panthor:graphics 850000000\n"
     "memory.resident internal:other 9216000\n"
     "memory.active internal:other 9011200\n"
     "memory.total memory:system 18874368\n"
     "memory.shared memory:system 0\n"
     "memory.resident memory:system 18874368\n"
     "memory.purgeable memory:system 0\n"
     "memory.active memory:system 17825792\n"},
    {"v3d-6.6", 41, 7, 9,
     "label driver v3d\n"
     "engine.time bin:graphics 61076898\n"
     "engine.time render:graphics 469427170\n"
     "engine.time tfu:copy 2964\n"
     "engine.time csd:compute 0\n"
     "engine.time cache_clean:other 24038\n"},
    {"v3d-6.13", 82, 11, 10,
     "label driver v3d\n"
     "engine.time bin:graphics 1\n"
     "engine.time render:graphics 2\n"
     "engine.time tfu:copy 0\n"
     "engine.time csd:compute 7\n"
     "engine.time cache_clean:other 0\n"
     "engine.time cpu:other 5\n"
     "memory.total memory:system 11534336\n"
     "memory.shared memory:system 9216000\n"
     "memory.active memory:system 0\n"
     "memory.resident memory:system unsupported\n"},
    {"lima-6.4", 12, 4, 4,
     "label driver lima\n"
     "engine.time gp:graphics 330011\n"
     "engine.time pp:graphics 4400220\n"},
    {"etnaviv-6.12", 2, 7, 4,
     "label driver etnaviv\n"
     "engine.time unsupported\n"
     "memory.total memory:system 6291456\n"
     "memory.shared memory:system 524288\n"
     "memory.resident memory:system 2097152\n"
     "memory.purgeable memory:system 0\n"
     "memory.active memory:system 0\n"},
    {"nouveau-6.12", 7, 6, 4,
     "label driver nouveau\n"
     "label pci 0000:01:00.0\n"
     "engine.time unsupported\n"
     "memory.total memory:system 0\n"
     "memory.shared memory:system 0\n"
     "memory.active memory:system 0\n"},
    {"virtio_gpu-6.8", 15, 2, 4,
     "label driver virtio_gpu\n"
     "engine.time unsupported\n"},
    {"amdxdna-out-of-tree", 77, 7, 4,
     "label driver amdxdna_accel_driver\n"
     "label pci 0000:c5:00.1\n"
     "engine.time npu-amdxdna:compute 5000001\n"
     "memory.total memory:system 73400320\n"
     "memory.shared memory:system 0\n"
     "memory.active memory:system 0\n"
     "memory.resident memory:system unsupported\n"},
    {"amdxdna-staging", 78, 4, 4,
     "label driver amdxdna_accel_driver\n"
     "label pci 0000:c5:00.1\n"
     "engine.time amdxdna_accel_driver:compute 6000001\n"},
    {"amdxdna-7.2", 79, 8, 6,
     "label driver amdxdna_accel_driver\n"
     "label pci 0000:c5:00.1\n"
     "engine.time unsupported\n"
     "memory.total memory:system 83886080\n"
     "memory.shared memory:system 0\n"
     "memory.resident memory:system 83886080\n"
     "memory.purgeable memory:system 0\n"
     "memory.active memory:system 0\n"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct subject holder = {.id = 77,
                                      .device = 3,
                                      .backend = 1,
                                      .type = SUBJECT_HOLDER,
                                      .pid = 4242,
                                      .name = "",
                                      .facts = ""};

/* An exact copy, so that a sanitizer sees a read behind the end. */
static void decode(struct heard *h, const char *text, size_t n, struct counts *counts) {
    char *copy = malloc(n ? n : 1);
    struct sink sink = heard_sink(h);
    assert_non_null(copy);
    memcpy(copy, text, n);
    struct frame f = {.t_ns = 5, .bytes = copy, .size = n, .subject = 77, .kind = FDINFO_FDINFO};
    heard_clear(h);
    *counts = (struct counts){0};
    fdinfo_decode(&holder, &f, &sink, counts);
    free(copy);
}

static uint64_t lines_of(const char *text, size_t n) {
    uint64_t lines = 0;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return lines + (n > 0 && text[n - 1] != '\n');
}

static char *load(const struct fixture *f, size_t *n) {
    char path[256];
    snprintf(path, sizeof(path), "fixtures/fdinfo/%s/text", f->name);
    char *text = file_read(path, n);
    assert_non_null(text);
    return text;
}

static void each_driver(void **state) {
    (void)state;
    struct heard h = {0};
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        const struct fixture *f = &fixtures[i];
        struct counts counts;
        size_t n;
        char *text = load(f, &n);
        decode(&h, text, n, &counts);
        assert_string_equal(heard_text(&h), f->says);
        assert_int_equal(h.client, f->client ? f->client : 77);
        assert_int_equal(h.space, f->client ? SPACE_DRM : SPACE_HOLDER);
        assert_int_equal(counts.accepted, f->accepted);
        assert_int_equal(counts.ignored, f->ignored);
        assert_counts(&counts, lines_of(text, n));
        free(text);
    }
    heard_finish(&h);
}

/* Every line that holds a number must be one of the whole text's. */
static void assert_part_of(struct heard *part, struct heard *whole) {
    char line[512];
    struct cursor c = cursor_over(buf_span_of(&part->text));
    struct span at;
    while (cursor_line(&c, &at)) {
        char last = at.n > 0 ? at.p[at.n - 1] : ' ';
        if (last < '0' || last > '9')
            continue;
        assert_true(at.n < sizeof(line));
        memcpy(line, at.p, at.n);
        line[at.n] = '\0';
        if (!heard_line(whole, line))
            fail_msg("a part says '%s', the whole does not", line);
    }
}

static void every_length(void **state) {
    (void)state;
    struct heard whole = {0};
    struct heard part = {0};
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        struct counts counts;
        size_t n;
        char *text = load(&fixtures[i], &n);
        decode(&whole, text, n, &counts);
        for (size_t cut = 0; cut < n; cut++) {
            decode(&part, text, cut, &counts);
            assert_counts(&counts, lines_of(text, cut));
            assert_int_equal(counts.malformed, 0);
            if (cut > 0 && text[cut - 1] != '\n' && part.samples > 0)
                assert_int_equal(counts.truncated, 1);
            assert_part_of(&part, &whole);
        }
        free(text);
    }
    heard_finish(&whole);
    heard_finish(&part);
}

/* ---- the same lines, otherwise written --------------------------------------------------------- */

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static size_t split(const char *text, size_t n, struct span *lines, size_t max) {
    struct cursor c = cursor_over((struct span){text, n});
    size_t count = 0;
    while (count < max && cursor_line(&c, &lines[count]))
        count++;
    assert_true(cursor_at_end(&c));
    return count;
}

static void any_order(void **state) {
    (void)state;
    struct heard h = {0};
    struct heard whole = {0};
    struct buf mixed;
    uint32_t seed = 12345;
    buf_init(&mixed);
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        struct counts counts;
        struct span lines[100];
        size_t n;
        char *text = load(&fixtures[i], &n);
        size_t count = split(text, n, lines, COUNT(lines));
        decode(&whole, text, n, &counts);
        heard_sort(&whole);
        for (int round = 0; round < 20; round++) {
            buf_clear(&mixed);
            for (size_t k = 0; k < count; k++) {
                size_t at = k + next_random(&seed) % (count - k);
                struct span line = lines[at];
                lines[at] = lines[k];
                lines[k] = line;
                buf_span(&mixed, line);
                buf_char(&mixed, '\n');
            }
            decode(&h, mixed.p, mixed.n, &counts);
            heard_sort(&h);
            assert_string_equal(heard_text(&h), heard_text(&whole));
            assert_int_equal(counts.accepted, fixtures[i].accepted);
            assert_int_equal(h.client, whole.client);
        }
        free(text);
    }
    buf_finish(&mixed);
    heard_finish(&h);
    heard_finish(&whole);
}

/* Replaces the blanks before each value, and what ends a line. */
static void rewrite(struct buf *out, const char *text, size_t n, const char *before,
                    const char *between, const char *end) {
    struct cursor c = cursor_over((struct span){text, n});
    struct span line;
    buf_clear(out);
    while (cursor_line(&c, &line)) {
        struct cursor at = cursor_over(line);
        struct span key;
        cursor_field(&at, ':', &key);
        cursor_skip_blanks(&at);
        buf_text(out, before);
        buf_span(out, key);
        buf_char(out, ':');
        buf_text(out, between);
        buf_put(out, at.p, cursor_left(&at));
        buf_text(out, end);
    }
}

static void any_blanks(void **state) {
    (void)state;
    static const struct {
        const char *before;
        const char *between;
        const char *end;
    } forms[] = {{"", "", "\n"},         {"", "        ", "\n"}, {"", " \t ", "\n"},
                 {"", "\t", "\r\n"},     {"  ", "\t", "\n"},     {"\t", "\t", " \t\n"},
                 {"", "\t\t\t", " \r\n"}};
    struct heard h = {0};
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        struct counts counts;
        size_t n;
        char *original = load(&fixtures[i], &n);
        for (size_t k = 0; k < COUNT(forms); k++) {
            rewrite(&text, original, n, forms[k].before, forms[k].between, forms[k].end);
            decode(&h, text.p, text.n, &counts);
            assert_string_equal(heard_text(&h), fixtures[i].says);
        }
        free(original);
    }
    buf_finish(&text);
    heard_finish(&h);
}

/* Who a text speaks of is read the same way where nothing else is. */
static void client_of_each(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        struct fdinfo_client client;
        size_t n;
        char *text = load(&fixtures[i], &n);
        assert_true(fdinfo_client_of((struct span){text, n}, &client));
        assert_int_equal(client.has_id, fixtures[i].client != 0);
        if (client.has_id)
            assert_int_equal(client.id, fixtures[i].client);
        assert_true(client.driver.n > 0);
        assert_int_equal(client.pdev.n > 0, strstr(text, "pdev:") != NULL);
        free(text);
    }
}

static void scrubbed_tells_the_same(void **state) {
    (void)state;
    struct heard h = {0};
    struct heard whole = {0};
    struct buf out;
    buf_init(&out);
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        struct counts counts;
        size_t n;
        char *text = load(&fixtures[i], &n);
        buf_clear(&out);
        fdinfo_scrub((struct span){text, n}, &out);
        if (!strstr(text, "drm-client-name"))
            assert_int_equal(out.n, n);
        decode(&whole, text, n, &counts);
        decode(&h, out.p, out.n, &counts);
        assert_int_equal(h.samples, whole.samples);
        assert_part_of(&h, &whole);
        assert_null(strstr(heard_text(&h), "label name"));
        free(text);
    }
    buf_finish(&out);
    heard_finish(&h);
    heard_finish(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_driver),    cmocka_unit_test(every_length),
        cmocka_unit_test(any_order),      cmocka_unit_test(any_blanks),
        cmocka_unit_test(client_of_each), cmocka_unit_test(scrubbed_tells_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
