// Where the audio thread is: inside the plug-in's real-time functions, or in ours.
#pragma once

#include <stdbool.h>

/// Of each thread. Reached without a call, so that every function that is watched may look at it.
struct region {
    /// What Syscall User Dispatch looks at: 1 turns system calls into signals.
    volatile char selector;
    volatile bool is_inside;
    /// Whether this thread has its system calls dispatched.
    bool is_dispatched;
    /// Whether it is the thread that runs the plug-in: findings are its own.
    bool is_audio;
};

extern _Thread_local struct region region;

/// Around the plug-in's functions.
static inline void region_enter(void) {
    region.is_inside = true;
    region.selector = region.is_dispatched;
}

static inline void region_leave(void) {
    region.selector = 0;
    region.is_inside = false;
}

/// Around what we do on the plug-in's behalf: nothing in here is the plug-in's.
static inline bool region_pause(void) {
    region.selector = 0;
    const bool was_inside = region.is_inside;
    region.is_inside = false;
    return was_inside;
}

static inline void region_resume(bool was_inside) {
    region.is_inside = was_inside;
    region.selector = was_inside && region.is_dispatched;
}

/// What a library of processors is offered, as CCheckedProcessors has it: its adapter runs inside `run` as well, and is not
/// looked at.
#define REGION_URI "urn:iounit:region"
struct region_feature {
    void (*leave)(void);
    void (*enter)(void);
};
