/* The machine around the devices: kernel, who asks and with which rights, container, terminal, configuration. */
#include <langinfo.h>
#include <limits.h>
#include <linux/capability.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "config.h"
#include "doctor.h"
#include "fence.h"
#include "gwtop/term.h"

enum { GROUPS_MAX = 64 };

/* ---- adding ------------------------------------------------------------------------------------ */

static bool grow(struct doctor_work *w, void **items, uint32_t *cap, uint32_t count, size_t size) {
    bool fits = vec_reserve(items, cap, count + 1, size) == ERR_OK;
    w->texts.failed |= !fits;
    return fits;
}

static void add_fact(struct doctor_work *w, const char *key, const char *kept) {
    struct doctor *d = &w->report;
    if (grow(w, (void **)&w->facts, &w->fact_cap, d->fact_count, sizeof(*w->facts)))
        w->facts[d->fact_count++] = (struct doctor_fact){key, kept};
    d->facts = w->facts;
}

void doctor_add_source(struct doctor_work *w, const struct doctor_source *s) {
    struct doctor *d = &w->report;
    if (grow(w, (void **)&w->sources, &w->source_cap, d->source_count, sizeof(*s)))
        w->sources[d->source_count++] = *s;
    d->sources = w->sources;
}

static void add_warning(struct doctor_work *w, const char *kept) {
    struct doctor *d = &w->report;
    if (grow(w, (void **)&w->warnings, &w->warning_cap, d->warning_count, sizeof(kept)))
        w->warnings[d->warning_count++] = kept;
    d->warnings = w->warnings;
}

struct doctor_device *doctor_add_device(struct doctor_work *w) {
    static const struct doctor_device none = {"", "", "", "", "", "", "", 0, false, false, ""};
    struct doctor *d = &w->report;
    if (!grow(w, (void **)&w->devices, &w->device_cap, d->device_count, sizeof(none)))
        return NULL;
    d->devices = w->devices;
    w->devices[d->device_count] = none;
    return &w->devices[d->device_count++];
}

struct doctor_node *doctor_add_node(struct doctor_work *w) {
    static const struct doctor_node none = {.path = "", .user = "", .group = ""};
    struct doctor *d = &w->report;
    if (!grow(w, (void **)&w->nodes, &w->node_cap, d->node_count, sizeof(none)))
        return NULL;
    d->nodes = w->nodes;
    w->nodes[d->node_count] = none;
    return &w->nodes[d->node_count++];
}

const char *doctor_line(struct doctor_work *w, const char *format, ...) {
    char path[512];
    char text[256];
    struct span line = {"", 0};
    va_list args;
    va_start(args, format);
    int m = vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    ssize_t n = m > 0 && (size_t)m < sizeof(path)
                    ? host_slurp(w->live.host, w->live.host->root_fd, path, text, sizeof(text))
                    : -1;
    struct cursor c = cursor_over((struct span){text, n > 0 ? (size_t)n : 0});
    (void)cursor_line(&c, &line);
    return doctor_keep(&w->texts, line);
}

/* ---- kernel, build, rights --------------------------------------------------------------------- */

/* CAP_PERFMON is younger than Linux 5.8. */
static const char *perf_capability(const char *release) {
    struct cursor c = cursor_over(span_of(release));
    uint64_t major = 0;
    uint64_t minor = 0;
    if (cursor_u64(&c, &major) != ERR_OK || c.p >= c.end || *c.p++ != '.' ||
        cursor_u64(&c, &minor) != ERR_OK)
        return "cap_perfmon";
    return major > 5 || (major == 5 && minor >= 8) ? "cap_perfmon" : "cap_sys_admin";
}

/* In quotes where a shell would take it apart. */
static void quote(char *to, size_t cap, const char *path) {
    bool plain = path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789/._-+~")] == '\0';
    size_t n = 0;
    if (plain || strlen(path) * 4 + 3 > cap) {
        snprintf(to, cap, "%s", path);
        return;
    }
    to[n++] = '\'';
    for (; *path; path++)
        n += (size_t)snprintf(to + n, cap - n, *path == '\'' ? "'\\''" : "%c", *path);
    snprintf(to + n, cap - n, "'");
}

/* All that gwtop has a use for at once: a second call would take away what the first one gave. */
static void learn_setcap(struct doctor_work *w, const char *release) {
    char exe[PATH_MAX];
    char quoted[PATH_MAX * 4 + 3];
    char command[PATH_MAX * 4 + 64];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    if (n <= 0)
        n = snprintf(exe, sizeof(exe), "gwtop");
    exe[n] = '\0';
    quote(quoted, sizeof(quoted), exe);
    snprintf(command, sizeof(command), "sudo setcap cap_sys_ptrace,%s=ep %s",
             perf_capability(release), quoted);
    w->setcap = doctor_keep_private(&w->texts, command);
}

static void look_kernel(struct doctor_work *w) {
    struct utsname u;
    bool known = !w->live.host->rooted && uname(&u) == 0;
    const char *release = known ? doctor_keep_text(&w->texts, u.release)
                                : doctor_line(w, "proc/sys/kernel/osrelease");
    add_fact(w, "kernel",
             release[0] ? doctor_keep_format(&w->texts, "Linux %s%s%s", release, known ? " " : "",
                                             known ? u.machine : "")
                        : "not told");
    learn_setcap(w, release);
#ifdef __OPTIMIZE__
    static const char how[] = "optimised";
#else
    static const char how[] = "not optimised";
#endif
    add_fact(w, "build",
             doctor_keep_format(&w->texts, "%s, compiler %s, %u bits", how, __VERSION__,
                                (unsigned)sizeof(void *) * 8));
}

