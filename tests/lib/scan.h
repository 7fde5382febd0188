/*
 * What a look at /proc costs at least, and what it costs to look at every descriptor: the two ends between which
 * gwtop's own tick is measured. Over the real /proc.
 */
#ifndef TEST_SCAN_H
#define TEST_SCAN_H

#include <stdbool.h>
#include <sys/types.h>

struct scan;
struct scan *scan_create(void);
void scan_destroy(struct scan *s);

/* Lists all processes and all their descriptors, reads the fdinfo of those that are DRM nodes. By the text of the
 * links, or by the device number behind them. */
enum scan_way { SCAN_BY_LINK, SCAN_BY_NUMBER };
void scan_all(struct scan *s, enum scan_way way);
unsigned long scan_descriptors(const struct scan *s); /* of the last scan_all */
unsigned scan_clients(const struct scan *s);

/* Keeps open what the last scan_all found: fdinfo of the clients, stat of their processes. */
bool scan_keep(struct scan *s);
/* The least that a tick can do: lists /proc, asks for the size of each folder of descriptors, reads what is kept. */
void scan_floor(struct scan *s);

#endif
