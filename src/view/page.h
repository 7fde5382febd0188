/*
 * Lines of a sheet that wrap: facts in words, and figures with a note on what they are, who says them, or why they
 * are not there. Notes are made in the scratch text.
 */
#ifndef GWTOP_VIEW_PAGE_H
#define GWTOP_VIEW_PAGE_H

#include "detail.h"

#define PAGE_ALL UINT16_MAX

/* From column `from` on, and below. The line begun is in sight where `is_on`. At most `most` lines. */
void page_flow(struct sheet *sh, bool is_on, int from, enum role role, struct span text,
               unsigned most);
/* Label and text, at most `most` lines. */
void page_fact(struct sheet *sh, const char *label, enum role role, struct span text,
               unsigned most);
/* Nothing where there is no text. */
void page_known_fact(struct sheet *sh, const char *label, struct span text);
/* The same of the scratch text. */
void page_scratch_fact(struct sheet *sh, const char *label, enum role role);
/* Whether a fact takes more than `most` lines. */
bool page_is_long(const struct sheet *sh, struct span text, unsigned most);

enum figure_kind { FIGURE_SHARE, FIGURE_TIME, FIGURE_SIZE, FIGURE_POWER };
struct figure {
    struct span label;
    enum figure_kind kind;
    struct value v; /* all kinds but power */
    struct real r;  /* power */
    const char *unit;
    enum role bar; /* of a share */
};
/* With a note where there is a number. */
void page_number(struct sheet *sh, const struct figure *f, const char *note);
/* The same in three steps. Gives whether the line is in sight. */
bool page_figure(struct sheet *sh, const struct figure *f);
/* Begins its note: doubts, or why there is none. */
enum role page_begin_note(struct sheet *sh, const struct figure *f);
/* Beside the number where there is room, else below it. */
void page_note(struct sheet *sh, bool is_on, enum role role);

/* Behind a comma where something stands before. */
struct buf *page_next(struct buf *b);
void page_put_duration(struct buf *b, struct value v); /* of ns */

#endif
