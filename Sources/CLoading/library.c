#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

void cloading_not_loaded(void) {
    fputs("iounit: a library's function was called before cloading_load\n", stderr);
    abort();
}

/// Finds all functions, prepares the library, and then hands them out: a library that lacks one is none, and another thread may call
/// one as soon as it is handed out.
static const char *load(struct cloading_library *library) {
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    for (int is_known = 0; is_known < 2; is_known++) {
        if (is_known && library->prepare) library->prepare(handle);
        for (size_t index = 0; index < library->count; index++) {
            // What the library itself is linked with is found too.
            void *function = dlsym(handle, library->functions[index].name);
            if (!function) return dlerror();
            if (is_known) *library->functions[index].slot = function;
        }
    }
    library->is_loaded = true;
    return NULL;
}

const char *cloading_load(struct cloading_library *library) {
    pthread_mutex_lock(&library->lock);
    const char *reason = library->is_loaded ? NULL : load(library);
    pthread_mutex_unlock(&library->lock);
    return reason;
}

void cloading_require(struct cloading_library *library) {
    const char *reason = cloading_load(library);
    if (!reason) return;
    fprintf(stderr, "iounit: %s cannot be loaded (%s); install iounit's packages again\n", library->file, reason);
    _exit(EX_UNAVAILABLE);
}

const char *cloading_file(const struct cloading_library *library) { return library->file; }
