/* What a press was on, and where the eye is. */
#ifndef GWTOP_VIEW_MOUSE_H
#define GWTOP_VIEW_MOUSE_H

#include "pane.h"

/* The press before: a second one close after counts only where it meets the same thing. */
struct pressed {
    uint32_t value;
    uint8_t kind; /* enum spot_kind */
    uint8_t mode; /* enum mode */
    bool is_set;
};

/* Of the last render. */
struct eye {
    int row;
    int column;
    bool is_there;
};

/* The eye is here: the selected line of what is open, the end of a prompt. Of several in a render the last counts. */
void eye_set(struct ui *ui, int row, int column);
void eye_clear(struct ui *ui);

#endif
