/*
 * A main for fuzz targets without a fuzzer: each file given is fed to the target as it is, cut
 * short, and with a few bytes changed. Without arguments the files are those below
 * tests/fuzz/seeds/NAME/ and those that the patterns in tests/fuzz/seeds/NAME.list match (one glob a
 * line; the word $GWTOP_CAPTURES at its start stands for that variable), NAME being the program's
 * own without `_fuzz`. Changes come from a fixed sequence, so that a failure repeats.
 *
 * Prints TAP, all files as one test. What crashes is named in the last line before.
 */
#include <ftw.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A larger file is a mistake in the list, not a seed. */
#define SEED_MAX ((size_t)4 << 20)
/* Of larger files whole copies would cost more than they find. */
#define MUTATE_MAX ((size_t)64 << 10)
#define MUTATIONS  24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static unsigned files_fed;

/* An exact copy on the heap, so that a sanitizer sees the first byte read behind the end. */
static void feed(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        exit(1);
    if (size)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void feed_mutations(uint8_t *data, size_t size) {
    static const uint8_t nasty[] = {0, 1, 0x7f, 0x80, 0xff, '\n', '-', '9', ':', 0x1b};
    uint32_t state = 2463534242u;
    for (int i = 0; i < MUTATIONS; i++) {
        size_t at = next_random(&state) % size;
        uint8_t was = data[at];
        feed(data, at);
        data[at] = nasty[next_random(&state) % sizeof nasty];
        feed(data, size);
        if (i % 2)
            data[at] = was;
    }
}

static void feed_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return;
    uint8_t *data = malloc(SEED_MAX);
    if (!data)
        exit(1);
    size_t size = fread(data, 1, SEED_MAX, f);
    fclose(f);
    printf("# %s\n", path);
    fflush(stdout);
    feed(data, size);
    if (size && size <= MUTATE_MAX)
        feed_mutations(data, size);
    free(data);
    files_fed++;
}

static int on_entry(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st;
    (void)at;
    if (type == FTW_F)
        feed_file(path);
    return 0;
}

static void feed_tree(const char *path) {
    nftw(path, on_entry, 16, FTW_PHYS);
}

static void feed_pattern(const char *pattern) {
    static const char variable[] = "$GWTOP_CAPTURES";
    char path[4096];
    const char *prefix = "";
    if (strncmp(pattern, variable, sizeof variable - 1) == 0) {
        prefix = getenv("GWTOP_CAPTURES");
        if (!prefix)
            return;
        pattern += sizeof variable - 1;
    }
    snprintf(path, sizeof path, "%s%s", prefix, pattern);
    glob_t found;
    if (glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            feed_tree(found.gl_pathv[i]);
    globfree(&found);
}

static void feed_list(const char *path) {
    FILE *f = fopen(path, "r");
    char line[4096];
    if (!f)
        return;
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] && line[0] != '#')
            feed_pattern(line);
    }
    fclose(f);
}

static void feed_plain(void) {
    uint8_t block[256];
    feed(NULL, 0);
    for (int fill = 0; fill < 256; fill += 51) {
        memset(block, fill, sizeof block);
        feed(block, sizeof block);
    }
}

int main(int argc, char **argv) {
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash ? slash + 1 : argv[0];
    const char *end = strstr(name, "_fuzz");
    int length = end ? (int)(end - name) : (int)strlen(name);
    char path[512];

    puts("1..1");
    feed_plain();
    for (int i = 1; i < argc; i++)
        feed_tree(argv[i]);
    if (argc == 1) {
        snprintf(path, sizeof path, "tests/fuzz/seeds/%.*s", length, name);
        feed_tree(path);
        snprintf(path, sizeof path, "tests/fuzz/seeds/%.*s.list", length, name);
        feed_list(path);
    }
    printf("ok 1 - %.*s: %u files\n", length, name, files_fed);
    return 0;
}
