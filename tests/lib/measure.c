/* Measuring. Wall clock and CPU time of this process, both in microseconds. */
#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t clock_ns(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

void measure_begin(struct measure *m) {
    m->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    m->wall_ns = clock_ns(CLOCK_MONOTONIC);
}

void measure_end(struct measure *m) {
    int64_t wall = clock_ns(CLOCK_MONOTONIC) - m->wall_ns;
    int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - m->cpu_ns;
    if (m->count == MEASURE_MAX)
        return;
    m->wall_us[m->count] = (double)wall / 1e3;
    m->cpu_us[m->count++] = (double)cpu / 1e3;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, unsigned n) {
    double sorted[MEASURE_MAX];
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    return n == 0 ? 0 : n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double measure_wall_us(const struct measure *m) {
    return median(m->wall_us, m->count);
}

double measure_cpu_us(const struct measure *m) {
    return median(m->cpu_us, m->count);
}

void measure_sleep_ms(unsigned ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        continue;
}

void measure_verdict(const char *name, double value, const char *unit, double limit,
                     bool at_least) {
    bool reached = at_least ? value >= limit : value <= limit;
    printf("  %-52s %9.2f %-6s (%s %g)  %s\n", name, value, unit, at_least ? ">=" : "<=", limit,
           reached ? "reached" : "MISSED");
    fflush(stdout);
}

unsigned long measure_peak_kib(pid_t pid) {
    char path[64], line[256];
    unsigned long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtoul(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return kib;
}
