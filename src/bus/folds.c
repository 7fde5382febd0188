/*
 * Fold states. A fold's tick is called when no frame of its subject is at hand, so each state
 * keeps a copy of the subject, texts included, that it began with.
 *
 * A subject that ends leaves holes; they are closed once they are the greater part, so that a
 * recording with any number of subjects costs time in proportion to its frames.
 */
#include "folds.h"

#include <stdlib.h>
#include <string.h>

struct fold_entry {
    const struct fold *fold; /* NULL: a hole */
    void *state;
    char *texts; /* name and facts of the subject, each with its NUL */
    struct subject subject;
    uint32_t next; /* entry of the same subject, or MAP_NONE */
    uint16_t kind;
};

static struct map_key key_of(uint32_t subject) {
    return (struct map_key){0, subject};
}

static void entry_finish(struct fold_entry *e) {
    free(e->state);
    free(e->texts);
    *e = (struct fold_entry){0};
}

static size_t state_size(const struct fold *fold) {
    return fold->size > 0 ? fold->size : 1;
}

/* Everything but the content of the state. */
static enum err entry_init(struct fold_entry *e, const struct fold *fold, const struct subject *s,
                           uint16_t kind) {
    size_t name = strlen(s->name) + 1;
    size_t facts = strlen(s->facts) + 1;
    *e = (struct fold_entry){.fold = fold, .subject = *s, .next = MAP_NONE, .kind = kind};
    e->state = calloc(1, state_size(fold));
    e->texts = malloc(name + facts);
    if (!e->state || !e->texts) {
        entry_finish(e);
        return ERR_NOMEM;
    }
    memcpy(e->texts, s->name, name);
    memcpy(e->texts + name, s->facts, facts);
    e->subject.name = e->texts;
    e->subject.facts = e->texts + name;
    return ERR_OK;
}

void folds_finish(struct folds *f) {
    for (uint32_t i = 0; i < f->count; i++)
        entry_finish(&f->entries[i]);
    free(f->entries);
    map_finish(&f->head);
    *f = (struct folds){0};
}

/* Makes entry `at` the last one of its subject. */
static enum err link_entry(struct folds *f, uint32_t at) {
    uint32_t last = map_get(&f->head, key_of(f->entries[at].subject.id));
    if (last == MAP_NONE)
        return map_put(&f->head, key_of(f->entries[at].subject.id), at);
    while (f->entries[last].next != MAP_NONE)
        last = f->entries[last].next;
    f->entries[last].next = at;
    return ERR_OK;
}

static void *begin_state(struct folds *f, const struct subject *s, unsigned kind,
                         const struct fold *fold) {
    void *entries = f->entries;
    if (vec_reserve(&entries, &f->cap, f->count + 1, sizeof(*f->entries)) != ERR_OK)
        return NULL;
    f->entries = entries;
    struct fold_entry *e = &f->entries[f->count];
    if (entry_init(e, fold, s, (uint16_t)kind) != ERR_OK)
        return NULL;
    if (link_entry(f, f->count) != ERR_OK) {
        entry_finish(e);
        return NULL;
    }
    f->count++;
    if (fold->init)
        fold->init(e->state, &e->subject);
    return e->state;
}

void *folds_state(struct folds *f, const struct subject *s, unsigned kind,
                  const struct fold *fold) {
    uint32_t at = map_get(&f->head, key_of(s->id));
    for (; at != MAP_NONE; at = f->entries[at].next)
        if (f->entries[at].kind == kind)
            return f->entries[at].state;
    return begin_state(f, s, kind, fold);
}

/* Whatever a tick counts has a reason or is a unit. */
static bool is_any(const struct counts *c) {
    uint64_t sum = c->accepted | c->ignored | c->malformed | c->truncated;
    for (unsigned i = 0; i < REASON_COUNT; i++)
        sum |= c->reasons[i];
    return sum != 0;
}

static void tick(struct fold_entry *e, int64_t t_ns, const struct fold_sink *to) {
    struct counts counts = {0};
    if (!e->fold || !e->fold->tick)
        return;
    e->fold->tick(e->state, &e->subject, t_ns, to->sink, &counts);
    if (is_any(&counts)) {
        struct frame f = {.t_ns = t_ns, .subject = e->subject.id, .kind = e->kind};
        to->counted(to->ctx, &e->subject, &f, &counts);
    }
}

void folds_tick(struct folds *f, int64_t t_ns, const struct fold_sink *to) {
    for (uint32_t i = 0; i < f->count; i++)
        tick(&f->entries[i], t_ns, to);
}

void folds_tick_subject(struct folds *f, uint32_t subject, int64_t t_ns,
                        const struct fold_sink *to) {
    uint32_t at = map_get(&f->head, key_of(subject));
    for (; at != MAP_NONE; at = f->entries[at].next)
        tick(&f->entries[at], t_ns, to);
}

/* The rest moves up, in its order. The index needs no memory that it did not have. */
static void close_holes(struct folds *f) {
    uint32_t kept = 0;
    map_clear(&f->head);
    for (uint32_t i = 0; i < f->count; i++) {
        if (!f->entries[i].fold)
            continue;
        f->entries[kept] = f->entries[i];
        f->entries[kept].next = MAP_NONE;
        (void)link_entry(f, kept);
        kept++;
    }
    f->count = kept;
    f->holes = 0;
}

void folds_drop_subject(struct folds *f, uint32_t subject) {
    uint32_t at = map_remove(&f->head, key_of(subject));
    while (at != MAP_NONE) {
        uint32_t next = f->entries[at].next;
        entry_finish(&f->entries[at]);
        f->holes++;
        at = next;
    }
    if (f->holes > f->count / 2)
        close_holes(f);
}

/* All entries of `from` that are no holes. */
static enum err copy_entries(struct folds *to, const struct folds *from) {
    void *entries = NULL;
    enum err err = vec_reserve(&entries, &to->cap, from->count, sizeof(*from->entries));
    to->entries = entries;
    for (uint32_t i = 0; err == ERR_OK && i < from->count; i++) {
        const struct fold_entry *e = &from->entries[i];
        if (!e->fold)
            continue;
        err = entry_init(&to->entries[to->count], e->fold, &e->subject, e->kind);
        if (err != ERR_OK)
            break;
        memcpy(to->entries[to->count].state, e->state, state_size(e->fold));
        to->count++;
        err = link_entry(to, to->count - 1);
    }
    return err;
}

enum err folds_copy(struct folds *to, const struct folds *from) {
    struct folds copy = {0};
    enum err err = from->count > 0 ? copy_entries(&copy, from) : ERR_OK;
    if (err != ERR_OK) {
        folds_finish(&copy);
        return err;
    }
    folds_finish(to);
    *to = copy;
    return ERR_OK;
}
