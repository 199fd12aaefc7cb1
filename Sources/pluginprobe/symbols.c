#define _GNU_SOURCE
#include "symbols.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool symbols_are_raw;

static const void *own_base(void) {
    static const void *base;
    Dl_info info;
    if (!base && dladdr((const void *)&own_base, &info)) base = info.dli_fbase;
    return base;
}

bool symbols_place(const void *instruction, struct place *place) {
    Dl_info info;
    // The instruction that follows a call may be the next function's.
    if (!instruction || !dladdr((const char *)instruction - 1, &info) || !info.dli_fname) return false;
    if (info.dli_fbase == own_base()) return false;
    place->library = info.dli_fname;
    place->library_offset = (uintptr_t)instruction - (uintptr_t)info.dli_fbase;
    place->function[0] = 0;
    place->function_offset = 0;
    if (!info.dli_sname) return true;
    place->function_offset = (uintptr_t)instruction - (uintptr_t)info.dli_saddr;
    const char *name = info.dli_sname;
    if (symbols_are_raw) {
        snprintf(place->function, sizeof place->function, "%s", name);
        return true;
    }
    // From libstdc++, where it is loaded.
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
    char *(*demangle)(const char *, char *, size_t *, int *) =
        library ? (char *(*)(const char *, char *, size_t *, int *))dlsym(library, "__cxa_demangle") : NULL;
    int status = 1;
    char *plain = demangle && strncmp(name, "_Z", 2) == 0 ? demangle(name, NULL, NULL, &status) : NULL;
    snprintf(place->function, sizeof place->function, "%s", plain && status == 0 ? plain : name);
    free(plain);
    return true;
}
