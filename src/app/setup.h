/* What several commands need: the machine with its live source, recordings, the query, writing out. */
#ifndef APP_SETUP_H
#define APP_SETUP_H

#include "gwtop/out.h"
#include "gwtop/source.h"
#include "options.h"

/* The machine and its live source. Close with live_close; accepts a zeroed one. */
struct live {
    struct host *host;
    struct source *source;
};
enum err live_start(const struct options *o, int64_t delay_ns, struct live *out,
                    struct err_info *info);
void live_stop(struct live *l);

/* Where the KIND of decode and --as stands in the backend table (backend: index + 1). */
bool vendor_kind_find(const char *name, unsigned *backend, unsigned *kind);
/* A file of that kind as a source, with what options say of it. delay_ns as in file_open. */
enum err vendor_file_open(const struct options *o, const char *path, unsigned backend,
                          unsigned kind, int64_t delay_ns, struct source **out,
                          struct err_info *info);
/* The recording that `path` names: of the kind of --as; else a gwtop trace, or a vendor file that its kind
 * recognises. */
enum err recording_open(const struct options *o, const char *path, struct source **out,
                        struct err_info *info);
/* The built-in demonstration: beside the program in its source tree, else where it was installed. */
enum err demo_open(struct source **out, struct err_info *info);

/* -s -F -u -p -i -N and --fields. */
enum err query_from_options(const struct options *o, struct table_query *query,
                            struct column_set *columns, struct err_info *info);
/* ERR_NOENT if -i names a device that the snapshot does not have. */
enum err query_check_device(const struct table_query *q, const struct snapshot *s,
                            struct err_info *info);

/* What this gwtop may see of other users' processes; of a recording it does not matter. */
enum insight insight_here(bool replayed);

/* Whether text on stdout may be UTF-8, and coloured. */
bool stdout_unicode(const struct options *o);
bool stdout_color(const struct options *o);
/* -C, or NO_COLOR not empty. */
bool color_refused(const struct options *o);

/* Writes all of `b` and clears it. ERR_CLOSED where the reader went away. */
enum err write_all(int fd, struct buf *b, struct err_info *info);
/* "gwtop: …" on stderr. Returns EXIT_USAGE for ERR_USAGE, else EXIT_FAILED. */
int report(const struct err_info *info);

#endif
