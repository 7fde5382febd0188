/* The script of an emulated device, and its log. */
#include "emul.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool set_number(const struct emul_field *fields, size_t count, const char *key,
                       const char *value) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].name, key) == 0) {
            *fields[i].value = strtoull(value, NULL, 0);
            return true;
        }
    return false;
}

void emul_script_read(const struct emul_field *fields, size_t count,
                      bool (*word)(const char *key, const char *value)) {
    const char *script = getenv("GWTOP_EMUL_SCRIPT");
    char *text = strdup(script ? script : ""), *rest = text;
    if (!text)
        abort();
    for (char *value; (value = strsep(&rest, ";"));) {
        char *key = strsep(&value, "=");
        if (!value)
            continue;
        if (!set_number(fields, count, key, value) && !word(key, value)) {
            misuse("of the script: %s", key);
            abort();
        }
    }
    free(text);
}

static void put_line(const char *start, const char *format, va_list args) {
    const char *path = getenv("GWTOP_EMUL_LOG");
    char line[2048];
    int keep = errno, n, more;
    if (!path)
        return;
    n = snprintf(line, sizeof line, "%s", start);
    more = vsnprintf(line + n, sizeof line - (size_t)n - 1, format, args);
    n += more > 0 ? more : 0;
    if (n > (int)sizeof line - 2)
        n = (int)sizeof line - 2;
    line[n++] = '\n';
    int fd =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd >= 0) {
        (void)!write(fd, line, (size_t)n);
        (void)syscall(SYS_close, fd);
    }
    errno = keep;
}

void note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line("", format, args);
    va_end(args);
}

void misuse(const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_line("MISUSE ", format, args);
    va_end(args);
}

int fail(int sys) {
    errno = sys;
    return -1;
}
