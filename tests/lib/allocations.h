/*
 * Counts every allocation of the program that includes this, libraries too: malloc and its kin stand in front of
 * glibc's own. To be included once per program, and not part of an archive, which would give it to every other
 * test as well. In sanitizer builds and under valgrind it stays at 0 and allocations_counted says so.
 */
#ifndef TEST_ALLOCATIONS_H
#define TEST_ALLOCATIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define COUNTED 0
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTED 0
#endif
#endif
#if !defined COUNTED && defined __GLIBC__
#define COUNTED 1
#endif

#if COUNTED
static atomic_ulong count;

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n) {
    atomic_fetch_add(&count, 1);
    return __libc_malloc(n);
}

void *calloc(size_t n, size_t size) {
    atomic_fetch_add(&count, 1);
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n) {
    atomic_fetch_add(&count, 1);
    return __libc_realloc(p, n);
}

/* Valgrind puts its own in front of ours. */
static inline bool allocations_counted(void) {
    unsigned long before = atomic_load(&count);
    void *volatile p = malloc(1);
    free(p);
    return atomic_load(&count) > before;
}

static inline unsigned long allocations_so_far(void) {
    return atomic_load(&count);
}
#else
static inline bool allocations_counted(void) {
    return false;
}

static inline unsigned long allocations_so_far(void) {
    return 0;
}
#endif

#endif
