/* `gwtop doctor`: what can be read here, and what it takes to read more; as text, JSON or a bundle for bug reports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "config.h"
#include "doctor.h"
#include "fence.h"
#include "gwtop/backend.h"

#define LOOK_NS      INT64_C(250000000)
#define WIDTH        80
#define LOOKS        2
#define BUNDLE_LOOKS 5

/* What would turn, open or wake something is left out. */
static struct options harmless(const struct options *o) {
    static const enum option_id left_out[] = {OPT_COUNTERS, OPT_SET_PROFILING,  OPT_TRACEFS,
                                              OPT_PCIE_BW,  OPT_MALI_PROFILING, OPT_WAKE};
    struct options with = *o;
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
        with.given[left_out[i]] = false;
    return with;
}

/* ---- the recording ------------------------------------------------------------------------------- */

/* In memory: what it is made of is scrubbed before it is a file of any name. */
static enum err recording_begin(int *fd, struct trace_writer **out, struct err_info *info) {
    const struct trace_write_options options = {.scrub = true};
    *fd = memfd_create("gwtop-trace", MFD_CLOEXEC);
    int take = *fd >= 0 ? dup(*fd) : -1;
    if (take < 0)
        return err_set(info, err_from_sys(errno), errno, "no memory for a recording",
                       strerror(errno));
    enum err e = trace_writer_create(take, &backend_table, &options, out);
    return e == ERR_OK ? e : err_set(info, e, 0, "the recording", err_text(e));
}

static enum err recording_take(int fd, struct buf *out, struct err_info *info) {
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size < 0 || !buf_reserve(out, (size_t)st.st_size + 1))
        return err_set(info, ERR_NOMEM, 0, "no memory for a recording", NULL);
    while (out->n < (size_t)st.st_size) {
        ssize_t n = pread(fd, out->p + out->n, (size_t)st.st_size - out->n, (off_t)out->n);
        if (n <= 0)
            return err_set(info, ERR_IO, errno, "the recording cannot be read back", NULL);
        out->n += (size_t)n;
    }
    return ERR_OK;
}

/* ---- looking -------------------------------------------------------------------------------------- */

static void work_finish(struct doctor_work *w) {
    doctor_watch_finish(&w->watch);
    live_stop(&w->live);
    doctor_texts_finish(&w->texts);
    free(w->facts);
    free(w->devices);
    free(w->nodes);
    free(w->sources);
    free(w->warnings);
}

static enum err look(struct doctor_work *w, unsigned ticks, struct err_info *info) {
    w->watch.texts = &w->texts;
    w->report.version = GWTOP_VERSION;
    w->report.root = w->options->root ? doctor_keep_private(&w->texts, w->options->root) : "";
    enum err e = live_start(w->options, LOOK_NS, &w->live, info);
    if (e == ERR_OK)
        e = doctor_watch_run(&w->watch, w->live.source, ticks, info);
    if (e != ERR_OK)
        return e;
    doctor_look_machine(w);
    doctor_look_devices(w);
    doctor_look_sources(w);
    return w->texts.failed ? err_set(info, ERR_NOMEM, 0, "out of memory", NULL) : ERR_OK;
}

/* ---- both ways of telling --------------------------------------------------------------------------- */

static enum err print(const struct options *o, struct err_info *info) {
    struct doctor_work w = {.options = o};
    struct buf b = {0};
    doctor_texts_init(&w.texts, o->given[OPT_SCRUB], o->root);
    enum err e = look(&w, LOOKS, info);
    fence_up(FENCE_MACHINE);
    if (e == ERR_OK && o->given[OPT_JSON])
        out_doctor_json(&w.report, &b);
    else if (e == ERR_OK)
        out_doctor_text(&w.report, WIDTH, stdout_unicode(o), &b);
    if (e == ERR_OK)
        e = write_all(STDOUT_FILENO, &b, info);
    buf_finish(&b);
    work_finish(&w);
    return e;
}

static enum err write_bundle(struct doctor_work *w, int trace_fd, const char *path,
                             struct err_info *info) {
    struct buf text = {0};
    struct buf json = {0};
    struct buf trace = {0};
    out_doctor_text(&w->report, WIDTH, true, &text);
    out_doctor_json(&w->report, &json);
    enum err e = recording_take(trace_fd, &trace, info);
    if (e == ERR_OK && (text.failed || json.failed))
        e = err_set(info, ERR_NOMEM, 0, "out of memory", NULL);
    if (e == ERR_OK)
        e = doctor_bundle_write(path, buf_span_of(&text), buf_span_of(&json), buf_span_of(&trace),
                                info);
    buf_finish(&text);
    buf_finish(&json);
    buf_finish(&trace);
    return e;
}

static enum err bundle(const struct options *o, struct err_info *info) {
    struct doctor_work w = {.options = o};
    struct trace_writer *writer = NULL;
    int fd = -1;
    doctor_texts_init(&w.texts, true, o->root);
    enum err e = recording_begin(&fd, &writer, info);
    if (e == ERR_OK)
        w.watch.also = trace_writer_sink(writer);
    if (e == ERR_OK)
        e = look(&w, BUNDLE_LOOKS, info);
    enum err closed = trace_writer_close(writer, e == ERR_OK ? info : NULL);
    e = e == ERR_OK ? closed : e;
    fence_up(FENCE_MACHINE | FENCE_FILES | FENCE_NAMED);
    if (e == ERR_OK)
        e = write_bundle(&w, fd, o->bundle, info);
    if (e == ERR_OK && strcmp(o->bundle, "-") != 0)
        fprintf(stderr, "gwtop: the report and %d ticks, without names, are in %s\n", BUNDLE_LOOKS,
                o->bundle);
    if (fd >= 0)
        close(fd);
    work_finish(&w);
    return e;
}

/* A bundle is a file: settings that say "readonly" forbid it. */
static enum err check_settings(const struct options *o, struct err_info *info) {
    struct settings settings;
    struct buf warnings = {0};
    char *save = NULL;
    enum err e = settings_from_options(o, &settings, &warnings, &save, info);
    free(save);
    buf_finish(&warnings);
    return e;
}

int command_doctor(const struct options *o) {
    const struct options with = harmless(o);
    struct err_info info = {0};
    enum err e = o->bundle ? check_settings(&with, &info) : ERR_OK;
    if (e == ERR_OK)
        e = o->bundle ? bundle(&with, &info) : print(&with, &info);
    return e == ERR_OK || e == ERR_CLOSED ? EXIT_DONE : report(&info);
}
