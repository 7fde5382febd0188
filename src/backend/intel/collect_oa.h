/* What the parts of the collector of hardware counters share: what was learned of a device on
 * the way to its stream. */
#ifndef GWTOP_BACKEND_INTEL_COLLECT_OA_H
#define GWTOP_BACKEND_INTEL_COLLECT_OA_H

#include "gwtop/source.h"
#include "intel.h"
#include "oa.h"
#include "oa_uapi.h"

enum { OA_PATH_MAX = 512 };

/* Everything that is held while a stream is open, or being opened. */
struct oa_session {
    int node;   /* -1 */
    int stream; /* -1 */
    uint32_t revision;
    unsigned exponent;
    struct oa_device known;
    char uuid[OA_UUID_LENGTH + 1]; /* of the metric set */
    uint64_t set;                  /* its id; 0: none yet */
    bool ours;                     /* we loaded it, and take it out again */
    int undo;                      /* the step that does so in a crash; -1 */
    bool no_folder;                /* the driver has no folder of metric sets */
};

struct intel_oa {
    struct host *host;
    const struct subject *device;
    uint16_t backend;
    bool foreign;           /* a driver whose counters are not read */
    char card[OA_PATH_MAX]; /* folder of its card in sysfs, below the root */
    char sys_path[OA_PATH_MAX];
    struct oa_session session;
    const struct subject *subject; /* of the stream, or what says why there is none; NULL */
    int sys;                       /* why there is none: errno; 0 */
    char word[160];                /* the same for people */
    char told[160];                /* the last of them that was logged */
    bool idle_told;
    int64_t retry_ns; /* not before then is it opened again */
    struct buf facts;
    char *space;
};

/* Keeps why there can be no stream; false. ENODEV says that there never will be one of this
 * device. */
bool oa_refuse(struct intel_oa *oa, int sys, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of a call of the driver's that failed with `sys`. */
bool oa_refuse_call(struct intel_oa *oa, int sys, const char *call);

/* ---- collect_oa_device.c: the node, and what there is to know -------------------------------- */

/* "FOLDER/a/b"; false where it does not fit. */
bool oa_path(char path[OA_PATH_MAX], const char *folder, const char *a, const char *b);
/* A decimal number in a file below the root. */
bool oa_number(struct host *h, const char *path, uint64_t *out);
/* Where the card's folder is. */
void oa_find_card(struct intel_oa *oa);
/* Opens the node and asks it: revision, execution units, topology, clocks. */
bool oa_open_node(struct intel_oa *oa);
/* By the platform, which a metric set may have told. */
bool oa_choose_period(struct intel_oa *oa);
/* One item of QUERY: the bytes that it has, or -1 with errno. Length 0 asks how many they are. */
int32_t oa_query(struct intel_oa *oa, uint64_t query, uint32_t flags, void *data, int32_t length);

/* ---- collect_oa_sets.c ----------------------------------------------------------------------- */

/* Finds a metric set that is known here, or loads a small one. */
bool oa_find_set(struct intel_oa *oa);
/* Takes out again what was loaded. */
void oa_drop_set(struct intel_oa *oa);

#endif
