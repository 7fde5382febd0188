/* gwtop: who is using my GPU, how much of it, and what does that cost in power? */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "config.h"
#include "gwtop/source.h"
#include "print.h"
#include "setup.h"
#include "signals.h"

/* The help, or one line. */
static int print_words(const char *line) {
    struct err_info info = {0};
    struct buf b;
    buf_init(&b);
    if (line)
        buf_text(&b, line);
    else
        options_help(&b);
    enum err e = write_all(STDOUT_FILENO, &b, &info);
    buf_finish(&b);
    return e == ERR_OK || e == ERR_CLOSED ? EXIT_DONE : report(&info);
}

static enum err open_log(const char *path, struct err_info *info) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0)
        return err_set(info, err_from_sys(errno), errno, path, strerror(errno));
    log_write_fd(fd);
    return ERR_OK;
}

static bool reads_machine(const struct options *o) {
    int (*run)(const struct options *) = o->command->run;
    return !o->root && !o->given[OPT_DEMO] && run != command_replay && run != command_decode &&
           run != command_config && (run != command_report || o->operand_count == 0);
}

/* A standard stream that is closed stays as good as closed: else a file of ours takes its number, and is written
 * into. What reads or writes there gets EBADF, as before, and who opens it by its name gets no file; a command that
 * we run finds it closed. */
static void hold_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Whether the command reads the settings of the screen itself. */
static bool reads_settings(const struct options *o) {
    int (*run)(const struct options *) = o->command->run;
    bool may_show = run == command_top || run == command_replay;
    return run == command_config || run == command_doctor ||
           (may_show && !o->given[OPT_LIST] && !print_is_asked(o));
}

static int failed(const struct options *o, const struct err_info *info) {
    int status = report(info);
    /* Every status below belongs to the command that `stat` runs. */
    return o->command && o->command->run == command_stat ? EXIT_STAT : status;
}

int main(int argc, char **argv) {
    struct options o;
    struct err_info info = {0};
    hold_streams();
    rights_begin(true);
    setlocale(LC_CTYPE, ""); /* characters only: numbers are written the same everywhere */
    signals_init();
    if (options_parse(argc, argv, &o, &info) != ERR_OK)
        return failed(&o, &info);
    rights_begin(reads_machine(&o));
    if (o.given[OPT_HELP])
        return print_words(NULL);
    if (o.given[OPT_VERSION])
        return print_words("gwtop " GWTOP_VERSION "\n");
    if (o.log && open_log(o.log, &info) != ERR_OK)
        return failed(&o, &info);
    if (!reads_settings(&o) && config_check_named(&o, &info) != ERR_OK)
        return failed(&o, &info);
    return o.command->run(&o);
}
