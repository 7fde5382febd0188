/* Wires the bus to accounting. */
#include "pipeline.h"

#include "gwtop/backend.h"
#include "gwtop/source.h"
#include "signals.h"

enum err pipeline_init(struct pipeline *p, bool whole_span, uint32_t assume_voltage_uv) {
    struct acct_options options = {.whole_span = whole_span,
                                   .backends = &backend_table,
                                   .assume_voltage_uv = assume_voltage_uv};
    enum err e;
    *p = (struct pipeline){0};
    e = acct_create(&options, &p->acct);
    if (e == ERR_OK)
        e = bus_create(&backend_table, &p->bus);
    if (e == ERR_OK) {
        struct subscriber s = acct_subscriber(p->acct);
        e = bus_subscribe(p->bus, &s);
    }
    if (e == ERR_OK) {
        struct subscriber s = wish_subscriber(&p->wish);
        e = bus_subscribe(p->bus, &s);
    }
    if (e != ERR_OK)
        pipeline_finish(p);
    return e;
}

void pipeline_finish(struct pipeline *p) {
    bus_destroy(p->bus);
    acct_destroy(p->acct);
    wish_finish(&p->wish);
    *p = (struct pipeline){0};
}

/* What there was no memory for is missing, and nothing in its place says so. */
static void tell_short(struct pipeline *p) {
    if (acct_failed(p->acct) && !p->short_told) {
        log_line(LOG_WARN, "out of memory: rows are missing, and sums lack them (said once)");
        p->short_told = true;
    }
}

enum err pipeline_read(struct pipeline *p, struct source *s, int64_t now_ns) {
    struct frame_sink sink = bus_sink(p->bus);
    wish_begin(&p->wish, s, acct_snapshot(p->acct));
    enum err e = s->ops->read(s, now_ns, &sink);
    if (e == ERR_OK) {
        acct_finish(p->acct);
        tell_short(p);
        wish_send(&p->wish, s, acct_snapshot(p->acct));
    }
    return e;
}

enum err pipeline_look(struct pipeline *p, struct source *s, struct err_info *info) {
    struct source_wait wait;
    enum err e;
    do {
        s->ops->poll(s, clock_mono_ns(), &wait);
        if (signals_wait(wait.fd, wait.due_ns))
            return ERR_END;
        e = pipeline_read(p, s, clock_mono_ns());
    } while (e == ERR_AGAIN);
    if (e == ERR_OK && !acct_snapshot(p->acct))
        e = ERR_NOMEM; /* not even a first one */
    if (e != ERR_OK && e != ERR_END)
        err_set(info, e, 0, "reading the machine failed", err_text(e));
    return e;
}

enum err pipeline_copy(struct pipeline *to, const struct pipeline *from) {
    enum err e = bus_copy(to->bus, from->bus);
    return e == ERR_OK ? acct_copy(to->acct, from->acct) : e;
}
