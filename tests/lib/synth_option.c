/* Options of a synthetic machine, as both programs in tests/synth take them. */
#include <stdlib.h>

#include "synth.h"

bool synth_option(struct synth_options *o, int letter, const char *value) {
    switch (letter) {
    case 'g':
        o->gpus = value;
        return true;
    case 'n':
        o->clients = (unsigned)strtoul(value, NULL, 10);
        return true;
    case 'p':
        o->processes = (unsigned)strtoul(value, NULL, 10);
        return true;
    case 'f':
        o->fds = (unsigned)strtoul(value, NULL, 10);
        return true;
    case 's':
        o->seed = strtoull(value, NULL, 10);
        return true;
    case 'e':
        return o->events = true;
    case 'H':
        return o->hostile = true;
    case 'D':
        return o->demo = true;
    default:
        return false;
    }
}
