// What the files of this module share.
#pragma once

#include "cpluginguard.h"

#include <setjmp.h>
#include <stdatomic.h>

struct cplugin_library {
    uintptr_t start, end;
    atomic_uint counts[CPLUGIN_KINDS];
    /// Its folder, ending in `/`; empty or null where it is not known.
    const char *bundle;
};

/// A call of a plug-in that this thread is in, and where it goes on when the plug-in wants to end the process.
struct call {
    jmp_buf place;
    cplugin_guard *guard;
    struct call *outer;
};

// Of the initial-exec model, so that the audio thread allocates nothing for it.
extern _Thread_local struct call *cplugin_current __attribute__((visibility("hidden"), tls_model("initial-exec")));

/// Leaves the call that this thread is in; returns where it is in none.
__attribute__((visibility("hidden"))) void cplugin_leave(const char *function);
/// The library that this thread is in a call of; null where it is in none.
__attribute__((visibility("hidden"))) cplugin_library *cplugin_called(void);
/// Counts what was refused to the code at an address, or to the plug-in that this thread is in.
__attribute__((visibility("hidden"))) void cplugin_count(cplugin_kind kind, const void *site);
/// Redirects the calls of a library that a plug-in has loaded itself, where it is in the bundle of a known one.
__attribute__((visibility("hidden"))) void cplugin_library_loaded(void *loaded);
typedef void cplugin_terminate(void);
typedef cplugin_terminate *cplugin_set_terminate(cplugin_terminate *handler);
/// Has a library of C++ leave the call of a plug-in where it would end the process. `std::set_terminate` of that library; may be null.
__attribute__((visibility("hidden"))) void cplugin_catch(cplugin_set_terminate *set);

/// A function of the C library, and what a plug-in calls in its place.
typedef struct {
    const char *name;
    const void *function;
} cplugin_replacement;
#define SAME(name) {#name, (const void *)guarded_##name}
#define AS(name, other) {#name, (const void *)guarded_##other}
/// Where a function was called from.
#define SITE __builtin_return_address(0)

// Each ends with one that has no name.
extern const cplugin_replacement cplugin_ends[] __attribute__((visibility("hidden")));
extern const cplugin_replacement cplugin_descriptors[] __attribute__((visibility("hidden")));
/// What a name of the C library leads to from a plug-in; null where that is left alone.
__attribute__((visibility("hidden"))) const void *cplugin_replaced(const char *name);
