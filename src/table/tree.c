/*
 * Processes below their parents. A parent is looked up in the order of the snapshot (pid, start, device); parents
 * that go round in a circle, as a recording may have them, are cut at whoever of them comes first. Pure.
 */
#include "shape.h"

/* Where a row would stand in the order of processes. */
struct place {
    int32_t pid;
    uint64_t start;
    uint32_t device;
};

static bool is_before(const struct snap_process *p, const struct place *at) {
    if (p->pid != at->pid) {
        return p->pid < at->pid;
    }
    return p->start != at->start ? p->start < at->start : p->device < at->device;
}

/* The first process that does not come before the place. */
static uint32_t find_place(const struct snapshot *s, struct place at) {
    uint32_t low = 0, high = s->process_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (is_before(&s->processes[middle], &at)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The row of its parent on the same device: of several processes of that number the one that began last before it.
 * SHAPE_NONE for none. */
static uint32_t parent_of(const struct snapshot *s, const struct snap_process *p) {
    struct place at = {p->ppid, p->start ? p->start : UINT64_MAX, UINT32_MAX};
    uint32_t i = p->ppid > 0 ? find_place(s, at) : 0;
    if (i == 0 || s->processes[i - 1].pid != p->ppid) {
        return SHAPE_NONE;
    }
    at = (struct place){p->ppid, s->processes[i - 1].start, p->device};
    i = find_place(s, at);
    if (i == s->process_count) {
        return SHAPE_NONE;
    }
    const struct snap_process *found = &s->processes[i];
    bool is_it = found->pid == at.pid && found->start == at.start && found->device == at.device;
    return is_it && found != p ? i : SHAPE_NONE;
}

static void find_parents(const struct snapshot *s, const uint32_t *of, struct row_list *l,
                         uint32_t count) {
    uint32_t *places = l->order; /* of processes among the rows */
    for (uint32_t i = 0; i < s->process_count; i++) {
        places[i] = SHAPE_NONE;
    }
    for (uint32_t i = 0; i < count; i++) {
        places[l->rows[i].index] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = l->rows[i].index;
        uint32_t parent = parent_of(s, &s->processes[index]);
        bool is_ours = parent != SHAPE_NONE && (!of || of[parent] == of[index]);
        uint32_t place = is_ours ? places[parent] : SHAPE_NONE;
        l->links[i] = (struct tree_link){place, SHAPE_NONE, SHAPE_NONE, SHAPE_NONE, 0};
    }
}

/* Each way up marks what it passes; one that meets its own mark went round. */
static void cut_circles(struct tree_link *links, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        while (at != SHAPE_NONE && links[at].mark == 0) {
            links[at].mark = i + 1;
            at = links[at].parent;
        }
        if (at == SHAPE_NONE || links[at].mark != i + 1) {
            continue;
        }
        uint32_t first = at;
        for (uint32_t k = links[at].parent; k != at; k = links[k].parent) {
            first = k < first ? k : first;
        }
        links[first].parent = SHAPE_NONE;
    }
}

static void find_children(struct tree_link *links, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (links[i].parent == SHAPE_NONE) {
            continue;
        }
        struct tree_link *parent = &links[links[i].parent];
        if (parent->child == SHAPE_NONE) {
            parent->child = i;
        } else {
            links[parent->tail].next = i;
        }
        parent->tail = i;
    }
}

static struct row below(struct row r, const struct row *parent, bool last) {
    r.last = last;
    r.depth = (uint8_t)(parent->depth < TABLE_DEPTH_MAX ? parent->depth + 1 : TABLE_DEPTH_MAX);
    r.trunk = parent->trunk;
    if (parent->depth > 0 && parent->depth < TABLE_DEPTH_MAX && !parent->last) {
        r.trunk = (uint16_t)(r.trunk | 1u << (parent->depth - 1));
    }
    return r;
}

/* Puts a root and all below it behind what was put; gives how many there are now. `mark` is then where each was put. */
static uint32_t put_tree(struct row_list *l, uint32_t root, uint32_t n) {
    struct tree_link *links = l->links;
    uint32_t at = root;
    while (at != SHAPE_NONE) {
        uint32_t parent = at == root ? SHAPE_NONE : links[at].parent;
        struct row r = l->rows[at];
        links[at].mark = n;
        l->spare[n++] = parent == SHAPE_NONE
                            ? r
                            : below(r, &l->spare[links[parent].mark], links[at].next == SHAPE_NONE);
        if (links[at].child != SHAPE_NONE) {
            at = links[at].child;
            continue;
        }
        while (at != root && links[at].next == SHAPE_NONE) {
            at = links[at].parent;
        }
        at = at == root ? SHAPE_NONE : links[at].next;
    }
    return n;
}

enum err tree_rows(const struct snapshot *s, const uint32_t *of, struct row_list *l,
                   uint32_t count) {
    void *links = l->links;
    void *spare = l->spare;
    enum err e = vec_reserve(&links, &l->link_cap, count, sizeof *l->links);
    l->links = links;
    if (e == ERR_OK) {
        e = vec_reserve(&spare, &l->spare_cap, count, sizeof *l->spare);
        l->spare = spare;
    }
    if (e != ERR_OK) {
        return e;
    }
    find_parents(s, of, l, count);
    cut_circles(l->links, count);
    find_children(l->links, count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        n = l->links[i].parent == SHAPE_NONE ? put_tree(l, i, n) : n;
    }
    if (count > 0) {
        memcpy(l->rows, l->spare, count * sizeof *l->rows);
    }
    return ERR_OK;
}
