/* One JSON object a line, as `--json` prints them, and the parts that tests look for. */
#ifndef TEST_NDJSON_H
#define TEST_NDJSON_H

#include <jansson.h>

/* All lines as an array, to be decref'ed; NULL (and a word on stderr) if one of them is not an object. */
json_t *ndjson_parse(const char *text);

/* A text that is one object, to be decref'ed; NULL (and a word on stderr) if it is not. */
json_t *json_object_of(const char *text, size_t n);

/* Borrowed parts of a tick; NULL if there is none. device: its id, or NULL for any. */
json_t *tick_device(json_t *tick, const char *id);
json_t *tick_process(json_t *tick, int pid, const char *device);
/* How many rows the process has. */
unsigned tick_process_count(json_t *tick, int pid);
json_t *process_engine(json_t *process, const char *name);
json_t *process_memory(json_t *process, const char *region);

/* The number at `key`, or NaN where it is null or not there. */
double number_at(json_t *object, const char *key);
const char *text_at(json_t *object, const char *key); /* "" where there is none */

#endif
