/* The parts of a tick's JSON object: devices, processes, what belongs to no process. */
#ifndef OUT_JSON_ROWS_H
#define OUT_JSON_ROWS_H

#include "json_parts.h"

void json_device(struct buf *b, const struct snapshot *s, const struct snap_device *d);
/* The keys that say which device it is, and its state. */
void json_device_identity(struct json_object *o, const struct snapshot *s,
                          const struct snap_device *d);
/* "engines":[...] and "power":{...}. */
void json_engines(struct buf *b, const struct snapshot *s, struct run run);
void json_power(struct buf *b, const struct snap_power *p);
/* "contexts":[...], where there are any. */
void json_contexts(struct buf *b, const struct snapshot *s, struct run run);
void json_process(struct buf *b, const struct snapshot *s, const struct snap_process *p);
void json_unattributed(struct buf *b, const struct snapshot *s, const struct snap_unattributed *u);

#endif
