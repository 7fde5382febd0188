/* The collectors of fdinfo on machines whose calls fail: see faultwalk.h. */
#include "faultwalk.h"
#include "skipped_clock.h"

int main(void) {
    return fault_walk("fdinfo");
}
