/*
 * What the screen shows ticks of: the live machine or a recording, behind the same few functions.
 */
#ifndef APP_FEED_H
#define APP_FEED_H

#include "gwtop/source.h"
#include "gwtop/view.h"
#include "options.h"
#include "player.h"

struct feed;
struct feed_ops {
    /* What to wait for. */
    void (*wait)(struct feed *f, int64_t now_ns, struct source_wait *out);
    /* Takes what is due. ERR_OK: there is a new tick to show; ERR_AGAIN: not yet. */
    enum err (*advance)(struct feed *f, int64_t now_ns);
    /* What is shown now; NULL before the first tick. */
    const struct snapshot *(*snapshot)(const struct feed *f);
    /* A key's wish; `progress` is asked during long ones. */
    enum err (*command)(struct feed *f, struct ui_command c,
                        const struct player_progress *progress);
    void (*describe)(struct feed *f, struct ui_play *out);
    /* Optional: the interval between ticks is this from now on. */
    void (*set_delay)(struct feed *f, int64_t delay_ns);
    /* Optional: nothing is looked at that takes no right to be opened until this is called. */
    void (*go)(struct feed *f);
    /* Optional: last words on stderr, once the screen is closed. */
    void (*conclude)(struct feed *f);
    void (*close)(struct feed *f); /* accepts NULL */
};
struct feed {
    const struct feed_ops *ops;
    /* Set by who shows it, may be NULL: told every tick, also one that is not shown. */
    void (*on_tick)(void *ctx, const struct snapshot *s);
    void *ctx;
};

/* `opened` not NULL: what needs rights is opened first, and the rest waits for `go`; the descriptor is readable once all
 * is open. It is the feed's; -1: there is none, and nothing waits. */
enum err feed_live(const struct options *o, int *opened, struct feed **out, struct err_info *info);
/* take_trace is closed with the feed, also when this fails. loop: starts again after the end. */
enum err feed_recording(const struct options *o, struct source *take_trace, bool loop,
                        struct feed **out, struct err_info *info);

#endif
