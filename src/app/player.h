/*
 * A recording that plays, and can be wound: the trace, its pipeline, and checkpoints to step back to. The
 * recording need not fit into memory.
 */
#ifndef APP_PLAYER_H
#define APP_PLAYER_H

#include "gwtop/source.h"
#include "pipeline.h"

struct player;

/* take_trace is closed with the player, also when this fails. checkpoints: whether stepping back will be asked
 * for. The others as for pipeline_init. */
enum err player_create(struct source *take_trace, bool whole_span, uint32_t assume_voltage_uv,
                       bool checkpoints, struct player **out);
void player_destroy(struct player *p);
/* Called with every tick that is played from now on, also on the way to another. */
void player_on_tick(struct player *p, void (*on_tick)(void *ctx, const struct snapshot *s),
                    void *ctx);
/* How many ticks there are, where that is known (else 0): a seek to the end is quicker then. */
void player_expect(struct player *p, uint64_t ticks);
/* The next tick. ERR_END after the last one. */
enum err player_next(struct player *p);
/* Progress of something long, parts per million; false stops it. */
struct player_progress {
    bool (*step)(void *ctx, int ppm);
    void *ctx;
};
/* To the tick with this number (the first is 1; clamped to what there is). */
enum err player_to_tick(struct player *p, uint64_t tick, const struct player_progress *progress);
/* To the last tick that is not after this time since the start. */
enum err player_to_time(struct player *p, int64_t at_ns, const struct player_progress *progress);

const struct snapshot *player_snapshot(const struct player *p);
uint64_t player_tick(const struct player *p);
/* Time since the first tick, and the length of the tick just past (0 in the first). */
int64_t player_at_ns(const struct player *p);
int64_t player_interval_ns(const struct player *p);
bool player_at_end(const struct player *p);
/* What became of all units (lines, records, bytes) up to the farthest tick that was played. */
const struct counts *player_counts(const struct player *p);
/* Whether it played a vendor file to its end and nothing of it was accepted. */
bool player_found_nothing(const struct player *p);
/* Of a vendor file: plays on from the first tick until something is accepted, then goes back to it; what
 * player_found_nothing asks is known after. Needs checkpoints. */
enum err player_look_ahead(struct player *p);
struct source *player_trace(struct player *p);

#endif
