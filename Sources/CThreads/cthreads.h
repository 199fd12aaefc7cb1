// The edge to the C library: what Swift cannot import of it, and which of its calls the audio thread is permitted.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#ifdef __clang__
#define RT_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))
#else
#define RT_SAFE
#endif

// ---- The contract list, as far as it needs no JACK ----------------------------------------------------------------
// A function annotated `@_noLocks @_noAllocation` may call these, what cjack.h adds to them, and no other C.

/// The monotonic clock in nanoseconds. clock_gettime reads it in user space (vDSO), without a system call.
RT_SAFE static inline uint64_t cthreads_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Wakes a thread that waits for a semaphore. Only queued mode does that from the audio thread: its worker is to be
/// called back when a buffer is full, there and then. It never waits: an atomic addition and, where the worker sleeps, one
/// system call of bounded length.
RT_SAFE static inline void cthreads_wake(sem_t *semaphore) {
    // Fails only beyond two thousand million posts that nobody waited for.
    sem_post(semaphore);
}

// ---- What Swift cannot import ----------------------------------------------------------------------------------

// glibc declares these three to programs that ask for GNU's extensions, and Swift does not ask.
int sem_clockwait(sem_t *__restrict semaphore, clockid_t clock, const struct timespec *__restrict time);
int pipe2(int ends[2], int flags);
int ppoll(struct pollfd *files, nfds_t count, const struct timespec *time, const sigset_t *mask);

/// How many processors this process may run on; -1 where that cannot be told.
static inline int cthreads_permitted_processors(void) {
    unsigned char set[1024];
    const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
    int count = 0;
    for (long index = 0; index < bytes; index++) count += __builtin_popcount(set[index]);
    return bytes < 0 ? -1 : count;
}

/// Names the calling thread; at most 15 bytes are kept.
static inline void cthreads_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// The kernel's number of the calling thread.
static inline int32_t cthreads_thread_number(void) { return (int32_t)syscall(SYS_gettid); }

/// The clock that counts a thread's processor time, as the kernel numbers it (glibc has it only for its own handles).
static inline clockid_t cthreads_thread_clock(int32_t thread) {
    return (clockid_t)((~(uint32_t)thread << 3) | 6u);
}

/// Waits for a semaphore up to a time of the monotonic clock.
static inline void cthreads_wait_until(sem_t *semaphore, uint64_t nanoseconds) {
    const struct timespec time = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    while (sem_clockwait(semaphore, CLOCK_MONOTONIC, &time) != 0 && errno == EINTR) {
    }
}

/// Waits until one of the files can be read, for a time to the nanosecond; returns how many can.
static inline int cthreads_poll(struct pollfd *files, nfds_t count, uint64_t nanoseconds) {
    const struct timespec time = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    return ppoll(files, count, &time, 0);
}

/// A pipe that no other program inherits, not even one that another thread starts at this moment.
static inline int cthreads_pipe(int *reading, int *writing) {
    int ends[2];
    const int result = pipe2(ends, O_CLOEXEC);
    if (result == 0) {
        *reading = ends[0];
        *writing = ends[1];
    }
    return result;
}

/// The next connection that waits at a socket, or -1. No other program inherits it, and no call on it waits. (The kernel's flags
/// are those of files; sys/socket.h in here would be taken from Swift's Glibc.)
static inline int cthreads_accept(int socket) {
    return (int)syscall(SYS_accept4, socket, 0, 0, O_CLOEXEC | O_NONBLOCK);
}

/// Denormal numbers cost a hundred times a normal one's time: flush them to zero on the calling thread.
/// Returns the thread's floating-point modes from before.
static inline uint64_t cthreads_flush_denormals(void) {
#if defined(__x86_64__)
    const uint32_t before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero
    return before;
#elif defined(__aarch64__)
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | (1u << 24)));
    return before;
#else
    return 0;
#endif
}

/// Puts the modes in force again that `cthreads_flush_denormals` returned.
static inline void cthreads_restore_denormals(uint64_t before) {
#if defined(__x86_64__)
    _mm_setcsr((uint32_t)before);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
#else
    (void)before;
#endif
}
