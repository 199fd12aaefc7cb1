// Stands in for a library that is loaded later: defines each of its functions that the program calls as a jump to where the
// loader has found it.
//
// Define LIBRARY, a name; FILE_NAME, the file that the loader is to look for, of the version whose headers are used; and
// FUNCTIONS(F), a list of F(name); then include this file.
#pragma once

#include "library.h"

#define SLOT(name) __attribute__((visibility("hidden"))) void *cloading_slot_##name = cloading_not_loaded;
FUNCTIONS(SLOT)

// Hidden, so that the library itself keeps calling its own. The jump leaves all arguments where they are.
#if defined(__x86_64__)
#define JUMP(name) "endbr64\n jmpq *cloading_slot_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name)                                                                             \
    "bti c\n adrp x16, cloading_slot_" #name "\n ldr x16, [x16, :lo12:cloading_slot_" #name "]\n br x16\n"
#else
#error "there is no jump for this processor yet: see Sources/CLoading/forward.h"
#endif
#define FORWARD(name)                                                                          \
    __asm__(".text\n .globl " #name "\n .hidden " #name "\n .type " #name ", %function\n" #name ":\n" JUMP(name) \
            ".size " #name ", . - " #name "\n");
FUNCTIONS(FORWARD)

#define PLACE(name) {#name, &cloading_slot_##name},
static const struct cloading_function functions[] = {FUNCTIONS(PLACE)};
static struct cloading_library library = {
    .file = FILE_NAME, .functions = functions, .count = sizeof functions / sizeof *functions,
    .lock = PTHREAD_MUTEX_INITIALIZER};

#define JOINED(first, second) first##second
#define NAME_OF(library) JOINED(cloading_, library)
struct cloading_library *const NAME_OF(LIBRARY) = &library;
