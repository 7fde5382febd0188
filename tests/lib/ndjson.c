/* Reading what `--json` prints. */
#include "ndjson.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

json_t *json_object_of(const char *text, size_t n) {
    json_error_t error;
    json_t *one = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(one))
        return one;
    fprintf(stderr, "not an object: %s: %.*s\n", error.text, (int)(n < 400 ? n : 400), text);
    json_decref(one);
    return NULL;
}

json_t *ndjson_parse(const char *text) {
    json_t *all = json_array();
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        json_t *one = json_object_of(line, n);
        if (!one) {
            json_decref(all);
            return NULL;
        }
        json_array_append_new(all, one);
        line += n + (line[n] == '\n');
    }
    return all;
}

json_t *tick_device(json_t *tick, const char *id) {
    size_t i;
    json_t *device;
    json_array_foreach(json_object_get(tick, "devices"), i, device) {
        if (!id || strcmp(text_at(device, "id"), id) == 0)
            return device;
    }
    return NULL;
}

json_t *tick_process(json_t *tick, int pid, const char *device) {
    size_t i;
    json_t *process;
    json_array_foreach(json_object_get(tick, "processes"), i, process) {
        if (json_integer_value(json_object_get(process, "pid")) == pid &&
            (!device || strcmp(text_at(process, "device"), device) == 0))
            return process;
    }
    return NULL;
}

unsigned tick_process_count(json_t *tick, int pid) {
    size_t i;
    unsigned n = 0;
    json_t *process;
    json_array_foreach(json_object_get(tick, "processes"), i, process) {
        n += json_integer_value(json_object_get(process, "pid")) == pid;
    }
    return n;
}

static json_t *named(json_t *list, const char *key, const char *name) {
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) {
        if (strcmp(text_at(one, key), name) == 0)
            return one;
    }
    return NULL;
}

json_t *process_engine(json_t *process, const char *name) {
    return named(json_object_get(process, "engines"), "name", name);
}

json_t *process_memory(json_t *process, const char *region) {
    return named(json_object_get(process, "memory"), "region", region);
}

double number_at(json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *text_at(json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}
