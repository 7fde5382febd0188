/* What the thread of look.c reads, in the thread itself. */
#ifndef GWTOP_APP_LOOK_READ_H
#define GWTOP_APP_LOOK_READ_H

#include "gwtop/view.h"

enum { LOOK_ENVIRONMENT, LOOK_CGROUP, LOOK_COMMAND, LOOK_EXECUTABLE, LOOK_DIRECTORY, LOOK_FILES };

/* Of a file at most so many bytes. */
#define LOOK_BYTES ((size_t)256 << 10)

struct look_answer {
    struct ui_target of;
    struct look_file {
        struct buf text;
        uint8_t state; /* enum state */
        bool cut;
    } files[LOOK_FILES];
};

/* A folder to begin at, or -1 with errno. */
int look_open_root(const char *root);
/* Fills in what the files of `a->of` say. No link is followed below the root. */
void look_read(int root_fd, struct look_answer *a);
void look_answer_show(const struct look_answer *a, struct ui_files *out);
void look_answer_finish(struct look_answer *a);
/* Rights that the program's file gave, and not its user, are no more this thread's. */
void look_lower_rights(void);

#endif
