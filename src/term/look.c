/*
 * How roles look: themes.def as a function. Knows no terminal.
 */
#include "look.h"

/* Colours are kept one higher, so that a role without a line has the terminal's own. */
enum { OWN, BLACK = 1, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };
enum { BOLD = LOOK_BOLD, UNDERLINE = LOOK_UNDERLINE, REVERSE = LOOK_REVERSE, FAINT = LOOK_FAINT };

struct kept {
    int16_t text;
    int16_t ground;
    uint8_t attributes;
};
struct row {
    struct kept many;
    struct kept few;
};

#define UP(color) ((color) == OWN ? OWN : (color) + 1)
static const struct row rows[THEME_COUNT][ROLE_COUNT] = {
#define LOOK(theme, role, text, ground, attributes, few_text, few_ground, few_attributes)          \
    [THEME_##theme][ROLE_##role] = {{UP(text), UP(ground), attributes},                            \
                                    {few_text, few_ground, few_attributes}},
#define PLAIN(role, attributes)
#include "themes.def"
#undef LOOK
#undef PLAIN
};
#undef UP

static const uint8_t plain[ROLE_COUNT] = {
#define LOOK(...)
#define PLAIN(role, attributes) [ROLE_##role] = attributes,
#include "themes.def"
#undef LOOK
#undef PLAIN
};

struct look theme_look(unsigned theme, unsigned role, enum depth depth) {
    role = role < ROLE_COUNT ? role : ROLE_NORMAL;
    theme = theme < THEME_COUNT ? theme : THEME_DARK;
    if (depth == DEPTH_NONE || theme == THEME_MONO) {
        return (struct look){LOOK_OWN, LOOK_OWN, plain[role]};
    }
    const struct row *row = &rows[theme][role];
    const struct kept *k = depth == DEPTH_FEW ? &row->few : &row->many;
    return (struct look){(int16_t)(k->text - 1), (int16_t)(k->ground - 1), k->attributes};
}

static uint32_t grey(unsigned v) {
    return v << 16 | v << 8 | v;
}

uint32_t theme_rgb(unsigned color) {
    static const uint32_t first[] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                     0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                     0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
    static const uint32_t steps[] = {0, 95, 135, 175, 215, 255};
    if (color < 16) {
        return first[color];
    }
    if (color >= 232) {
        return grey(8 + 10 * ((color < 256 ? color : 255) - 232));
    }
    unsigned c = color - 16;
    return steps[c / 36] << 16 | steps[c / 6 % 6] << 8 | steps[c % 6];
}
