/*
 * Metric sets of the emulated i915. Those that the kernel knows stand in the tree, as in sysfs:
 * there is one truth, and what was uploaded and not removed is there for the next run, as with
 * the kernel.
 */
#include "i915_emul.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <i915_drm.h>

#define UUID      36
#define ADDED_MAX 32

static char folder[PATH_MAX];
static char added[ADDED_MAX][UUID + 1]; /* "" where removed */
static uint64_t added_id[ADDED_MAX];
static enum programmed added_as[ADDED_MAX];
static unsigned added_count;

/* The node's number tells the card: render nodes begin at 128. */
void sets_begin(const char *node) {
    const char *name = strrchr(node, '/') + 1;
    int root = (int)(name - strlen("/dev/dri/") - node);
    unsigned long number = strtoul(name + strcspn(name, "0123456789"), NULL, 10);
    (void)snprintf(folder, sizeof folder, "%.*s/sys/class/drm/card%lu/metrics", root, node,
                   number >= 128 ? number - 128 : number);
}

bool sets_folder(void) {
    struct stat st;
    return stat(folder, &st) == 0 && S_ISDIR(st.st_mode);
}

static uint64_t id_in_tree(const char *uuid) {
    char path[PATH_MAX + 64], text[32] = "";
    snprintf(path, sizeof path, "%s/%s/id", folder, uuid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    uint64_t id = fgets(text, sizeof text, f) ? strtoull(text, NULL, 10) : 0;
    fclose(f);
    return id;
}

static enum programmed set_of(const char *uuid) {
    for (unsigned i = 0; i < added_count; i++)
        if (strcmp(added[i], uuid) == 0)
            return added_as[i];
    if (strcmp(uuid, script.platform->test_oa) == 0)
        return SET_TEST;
    return strcmp(uuid, script.platform->render_basic) == 0 ? SET_FULL : SET_FLEX_ONLY;
}

/* Calls `each` for every set in the tree, until it says true. */
static bool sets_each(bool (*each)(void *ctx, const char *uuid, uint64_t id), void *ctx) {
    DIR *d = opendir(folder);
    bool found = false;
    for (struct dirent *e; d && !found && (e = readdir(d));)
        if (strlen(e->d_name) == UUID && id_in_tree(e->d_name) > 0)
            found = each(ctx, e->d_name, id_in_tree(e->d_name));
    if (d)
        closedir(d);
    return found;
}

struct wanted {
    uint64_t id;
    char uuid[UUID + 1];
};

static bool has_id(void *ctx, const char *uuid, uint64_t id) {
    struct wanted *w = ctx;
    if (w->id != id)
        return false;
    snprintf(w->uuid, sizeof w->uuid, "%s", uuid);
    return true;
}

bool sets_find(uint64_t id, enum programmed *set, char uuid[UUID + 1]) {
    struct wanted w = {.id = id};
    if (!sets_each(has_id, &w))
        return false;
    *set = set_of(w.uuid);
    memcpy(uuid, w.uuid, sizeof w.uuid);
    return true;
}

/* ---- query ----------------------------------------------------------------------------------- */

struct listing {
    uint64_t ids[256];
    unsigned count;
};

static bool list_one(void *ctx, const char *uuid, uint64_t id) {
    struct listing *l = ctx;
    (void)uuid;
    if (l->count < 256 && id != 1)
        l->ids[l->count++] = id;
    return false;
}

/* What follows the head begins behind its whole size, padding and all. The number 1, of the
 * kernel's own set, is listed even where there is no such set any more. */
static int query_list(const struct drm_i915_query_item *item) {
    struct listing l = {.ids = {1}, .count = 1};
    uint8_t *to = (uint8_t *)(uintptr_t)item->data_ptr;
    (void)sets_each(list_one, &l);
    int need = (int)(sizeof(struct drm_i915_query_perf_config) + 8 * l.count);
    if (item->length == 0)
        return need;
    if (item->length < need || ((struct drm_i915_query_perf_config *)(void *)to)->flags != 0) {
        misuse("query of the list of sets: length %d of %d, or flags", item->length, need);
        return -EINVAL;
    }
    uint64_t count = l.count;
    memcpy(to, &count, 8);
    memcpy(to + sizeof(struct drm_i915_query_perf_config), l.ids, 8 * l.count);
    return need;
}

static int query_data(const struct drm_i915_query_item *item, bool by_uuid) {
    const int need =
        (int)(sizeof(struct drm_i915_query_perf_config) + sizeof(struct drm_i915_perf_oa_config));
    struct drm_i915_query_perf_config *head = (void *)(uintptr_t)item->data_ptr;
    struct wanted w = {0};
    if (item->length == 0)
        return need;
    if (item->length < need || head->flags != 0) {
        misuse("query of a set: length %d of %d, or flags", item->length, need);
        return -EINVAL;
    }
    if (by_uuid) {
        memcpy(w.uuid, head->uuid, UUID);
        if (id_in_tree(w.uuid) == 0)
            return -ENOENT;
    } else {
        w.id = head->config;
        if (!sets_each(has_id, &w))
            return -ENOENT;
    }
    struct drm_i915_perf_oa_config *config = (void *)(head + 1);
    memcpy(config->uuid, w.uuid, UUID);
    config->n_mux_regs = config->n_boolean_regs = config->n_flex_regs = 0;
    return need;
}

int sets_query(void *arg) {
    const struct drm_i915_query_item *item = arg;
    switch (item->flags) {
    case DRM_I915_QUERY_PERF_CONFIG_LIST:
        return query_list(item);
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID:
        return query_data(item, true);
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID:
        return query_data(item, false);
    default:
        misuse("query of sets with flags %u", item->flags);
        return -EINVAL;
    }
}

/* ---- upload ---------------------------------------------------------------------------------- */

static bool is_uuid(const char *text) {
    for (int i = 0; i < UUID; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
            return false;
    }
    return true;
}

struct range {
    uint32_t first;
    uint32_t last;
};
static const struct range old_boolean[] = {
    {0x2710, 0x272c}, {0x2740, 0x275c}, {0x2770, 0x27ac}, {0}};
static const struct range new_boolean[] = {
    {0xd900, 0xd91c}, {0xd920, 0xd93c}, {0xd940, 0xd97c}, {0xdc00, 0xdc3c},
    {0xdc40, 0xdc40}, {0xdd40, 0xdd40}, {0x2b2c, 0x2b2c}, {0}};
static const struct range flex[] = {
    {0xe458, 0xe458}, {0xe558, 0xe558}, {0xe658, 0xe658}, {0xe758, 0xe758},
    {0xe45c, 0xe45c}, {0xe55c, 0xe55c}, {0xe65c, 0xe65c}, {0}};
static const struct range mux[] = {{0x9800, 0x9fff},   {0x0d00, 0x0d2c},     {0x20cc, 0x20cc},
                                   {0x25100, 0x2ffff}, {0x182300, 0x1823a4}, {0}};

static bool may_be_written(uint32_t address, const struct range *list) {
    for (; list->last; list++)
        if (address % 4 == 0 && address >= list->first && address <= list->last)
            return true;
    return false;
}

static bool registers_fine(const char *what, uint64_t pointer, uint32_t count,
                           const struct range *list) {
    const uint32_t *pair = (const uint32_t *)(uintptr_t)pointer;
    if (count == 0)
        return true;
    for (uint32_t i = 0; pair && i < count; i++)
        if (!may_be_written(pair[2 * i], list)) {
            misuse("ADD_CONFIG %s register %#x", what, pair[2 * i]);
            return false;
        }
    return pair != NULL;
}

static bool config_fine(const struct drm_i915_perf_oa_config *c) {
    bool old = strcmp(script.platform->name, "skl") == 0 || script.platform->haswell;
    bool some = (c->mux_regs_ptr && c->n_mux_regs) || (c->boolean_regs_ptr && c->n_boolean_regs) ||
                (c->flex_regs_ptr && c->n_flex_regs);
    if (!some || !is_uuid(c->uuid) || (script.platform->haswell && c->n_flex_regs > 0)) {
        misuse("ADD_CONFIG %.36s: no group of registers, not a UUID, or flex registers on Haswell",
               c->uuid);
        return false;
    }
    return registers_fine("mux", c->mux_regs_ptr, c->n_mux_regs, mux) &&
           registers_fine("boolean", c->boolean_regs_ptr, c->n_boolean_regs,
                          old ? old_boolean : new_boolean) &&
           registers_fine("flex", c->flex_regs_ptr, c->n_flex_regs, flex);
}

static bool larger_id(void *ctx, const char *uuid, uint64_t id) {
    uint64_t *most = ctx;
    (void)uuid;
    *most = id > *most ? id : *most;
    return false;
}

static void put_in_tree(const char *uuid, uint64_t id) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, uuid);
    (void)mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/%s/id", folder, uuid);
    FILE *f = fopen(path, "we");
    if (!f)
        abort();
    fprintf(f, "%llu\n", (unsigned long long)id);
    fclose(f);
}

