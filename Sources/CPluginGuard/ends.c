// What would end the process.
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void end(const char *function, int code, const void *site) {
    cplugin_leave(function);
    // In no call of the host, the main thread is here only while the process ends.
    if (syscall(SYS_gettid) == getpid()) _exit(code);
    cplugin_count(CPLUGIN_ENDED_THREAD, site);
    // Not pthread_exit, which unwinds: that ends the process where a function of C++ lets nothing through.
    for (;;) syscall(SYS_exit, 0);
}

#define ENDS(name)                                                                                                     \
    static _Noreturn void guarded_##name(int code) { end(#name, code, SITE); }
ENDS(exit)
ENDS(_exit)
ENDS(_Exit)
ENDS(quick_exit)
static _Noreturn void guarded_abort(void) { end("abort", 134, SITE); }
/// Of `assert`: the C library would call its own abort.
static _Noreturn void guarded_assert(const char *text, const char *file, unsigned line, const char *function) {
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function ? function : "?", text);
    end("assert", 134, SITE);
}
/// Of a stack that the plug-in has overrun.
static _Noreturn void guarded_stack_failure(void) { end("__stack_chk_fail", 134, SITE); }
static int guarded_raise(int number) {
    if (number == 0) return 0;
    end("raise", 128 + number, SITE);
}
static bool is_ours(pid_t process) {
    return process == getpid() || process == 0 || process == -1 || process == -getpgrp();
}
static int guarded_kill(pid_t process, int number) {
    if (number == 0 || !is_ours(process)) return kill(process, number);
    end("kill", 128 + number, SITE);
}
static int guarded_killpg(pid_t group, int number) { return guarded_kill(-group, number); }
static int guarded_sigqueue(pid_t process, int number, const union sigval value) {
    if (number == 0 || !is_ours(process)) return sigqueue(process, number, value);
    end("sigqueue", 128 + number, SITE);
}
static int guarded_tgkill(pid_t process, pid_t thread, int number) {
    if (number == 0 || !is_ours(process)) return tgkill(process, thread, number);
    end("tgkill", 128 + number, SITE);
}
// Whichever thread it is sent to, a signal ends the process.
static int guarded_pthread_kill(pthread_t thread, int number) {
    if (number == 0) return pthread_kill(thread, number);
    end("pthread_kill", 128 + number, SITE);
}
static int guarded_pthread_sigqueue(pthread_t thread, int number, const union sigval value) {
    if (number == 0) return pthread_sigqueue(thread, number, value);
    end("pthread_sigqueue", 128 + number, SITE);
}
/// Of this and the next one, what they would print is left out.
static void guarded_error(int status, ...) {
    if (status != 0) end("error", status, SITE);
}
static void guarded_error_at_line(int status, ...) {
    if (status != 0) end("error_at_line", status, SITE);
}
/// Of a buffer that the plug-in has overrun, as its compiler has seen.
static _Noreturn void guarded_buffer_failure(void) { end("__chk_fail", 134, SITE); }
static _Noreturn void guarded_pthread_exit(void *result) {
    // A thread of the plug-in's own may.
    cplugin_leave("pthread_exit");
    pthread_exit(result);
}
static _Noreturn void guarded_thrd_exit(int result) {
    cplugin_leave("thrd_exit");
    thrd_exit(result);
}

// An exception that nobody catches, and what else C++ ends a program for: its library calls this, and would then abort.

static _Atomic(cplugin_terminate *) terminate_before;

static void terminate(void) {
    cplugin_leave("std::terminate");
    // In no call of the host: the program's own, or one of a thread that the plug-in has started.
    cplugin_terminate *before = atomic_load(&terminate_before);
    if (before) before();
    abort();
}

void cplugin_catch(cplugin_set_terminate *set) {
    cplugin_terminate *before = set ? set(terminate) : NULL;
    if (before && before != terminate) atomic_store(&terminate_before, before);
}

// Signals that come by themselves: the plug-in handles none, so that they would end the process.

static unsigned guarded_alarm(unsigned seconds) {
    if (seconds > 0) cplugin_count(CPLUGIN_SIGNALLED, SITE);
    return 0;
}
static useconds_t guarded_ualarm(useconds_t time, useconds_t interval) {
    (void)interval;
    if (time > 0) cplugin_count(CPLUGIN_SIGNALLED, SITE);
    return 0;
}
static int guarded_setitimer(int timer, const struct itimerval *time, struct itimerval *old) {
    (void)timer;
    if (old) memset(old, 0, sizeof *old);
    // One that is to stop does not run.
    if (!time || (time->it_value.tv_sec == 0 && time->it_value.tv_usec == 0)) return 0;
    cplugin_count(CPLUGIN_SIGNALLED, SITE);
    errno = EPERM;
    return -1;
}
static int guarded_timer_create(clockid_t clock, struct sigevent *event, timer_t *timer) {
    // One that is only looked at, or calls a function, sends no signal.
    if (event && (event->sigev_notify == SIGEV_NONE || event->sigev_notify == SIGEV_THREAD))
        return timer_create(clock, event, timer);
    cplugin_count(CPLUGIN_SIGNALLED, SITE);
    errno = EPERM;
    return -1;
}

const cplugin_replacement cplugin_ends[] = {
    SAME(exit), SAME(_exit), SAME(_Exit), SAME(quick_exit), SAME(abort), AS(__assert_fail, assert),
    AS(__assert, abort), AS(__assert_perror_fail, abort), AS(__stack_chk_fail, stack_failure),
    AS(__chk_fail, buffer_failure), SAME(raise), AS(gsignal, raise), SAME(kill), SAME(killpg), SAME(sigqueue),
    SAME(tgkill), SAME(pthread_kill), SAME(pthread_sigqueue), SAME(pthread_exit), SAME(thrd_exit),
    // They end the process inside the C library. What they would print is left out.
    AS(err, exit), AS(errx, exit), AS(verr, exit), AS(verrx, exit), SAME(error), SAME(error_at_line),
    SAME(alarm), SAME(ualarm), SAME(setitimer), SAME(timer_create), {NULL, NULL},
};
