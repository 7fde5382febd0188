/*
 * Looking into one process: which of its descriptors are device nodes. Live, the node behind a descriptor
 * tells itself by its device number: the text of the link fails for nodes made elsewhere and for other mount
 * namespaces. Under another root the text of the link is all there is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "collect.h"

enum { DRM_MAJOR = 226, ACCEL_MAJOR = 261, STAT_BYTES = 1024, STATUS_BYTES = 8192 };

/* A process is open to us or is not: where so many of its descriptors in a row, from the first on, are refused,
 * the others are not tried. */
enum { DENIED_MOST = 8 };

/* ---- nodes -------------------------------------------------------------------------------------------- */

/* The part behind the last '/', which is cut off from *path. */
static struct span cut_part(struct span *path) {
    size_t n = path->n;
    struct span part;
    while (n > 0 && path->p[n - 1] != '/')
        n--;
    part = span_skip(*path, n);
    path->n = n > 0 ? n - 1 : 0;
    return part;
}

/* What the kernel writes behind the name of a file whose name is gone: the file is the same. */
static struct span without_mark(struct span link) {
    static const char mark[] = " (deleted)";
    size_t n = sizeof(mark) - 1;
    if (link.n > n && memcmp(link.p + link.n - n, mark, n) == 0)
        link.n -= n;
    return link;
}

/* ".../dev/dri/card0", ".../dev/dri/renderD128", ".../dev/accel/accel0": the number is the minor. */
static bool node_from_link(struct span link, uint32_t *major, uint32_t *minor) {
    static const struct {
        const char *folder;
        const char *prefix;
        uint32_t major;
    } forms[] = {
        {"dri", "card", DRM_MAJOR},
        {"dri", "renderD", DRM_MAJOR},
        {"accel", "accel", ACCEL_MAJOR},
    };
    struct span name;
    struct span folder;
    uint64_t number;
    link = without_mark(link);
    name = cut_part(&link);
    folder = cut_part(&link);
    if (!span_equals(cut_part(&link), "dev"))
        return false;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (span_equals(folder, forms[i].folder) && span_starts(name, forms[i].prefix) &&
            !span_to_u64(span_skip(name, strlen(forms[i].prefix)), &number) &&
            number <= UINT32_MAX) {
            *major = forms[i].major;
            *minor = (uint32_t)number;
            return true;
        }
    return false;
}

/* False, with errno 0, for a link that names no node. */
static bool read_node(struct collector *c, int dir_fd, const char *path, uint32_t *major,
                      uint32_t *minor) {
    char link[256];
    ssize_t n = host_readlink(c->host, dir_fd, path, link, sizeof(link));
    if (n < 0) {
        /* What is no link, in a tree that was copied without them, is no node either. */
        if (errno == EINVAL || outcome_from_sys(errno) == OUTCOME_GONE)
            errno = 0;
        return false;
    }
    errno = 0;
    return (size_t)n < sizeof(link) && node_from_link((struct span){link, (size_t)n}, major, minor);
}

bool look_node(struct collector *c, int dir_fd, const char *path, uint32_t *major,
               uint32_t *minor) {
    struct stat st;
    int sys;
    if (c->host->rooted)
        return read_node(c, dir_fd, path, major, minor);
    if (host_stat(c->host, dir_fd, path, &st) == 0) {
        errno = 0;
        *major = major(st.st_rdev);
        *minor = minor(st.st_rdev);
        return S_ISCHR(st.st_mode) && (*major == DRM_MAJOR || *major == ACCEL_MAJOR);
    }
    /* A file whose server does not answer cannot be asked; what its link says of it is enough to know that it
     * is no node. */
    sys = outcome_from_sys(errno) == OUTCOME_GONE ? 0 : errno;
    if (sys != 0 && !read_node(c, dir_fd, path, major, minor) && errno == 0)
        sys = 0;
    errno = sys;
    return false;
}

/* ---- the walk ------------------------------------------------------------------------------------------- */

