/*
 * How far a misspelt word is from one that there is. Pure.
 */
#include "gwtop/base.h"

#include <string.h>

#define LONGEST 32 /* letters that count of either word */

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

unsigned text_distance(struct span s, const char *key) {
    unsigned line[LONGEST + 1];
    unsigned n = least((unsigned)strlen(key), LONGEST);
    for (unsigned i = 0; i <= n; i++) {
        line[i] = i;
    }
    for (unsigned j = 0; j < s.n && j < LONGEST; j++) {
        unsigned corner = line[0];
        line[0] = j + 1;
        for (unsigned i = 1; i <= n; i++) {
            unsigned change = corner + (char_lower(s.p[j]) != char_lower(key[i - 1]));
            corner = line[i];
            line[i] = least(change, least(line[i], line[i - 1]) + 1);
        }
    }
    return line[n];
}
