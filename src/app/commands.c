/* The table of commands, and the ones that show ticks. */
#include "commands.h"

#include <poll.h>
#include <string.h>

#include "feed.h"
#include "fence.h"
#include "print.h"
#include "screen.h"
#include "setup.h"
#include "signals.h"

const struct command command_list[] = {
    {"", "gwtop [options]", "the screen; one snapshot as text where stdout is no terminal", 0, 0,
     command_top},
    {"record", "gwtop record -o FILE [options]",
     "record what the kernel says, to replay it elsewhere", 0, 0, command_record},
    {"replay", "gwtop replay FILE [options]", "the same screen and outputs, from a recording", 1, 1,
     command_replay},
    {"report", "gwtop report [FILE] -o OUT.html",
     "one HTML page about a recording, or about -n ticks", 0, 1, command_report},
    {"stat", "gwtop stat [options] -- COMMAND",
     "run a command; then what it and its children cost on each GPU", 1, -1, command_stat},
    {"decode", "gwtop decode KIND FILE", "one file of a driver as JSON samples; KIND is one of", 2,
     2, command_decode},
    {"serve", "gwtop serve [--listen [ADDR:]PORT] [options]",
     "answer over HTTP, as OpenMetrics, who uses which GPU", 0, 0, command_serve},
    {"config", "gwtop config print|path|check [FILE]",
     "the settings of the screen as a file, where that stands, whether it is understood", 1, 2,
     command_config},
    {"doctor", "gwtop doctor [options]",
     "what can be read here, which right is missing, and what grants it", 0, 0, command_doctor},
    {"completions", "gwtop completions bash|zsh|fish",
     "what the shell needs to complete gwtop's words", 1, 1, command_completions},
};
const unsigned command_count = sizeof command_list / sizeof *command_list;

const struct command *command_find(const char *name) {
    for (unsigned i = 0; i < command_count; i++)
        if (strcmp(command_list[i].name, name) == 0)
            return &command_list[i];
    return NULL;
}

#define OPENING_MS 1000

static unsigned fence_of_screen(const struct screen_choice *c, bool is_recording) {
    bool readonly = c->settings.number[SETTING_READONLY] != 0;
    unsigned of_user = readonly ? 0 : FENCE_FILES;
    if (is_recording)
        return of_user | FENCE_NAMED;
    if (!readonly && !c->options->root)
        of_user |= FENCE_SIGNALS;
    return of_user | (fence_of_live(c->options) & (readonly ? ~(unsigned)FENCE_KNOBS : ~0u));
}

/* The live machine; rights that are to be dropped first open what needs them. Looking through processes comes after
 * the drop: there may be thousands. */
static enum err open_machine(const struct options *o, unsigned may, struct feed **out,
                             struct err_info *info) {
    struct source_wait wait;
    int opened = -1;
    enum err e = feed_live(o, fence_drops(may) ? &opened : NULL, out, info);
    if (e != ERR_OK)
        return e;
    (*out)->ops->wait(*out, clock_mono_ns(), &wait);
    struct pollfd fds[] = {{.fd = opened, .events = POLLIN},
                           {.fd = wait.fd, .events = POLLIN},
                           {.fd = signals_fd(), .events = POLLIN}};
    if (fence_drops(may))
        (void)poll(fds, 3, OPENING_MS);
    fence_up(may);
    if (opened >= 0)
        (*out)->ops->go(*out);
    return ERR_OK;
}

/* The screen over a recording, or over the machine where that is NULL. */
static int show_screen(const struct options *o, struct source *take_trace, bool loop) {
    struct err_info info = {0};
    struct screen_choice choice;
    struct feed *feed;
    int status;
    enum err e = screen_choose(o, &choice, &info);
    unsigned may = e == ERR_OK ? fence_of_screen(&choice, take_trace != NULL) : 0;
    if (e != ERR_OK && take_trace)
        take_trace->ops->close(take_trace);
    if (e == ERR_OK && take_trace)
        e = feed_recording(o, take_trace, loop, &feed, &info);
    else if (e == ERR_OK)
        e = open_machine(o, may, &feed, &info);
    if (e == ERR_OK && take_trace)
        fence_up(may);
    status = e == ERR_OK ? screen_run(&choice, feed, take_trace != NULL) : report(&info);
    screen_choice_finish(&choice);
    return status;
}

static int show_recording(const struct options *o, struct source *take_trace, bool loop) {
    if (o->given[OPT_LIST]) {
        int status = print_devices(o, take_trace);
        take_trace->ops->close(take_trace);
        return status;
    }
    if (print_is_asked(o))
        return print_recording(o, take_trace);
    return show_screen(o, take_trace, loop);
}

static int list_live(const struct options *o) {
    struct err_info info = {0};
    struct live live;
    if (live_start(o, 1000000000, &live, &info) != ERR_OK)
        return report(&info);
    int status = print_devices(o, live.source);
    live_stop(&live);
    return status;
}

int command_top(const struct options *o) {
    struct err_info info = {0};
    struct source *trace;
    if (o->given[OPT_DEMO])
        return demo_open(&trace, &info) == ERR_OK ? show_recording(o, trace, true) : report(&info);
    if (o->given[OPT_LIST])
        return list_live(o);
    if (print_is_asked(o))
        return print_live(o);
    return show_screen(o, NULL, false);
}

int command_replay(const struct options *o) {
    struct err_info info = {0};
    struct source *trace;
    if (recording_open(o, o->operands[0], &trace, &info) != ERR_OK)
        return report(&info);
    return show_recording(o, trace, false);
}
