/* The terminal database, apart from everything else: its header takes many short names for itself. */
#include "capability.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

bool capability_of(const char *term, const char *name, char out[64]) {
    int error;
    out[0] = '\0';
    if (setupterm(term, STDERR_FILENO, &error) != OK)
        return false;
    const char *text = name ? tigetstr(name) : NULL;
    if (text && text != (const char *)-1)
        snprintf(out, 64, "%.*s", (int)strcspn(text, "$"), text);
    del_curterm(cur_term);
    return true;
}
