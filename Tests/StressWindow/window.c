#define _GNU_SOURCE
#include "window.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

static atomic_bool is_armed;
static atomic_bool was_entered;

void window_arm(void) {
    atomic_store(&was_entered, false);
    atomic_store(&is_armed, true);
}
void window_disarm(void) { atomic_store(&is_armed, false); }
bool window_was_entered(void) { return atomic_load(&was_entered); }

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Stands before the C library's, as a program's own symbols do.
int shm_open(const char *name, int flags, mode_t mode) {
    static int (*genuine)(const char *, int, mode_t);
    if (!genuine) genuine = (int (*)(const char *, int, mode_t))dlsym(RTLD_NEXT, "shm_open");
    if (atomic_load(&is_armed)) {
        atomic_store(&was_entered, true);
        // Not asleep: a thread that sleeps is cancelled in its sleep, and nothing else is tried.
        for (const uint64_t end = nanoseconds() + 5000000; nanoseconds() < end;) {
        }
    }
    return genuine(name, flags, mode);
}
