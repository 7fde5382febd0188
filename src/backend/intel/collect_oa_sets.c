/*
 * What is programmed into the unit: a set of registers under a UUID that the driver knows by a
 * number. One that is there and known is taken, the richest first; where there is none gwtop loads
 * a small one of its own and takes it out at the end. I/O.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "collect_oa.h"

enum { CONFIGS_MAX = 4096, SET_BYTES = 4096 };
_Static_assert(sizeof(struct oa_register) == 8, "as the driver takes them");

/* ---- the best of those that are there -------------------------------------------------------- */

struct pick {
    struct intel_oa *oa;
    const char *folder; /* of the sets in sysfs */
    const char *only;   /* this UUID alone; NULL: any that is known */
    unsigned rank;
    unsigned platform;
    char uuid[OA_UUID_LENGTH + 1];
    uint64_t id;
};

static unsigned rank_of_set(unsigned set) {
    static const uint8_t ranks[] = {
        [OA_SET_TEST_OA] = 1,
        [OA_SET_SMALL] = 2,
        [OA_SET_COMPUTE_BASIC] = 3,
        [OA_SET_RENDER_BASIC] = 4,
    };
    return set < sizeof(ranks) ? ranks[set] : 0;
}

/* 0: not to be taken. A GPU whose id is not known is told by a set that is loaded for it. */
static unsigned rank_of(const struct pick *p, struct span uuid, unsigned *platform) {
    unsigned here = p->oa->session.known.platform;
    const struct oa_guid *g = oa_guid_find(uuid);
    *platform = here;
    if (p->only)
        return span_equals(uuid, p->only);
    if (here != OA_UNKNOWN && oa_small_uuid(here) && span_equals(uuid, oa_small_uuid(here)))
        return rank_of_set(OA_SET_SMALL);
    if (!g || (here != OA_UNKNOWN && g->platform != here))
        return 0;
    *platform = g->platform;
    return rank_of_set(g->set);
}

static void take(struct pick *p, struct span uuid, unsigned rank, unsigned platform, uint64_t id) {
    if (id == 0 || rank <= p->rank || uuid.n != OA_UUID_LENGTH)
        return;
    memcpy(p->uuid, uuid.p, uuid.n);
    p->uuid[uuid.n] = '\0';
    p->rank = rank;
    p->platform = platform;
    p->id = id;
}

static void on_name(void *ctx, struct span name) {
    struct pick *p = ctx;
    char uuid[OA_UUID_LENGTH + 1] = "";
    char path[OA_PATH_MAX];
    unsigned platform;
    unsigned rank;
    uint64_t id;
    if (name.n != OA_UUID_LENGTH)
        return;
    rank = rank_of(p, name, &platform);
    memcpy(uuid, name.p, name.n);
    if (rank > p->rank && oa_path(path, p->folder, uuid, "id") && oa_number(p->oa->host, path, &id))
        take(p, name, rank, platform, id);
}

