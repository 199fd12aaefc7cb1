// Threads, processes, signals, the loader, and the end of this process.
#define _GNU_SOURCE
#include "handlers.h"
#include "interpose.h"
#include "report.h"

#include <dlfcn.h>
#include <err.h>
#include <error.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

WATCHED("thread", int, pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes, void *(*body)(void *), void *state),
        (thread, attributes, body, state))
WATCHED("thread", int, thrd_create, (thrd_t * thread, thrd_start_t body, void *state), (thread, body, state))
WATCHED("process", pid_t, waitpid, (pid_t process, int *status, int options), (process, status, options))
WATCHED("process", int, system, (const char *command), (command))
WATCHED("process", FILE *, popen, (const char *command, const char *mode), (command, mode))
WATCHED("process", int, posix_spawn,
        (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const words[], char *const environment[]),
        (process, path, actions, attributes, words, environment))
WATCHED("process", int, posix_spawnp,
        (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const words[], char *const environment[]),
        (process, path, actions, attributes, words, environment))
WATCHED("loader", int, dlclose, (void *library), (library))

// The C library looks for a library's name in the folders that its caller's own file lists, and knows the caller by where the
// call returns to. So this must leave its place to that call: then the plug-in is the caller, as it is in a host. Nothing can be
// done behind the call, so what the plug-in does in the rest of its block is let pass.
void *dlopen(const char *path, int mode) {
    if (region_pause()) record("loader", "dlopen", __builtin_return_address(0), 0);
    __attribute__((musttail)) return NEXT(dlopen)(path, mode);
}

pid_t fork(void) {
    const bool was_inside = region_pause();
    // Recorded outside run() too, because a fork leaves a second process behind.
    if (region.is_audio) record("process", "fork", __builtin_return_address(0), 0);
    const pid_t process = NEXT(fork)();
    // The child has no part in the report, nor in the region.
    if (process == 0) {
        syscall(SYS_close, report_descriptor());
        region.is_audio = false;
        return process;
    }
    region_resume(was_inside);
    return process;
}

// By the name that the compiler knows to return twice, it would be inlined; a fork does the same.
pid_t vfork(void) { return fork(); }

/// Reports a plug-in that ends the process, and completes the report first.
static _Noreturn void end_early(const char *name, int code, const void *site) {
    region_pause();
    static bool is_ending;
    if (region.is_audio && !is_ending) {
        is_ending = true;
        record("exit", name, site, code);
        findings_tell();
        report_line("ended", "by", name, NULL);
    }
    syscall(SYS_exit_group, code);
    __builtin_unreachable();
}

void exit(int code) {
    if (region.is_audio) end_early("exit", code, __builtin_return_address(0));
    ((void (*)(int))interpose_next("exit", NULL))(code);
    __builtin_unreachable();
}

void _exit(int code) { end_early("_exit", code, __builtin_return_address(0)); }
void _Exit(int code) { end_early("_Exit", code, __builtin_return_address(0)); }
void quick_exit(int code) { end_early("quick_exit", code, __builtin_return_address(0)); }

// They end the process inside the C library. What they would print is left out.
void err(int code, const char *format, ...) {
    (void)format;
    end_early("err", code, __builtin_return_address(0));
}
void errx(int code, const char *format, ...) {
    (void)format;
    end_early("errx", code, __builtin_return_address(0));
}
void verr(int code, const char *format, va_list list) {
    (void)format, (void)list;
    end_early("verr", code, __builtin_return_address(0));
}
void verrx(int code, const char *format, va_list list) {
    (void)format, (void)list;
    end_early("verrx", code, __builtin_return_address(0));
}
/// Without a code it only prints.
static void complain(const char *name, int code, const void *site, const char *format, va_list list) {
    if (code != 0) end_early(name, code, site);
    const bool was_inside = region_pause();
    if (was_inside) record("terminal", name, site, 0);
    NEXT(vfprintf)(stderr, format, list);
    region_resume(was_inside);
}
void error(int code, int number, const char *format, ...) {
    (void)number;
    va_list list;
    va_start(list, format);
    complain("error", code, __builtin_return_address(0), format, list);
    va_end(list);
}
void error_at_line(int code, int number, const char *file, unsigned line, const char *format, ...) {
    (void)number, (void)file, (void)line;
    va_list list;
    va_start(list, format);
    complain("error_at_line", code, __builtin_return_address(0), format, list);
    va_end(list);
}

/// Changes this thread's mask, but blocks none of our signals: a plug-in that hangs or crashes then would end without a word.
static int change_mask(
    int (*next)(int, const sigset_t *, sigset_t *), const char *name, const void *site, int how, const sigset_t *set,
    sigset_t *old) {
    const bool was_inside = region_pause();
    if (was_inside) record("systemCall", name, site, 0);
    sigset_t others;
    if (set && how != SIG_UNBLOCK) {
        others = *set;
        for (int number = 1; number < 64; number++) {
            if (handlers_are_ours(number)) sigdelset(&others, number);
        }
        set = &others;
    }
    const int result = next(how, set, old);
    region_resume(was_inside);
    return result;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    return change_mask(NEXT(pthread_sigmask), "pthread_sigmask", __builtin_return_address(0), how, set, old);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    return change_mask(NEXT(sigprocmask), "sigprocmask", __builtin_return_address(0), how, set, old);
}

// Our handlers stay: a plug-in that brings its own for these signals is told, and believes that it has been obeyed.
static bool is_kept(int number, const char *name, const void *site) {
    if (!handlers_are_ours(number)) return false;
    const bool was_inside = region_pause();
    if (region.is_audio) record("signalHandler", name, site, number);
    region_resume(was_inside);
    return true;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    if (action && is_kept(number, "sigaction", __builtin_return_address(0))) {
        if (old) memset(old, 0, sizeof *old);
        return 0;
    }
    return NEXT(sigaction)(number, action, old);
}

sighandler_t signal(int number, sighandler_t handler) {
    if (is_kept(number, "signal", __builtin_return_address(0))) return SIG_DFL;
    return NEXT(signal)(number, handler);
}
