// What a plug-in calls in place of functions of the C library.
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <threads.h>
#include <unistd.h>

#define SITE __builtin_return_address(0)

// The end of the process.

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
static int guarded_kill(pid_t process, int number) {
    const bool is_ours = process == getpid() || process == 0 || process == -1 || process == -getpgrp();
    if (number == 0 || !is_ours) return kill(process, number);
    end("kill", 128 + number, SITE);
}
static int guarded_killpg(pid_t group, int number) { return guarded_kill(-group, number); }
static _Noreturn void guarded_pthread_exit(void *result) {
    // A thread of the plug-in's own may.
    cplugin_leave("pthread_exit");
    pthread_exit(result);
}

// Descriptors. Those that the plug-in has opened itself are known by a bit.

enum { MOST_DESCRIPTORS = 1 << 16 };
static _Atomic uint64_t opened[MOST_DESCRIPTORS / 64];

static int note(int file) {
    if (file >= 0 && file < MOST_DESCRIPTORS) atomic_fetch_or(&opened[file / 64], 1ull << (file % 64));
    return file;
}

/// Whether the plug-in has opened it; it is forgotten.
static bool take(int file) {
    if (file < 0 || file >= MOST_DESCRIPTORS) return false;
    const uint64_t bit = 1ull << (file % 64);
    return atomic_fetch_and(&opened[file / 64], ~bit) & bit;
}

static bool is_open(int file) { return fcntl(file, F_GETFD) >= 0; }

static int refuse(int file, const void *site) {
    if (is_open(file)) cplugin_count(CPLUGIN_CLOSED, site);
    errno = EBADF;
    return -1;
}

static int guarded_close(int file) { return take(file) ? close(file) : refuse(file, SITE); }

static int close_all(unsigned first, unsigned last, const void *site) {
    // Beyond these nothing is open: by default a process has 1024, and the kernel gives the lowest.
    for (unsigned file = first; file <= last && file < MOST_DESCRIPTORS; file++) {
        if (take((int)file))
            close((int)file);
        else
            refuse((int)file, site);
    }
    return 0;
}

static int guarded_close_range(unsigned first, unsigned last, int flags) {
    // That flag closes none. With the other one the thread would lose the program's descriptors.
    return flags == CLOSE_RANGE_CLOEXEC ? close_range(first, last, flags) : close_all(first, last, SITE);
}
static void guarded_closefrom(int first) { close_all(first > 0 ? (unsigned)first : 0, ~0u, SITE); }

static int guarded_fclose(FILE *stream) {
    const int file = fileno(stream);
    if (file >= 0 && file <= STDERR_FILENO) return refuse(file, SITE), EOF;
    take(file);
    return fclose(stream);
}

static int guarded_dup2(int from, int to) {
    if (from != to && !take(to) && is_open(to)) return refuse(to, SITE);
    return from == to ? dup2(from, to) : note(dup2(from, to));
}
static int guarded_dup3(int from, int to, int flags) {
    if (from != to && !take(to) && is_open(to)) return refuse(to, SITE);
    return note(dup3(from, to, flags));
}

#define OPENS(name, parameters, arguments)                                                                             \
    static int guarded_##name parameters { return note(name arguments); }
OPENS(creat, (const char *path, mode_t mode), (path, mode))
OPENS(socket, (int domain, int type, int protocol), (domain, type, protocol))
OPENS(accept, (int file, struct sockaddr *address, socklen_t *length), (file, address, length))
OPENS(accept4, (int file, struct sockaddr *address, socklen_t *length, int flags), (file, address, length, flags))
OPENS(dup, (int file), (file))
OPENS(eventfd, (unsigned start, int flags), (start, flags))
OPENS(epoll_create, (int size), (size))
OPENS(epoll_create1, (int flags), (flags))
OPENS(timerfd_create, (int clock, int flags), (clock, flags))
OPENS(inotify_init, (void), ())
OPENS(inotify_init1, (int flags), (flags))
OPENS(signalfd, (int file, const sigset_t *signals, int flags), (file, signals, flags))
OPENS(posix_openpt, (int flags), (flags))
OPENS(getpt, (void), ())
OPENS(memfd_create, (const char *name, unsigned flags), (name, flags))
OPENS(shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))
OPENS(mkstemp, (char *pattern), (pattern))
OPENS(mkostemp, (char *pattern, int flags), (pattern, flags))
OPENS(mkstemps, (char *pattern, int end), (pattern, end))
OPENS(mkostemps, (char *pattern, int end, int flags), (pattern, end, flags))

#define OPENS_FILE(name, before, call)                                                                                 \
    static int guarded_##name(before const char *path, int flags, ...) {                                               \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                                  \
        va_end(list);                                                                                                  \
        return note(call);                                                                                             \
    }
#define NOTHING
#define FOLDER int folder,
OPENS_FILE(open, NOTHING, open(path, flags, mode))
OPENS_FILE(openat, FOLDER, openat(folder, path, flags, mode))

#define OPENS_PAIR(name, parameters, arguments)                                                                        \
    static int guarded_##name parameters {                                                                             \
        const int result = name arguments;                                                                             \
        if (result == 0) note(files[0]), note(files[1]);                                                               \
        return result;                                                                                                 \
    }
OPENS_PAIR(pipe, (int files[2]), (files))
OPENS_PAIR(pipe2, (int files[2], int flags), (files, flags))
OPENS_PAIR(socketpair, (int domain, int type, int protocol, int files[2]), (domain, type, protocol, files))

