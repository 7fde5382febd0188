/* Login names: by the system's own databases, or by the passwd file of another root. */
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

static void ask_system(struct user_name *to) {
    char space[LOOK_UP_BYTES];
    struct passwd entry;
    struct passwd *found = NULL;
    if (getpwuid_r(to->uid, &entry, space, sizeof(space), &found) == 0 && found)
        keep(to, span_of(found->pw_name));
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

static void ask_file(struct host *h, struct user_name *to) {
    char *text = malloc(PASSWD_BYTES);
    ssize_t n = text ? host_slurp(h, h->root_fd, "etc/passwd", text, PASSWD_BYTES) : 0;
    struct cursor c = cursor_over((struct span){text, n > 0 ? (size_t)n : 0});
    struct span line;
    struct span name;
    while (to->n == 0 && cursor_line(&c, &line))
        if (passwd_line(line, to->uid, &name))
            keep(to, name);
    free(text);
}

struct span user_names_get(struct user_names *u, struct host *h, uint32_t uid) {
    struct user_name *at;
    for (uint32_t i = 0; i < u->count; i++)
        if (u->items[i].uid == uid)
            return (struct span){u->items[i].text, u->items[i].n};
    if (u->count == NAMES_MAX)
        u->count = 0;
    if (vec_reserve((void **)&u->items, &u->cap, u->count + 1, sizeof(*u->items)) != ERR_OK)
        return (struct span){"", 0};
    at = &u->items[u->count++];
    *at = (struct user_name){.uid = uid};
    if (h->rooted)
        ask_file(h, at);
    else
        ask_system(at);
    return (struct span){at->text, at->n};
}

void user_names_finish(struct user_names *u) {
    free(u->items);
    *u = (struct user_names){0};
}
