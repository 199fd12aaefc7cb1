// Functions of the C library that this program has too, under their own names: what it loads calls these first. The
// linker exports them, because the C library names them.
#pragma once

#include "findings.h"
#include "region.h"

/// The C library's own. `version` for those of which it has several.
void *interpose_next(const char *name, const char *version);

#define NEXT_VERSION(name, version)                                                                                    \
    ({                                                                                                                 \
        static __typeof__(&name) next;                                                                                 \
        if (!next) next = (__typeof__(&name))interpose_next(#name, version);                                           \
        next;                                                                                                          \
    })
#define NEXT(name) NEXT_VERSION(name, NULL)

/// Defines a function that is counted inside the region, and then makes a call.
#define COUNTED(kind, type, name, parameters, call)                                                                    \
    type name parameters {                                                                                             \
        const bool was_inside = region_pause();                                                                        \
        if (was_inside) record(kind, #name, __builtin_return_address(0), 0);                                           \
        type result = call;                                                                                            \
        region_resume(was_inside);                                                                                     \
        return result;                                                                                                 \
    }

/// Defines a function that is counted inside the region, and then does what it always does.
#define WATCHED(kind, type, name, parameters, arguments)                                                               \
    type name parameters {                                                                                             \
        if (__builtin_expect(!region.is_inside, 1)) return NEXT(name) arguments;                                       \
        const bool was_inside = region_pause();                                                                        \
        record(kind, #name, __builtin_return_address(0), 0);                                                           \
        type result = NEXT(name) arguments;                                                                            \
        region_resume(was_inside);                                                                                     \
        return result;                                                                                                 \
    }
