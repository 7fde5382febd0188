/* Opens what the commands work on, and says on stderr what went wrong. */
#include "setup.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands.h"
#include "gwtop/backend.h"

enum err live_start(const struct options *o, int64_t delay_ns, struct live *out,
                    struct err_info *info) {
    struct host_options options = {.root = o->root,
                                   .delay_ns = delay_ns,
                                   .wake = o->given[OPT_WAKE],
                                   .machine_facts = "version=" GWTOP_VERSION "\n"};
    enum err e;
    *out = (struct live){0};
    e = host_create(&options, &out->host, info);
    if (e == ERR_OK)
        e = live_create(out->host, &backend_table, &out->source, info);
    if (e != ERR_OK)
        live_stop(out);
    return e;
}

void live_stop(struct live *l) {
    if (l->source)
        l->source->ops->close(l->source);
    host_destroy(l->host);
    *l = (struct live){0};
}

bool vendor_kind_find(const char *name, unsigned *backend, unsigned *kind) {
    for (size_t i = 0; i < backend_table.count; i++)
        for (size_t k = 0; k < backend_table.list[i]->kind_count; k++) {
            const struct kind *candidate = &backend_table.list[i]->kinds[k];
            if (!candidate->file || strcmp(candidate->name, name) != 0)
                continue;
            *backend = (unsigned)i + 1;
            *kind = (unsigned)k;
            return true;
        }
    return false;
}

enum err recording_open(const struct options *o, const char *path, struct source **out,
                        struct err_info *info) {
    unsigned backend;
    unsigned kind;
    if (!o->as)
        return trace_open(path, &backend_table, out, info);
    if (!vendor_kind_find(o->as, &backend, &kind))
        return err_set(info, ERR_USAGE, 0, "no such kind of file", o->as);
    return file_open(path, &backend_table, backend, kind, NULL, out, info);
}

enum err demo_open(struct source **out, struct err_info *info) {
    static const char beside[] = "/../fixtures/demo/demo.gwt.zst";
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof beside);
    char *slash = NULL;
    if (n > 0) {
        path[n] = '\0';
        slash = strrchr(path, '/');
    }
    if (slash) {
        memcpy(slash, beside, sizeof beside);
        if (access(path, R_OK) == 0)
            return trace_open(path, &backend_table, out, info);
    }
    return trace_open(GWTOP_DATADIR "/demo.gwt.zst", &backend_table, out, info);
}

enum err query_from_options(const struct options *o, struct table_query *query,
                            struct column_set *columns, struct err_info *info) {
    enum err e = ERR_OK;
    *query = (struct table_query){
        .user = span_of(o->user), .pid = o->pid, .device = span_of(o->device), .top = o->top};
    *columns = (struct column_set){0};
    if (o->sort)
        e = table_sort_parse(span_of(o->sort), query, info);
    if (e == ERR_OK && o->fields)
        e = column_set_parse(span_of(o->fields), columns, info);
    return e;
}

bool query_device_exists(const struct table_query *q, const struct snapshot *s) {
    if (q->device.n == 0)
        return true;
    for (uint32_t i = 0; i < s->device_count; i++)
        if (table_device_matches(s, i, q->device))
            return true;
    fprintf(stderr, "gwtop: no device is called '%.*s'; `gwtop --list` names them\n",
            (int)q->device.n, q->device.p);
    return false;
}

bool stdout_unicode(const struct options *o) {
    return !o->given[OPT_NO_UNICODE] && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool stdout_color(const struct options *o) {
    const char *none = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return !o->given[OPT_NO_COLOR] && !(none && *none) && term && strcmp(term, "dumb") != 0 &&
           isatty(STDOUT_FILENO);
}

enum err write_all(int fd, struct buf *b, struct err_info *info) {
    size_t done = 0;
    if (b->failed)
        return err_set(info, ERR_NOMEM, 0, "out of memory", NULL);
    while (done < b->n) {
        ssize_t n = write(fd, b->p + done, b->n - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EPIPE)
            return err_set(info, ERR_CLOSED, EPIPE, "the reader went away", NULL);
        if (n < 0)
            return err_set(info, err_from_sys(errno), errno, "writing the output failed",
                           strerror(errno));
        done += (size_t)n;
    }
    buf_clear(b);
    return ERR_OK;
}

int report(const struct err_info *info) {
    fprintf(stderr, "gwtop: %s\n", info->text[0] ? info->text : err_text(info->code));
    return info->code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}
