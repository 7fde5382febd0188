/* The wrappers that the linker puts before the allocator. */
#include "failmem.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static atomic_ulong asked;
static atomic_ulong fail_at;
static atomic_bool fail_on;

void failmem_arm(unsigned long at, bool on) {
    atomic_store(&asked, 0);
    atomic_store(&fail_on, on);
    atomic_store(&fail_at, at);
}

unsigned long failmem_disarm(void) {
    atomic_store(&fail_at, 0);
    return atomic_load(&asked);
}

static bool fails(void) {
    unsigned long now = atomic_fetch_add(&asked, 1) + 1, at = atomic_load(&fail_at);
    bool does = at > 0 && (now == at || (now > at && atomic_load(&fail_on)));
    if (does)
        errno = ENOMEM;
    return does;
}

void *__wrap_malloc(size_t n) {
    return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n) {
    return fails() ? NULL : __real_realloc(p, n);
}
