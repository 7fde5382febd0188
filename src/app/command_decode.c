/* `gwtop decode KIND FILE`: one vendor file to NDJSON samples, through the same bus as everything else. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "fence.h"
#include "gwtop/backend.h"
#include "gwtop/bus.h"
#include "nearest.h"
#include "setup.h"

#define WRITE_AT 65536 /* bytes waiting before they are written out */

struct decoding {
    struct bus *bus;
    struct out_decode *output;
    struct buf buf;
    enum err error;
    struct err_info *info;
};

static void on_frame(void *ctx, const struct subject *s, const struct frame *f) {
    struct decoding *d = ctx;
    bus_frame(d->bus, s, f);
    if (d->buf.n >= WRITE_AT && d->error == ERR_OK)
        d->error = write_all(STDOUT_FILENO, &d->buf, d->info);
}

static enum err decode_all(struct decoding *d, struct source *source) {
    struct frame_sink sink = {.ctx = d, .frame = on_frame};
    enum err e;
    while ((e = source->ops->read(source, 0, &sink)) == ERR_OK || e == ERR_AGAIN)
        if (d->error != ERR_OK)
            return d->error;
    if (e != ERR_END)
        return err_set(d->info, e, 0, "reading the file failed", err_text(e));
    out_decode_summary(d->output);
    return write_all(STDOUT_FILENO, &d->buf, d->info);
}

static int decode_file(const struct options *o, struct source *source, const char *unit) {
    struct err_info info = {0};
    struct decoding d = {.info = &info};
    int status = EXIT_DONE;
    enum err e = bus_create(&backend_table, &d.bus);
    buf_init(&d.buf);
    if (e == ERR_OK)
        e = out_decode_create(&backend_table, unit, &d.buf, &d.output);
    if (e == ERR_OK) {
        struct subscriber s = out_decode_subscriber(d.output);
        e = bus_subscribe(d.bus, &s);
    }
    if (e == ERR_OK)
        e = decode_all(&d, source);
    else
        err_set(&info, e, 0, err_text(e), NULL);
    if (e != ERR_OK && e != ERR_CLOSED) {
        status = report(&info);
    } else if (e == ERR_OK && out_decode_accepted(d.output) == 0) {
        fprintf(stderr, "gwtop: %s: nothing in it is of the kind '%s'\n", o->operands[1],
                o->operands[0]);
        status = EXIT_FAILED;
    }
    bus_destroy(d.bus);
    out_decode_destroy(d.output);
    buf_finish(&d.buf);
    return status;
}

int command_decode(const struct options *o) {
    struct err_info info = {0};
    struct source *source = NULL;
    unsigned backend;
    unsigned kind;
    if (!vendor_kind_find(o->operands[0], &backend, &kind)) {
        kind_unknown(o->operands[0], &info);
        return report(&info);
    }
    if (vendor_file_open(o, o->operands[1], backend, kind, 0, &source, &info) != ERR_OK)
        return report(&info);
    fence_up(FENCE_NAMED);
    int status = decode_file(o, source, backend_table.list[backend - 1]->kinds[kind].unit);
    source->ops->close(source);
    return status;
}
