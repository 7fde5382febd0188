/*
 * bus: hands each frame to the decoder of its kind and what comes out to every subscriber. Pure.
 *
 * Order for one frame: every subscriber's `frame`, then samples, jobs and labels as decode emits
 * them (each to all subscribers before the next), then every subscriber's `done` with what became
 * of it. Subscribers are called in the order in which they subscribed. Frames that did not succeed
 * (outcome other than OK) are not decoded; they reach `frame` and `done` all the same, counted as
 * one ignored unit with REASON_FAILED_READ. Folds live here: one flat state per subject and kind,
 * fresh when the subject opens, dropped when it closes; their `tick` runs at each `end` frame, and
 * at the `close` of their subject, before subscribers see it; what a tick counts comes to `done` by
 * itself, with an empty frame of the fold's subject and kind. Built-in frames have no units and
 * count nothing.
 */
#ifndef GWTOP_BUS_H
#define GWTOP_BUS_H

#include "gwtop/core.h"

struct bus;

/* `table` is borrowed for the life of the bus. */
enum err bus_create(const struct backend_table *table, struct bus **out);
void bus_destroy(struct bus *b);
/* At most 8; ERR_RANGE beyond. The subscriber's ctx must outlive the bus. */
enum err bus_subscribe(struct bus *b, const struct subscriber *s);
/* One frame; bytes may be anything. */
void bus_frame(struct bus *b, const struct subject *s, const struct frame *f);
/* The bus as the sink of a source. */
struct frame_sink bus_sink(struct bus *b);
/* End of input: runs the `tick` of every fold once more at t_ns. */
void bus_finish(struct bus *b, int64_t t_ns);
/* What became of all units so far, over all kinds. */
const struct counts *bus_counts(const struct bus *b);
/* Copies fold states and counts (not subscribers) for a checkpoint. */
enum err bus_copy(struct bus *to, const struct bus *from);

#endif
