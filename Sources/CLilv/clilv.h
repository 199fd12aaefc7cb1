// The edge to C: lilv, the extensions of LV2 that a host offers, and what Swift cannot import of them: calls through a pointer
// on the audio thread, and a log with variable arguments. CLoading loads the library.
#pragma once

#include <stdio.h>

#include <lilv-0/lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>

#ifdef __clang__
#define CLILV_RT_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))
#else
#define CLILV_RT_SAFE
#endif

/// At the end of a function: what it called before is called, and not jumped to, so that Tools/disassembly finds the call.
#define CLILV_NO_JUMP __asm__ volatile("")

typedef void (*clilv_run_function)(LV2_Handle handle, uint32_t frames);
typedef LV2_Worker_Status (*clilv_response_function)(LV2_Handle handle, uint32_t size, const void *body);
typedef LV2_Worker_Status (*clilv_end_function)(LV2_Handle handle);

/// Calls a plug-in's `run`, unchecked. Then restores the floating-point modes: a change would be heard in all that is rendered
/// later.
CLILV_RT_SAFE __attribute__((noinline)) static inline void clilv_run(clilv_run_function run, LV2_Handle handle,
                                                                     uint32_t frames) {
#if defined(__x86_64__)
    unsigned modes = __builtin_ia32_stmxcsr();
    run(handle, frames);
    __builtin_ia32_ldmxcsr(modes);
#elif defined(__aarch64__)
    unsigned long modes;
    __asm__ volatile("mrs %0, fpcr" : "=r"(modes));
    run(handle, frames);
    __asm__ volatile("msr fpcr, %0" : : "r"(modes));
#else
    run(handle, frames);
#endif
}

/// Hands a plug-in what its worker has answered.
CLILV_RT_SAFE __attribute__((noinline)) static inline void clilv_respond(clilv_response_function respond,
                                                                         LV2_Handle handle, uint32_t size,
                                                                         const void *body) {
    respond(handle, size, body);
    CLILV_NO_JUMP;
}

/// Tells a plug-in that it was handed all answers of this block.
CLILV_RT_SAFE __attribute__((noinline)) static inline void clilv_end_run(clilv_end_function end, LV2_Handle handle) {
    end(handle);
    CLILV_NO_JUMP;
}

/// Where the lines of a log go. Called on any thread.
typedef void (*clilv_line_function)(void *context, LV2_URID type, const char *text, size_t length);

/// A log's handle: the sink, and what it is called with.
typedef struct clilv_log {
    clilv_line_function line;
    void *context;
} clilv_log;

static int clilv_log_vprintf(LV2_Log_Handle handle, LV2_URID type, const char *format, va_list arguments) {
    // On the stack, so that nothing is allocated. What is longer is cut.
    char text[512];
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length < 0) return length;
    const clilv_log *log = (const clilv_log *)handle;
    log->line(log->context, type, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    return length;
}

static int clilv_log_printf(LV2_Log_Handle handle, LV2_URID type, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = clilv_log_vprintf(handle, type, format, arguments);
    va_end(arguments);
    return length;
}

/// What a plug-in is given to log with.
static inline LV2_Log_Log clilv_log_feature(clilv_log *log) {
    LV2_Log_Log feature = {log, clilv_log_printf, clilv_log_vprintf};
    return feature;
}
