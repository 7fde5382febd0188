/* Rules of the fdinfo text, one by one, and inputs that no kernel writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/fdinfo/fdinfo.h"
#include "heard.h"

static const struct subject holder = {.id = 77,
                                      .device = 3,
                                      .backend = 1,
                                      .type = SUBJECT_HOLDER,
                                      .pid = 4242,
                                      .name = "",
                                      .facts = ""};

static struct heard heard;
static struct counts counts;

static void decode_bytes(const char *text, size_t n) {
    char *copy = malloc(n ? n : 1);
    struct sink sink = heard_sink(&heard);
    assert_non_null(copy);
    if (n > 0)
        memcpy(copy, text, n);
    struct frame f = {.t_ns = 5, .bytes = copy, .size = n, .subject = 77, .kind = FDINFO_FDINFO};
    heard_clear(&heard);
    counts = (struct counts){0};
    fdinfo_decode(&holder, &f, &sink, &counts);
    free(copy);
}

static void expect(const char *text, const char *says) {
    decode_bytes(text, strlen(text));
    assert_string_equal(heard_text(&heard), says);
}

static void expect_counts(uint64_t accepted, uint64_t ignored, uint64_t malformed,
                          uint64_t truncated) {
    assert_int_equal(counts.accepted, accepted);
    assert_int_equal(counts.ignored, ignored);
    assert_int_equal(counts.malformed, malformed);
    assert_int_equal(counts.truncated, truncated);
    assert_counts(&counts, accepted + ignored + malformed + truncated);
}

/* One line of a client of driver x, and what it gives. */
static void expect_line(const char *line, const char *says, enum reason why) {
    struct buf text;
    buf_init(&text);
    buf_text(&text, "drm-driver:\tx\ndrm-client-id:\t1\ndrm-engine-known:\t9 ns\n");
    buf_text(&text, line);
    buf_char(&text, '\n');
    decode_bytes(text.p, text.n);
    buf_clear(&text);
    buf_text(&text, "label driver x\nengine.time known:other 9\n");
    buf_text(&text, says);
    buf_char(&text, '\0');
    assert_string_equal(heard_text(&heard), text.p);
    buf_finish(&text);
    if (why == REASON_COUNT)
        expect_counts(4, 0, 0, 0);
    else
        assert_int_equal(counts.reasons[why], 1);
    assert_counts(&counts, 4);
}

