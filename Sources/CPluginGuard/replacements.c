// What a plug-in calls in place of functions of the C library.
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

// Processes and signals.

/// For fork and exec of all kinds, whatever they take.
static int guarded_fork(void) {
    cplugin_count(CPLUGIN_FORKED, SITE);
    errno = EPERM;
    return -1;
}

static int guarded_sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    if (!action) return sigaction(number, action, old);
    cplugin_count(CPLUGIN_HANDLED, SITE);
    if (old) memset(old, 0, sizeof *old);
    return 0;
}
static sighandler_t guarded_signal(int number, sighandler_t handler) {
    (void)number, (void)handler;
    cplugin_count(CPLUGIN_HANDLED, SITE);
    return SIG_DFL;
}

// The standard output, which may have our data, becomes the standard error.

static int guarded_vprintf(const char *format, va_list list) { return vfprintf(stderr, format, list); }
#define FLAG int flag __attribute__((unused))
static int guarded_vprintf_chk(FLAG, const char *format, va_list list) { return vfprintf(stderr, format, list); }
#define PRINTS(name, parameters, call)                                                                                 \
    static int guarded_##name parameters {                                                                             \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        const int result = call;                                                                                       \
        va_end(list);                                                                                                  \
        return result;                                                                                                 \
    }
PRINTS(printf, (const char *format, ...), vfprintf(stderr, format, list))
PRINTS(printf_chk, (FLAG, const char *format, ...), vfprintf(stderr, format, list))
static int guarded_puts(const char *text) { return fprintf(stderr, "%s\n", text); }
static int guarded_putchar(int letter) { return fputc(letter, stderr); }

/// By its descriptor.
static int redirected(int file) { return file == STDOUT_FILENO ? STDERR_FILENO : file; }
static ssize_t guarded_write(int file, const void *data, size_t size) { return write(redirected(file), data, size); }
static ssize_t guarded_writev(int file, const struct iovec *parts, int count) {
    return writev(redirected(file), parts, count);
}
static int guarded_vdprintf(int file, const char *format, va_list list) {
    return vdprintf(redirected(file), format, list);
}
static int guarded_vdprintf_chk(int file, FLAG, const char *format, va_list list) {
    return vdprintf(redirected(file), format, list);
}
PRINTS(dprintf, (int file, const char *format, ...), vdprintf(redirected(file), format, list))
PRINTS(dprintf_chk, (int file, FLAG, const char *format, ...), vdprintf(redirected(file), format, list))

/// Wide characters have a stream of their own: one that has taken them takes no bytes from then on. (What a plug-in writes
/// with fputws or fwprintf to a stream by its name is not caught.)
static int guarded_vwprintf(const wchar_t *format, va_list list) {
    FILE *errors = fdopen(dup(STDERR_FILENO), "w");
    if (!errors) return -1;
    const int result = vfwprintf(errors, format, list);
    fclose(errors);
    return result;
}
static int guarded_vwprintf_chk(FLAG, const wchar_t *format, va_list list) { return guarded_vwprintf(format, list); }
PRINTS(wprintf, (const wchar_t *format, ...), guarded_vwprintf(format, list))
PRINTS(wprintf_chk, (FLAG, const wchar_t *format, ...), guarded_vwprintf(format, list))
static wint_t guarded_putwchar(wchar_t letter) {
    return fprintf(stderr, "%lc", (wint_t)letter) < 0 ? WEOF : (wint_t)letter;
}

// Libraries.

/// What a look-up has in place of what it would find: where that is the C library's, and not another function of the same name.
static const void *found(void *library, const char *name) {
    const void *function = cplugin_replaced(name);
    if (!function || library == RTLD_DEFAULT || library == RTLD_NEXT) return function;
    return dlsym(library, name) == dlsym(RTLD_DEFAULT, name) ? function : NULL;
}

/// What a plug-in loads itself is found when it looks for a function there, and not when it is loaded: the C library looks in the
/// folders that the caller's own file lists, and knows a caller of `dlopen` by where the call returns to. So this leaves its place too.
static void *guarded_dlsym(void *library, const char *name) {
    cplugin_library_loaded(library);
    const void *function = found(library, name);
    if (function) return (void *)function;
    __attribute__((musttail)) return dlsym(library, name);
}
static void *guarded_dlvsym(void *library, const char *name, const char *version) {
    cplugin_library_loaded(library);
    const void *function = found(library, name);
    if (function) return (void *)function;
    __attribute__((musttail)) return dlvsym(library, name, version);
}

static const cplugin_replacement others[] = {
    SAME(fork), AS(vfork, fork), AS(_Fork, fork), AS(forkpty, fork), AS(daemon, fork), AS(execve, fork),
    AS(execv, fork), AS(execvp, fork), AS(execvpe, fork), AS(execl, fork), AS(execlp, fork), AS(execle, fork),
    AS(execveat, fork), AS(fexecve, fork),
    SAME(sigaction), SAME(signal), AS(bsd_signal, signal), AS(ssignal, signal), AS(sigset, signal),
    AS(__sysv_signal, signal), AS(sysv_signal, signal),
    SAME(printf), AS(__printf_chk, printf_chk), SAME(vprintf), AS(__vprintf_chk, vprintf_chk), SAME(puts),
    SAME(putchar), SAME(write), SAME(writev), SAME(dprintf), AS(__dprintf_chk, dprintf_chk), SAME(vdprintf),
    AS(__vdprintf_chk, vdprintf_chk), SAME(wprintf), AS(__wprintf_chk, wprintf_chk), SAME(vwprintf),
    AS(__vwprintf_chk, vwprintf_chk), SAME(putwchar), SAME(dlsym), SAME(dlvsym),
    // A variable: from the plug-in it has the other stream.
    {"stdout", &stderr}, {NULL, NULL},
};

const void *cplugin_replaced(const char *name) {
    const cplugin_replacement *const tables[] = {cplugin_ends, cplugin_descriptors, others};
    for (size_t table = 0; table < sizeof tables / sizeof *tables; table++) {
        for (const cplugin_replacement *one = tables[table]; one->name; one++) {
            if (strcmp(name, one->name) == 0) return one->function;
        }
    }
    return NULL;
}
