// The call of a function that is only known at run time: a user's processor. Swift's check of what the audio thread does
// refuses calls through a pointer, and cannot see where one leads. So this is the only one; the function behind it is
// annotated and checked where it is compiled.
#pragma once

#ifdef __clang__
#define CPROCESSOR_RT_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))
#define CPROCESSOR_SAFE __attribute__((swift_attr("@safe")))
#else
#define CPROCESSOR_RT_SAFE
#define CPROCESSOR_SAFE
#endif

// Defined where a program is linked with the real-time sanitizer, and null elsewhere.
__attribute__((weak)) void __rtsan_realtime_enter(void);
__attribute__((weak)) void __rtsan_realtime_exit(void);

/// One call of a processor's function. AudioDSP alone knows the types behind the pointers.
typedef struct CPROCESSOR_SAFE cprocessor_call {
    void *_state;
    const void *_block;
} cprocessor_call;

typedef void (*cprocessor_function)(cprocessor_call call);

/// Calls the function, inside the real-time sanitizer's region: it also holds offline, where there is no audio thread.
/// Not inlined, so that Tools/disassembly finds the call in one place and under one name.
CPROCESSOR_RT_SAFE __attribute__((noinline)) static inline void cprocessor_run(cprocessor_function function,
                                                                              cprocessor_call call) {
    if (__rtsan_realtime_enter) __rtsan_realtime_enter();
    function(call);
    if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}
