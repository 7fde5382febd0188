/*
 * Vendor files within this room: opened by what was read already, and places to come back to.
 */
#ifndef GWTOP_SOURCE_FILE_H
#define GWTOP_SOURCE_FILE_H

#include "file_ticks.h"
#include "gwtop/source.h"
#include "input.h"

/* As file_open has it. */
struct file_wish {
    const struct backend_table *table;
    unsigned backend;
    unsigned kind;
    const char *facts;
    int64_t delay_ns;
};
/* take->fd is closed with the source, also when this fails. */
enum err file_open_input(struct input *take, const char *path, const struct file_wish *wish,
                         struct source **out, struct err_info *info);

/* All that a place in a file means. */
struct file_place {
    uint64_t at; /* byte of the file that is next */
    uint64_t ticks;
    struct file_trail trail;
    struct file_clock clock;
    bool begun;
    bool done;
};
struct file;
/* NULL for a source that is no vendor file. */
struct file *file_of(const struct source *s);
struct file_place file_tell(const struct file *f);
void file_seek(struct file *f, const struct file_place *place);
void file_rewind(struct file *f);
uint64_t file_size(const struct file *f);

#endif
