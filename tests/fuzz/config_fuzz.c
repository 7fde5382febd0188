/*
 * Any bytes as a configuration file, and any bytes as one setting. What is taken is valid and written so that it is read
 * the same again; a file that is edited says exactly what it is told to, whatever was in it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/config_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *promise) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", promise);
        abort();
    }
}

static bool is_same(const struct settings *a, const struct settings *b) {
    for (unsigned i = 0; i < SETTING_COUNT; i++)
        if (!settings_same(a, b, (enum setting)i))
            return false;
    return true;
}

static void parse(struct span text, struct settings *s, struct buf *warnings) {
    struct config_places places;
    settings_init(s);
    config_parse(text, "f", s, warnings, &places);
}

static void check_values(const struct settings *s) {
    for (unsigned i = 0; i < SETTING_COUNT; i++) {
        struct settings again;
        struct buf b = {0};
        settings_init(&again);
        settings_put(s, (enum setting)i, &b);
        struct span key = span_of(setting_info((enum setting)i)->key);
        check(settings_set(&again, key, buf_span_of(&b), NULL) == ERR_OK, "a value is taken again");
        check(settings_same(s, &again, (enum setting)i), "and means the same");
        buf_finish(&b);
    }
}

/* The same file with other settings, and back. */
static void check_edit(struct span text, const struct settings *wanted) {
    struct settings now;
    struct buf b = {0}, warnings = {0};
    config_edit(text, wanted, &b);
    parse(buf_span_of(&b), &now, &warnings);
    check(is_same(wanted, &now), "an edited file says what it is told to");
    buf_finish(&b);
    buf_finish(&warnings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct span text = {(const char *)data, size};
    struct settings said, other;
    struct buf warnings = {0};
    parse(text, &said, &warnings);
    for (size_t i = 0; i < warnings.n; i++)
        check(warnings.p[i] == '\n' || (unsigned char)warnings.p[i] >= ' ', "warnings are clean");
    check_values(&said);
    check_edit(text, &said);
    other = said;
    for (unsigned i = 0; i < SETTING_COUNT; i++)
        if ((size >> (i % 8) & 1) != 0)
            settings_step(&other, (enum setting)i, 1);
    (void)settings_set(&other, span_of("filter"), text, NULL);
    (void)settings_set(&other, span_of("sort"), span_of("-vram"), NULL);
    check_edit(text, &other);
    buf_finish(&warnings);
    return 0;
}
