/*
 * Which terminals can be a screen, looked up without writing to one. A file of its own, since what
 * terminfo calls its names (columns, lines, struct term) leaves nobody else any. I/O.
 */
#include "type.h"

#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

enum err type_refuse(struct err_info *info, const char *what, const char *name) {
    char clean[41];
    size_t n = text_clean(clean, sizeof clean - 1, span_of(name));
    clean[n] = '\0';
    return err_set(info, ERR_UNSUPPORTED, 0, what, n ? clean : NULL);
}

static bool has_string(const char *capability) {
    const char *s = tigetstr(capability);
    return s && s != (char *)-1;
}

/* Looks the terminal up, writing nothing. */
enum err type_check(const char *name, struct err_info *info) {
    int status = 0;
    if (!name || !*name) {
        return type_refuse(info, "TERM is not set: no screen can be shown", NULL);
    }
    if (strcmp(name, "dumb") == 0 || strcmp(name, "unknown") == 0) {
        return type_refuse(info, "this terminal can show no screen: TERM", name);
    }
    if (setupterm(name, STDOUT_FILENO, &status) != OK) {
        return type_refuse(info,
                           status < 0 ? "the list of terminals (terminfo) was not found"
                                      : "this terminal is not known here: TERM",
                           name);
    }
    bool fits = has_string("cup") && (has_string("clear") || has_string("ed")) &&
                tigetflag("hc") <= 0 && tigetflag("gn") <= 0;
    del_curterm(set_curterm(NULL));
    return fits ? ERR_OK : type_refuse(info, "this terminal can show no screen: TERM", name);
}

enum err type_ask(const char *name, int *colors, struct err_info *info) {
    int status = 0;
    enum err e = type_check(name, info);
    *colors = 0;
    if (e == ERR_OK && setupterm(name, STDOUT_FILENO, &status) == OK) {
        *colors = tigetnum("colors") > 0 ? tigetnum("colors") : 0;
        del_curterm(set_curterm(NULL));
    }
    return e;
}

/* What is no sequence of xterm's writes on a line of the screen, and is let be. */
bool type_has_title(void) {
    const char *begin = tigetstr("tsl");
    return has_string("tsl") && has_string("fsl") && strncmp(begin, "\033]", 2) == 0;
}

/* An extended capability: a flag, a number of bits or a string of them. */
bool type_has_direct_color(void) {
    return tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || has_string("RGB");
}
