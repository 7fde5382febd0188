/*
 * What a terminal shows after the bytes that were sent to it: as much of one as the terminals of our tests
 * (vt100, ansi, linux, xterm and what follows it) have in common. Colours are left out.
 */
#ifndef TEST_VT_H
#define TEST_VT_H

#include <stdbool.h>
#include <stddef.h>

struct vt;
/* `late_wrap`: behind the last column the cursor waits for the next character (terminfo's xenl). */
struct vt *vt_create(int rows, int columns, bool late_wrap);
void vt_destroy(struct vt *v);
/* Any part of the bytes; sequences may be cut anywhere. */
void vt_feed(struct vt *v, const char *bytes, size_t n);
/* What was there stays as far as there is room. */
void vt_resize(struct vt *v, int rows, int columns);
/* One row, trailing blanks cut; valid until the next call. */
const char *vt_row(struct vt *v, int row);
/* The whole screen, each row ended by '\n'; valid until the next call. */
const char *vt_text(struct vt *v);
void vt_cursor(const struct vt *v, int *row, int *column);
/* A private mode (CSI ? n h) as it is now; false for those never told. */
bool vt_mode(const struct vt *v, int mode);
/* The title told last; "" for none. */
const char *vt_title(const struct vt *v);
/* Sequences that are none of those known here, and characters outside of the screen. */
unsigned vt_strange(const struct vt *v);
/* The first of them. */
const char *vt_strange_text(const struct vt *v);

#endif
