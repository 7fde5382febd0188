/* An option that is for devices of some drivers says so where there is none of them, else its user waits for
 * what never comes. */
#include "inapt.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_UP_BYTES = 1 << 14, LINE_BYTES = 1 << 12 };

static const struct {
    enum option_id option;
    const char *drivers; /* with commas between */
    const char *words;
} rows[] = {
    {OPT_MALI_PROFILING, "mali", "no Mali-400 or 450 here, or none that shows without root"},
    {OPT_TRACEFS, "mali,lima", "no Mali-400 or 450 here, or none that shows without root"},
    {OPT_COUNTERS, "i915,panthor", "no device here whose counters gwtop reads (i915, panthor)"},
    {OPT_SET_PROFILING, "panthor,panfrost", "no device of panthor or panfrost here"},
};

static bool is_same(struct span a, struct span b) {
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static bool is_here(const struct snapshot *s, const char *drivers) {
    struct cursor c = cursor_over(span_of(drivers));
    struct span driver;
    while (cursor_field(&c, ',', &driver))
        for (uint32_t i = 0; i < s->device_count; i++)
            if (is_same(snapshot_text(s, s->devices[i].driver), driver))
                return true;
    return false;
}

/* "name:x:1000:..." */
static bool has_line_of(FILE *passwd, struct span name) {
    char line[LINE_BYTES];
    bool found = false;
    while (!found && fgets(line, sizeof line, passwd))
        found = span_starts(span_of(line), name.p) && line[name.n] == ':';
    return found;
}

/* By the system's own databases, or by the passwd file of another root; also where nobody can be asked. */
static bool is_user_known(const struct options *o) {
    if (!o->root) {
        char space[LOOK_UP_BYTES];
        struct passwd entry;
        struct passwd *found = NULL;
        int sys = getpwnam_r(o->user, &entry, space, sizeof space, &found);
        return found || (sys != 0 && sys != ENOENT);
    }
    size_t n = strlen(o->root) + sizeof "/etc/passwd";
    char *path = malloc(n);
    if (!path)
        return true;
    snprintf(path, n, "%s/etc/passwd", o->root);
    FILE *passwd = fopen(path, "re");
    bool is_known = passwd && has_line_of(passwd, span_of(o->user));
    if (passwd)
        fclose(passwd);
    free(path);
    return is_known;
}

bool inapt_is_user(const struct options *o, const struct snapshot *s) {
    uint64_t number;
    if (!o->user || span_to_u64(span_of(o->user), &number) == ERR_OK)
        return true;
    for (uint32_t i = 0; s && i < s->process_count; i++)
        if (is_same(snapshot_text(s, s->processes[i].user), span_of(o->user)))
            return true;
    return false;
}

void inapt_say_user(const struct options *o) {
    char name[64];
    name[text_clean(name, sizeof name - 1, span_of(o->user))] = '\0';
    fprintf(stderr, "gwtop: -u %s: nobody of that name is known here\n", name);
}

void inapt_say(const struct options *o, const struct snapshot *s) {
    if (!inapt_is_user(o, s) && !is_user_known(o))
        inapt_say_user(o);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (o->given[rows[i].option] && !is_here(s, rows[i].drivers))
            fprintf(stderr, "gwtop: --%s: %s\n", option_list[rows[i].option].name, rows[i].words);
}
