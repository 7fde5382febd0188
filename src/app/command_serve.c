/*
 * `gwtop serve`: looks by its own clock and shows each look as OpenMetrics over HTTP. Who asks gets the last one; no
 * question makes gwtop look.
 */
#include "commands.h"
#include "fence.h"
#include "inapt.h"
#include "pipeline.h"
#include "serve.h"
#include "setup.h"
#include "signals.h"

#define DELAY_NS INT64_C(1000000000)

/* Connections are looked through at least that often. */
#define REAP_NS INT64_C(5000000000)

struct server {
    const struct options *asked;
    struct out_options options;
    struct out_state *state;
    const struct output *output;
    struct buf buf;
    struct live live;
    struct pipeline pipe;
    struct serve *serve;
};

static enum err server_init(struct server *v, const struct options *o, struct err_info *info) {
    struct serve_address where;
    int64_t delay = o->delay_ns ? o->delay_ns : DELAY_NS;
    v->asked = o;
    v->output = output_find(span_of("openmetrics"));
    buf_init(&v->buf);
    enum err e = serve_address_parse(o->listen ? o->listen : SERVE_ADDRESS_DEFAULT, &where, info);
    if (e == ERR_OK)
        e = query_from_options(o, &v->options.query, &v->options.columns, info);
    if (e == ERR_OK && (e = v->output->open(&v->options, &v->state)) != ERR_OK)
        err_set(info, e, 0, err_text(e), NULL);
    if (e == ERR_OK)
        e = serve_open(&where, &v->serve, info);
    if (e == ERR_OK)
        e = live_start(o, delay, &v->live, info);
    if (e == ERR_OK && (e = pipeline_init(&v->pipe, false, o->assume_voltage_uv)) != ERR_OK)
        err_set(info, e, 0, err_text(e), NULL);
    return e;
}

static void server_finish(struct server *v) {
    serve_close(v->serve);
    live_stop(&v->live);
    pipeline_finish(&v->pipe);
    if (v->state)
        v->output->close(v->state);
    buf_finish(&v->buf);
}

/* Waits until the next look is due; long waits are cut, so that connections are looked after. */
static enum err look(struct server *v, struct err_info *info) {
    enum err e;
    do {
        struct source_wait wait;
        int64_t now_ns = clock_mono_ns();
        serve_reap(v->serve, now_ns);
        v->live.source->ops->poll(v->live.source, now_ns, &wait);
        if (signals_wait(wait.fd, wait.due_ns < now_ns + REAP_NS ? wait.due_ns : now_ns + REAP_NS))
            return ERR_END;
        e = pipeline_read(&v->pipe, v->live.source, clock_mono_ns());
    } while (e == ERR_AGAIN);
    if (e != ERR_OK && e != ERR_END)
        err_set(info, e, 0, "reading the machine failed", err_text(e));
    return e;
}

/* A look for which there was no memory is not shown: the one before stays. */
static void publish(struct server *v) {
    buf_clear(&v->buf);
    v->output->tick(v->state, acct_snapshot(v->pipe.acct), &v->buf);
    if (!v->buf.failed)
        serve_publish(v->serve, &v->buf);
}

/* Nobody is answered before the first look: there would be nothing to say. */
static enum err run(struct server *v, struct err_info *info) {
    enum err e = look(v, info);
    if (e != ERR_OK)
        return e;
    fence_up(fence_of_live(v->asked) | FENCE_SERVE);
    inapt_say(v->asked, acct_snapshot(v->pipe.acct));
    e = query_check_device(&v->options.query, acct_snapshot(v->pipe.acct), info);
    if (e != ERR_OK)
        return e;
    publish(v);
    e = serve_start(v->serve, info);
    while (e == ERR_OK && (e = look(v, info)) == ERR_OK)
        publish(v);
    return e;
}

int command_serve(const struct options *o) {
    struct server v = {0};
    struct err_info info = {0};
    enum err e = server_init(&v, o, &info);
    if (e == ERR_OK)
        e = run(&v, &info);
    server_finish(&v);
    return e == ERR_OK || e == ERR_END ? EXIT_DONE : report(&info);
}