static void look_user(struct doctor_work *w) {
    gid_t groups[GROUPS_MAX];
    struct buf b = {0};
    int n = getgroups(GROUPS_MAX, groups);
    if (geteuid() == 0)
        buf_text(&b, "root");
    else if (w->texts.scrub)
        buf_text(&b, "an ordinary one");
    else
        buf_text(&b, doctor_user(w, geteuid()));
    buf_text(&b, ", in groups ");
    buf_text(&b, doctor_group(w, getegid()));
    for (int i = 0; i < n; i++)
        if (groups[i] != getegid()) {
            buf_char(&b, ' ');
            buf_text(&b, doctor_group(w, groups[i]));
        }
    add_fact(w, "user", doctor_keep(&w->texts, buf_span_of(&b)));
    buf_finish(&b);
}

static void look_rights(struct doctor_work *w) {
    static const struct {
        unsigned capability;
        const char *name;
    } list[] = {{CAP_SYS_PTRACE, "cap_sys_ptrace"},
                {CAP_PERFMON, "cap_perfmon"},
                {CAP_SYS_ADMIN, "cap_sys_admin"},
                {CAP_DAC_READ_SEARCH, "cap_dac_read_search"},
                {CAP_DAC_OVERRIDE, "cap_dac_override"},
                {CAP_NET_ADMIN, "cap_net_admin"},
                {CAP_KILL, "cap_kill"}};
    struct buf b = {0};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (host_has_capability(list[i].capability)) {
            buf_text(&b, list[i].name);
            buf_char(&b, ' ');
        }
    add_fact(w, "rights", b.n > 0 ? doctor_keep(&w->texts, buf_span_of(&b)) : "none");
    add_fact(w, "fence", fence_state());
    buf_finish(&b);
}

static void look_container(struct doctor_work *w) {
    static const struct {
        const char *file;
        const char *name;
    } marks[] = {{".dockerenv", "docker"}, {"run/.containerenv", "podman"}};
    const char *found = doctor_line(w, "run/systemd/container");
    struct stat st;
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !found[0]; i++)
        if (host_stat(w->live.host, w->live.host->root_fd, marks[i].file, &st) == 0)
            found = marks[i].name;
    add_fact(w, "container",
             found[0] ? doctor_keep_format(&w->texts,
                                           "inside one (%s): only what it was given is seen", found)
                      : "none seen");
}

/* ---- terminal and configuration ------------------------------------------------------------------ */

static void look_terminal(struct doctor_work *w) {
    struct err_info info = {0};
    const char *term = getenv("TERM");
    int colors = 0;
    bool fits = term_ask(term, &colors, &info) == ERR_OK;
    const char *name = doctor_keep_text(&w->texts, term);
    add_fact(w, "terminal",
             fits ? doctor_keep_format(&w->texts, "%s, %d colours%s", name, colors,
                                       color_refused(w->options) ? ", refused (NO_COLOR)" : "")
                  : doctor_keep_text(&w->texts, info.text));
    const char *locale = setlocale(LC_CTYPE, NULL);
    add_fact(w, "locale",
             doctor_keep_format(&w->texts, "%s, %s%s", locale ? locale : "C", nl_langinfo(CODESET),
                                stdout_unicode(w->options) ? "" : ": plain ASCII is drawn"));
}

/* Of a warning the place alone: what stands there may be a name. */
static const char *place_of(struct doctor_work *w, struct span line, const char *path) {
    size_t n = strlen(path);
    struct cursor c = cursor_over(span_skip(line, n + 1));
    uint64_t number;
    if (span_starts(line, path) && cursor_u64(&c, &number) == ERR_OK)
        return doctor_keep_format(&w->texts, "line %u is not understood", (unsigned)number);
    return "the file is not understood";
}

static void keep_warnings(struct doctor_work *w, const struct buf *warnings, const char *path) {
    struct cursor c = cursor_over(buf_span_of(warnings));
    struct span line;
    while (cursor_line(&c, &line))
        add_warning(w, w->texts.scrub ? place_of(w, line, path) : doctor_keep(&w->texts, line));
}

static void look_config(struct doctor_work *w) {
    struct config_paths paths;
    struct settings settings;
    struct buf warnings = {0};
    struct err_info info = {0};
    enum err e = config_find(w->options, &paths, &info);
    const char *path = e == ERR_OK ? paths.read : "";
    add_fact(w, "config",
             path[0] ? doctor_keep_private(&w->texts, path) : "no file: all at its default");
    if (e == ERR_OK)
        e = config_load(w->options, &paths, &settings, &warnings, &info);
    if (e != ERR_OK)
        add_warning(w, doctor_keep_private(&w->texts, info.text));
    keep_warnings(w, &warnings, path);
    buf_finish(&warnings);
}

void doctor_look_machine(struct doctor_work *w) {
    look_kernel(w);
    look_user(w);
    look_rights(w);
    look_container(w);
    look_terminal(w);
    look_config(w);
}
