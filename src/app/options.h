/* The command line, parsed. Strings point into argv. */
#ifndef APP_OPTIONS_H
#define APP_OPTIONS_H

#include "gwtop/base.h"
#include "gwtop/settings.h"

enum option_id {
#define OPTION(id, letter, name, argument, doc) OPT_##id,
#include "options.def"
#undef OPTION
    OPT_COUNT
};

struct option_info {
    char letter; /* 0: none */
    const char *name;
    const char *argument; /* NULL: takes none */
    const char *doc;
};
extern const struct option_info option_list[OPT_COUNT];

struct command;

#define OPERANDS_MAX 4
struct options {
    const struct command *command; /* never NULL after ERR_OK */
    const char *operands[OPERANDS_MAX];
    int operand_count;
    char *const *words; /* all operands, NULL at the end */

    bool given[OPT_COUNT];
    int64_t delay_ns;    /* 0: the mode's default */
    uint64_t repeat;     /* stat; 0: once */
    uint64_t iterations; /* 0: no end */
    const char *sort;
    const char *filter;
    const char *user;
    int32_t pid;
    const char *device;
    uint32_t top;
    const char *fields;
    const char *root;
    const char *output;
    int speed_milli; /* 1000: real time; 0: as fast as possible; -1: the mode's default */
    int64_t from_ns;
    int64_t to_ns; /* INT64_MAX: the end */
    const char *as;
    const char *pci_id; /* vvvv:dddd */
    const char *smu_fw; /* 0xN */
    const char *gpu_id; /* these four are numbers */
    const char *l2_features;
    const char *timestamp_hz;
    const char *clock_hz;
    const char *oa_format;
    const char *oa_flags;
    const char *oa_sample;
    uint64_t oa_timestamp_hz; /* 0: not given */
    const char *mali_dialect; /* these three are words that there are */
    const char *mali_soc;
    const char *mali_end;
    uint32_t assume_voltage_uv; /* 0: not given */
    const char *bundle; /* NULL: not given */
    const char *log;
    const char *listen; /* NULL: not given */
    const char *config; /* the configuration file to use */
    struct settings
        settings; /* of those that are set by options; the others are at their defaults */
    bool is_set[SETTING_COUNT];
};

/* The chips that --mali-soc knows; a test holds them against the backend's table. */
#define OPTIONS_MALI_SOCS "exynos4210|exynos4412|exynos4412-prime|u8500|meson8|rk3328"
#define OPTIONS_OA_FORMATS                                                                         \
    "A13|A29|A13_B8_C8|B4_C8|A45_B8_C8|B4_C8_A16|A12|A12_B8_C8|A32u40_A4u32_B8_C8"

/* ERR_USAGE with one sentence in info. Options may stand before or after the command. */
enum err options_parse(int argc, char **argv, struct options *out, struct err_info *info);
/* "250ms", "2s", "1.5s", or tenths of a second as a whole number; 100 ms to a day. For recordings the parser
 * takes down to 1us. */
enum err options_delay(const char *text, int64_t *out_ns);
/* "12.5", "1:30", "0:01:30" as ns; not negative. */
enum err options_time(const char *text, int64_t *out_ns);
void options_help(struct buf *out);

#endif