static int guarded_openpty(int *one, int *other, char *name, const struct termios *modes, const struct winsize *size) {
    const int result = openpty(one, other, name, modes, size);
    if (result == 0) note(*one), note(*other);
    return result;
}

/// Those that a message of a socket has brought.
static void note_all(struct msghdr *message) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= part->cmsg_len; at += sizeof(int)) {
            int file;
            memcpy(&file, (const char *)part + at, sizeof file);
            note(file);
        }
    }
}
static ssize_t guarded_recvmsg(int socket, struct msghdr *message, int flags) {
    const ssize_t result = recvmsg(socket, message, flags);
    if (result >= 0) note_all(message);
    return result;
}
static int guarded_recvmmsg(int socket, struct mmsghdr *messages, unsigned most, int flags, struct timespec *time) {
    const int result = recvmmsg(socket, messages, most, flags, time);
    for (int place = 0; place < result; place++) note_all(&messages[place].msg_hdr);
    return result;
}

static int guarded_fcntl(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    const int result = fcntl(file, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? note(result) : result;
}

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
static int guarded_vprintf_chk(int flag, const char *format, va_list list) {
    (void)flag;
    return vfprintf(stderr, format, list);
}
#define PRINTS(name, parameters)                                                                                       \
    static int guarded_##name parameters {                                                                             \
        va_list list;                                                                                                  \
        va_start(list, format);                                                                                        \
        const int result = vfprintf(stderr, format, list);                                                             \
        va_end(list);                                                                                                  \
        return result;                                                                                                 \
    }
PRINTS(printf, (const char *format, ...))
PRINTS(printf_chk, (int flag __attribute__((unused)), const char *format, ...))
static int guarded_puts(const char *text) { return fprintf(stderr, "%s\n", text); }
static int guarded_putchar(int letter) { return fputc(letter, stderr); }
static ssize_t guarded_write(int file, const void *data, size_t size) {
    return write(file == STDOUT_FILENO ? STDERR_FILENO : file, data, size);
}

// Libraries.

/// What a plug-in loads itself is found when it looks for a function there, and not when it is loaded: the C library looks in the
/// folders that the caller's own file lists, and knows a caller of `dlopen` by where the call returns to. So this leaves its place too.
static void *guarded_dlsym(void *library, const char *name) {
    cplugin_library_loaded(library);
    __attribute__((musttail)) return dlsym(library, name);
}

#define SAME(name) {#name, (const void *)guarded_##name}
#define AS(name, other) {#name, (const void *)guarded_##other}
static const struct {
    const char *name;
    const void *function;
} replacements[] = {
    SAME(exit), SAME(_exit), SAME(_Exit), SAME(quick_exit), SAME(abort), AS(__assert_fail, assert),
    AS(__stack_chk_fail, stack_failure), SAME(raise), AS(gsignal, raise), SAME(kill), SAME(killpg), SAME(pthread_exit),
    // They end the process inside the C library. What they would print is left out.
    AS(err, exit), AS(errx, exit), AS(verr, exit), AS(verrx, exit),
    SAME(close), SAME(close_range), SAME(closefrom), SAME(fclose), SAME(dup2), SAME(dup3),
    SAME(open), AS(open64, open), AS(__open_2, open), AS(__open64_2, open),
    SAME(openat), AS(openat64, openat), AS(__openat_2, openat), AS(__openat64_2, openat),
    SAME(creat), AS(creat64, creat), SAME(socket), SAME(accept), SAME(accept4), SAME(dup), SAME(eventfd),
    SAME(epoll_create), SAME(epoll_create1), SAME(timerfd_create), SAME(inotify_init), SAME(inotify_init1),
    SAME(signalfd), SAME(posix_openpt), SAME(getpt), SAME(openpty), SAME(recvmsg), SAME(recvmmsg),
    SAME(memfd_create), SAME(shm_open), SAME(mkstemp), AS(mkstemp64, mkstemp), SAME(mkostemp),
    AS(mkostemp64, mkostemp), SAME(mkstemps), AS(mkstemps64, mkstemps), SAME(mkostemps), AS(mkostemps64, mkostemps),
    SAME(pipe), SAME(pipe2), SAME(socketpair), SAME(fcntl), AS(fcntl64, fcntl),
    SAME(fork), AS(vfork, fork), AS(_Fork, fork), AS(forkpty, fork), AS(daemon, fork), AS(execve, fork),
    AS(execv, fork), AS(execvp, fork), AS(execvpe, fork), AS(execl, fork), AS(execlp, fork), AS(execle, fork),
    AS(execveat, fork), AS(fexecve, fork),
    SAME(sigaction), SAME(signal), AS(bsd_signal, signal), AS(__sysv_signal, signal), AS(sysv_signal, signal),
    SAME(printf), AS(__printf_chk, printf_chk), SAME(vprintf), AS(__vprintf_chk, vprintf_chk), SAME(puts),
    SAME(putchar), SAME(write), SAME(dlsym),
    // A variable: from the plug-in it has the other stream.
    {"stdout", &stderr},
};

const void *cplugin_replacement(const char *name) {
    for (size_t place = 0; place < sizeof replacements / sizeof *replacements; place++) {
        if (strcmp(name, replacements[place].name) == 0) return replacements[place].function;
    }
    return NULL;
}
