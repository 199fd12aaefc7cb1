// Descriptors. Those that the plug-in has opened itself are known by a bit.
#define _GNU_SOURCE
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 1 << 16 };
static _Atomic uint64_t opened[MOST_DESCRIPTORS / 64];
/// Those that it has closed since. A stream that it has left there has none, though the program may have one of that number by now.
static _Atomic uint64_t closed[MOST_DESCRIPTORS / 64];

static bool is_counted(int file) { return file >= 0 && file < MOST_DESCRIPTORS; }
static uint64_t bit(int file) { return 1ull << (file % 64); }

static int note(int file) {
    if (!is_counted(file)) return file;
    atomic_fetch_or(&opened[file / 64], bit(file));
    atomic_fetch_and(&closed[file / 64], ~bit(file));
    return file;
}

/// Whether the plug-in has opened it; it is forgotten.
static bool take(int file) {
    return is_counted(file) && atomic_fetch_and(&opened[file / 64], ~bit(file)) & bit(file);
}

static int close_own(int file) {
    atomic_fetch_or(&closed[file / 64], bit(file));
    return close(file);
}

static bool is_open(int file) { return fcntl(file, F_GETFD) >= 0; }

static int refuse(int file, const void *site) {
    if (is_open(file)) cplugin_count(CPLUGIN_CLOSED, site);
    errno = EBADF;
    return -1;
}

static int guarded_close(int file) { return take(file) ? close_own(file) : refuse(file, SITE); }

static int close_all(unsigned first, unsigned last, const void *site) {
    // Beyond these nothing is open: by default a process has 1024, and the kernel gives the lowest.
    for (unsigned file = first; file <= last && file < MOST_DESCRIPTORS; file++) {
        if (take((int)file))
            close_own((int)file);
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

/// Of a stream: whether it is not the plug-in's to close.
static bool is_foreign(int file) {
    if (file >= 0 && file <= STDERR_FILENO) return true;
    return is_counted(file) && atomic_load(&closed[file / 64]) & bit(file);
}
#define CLOSES(name, type, descriptor)                                                                                 \
    static int guarded_##name(type *stream) {                                                                          \
        const int file = stream ? descriptor(stream) : -1;                                                             \
        if (is_foreign(file)) return refuse(file, SITE);                                                               \
        take(file);                                                                                                    \
        return name(stream);                                                                                           \
    }
CLOSES(fclose, FILE, fileno)
CLOSES(pclose, FILE, fileno)
CLOSES(closedir, DIR, dirfd)

// Where there is nothing to copy, the other one stays as it is.
static int guarded_dup2(int from, int to) {
    if (from == to || !is_open(from)) return dup2(from, to);
    if (!take(to) && is_open(to)) return refuse(to, SITE);
    return note(dup2(from, to));
}
static int guarded_dup3(int from, int to, int flags) {
    if (from == to || !is_open(from)) return dup3(from, to, flags);
    if (!take(to) && is_open(to)) return refuse(to, SITE);
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
OPENS(pidfd_open, (pid_t process, unsigned flags), (process, flags))

/// Of streams: a plug-in may close the descriptor of its own.
static FILE *note_stream(FILE *stream) {
    if (stream) note(fileno(stream));
    return stream;
}
static FILE *guarded_fopen(const char *path, const char *mode) { return note_stream(fopen(path, mode)); }
static FILE *guarded_tmpfile(void) { return note_stream(tmpfile()); }
static FILE *guarded_popen(const char *command, const char *mode) { return note_stream(popen(command, mode)); }
static FILE *guarded_freopen(const char *path, const char *mode, FILE *stream) {
    const int file = fileno(stream);
    if (is_foreign(file)) return refuse(file, SITE), NULL;
    take(file);
    return note_stream(freopen(path, mode, stream));
}
static DIR *guarded_opendir(const char *path) {
    DIR *folder = opendir(path);
    if (folder) note(dirfd(folder));
    return folder;
}

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

const cplugin_replacement cplugin_descriptors[] = {
    SAME(close), SAME(close_range), SAME(closefrom), SAME(fclose), SAME(pclose), SAME(closedir), SAME(dup2), SAME(dup3),
    SAME(open), AS(open64, open), AS(__open_2, open), AS(__open64_2, open),
    SAME(openat), AS(openat64, openat), AS(__openat_2, openat), AS(__openat64_2, openat),
    SAME(fopen), AS(fopen64, fopen), SAME(freopen), AS(freopen64, freopen), SAME(tmpfile), AS(tmpfile64, tmpfile),
    SAME(popen), SAME(opendir),
    SAME(creat), AS(creat64, creat), SAME(socket), SAME(accept), SAME(accept4), SAME(dup), SAME(eventfd),
    SAME(epoll_create), SAME(epoll_create1), SAME(timerfd_create), SAME(inotify_init), SAME(inotify_init1),
    SAME(signalfd), SAME(posix_openpt), SAME(getpt), SAME(openpty), SAME(recvmsg), SAME(recvmmsg), SAME(pidfd_open),
    SAME(memfd_create), SAME(shm_open), SAME(mkstemp), AS(mkstemp64, mkstemp), SAME(mkostemp),
    AS(mkostemp64, mkostemp), SAME(mkstemps), AS(mkstemps64, mkstemps), SAME(mkostemps), AS(mkostemps64, mkostemps),
    SAME(pipe), SAME(pipe2), SAME(socketpair), SAME(fcntl), AS(fcntl64, fcntl), {NULL, NULL},
};
