/*
 * Signals: the list to choose one from, and the question before it is sent. While one of them is open the screen
 * stands still: it shows a copy of the snapshot of the moment when the list was opened.
 */
#ifndef GWTOP_VIEW_SIGNAL_H
#define GWTOP_VIEW_SIGNAL_H

#include "pane.h"
#include "tags.h"

struct signals {
    struct menu menu;
    struct snapshot *still; /* what is shown meanwhile; NULL: what comes */
    struct ui_target
        who[TARGETS_MOST]; /* as they were when the list was opened; all of them in `still` */
    uint32_t count;
    uint32_t left_out; /* tagged, but no signal can go to them */
    int number;        /* of the signal that is asked about */
    bool unseen;       /* the question did not fit on the screen */
};

/* What keys and render go by: `s`, or what stands still. */
const struct snapshot *signals_shown(const struct ui *ui, const struct snapshot *s);
/* Lets the copy go where nothing of this is open any more. */
void signals_settle(struct ui *ui);
void signals_finish(struct ui *ui);
/* Appends "blender (48213)" of one of `who`; "PID 48213" where it has no name. */
void signals_put_who(const struct ui *ui, struct buf *b, uint32_t nth);

#endif
