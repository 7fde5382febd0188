/*
 * The table of keys.def: which key does what, and the help that follows from it. Pure.
 */
#include "actions.h"

#include <string.h>

enum { WHERE_LIVE = 1, WHERE_REPLAY = 2, WHERE_BOTH = 3 };

static const struct key_info keys[] = {
#define KEY(where, names, action, much, word, text)                                                \
    {.keys = names,                                                                                \
     .bar = word,                                                                                  \
     .doc = text,                                                                                  \
     .amount = much,                                                                               \
     .act = act_##action,                                                                          \
     .live = (WHERE_##where & WHERE_LIVE) != 0,                                                    \
     .replay = (WHERE_##where & WHERE_REPLAY) != 0},
#include "keys.def"
#undef KEY
};

/* Keys that have no sign of their own. */
static const struct {
    const char *name;
    uint32_t key;
} names[] = {
    {"Space", ' '},        {"Tab", UI_KEY_TAB},        {"Enter", UI_KEY_ENTER},
    {"Esc", UI_KEY_ESC},   {"Up", UI_KEY_UP},          {"Down", UI_KEY_DOWN},
    {"Left", UI_KEY_LEFT}, {"Right", UI_KEY_RIGHT},    {"PgUp", UI_KEY_PAGE_UP},
    {"Home", UI_KEY_HOME}, {"PgDn", UI_KEY_PAGE_DOWN}, {"End", UI_KEY_END},
};

const struct key_info *key_at(unsigned i) {
    return i < sizeof keys / sizeof keys[0] ? &keys[i] : NULL;
}

static bool works(const struct key_info *k, bool replay) {
    return replay ? k->replay : k->live;
}

bool key_is_there(const struct ui *ui, const struct key_info *k) {
    return works(k, ui->o.replay) && (k->act != act_SIGNAL || !ui->o.no_signals);
}

uint32_t key_code(struct span name) {
    uint64_t n;
    if (name.n == 0) {
        return UI_KEY_NONE;
    }
    if (name.n == 1) {
        return (unsigned char)name.p[0];
    }
    if (name.p[0] == 'F' && span_to_u64(span_skip(name, 1), &n) == ERR_OK && n >= 1 && n <= 12) {
        return UI_KEY_F1 + (uint32_t)n - 1;
    }
    if (span_starts(name, "Ctrl-") && name.n == 6) {
        return (unsigned char)name.p[5] & 0x1f;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (span_equals(name, names[i].name)) {
            return names[i].key;
        }
    }
    return 0;
}

static bool names_key(const struct key_info *k, uint32_t key) {
    struct cursor c = cursor_over(span_of(k->keys));
    struct span word;
    while (cursor_word(&c, &word)) {
        if (key_code(word) == key) {
            return true;
        }
    }
    return false;
}

const struct key_info *key_find(uint32_t key, bool replay) {
    for (unsigned i = 0; key != 0 && key_at(i); i++) {
        if (works(&keys[i], replay) && names_key(&keys[i], key)) {
            return &keys[i];
        }
    }
    return NULL;
}
