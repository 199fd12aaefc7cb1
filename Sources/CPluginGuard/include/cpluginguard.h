// Calls an LV2 plug-in so that it cannot end the process, close descriptors that it did not open, fork, install signal handlers,
// have timers send signals or print where the program has its data. Only the plug-in's own libraries are changed, and nothing
// else of the process.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#define CPLUGIN_RT_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))
#else
#define CPLUGIN_RT_SAFE
#endif

/// What was refused to a library.
typedef enum {
    /// A thread of its own has called `exit`, and was ended alone.
    CPLUGIN_ENDED_THREAD,
    /// It wanted to close a descriptor that it did not open.
    CPLUGIN_CLOSED,
    /// It wanted to fork, or to become another program.
    CPLUGIN_FORKED,
    /// It wanted to install a signal handler.
    CPLUGIN_HANDLED,
    /// It wanted a timer to send signals, which it cannot handle.
    CPLUGIN_SIGNALLED,
    CPLUGIN_KINDS,
} cplugin_kind;

/// A library of plug-ins. Stays for good.
typedef struct cplugin_library cplugin_library;
/// An instance of a plug-in, as the host calls it.
typedef struct cplugin_guard cplugin_guard;

/// Redirects the calls of a library that `dlopen` has loaded, and of the others in its bundle: those that are loaded by now, and each
/// that it loads later once it looks for a function there (`dlsym`). Does nothing the second time.
///
/// - bundle: its folder, ending in `/`; may be empty.
/// Thread: any but audio; so for all below but what says otherwise.
cplugin_library *cplugin_library_guard(void *loaded, const char *bundle);
/// `lv2_descriptor`; null where it is none, or has ended the guard.
const void *cplugin_descriptor(cplugin_guard *guard, void *function, uint32_t index);

/// One that has no instance yet: its `run` does nothing. Null without memory.
cplugin_guard *cplugin_guard_new(cplugin_library *library);
void cplugin_guard_free(cplugin_guard *guard);
/// The function by which the plug-in wanted to end the process, as `std::terminate` where it lets an exception out; null where it
/// did not. It is not called after that. Thread: any. Wait-free.
CPLUGIN_RT_SAFE const char *cplugin_ended(const cplugin_guard *guard);

/// How often something was refused to its library. Thread: any. Wait-free.
unsigned cplugin_refused(const cplugin_guard *guard, cplugin_kind kind);

/// A LilvInstance of a LilvPlugin, which becomes the guard's; null where it is refused.
void *cplugin_instantiate(cplugin_guard *guard, const void *plugin, double rate, const void *features);
bool cplugin_can_run(const cplugin_guard *guard);
bool cplugin_has_worker(const cplugin_guard *guard);
CPLUGIN_RT_SAFE bool cplugin_takes_responses(const cplugin_guard *guard);
void cplugin_connect(cplugin_guard *guard, uint32_t port, void *place);
void cplugin_activate(cplugin_guard *guard);
void cplugin_deactivate(cplugin_guard *guard);
/// `lilv_instance_free`. Not for one that has ended.
void cplugin_cleanup(cplugin_guard *guard);
/// `lilv_state_new_from_instance`, without files.
void *cplugin_save(cplugin_guard *guard, const void *plugin, void *map,
                   const void *(*value)(const char *symbol, void *context, uint32_t *size, uint32_t *type),
                   void *context, uint32_t flags, const void *features);
/// `lilv_state_restore` of a LilvState, without ports.
void cplugin_restore(cplugin_guard *guard, const void *state, const void *features);
/// Thread: a worker's.
void cplugin_work(cplugin_guard *guard, uint32_t (*respond)(void *to, uint32_t size, const void *body), void *to,
                  uint32_t size, const void *body);

/// Calls `run`, unchecked. Then restores the floating-point modes: a change would be heard in all that is rendered later. So do
/// all others here. Thread: audio, for this and below.
CPLUGIN_RT_SAFE void cplugin_run(cplugin_guard *guard, uint32_t frames);
/// Hands the plug-in what its worker has answered.
CPLUGIN_RT_SAFE void cplugin_respond(cplugin_guard *guard, uint32_t size, const void *body);
/// Tells the plug-in that it was handed all answers of this block.
CPLUGIN_RT_SAFE void cplugin_end_run(cplugin_guard *guard);

/// Whether the processor's counter runs at one rate whatever the processor does. Thread: any.
bool cplugin_counter_is_steady(void);

/// The processor's counter. Of x86-64 it may be read some instructions early or late, which is nothing beside a run. Thread: any.
CPLUGIN_RT_SAFE static inline uint64_t cplugin_ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}
