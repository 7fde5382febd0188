/*
 * Users: the list of those who have rows, to show one alone.
 */
#ifndef GWTOP_VIEW_USERS_H
#define GWTOP_VIEW_USERS_H

#include "pane.h"

#define USERS_MOST 256
#define USER_MAX   64 /* bytes of a name that can be chosen */

struct user_name {
    char text[USER_MAX];
    uint8_t n;
};
struct users {
    struct menu menu;
    struct user_name list[USERS_MOST]; /* as they were when the list was opened, by name */
    uint32_t count;
    struct user_name shown; /* the one chosen: what ui->query.user points to */
};

#endif
