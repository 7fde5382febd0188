/*
 * Tags: processes that the user marked, by pid and start, so that a later one of the same number is not. What they
 * are for: signals to several at once.
 */
#ifndef GWTOP_VIEW_TAGS_H
#define GWTOP_VIEW_TAGS_H

#include "gwtop/view.h"

/* So many processes are tagged, or asked about, at most. */
#define TARGETS_MOST 256

struct tags {
    struct ui_target list[TARGETS_MOST]; /* in the order they were tagged */
    uint32_t count;
};

/* True where the process is tagged; one on several devices is in all its rows. */
bool tags_has(const struct ui *ui, int32_t pid, uint64_t start);
/* Drops those that the snapshot no more holds. */
void tags_note(struct ui *ui, const struct snapshot *s);
/* Index in `processes` of whom a line of the table is about: of clients, engines and regions their process;
 * process_count where it is about none (what belongs to nobody, a sum of rows). */
uint32_t row_process(const struct snapshot *s, struct row r);
/* Index in `processes` of a row of that process; process_count where it is gone. */
uint32_t target_row(const struct snapshot *s, const struct ui_target *who);

#endif
