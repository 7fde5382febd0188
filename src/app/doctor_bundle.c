/* A bundle for bug reports: a tar of what doctor says in both forms and of a short recording. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "doctor.h"

static enum err pack(struct buf *b, bool compress, struct err_info *info) {
    struct buf packed = {0};
    enum err e = b->failed ? ERR_NOMEM : ERR_OK;
    if (e == ERR_OK && compress) {
        e = zstd_pack(buf_span_of(b), &packed);
        buf_finish(b);
        *b = packed;
    }
    return e == ERR_OK ? e : err_set(info, e, 0, err_text(e), NULL);
}

static enum err fail(const char *path, struct err_info *info) {
    return err_set(info, err_from_sys(errno), errno, path, strerror(errno));
}

/* A name that leads anywhere but to a plain file is left alone, and one that is there is replaced: nobody else can read
 * what is written, whatever was there before. */
static enum err open_target(const char *path, int *fd, struct err_info *info) {
    struct stat st;
    *fd = -1;
    if (strcmp(path, "-") == 0) {
        if (isatty(STDOUT_FILENO))
            return err_set(info, ERR_USAGE, 0, "a bundle does not go to a terminal", NULL);
        *fd = dup(STDOUT_FILENO);
        return *fd >= 0 ? ERR_OK : fail(path, info);
    }
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return err_set(info, ERR_USAGE, 0, "not a plain file, so nothing is written there", path);
    if (unlink(path) != 0 && errno != ENOENT)
        return fail(path, info);
    *fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
    return *fd >= 0 ? ERR_OK : fail(path, info);
}

enum err doctor_bundle_write(const char *path, struct span text, struct span json,
                             struct span trace, struct err_info *info) {
    int64_t now = (int64_t)time(NULL);
    struct buf b = {0};
    int fd = -1;
    tar_put_file(&b, "doctor.txt", text, now);
    tar_put_file(&b, "doctor.json", json, now);
    tar_put_file(&b, "trace.gwt", trace, now);
    tar_put_end(&b);
    enum err e = pack(&b, span_ends(span_of(path), ".zst"), info);
    if (e == ERR_OK)
        e = open_target(path, &fd, info);
    if (e == ERR_OK)
        e = write_all(fd, &b, info);
    if (fd >= 0 && close(fd) != 0 && e == ERR_OK)
        e = fail(path, info);
    buf_finish(&b);
    return e;
}
