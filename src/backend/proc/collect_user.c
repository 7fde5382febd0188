/* Login names: by the system's own databases, or by the passwd file of another root. */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"

enum { NAMES_MAX = 1024, LOOK_UP_BYTES = 1 << 14, PASSWD_BYTES = 1 << 20 };

static void keep(struct user_name *to, struct span name) {
    to->n = (uint32_t)(name.n < sizeof(to->text) ? name.n : sizeof(to->text));
    if (to->n > 0)
        memcpy(to->text, name.p, to->n);
}

/* A database that does not answer may take its time for that: it is not asked again in each tick. */
static bool is_shortage(int sys) {
    return sys == EMFILE || sys == ENFILE || sys == ENOMEM;
}

/* Both: false where nobody can be asked for now. */
static bool ask_system(struct user_name *to) {
    char space[LOOK_UP_BYTES];
    struct passwd entry;
    struct passwd *found = NULL;
    int sys = getpwuid_r(to->uid, &entry, space, sizeof(space), &found);
    if (sys == 0 && found)
        keep(to, span_of(found->pw_name));
    return !is_shortage(sys);
}

/* "name:x:1000:..." */
static bool passwd_line(struct span line, uint32_t uid, struct span *name) {
    struct cursor c = cursor_over(line);
    struct span password;
    struct span number;
    uint64_t v;
    return cursor_field(&c, ':', name) && cursor_field(&c, ':', &password) &&
           cursor_field(&c, ':', &number) && !span_to_u64(number, &v) && v == uid;
}

static bool ask_file(struct host *h, struct user_name *to) {
    char *text = malloc(PASSWD_BYTES);
    ssize_t n = text ? host_slurp(h, h->root_fd, "etc/passwd", text, PASSWD_BYTES) : -1;
    int sys = n < 0 ? errno : 0;
    struct cursor c = cursor_over((struct span){text, n > 0 ? (size_t)n : 0});
    struct span line;
    struct span name;
    while (to->n == 0 && cursor_line(&c, &line))
        if (passwd_line(line, to->uid, &name))
            keep(to, name);
    free(text);
    return !host_may_pass(sys);
}

bool user_names_get(struct user_names *u, struct host *h, uint32_t uid, struct span *out) {
    struct user_name *at;
    bool asked;
    *out = (struct span){"", 0};
    for (uint32_t i = 0; i < u->count; i++)
        if (u->items[i].uid == uid) {
            *out = (struct span){u->items[i].text, u->items[i].n};
            return true;
        }
    if (u->count == NAMES_MAX)
        u->count = 0;
    if (vec_reserve((void **)&u->items, &u->cap, u->count + 1, sizeof(*u->items)) != ERR_OK)
        return false;
    at = &u->items[u->count];
    *at = (struct user_name){.uid = uid};
    asked = h->rooted ? ask_file(h, at) : ask_system(at);
    if (!asked)
        return false;
    u->count++;
    *out = (struct span){at->text, at->n};
    return true;
}

void user_names_finish(struct user_names *u) {
    free(u->items);
    *u = (struct user_names){0};
}