static void walk_name(void *ctx, struct span name) {
    struct collector *c = ctx;
    struct found f = {0};
    char text[16];
    uint64_t number;
    if (name.n >= sizeof(text) || span_to_u64(name, &number) || number > UINT32_MAX)
        return;
    memcpy(text, name.p, name.n);
    text[name.n] = '\0';
    c->walked->fds++;
    if (c->walk_denied >= DENIED_MOST)
        return;
    bool is_node = c->walk_bare ? bare_node(c, c->walk_fd, text, &f.major, &f.minor)
                                : look_node(c, c->walk_fd, text, &f.major, &f.minor);
    if (c->walk_denied + 1 == c->walked->fds && errno != 0 && !is_node &&
        outcome_from_sys(errno) == OUTCOME_DENIED)
        c->walk_denied++;
    if (!is_node) {
        c->found_sys = errno != 0 ? errno : c->found_sys;
        return;
    }
    f.number = (uint32_t)number;
    if (vec_reserve((void **)&c->found, &c->found_cap, c->found_count + 1, sizeof(*c->found)))
        c->found_sys = ENOMEM;
    else
        c->found[c->found_count++] = f;
}

/* Of other users' processes fdinfo opens to rights that fd does not open to. */
static bool open_folder(struct collector *c, const struct entry *e) {
    char path[PATH_BYTES];
    c->walk_bare = false;
    c->walk_fd = hold_open_path(c, e->path, O_RDONLY | O_DIRECTORY);
    if (c->walk_fd >= 0)
        return true;
    if (outcome_from_sys(errno) != OUTCOME_DENIED || c->host->rooted || !rights_see_processes())
        return false;
    snprintf(path, sizeof(path), "%sinfo", e->path);
    c->walk_bare = true;
    c->walk_fd = hold_open_path(c, path, O_RDONLY | O_DIRECTORY);
    return c->walk_fd >= 0;
}

/* Fills c->found; 0 or the errno of what kept it from seeing the folder to its end. */
static int walk(struct collector *c, struct entry *e) {
    int sys = 0;
    c->found_count = 0;
    c->found_sys = 0;
    c->walk_denied = 0;
    c->walked = e;
    if (!open_folder(c, e))
        return errno;
    e->fds = 0;
    if (host_list(c->host, c->walk_fd, c->walk_space, WALK_BYTES, walk_name, c) < 0)
        sys = errno;
    host_close(c->host, c->walk_fd);
    return sys;
}

/* ---- which process it is --------------------------------------------------------------------------------------- */

/* Reads a file of the process, e->path with its last part replaced. -1 with errno. */
static ssize_t read_file(struct collector *c, const struct entry *e, const char *file, char *to,
                         size_t cap) {
    char path[PATH_BYTES];
    size_t n = strlen(e->path) - strlen("fd");
    ssize_t got;
    int fd;
    memcpy(path, e->path, n);
    memcpy(path + n, file, strlen(file) + 1);
    fd = hold_open_path(c, path, O_RDONLY);
    if (fd < 0)
        return -1;
    got = host_reread(c->host, fd, to, cap);
    host_close(c->host, fd);
    return got;
}

static struct span text_of(const char *text, ssize_t n) {
    return (struct span){text, n > 0 ? (size_t)n : 0};
}

/* Learns who has this pid now. Holders of one who had it before end. Else the errno of why nobody can be asked:
 * under another root a process is one even where its stat is no text. */
static int know_process(struct collector *c, struct entry *e) {
    char text[STAT_BYTES];
    struct proc_stat stat;
    ssize_t n = read_file(c, e, "stat", text, sizeof(text));
    int sys = n < 0 ? errno : 0;
    (void)proc_stat_read(text_of(text, n), &stat);
    bool parsed = stat.state && stat.start_ticks.err == ERR_OK;
    uint64_t start = parsed ? stat.start_ticks.value : 0;
    if (sys != 0 && (!c->host->rooted || host_may_pass(sys)))
        return sys;
    if (!parsed && !c->host->rooted)
        return EBADMSG;
    if (e->process && e->start != start)
        hold_close_all(c, e, "exited", true);
    e->start = start;
    e->ended = stat.state == 'Z' || stat.state == 'X';
    return 0;
}

