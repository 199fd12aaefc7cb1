// Stands in for a library that is loaded later: defines each of its functions that the program calls as a jump to where the
// loader has found it.
//
// Define LIBRARY, a name; FILE_NAME, the file that the loader is to look for, of the version whose headers are used; and
// FUNCTIONS(F), a list of F(name); then include this file. With LOADS_ITSELF, for a library that every installation has, the
// first call of any function loads it. PREPARE is a function to be called with the loader's handle of it then.
#pragma once

#include "library.h"

#ifdef LOADS_ITSELF
#define SLOT(name)                                                                             \
    extern void cloading_first_##name(void) __attribute__((visibility("hidden")));             \
    __attribute__((visibility("hidden"))) void *cloading_slot_##name = cloading_first_##name;
#else
#define SLOT(name) __attribute__((visibility("hidden"))) void *cloading_slot_##name = cloading_not_loaded;
#endif
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
#ifdef PREPARE
    .prepare = PREPARE,
#endif
    .lock = PTHREAD_MUTEX_INITIALIZER};

#ifdef LOADS_ITSELF
// Where a call goes while the library is not loaded: the registers that may hold arguments are kept meanwhile.
__attribute__((used)) static void load_required(void) { cloading_require(&library); }
#if defined(__x86_64__)
__asm__(".text\n load_first:\n push %rbp\n mov %rsp, %rbp\n"
        "push %rax\n push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %r11\n"
        "sub $128, %rsp\n"
        "movups %xmm0, (%rsp)\n movups %xmm1, 16(%rsp)\n movups %xmm2, 32(%rsp)\n movups %xmm3, 48(%rsp)\n"
        "movups %xmm4, 64(%rsp)\n movups %xmm5, 80(%rsp)\n movups %xmm6, 96(%rsp)\n movups %xmm7, 112(%rsp)\n"
        "call load_required\n"
        "movups (%rsp), %xmm0\n movups 16(%rsp), %xmm1\n movups 32(%rsp), %xmm2\n movups 48(%rsp), %xmm3\n"
        "movups 64(%rsp), %xmm4\n movups 80(%rsp), %xmm5\n movups 96(%rsp), %xmm6\n movups 112(%rsp), %xmm7\n"
        "add $128, %rsp\n"
        "pop %r11\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n pop %rax\n pop %rbp\n"
        "jmpq *(%r11)\n");
#define FIRST(name) "endbr64\n lea cloading_slot_" #name "(%rip), %r11\n jmp load_first\n"
#else
__asm__(".text\n load_first:\n stp x29, x30, [sp, #-224]!\n mov x29, sp\n"
        "stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n"
        "stp x8, x16, [sp, #80]\n"
        "stp q0, q1, [sp, #96]\n stp q2, q3, [sp, #128]\n stp q4, q5, [sp, #160]\n stp q6, q7, [sp, #192]\n"
        "bl load_required\n"
        "ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n ldp x6, x7, [sp, #64]\n"
        "ldp x8, x16, [sp, #80]\n"
        "ldp q0, q1, [sp, #96]\n ldp q2, q3, [sp, #128]\n ldp q4, q5, [sp, #160]\n ldp q6, q7, [sp, #192]\n"
        "ldp x29, x30, [sp], #224\n ldr x16, [x16]\n br x16\n");
#define FIRST(name)                                                                            \
    "bti c\n adrp x16, cloading_slot_" #name "\n add x16, x16, :lo12:cloading_slot_" #name "\n b load_first\n"
#endif
#define FORWARD_FIRST(name)                                                                    \
    __asm__(".text\n .globl cloading_first_" #name "\n .hidden cloading_first_" #name                              \
            "\n .type cloading_first_" #name ", %function\n cloading_first_" #name ":\n" FIRST(name)                \
            ".size cloading_first_" #name ", . - cloading_first_" #name "\n");
FUNCTIONS(FORWARD_FIRST)
#endif

#define JOINED(first, second) first##second
#define NAME_OF(library) JOINED(cloading_, library)
struct cloading_library *const NAME_OF(LIBRARY) = &library;
