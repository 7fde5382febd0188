/*
 * A collector of Intel's hardware counters in front of a driver that a test makes up, as the
 * kernel's interface (i915_drm.h) has it: byte offsets and numbers stand here once more, of the
 * test's own.
 *
 * The machine is a small tree of files; its card is card0 at 0000:00:02.0, its nodes are plain
 * files. What happens to what is held is one word in `log`: "set" loaded, "open" stream, "stop",
 * "close" stream, "unset", "leave" the node.
 */
#ifndef TEST_OARIG_H
#define TEST_OARIG_H

#include "gwtop/source.h"
#include "seen.h"

#include "backend/intel/intel.h"

#define OARIG_SETS "sys/devices/pci0000:00/0000:00:02.0/drm/card0/metrics/"
enum { OARIG_PROPERTIES = 10, OARIG_SCRIPT = 600, OARIG_CONFIGS = 8 };

/* PCI ids, and the UUIDs of what the vendor has for them. */
#define SKL         "8086:1912"
#define SKL_RENDER  "07b25942-d9fd-4fce-bd58-e29abd66b7de"
#define SKL_COMPUTE "00b80b4c-d215-4378-9015-da3dda3b61ea"
#define SKL_TEST    "1651949f-0ac0-4cb1-a06f-dafd74a407d1"
#define BDW         "8086:1616"
#define BDW_RENDER  "b541bd57-0e0f-4154-b4c0-5858010a2bf7"
#define HSW         "8086:0412"
#define HSW_RENDER  "a490e9d2-55b3-4db0-8dab-53011032c5f3"
#define DG2         "8086:56a5"
#define DG2_RENDER  "f5b8f05e-c84c-4f1c-bb05-68fbea73879b"
#define TGL         "8086:9a49"
#define TGL_RENDER  "0fc397c0-4833-492c-9ccd-4929d574d5b8"

/* One answer of read(): bytes (of a stream that counts on), or an errno. */
struct oarig_answer {
    size_t size;
    int sys;
};
struct oarig_config {
    uint64_t id;
    char uuid[37];
};

struct oarig {
    char *root;
    struct host_io io;
    struct host *host;
    const struct subject *device;
    struct intel_oa *oa;
    struct seen seen;
    int64_t now_ns;

    /* what the driver says */
    int revision; /* these four: 0 EINVAL */
    int oa_hz;
    int cs_hz;
    int eu;
    bool topology;
    struct oarig_config configs[OARIG_CONFIGS]; /* told by query alone; id 0 ends them */
    int fail_node;                              /* errno; 0 none */
    int fail_add;
    int fail_open;
    unsigned add_id;
    struct oarig_answer script[OARIG_SCRIPT]; /* then EAGAIN */
    unsigned fail_at;                         /* this call fails with EIO; 0 none */

    /* what was asked */
    unsigned calls;
    unsigned script_at;
    unsigned node_opens;
    unsigned streams; /* opened */
    unsigned queries;
    int node;         /* -1 */
    int stream;       /* -1 */
    uint64_t removed; /* id */
    unsigned flags;   /* of the stream */
    unsigned property_count;
    uint64_t properties[OARIG_PROPERTIES][2];
    char config[72];
    uint32_t boolean[64];
    uint32_t flex[64];
    char log[400];
    unsigned char byte; /* the next of the stream */
    unsigned open_now;
};

/* Fixtures. */
int oarig_set_up(void **state);
int oarig_tear_down(void **state);

/* pci: "8086:1912"; facts of the machine; NULL: counters are asked for. */
void oarig_start(struct oarig *r, const char *pci, const char *facts);
void oarig_start_driver(struct oarig *r, const char *driver, const char *pci, const char *facts);
/* A metric set that sysfs shows. */
void oarig_put_set(struct oarig *r, const char *uuid, const char *id);
/* A second later. */
void oarig_tick(struct oarig *r);
void oarig_stop(struct oarig *r);
/* A set, a start and a tick. */
void oarig_start_with(struct oarig *r, const char *pci, const char *uuid);

/* Of the last tick, about a stream; NULL where there is none. */
const struct seen_frame *oarig_frame(const struct oarig *r, int kind);
/* These end the test where it is not so: the subject has this fact; the stream was asked for with
 * this property; counters are n/a in this tick for this reason, and nothing is held. */
void oarig_fact(const struct seen_frame *f, const char *key, const char *value);
void oarig_property(const struct oarig *r, unsigned at, uint64_t id, uint64_t value);
void oarig_none(const struct oarig *r, int sys, enum outcome outcome);
/* Whether a line of the log has this since the last oarig_start. */
bool oarig_logged(const char *text);
unsigned oarig_logged_count(const char *text);

#endif
