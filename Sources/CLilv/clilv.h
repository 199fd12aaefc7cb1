// The edge to C: lilv, the extensions of LV2 that a host offers, and what Swift cannot import of them: a log with variable
// arguments. CLoading loads the library.
#pragma once

#include <stdio.h>

#include <lilv-0/lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>

/// Where the lines of a log go. Called on any thread.
typedef void (*clilv_line_function)(void *context, LV2_URID type, const char *text, size_t length);

/// A log's handle: the sink, and what it is called with.
typedef struct clilv_log {
    clilv_line_function line;
    void *context;
} clilv_log;

static int clilv_log_vprintf(LV2_Log_Handle handle, LV2_URID type, const char *format, va_list arguments) {
    // On the stack, so that nothing is allocated. A longer text is cut.
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
