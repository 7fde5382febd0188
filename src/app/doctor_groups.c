/* Names of groups and users by the machine's own files, so that under another root they are its own. */
#include <stdlib.h>

#include "doctor.h"

enum { FILE_MOST = 1 << 18 };

/* "name:x:number:": the name, else the number. */
static const char *name_in(struct doctor_work *w, const char *path, unsigned number) {
    char *text = malloc(FILE_MOST);
    struct host *h = w->live.host;
    ssize_t n = text ? host_slurp(h, h->root_fd, path, text, FILE_MOST) : -1;
    struct cursor lines = cursor_over((struct span){text, n > 0 ? (size_t)n : 0});
    struct span line;
    const char *found = "";
    while (!found[0] && cursor_line(&lines, &line)) {
        struct cursor c = cursor_over(line);
        struct span name, word, id;
        uint64_t v;
        if (cursor_field(&c, ':', &name) && cursor_field(&c, ':', &word) &&
            cursor_field(&c, ':', &id) && span_to_u64(id, &v) == ERR_OK && v == number)
            found = doctor_keep(&w->texts, name);
    }
    free(text);
    return found[0] ? found : doctor_keep_format(&w->texts, "%u", number);
}

/* Under scrub a group of one's own bears one's name: of those the number. */
const char *doctor_group(struct doctor_work *w, unsigned gid) {
    if (gid >= 1000 && w->texts.scrub)
        return doctor_keep_format(&w->texts, "%u", gid);
    return gid == 0 ? "root" : name_in(w, "etc/group", gid);
}

const char *doctor_user(struct doctor_work *w, unsigned uid) {
    if (uid >= 1000 && w->texts.scrub)
        return doctor_keep_format(&w->texts, "%u", uid);
    return uid == 0 ? "root" : name_in(w, "etc/passwd", uid);
}
