/* Large pages of memory, where the operating system has them. */

#ifndef PYTREES_PAGES_H
#define PYTREES_PAGES_H

#include <stddef.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if defined(MADV_HUGEPAGE)

#include <stdint.h>

/* Smaller pieces of memory are left alone; NumPy draws the same line. */
#define PYTREES_LARGE_MEMORY ((size_t)1 << 22)
#define PYTREES_PAGE ((uintptr_t)4096)

/* Ask for large pages for memory that is about to be filled: the system then maps it in 512 times fewer steps, which
take longer than filling it. It is only a wish, so that an error does not matter. */
static inline void pytrees_ask_for_large_pages(void *memory, size_t size) {
    uintptr_t first = ((uintptr_t)memory + PYTREES_PAGE - 1) & ~(PYTREES_PAGE - 1);
    if (size >= PYTREES_LARGE_MEMORY)
        (void)madvise((void *)first, size - (first - (uintptr_t)memory), MADV_HUGEPAGE);
}

#else

static inline void pytrees_ask_for_large_pages(void *memory, size_t size) {
    (void)memory;
    (void)size;
}

#endif
#endif
