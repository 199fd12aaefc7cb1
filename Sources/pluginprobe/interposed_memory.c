// Allocation. The C library has its own functions under second names, so that nothing must be looked up before anything
// can be allocated.
#define _GNU_SOURCE
#include "interpose.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void *__libc_pvalloc(size_t);
extern void __libc_free(void *);

void *interpose_next(const char *name, const char *version) {
    // A look-up may allocate, lock and, the first time, load: it is ours.
    const bool was_inside = region_pause();
    void *next = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    if (!next) next = dlsym(RTLD_NEXT, name);
    region_resume(was_inside);
    return next;
}

#define ALLOCATION(name, bytes, call)                                                                                  \
    if (__builtin_expect(!region.is_inside, 1)) return call;                                                           \
    const bool was_inside = region_pause();                                                                            \
    record("allocation", name, __builtin_return_address(0), (double)(bytes));                                          \
    void *result = call;                                                                                               \
    region_resume(was_inside);                                                                                         \
    return result

void *malloc(size_t size) { ALLOCATION("malloc", size, __libc_malloc(size)); }
void *calloc(size_t count, size_t size) {
    ALLOCATION("calloc", (double)count * (double)size, __libc_calloc(count, size));
}
void *realloc(void *memory, size_t size) { ALLOCATION("realloc", size, __libc_realloc(memory, size)); }
void *memalign(size_t alignment, size_t size) { ALLOCATION("memalign", size, __libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) {
    ALLOCATION("aligned_alloc", size, __libc_memalign(alignment, size));
}
void *pvalloc(size_t size) { ALLOCATION("pvalloc", size, __libc_pvalloc(size)); }
void *valloc(size_t size) { ALLOCATION("valloc", size, __libc_memalign(4096, size)); }
void *reallocarray(void *memory, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    ALLOCATION("reallocarray", bytes, __libc_realloc(memory, bytes));
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    const bool was_inside = region_pause();
    if (was_inside) record("allocation", "posix_memalign", __builtin_return_address(0), (double)size);
    void *result = __libc_memalign(alignment, size);
    region_resume(was_inside);
    if (!result) return ENOMEM;
    *memory = result;
    return 0;
}

void free(void *memory) {
    if (!memory) return;
    if (__builtin_expect(!region.is_inside, 1)) {
        __libc_free(memory);
        return;
    }
    const bool was_inside = region_pause();
    record("allocation", "free", __builtin_return_address(0), 0);
    __libc_free(memory);
    region_resume(was_inside);
}

WATCHED("systemCall", void *, mmap, (void *address, size_t size, int protection, int flags, int file, off_t offset),
        (address, size, protection, flags, file, offset))
WATCHED("systemCall", void *, mmap64, (void *address, size_t size, int protection, int flags, int file, off64_t offset),
        (address, size, protection, flags, file, offset))
void *mremap(void *address, size_t size, size_t other_size, int flags, ...) {
    const bool was_inside = region_pause();
    if (was_inside) record("systemCall", "mremap", __builtin_return_address(0), 0);
    va_list list;
    va_start(list, flags);
    void *place = flags & MREMAP_FIXED ? va_arg(list, void *) : NULL;
    va_end(list);
    void *result = NEXT(mremap)(address, size, other_size, flags, place);
    region_resume(was_inside);
    return result;
}
WATCHED("systemCall", int, munmap, (void *address, size_t size), (address, size))
WATCHED("systemCall", int, mprotect, (void *address, size_t size, int protection), (address, size, protection))
WATCHED("systemCall", int, madvise, (void *address, size_t size, int advice), (address, size, advice))
WATCHED("systemCall", int, mlock, (const void *address, size_t size), (address, size))
WATCHED("systemCall", int, munlock, (const void *address, size_t size), (address, size))
WATCHED("systemCall", int, mlockall, (int flags), (flags))
WATCHED("systemCall", int, munlockall, (void), ())
WATCHED("systemCall", int, memfd_create, (const char *name, unsigned flags), (name, flags))
WATCHED("systemCall", ssize_t, process_vm_readv,
        (pid_t process, const struct iovec *own, unsigned long count, const struct iovec *other,
         unsigned long other_count, unsigned long flags),
        (process, own, count, other, other_count, flags))
WATCHED("systemCall", int, msync, (void *address, size_t size, int flags), (address, size, flags))

// Harmless but for their lock: told, and no reason to fail.
WATCHED("random", int, rand, (void), ())
WATCHED("random", long, random, (void), ())
// Of the kernel.
WATCHED("systemCall", ssize_t, getrandom, (void *data, size_t size, unsigned flags), (data, size, flags))
WATCHED("systemCall", int, getentropy, (void *data, size_t size), (data, size))
