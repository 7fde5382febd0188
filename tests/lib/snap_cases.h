/* Machines written by hand, for the screens that are compared and for the properties. */
#ifndef TEST_SNAP_CASES_H
#define TEST_SNAP_CASES_H

#include "snap.h"

/* Two graphics cards, one asleep; seven processes with every kind of number there is. */
void snap_typical(struct snap *b);
/* The same at its first tick: no rate is known yet. */
void snap_first(struct snap *b);
/* So many devices of three kinds and processes on them; `seed` shifts all numbers. */
void snap_many(struct snap *b, uint32_t devices, uint32_t processes, uint32_t seed);
/* The same machine, with all sensors of a discrete card. */
void snap_card(struct snap *b);
/* Held back by its power limit and its temperature. */
void snap_limits(struct snap *b);
/* With every doubt, and every reason why there is no number. */
void snap_doubts(struct snap *b);
/* An APU with processor cores, which uses main memory. */
void snap_apu(struct snap *b);
/* A laptop whose second card is idle, and held open by three processes. */
void snap_awake(struct snap *b);
/* A device of which every metric is said, as a whole and in parts; `seed` shifts numbers, states and
 * doubts. */
void snap_all_metrics(struct snap *b, uint32_t seed);
/* A Mali-400 with four pixel units whose work is priced, and whose rail is shared out. */
void snap_mali(struct snap *b);
/* snap_typical() with what its work cost: watts shared by PW s. */
void snap_power(struct snap *b);
/* snap_many() with sensors. */
void snap_cards(struct snap *b, uint32_t devices, uint32_t seed);
/* Texts and numbers at their worst: wide, joined, endless, past every end. */
void snap_hostile(struct snap *b);

/* An integrated device with hardware counters, processes with contexts and tags, and a card that sleeps. */
void snap_counters(struct snap *b);
/* The same, and of the card a counter of 70 parts. */
void snap_cores(struct snap *b);

/* Makes a tick of it in which the numbers of its first device and its processes go up and down; in some there are none. */
void snap_past(struct snap *b, uint64_t tick);

#endif
