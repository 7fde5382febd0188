/* Runs the real program (GWTOP_BIN, else build/release/gwtop) and catches what it says. */
#ifndef TEST_PROGRAM_H
#define TEST_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* For what never comes: a machine may be slow, and no test fails because it is. */
#define PROGRAM_PATIENCE_S 200.0

struct program {
    const char *const *args; /* without the program's name; NULL at the end */
    const char *const
        *env; /* "NAME=value", or "NAME" to take it away; NULL at the end; may be NULL */
    const char *stdout_path; /* instead of catching it */
    const char *passwd;      /* stands in for /etc/passwd where we are root; NULL */
    bool bare_root; /* where we are root: without any capability, as any user of the files */
    double seconds; /* it is killed after; 0: PROGRAM_PATIENCE_S */
};

struct program_result {
    int status; /* of its exit; 128 + signal */
    bool timed_out;
    char *out; /* NUL-terminated */
    size_t out_size;
    char *err;
    size_t err_size;
};

const char *program_path(void);
/* Runs it to its end. Free with program_finish. */
void program_run(const struct program *p, struct program_result *r);
void program_finish(struct program_result *r);

/* In the background. */
pid_t program_start(const struct program *p, int stdout_fd, int stderr_fd);
/* Waits at most so long, then kills it; the status as above, timed_out may be NULL. */
int program_wait(pid_t pid, double seconds, bool *timed_out);

/* In a child that is about to exec: environment, rights, another passwd. */
void program_prepare(const struct program *p);

/* argv of the call: PROGRAM_ARGS("--json", "-n", "2") */
#define PROGRAM_ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
