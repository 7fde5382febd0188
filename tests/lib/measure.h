/* Clocks, medians and the table of the benchmarks. */
#ifndef TEST_MEASURE_H
#define TEST_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MEASURE_MAX 512

struct measure {
    unsigned count;
    double wall_us[MEASURE_MAX];
    double cpu_us[MEASURE_MAX];
    int64_t wall_ns; /* of the pass under way */
    int64_t cpu_ns;
};

void measure_begin(struct measure *m);
void measure_end(struct measure *m);
double measure_wall_us(const struct measure *m); /* medians */
double measure_cpu_us(const struct measure *m);
void measure_sleep_ms(unsigned ms);

/* "name   value unit   (wanted <= limit)   reached"; at_least turns the comparison round. */
void measure_verdict(const char *name, double value, const char *unit, double limit, bool at_least);

/* The highest resident memory of a running process so far, KiB; 0 if it is not there. */
unsigned long measure_peak_kib(pid_t pid);

#endif