/* False: the driver has no folder of them. */
static bool look_in_sysfs(struct pick *p) {
    struct host *h = p->oa->host;
    char folder[OA_PATH_MAX];
    char space[4096];
    if (!p->oa->card[0] || !oa_path(folder, p->oa->card, "metrics", ""))
        return false;
    int fd = host_open(h, h->root_fd, folder, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return false;
    p->folder = folder;
    (void)host_list(h, fd, space, sizeof(space), on_name, p);
    host_close(h, fd);
    return true;
}

/* ---- the same asked of the driver ------------------------------------------------------------ */

/* In the machine's own order, as calls have it. */
static uint64_t number_at(const char *p) {
    uint64_t n;
    memcpy(&n, p, sizeof(n));
    return n;
}

static void ask_one(struct pick *p, uint64_t id) {
    char data[SET_BYTES] = {0};
    unsigned platform;
    int32_t n = oa_query(p->oa, OA_QUERY_CONFIGS, OA_QUERY_BY_ID, data, 0);
    if (n < (int32_t)(OA_CONFIGS_HEAD + sizeof(struct oa_uapi_config)) || n > SET_BYTES)
        return;
    memcpy(data, &id, sizeof(id));
    if (oa_query(p->oa, OA_QUERY_CONFIGS, OA_QUERY_BY_ID, data, n) != n)
        return;
    const struct span uuid = {data + OA_CONFIGS_HEAD, OA_UUID_LENGTH};
    unsigned rank = rank_of(p, uuid, &platform);
    take(p, uuid, rank, platform, id);
}

static void ask_driver(struct pick *p) {
    int32_t n = oa_query(p->oa, OA_QUERY_CONFIGS, OA_QUERY_LIST, NULL, 0);
    if (n < OA_CONFIGS_HEAD || n > OA_CONFIGS_SIZE + 8 * CONFIGS_MAX)
        return;
    char *list = calloc(1, (size_t)n);
    if (list && oa_query(p->oa, OA_QUERY_CONFIGS, OA_QUERY_LIST, list, n) == n) {
        uint64_t count = number_at(list);
        uint64_t room = (uint64_t)(n - OA_CONFIGS_HEAD) / 8;
        for (uint64_t i = 0; i < count && i < room; i++)
            ask_one(p, number_at(list + OA_CONFIGS_HEAD + 8 * i));
    }
    free(list);
}

static bool find(struct intel_oa *oa, const char *only) {
    struct pick p = {.oa = oa, .only = only};
    oa->session.no_folder = !look_in_sysfs(&p);
    if (p.rank == 0 && (only || oa->session.no_folder))
        ask_driver(&p);
    if (p.rank == 0)
        return false;
    memcpy(oa->session.uuid, p.uuid, sizeof(p.uuid));
    oa->session.set = p.id;
    oa->session.known.platform = (uint8_t)p.platform;
    return true;
}

/* ---- one of our own -------------------------------------------------------------------------- */

static int add(struct intel_oa *oa, const struct oa_small *small, const char *uuid) {
    struct oa_uapi_config config = {
        .boolean_count = small->boolean_count,
        .flex_count = small->flex_count,
        .boolean = (uintptr_t)small->boolean,
        .flex = (uintptr_t)small->flex,
    };
    memcpy(config.uuid, uuid, OA_UUID_LENGTH);
    return host_ioctl(oa->host, oa->session.node, OA_IOCTL_ADD_CONFIG, &config);
}

/* Which number it gets shows only when it is there, so that a crash right then leaves it, which
 * does no harm: the next one takes it as one that is there. */
static bool keep(struct intel_oa *oa, uint64_t id) {
    struct oa_session *s = &oa->session;
    s->set = id;
    s->ours = true;
    s->undo = undo_arm_ioctl(s->node, OA_IOCTL_REMOVE_CONFIG, &id, sizeof(id));
    if (s->undo >= 0)
        return true;
    oa_drop_set(oa);
    return oa_refuse(oa, EBUSY, "too much is to be put back at the end already");
}

static bool load(struct intel_oa *oa) {
    unsigned platform = oa->session.known.platform;
    const char *uuid = oa_small_uuid(platform);
    struct oa_small small;
    if (!uuid || strlen(uuid) != OA_UUID_LENGTH || !oa_small_set(platform, &small))
        return oa_refuse(oa, ENODEV,
                         "no known metric set is loaded for %s, and gwtop has none of its own: "
                         "load its RenderBasic",
                         oa_platform_name(platform));
    int id = add(oa, &small, uuid);
    int sys = id < 0 ? errno : EINVAL;
    if (id < 0 && sys == EADDRINUSE && find(oa, uuid))
        return true;
    if (id <= 0)
        return oa_refuse_call(oa, sys, "a metric set");
    memcpy(oa->session.uuid, uuid, OA_UUID_LENGTH + 1);
    return keep(oa, (uint64_t)id);
}

bool oa_find_set(struct intel_oa *oa) {
    if (find(oa, NULL))
        return true;
    if (oa->session.known.platform == OA_UNKNOWN)
        return oa_refuse(oa, ENODEV, "a GPU of a generation that gwtop does not know");
    return load(oa);
}

/* With a device that is gone it is gone as well. */
void oa_drop_set(struct intel_oa *oa) {
    struct oa_session *s = &oa->session;
    uint64_t id = s->set;
    if (s->ours && host_ioctl(oa->host, s->node, OA_IOCTL_REMOVE_CONFIG, &id) < 0 &&
        errno != ENODEV)
        log_line(LOG_WARN, "intel: %s: the metric set cannot be taken out again: %s",
                 oa->device->name, strerror(errno));
    undo_disarm(s->undo);
    s->undo = -1;
    s->ours = false;
    s->set = 0;
}