static void numbers_and_units(void **state) {
    (void)state;
    static const struct {
        const char *line;
        const char *says;
        enum reason why;
    } cases[] = {
        {"drm-engine-e:\t0 ns", "engine.time e:other 0\n", REASON_COUNT},
        {"drm-engine-e:\t9223372036854775807 ns", "engine.time e:other 9223372036854775807\n",
         REASON_COUNT},
        {"drm-engine-e:\t00000000000000000042 ns", "engine.time e:other 42\n", REASON_COUNT},
        {"drm-engine-e:\t9223372036854775808 ns", "engine.time e:other malformed\n",
         REASON_OUT_OF_RANGE},
        {"drm-engine-e:\t18446744073709551616 ns", "engine.time e:other malformed\n",
         REASON_OUT_OF_RANGE},
        {"drm-engine-e:\t-1 ns", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\t+1 ns", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\t0x10 ns", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\t1.5 ns", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\t1e9 ns", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\tns", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\t", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\t5", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\t5 us", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\t5 ns ns", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-engine-e:\t5 6 ns", "engine.time e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-cycles-e:\t12", "engine.cycles e:other 12\n", REASON_COUNT},
        {"drm-cycles-e:\t12 ns", "engine.cycles e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-total-cycles-e:\t12", "engine.cycles.total e:other 12\n", REASON_COUNT},
        {"drm-engine-capacity-e:\t3", "engine.capacity e:other 3\n", REASON_COUNT},
        {"drm-engine-capacity-e:\t0", "engine.capacity e:other malformed\n", REASON_OUT_OF_RANGE},
        {"drm-maxfreq-e:\t800", "engine.maxfreq e:other 800\n", REASON_COUNT},
        {"drm-maxfreq-e:\t800 Hz", "engine.maxfreq e:other 800\n", REASON_COUNT},
        {"drm-maxfreq-e:\t800 KHz", "engine.maxfreq e:other 800000\n", REASON_COUNT},
        {"drm-curfreq-e:\t800 MHz", "engine.curfreq e:other 800000000\n", REASON_COUNT},
        {"drm-curfreq-e:\t800 KiB", "engine.curfreq e:other malformed\n", REASON_BAD_NUMBER},
        {"drm-total-vram:\t5", "memory.total vram:vram 5\nmemory.resident vram:vram unsupported\n",
         REASON_COUNT},
        {"drm-shared-vram:\t5 KiB", "memory.shared vram:vram 5120\n", REASON_COUNT},
        {"drm-active-vram:\t5 MiB", "memory.active vram:vram 5242880\n", REASON_COUNT},
        {"drm-resident-vram:\t5 GiB", "memory.resident vram:vram 5368709120\n", REASON_COUNT},
        {"drm-memory-vram:\t5 kB", "memory.legacy vram:vram 5120\n", REASON_COUNT},
        {"drm-memory-vram:\t5 TiB", "memory.legacy vram:vram malformed\n", REASON_BAD_NUMBER},
        {"drm-memory-vram:\t5 kib", "memory.legacy vram:vram malformed\n", REASON_BAD_NUMBER},
        {"drm-memory-vram:\t9007199254740992 KiB", "memory.legacy vram:vram malformed\n",
         REASON_OUT_OF_RANGE},
        {"drm-memory-vram:\t9007199254740991 KiB", "memory.legacy vram:vram 9223372036854774784\n",
         REASON_COUNT},
        {"drm-purgeable-vram:\t0", "memory.purgeable vram:vram 0\n", REASON_COUNT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_line(cases[i].line, cases[i].says, cases[i].why);
}

static void keys(void **state) {
    (void)state;
    static const struct {
        const char *line;
        const char *says;
        enum reason why;
    } cases[] = {
        /* The longer key is meant. */
        {"drm-total-cycles-rcs:\t7", "engine.cycles.total rcs:graphics 7\n", REASON_COUNT},
        {"drm-total-memory:\t0", "memory.total memory:system 0\n", REASON_COUNT},
        {"drm-memory-memory:\t7", "memory.legacy memory:system 7\n", REASON_COUNT},
        {"drm-engine-enc_1:\t7 ns", "engine.time enc_1:encode 7\n", REASON_COUNT},
        {"drm-engine-encoder:\t7 ns", "engine.time encoder:other 7\n", REASON_COUNT},
        /* A region of its own, and no other. */
        {"drm-internal-memory:\t7", "memory.resident internal:other 7\n", REASON_COUNT},
        {"drm-internal-memory2:\t7", "", REASON_OTHER_KEY},
        {"drm-engine-:\t7 ns", "", REASON_BAD_NAME},
        {"drm-total-:\t7", "", REASON_BAD_NAME},
        {"drm-engine-a b:\t7 ns", "", REASON_BAD_NAME},
        {"drm-engine-a\tb:\t7 ns", "", REASON_BAD_NAME},
        {"drm-engine-\x1b[2J:\t7 ns", "", REASON_BAD_NAME},
        {"drm-engine-\xff:\t7 ns", "", REASON_BAD_NAME},
        {"drm-engine-\xe2\x80\xae:\t7 ns", "", REASON_BAD_NAME},
        {"drm-engine-0123456789012345678901234567890123456789012345678901234567890123:\t7 ns",
         "engine.time 0123456789012345678901234567890123456789012345678901234567890123:other 7\n",
         REASON_COUNT},
        {"drm-engine-01234567890123456789012345678901234567890123456789012345678901234:\t7 ns", "",
         REASON_BAD_NAME},
        {"drm-:\t7", "", REASON_OTHER_KEY},
        {"drm-future-gfx:\t7", "", REASON_OTHER_KEY},
        {"DRM-engine-gfx:\t7 ns", "", REASON_VENDOR_KEY},
        {"amd-evicted-vram:\t7 KiB", "", REASON_VENDOR_KEY},
        {"v3d-jobs-bin:\t7 jobs", "", REASON_VENDOR_KEY},
        {"pasid:\t32771", "", REASON_VENDOR_KEY},
        {"lock:\t1: FLOCK  ADVISORY  WRITE 359 00:13:11691 0 EOF", "", REASON_OTHER_KEY},
        {"pos:\t0", "", REASON_OTHER_KEY},
        {"gfx0:\t5.37%", "", REASON_OTHER_KEY},
        {"vram mem:\t5 kB", "", REASON_OTHER_KEY},
        {"no colon here", "", REASON_NO_COLON},
        {": 5", "", REASON_NO_COLON},
        {"", "", REASON_NO_COLON},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_line(cases[i].line, cases[i].says, cases[i].why);
}

static void identity(void **state) {
    (void)state;
    expect("drm-driver:\tx\ndrm-client-id:\t18446744073709551615\ndrm-engine-e:\t1 ns\n",
           "label driver x\nengine.time e:other 1\n");
    assert_true(heard.client == UINT64_MAX);
    assert_int_equal(heard.space, SPACE_DRM);

    expect("drm-driver:\tx\ndrm-client-id:\t18446744073709551616\ndrm-engine-e:\t1 ns\n",
           "label driver x\nengine.time e:other 1\n");
    assert_int_equal(heard.client, 77);
    assert_int_equal(heard.space, SPACE_HOLDER);
    expect_counts(2, 0, 1, 0);

    /* The same again is nothing new; another one is a fault, and the first stands. */
    expect("drm-driver:\tx\ndrm-driver:\tx\ndrm-client-id:\t1\ndrm-client-id:\t1\n"
           "drm-client-id:\t2\ndrm-driver:\ty\ndrm-engine-e:\t1 ns\n",
           "label driver x\nengine.time e:other 1\n");
    assert_int_equal(heard.client, 1);
    expect_counts(5, 0, 2, 0);
    assert_int_equal(counts.reasons[REASON_BAD_TEXT], 2);

    expect("drm-pdev:\t0000:03:00.0\ndrm-pdev:\t0000:04:00.0\ndrm-driver:\tx\n"
           "drm-client-name:\t a  game \x1b[1m\xff! \ndrm-engine-e:\t1 ns\n",
           "label driver x\nlabel pci 0000:03:00.0\nlabel name a  game ?[1m?!\n"
           "engine.time e:other 1\n");
}

static void samples_bear_their_owner(void **state) {
    (void)state;
    heard.raw = true;
    expect("drm-driver:\tx\ndrm-engine-e:\t7 ns\ndrm-memory-vram:\t3 KiB\ndrm-maxfreq-e:\t2 MHz\n",
           "label driver x\nengine.time e:other 7 7\nengine.maxfreq e:other 2000000 2\n"
           "memory.legacy vram:vram 3072 3\n");
    heard.raw = false;
}

static void duplicates(void **state) {
    (void)state;
    /* Two units of the driver behind one name: counters add up. */
    expect("drm-driver:\tamdgpu\ndrm-engine-dec:\t5 ns\ndrm-engine-gfx:\t1 ns\n"
           "drm-engine-dec:\t7 ns\ndrm-memory-vram:\t0\ndrm-cycles-dec:\t1\ndrm-cycles-dec:\t2\n",
           "label driver amdgpu\nengine.time dec:decode 12\nengine.cycles dec:decode 3\n"
           "engine.time gfx:graphics 1\nmemory.legacy vram:vram 0\n");
    expect_counts(7, 0, 0, 0);
    /* What is no counter does not. */
    expect("drm-driver:\tx\ndrm-engine-e:\t1 ns\ndrm-total-cycles-e:\t10\ndrm-total-cycles-e:\t9\n"
           "drm-engine-capacity-e:\t2\ndrm-engine-capacity-e:\t2\ndrm-resident-vram:\t4 KiB\n"
           "drm-resident-vram:\t4 KiB\n",
           "label driver x\nengine.time e:other 1\nengine.cycles.total e:other 10\n"
           "engine.capacity e:other 2\nmemory.resident vram:vram 4096\n");
    /* A part that is not known makes the sum unknown, whichever comes first. */
    expect("drm-driver:\tx\ndrm-engine-e:\t1 ns\ndrm-engine-e:\t-1 ns\ndrm-engine-e:\t1 ns\n",
           "label driver x\nengine.time e:other malformed\n");
    expect_counts(3, 0, 1, 0);
    expect("drm-driver:\tx\ndrm-engine-e:\t-1 ns\ndrm-engine-e:\t1 ns\n",
           "label driver x\nengine.time e:other malformed\n");
    expect("drm-driver:\tx\ndrm-engine-e:\t9223372036854775807 ns\ndrm-engine-e:\t1 ns\n",
           "label driver x\nengine.time e:other malformed\n");
    assert_int_equal(counts.reasons[REASON_OUT_OF_RANGE], 1);
}

static void absence(void **state) {
    (void)state;
    expect("drm-driver:\tx\n", "label driver x\nengine.time unsupported\n");
    /* amdgpu prints memory always: a text without it was interrupted. */
    expect("drm-driver:\tamdgpu\n", "label driver amdgpu\nengine.time unknown\n");
    expect("drm-driver:\tamdgpu\ndrm-memory-vram:\t0 KiB\n",
           "label driver amdgpu\nengine.time unsupported\nmemory.legacy vram:vram 0\n");
    /* Only a total that is there and not 0 makes a missing resident worth a word. */
    expect("drm-driver:\tx\ndrm-engine-e:\t1 ns\ndrm-total-a:\t0\ndrm-total-b:\t1\n"
           "drm-total-vram:\t1\ndrm-memory-vram:\t1\ndrm-total-c:\t-1\ndrm-shared-d:\t1\n",
           "label driver x\nengine.time e:other 1\nmemory.total a:other 0\nmemory.total b:other 1\n"
           "memory.resident b:other unsupported\nmemory.total vram:vram 1\nmemory.legacy vram:vram "
           "1\nmemory.total c:other malformed\nmemory.shared d:other 1\n");
    /* What was cut off may have said it. */
    expect("drm-driver:\tx\ndrm-total-b:\t1\ndrm-resid",
           "label driver x\nmemory.total b:other 1\n");
    expect_counts(2, 0, 0, 1);
    /* A counter that cannot be read is a counter all the same. */
    expect("drm-driver:\tx\ndrm-engine-e:\tnever\n",
           "label driver x\nengine.time e:other malformed\n");
}

static void not_a_client(void **state) {
    (void)state;
    expect("", "");
    expect_counts(0, 0, 0, 0);
    expect("pos:\t0\nflags:\t02\nexp_name:\tdrm\n", "");
    expect_counts(0, 3, 0, 0);
    assert_int_equal(counts.reasons[REASON_NOT_DRM], 3);
    expect("drm-engine-gfx:\t5 ns\ndrm-client-id:\t4\ndrm-engine-gfx:\tbad\nhalf a li", "");
    expect_counts(0, 4, 0, 0);
    expect("drm-driver:\n", "");
    expect_counts(0, 1, 0, 0);
    expect("drm-driver: amdgpu", "");
    expect_counts(0, 1, 0, 0);
    expect("pdev:\t0000:03:00.0\npasid:\t1\n", "");
    expect_counts(0, 2, 0, 0);
    expect("vram mem:\t5 kB\ngfx0:\t1.0%\n", "");
    expect_counts(0, 2, 0, 0);

    struct fdinfo_client client;
    assert_false(fdinfo_client_of(span_of("pos:\t0\n"), &client));
    assert_false(fdinfo_client_of(span_of("drm-driver: amdgpu"), &client));
    assert_false(fdinfo_client_of((struct span){"", 0}, &client));
}

/* The driver prints hundredths without padding. */
static void percent_form(void **state) {
    (void)state;
    static const struct {
        const char *value;
        const char *says;
    } cases[] = {
        {"0.0%", "0"},
        {"5.3%", "50300"},
        {"5.03%", "50300"},
        {"5.30%", "53000"},
        {"99.99%", "999900"},
        {"100.0%", "1000000"},
        {"140.5%", "1000000 clamped"},
        {"5%", "malformed"},
        {"5.%", "malformed"},
        {".5%", "malformed"},
        {"5.123%", "malformed"},
        {"5.3", "malformed"},
        {"5.3%%", "malformed"},
        {"-5.3%", "malformed"},
        {"", "malformed"},
        {"%", "malformed"},
        {"12345678901.0%", "malformed"},
    };
    struct buf text;
    buf_init(&text);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        buf_clear(&text);
        buf_text(&text, "pdev:\t0000:03:00.0\nvram mem:\t1 kB\ngfx0:\t");
        buf_text(&text, cases[i].value);
        buf_text(&text, "\n");
        decode_bytes(text.p, text.n);
        buf_clear(&text);
        buf_text(&text,
                 "label driver amdgpu\nlabel pci 0000:03:00.0\nengine.busy gfx[0]:graphics ");
        buf_text(&text, cases[i].says);
        buf_text(&text, "\nmemory.legacy vram:vram 1024\n");
        buf_char(&text, '\0');
        assert_string_equal(heard_text(&heard), text.p);
        assert_counts(&counts, 3);
    }
    buf_finish(&text);
    /* Rings are engines of their own; a name that is no engine is no number. */
    expect("vram mem:\t1 kB\npdev:\t0000:03:00.0\ncompute0:\t1.0%\ncompute1:\t2.0%\n"
           "compute65535:\t3.0%\nenc0:\t4.0%\nenc_10:\t5.0%\nxyz0:\t6.0%\ngfx:\t7.0%\n",
           "label driver amdgpu\nlabel pci 0000:03:00.0\nengine.busy compute[0]:compute 10000\n"
           "engine.busy compute[1]:compute 20000\nengine.busy enc[0]:encode 40000\n"
           "engine.busy enc_1[0]:encode 50000\nmemory.legacy vram:vram 1024\n");
    expect_counts(6, 3, 0, 0);
    /* No ring was busy so far, or the driver cannot tell. */
    expect("pdev:\t0000:03:00.0\nvram mem:\t1 kB\n",
           "label driver amdgpu\nlabel pci 0000:03:00.0\nengine.time unsupported\n"
           "memory.legacy vram:vram 1024\n");
}

/* ---- what no kernel writes --------------------------------------------------------------------- */

static void too_many(void **state) {
    (void)state;
    struct buf text;
    buf_init(&text);
    buf_text(&text, "drm-driver:\tx\n");
    for (unsigned i = 0; i < 100000; i++) {
        buf_text(&text, "drm-engine-e");
        buf_u64(&text, i);
        buf_text(&text, ":\t1 ns\ndrm-total-r");
        buf_u64(&text, i);
        buf_text(&text, ":\t0\n");
    }
    decode_bytes(text.p, text.n);
    assert_int_equal(heard.samples, FDINFO_ENGINES + FDINFO_REGIONS);
    expect_counts(1 + FDINFO_ENGINES + FDINFO_REGIONS, 0, 200000 - FDINFO_ENGINES - FDINFO_REGIONS,
                  0);
    assert_int_equal(counts.reasons[REASON_TOO_MANY], counts.malformed);
    assert_true(heard_line(&heard, "engine.time e63:other 1"));
    assert_false(heard_line(&heard, "engine.time e64:other 1"));
    buf_finish(&text);
}

static void long_lines(void **state) {
    (void)state;
    struct buf text;
    buf_init(&text);
    buf_text(&text, "drm-driver:\tx\ndrm-engine-");
    buf_fill(&text, 'e', 1000000);
    buf_text(&text, ":\t1 ns\ndrm-engine-n:\t");
    buf_fill(&text, '0', 1000000);
    buf_text(&text, "1 ns\ndrm-engine-m:\t");
    buf_fill(&text, '9', 1000000);
    buf_text(&text, " ns\ndrm-client-name:\t");
    buf_fill(&text, 'N', 1000000);
    buf_char(&text, '\n');
    buf_fill(&text, 'x', 1000000);
    buf_char(&text, '\n');
    buf_fill(&text, ' ', 1000000);
    buf_text(&text, "drm-engine-k:");
    buf_fill(&text, '\t', 1000000);
    buf_text(&text, "4 ns\n");
    decode_bytes(text.p, text.n);
    assert_int_equal(heard.labels, 2);
    assert_true(heard_line(&heard, "engine.time n:other 1"));
    assert_true(heard_line(&heard, "engine.time m:other malformed"));
    assert_true(heard_line(&heard, "engine.time k:other 4"));
    expect_counts(4, 1, 2, 0);
    buf_finish(&text);
}

static void bytes_of_any_kind(void **state) {
    (void)state;
    static const char zeros[] =
        "drm-driver:\tx\n\0\0\0\ndrm-engine-\0e:\t1 ns\ndrm-engine-g:\t1\0 ns\n"
        "drm-engine-h:\t2 ns\n";
    decode_bytes(zeros, sizeof(zeros) - 1);
    assert_string_equal(heard_text(&heard), "label driver x\nengine.time g:other malformed\n"
                                            "engine.time h:other 2\n");
    assert_counts(&counts, 5);

    /* Any change of one byte of a good text. */
    static const char good[] = "drm-driver:\tamdgpu\ndrm-client-id:\t7\ndrm-pdev:\t0000:03:00.0\n"
                               "drm-total-vram:\t12 KiB\ndrm-engine-gfx:\t345 ns\n";
    char text[sizeof(good)];
    for (size_t at = 0; at < sizeof(good) - 1; at++)
        for (unsigned byte = 0; byte < 256; byte++) {
            uint64_t lines = 0;
            memcpy(text, good, sizeof(good));
            text[at] = (char)byte;
            for (size_t i = 0; i < sizeof(good) - 1; i++)
                lines += text[i] == '\n' || i == sizeof(good) - 2;
            decode_bytes(text, sizeof(good) - 1);
            assert_counts(&counts, lines);
        }
}

static void without_listeners(void **state) {
    (void)state;
    static const char text[] = "drm-driver:\tx\ndrm-engine-e:\t1 ns\n";
    struct frame f = {.bytes = text, .size = sizeof(text) - 1};
    struct sink none = {0};
    counts = (struct counts){0};
    fdinfo_decode(&holder, &f, &none, &counts);
    expect_counts(2, 0, 0, 0);
    f = (struct frame){.bytes = NULL};
    fdinfo_decode(&holder, &f, &none, &counts);
    expect_counts(2, 0, 0, 0);
}

static void scrub(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *left;
    } cases[] = {
        {"", ""},
        {"drm-driver:\tx\ndrm-client-name:\tsecret\ndrm-client-id:\t1\n",
         "drm-driver:\tx\ndrm-client-id:\t1\n"},
        {"drm-client-name:\tsecret", ""},
        {" drm-client-name :secret\r\nodd line\n\nend", "odd line\n\nend"},
    };
    struct buf out;
    buf_init(&out);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        buf_clear(&out);
        fdinfo_scrub(span_of(cases[i].text), &out);
        buf_char(&out, '\0');
        assert_string_equal(out.p, cases[i].left);
    }
    buf_finish(&out);
}

static int finish(void **state) {
    (void)state;
    heard_finish(&heard);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_units),
        cmocka_unit_test(keys),
        cmocka_unit_test(identity),
        cmocka_unit_test(samples_bear_their_owner),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(absence),
        cmocka_unit_test(not_a_client),
        cmocka_unit_test(percent_form),
        cmocka_unit_test(too_many),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(bytes_of_any_kind),
        cmocka_unit_test(without_listeners),
        cmocka_unit_test(scrub),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
