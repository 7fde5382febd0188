/*
 * A counter session in front of a panthor driver that a test makes up, as the posted versions of
 * its interface behave: byte offsets and numbers stand here once more, of the test's own.
 *
 * A request is under way until somebody waits for it; then its sample is there. What is asked is one
 * word in `log`: "setup", "start", "sample", "stop", "teardown", "unmap", "free" a buffer, "leave"
 * the node. What a driver would not stand is kept in `wrong`, since a thread may not end a test.
 */
#ifndef TEST_PANTHORRIG_H
#define TEST_PANTHORRIG_H

#include "gwtop/source.h"
#include "seen.h"

#include "backend/panthor/collect_session.h"
#include "backend/panthor/panthor.h"

enum { PANTHORRIG_SAMPLE = 56 + 7 * (24 + 512), PANTHORRIG_BUFFERS = 4 };
/* Where below the root. */
#define PANTHORRIG_DEVICE "sys/devices/platform/fb000000.gpu"
#define PANTHORRIG_DRM    "sys/class/drm/renderD128"

struct panthorrig_buffer {
    void *at;
    size_t bytes;
    bool mapped;
};

struct panthorrig {
    char *root;
    struct host_io io;
    struct host *host;
    const struct subject *device;
    struct seen seen;
    int64_t now_ns;
    bool running; /* `run` is in use */
    struct panthor_run run;
    struct panthor_session *session;

    /* what the driver is */
    const char *driver;
    int major;
    int minor;
    unsigned perf_query; /* 4, 5; 0: none */
    unsigned perf_id;    /* 13, 15, 17; 0: none */
    bool mmu;            /* query 4 is about the MMU */
    uint32_t info[11];
    uint32_t info_bytes;
    uint32_t timestamp_bytes;
    bool ends;     /* version 4: no room behind the end of the ring */
    bool inverted; /* a session is torn down only while a request is under way */
    bool hangs;    /* requests are never answered */
    bool restless; /* the event wakes without a sample */
    int handle;
    int started;   /* what START gives */
    int fail_node; /* errno; 0 none */
    int fail_query;
    int fail_setup;
    int fail_setup_once;
    int fail_start;
    int fail_start_once;
    int fail_sample;
    int fail_stop;
    int fail_teardown;
    unsigned fail_at; /* this call fails; 0 none */
    bool fail_on;     /* and all after it */
    int fail_sys;     /* with this; 0: EIO */

    /* what was asked, and what is */
    unsigned calls;
    unsigned node_opens;
    unsigned setups;
    unsigned teardowns;
    unsigned samples; /* given */
    unsigned probed;  /* number of the first probe of PERF_CONTROL; 0: none yet */
    unsigned waits;   /* for samples that did not come */
    int node;         /* -1 */
    int event;        /* -1 */
    struct panthorrig_buffer buffers[PANTHORRIG_BUFFERS]; /* by handle - 1 */
    bool interrupted; /* SETUP, by a signal: one more may come */
    bool session_there;
    bool active;
    bool pending;
    uint64_t user_data; /* of the request */
    unsigned ring;      /* handles */
    unsigned control;
    unsigned slots;
    char setup[120]; /* as it was given */
    char log[4000];
    char wrong[200];
    unsigned open_now;
};

/* Fixtures. */
int panthorrig_set_up(void **state);
int panthorrig_tear_down(void **state);
/* As version 4, 5, 6, or 9 for a tree that was moved to a newer kernel. */
void panthorrig_version(struct panthorrig *r, int version);

/* Host and device; NULL: counters are asked for. */
void panthorrig_host(struct panthorrig *r, const char *facts);
void panthorrig_host_driver(struct panthorrig *r, const char *driver, const char *nodes,
                            const char *facts);
/* The thread's part alone, without a thread: host, and one turn, a second later. */
void panthorrig_start(struct panthorrig *r);
void panthorrig_turn(struct panthorrig *r);
/* All of it, in its thread: a tick, after which the thread rests. */
void panthorrig_open(struct panthorrig *r);
void panthorrig_tick(struct panthorrig *r);
/* Ends what there is; the test ends where the driver was wronged, or anything is left. */
void panthorrig_stop(struct panthorrig *r);
/* The driver's two indices. */
uint64_t panthorrig_insert(const struct panthorrig *r);
void panthorrig_set_insert(struct panthorrig *r, uint64_t insert);
/* A sample that nobody asked for. */
void panthorrig_give(struct panthorrig *r);

/* Of the last turn or tick, about the ring, but for starts; NULL. */
const struct seen_frame *panthorrig_frame(const struct panthorrig *r);
unsigned panthorrig_frames(const struct panthorrig *r);
/* Of a frame that says that counting began anew, and nothing else. */
bool panthorrig_is_start(const struct seen_frame *f);
/* The sample in a frame, behind its line of text; its line is kept in `line`. */
const char *panthorrig_sample(const struct seen_frame *f, char line[128]);
unsigned panthorrig_logged(const char *text);
/* How often a word is in the log. */
unsigned panthorrig_count(const struct panthorrig *r, const char *word);

#endif