/* ---- refusals ------------------------------------------------------------------------------------------------ */

static bool has_capabilities(struct collector *c, const struct entry *e) {
    char text[STATUS_BYTES];
    ssize_t n = read_file(c, e, "status", text, sizeof(text));
    struct cursor cur = cursor_over(text_of(text, n));
    struct span line;
    uint64_t set = 0;
    while (cursor_line(&cur, &line))
        if (span_starts(line, "CapPrm:"))
            (void)span_to_hex64(span_trim(span_skip(line, 7)), &set);
    return set != 0;
}

/* The folder of the process keeps its owner where all within belongs to root, as for a process that is
 * not to be looked into. */
static uint16_t why_refused(struct collector *c, const struct entry *e) {
    char path[sizeof(e->path)] = "";
    struct stat st;
    memcpy(path, e->path, strlen(e->path) - strlen("/fd"));
    if (c->host->rooted || host_stat(c->host, c->host->proc_fd, path, &st) != 0 ||
        st.st_uid != c->host->uid || has_capabilities(c, e))
        return REASON_DENIED;
    return REASON_NOT_DUMPABLE;
}

static void walk_failed(struct collector *c, struct entry *e, int sys) {
    switch (outcome_from_sys(sys)) {
    case OUTCOME_GONE:
        /* Live it is gone, whatever the listing said; elsewhere only the listing says so. */
        hold_close_all(c, e, c->host->rooted ? "closed" : "exited", true);
        if (!c->host->rooted)
            e->tick = c->tick - 1;
        break;
    case OUTCOME_DENIED:
        e->refused = why_refused(c, e);
        hold_close_all(c, e, "closed", false);
        break;
    default:
        e->refused = REASON_FAILED_READ;
        e->later = true;
        break;
    }
}

/* Something of it could not be seen, while the rest was. */
static void note_unseen(struct collector *c, struct entry *e, int sys) {
    enum outcome why = outcome_from_sys(sys);
    if (why != OUTCOME_GONE)
        e->refused = why == OUTCOME_DENIED ? why_refused(c, e) : (uint16_t)REASON_FAILED_READ;
    e->later = true;
}

/* ---- the look -------------------------------------------------------------------------------------------------- */

/* Whether what was found is the holder still. One that is over is not, but its number may be in use
 * again. */
static bool is_met(struct holder *h, const struct found *f) {
    if (f->number != h->number)
        return false;
    if (h->over && span_equals(span_of(h->over), "closed"))
        h->over = "reused";
    return !h->over && f->major == h->major && f->minor == h->minor;
}

static void meet_holders(struct collector *c, const struct entry *e) {
    for (int32_t at = e->holder; at != NONE; at = c->holders[at].next) {
        struct holder *h = &c->holders[at];
        h->met = false;
        for (uint32_t i = 0; i < c->found_count && !h->met; i++) {
            h->met = is_met(h, &c->found[i]);
            c->found[i].met |= h->met;
        }
    }
}

static void open_found(struct collector *c, struct entry *e) {
    for (uint32_t i = 0; i < c->found_count; i++)
        if (!c->found[i].met)
            hold_open(c, e, &c->found[i]);
}

void look_at(struct collector *c, struct entry *e) {
    int sys;
    e->look = false;
    e->looked_ns = c->now_ns;
    c->host->tally.looked++;
    sys = walk(c, e);
    if (sys != 0) {
        walk_failed(c, e, sys);
        return;
    }
    e->refused = REASON_COUNT;
    if (c->found_sys != 0)
        note_unseen(c, e, c->found_sys);
    if (c->found_count == 0 && e->holder == NONE)
        return;
    sys = know_process(c, e);
    if (sys != 0) {
        note_unseen(c, e, sys);
        return;
    }
    meet_holders(c, e);
    if (c->found_sys == 0)
        hold_close_unmet(c, e);
    open_found(c, e);
    hold_end_process(c, e, e->ended ? "exited" : "closed");
}
