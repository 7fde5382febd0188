/* PseudoWatt: what busy time costs, as far as clock and voltage tell. */
#include "gwtop/core.h"

/* 1 PW is one unit busy at this clock and 1 V. */
static const double reference_hz = 266e6;

double pseudowatt_cycles(double cycles_v2) {
    return cycles_v2 / reference_hz;
}

double pseudowatt_seconds(uint64_t clock_hz, uint32_t voltage_uv, int64_t busy_ns) {
    double volt = voltage_uv * 1e-6;
    double cycles = (double)clock_hz * ((double)busy_ns * 1e-9);
    return busy_ns > 0 ? pseudowatt_cycles(volt * volt * cycles) : 0.0;
}