int sets_add(const void *arg) {
    const struct drm_i915_perf_oa_config *c = arg;
    char uuid[UUID + 1] = "";
    uint64_t most = 1; /* the number 1 is the kernel's own */
    if (!sets_folder())
        return fail(EINVAL);
    if (script.paranoid)
        return fail(EACCES);
    if (!config_fine(c))
        return fail(EINVAL);
    memcpy(uuid, c->uuid, UUID);
    if (id_in_tree(uuid) > 0)
        return fail(EADDRINUSE);
    if (added_count == ADDED_MAX)
        return fail(ENOMEM);
    (void)sets_each(larger_id, &most);
    memcpy(added[added_count], uuid, sizeof uuid);
    added_id[added_count] = most + 1;
    added_as[added_count++] = c->n_mux_regs > 0 ? SET_FULL : SET_FLEX_ONLY;
    put_in_tree(uuid, most + 1);
    note("added %s as %llu: %u mux, %u boolean, %u flex", uuid, (unsigned long long)most + 1,
         c->n_mux_regs, c->n_boolean_regs, c->n_flex_regs);
    return (int)(most + 1);
}

static void drop_from_tree(const char *uuid) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s/id", folder, uuid);
    (void)unlink(path);
    snprintf(path, sizeof path, "%s/%s", folder, uuid);
    (void)rmdir(path);
}

int sets_remove(const void *arg) {
    struct wanted w = {0};
    bool ours = false;
    memcpy(&w.id, arg, sizeof w.id);
    if (script.paranoid)
        return fail(EACCES);
    if (w.id == 1 || !sets_each(has_id, &w)) {
        misuse("REMOVE_CONFIG %llu: no such set", (unsigned long long)w.id);
        return fail(ENOENT);
    }
    for (unsigned i = 0; i < added_count; i++)
        if (strcmp(added[i], w.uuid) == 0) {
            ours = true;
            added[i][0] = '\0';
        }
    if (!ours)
        misuse("REMOVE_CONFIG %llu: a set that others brought", (unsigned long long)w.id);
    drop_from_tree(w.uuid);
    note("removed %s", w.uuid);
    return 0;
}

void sets_leave(void) {
    for (unsigned i = 0; i < added_count; i++)
        if (added[i][0])
            note("LEFT config %llu %s", (unsigned long long)added_id[i], added[i]);
}
