// Time, in seconds.
#pragma once

#include <time.h>

static inline double clocks_seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline double clocks_now(void) { return clocks_seconds(CLOCK_MONOTONIC); }
/// What this thread has had of a processor.
static inline double clocks_used(void) { return clocks_seconds(CLOCK_THREAD_CPUTIME_ID); }
