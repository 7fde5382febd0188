/*
 * The process screen and that of its environment: whom they are about, and what its files said. Both speak of one
 * process by pid and start over all devices; what was asked of the app stays until another process is shown.
 */
#ifndef GWTOP_VIEW_PROCESS_H
#define GWTOP_VIEW_PROCESS_H

#include "gwtop/view.h"
#include "plot.h"

enum process_file {
    PROCESS_ENVIRONMENT, /* a line for each variable */
    PROCESS_CGROUP,      /* as it is */
    PROCESS_COMMAND,     /* one line */
    PROCESS_EXECUTABLE,
    PROCESS_DIRECTORY,
    PROCESS_FILES
};

struct process_pane {
    struct ui_target of; /* pid 0: nobody; start 0: not known */
    uint32_t device;     /* subject: the one whose plots are shown */
    char name[64];       /* as it was last known */
    size_t name_n;
    uint32_t top; /* line in sight first */
    uint32_t environment_top;
    int shift;     /* columns of the environment cut off at the left */
    bool is_asked; /* its files were asked for */
    bool is_told;  /* and there is an answer */
    struct process_text {
        struct buf text; /* clean; lines end in '\n', but for the last */
        uint32_t lines;
        uint8_t state; /* enum state */
        bool cut;
    } files[PROCESS_FILES];
    struct plot_scale scale[2]; /* of memory and power */
};

void process_finish(struct process_pane *p);
/* "48213 blender", of whom the screens are about; clears `b`. */
void process_put_title(struct ui *ui, struct buf *b);
/* Tells the app to read its files where that can be done. */
struct ui_command process_ask(struct ui *ui);
/* What of a file there is to say where it has no text; NULL where it has. */
const char *process_why_not(const struct ui *ui, enum process_file file);
/* The lines of the screen, of `count` rows from `first` on. */
struct sheet;
void process_lines(struct sheet *sh, uint32_t first, uint32_t count);
/* Those of one of them. */
void process_row(struct sheet *sh, const struct snap_process *p);
/* Plots of what it did on the device that is shown: gives the rows taken, 0 where there are too few. */
int process_plots(struct ui *ui, const struct snapshot *s, const struct snap_process *p,
                  struct grid *g, int row, int rows);

#endif
