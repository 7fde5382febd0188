/* `gwtop config`: the settings as a file, where that stands, and whether all in it is understood. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "config.h"
#include "setup.h"

struct work {
    struct config_paths paths;
    struct settings settings;
    struct buf warnings;
    struct buf out;
};

static int print(struct work *w) {
    config_warn(&w->warnings);
    settings_put_file(&w->settings, &w->out);
    return EXIT_DONE;
}

/* "  (not there yet)" */
static const char *state_of(const char *path) {
    struct stat st;
    if (stat(path, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR ? "  (not there yet)"
                                                   : "  (cannot be looked at)";
    return !S_ISREG(st.st_mode)      ? "  (not a file)"
           : access(path, R_OK) != 0 ? "  (cannot be read)"
                                     : "";
}

static void put_path(struct buf *out, const char *label, const char *path, const char *none) {
    char clean[CONFIG_PATH_MAX];
    clean[text_clean(clean, sizeof clean - 1, span_of(path))] = '\0';
    buf_text(out, label);
    buf_text(out, path[0] ? clean : none);
    buf_text(out, path[0] ? state_of(path) : "");
    buf_char(out, '\n');
}

static int print_paths(struct work *w) {
    bool is_kept = w->settings.number[SETTING_READONLY] != 0;
    put_path(&w->out, "read  ", w->paths.read, "nothing: all at its default");
    put_path(&w->out, "save  ", is_kept ? "" : w->paths.save,
             is_kept ? "nowhere: read-only" : "nowhere: no HOME");
    return EXIT_DONE;
}

static int check(struct work *w) {
    if (w->warnings.n > 0) {
        config_warn(&w->warnings);
        return EXIT_FAILED;
    }
    if (w->paths.read[0]) {
        put_path(&w->out, "", w->paths.read, "");
        w->out.n--;
        buf_text(&w->out, ": fine\n");
    } else {
        buf_text(&w->out, "no configuration file: all is at its default\n");
    }
    return EXIT_DONE;
}

static const struct {
    const char *word;
    int (*run)(struct work *w);
} words[] = {{"print", print}, {"path", print_paths}, {"check", check}};

static enum err load(const struct options *o, struct work *w, struct err_info *info) {
    struct options with = *o;
    with.config = o->operand_count > 1 ? o->operands[1] : o->config;
    enum err e = config_find(&with, &w->paths, info);
    /* Where it would be is told also of one that is not there. */
    if (e == ERR_OK && strcmp(o->operands[0], "path") == 0)
        with.config = NULL;
    return e == ERR_OK ? config_load(&with, &w->paths, &w->settings, &w->warnings, info) : e;
}

static int run(const struct options *o, int (*one)(struct work *w)) {
    struct err_info info = {0};
    struct work w = {0};
    enum err e = load(o, &w, &info);
    int status = e == ERR_OK ? one(&w) : EXIT_FAILED;
    if (e == ERR_OK)
        e = write_all(STDOUT_FILENO, &w.out, &info);
    buf_finish(&w.warnings);
    buf_finish(&w.out);
    return e == ERR_OK || e == ERR_CLOSED ? status : report(&info);
}

int command_config(const struct options *o) {
    struct err_info info = {0};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(words[i].word, o->operands[0]) == 0)
            return run(o, words[i].run);
    err_set(&info, ERR_USAGE, 0, "config takes print, path or check; not", o->operands[0]);
    return report(&info);
}
