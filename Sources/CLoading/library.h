#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "include/cloading.h"

struct cloading_function {
    const char *name;
    /// Where the jump finds its address.
    void **slot;
};

struct cloading_library {
    const char *file;
    const struct cloading_function *functions;
    size_t count;
    /// Called with the loader's handle when it was loaded, before its functions can be called; NULL for nothing.
    void (*prepare)(void *handle);
    /// Held while it is loaded.
    pthread_mutex_t lock;
    bool is_loaded;
};

/// Ends the program: a function was called before its library was loaded.
void cloading_not_loaded(void);

/// Loads a library that every installation has. Where it is missing or broken, the program ends here with 69: nothing is closed.
void cloading_require(struct cloading_library *library);
